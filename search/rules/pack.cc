#include "search/rules/pack.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "bundle/status.h"
#include "frontend/holds.h"
#include "search/dataflow.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;

// "dimension,divisor,extent,..." as of the layout attribute.
static std::optional<Layout> ParseDigits(const std::string& text) {
  std::vector<int64_t> numbers;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    if (!absl::SimpleAtoi(part, &numbers.emplace_back())) return std::nullopt;
  }
  if (numbers.size() % 3 != 0) return std::nullopt;
  Layout layout;
  for (size_t i = 0; i < numbers.size(); i += 3) {
    layout.digits.push_back({.dimension = static_cast<int>(numbers[i]),
                             .divisor = numbers[i + 1],
                             .extent = numbers[i + 2]});
  }
  return layout;
}

std::string PanelDigits(llvm::ArrayRef<int64_t> shape, size_t panel, int64_t factor) {
  std::vector<int64_t> numbers;
  auto digit = [&](size_t dimension, int64_t divisor, int64_t extent) {
    numbers.insert(numbers.end(), {static_cast<int64_t>(dimension), divisor, extent});
  };
  for (size_t i = 0; i + 2 < shape.size(); ++i) digit(i, 1, shape[i]);
  digit(panel, factor, (shape[panel] + factor - 1) / factor);
  for (size_t i = shape.size() - 2; i < shape.size(); ++i) {
    if (i != panel) digit(i, 1, shape[i]);
  }
  digit(panel, 1, factor);
  return absl::StrJoin(numbers, ",");
}

namespace {

// Writes the copy kernel: a loop for each digit, slowest outermost, so that the copy's stores are
// consecutive. A dimension that its digits do not divide gets a second nest for its last, partial
// panel.
class Copy {
 public:
  Copy(BufferOp from, BufferOp to, const Layout& layout)
      : from_(from), to_(to), layout_(layout), shape_(from.getBuffer().getType().getShape()) {}

  void Emit(mlir::OpBuilder& builder) {
    std::vector<int64_t> extents;
    for (const LayoutDigit& digit : layout_.digits) extents.push_back(digit.extent);
    EmitPanels(builder, extents, std::vector<int64_t>(shape_.size(), 0), 0, "");
  }

 private:
  // Splits off the partial panel of each dimension from `dimension` on; `begin` shifts its
  // coordinate.
  void EmitPanels(mlir::OpBuilder& builder, std::vector<int64_t> extents,
                  std::vector<int64_t> begin, size_t dimension, const std::string& suffix) {
    if (dimension == shape_.size()) {
      EmitNest(builder, extents, begin, suffix);
      return;
    }
    size_t slowest = 0;
    for (size_t i = 0; i < layout_.digits.size(); ++i) {
      const LayoutDigit& digit = layout_.digits[i];
      if (digit.dimension != static_cast<int>(dimension)) continue;
      if (layout_.digits[slowest].dimension != digit.dimension ||
          digit.divisor >= layout_.digits[slowest].divisor) {
        slowest = i;
      }
    }
    int64_t panel = layout_.digits[slowest].divisor;
    int64_t whole = shape_[dimension] / panel, rest = shape_[dimension] % panel;
    extents[slowest] = whole;
    EmitPanels(builder, extents, begin, dimension + 1, suffix);
    if (rest == 0) return;
    // Digits below the slowest count the rest: right if there is one, which is what panels have.
    extents[slowest] = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (i != slowest && layout_.digits[i].dimension == static_cast<int>(dimension)) {
        extents[i] = rest;
      }
    }
    begin[dimension] = whole * panel;
    EmitPanels(builder, extents, begin, dimension + 1, suffix + ".t");
  }

  void EmitNest(mlir::OpBuilder builder, const std::vector<int64_t>& extents,
                const std::vector<int64_t>& begin, const std::string& suffix) {
    mlir::MLIRContext* context = builder.getContext();
    std::vector<mlir::Value> counters;
    llvm::SmallVector<mlir::AffineExpr> index;
    for (int64_t first : begin) index.push_back(mlir::getAffineConstantExpr(first, context));
    for (size_t i = 0; i < extents.size(); ++i) {
      LoopOp loop = CreateLoop(builder, "p" + std::to_string(i) + suffix, extents[i]);
      const LayoutDigit& digit = layout_.digits[i];
      index[digit.dimension] =
          index[digit.dimension] + mlir::getAffineDimExpr(counters.size(), context) * digit.divisor;
      counters.push_back(loop.counter());
      builder.setInsertionPointToStart(&loop.block());
    }
    mlir::AffineMap map = mlir::AffineMap::get(counters.size(), 0, index, context);
    mlir::Location location = builder.getUnknownLoc();
    auto load = LoadOp::create(builder, location,
                               program::ScalarType(from_.getBuffer().getType().getElement()),
                               from_.getBuffer(), counters, map);
    auto store = program::StoreOp::create(builder, location, load.getValue(), to_.getBuffer(),
                                          counters, map);
    SetIndex(load, counters, map);
    SetIndex(store, counters, map);
  }

  BufferOp from_, to_;
  Layout layout_;
  llvm::ArrayRef<int64_t> shape_;
};

class Packing : public Rule {
 public:
  std::string_view name() const override { return "pack"; }
  Soundness soundness() const override { return Soundness::kByConstruction; }
  std::string_view help() const override {
    return "copies a buffer that a kernel reads into a temporary with layout `digits` (dimension, "
           "divisor, "
           "extent; slowest first) and reads that";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      for (BufferOp buffer : program.getBody().front().getOps<BufferOp>()) {
        llvm::ArrayRef<int64_t> shape = buffer.getBuffer().getType().getShape();
        if (!Fits(kernel, buffer) || shape.size() < 2) continue;
        for (size_t panel = shape.size() - 2; panel < shape.size(); ++panel) {
          for (int64_t factor : {4, 6, 8, 16, 24, 32}) {
            if (factor > shape[panel]) break;
            actions.push_back({.rule = "pack",
                               .site = {kernel.getName().str(), buffer.getName().str()},
                               .parameters = {{"digits", PanelDigits(shape, panel, factor)}}});
          }
        }
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp kernel, KernelAt(program, action));
    BufferOp buffer = action.site.size() > 1 ? FindBuffer(program, action.site[1]) : BufferOp();
    if (!buffer || !Fits(kernel, buffer)) {
      return DoesNotApply(action, "the kernel does not read an input or temporary of that name");
    }
    std::optional<Layout> layout = ParseDigits(action.Text("digits", ""));
    program::BufferType type = buffer.getBuffer().getType();
    if (!layout || type.num_elements() == 0 || !IsValid(*layout, type.getShape().vec())) {
      return DoesNotApply(action, "the digits do not number the buffer");
    }
    std::string holds = buffer.getHolds().value_or("").str();
    if (buffer.getRole() == program::Role::Input) {
      holds = frontend::SliceModule(spec, spec.main().getArgument(buffer.getPosition()));
    }
    std::string name = FreshName(program, buffer.getName().str() + ".p");
    std::string copy_name = FreshName(program, "pack." + buffer.getName().str());

    mlir::OpBuilder builder(program.getContext());
    mlir::Location location = builder.getUnknownLoc();
    builder.setInsertionPoint(Kernels(program).front());
    auto packed = BufferOp::create(
        builder, location, type, name, program::Role::Temporary, -1,
        program::FromLayout(program.getContext(), *layout),
        holds.empty() ? mlir::StringAttr() : builder.getStringAttr(holds), mlir::ElementsAttr());
    builder.setInsertionPoint(kernel);
    auto copy = KernelOp::create(builder, location, copy_name);
    copy.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&copy.getBody().front());
    Copy(buffer, packed, *layout).Emit(builder);
    for (LoadOp load : LoadsFrom(kernel, buffer.getBuffer())) {
      load.getBufferMutable().assign(packed.getBuffer());
    }
    return absl::OkStatus();
  }

 private:
  // A buffer that has a layout of its own is packed already.
  static bool Fits(KernelOp kernel, BufferOp buffer) {
    return buffer.getRole() != program::Role::Output &&
           buffer.getRole() != program::Role::Constant && !buffer.getLayoutAttr() &&
           StoresTo(kernel, buffer.getBuffer()).empty() &&
           !LoadsFrom(kernel, buffer.getBuffer()).empty();
  }
};

}  // namespace

std::unique_ptr<Rule> PackRule() { return std::make_unique<Packing>(); }

}  // namespace quern::search
