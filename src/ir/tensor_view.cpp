#include "ir/tensor_view.h"

#include <algorithm>

#include "core/error.h"
#include "ir/fusion.h"

namespace nvfuser {

TensorView::TensorView(Fusion* fusion, TensorDomain* domain, DataType dtype, MemoryType memoryType)
    : Val(fusion, ValType::TensorView, dtype), domain_(domain), memoryType_(memoryType) {}

int64_t TensorView::ndim() const {
  return std::ranges::count_if(logical(), [](IterDomain* id) { return !id->isReduction(); });
}

IterDomain* TensorView::axis(int64_t position) const {
  const int64_t wrapped = position < 0 ? position + nLoops() : position;
  NVF_CHECK(wrapped >= 0 && wrapped < nLoops(), "Tried to access out of boundary index ", position,
            ": ", toString(), " has ", nLoops(), " loop domains");
  return loop()[wrapped];
}

bool TensorView::hasReduction() const {
  return std::ranges::any_of(logical(), [](IterDomain* id) { return id->isReduction(); });
}

void TensorView::setMemoryType(MemoryType type) {
  NVF_CHECK(type == MemoryType::Global || type == MemoryType::Symmetric ||
                !(isFusionInput() || isFusionOutput()),
            "The memory type of ", toString(),
            ", an input or output of the fusion, is global and cannot be changed");
  memoryType_ = type;
}

void TensorView::followLayout(const TensorView* other) {
  const std::vector<IterDomain*> from = other->visible();
  const std::vector<IterDomain*> to = visible();
  std::vector<IterDomain*> allocation;
  for (IterDomain* id : other->domain()->maybeAllocation()) {
    allocation.push_back(to[static_cast<size_t>(std::ranges::find(from, id) - from.begin())]);
  }
  domain_->setAllocation(std::move(allocation), other->domain()->contiguity());
}

}  // namespace nvfuser
