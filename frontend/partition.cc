#include "frontend/partition.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "frontend/partition_groups.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using Ops = std::vector<mlir::Operation*>;

static std::string Summary(const Ops& ops) {
  std::vector<std::pair<std::string, int>> counts;
  for (mlir::Operation* op : ops) {
    const std::string name = op->getName().stripDialect().str();
    auto found = llvm::find_if(counts, [&](const auto& known) { return known.first == name; });
    if (found == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++found->second;
    }
  }
  return absl::StrJoin(counts, ", ", [](std::string* out, const auto& count) {
    absl::StrAppend(out, count.second > 1 ? absl::StrCat(count.second, " ") : "", count.first);
  });
}

// The first function of a library that an op calls, itself or in its regions.
static std::string Callee(mlir::Operation* op) {
  std::string callee;
  op->walk([&](hlo::CustomCallOp call) {
    if (callee.empty()) callee = call.getCallTargetName().str();
  });
  return callee;
}

namespace {

class Partitioner {
 public:
  explicit Partitioner(const Spec& model) : model_(model) {}

  absl::StatusOr<Partition> Run() {
    QUERN_RETURN_IF_ERROR(Cut(model_.main().getBody().front(), /*in_body=*/false));
    return std::move(partition_);
  }

 private:
  absl::Status Cut(mlir::Block& block, bool in_body) {
    for (const Ops& ops : GroupOps(block)) {
      QUERN_RETURN_IF_ERROR(Add(block, ops, in_body));
      if (!llvm::isa<hlo::WhileOp, hlo::IfOp, hlo::CaseOp>(ops.front())) continue;
      for (mlir::Region& region : ops.front()->getRegions()) {
        QUERN_RETURN_IF_ERROR(Cut(region.front(), /*in_body=*/true));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Add(mlir::Block& block, const Ops& ops, bool in_body) {
    Step step;
    llvm::SmallPtrSet<mlir::Operation*, 16> inside(ops.begin(), ops.end());
    for (mlir::Operation* op : ops) {
      for (mlir::Value result : op->getResults()) {
        const bool used = llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
          return !inside.contains(block.findAncestorOpInBlock(*user));
        });
        if (used) step.results.push_back(result);
      }
    }
    if (step.results.empty()) return absl::OkStatus();
    const std::string text = Outline(ops, inside, &step);
    QUERN_ASSIGN_OR_RETURN(step.part, PartOf(text, ops, step));
    ++partition_.parts[step.part].count;
    partition_.parts[step.part].in_bodies += in_body;
    if (!in_body) partition_.steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // The group as a module; fills in the step's arguments.
  std::string Outline(const Ops& ops, const llvm::SmallPtrSetImpl<mlir::Operation*>& inside,
                      Step* step) {
    llvm::SetVector<mlir::Value> arguments;
    llvm::SetVector<mlir::Operation*> copies;
    for (mlir::Operation* op : ops) {
      for (mlir::Value value : OutsideOperands(op)) Need(value, inside, &arguments, &copies);
    }
    step->arguments.assign(arguments.begin(), arguments.end());
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(model_.module.get().getContext()));
    mlir::OpBuilder builder(module->getBodyRegion());
    const mlir::Location location = builder.getUnknownLoc();
    auto function = mlir::func::FuncOp::create(
        builder, location, "main",
        builder.getFunctionType(mlir::TypeRange(mlir::ValueRange(step->arguments)),
                                mlir::TypeRange(mlir::ValueRange(step->results))));
    std::vector<ArgumentUse> uses;
    for (mlir::Value argument : step->arguments) uses.push_back({.constant = IsConstant(argument)});
    WriteUses(function, uses);
    builder.setInsertionPointToStart(function.addEntryBlock());
    mlir::IRMapping map;
    map.map(step->arguments, function.getArguments());
    for (mlir::Operation* op : copies) builder.clone(*op, map);
    for (mlir::Operation* op : ops) builder.clone(*op, map);
    llvm::SmallVector<mlir::Value> results;
    for (mlir::Value result : step->results) results.push_back(map.lookup(result));
    mlir::func::ReturnOp::create(builder, location, results);
    std::string text;
    llvm::raw_string_ostream out(text);
    module->print(
        out, mlir::OpPrintingFlags().enableDebugInfo(false).elideLargeElementsAttrs(INT64_MAX));
    return text;
  }

  // Whether a value is the same in every call of the model.
  bool IsConstant(mlir::Value value) const {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    if (!argument) return value.getDefiningOp<hlo::ConstantOp>() != nullptr;
    return argument.getOwner() == &model_.main().getBody().front() &&
           model_.uses[argument.getArgNumber()].constant;
  }

  // Copies come after what they use.
  static void Need(mlir::Value value, const llvm::SmallPtrSetImpl<mlir::Operation*>& inside,
                   llvm::SetVector<mlir::Value>* arguments,
                   llvm::SetVector<mlir::Operation*>* copies) {
    mlir::Operation* op = value.getDefiningOp();
    if (op && inside.contains(op)) return;
    if (!op || !IsCopied(op)) {
      arguments->insert(value);
      return;
    }
    for (mlir::Value operand : op->getOperands()) Need(operand, inside, arguments, copies);
    copies->insert(op);
  }

  // A part without its digest and count.
  static Part Describe(const Ops& ops, const Step& step) {
    Part part = {.ops = Summary(ops)};
    for (mlir::Value value : step.arguments) {
      part.arguments.push_back(*hlo::ToTensorType(value.getType()));
    }
    for (mlir::Value value : step.results) {
      part.results.push_back(*hlo::ToTensorType(value.getType()));
    }
    return part;
  }

  absl::StatusOr<size_t> PartOf(const std::string& text, const Ops& ops, const Step& step) {
    if (auto found = by_text_.find(text); found != by_text_.end()) return found->second;
    Part part = Describe(ops, step);
    if (std::string callee = Callee(ops.front()); !callee.empty()) {
      part.text = text;
      part.sha256 = Sha256(text);
      part.opaque = absl::StrCat("calls @", callee, ", a function of a library");
      partition_.parts.push_back(std::move(part));
      return by_text_[text] = partition_.parts.size() - 1;
    }
    const std::string name = absl::StrCat("group ", by_text_.size(), " of ", model_.sha256);
    QUERN_ASSIGN_OR_RETURN(Spec spec, ParseSpec(text, name, *model_.module.get().getContext()));
    auto [known, added] = by_digest_.try_emplace(spec.sha256, partition_.parts.size());
    if (added) {
      part.text = spec.canonical;
      part.sha256 = spec.sha256;
      part.work = CountWork(spec);
      part.spec = std::move(spec);
      partition_.parts.push_back(std::move(part));
    }
    by_text_.emplace(text, known->second);
    return known->second;
  }

  const Spec& model_;
  Partition partition_;
  std::map<std::string, size_t> by_text_, by_digest_;
};

}  // namespace

absl::StatusOr<Partition> PartitionModel(const Spec& model) { return Partitioner(model).Run(); }

}  // namespace quern::frontend
