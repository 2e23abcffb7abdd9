// Sizes: the extents of a concrete fusion in one run, and the layouts that follow from them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/evaluator.h"
#include "runtime/concretize.h"

namespace nvfuser {

// Extents of a tensor's visible dimensions, and the strides of a fresh tensor for it.
struct Allocation {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  // Elements of memory: expanded dimensions take none.
  int64_t elements = 1;
};

class Sizes {
 public:
  // `evaluator` knows the sizes and scalars of the definition that `concrete` was made from.
  Sizes(ExpressionEvaluator& evaluator, const ConcreteFusion& concrete)
      : evaluator_(evaluator), concrete_(concrete) {}

  // Value of a scalar of the concrete fusion.
  PolymorphicValue value(const Val* val) const;
  int64_t extent(const Val* val) const;
  Allocation allocation(const TensorView* tv) const;

 private:
  ExpressionEvaluator& evaluator_;
  const ConcreteFusion& concrete_;
  mutable ExpressionEvaluator local_;
};

}  // namespace nvfuser
