// Attributes that are structs: <name = [1, 2], other = 3>.
#ifndef QUERN_IR_STABLEHLO_STRUCT_ATTRIBUTE_H_
#define QUERN_IR_STABLEHLO_STRUCT_ATTRIBUTE_H_

#include <cstdint>
#include <variant>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::stablehlo {

// Where the field `name` is read to.
struct StructField {
  llvm::StringRef name;
  std::variant<llvm::SmallVector<int64_t>*, int64_t*> value;
};

// Fields in any order, none twice, up to and with the closing '>'; a field that is not there keeps
// its value.
mlir::ParseResult ParseStruct(mlir::AsmParser& parser, llvm::ArrayRef<StructField> fields);

// Prints what ParseStruct reads, without empty lists and zeros.
class StructPrinter {
 public:
  explicit StructPrinter(mlir::AsmPrinter& printer, llvm::StringRef open = "<")
      : printer_(printer), separator_(open) {}
  StructPrinter& Field(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  StructPrinter& Field(llvm::StringRef name, int64_t value);
  void Finish();

 private:
  mlir::AsmPrinter& printer_;
  llvm::StringRef separator_;
  bool empty_ = true;
};

mlir::ParseResult ParseIntegers(mlir::AsmParser& parser, llvm::SmallVectorImpl<int64_t>& integers);
void PrintIntegers(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> integers);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_STRUCT_ATTRIBUTE_H_
