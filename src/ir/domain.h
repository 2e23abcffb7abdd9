// IterDomain and TensorDomain: the dimensions of a tensor and how they were transformed into loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/marks.h"
#include "ir/val.h"

namespace nvfuser {

// One dimension: extent, kind and, once scheduled, how its loop runs.
class IterDomain : public Val {
 public:
  struct Options {
    IterType iterType = IterType::Iteration;
    ParallelType parallelType = ParallelType::Serial;
    LoopMarks marks;
    // Broadcast only: the extent it is expanded to (stride 0), null when not expanded.
    Val* expandedExtent = nullptr;
    // Created by the operation itself (reshape, slice, rfactor), not by a schedule.
    bool isRFactor = false;
  };

  IterDomain(Fusion* fusion, Val* extent, Options options);

  Val* extent() const { return extent_; }
  Val* expandedExtent() const { return options_.expandedExtent; }
  bool hasExpandedExtent() const { return options_.expandedExtent != nullptr; }
  // What the user sees as the size: the expanded extent where there is one.
  Val* visibleExtent() const { return hasExpandedExtent() ? expandedExtent() : extent_; }
  IterType iterType() const { return options_.iterType; }
  bool isReduction() const { return options_.iterType == IterType::Reduction; }
  bool isBroadcast() const { return options_.iterType == IterType::Broadcast; }
  bool isIteration() const { return options_.iterType == IterType::Iteration; }
  bool isRFactor() const { return options_.isRFactor; }
  ParallelType parallelType() const { return options_.parallelType; }
  bool isParallelized() const { return parallelType() != ParallelType::Serial; }
  const LoopMarks& marks() const { return options_.marks; }
  const Options& options() const { return options_; }

  void parallelize(ParallelType type) { options_.parallelType = type; }
  void setMarks(const LoopMarks& marks) { options_.marks = marks; }
  // Concretization and canonicalization replace extents by equal ones.
  void setExtent(Val* extent) { extent_ = extent; }
  void setExpandedExtent(Val* extent) { options_.expandedExtent = extent; }
  void setIterType(IterType type) { options_.iterType = type; }

  // A fresh domain with the same extent and iteration type, neither parallelized nor marked.
  IterDomain* cloneWithoutRFactor() const;
  IterDomain* cloneAs(IterType type) const;

  std::string toString() const override;

 private:
  Val* extent_;
  Options options_;
};

// The product of extents as they are seen; none where one of them is not a constant.
std::optional<int64_t> knownElements(const std::vector<IterDomain*>& domains);

// The dimensions of a tensor in four roles: `root` as the producer has them (only where the
// operation itself transforms dimensions), `logical` as the user sees them, `allocation` as they
// lie in memory (outermost first; empty means like logical), `loop` as the schedule iterates over
// them.
class TensorDomain : public Val {
 public:
  using Contiguity = std::vector<std::optional<bool>>;

  TensorDomain(Fusion* fusion, std::vector<IterDomain*> root, std::vector<IterDomain*> logical,
               std::vector<IterDomain*> allocation, std::vector<IterDomain*> loop,
               Contiguity contiguity);

  const std::vector<IterDomain*>& root() const { return root_; }
  bool hasRoot() const { return !root_.empty(); }
  const std::vector<IterDomain*>& maybeRoot() const { return hasRoot() ? root_ : logical_; }
  const std::vector<IterDomain*>& logical() const { return logical_; }
  const std::vector<IterDomain*>& allocation() const { return allocation_; }
  bool hasAllocation() const { return !allocation_.empty(); }
  const std::vector<IterDomain*>& maybeAllocation() const {
    return hasAllocation() ? allocation_ : logical_;
  }
  const std::vector<IterDomain*>& loop() const { return loop_; }
  // One entry for each dimension of maybeAllocation(), none for a broadcast or reduction one.
  const Contiguity& contiguity() const { return contiguity_; }

  void setLoop(std::vector<IterDomain*> loop) { loop_ = std::move(loop); }
  void setAllocation(std::vector<IterDomain*> allocation, Contiguity contiguity) {
    allocation_ = std::move(allocation);
    contiguity_ = std::move(contiguity);
  }

  static std::vector<IterDomain*> noReductions(const std::vector<IterDomain*>& domains);
  static Contiguity fullContiguity(const std::vector<IterDomain*>& domains, bool contiguous);

  std::string toString() const override;

 private:
  std::vector<IterDomain*> root_;
  std::vector<IterDomain*> logical_;
  std::vector<IterDomain*> allocation_;
  std::vector<IterDomain*> loop_;
  Contiguity contiguity_;
};

}  // namespace nvfuser
