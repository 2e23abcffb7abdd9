#include "multidevice/collectives.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"

namespace nvfuser::multidevice {

namespace {

std::atomic<int64_t (*)()> rankSource{nullptr};

struct Teams {
  std::mutex mutex;
  std::vector<std::vector<int64_t>> ranks;
};

// Never freed: there are as many as there are rows and columns of meshes.
Teams& teams() {
  static auto* const known = new Teams;
  return *known;
}

// A call, and the one that waits for it: what is sent is read until then.
TensorView* call(LibraryOpType type, TensorView* x, const Team& team,
                 std::vector<IterDomain*> logical, const std::vector<int64_t>& options = {}) {
  Fusion* fusion = ops::fusionOf(info(type).name, {x});
  TensorView* begun = ops::newTensor(fusion, logical, x->dtype());
  std::vector<LibraryOp::Argument> arguments{x, team.number, team.fusion, *team.last};
  arguments.insert(arguments.end(), options.begin(), options.end());
  fusion->create<LibraryOp>(type, std::vector<Val*>{begun}, arguments);
  *team.last = begun;
  TensorView* done = ops::newTensor(fusion, ops::ownDimensions(begun->logical()), x->dtype());
  fusion->create<LibraryOp>(LibraryOpType::Wait, std::vector<Val*>{done},
                            std::vector<LibraryOp::Argument>{begun, x});
  return done;
}

}  // namespace

int64_t ownRank() {
  int64_t (*const source)() = rankSource;
  return source == nullptr ? 0 : source();
}
void setRankSource(int64_t (*source)()) { rankSource = source; }

int64_t teamNumber(const std::vector<int64_t>& ranks) {
  Teams& known = teams();
  const std::scoped_lock lock(known.mutex);
  const auto found = std::ranges::find(known.ranks, ranks);
  const int64_t number = found - known.ranks.begin();
  if (found == known.ranks.end()) {
    known.ranks.push_back(ranks);
  }
  return number;
}

std::vector<int64_t> teamOf(int64_t number) {
  Teams& known = teams();
  const std::scoped_lock lock(known.mutex);
  NVF_CHECK(number >= 0 && static_cast<size_t>(number) < known.ranks.size(), "Unknown team ",
            number);
  return known.ranks[static_cast<size_t>(number)];
}

bool isCombinedByCollective(BinaryOpType operation, DataType dtype) {
  switch (operation) {
    case BinaryOpType::Add:
    case BinaryOpType::Mul:
      return !isComplexType(dtype) || operation == BinaryOpType::Add;
    // Collectives lose NaN.
    case BinaryOpType::Maximum:
    case BinaryOpType::Minimum:
      return !isFloatingPointType(dtype);
    default:
      return false;
  }
}

TensorView* allGather(TensorView* x, const Team& team) {
  std::vector<IterDomain*> logical = ops::ownDimensions(x->visible());
  Val* devices = scalar::constant(x->fusion(), static_cast<int64_t>(teamOf(team.number).size()));
  logical.insert(logical.begin(), ops::newDimension(x->fusion(), devices));
  return call(LibraryOpType::AllGather, x, team, std::move(logical));
}

TensorView* allReduce(TensorView* x, const Team& team, BinaryOpType operation) {
  return call(LibraryOpType::AllReduce, x, team, ops::ownDimensions(x->visible()),
              {static_cast<int64_t>(operation)});
}

TensorView* reduceScatter(TensorView* x, const Team& team, BinaryOpType operation) {
  std::vector<IterDomain*> logical = ops::ownDimensions(x->visible());
  logical.erase(logical.begin());
  return call(LibraryOpType::ReduceScatter, x, team, std::move(logical),
              {static_cast<int64_t>(operation)});
}

TensorView* allToAll(TensorView* x, const Team& team) {
  return call(LibraryOpType::AllToAll, x, team, ops::ownDimensions(x->visible()));
}

TensorView* broadcastFrom(TensorView* x, const Team& team, int64_t source) {
  return call(LibraryOpType::Broadcast, x, team, ops::ownDimensions(x->visible()), {source});
}

TensorView* shift(TensorView* x, const Team& team) { return broadcastFrom(x, team, kPrevious); }

}  // namespace nvfuser::multidevice
