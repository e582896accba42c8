#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/loops.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::KernelOp;
using program::LoopOp;

// Tiles a loop, or leaves it whole where the factor is not below its extent. The loops to sink, by
// name: the inner one and the tail.
static std::vector<std::string> TileForRegisters(KernelOp kernel, LoopOp loop, int64_t factor) {
  std::string name = loop.getName().str();
  if (!Tile(loop, factor, /*guarded=*/false).ok()) return {name};
  std::vector<std::string> names = {name + ".i"};
  if (FindLoop(kernel, name + ".t")) names.push_back(name + ".t");
  return names;
}

namespace {

class RegisterBlocking : public Rule {
 public:
  std::string_view name() const override { return "register_block"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "tiles two nested loops by `rows` and `columns` and sinks the tiles into registers; "
           "`outer` "
           "says whose blocks are outermost; peeled rests are blocked likewise";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        LoopOp inner = OnlyLoop(loop.block());
        if (!inner || IsInnermost(inner) || !BothSerial(loop, inner)) continue;
        for (int64_t rows : {1, 2, 4, 6, 8}) {
          for (int64_t columns : {8, 16, 24, 32}) {
            for (const char* outer : {"columns", "rows"}) {
              actions.push_back(
                  {.rule = "register_block",
                   .site = {kernel.getName().str(), loop.getName().str(), inner.getName().str()},
                   .parameters = {{"rows", rows}, {"columns", columns}, {"outer", outer}}});
            }
          }
        }
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp kernel, KernelAt(program, action));
    QUERN_ASSIGN_OR_RETURN(LoopOp rows, LoopAt(program, action, 1));
    QUERN_ASSIGN_OR_RETURN(LoopOp columns, LoopAt(program, action, 2));
    if (OnlyLoop(rows.block()) != columns || !BothSerial(rows, columns)) {
      return DoesNotApply(action, "not two serial loops, the second alone in the first");
    }
    if (IsInnermost(columns)) return DoesNotApply(action, "no loop inside to block for");
    int64_t row_factor = action.Integer("rows", 1), column_factor = action.Integer("columns", 1);
    bool columns_outside = action.Text("outer", "rows") == "columns";
    std::string row = rows.getName().str(), column = columns.getName().str();
    if (columns_outside) QUERN_RETURN_IF_ERROR(Interchange(rows));

    // Inner loop first: the copy that the outer loop peels then holds it tiled.
    std::vector<std::string> row_names, column_names;
    auto tile_rows = [&] {
      row_names = TileForRegisters(kernel, FindLoop(kernel, row), row_factor);
    };
    auto tile_columns = [&] {
      column_names = TileForRegisters(kernel, FindLoop(kernel, column), column_factor);
    };
    if (columns_outside) {
      tile_rows();
      tile_columns();
    } else {
      tile_columns();
      tile_rows();
    }
    // The outer loop's peeled rest holds copies of the inner loop's tiles.
    std::vector<std::string>& inside = columns_outside ? row_names : column_names;
    std::string rest = (columns_outside ? column : row) + ".t/";
    for (size_t i = 0, count = inside.size(); i < count; ++i) inside.push_back(rest + inside[i]);
    // Rows first: registers are then [rows][columns], and columns are innermost.
    for (const std::vector<std::string>* names : {&row_names, &column_names}) {
      for (const std::string& name : *names) {
        if (LoopOp loop = FindLoop(kernel, name)) QUERN_RETURN_IF_ERROR(Sink(loop));
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool BothSerial(LoopOp outer, LoopOp inner) {
    return outer.getMapping() == program::Mapping::Serial &&
           inner.getMapping() == program::Mapping::Serial;
  }
};

}  // namespace

std::unique_ptr<Rule> RegisterBlockRule() { return std::make_unique<RegisterBlocking>(); }

}  // namespace quern::search
