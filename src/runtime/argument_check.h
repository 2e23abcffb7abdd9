// Checking the arguments of a call against the inputs of a fusion, and what their layout is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/evaluator.h"
#include "ir/fusion.h"

namespace nvfuser {

// Sizes and strides as the IR counts them: packed fp4 tensors count their elements, not their
// bytes.
struct TensorGeometry {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};
TensorGeometry geometryOf(const TensorView* declared, const Tensor& tensor);

// How a tensor lies in memory, without its sizes.
struct Layout {
  // Dimensions from the largest stride to the smallest.
  std::vector<int64_t> order;
  // For each dimension in that order: whether its stride is that of the next one times its size.
  std::vector<bool> contiguity;
  friend auto operator<=>(const Layout&, const Layout&) = default;
};
Layout layoutOf(const TensorView* declared, const TensorGeometry& geometry);

// Pairs of extents that must have the same value in every run; with `broadcasts`, `a` may also
// be 1.
struct ExtentEquality {
  const IterDomain* a;
  const IterDomain* b;
  const Expr* expr;
  bool broadcasts = false;
};
std::vector<ExtentEquality> extentEqualities(const Fusion& fusion);

// What an element-wise operation repeats in a run: `dims` of `operand` are 1 there, and not known
// to be by the definition, and those of the result are not.
struct RunTimeBroadcast {
  Expr* use;
  TensorView* operand;
  std::vector<size_t> dims;
};
std::vector<RunTimeBroadcast> runTimeBroadcasts(const Fusion& fusion,
                                                ExpressionEvaluator& evaluator);

// Raises on arguments that do not fit; otherwise binds sizes and scalars.
void bindArguments(const Fusion& fusion, std::span<const PolymorphicValue> arguments,
                   const std::vector<ExtentEquality>& equalities, ExpressionEvaluator& evaluator);

}  // namespace nvfuser
