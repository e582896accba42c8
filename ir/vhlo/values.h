// The attributes and types of a bytecode file, decoded when asked for.
#ifndef QUERN_IR_VHLO_VALUES_H_
#define QUERN_IR_VHLO_VALUES_H_

#include <string>
#include <vector>

#include "ir/vhlo/container.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace quern::vhlo {

// VHLO's attributes and types become what StableHLO writes in their place: builtin ones, and
// #stablehlo.* and !stablehlo.* where the context's stablehlo dialect can parse their spelling.
//
// A reference that leads back to itself, a nest deeper than 64 and an attribute that would take
// more than four million steps to walk are refused. Errors go to the context's diagnostic handler;
// after the first, all results are null. An entry is decoded once.
class Values {
 public:
  // Outlived by `container`; `place` is the location of errors in the file as a whole.
  Values(const Container& container, mlir::Location place);

  const Container& container() const { return container_; }
  mlir::MLIRContext* context() const { return place_.getContext(); }
  bool ok() const { return ok_; }

  mlir::Attribute Attribute(uint64_t index);
  mlir::Type Type(uint64_t index);
  // The place in a source file that a location names first, else the unknown location. Chains of
  // callers are followed by a loop, and not kept.
  mlir::Location Location(uint64_t index);

  // The next reference of `in`.
  mlir::Attribute ReadAttribute(Cursor& in) { return Attribute(in.Varint()); }
  mlir::Type ReadType(Cursor& in) { return Type(in.Varint()); }
  llvm::StringRef ReadString(Cursor& in);
  llvm::SmallVector<int64_t> ReadSigned(Cursor& in);
  llvm::SmallVector<mlir::Attribute> ReadAttributes(Cursor& in);
  llvm::SmallVector<mlir::Type> ReadTypes(Cursor& in);
  mlir::APFloat ReadFloat(Cursor& in, const llvm::fltSemantics& semantics);
  mlir::APInt ReadInt(Cursor& in, unsigned width);

  // What MLIR's parser makes of an attribute's or a type's text.
  mlir::Attribute Spelled(const std::string& text);
  mlir::Type SpelledType(const std::string& text);

  // The op whose attributes are decoded next, for messages.
  void Enter(mlir::Location place, llvm::StringRef op) {
    op_place_ = place;
    op_ = op.str();
  }

  // Report an error, once, and return null.
  std::nullptr_t Malformed(const Cursor& in, const llvm::Twine& what);
  std::nullptr_t Unsupported(const llvm::Twine& what);
  mlir::InFlightDiagnostic Error(mlir::Location at);

 private:
  struct Entry {
    const void* value = nullptr;
    uint32_t weight = 0;  // steps to walk it
    bool resolving = false;
  };
  template <typename Value>
  Value Resolve(const std::vector<RawEntry>& raw, std::vector<Entry>& entries, uint64_t index,
                Value (*decode)(llvm::StringRef dialect, Values&, Cursor&));
  mlir::Attribute FindLocation(uint64_t index);

  const Container& container_;
  mlir::Location place_, op_place_;
  std::string op_;
  std::vector<Entry> attributes_, types_;
  llvm::StringMap<mlir::Attribute> spelled_;
  uint64_t weight_ = 0;  // of what is being decoded
  int depth_ = 0;
  bool ok_ = true;
};

// What each dialect encodes, without the entry's end; null after an error. One file each.
mlir::Attribute DecodeBuiltinAttribute(Values& values, Cursor& in);
mlir::Type DecodeBuiltinType(Values& values, Cursor& in);
mlir::Attribute DecodeVhloAttribute(Values& values, Cursor& in);
mlir::Type DecodeVhloType(Values& values, Cursor& in);
mlir::Attribute DecodeSdyAttribute(Values& values, Cursor& in);

// A tensor type that may hold data: ranked, with fixed extents whose product fits in an int64.
bool HasCountableElements(mlir::Type type);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_VALUES_H_
