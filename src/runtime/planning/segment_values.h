// SegmentValues: the scalars of a segment, or of a kernel's copy of it, in one run.
#pragma once

#include <cstdint>

#include "ir/evaluator.h"
#include "runtime/fusion_class.h"
#include "runtime/sizes.h"

namespace nvfuser {

class SegmentValues {
 public:
  // `toConcrete` says which scalars of the whole fusion the symbols of the segment are.
  SegmentValues(const Sizes& sizes, const ScalarMap& toConcrete)
      : sizes_(sizes), toConcrete_(toConcrete) {}

  PolymorphicValue value(const Val* val);
  int64_t extent(const Val* val) { return value(val).as<int64_t>(); }
  // The scalar of the whole fusion that a symbol is; null for one that is computed from others.
  const Val* concrete(const Val* symbol) const;

 private:
  const Sizes& sizes_;
  const ScalarMap& toConcrete_;
  ExpressionEvaluator local_;
};

}  // namespace nvfuser
