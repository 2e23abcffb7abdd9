// TensorView: a tensor of the fusion, with its domain, its place in memory and its place in the
// loops.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/device_mesh.h"
#include "ir/domain.h"
#include "ir/marks.h"

namespace nvfuser {

class TensorView : public Val {
 public:
  TensorView(Fusion* fusion, TensorDomain* domain, DataType dtype,
             MemoryType memoryType = MemoryType::Local);

  TensorDomain* domain() const { return domain_; }
  const std::vector<IterDomain*>& root() const { return domain_->root(); }
  const std::vector<IterDomain*>& maybeRoot() const { return domain_->maybeRoot(); }
  const std::vector<IterDomain*>& logical() const { return domain_->logical(); }
  const std::vector<IterDomain*>& loop() const { return domain_->loop(); }
  // Logical dimensions without the reduced ones: what a consumer sees.
  std::vector<IterDomain*> visible() const { return TensorDomain::noReductions(logical()); }
  // Rank as the user sees it.
  int64_t ndim() const;
  int64_t nLoops() const { return static_cast<int64_t>(loop().size()); }
  // A loop domain; negative positions count from the end.
  IterDomain* axis(int64_t position) const;
  bool hasReduction() const;
  bool isZeroDim() const { return ndim() == 0; }

  MemoryType memoryType() const { return memoryType_; }
  void setMemoryType(MemoryType type);
  // Elements that are left free in shared memory behind every row of the innermost allocated
  // domain, so that accesses across rows use different banks.
  int64_t rowPadding() const { return rowPadding_; }
  void setRowPadding(int64_t elements) { rowPadding_ = elements; }
  // The direction along which every block has threads of its own for nothing but this copy to
  // shared memory; Serial: those that compute copy as well.
  ParallelType loaders() const { return loaders_; }
  void setLoaders(ParallelType type) { loaders_ = type; }
  const TensorMarks& marks() const { return marks_; }
  void setMarks(const TensorMarks& marks) { marks_ = marks; }
  // A 0-dim tensor in host memory.
  bool isCpuScalar() const { return isCpuScalar_; }
  void setCpuScalar(bool isCpuScalar) { isCpuScalar_ = isCpuScalar; }

  // The devices that hold it, along whose dimensions loops are parallelized; null: not said.
  const std::shared_ptr<const DeviceMesh>& deviceMesh() const { return deviceMesh_; }
  void setDeviceMesh(std::shared_ptr<const DeviceMesh> mesh) { deviceMesh_ = std::move(mesh); }

  // The number of leading loops this tensor's computation shares with its consumers.
  int64_t computeAt() const { return computeAt_; }
  void setComputeAt(int64_t position) { computeAt_ = position; }
  // The number of leading loops shared with a producer, the largest of all producers.
  int64_t produceAt() const { return produceAt_; }
  void setProduceAt(int64_t position) { produceAt_ = position; }

  // The tensor that this one computes again for a later stage, null for none: their loops
  // correspond.
  TensorView* repeated() const { return repeated_; }
  void setRepeated(TensorView* tv) { repeated_ = tv; }

  void setDomain(TensorDomain* domain) { domain_ = domain; }
  // Takes on the layout in memory of a tensor with the same dimensions.
  void followLayout(const TensorView* other);

  // Transforms of the loop domain: see schedule/transform.h.
  TensorView* split(int64_t axis, int64_t factor, bool innerSplit = true);
  TensorView* split(int64_t axis, Val* factor, bool innerSplit = true);
  TensorView* merge(int64_t outerAxis, int64_t innerAxis);
  TensorView* reorder(const std::unordered_map<int64_t, int64_t>& oldToNew);
  TensorView* swizzle(int64_t x, int64_t y);
  TensorView* alignRows(int64_t row, int64_t x, int64_t width);
  TensorView* rFactor(const std::vector<int64_t>& axes);
  TensorView* cacheAfter(LoadStoreOpType opType = LoadStoreOpType::Set,
                         CacheOp cacheOp = CacheOp::Unspecified, std::vector<Expr*> uses = {});
  TensorView* cacheBefore(LoadStoreOpType opType = LoadStoreOpType::Set,
                          CacheOp cacheOp = CacheOp::Unspecified);

  std::string toString() const override;

 private:
  TensorDomain* domain_;
  MemoryType memoryType_;
  int64_t rowPadding_ = 0;
  ParallelType loaders_ = ParallelType::Serial;
  TensorMarks marks_;
  bool isCpuScalar_ = false;
  std::shared_ptr<const DeviceMesh> deviceMesh_;
  int64_t computeAt_ = 0;
  int64_t produceAt_ = 0;
  TensorView* repeated_ = nullptr;
};

}  // namespace nvfuser
