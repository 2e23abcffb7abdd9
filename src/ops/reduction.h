// Reductions over dimensions: sum, prod, max, min, and the statistics that are composed of them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::ops {

enum class ReductionKind : uint8_t { Sum, Prod, Max, Min };

// Reduces the listed dimensions, or all where none are listed. With keepDim they stay as size-1
// dimensions. A given `dtype` is that of the result, to which the input is converted first; without
// one the sum and the product of integers and Bools are Int. Reduced precision accumulates in
// Float.
TensorView* reduce(ReductionKind kind, TensorView* x, std::optional<std::span<const int64_t>> dims,
                   bool keepDim = false, DataType dtype = DataType::Null);

TensorView* sum(TensorView* x, std::span<const int64_t> dims, bool keepDim = false,
                DataType dtype = DataType::Null);

// Sum of squared deviations over max(0, n - correction). Reduced precision gives Float.
TensorView* variance(TensorView* x, std::span<const int64_t> dims, int64_t correction = 1,
                     bool keepDim = false);

struct VarMean {
  TensorView* var;
  TensorView* mean;
};
VarMean varMean(TensorView* x, std::span<const int64_t> dims, int64_t correction = 1,
                bool keepDim = false);

struct WelfordResult {
  TensorView* mean;
  TensorView* m2;  // the sum of squared deviations
  TensorView* n;   // the number of elements, of dtype Index
};
WelfordResult welford(TensorView* x, std::span<const int64_t> dims);

// The mean; reduced precision is computed in Float and returned as it came.
TensorView* mean(TensorView* x, std::optional<std::span<const int64_t>> dims, bool keepDim = false,
                 DataType dtype = DataType::Null);

// The number of elements that are reduced into one.
Val* elementCount(TensorView* x, std::span<const int64_t> dims);
// Inserts the listed dimensions (numbered as in the input of the reduction) into its result.
TensorView* restoreDims(TensorView* reduced, std::span<const int64_t> dims, int64_t rank);

}  // namespace nvfuser::ops
