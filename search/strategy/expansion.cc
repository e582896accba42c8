// Expand of sketches.h.
#include <utility>

#include "absl/strings/str_cat.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "search/dataflow.h"
#include "search/nest.h"
#include "search/rules/pack.h"
#include "search/rules/reduction.h"
#include "search/rules/rule.h"
#include "search/strategy/accesses.h"
#include "search/strategy/sketches.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;
using program::Mapping;

static constexpr int64_t kMaxVector = 64;
static constexpr int64_t kMinVector = 4;
static constexpr int64_t kMaxUnrolled = 16;

namespace {

// Applies actions to a copy of the naive program and keeps those that apply.
class Expansion {
 public:
  Expansion(const frontend::Spec& spec, mlir::ModuleOp naive, const Sketch& sketch)
      : spec_(spec),
        sketch_(sketch),
        module_(naive.clone()),
        quiet_(naive.getContext(), [](mlir::Diagnostic&) { return mlir::success(); }) {}

  Trace Run() {
    if (sketch_.fuse) FuseAll();
    std::vector<std::string> names;
    for (KernelOp kernel : Kernels(program())) names.push_back(kernel.getName().str());
    for (const std::string& name : names) {
      KernelOp kernel = FindKernel(program(), name);
      std::vector<LoopOp> nest = PerfectNest(kernel);
      if (nest.empty() || nest.front().getMapping() != Mapping::Serial) continue;
      LoopOp reduction = ReductionLoop(kernel, nest.back());
      if (!reduction) {
        Pointwise(name, nest);
      } else if (nest.size() >= 2 && IsContraction(reduction, nest)) {
        Contraction(name, nest, reduction);
      } else {
        Reduction(name, nest, reduction);
      }
    }
    return std::move(trace_);
  }

 private:
  program::ProgramOp program() { return FindProgram(*module_); }

  bool Try(Action action) {
    mlir::OwningOpRef<mlir::ModuleOp> next = module_->clone();
    const Rule* rule = FindRule(action.rule);
    if (!rule->Apply(spec_, FindProgram(*next), action).ok() || mlir::failed(mlir::verify(*next))) {
      return false;
    }
    module_ = std::move(next);
    trace_.push_back(std::move(action));
    return true;
  }

  void FuseAll() {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<KernelOp> kernels = Kernels(program());
      for (size_t i = 0; i < kernels.size() && !changed; ++i) {
        for (size_t j = i + 1; j < kernels.size() && !changed; ++j) {
          std::vector<BufferOp> buffers = Between(kernels[i], kernels[j]);
          if (buffers.empty()) continue;
          std::vector<std::string> site = {kernels[i].getName().str(), kernels[j].getName().str()};
          bool cheap = ReadsOnce(kernels[j], buffers.front());
          changed = Try({.rule = "fuse", .site = site}) ||
                    (cheap && Try({.rule = "inline", .site = site}));
        }
      }
    }
  }

  static LoopOp ReductionLoop(KernelOp kernel, LoopOp inside) {
    for (LoopOp loop : Loops(kernel)) {
      if (inside->isProperAncestor(loop) && FindAccumulation(loop)) return loop;
    }
    return {};
  }

  // A sum of products of elements, one found by the row and one by the column.
  static bool IsContraction(LoopOp reduction, llvm::MutableArrayRef<LoopOp> nest) {
    mlir::Value row = nest[nest.size() - 2].counter(), column = nest.back().counter();
    bool by_row = false, by_column = false, product = false;
    for (mlir::Operation& op : reduction.block()) {
      product |= llvm::isa<mlir::arith::MulFOp, mlir::arith::MulIOp>(op);
      if (!llvm::isa<LoadOp>(op)) continue;
      by_row |= Uses(&op, row) && !Uses(&op, column);
      by_column |= Uses(&op, column) && !Uses(&op, row);
    }
    return product && by_row && by_column;
  }

  void Contraction(const std::string& kernel, llvm::MutableArrayRef<LoopOp> nest,
                   LoopOp reduction) {
    LoopOp row_loop = nest[nest.size() - 2], column_loop = nest.back();
    std::string row = row_loop.getName().str(), column = column_loop.getName().str();
    std::string reduction_name = reduction.getName().str();
    std::vector<Action> packs;
    for (LoadOp load : reduction.block().getOps<LoadOp>()) {
      auto pack = [&](mlir::Value counter, int64_t factor) {
        std::optional<size_t> dimension = DimensionOf(load, counter);
        auto buffer = load.getBuffer().getDefiningOp<BufferOp>();
        if (!dimension || !buffer || buffer.getBuffer().getType().getShape().size() < 2) return;
        packs.push_back(
            {.rule = "pack",
             .site = {kernel, buffer.getName().str()},
             .parameters = {{"digits", PanelDigits(buffer.getBuffer().getType().getShape(),
                                                   *dimension, factor)}}});
      };
      if (sketch_.pack_columns && !Uses(load, row_loop.counter())) {
        pack(column_loop.counter(), sketch_.columns);
      }
      if (sketch_.pack_rows && !Uses(load, column_loop.counter())) {
        pack(row_loop.counter(), sketch_.rows);
      }
    }
    Try({.rule = "register_block",
         .site = {kernel, row, column},
         .parameters = {{"rows", sketch_.rows},
                        {"columns", sketch_.columns},
                        {"outer", sketch_.columns_outside ? "columns" : "rows"}}});
    if (sketch_.block > 1) {
      const std::string& outer = sketch_.columns_outside ? column : row;
      if (Try({.rule = "tile",
               .site = {kernel, outer + ".o"},
               .parameters = {{"factor", sketch_.block}}})) {
        Try({.rule = "interchange", .site = {kernel, outer + ".o.i"}});
      }
    }
    if (sketch_.unroll > 1 && Try({.rule = "tile",
                                   .site = {kernel, reduction_name},
                                   .parameters = {{"factor", sketch_.unroll}}})) {
      Try({.rule = "unroll", .site = {kernel, reduction_name + ".i"}});
    }
    Try({.rule = "fuse_multiply_add", .site = {kernel}});
    for (const Action& action : packs) {
      std::string buffer = action.site[1];
      if (Try(action)) FinishCopy("pack." + buffer);
    }
    MapRegisters(kernel);
    Parallelise(kernel);
  }

  // Copies are vectors where they read consecutive elements, else unrolled.
  void FinishCopy(const std::string& kernel) {
    KernelOp copy = FindKernel(program(), kernel);
    if (!copy) return;
    std::vector<Action> actions;
    for (LoopOp loop : Loops(copy)) {
      if (!IsInnermost(loop)) continue;
      bool consecutive = true;
      for (mlir::Operation& op : loop.block()) {
        consecutive &= !BufferOf(&op) || IsConsecutive(&op, loop.counter());
      }
      actions.push_back(
          {.rule = consecutive ? "vectorise" : "unroll", .site = {kernel, loop.getName().str()}});
    }
    for (Action& action : actions) Try(std::move(action));
    Parallelise(kernel);
  }

  // Loops that carry no reduction: vectors if innermost, unrolled if they hold nothing but such
  // loops.
  void MapRegisters(const std::string& kernel) {
    for (bool changed = true; changed;) {
      changed = false;
      for (LoopOp loop : Loops(FindKernel(program(), kernel))) {
        if (loop.getMapping() != Mapping::Serial || FindAccumulates(loop)) continue;
        std::string name = loop.getName().str();
        int64_t extent = loop.getExtent();
        int64_t power =
            extent & -extent;  // a vector that is no power of two would be widened to one
        if (IsInnermost(loop) && OnRegisters(loop) && power != extent && power >= kMinVector) {
          changed =
              Try({.rule = "tile", .site = {kernel, name}, .parameters = {{"factor", power}}});
        } else if (IsInnermost(loop) && extent <= kMaxVector && OnRegisters(loop)) {
          changed = Try({.rule = extent > 1 ? "vectorise" : "unroll", .site = {kernel, name}});
        } else if (LoopOp inner = OnlyLoop(loop.block()); inner && extent <= kMaxUnrolled &&
                                                          inner.getMapping() != Mapping::Serial &&
                                                          OnRegisters(loop)) {
          changed = Try({.rule = "unroll", .site = {kernel, name}});
        }
        if (changed) break;
      }
    }
  }

  static bool FindAccumulates(LoopOp loop) { return FindAccumulation(loop).has_value(); }

  void Parallelise(const std::string& kernel) {
    std::vector<LoopOp> nest = PerfectNest(FindKernel(program(), kernel));
    if (nest.empty() || nest.front().getExtent() < 2) return;
    Try({.rule = "parallelise", .site = {kernel, nest.front().getName().str()}});
  }

  // Splits off an inner loop of `factor` iterations and maps it: the name of the inner loop.
  std::string TileOrKeep(const std::string& kernel, const std::string& loop, int64_t factor) {
    if (Try({.rule = "tile", .site = {kernel, loop}, .parameters = {{"factor", factor}}})) {
      return loop + ".i";
    }
    return loop;
  }

  void Pointwise(const std::string& kernel, llvm::MutableArrayRef<LoopOp> nest) {
    LoopOp last = nest.back();
    bool consecutive = true;
    last.getBody().walk([&](mlir::Operation* op) {
      consecutive &= !BufferOf(op) || IsConsecutive(op, last.counter());
    });
    std::string inner = last.getName().str();
    if (consecutive || nest.size() < 2) {
      Try({.rule = "vectorise", .site = {kernel, TileOrKeep(kernel, inner, sketch_.width)}});
      if (nest.size() == 1) TileOrKeep(kernel, inner + ".o", 256);  // blocks worth a call
    } else {
      std::string outer = nest[nest.size() - 2].getName().str();
      std::string column = TileOrKeep(kernel, inner, sketch_.tile);
      std::string row = TileOrKeep(kernel, outer, sketch_.tile);
      Try({.rule = "interchange", .site = {kernel, row}});
      if (sketch_.along_load) Try({.rule = "interchange", .site = {kernel, row}});
      std::string innermost = sketch_.along_load ? row : column;
      Try({.rule = sketch_.vector_tile ? "vectorise" : "unroll", .site = {kernel, innermost}});
    }
    Parallelise(kernel);
  }

  void Reduction(const std::string& kernel, llvm::MutableArrayRef<LoopOp> nest, LoopOp reduction) {
    std::string name = reduction.getName().str(), last = nest.back().getName().str();
    bool consecutive = true;
    for (mlir::Operation& op : reduction.block()) {
      consecutive &= !llvm::isa<LoadOp>(op) || IsConsecutive(&op, reduction.counter());
    }
    if (consecutive) {
      if (Try({.rule = "split_reduction",
               .site = {kernel, name},
               .parameters = {{"lanes", sketch_.lanes}}})) {
        Try({.rule = "vectorise", .site = {kernel, name + ".z"}});
        Try({.rule = "vectorise", .site = {kernel, name + ".i"}});
        Try({.rule = "unroll", .site = {kernel, name + ".h"}});
      }
    } else if (Try({.rule = "sink", .site = {kernel, TileOrKeep(kernel, last, sketch_.width)}})) {
      MapRegisters(kernel);
    }
    VectoriseRest(kernel);
    Parallelise(kernel);
  }

  // Element-wise loops beside a reduction, as a fused softmax has.
  void VectoriseRest(const std::string& kernel) {
    std::vector<std::string> names;
    for (LoopOp loop : Loops(FindKernel(program(), kernel))) {
      if (loop.getMapping() != Mapping::Serial || !IsInnermost(loop) || FindAccumulates(loop))
        continue;
      if (PerfectNest(FindKernel(program(), kernel)).back() == loop) continue;
      names.push_back(loop.getName().str());
    }
    for (const std::string& name : names) {
      Try({.rule = "vectorise", .site = {kernel, TileOrKeep(kernel, name, sketch_.width)}});
    }
  }

  const frontend::Spec& spec_;
  const Sketch& sketch_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::ScopedDiagnosticHandler quiet_;
  Trace trace_;
};

}  // namespace

Trace Expand(const frontend::Spec& spec, mlir::ModuleOp naive, const Sketch& sketch) {
  return Expansion(spec, naive, sketch).Run();
}

}  // namespace quern::search
