#include "runtime/planning/segment_values.h"

#include "core/error.h"

namespace nvfuser {

PolymorphicValue SegmentValues::value(const Val* val) {
  return local_.evaluate(val, [&](const Val* symbol) {
    const Val* known = concrete(symbol);
    NVF_INTERNAL_CHECK(known != nullptr, "unknown symbol ", symbol->toString());
    return sizes_.value(known);
  });
}

const Val* SegmentValues::concrete(const Val* symbol) const {
  const auto known = toConcrete_.find(symbol);
  return known == toConcrete_.end() ? nullptr : known->second;
}

}  // namespace nvfuser
