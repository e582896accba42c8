#include "bundle/status.h"
#include "search/dataflow.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;
using program::StoreOp;
using Nest = llvm::MutableArrayRef<LoopOp>;

// A load of the consumer and the producer's scalar that it would read.
struct Forwarded {
  LoadOp load;
  mlir::Value value;
};

// The position of each counter in the nest, or none if one is not a counter of its first `depth`
// loops.
static std::optional<std::vector<int>> Positions(mlir::OperandRange counters, Nest nest,
                                                 size_t depth) {
  std::vector<int> positions;
  for (mlir::Value counter : counters) {
    size_t at = 0;
    while (at < depth && nest[at].counter() != counter) ++at;
    if (at == depth) return std::nullopt;
    positions.push_back(at);
  }
  return positions;
}

// What every load of `buffer` would read if both nests' first `depth` loops were one; none if a
// load reads an element that another iteration writes.
static std::optional<std::vector<Forwarded>> Forward(BufferOp buffer, KernelOp producer,
                                                     KernelOp consumer, Nest producer_nest,
                                                     Nest consumer_nest, size_t depth) {
  std::vector<StoreOp> stores = StoresTo(producer, buffer.getBuffer());
  if (stores.size() != 1) return std::nullopt;
  StoreOp store = stores.front();
  mlir::Block* block = depth == 0 ? &producer.getBody().front() : &producer_nest[depth - 1].block();
  if (store->getBlock() != block) return std::nullopt;
  auto written = Positions(store.getCounters(), producer_nest, depth);
  if (!written) return std::nullopt;
  std::vector<Forwarded> forwarded;
  for (LoadOp load : LoadsFrom(consumer, buffer.getBuffer())) {
    auto read = Positions(load.getCounters(), consumer_nest, depth);
    if (read != written || load.getMap() != store.getMap()) return std::nullopt;
    forwarded.push_back({.load = load, .value = store.getValue()});
  }
  return forwarded;
}

static size_t CommonDepth(Nest a, Nest b) {
  size_t depth = 0;
  while (depth < a.size() && depth < b.size() && a[depth].getExtent() == b[depth].getExtent() &&
         a[depth].getMapping() == b[depth].getMapping()) {
    ++depth;
  }
  return depth;
}

// Appends ".f" to names of loops and buffers of `from` until none is taken in `kernel`.
static void MakeNamesFree(KernelOp kernel, KernelOp from) {
  from.getBody().walk([&](mlir::Operation* op) {
    if (auto loop = llvm::dyn_cast<LoopOp>(op)) {
      std::string name = loop.getName().str();
      while (FindLoop(kernel, name)) name += ".f";
      loop.setName(name);
    } else if (auto alloc = llvm::dyn_cast<program::AllocOp>(op)) {
      std::string name = alloc.getName().str();
      while (FindAlloc(kernel, name)) name += ".f";
      alloc.setName(name);
    }
  });
}

static void Merge(KernelOp producer, KernelOp consumer, Nest producer_nest, Nest consumer_nest,
                  size_t depth) {
  MakeNamesFree(producer, consumer);
  for (size_t i = 0; i < depth; ++i) {
    consumer_nest[i].counter().replaceAllUsesWith(producer_nest[i].counter());
  }
  auto body = [&](KernelOp kernel, Nest nest) -> mlir::Block& {
    return depth == 0 ? kernel.getBody().front() : nest[depth - 1].block();
  };
  mlir::Block& into = body(producer, producer_nest);
  mlir::Block& from = body(consumer, consumer_nest);
  into.getOperations().splice(into.end(), from.getOperations());
  producer->moveBefore(consumer);
  consumer.erase();
}

namespace {

class Fusing : public Rule {
 public:
  std::string_view name() const override { return "fuse"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "runs a kernel inside the common outer loops of the kernel whose result it reads; "
           "values that "
           "passed through memory pass as scalars";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    std::vector<KernelOp> kernels = Kernels(program);
    for (size_t i = 0; i < kernels.size(); ++i) {
      for (size_t j = i + 1; j < kernels.size(); ++j) {
        if (Between(kernels[i], kernels[j]).empty()) continue;
        actions.push_back(
            {.rule = "fuse", .site = {kernels[i].getName().str(), kernels[j].getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp producer, KernelAt(program, action));
    KernelOp consumer = action.site.size() > 1 ? FindKernel(program, action.site[1]) : KernelOp();
    if (!consumer) return DoesNotApply(action, "the consumer is gone");
    std::vector<BufferOp> buffers = Between(producer, consumer);
    if (buffers.empty() || !producer->isBeforeInBlock(consumer)) {
      return DoesNotApply(action, "no temporary between the kernels");
    }
    if (Separated(producer, consumer)) {
      return DoesNotApply(action, "a kernel between them uses the producer's buffers");
    }
    std::vector<LoopOp> producer_nest = PerfectNest(producer),
                        consumer_nest = PerfectNest(consumer);
    // Depth 0 would leave two nests in one kernel: right only where nothing loops.
    bool scalar = producer_nest.empty() && consumer_nest.empty();
    for (size_t depth = CommonDepth(producer_nest, consumer_nest); depth > 0 || scalar; --depth) {
      std::vector<Forwarded> all;
      bool fits = llvm::all_of(buffers, [&](BufferOp buffer) {
        auto some = Forward(buffer, producer, consumer, producer_nest, consumer_nest, depth);
        if (some) all.insert(all.end(), some->begin(), some->end());
        return some.has_value();
      });
      if (fits) {
        Merge(producer, consumer, producer_nest, consumer_nest, depth);
        for (Forwarded& forwarded : all) {
          forwarded.load.getValue().replaceAllUsesWith(forwarded.value);
          forwarded.load.erase();
        }
        EraseUnused(program);
        return absl::OkStatus();
      }
      if (depth == 0) break;
    }
    return DoesNotApply(action,
                        "no common loops in which each element is read where it is written");
  }
};

}  // namespace

std::unique_ptr<Rule> FuseRule() { return std::make_unique<Fusing>(); }

}  // namespace quern::search
