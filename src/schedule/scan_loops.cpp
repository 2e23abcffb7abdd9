#include "schedule/scan_loops.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "ir/logical_map.h"

namespace nvfuser {

bool ScanLoops::contains(int64_t position) const {
  return std::ranges::find(positions, position) != positions.end();
}

ScanLoops scanLoops(const ScanOp* scan) {
  ScanLoops loops;
  const TensorView* out = scan->out();
  for (int64_t k = 0; k < out->nLoops(); ++k) {
    const IterDomain* id = out->axis(k);
    if (!comesFrom(id, scan->domain())) {
      continue;
    }
    if (scan->upTo() != nullptr && isGridType(id->parallelType())) {
      loops.blocks = k;
    } else {
      loops.positions.push_back(k);
      if (isThreadType(id->parallelType())) {
        loops.threads = k;
      }
    }
  }
  return loops;
}

void checkScanLoops(const ScanOp* scan) {
  const TensorView* out = scan->out();
  const auto require = [&](bool condition, const char* what) {
    NVF_SCHEDULE_CHECK(condition, "Expected the dimension ", scan->domain()->toString(), " that ",
                       scan->toString(), " runs along ", what, ", but the loops are ",
                       out->domain()->toString());
  };
  const ScanLoops loops = scanLoops(scan);
  std::vector<IterDomain*> ids;
  // The parts of a dimension, by where the dimension is among all: those of the inner part of a
  // split all come behind those of the outer one.
  std::unordered_map<const Val*, std::pair<int64_t, int64_t>> span;
  if (loops.blocks >= 0) {
    ids.push_back(out->axis(loops.blocks));
    span[ids.back()] = {loops.blocks, loops.blocks};
  }
  for (int64_t k : loops.positions) {
    const ParallelType type = out->axis(k)->parallelType();
    ids.push_back(out->axis(k));
    span[ids.back()] = {k, k};
    require(!isGridType(type), "not to be divided among blocks");
    require(type != ParallelType::Vectorize, "not to be vectorized");
    require(!isThreadType(type) || k == loops.threads, "to be divided along one kind of threads");
  }
  const std::vector<Expr*> transforms = transformsBetween({scan->domain()}, ids);
  for (auto transform = transforms.rbegin(); transform != transforms.rend(); ++transform) {
    const auto* split = (*transform)->as<Split>();
    require(split != nullptr, "to be one loop or split into several");
    const auto outer = span.find(split->outer());
    const auto inner = span.find(split->inner());
    require(
        outer != span.end() && inner != span.end() && outer->second.second < inner->second.first,
        "to have its loops in the order of its elements");
    span[split->in()] = {outer->second.first, inner->second.second};
  }
}

bool dividesScan(const TensorView* tv, int64_t position) {
  const auto* scan = tv->definition() == nullptr ? nullptr : tv->definition()->as<ScanOp>();
  if (scan == nullptr || !isThreadType(tv->axis(position)->parallelType()) ||
      !comesFrom(tv->axis(position), scan->domain())) {
    return false;
  }
  return scanLoops(scan).blocks != position;
}

}  // namespace nvfuser
