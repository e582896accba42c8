// Finding and rewriting the loops, accesses and buffers of a program.
#ifndef QUERN_SEARCH_NEST_H_
#define QUERN_SEARCH_NEST_H_

#include <string>
#include <vector>

#include "ir/program/program.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::search {

// All finders return a null op where there is none of that name.
program::ProgramOp FindProgram(mlir::ModuleOp module);
program::KernelOp FindKernel(program::ProgramOp program, llvm::StringRef name);
program::BufferOp FindBuffer(program::ProgramOp program, llvm::StringRef name);
program::LoopOp FindLoop(program::KernelOp kernel, llvm::StringRef name);
program::AllocOp FindAlloc(program::KernelOp kernel, llvm::StringRef name);

// In program order.
std::vector<program::KernelOp> Kernels(program::ProgramOp program);
std::vector<program::LoopOp> Loops(program::KernelOp kernel);  // outer before inner

// The only op of a block if it is a loop, else null.
program::LoopOp OnlyLoop(mlir::Block& block);
bool IsInnermost(program::LoopOp loop);
// Whether every loop around `loop` is a grid loop and it is alone in its block.
bool IsOutermost(program::LoopOp loop);
// The outermost loops, each alone in its block, from the kernel inwards.
std::vector<program::LoopOp> PerfectNest(program::KernelOp kernel);

std::string KernelName(mlir::Operation* op);
// `name`, or the first of name.1, name.2, ... that no buffer or kernel of the program has.
std::string FreshName(program::ProgramOp program, const std::string& name);

program::LoopOp CreateLoop(mlir::OpBuilder& builder, llvm::StringRef name, int64_t extent,
                           program::Mapping mapping = program::Mapping::Serial);

// Sets the counters and map of a load, store or guard, with equal counters merged, unused ones
// dropped and the expressions simplified.
void SetIndex(mlir::Operation* access, llvm::ArrayRef<mlir::Value> counters, mlir::AffineMap map);
void SetCondition(program::GuardOp guard, llvm::ArrayRef<mlir::Value> counters,
                  mlir::IntegerSet condition);

// Replaces every use of `old` by `expression`, whose dimensions stand for `fresh` in order. Uses
// are counters of accesses and guards, or index arithmetic, which gets arith ops.
void ReplaceCounter(mlir::Value old, llvm::ArrayRef<mlir::Value> fresh,
                    mlir::AffineExpr expression);
// The same for one op.
void ReplaceCounterIn(mlir::Operation* user, mlir::Value old, llvm::ArrayRef<mlir::Value> fresh,
                      mlir::AffineExpr expression);

// The value of `expression` over `counters` as arith ops on index.
mlir::Value MaterialiseIndex(mlir::OpBuilder& builder, mlir::Location location,
                             mlir::AffineExpr expression, llvm::ArrayRef<mlir::Value> counters);

// Puts `prefix` before the names of the loops and buffers inside `loop`.
void PrefixNamesInside(program::LoopOp loop, llvm::StringRef prefix);

// Loads and stores of `buffer`.
std::vector<mlir::Operation*> Accesses(mlir::Value buffer);
mlir::Value BufferOf(mlir::Operation* access);  // null if it is neither a load nor a store
mlir::AffineMap MapOf(mlir::Operation* access);
mlir::OperandRange CountersOf(mlir::Operation* access);

std::string PrintText(mlir::ModuleOp module);

}  // namespace quern::search

#endif  // QUERN_SEARCH_NEST_H_
