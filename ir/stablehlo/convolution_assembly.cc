// The dimension numbers and the window of a convolution.
#include "ir/stablehlo/struct_attribute.h"
#include "ir/stablehlo/structural_assembly.h"
#include "mlir/IR/Builders.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::ParseResult;
using mlir::success;

// The dimensions of one tensor: which is `first`, which is `second`, and which each digit names.
struct ConvolutionAxes {
  int64_t first = -1, second = -1;
  llvm::SmallVector<int64_t> spatial;
};

static ParseResult ParseAxes(mlir::AsmParser& parser, llvm::StringRef first_name,
                             llvm::StringRef second_name, ConvolutionAxes& axes) {
  const llvm::SMLoc start = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> digits, places;
  int64_t place = 0;
  auto one = [&]() -> ParseResult {
    const llvm::SMLoc location = parser.getCurrentLocation();
    int64_t digit = 0;
    mlir::OptionalParseResult number = parser.parseOptionalInteger(digit);
    if (number.has_value()) {
      if (failed(*number)) return failure();
      digits.push_back(digit);
      places.push_back(place++);
      return success();
    }
    llvm::StringRef name;
    if (parser.parseKeyword(&name)) return failure();
    int64_t* axis = name == first_name ? &axes.first : name == second_name ? &axes.second : nullptr;
    if (axis == nullptr || *axis >= 0)
      return parser.emitError(location, "unexpected dimension ") << name;
    *axis = place++;
    return success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, one)) return failure();
  axes.spatial.assign(digits.size(), -1);
  for (auto [digit, at] : llvm::zip(digits, places)) {
    if (digit < 0 || digit >= static_cast<int64_t>(digits.size()) || axes.spatial[digit] >= 0)
      return parser.emitError(start, "spatial dimensions must be 0, 1, ..., each once");
    axes.spatial[digit] = at;
  }
  if (axes.first < 0 || axes.second < 0) {
    return parser.emitError(start, "must name the dimensions ")
           << first_name << " and " << second_name;
  }
  return success();
}

ParseResult parseConvolutionDimensions(mlir::AsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  ConvolutionAxes input, kernel, output;
  if (ParseAxes(parser, "b", "f", input) || parser.parseKeyword("x") ||
      ParseAxes(parser, "i", "o", kernel) || parser.parseArrow() ||
      ParseAxes(parser, "b", "f", output)) {
    return failure();
  }
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial, kernel.first, kernel.second,
      kernel.spatial, output.first, output.second, output.spatial);
  return success();
}

// Whether the three dimension lists are permutations, so that the short form can say them.
static bool IsPermutation(int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial) {
  llvm::SmallVector<int64_t> all(spatial);
  all.append({first, second});
  llvm::sort(all);
  for (auto [i, dimension] : llvm::enumerate(all)) {
    if (dimension != static_cast<int64_t>(i)) return false;
  }
  return true;
}

static bool HasShortForm(ConvDimensionNumbersAttr n) {
  return IsPermutation(n.getInputBatchDimension(), n.getInputFeatureDimension(),
                       n.getInputSpatialDimensions()) &&
         IsPermutation(n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(),
                       n.getKernelSpatialDimensions()) &&
         IsPermutation(n.getOutputBatchDimension(), n.getOutputFeatureDimension(),
                       n.getOutputSpatialDimensions());
}

static void PrintAxes(mlir::AsmPrinter& printer, llvm::StringRef first_name, int64_t first,
                      llvm::StringRef second_name, int64_t second,
                      llvm::ArrayRef<int64_t> spatial) {
  const int64_t rank = static_cast<int64_t>(spatial.size()) + 2;
  printer << '[';
  for (int64_t i = 0; i < rank; ++i) {
    if (i > 0) printer << ", ";
    if (i == first) {
      printer << first_name;
    } else if (i == second) {
      printer << second_name;
    } else {
      printer << llvm::find(spatial, i) - spatial.begin();
    }
  }
  printer << ']';
}

void printConvolutionDimensions(mlir::AsmPrinter& printer, mlir::Operation*,
                                ConvDimensionNumbersAttr n) {
  PrintAxes(printer, "b", n.getInputBatchDimension(), "f", n.getInputFeatureDimension(),
            n.getInputSpatialDimensions());
  printer << 'x';
  PrintAxes(printer, "i", n.getKernelInputFeatureDimension(), "o",
            n.getKernelOutputFeatureDimension(), n.getKernelSpatialDimensions());
  printer << "->";
  PrintAxes(printer, "b", n.getOutputBatchDimension(), "f", n.getOutputFeatureDimension(),
            n.getOutputSpatialDimensions());
}

mlir::Attribute ConvDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  if (parser.parseLess()) return {};
  if (failed(parser.parseOptionalKeyword("raw"))) {
    ConvDimensionNumbersAttr numbers;
    if (parseConvolutionDimensions(parser, numbers) || parser.parseGreater()) return {};
    return numbers;
  }
  int64_t scalars[6] = {};
  llvm::SmallVector<int64_t> lists[3];
  if (ParseStruct(parser, {{"input_batch_dimension", &scalars[0]},
                           {"input_feature_dimension", &scalars[1]},
                           {"input_spatial_dimensions", &lists[0]},
                           {"kernel_input_feature_dimension", &scalars[2]},
                           {"kernel_output_feature_dimension", &scalars[3]},
                           {"kernel_spatial_dimensions", &lists[1]},
                           {"output_batch_dimension", &scalars[4]},
                           {"output_feature_dimension", &scalars[5]},
                           {"output_spatial_dimensions", &lists[2]}})) {
    return {};
  }
  return get(parser.getContext(), scalars[0], scalars[1], lists[0], scalars[2], scalars[3],
             lists[1], scalars[4], scalars[5], lists[2]);
}

void ConvDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  if (HasShortForm(*this)) {
    printer << '<';
    printConvolutionDimensions(printer, nullptr, *this);
    printer << '>';
    return;
  }
  StructPrinter(printer, "<raw ")
      .Field("input_batch_dimension", getInputBatchDimension())
      .Field("input_feature_dimension", getInputFeatureDimension())
      .Field("input_spatial_dimensions", getInputSpatialDimensions())
      .Field("kernel_input_feature_dimension", getKernelInputFeatureDimension())
      .Field("kernel_output_feature_dimension", getKernelOutputFeatureDimension())
      .Field("kernel_spatial_dimensions", getKernelSpatialDimensions())
      .Field("output_batch_dimension", getOutputBatchDimension())
      .Field("output_feature_dimension", getOutputFeatureDimension())
      .Field("output_spatial_dimensions", getOutputSpatialDimensions())
      .Finish();
}

static ParseResult ParsePadding(mlir::OpAsmParser& parser, mlir::DenseIntElementsAttr& padding) {
  llvm::SmallVector<int64_t> edges;
  auto pair = [&]() -> ParseResult {
    if (parser.parseLSquare() || parser.parseInteger(edges.emplace_back()) || parser.parseComma() ||
        parser.parseInteger(edges.emplace_back())) {
      return failure();
    }
    return parser.parseRSquare();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, pair)) return failure();
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(edges.size()) / 2, 2},
                                          parser.getBuilder().getI64Type());
  padding = mlir::DenseIntElementsAttr::get(type, edges);
  return success();
}

static ParseResult ParseReversal(mlir::OpAsmParser& parser, mlir::DenseBoolArrayAttr& reversal) {
  llvm::SmallVector<bool> flags;
  auto flag = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      flags.push_back(true);
    } else if (succeeded(parser.parseOptionalKeyword("false"))) {
      flags.push_back(false);
    } else {
      const llvm::SMLoc location = parser.getCurrentLocation();
      int64_t value = 0;
      if (parser.parseInteger(value)) return failure();
      if (value != 0 && value != 1) return parser.emitError(location, "expected 0 or 1");
      flags.push_back(value == 1);
    }
    return success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, flag)) return failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(flags);
  return success();
}

ParseResult parseWindowAttributes(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                  mlir::DenseIntElementsAttr& padding,
                                  mlir::DenseI64ArrayAttr& lhs_dilation,
                                  mlir::DenseI64ArrayAttr& rhs_dilation,
                                  mlir::DenseBoolArrayAttr& reversal) {
  llvm::StringRef name;
  llvm::SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&name))) return success();
  while (true) {
    mlir::DenseI64ArrayAttr* list = name == "stride"       ? &strides
                                    : name == "lhs_dilate" ? &lhs_dilation
                                    : name == "rhs_dilate" ? &rhs_dilation
                                                           : nullptr;
    const bool again =
        (list != nullptr && *list) || (name == "pad" && padding) || (name == "reverse" && reversal);
    if (again || (list == nullptr && name != "pad" && name != "reverse"))
      return parser.emitError(location, "unexpected window attribute ") << name;
    if (parser.parseEqual()) return failure();
    if (list != nullptr) {
      llvm::SmallVector<int64_t> integers;
      if (ParseIntegers(parser, integers)) return failure();
      *list = parser.getBuilder().getDenseI64ArrayAttr(integers);
    } else if (name == "pad" ? ParsePadding(parser, padding) : ParseReversal(parser, reversal)) {
      return failure();
    }
    if (failed(parser.parseOptionalComma())) return success();
    location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name)) return failure();
  }
}

void printWindowAttributes(mlir::OpAsmPrinter& printer, mlir::Operation*,
                           mlir::DenseI64ArrayAttr strides, mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhs_dilation,
                           mlir::DenseI64ArrayAttr rhs_dilation,
                           mlir::DenseBoolArrayAttr reversal) {
  llvm::StringRef separator = "";
  auto begin = [&](llvm::StringRef name) -> llvm::raw_ostream& {
    printer << separator << name << " = ";
    separator = ", ";
    return printer.getStream();
  };
  auto list = [&](llvm::StringRef name, mlir::DenseI64ArrayAttr values) {
    if (!values) return;
    begin(name);
    PrintIntegers(printer, values);
  };
  list("stride", strides);
  if (padding) {
    llvm::raw_ostream& out = begin("pad") << '[';
    llvm::SmallVector<int64_t> edges(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < edges.size(); i += 2) {
      out << (i > 0 ? ", " : "") << '[' << edges[i] << ", " << edges[i + 1] << ']';
    }
    out << ']';
  }
  list("lhs_dilate", lhs_dilation);
  list("rhs_dilate", rhs_dilation);
  if (reversal) {
    begin("reverse") << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool flag) { printer << (flag ? "true" : "false"); });
    printer << ']';
  }
}

}  // namespace quern::stablehlo
