#include "runtime/sizes.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.h"

namespace nvfuser {

PolymorphicValue Sizes::value(const Val* val) const {
  if (val->isConst()) {
    return val->value();
  }
  const auto original = concrete_.original.find(val);
  if (original != concrete_.original.end()) {
    return evaluator_.evaluate(original->second);
  }
  // Symbols that concretization or scheduling made are expressions of known ones.
  return local_.evaluate(val, [&](const Val* symbol) {
    const auto known = concrete_.original.find(symbol);
    return known == concrete_.original.end() ? PolymorphicValue()
                                             : evaluator_.evaluate(known->second);
  });
}

int64_t Sizes::extent(const Val* val) const {
  const PolymorphicValue v = value(val);
  NVF_CHECK(v.is<int64_t>(), "The extent ", val->toString(), " is not determined by the inputs");
  NVF_CHECK(v.as<int64_t>() >= 0, "Invalid resized domain extent ", v.as<int64_t>(), " of ",
            val->toString());
  return v.as<int64_t>();
}

Allocation Sizes::allocation(const TensorView* tv) const {
  Allocation result;
  const auto logical = tv->visible();
  for (const IterDomain* id : logical) {
    result.sizes.push_back(extent(id->visibleExtent()));
  }
  result.strides.assign(logical.size(), 0);
  // Bytes of elements of any dtype are counted in 64 bits.
  constexpr int64_t kMostElements = std::numeric_limits<int64_t>::max() / 16;
  bool areTooMany = false;
  const auto order = TensorDomain::noReductions(tv->domain()->maybeAllocation());
  for (size_t place = order.size(); place-- > 0;) {
    const auto i = static_cast<size_t>(std::ranges::find(logical, order[place]) - logical.begin());
    NVF_INTERNAL_CHECK(i < logical.size(), "allocation of ", tv->toString());
    if (order[place]->hasExpandedExtent()) {
      continue;
    }
    result.strides[i] = result.elements;
    areTooMany =
        areTooMany || (result.elements > 0 && result.sizes[i] > kMostElements / result.elements);
    // What is multiplied by 0 later may be any number.
    result.elements *= areTooMany ? std::min<int64_t>(result.sizes[i], 1) : result.sizes[i];
  }
  if (areTooMany && result.elements > 0) {
    std::string sizes;
    for (const int64_t size : result.sizes) {
      sizes += concatenate(sizes.empty() ? "" : " x ", size);
    }
    fail("Expected fewer elements than 2^59, but got sizes of ", sizes, " of ", tv->toString());
  }
  // torch gives strides of a tensor without elements as if every size were at least 1.
  if (result.elements == 0) {
    int64_t stride = 1;
    for (size_t place = order.size(); place-- > 0;) {
      const auto i =
          static_cast<size_t>(std::ranges::find(logical, order[place]) - logical.begin());
      result.strides[i] = stride;
      stride *= std::max<int64_t>(result.sizes[i], 1);
    }
  }
  return result;
}

}  // namespace nvfuser
