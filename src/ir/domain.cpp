#include "ir/domain.h"

#include "core/error.h"
#include "ir/fusion.h"

namespace nvfuser {

IterDomain::IterDomain(Fusion* fusion, Val* extent, Options options)
    : Val(fusion, ValType::IterDomain, DataType::Index), extent_(extent), options_(options) {
  // Every domain starts at 0; the constant is a value of the fusion like any other.
  fusion->zero();
}

IterDomain* IterDomain::cloneWithoutRFactor() const {
  Options options = options_;
  options.isRFactor = false;
  options.parallelType = ParallelType::Serial;
  options.marks = {};
  return fusion()->create<IterDomain>(extent_, options);
}

IterDomain* IterDomain::cloneAs(IterType type) const {
  Options options = options_;
  options.isRFactor = false;
  options.parallelType = ParallelType::Serial;
  options.marks = {};
  options.iterType = type;
  return fusion()->create<IterDomain>(extent_, options);
}

TensorDomain::TensorDomain(Fusion* fusion, std::vector<IterDomain*> root,
                           std::vector<IterDomain*> logical, std::vector<IterDomain*> allocation,
                           std::vector<IterDomain*> loop, Contiguity contiguity)
    : Val(fusion, ValType::TensorDomain, DataType::Null),
      root_(std::move(root)),
      logical_(std::move(logical)),
      allocation_(std::move(allocation)),
      loop_(std::move(loop)),
      contiguity_(std::move(contiguity)) {
  NVF_CHECK(contiguity_.size() == maybeAllocation().size(), "Length of contiguity argument (",
            contiguity_.size(), ") must match that of shape argument (", maybeAllocation().size(),
            ")");
}

std::optional<int64_t> knownElements(const std::vector<IterDomain*>& domains) {
  int64_t elements = 1;
  for (const IterDomain* id : domains) {
    const Val* extent = id->visibleExtent();
    if (!extent->isConstInt() || __builtin_mul_overflow(elements, extent->constInt(), &elements)) {
      return std::nullopt;
    }
  }
  return elements;
}

std::vector<IterDomain*> TensorDomain::noReductions(const std::vector<IterDomain*>& domains) {
  std::vector<IterDomain*> kept;
  for (IterDomain* id : domains) {
    if (!id->isReduction()) {
      kept.push_back(id);
    }
  }
  return kept;
}

TensorDomain::Contiguity TensorDomain::fullContiguity(const std::vector<IterDomain*>& domains,
                                                      bool contiguous) {
  Contiguity contiguity;
  for (IterDomain* id : domains) {
    contiguity.push_back(id->isBroadcast() || id->isReduction() ? std::nullopt
                                                                : std::optional<bool>(contiguous));
  }
  return contiguity;
}

}  // namespace nvfuser
