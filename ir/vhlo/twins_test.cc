// StableHLO's compatibility files: what their bytecode reads as equals their text.
//
// The texts use every op, type and attribute of StableHLO, most of which quern's own dialect lacks.
// So both sides are read in a context whose `stablehlo` dialect takes any op, and keeps attributes
// and types as text with blanks removed and fields in order; then nothing escapes the comparison.
// Two modules are equal here if they hold the same functions in the same order, with the same
// signatures, ops, attributes, operands and regions. Locations are left out.
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_replace.h"
#include "bundle/testing/shared_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/vhlo/container.h"
#include "ir/vhlo/reader.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace quern::vhlo {

// "name<a = 1, b = [2, 3]>" without blanks and its fields sorted, at every depth.
static std::string Normal(llvm::StringRef text) {
  std::string dense;
  for (char c : text) {
    if (!llvm::isSpace(c)) dense += c;
    // 1e-05 is 1e-5.
    if (llvm::StringRef(dense).ends_with("e-0") || llvm::StringRef(dense).ends_with("e+0"))
      dense.pop_back();
  }
  const size_t open = dense.find('<');
  if (open == std::string::npos || dense.back() != '>' || dense.find("->") != std::string::npos)
    return dense;
  std::vector<std::string> fields(1);
  int depth = 0;
  for (char c : dense.substr(open + 1, dense.size() - open - 2)) {
    if (llvm::StringRef("<[({").contains(c)) ++depth;
    if (llvm::StringRef(">])}").contains(c)) --depth;
    if (c == ',' && depth == 0) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) {
    const size_t at = field.find("=#");
    if (at != std::string::npos) field = field.substr(0, at + 1) + Normal(field.substr(at + 1));
  }
  llvm::erase_if(fields, [](const std::string& field) {
    return field.empty() || llvm::StringRef(field).ends_with("=[]") ||
           field == "index_vector_dim=0";
  });
  // The types of a future have an order; the fields of a struct do not.
  if (dense.find('=') != std::string::npos) llvm::sort(fields);
  return dense.substr(0, open + 1) + llvm::join(fields, ",") + ">";
}

class AnyStableHlo : public mlir::Dialect {
 public:
  explicit AnyStableHlo(mlir::MLIRContext* context)
      : Dialect("stablehlo", context, mlir::TypeID::get<AnyStableHlo>()) {
    allowUnknownOperations();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"stablehlo"}; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const override {
    return mlir::OpaqueAttr::get(mlir::StringAttr::get(getContext(), "stablehlo"),
                                 Normal(parser.getFullSymbolSpec()),
                                 mlir::NoneType::get(getContext()));
  }
  mlir::Type parseType(mlir::DialectAsmParser& parser) const override {
    return mlir::OpaqueType::get(mlir::StringAttr::get(getContext(), "stablehlo"),
                                 Normal(parser.getFullSymbolSpec()));
  }

  // The three ops that the texts write in their own form.
  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override {
    name.consume_front("stablehlo.");
    if (name == "constant") {
      return [](mlir::OpAsmParser& parser, mlir::OperationState& state) -> mlir::ParseResult {
        mlir::Attribute value;
        if (parser.parseAttribute(value, "value", state.attributes)) return mlir::failure();
        state.addTypes(llvm::cast<mlir::TypedAttr>(value).getType());
        return mlir::success();
      };
    }
    if (name != "add" && name != "cosine") return std::nullopt;
    return [](mlir::OpAsmParser& parser, mlir::OperationState& state) -> mlir::ParseResult {
      llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
      mlir::Type type;
      if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(state.attributes) ||
          parser.parseColonType(type) || parser.resolveOperands(operands, type, state.operands)) {
        return mlir::failure();
      }
      state.addTypes(type);
      return mlir::success();
    };
  }
};

static std::filesystem::path Data() { return SharedData() / "stablehlo/vhlo"; }

static std::string Contents(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// Properties of ops that the context does not know would be kept apart from their attributes.
static mlir::OwningOpRef<mlir::ModuleOp> Parse(std::string text, mlir::MLIRContext& context) {
  text = absl::StrReplaceAll(text, {{"<{\n", "{\n"}, {"}> :", "} :"}});
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

static void Load(mlir::MLIRContext& context) {
  context.loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect, AnyStableHlo>();
}

// What StableHLO's printer would leave out of the text: attributes that hold their default.
static void DropDefaults(mlir::ModuleOp module) {
  auto text = [](mlir::Attribute attribute) {
    std::string out;
    llvm::raw_string_ostream(out) << attribute;
    return out;
  };
  static const std::pair<const char*, const char*> kDefaults[] = {
      {"api_version", "1 : i32"},
      {"version", "0 : i32"},
      {"composite_attributes", "{}"},
      {"has_side_effect", "false"},
      {"backend_config", "\"\""},
      {"called_computations", "[]"},
      {"result_accuracy",
       "#stablehlo.result_accuracy<atol=0.000000e+,mode=#stablehlo.result_accuracy_mode<DEFAULT>,"
       "rtol=0.000000e+,ulps=0>"},
  };
  module.walk([&](mlir::Operation* op) {
    for (auto [name, value] : kDefaults) {
      mlir::Attribute attribute = op->getDiscardableAttr(name);
      if (attribute && text(attribute) == value) op->removeDiscardableAttr(name);
    }
  });
}

static std::string Print(mlir::Operation* op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo(false));
  return text;
}

struct Differences {
  int functions = 0;
  std::vector<std::string> texts;
};

static Differences Compare(mlir::ModuleOp bytecode, mlir::ModuleOp text) {
  Differences differences;
  auto& left = bytecode.getBody()->getOperations();
  auto& right = text.getBody()->getOperations();
  EXPECT_EQ(left.size(), right.size());
  for (auto [a, b] : llvm::zip(left, right)) {
    ++differences.functions;
    if (!mlir::OperationEquivalence::isEquivalentTo(&a, &b,
                                                    mlir::OperationEquivalence::IgnoreLocations)) {
      differences.texts.push_back("bytecode:\n" + Print(&a) + "\ntext:\n" + Print(&b));
    }
  }
  return differences;
}

TEST(TwinsTest, BytecodeEqualsText) {
  if (!std::filesystem::exists(Data())) GTEST_SKIP() << "no data";
  int files = 0, functions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Data())) {
    if (entry.path().extension() != ".bc") continue;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Load(context);
    std::filesystem::path twin = entry.path();
    twin.replace_extension();
    mlir::OwningOpRef<mlir::ModuleOp> bytecode = ReadPortable(Contents(entry.path()), context);
    ASSERT_TRUE(bytecode) << entry.path();
    auto text = Parse(Contents(twin), context);
    ASSERT_TRUE(text) << twin;
    DropDefaults(*bytecode);
    DropDefaults(*text);
    Differences differences = Compare(*bytecode, *text);
    EXPECT_THAT(differences.texts, testing::IsEmpty()) << entry.path();
    ++files;
    functions += differences.functions;
  }
  std::cout << files << " files with " << functions << " functions equal their text\n";
  EXPECT_EQ(files, 33);
}

// Seconds and the peak of memory are printed; both have a bound that leaves room for slow machines.
TEST(TwinsTest, LargeModel) {
  const std::filesystem::path file =
      Data().parent_path().parent_path() / "models/stablehlo-exports/alphafold.mlir.bc";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no data";
  const std::string bytes = Contents(file);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Load(context);
  const auto start = std::chrono::steady_clock::now();
  mlir::OwningOpRef<mlir::ModuleOp> module = ReadPortable(bytes, context);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(module);
  int ops = 0;
  module->walk([&](mlir::Operation*) { ++ops; });
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::cout << bytes.size() << " bytes, " << ops << " ops, " << seconds.count() << " s, peak "
            << usage.ru_maxrss / 1024 << " MiB\n";
  EXPECT_GT(ops, 60000);
  EXPECT_LT(seconds.count(), 10);
  EXPECT_LT(usage.ru_maxrss, 1 << 20);
}

TEST(TwinsTest, ComparisonSeesADifference) {
  const std::filesystem::path file = Data() / "stablehlo_legalize_to_vhlo.1_20_0.mlir";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no data";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Load(context);
  mlir::OwningOpRef<mlir::ModuleOp> bytecode =
      ReadPortable(Contents(file.string() + ".bc"), context);
  ASSERT_TRUE(bytecode);
  const std::string original = Contents(file);
  for (auto [from, to] :
       {std::pair("comparison_direction GE", "comparison_direction GT"),
        std::pair("lhs_contracting_dimensions = [2]", "lhs_contracting_dimensions = [1]"),
        std::pair("\"stablehlo.subtract\"(%arg0, %arg1)", "\"stablehlo.subtract\"(%arg1, %arg0)"),
        std::pair("slice_sizes = array<i64: 1", "slice_sizes = array<i64: 2"),
        std::pair("has_side_effect = true", "has_side_effect = false")}) {
    std::string changed = original;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, std::string(from).size(), to);
    auto text = Parse(changed, context);
    ASSERT_TRUE(text);
    DropDefaults(*bytecode);
    DropDefaults(*text);
    EXPECT_EQ(Compare(*bytecode, *text).texts.size(), 1u) << from;
  }
}

}  // namespace quern::vhlo
