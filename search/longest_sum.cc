#include "search/longest_sum.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"

namespace quern::search {

int64_t LongestSum(const frontend::Spec& spec) {
  int64_t terms = 1;
  spec.main().walk([&](mlir::Operation* op) {
    int64_t length = 1;
    if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      for (int64_t dimension : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
        length *= dot.getLhs().getType().getDimSize(dimension);
      }
    } else if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      auto type = llvm::cast<mlir::RankedTensorType>(reduce.getInputs().front().getType());
      for (int64_t dimension : reduce.getDimensions()) length *= type.getDimSize(dimension);
    }
    terms *= std::max<int64_t>(length, 1);
  });
  return terms;
}

}  // namespace quern::search
