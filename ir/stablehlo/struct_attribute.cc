#include "ir/stablehlo/struct_attribute.h"

namespace quern::stablehlo {

mlir::ParseResult ParseIntegers(mlir::AsmParser& parser, llvm::SmallVectorImpl<int64_t>& integers) {
  return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(integers.emplace_back());
  });
}

void PrintIntegers(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> integers) {
  printer << '[';
  llvm::interleaveComma(integers, printer);
  printer << ']';
}

mlir::ParseResult ParseStruct(mlir::AsmParser& parser, llvm::ArrayRef<StructField> fields) {
  llvm::SmallVector<bool> seen(fields.size(), false);
  while (failed(parser.parseOptionalGreater())) {
    const llvm::SMLoc location = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name)) return mlir::failure();
    const auto* field = llvm::find_if(fields, [&](const StructField& f) { return f.name == name; });
    const ptrdiff_t index = field - fields.begin();
    if (field == fields.end() || seen[index])
      return parser.emitError(location, "unexpected field ") << name;
    seen[index] = true;
    if (parser.parseEqual()) return mlir::failure();
    mlir::ParseResult result = mlir::success();
    if (auto* const* list = std::get_if<llvm::SmallVector<int64_t>*>(&field->value)) {
      result = ParseIntegers(parser, **list);
    } else {
      result = parser.parseInteger(*std::get<int64_t*>(field->value));
    }
    if (result) return mlir::failure();
    if (succeeded(parser.parseOptionalComma())) continue;  // a trailing comma is allowed
    return parser.parseGreater();
  }
  return mlir::success();
}

StructPrinter& StructPrinter::Field(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  if (values.empty()) return *this;
  printer_ << separator_ << name << " = ";
  PrintIntegers(printer_, values);
  separator_ = ", ";
  empty_ = false;
  return *this;
}

StructPrinter& StructPrinter::Field(llvm::StringRef name, int64_t value) {
  if (value == 0) return *this;
  printer_ << separator_ << name << " = " << value;
  separator_ = ", ";
  empty_ = false;
  return *this;
}

void StructPrinter::Finish() {
  if (empty_) printer_ << separator_;
  printer_ << '>';
}

}  // namespace quern::stablehlo
