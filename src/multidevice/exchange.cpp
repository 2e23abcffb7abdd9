#include "multidevice/exchange.h"

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "multidevice/collectives.h"
#include "multidevice/layout.h"
#include "ops/elementwise.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"

namespace nvfuser::multidevice {

namespace {

// What a device reads from its peers for a sum in a kernel, at most; more are a collective. With
// two H100 a sum of 1.7 MB takes 16 us in a kernel, and 29 by NCCL.
constexpr int64_t kMostBytes = 4 << 20;

using Source = std::optional<PeerMemory> (*)(int64_t team);

std::atomic<Source> peerMemorySource{nullptr};

std::vector<const LibraryOp*> collectivesOf(const Fusion& fusion) {
  std::vector<const LibraryOp*> collectives;
  for (const Expr* expr : fusion.tensorExprs()) {
    const auto* call = expr->as<LibraryOp>();
    if (call != nullptr && isCollective(call->type())) {
      collectives.push_back(call);
    }
  }
  return collectives;
}

// What waits for a collective, beside the collectives that come after it.
Expr* waitFor(const LibraryOp* call) {
  const std::vector<Expr*>& uses = call->output(0)->uses();
  const auto found = std::ranges::find_if(uses, [](const Expr* use) {
    return use->is<LibraryOp>() && use->as<LibraryOp>()->type() == LibraryOpType::Wait;
  });
  NVF_INTERNAL_CHECK(found != uses.end(), "nothing waits for ", call->toString());
  return *found;
}

int64_t teamOfCall(const LibraryOp* call) { return call->argument(1).number; }

// Whether the sum of what devices have is that of one after the other, as a kernel adds it.
bool isSum(const LibraryOp* call) {
  return call->type() == LibraryOpType::AllReduce &&
         call->argument(4).number == static_cast<int64_t>(BinaryOpType::Add);
}

bool isAdded(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
    case DataType::Float:
    case DataType::Half:
    case DataType::BFloat16:
    case DataType::Int:
    case DataType::Int32:
      return true;
    default:
      return false;
  }
}

// Whether elements lie in memory one behind the other, in the order of the dimensions.
bool isDense(const TensorView* tv) {
  const std::vector<IterDomain*> visible = tv->visible();
  const TensorDomain& domain = *tv->domain();
  std::vector<IterDomain*> inMemory;
  for (size_t i = 0; i < domain.maybeAllocation().size(); ++i) {
    IterDomain* id = domain.maybeAllocation()[i];
    if (id->isReduction()) {
      continue;
    }
    if (id->hasExpandedExtent() || !domain.contiguity()[i].value_or(true)) {
      return false;
    }
    inMemory.push_back(id);
  }
  return inMemory == visible;
}

// What is copied to the memory of the peers: the tensor, or an input that has the same elements in
// the same order.
TensorView* copiedFor(TensorView* x) {
  TensorView* source = x;
  while (source->definition() != nullptr &&
         (source->definition()->is<SqueezeOp>() || source->definition()->is<ReshapeOp>() ||
          source->definition()->is<BroadcastOp>())) {
    source = source->definition()->input(0)->asTensor();
  }
  if (source->isFusionInput() && isDense(source)) {
    return source;
  }
  return isDense(x) ? x : ops::set(x);
}

// What is added, in the dtype in which kernels compute.
TensorView* widened(TensorView* tv) {
  return isReducedPrecision(tv->dtype()) ? ops::cast(tv, DataType::Float) : tv;
}

void exchange(Fusion* fusion, const LibraryOp* reduce) {
  TensorView* x = reduce->tensor(0);
  Expr* wait = waitFor(reduce);
  TensorView* done = wait->output(0)->asTensor();
  const auto members = static_cast<int64_t>(teamOf(teamOfCall(reduce)).size());
  std::vector<Val*> parts;
  for (int64_t i = 0; i < members; ++i) {
    TensorView* part = ops::newTensor(fusion, ops::ownDimensions(x->visible()), x->dtype());
    part->setMemoryType(MemoryType::Symmetric);
    parts.push_back(part);
  }
  const std::vector<LibraryOp::Argument> arguments{copiedFor(x), teamOfCall(reduce),
                                                   reduce->argument(2).number, nullptr};
  fusion->create<LibraryOp>(LibraryOpType::AllGather, parts, arguments);
  // In the order of the team, so that all devices have the same sum.
  TensorView* sum = widened(parts.front()->asTensor());
  for (size_t i = 1; i < parts.size(); ++i) {
    sum = ops::binary(BinaryOpType::Add, sum, widened(parts[i]->asTensor()));
  }
  sum = sum->dtype() == x->dtype() ? sum : ops::cast(sum, x->dtype());
  fusion->removeExpr(wait);
  fusion->removeExpr(const_cast<LibraryOp*>(reduce));
  fusion->moveDefinition(sum, done);
}

}  // namespace

std::optional<PeerMemory> peerMemoryOf(int64_t team) {
  const Source source = peerMemorySource;
  return source == nullptr ? std::nullopt : source(team);
}
void setPeerMemorySource(std::optional<PeerMemory> (*source)(int64_t team)) {
  peerMemorySource = source;
}

bool isExchanged(const Fusion& fusion, ExpressionEvaluator& evaluator) {
  const std::vector<const LibraryOp*> collectives = collectivesOf(fusion);
  for (const LibraryOp* call : collectives) {
    if (!isSum(call) || !isAdded(call->output(0)->dtype())) {
      return false;
    }
    int64_t bytes = info(call->output(0)->dtype()).bits / 8;
    for (const IterDomain* id : call->tensor(0)->visible()) {
      bytes *= evaluator.evaluate(id->visibleExtent()).as<int64_t>();
    }
    const auto members = static_cast<int64_t>(teamOf(teamOfCall(call)).size());
    if (bytes == 0 || members < 2 || bytes * (members - 1) > kMostBytes) {
      return false;
    }
    const std::optional<PeerMemory> memory = peerMemoryOf(teamOfCall(call));
    if (!memory || bytes > memory->capacity) {
      return false;
    }
  }
  return !collectives.empty();
}

void exchangeInKernels(Fusion* fusion) {
  const FusionGuard guard(fusion);
  for (const LibraryOp* call : collectivesOf(*fusion)) {
    exchange(fusion, call);
  }
}

const LibraryOp* exchangeOf(const Val* tv) {
  const auto* call = tv->definition() == nullptr ? nullptr : tv->definition()->as<LibraryOp>();
  return call != nullptr && call->type() == LibraryOpType::AllGather &&
                 tv->asTensor()->memoryType() == MemoryType::Symmetric
             ? call
             : nullptr;
}

}  // namespace nvfuser::multidevice
