#include "ops/reduction.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

namespace {

struct ReductionInfo {
  const char* name;
  BinaryOpType combine;
};
constexpr std::array<ReductionInfo, 4> kReductions{{{"sum", BinaryOpType::Add},
                                                    {"prod", BinaryOpType::Mul},
                                                    {"max", BinaryOpType::Maximum},
                                                    {"min", BinaryOpType::Minimum}}};

const ReductionInfo& info(ReductionKind kind) { return kReductions[static_cast<size_t>(kind)]; }

Val* identityOf(ReductionKind kind, Fusion* fusion, DataType dtype) {
  switch (kind) {
    case ReductionKind::Sum:
      return zeroOf(fusion, dtype);
    case ReductionKind::Prod:
      return oneOf(fusion, dtype);
    case ReductionKind::Max:
      return lowestOf(fusion, dtype);
    case ReductionKind::Min:
      return highestOf(fusion, dtype);
  }
  fail("Unknown reduction");
}

// The dtype of the result when none is asked for.
DataType resultType(ReductionKind kind, DataType dtype) {
  const bool isExtremum = kind == ReductionKind::Max || kind == ReductionKind::Min;
  return !isExtremum && isExactType(dtype) ? DataType::Int : dtype;
}

std::vector<int64_t> allDims(const TensorView* x) {
  std::vector<int64_t> dims(x->ndim());
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

// Wrapped, in ascending order, each once.
std::vector<int64_t> reductionDims(std::span<const int64_t> dims, const char* opName,
                                   const TensorView* x) {
  NVF_CHECK(!dims.empty(), "No reduction axis specified: ", opName, " of ", x->toString());
  std::vector<int64_t> wrapped = wrapDims(dims, opName, x);
  std::ranges::sort(wrapped);
  const auto [first, last] = std::ranges::unique(wrapped);
  wrapped.erase(first, last);
  return wrapped;
}

bool contains(std::span<const int64_t> dims, size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

// The result where there is nothing to combine: every element is the identity.
TensorView* identityTensor(ReductionKind kind, TensorView* x, std::span<const int64_t> dims) {
  std::vector<Val*> extents;
  const std::vector<Val*> inExtents = ops::shape(x);
  for (size_t i = 0; i < inExtents.size(); ++i) {
    if (!contains(dims, i)) {
      extents.push_back(inExtents[i]);
    }
  }
  return full(extents, identityOf(kind, x->fusion(), x->dtype()), x->dtype());
}

// Each part of a complex number with a real one: their product as complex numbers makes NaN of a
// part beside an infinite one.
TensorView* byParts(BinaryOpType type, TensorView* x, Val* factor) {
  if (!isComplexType(x->dtype())) {
    return binary(type, x, factor);
  }
  return binary(BinaryOpType::Complex, binary(type, unary(UnaryOpType::Real, x), factor),
                binary(type, unary(UnaryOpType::Imag, x), factor))
      ->asTensor();
}

// n equal elements combined.
TensorView* combineEqual(ReductionKind kind, TensorView* x, Val* n) {
  switch (kind) {
    case ReductionKind::Sum:
      return byParts(BinaryOpType::Mul, x, n);
    case ReductionKind::Prod:
      return binary(BinaryOpType::Pow, x, n);
    default:
      return x;
  }
}

// The reduction proper, in the dtype of `x`.
TensorView* reduceConcrete(ReductionKind kind, TensorView* x, std::span<const int64_t> dims) {
  Fusion* fusion = x->fusion();
  std::vector<IterDomain*> logical;
  const std::vector<IterDomain*> in = x->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    logical.push_back(contains(dims, i) ? in[i]->cloneAs(IterType::Reduction)
                                        : in[i]->cloneWithoutRFactor());
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<ReductionOp>(info(kind).combine, identityOf(kind, fusion, x->dtype()), out, x);
  return out;
}

// Reduces broadcast dimensions away without a loop, the others in one.
TensorView* reduceDims(ReductionKind kind, TensorView* x, std::span<const int64_t> dims) {
  std::vector<int64_t> concrete;
  std::vector<int64_t> squeezed;
  Val* repeats = x->fusion()->one();
  const std::vector<IterDomain*> domains = x->visible();
  for (const int64_t dim : dims) {
    const IterDomain* id = domains[dim];
    if (id->extent()->isConstInt(0) || id->visibleExtent()->isConstInt(0)) {
      return identityTensor(kind, x, dims);
    }
    if (!id->isBroadcast()) {
      // Numbered as it will be once the broadcast dimensions before it are gone.
      concrete.push_back(dim - static_cast<int64_t>(squeezed.size()));
      continue;
    }
    squeezed.push_back(dim);
    repeats = id->hasExpandedExtent() ? scalar::mul(repeats, id->expandedExtent()) : repeats;
  }
  TensorView* result = squeezed.empty() ? x : squeeze(x, squeezed, true);
  result = concrete.empty() ? result : reduceConcrete(kind, result, concrete);
  return repeats->isConstInt(1) ? result : combineEqual(kind, result, repeats);
}

}  // namespace

TensorView* restoreDims(TensorView* reduced, std::span<const int64_t> dims, int64_t rank) {
  std::vector<bool> isBroadcast(rank, false);
  for (const int64_t dim : dims) {
    isBroadcast[dim] = true;
  }
  return broadcast(reduced, isBroadcast);
}

TensorView* reduce(ReductionKind kind, TensorView* x, std::optional<std::span<const int64_t>> dims,
                   bool keepDim, DataType dtype) {
  const char* name = info(kind).name;
  fusionOf(name, {x});
  const bool isExtremum = kind == ReductionKind::Max || kind == ReductionKind::Min;
  NVF_CHECK(!isExtremum || dtype == DataType::Null,
            "A dtype other than Null is not currently supported. Got ", dtype, " for the ", name,
            " of ", x->toString());
  NVF_CHECK(!isExtremum || !isComplexType(x->dtype()), name,
            " is not defined for complex numbers: ", x->toString());
  const DataType result = dtype == DataType::Null ? resultType(kind, x->dtype()) : dtype;
  if (x->isZeroDim()) {
    return cast(x, result);
  }
  const std::vector<int64_t> axes = dims.has_value() ? reductionDims(*dims, name, x) : allDims(x);
  const int64_t rank = x->ndim();
  // Integers narrower than their sum are widened, reduced precision accumulates in Float.
  TensorView* converted = convert(convert(x, result), computeType(result));
  TensorView* reduced = convert(reduceDims(kind, converted, axes), result);
  return keepDim ? restoreDims(reduced, axes, rank) : reduced;
}

TensorView* sum(TensorView* x, std::span<const int64_t> dims, bool keepDim, DataType dtype) {
  return reduce(ReductionKind::Sum, x, dims, keepDim, dtype);
}

Val* elementCount(TensorView* x, std::span<const int64_t> dims) {
  std::vector<Val*> extents;
  const std::vector<IterDomain*> domains = x->visible();
  for (const int64_t dim : dims) {
    extents.push_back(domains[dim]->visibleExtent());
  }
  return scalar::product(x->fusion(), extents);
}

namespace {

// A count as the divisor of a tensor of `dtype`.
Val* asDivisor(Val* count, DataType dtype) { return convertOperand(count, realTypeOf(dtype)); }

struct Moments {
  TensorView* mean;        // without the reduced dimensions
  TensorView* deviations;  // the sum of their squares
};

// Two passes: the mean, then the sum of squared deviations. No cancellation, and two plain
// reductions that a persistent kernel computes from registers.
Moments moments(TensorView* x, std::span<const int64_t> axes) {
  Val* count = asDivisor(elementCount(x, axes), x->dtype());
  TensorView* mean = byParts(BinaryOpType::Truediv, sum(x, axes), count);
  TensorView* deviation = binary(BinaryOpType::Sub, x, restoreDims(mean, axes, x->ndim()));
  TensorView* squared = nullptr;
  if (isComplexType(x->dtype())) {
    TensorView* real = unary(UnaryOpType::Real, deviation);
    TensorView* imaginary = unary(UnaryOpType::Imag, deviation);
    squared = binary(BinaryOpType::Add, binary(BinaryOpType::Mul, real, real),
                     binary(BinaryOpType::Mul, imaginary, imaginary));
  } else {
    squared = binary(BinaryOpType::Mul, deviation, deviation);
  }
  return {mean, sum(squared, axes)};
}

// Statistics are of floating-point numbers, in at least Float.
TensorView* statisticsInput(TensorView* x) {
  const DataType dtype = x->dtype();
  return convert(x, isExactType(dtype) ? DataType::Float : computeType(dtype));
}

}  // namespace

VarMean varMean(TensorView* x, std::span<const int64_t> dims, int64_t correction, bool keepDim) {
  fusionOf("var_mean", {x});
  NVF_CHECK(!isReducedPrecision(x->dtype()), "variance_mean is not supported for ", x->dtype(),
            ": cast ", x->toString(), " to Float first");
  NVF_CHECK(correction >= 0, "correction must be non-negative, but got ", correction, " for ",
            x->toString());
  TensorView* in = statisticsInput(x);
  std::vector<int64_t> axes;
  Moments result{in, nullptr};
  Val* count = in->fusion()->one();
  if (in->isZeroDim()) {
    result.deviations = unary(UnaryOpType::Real, binary(BinaryOpType::Sub, in, in));
  } else {
    axes = reductionDims(dims, "var_mean", x);
    result = moments(in, axes);
    count = elementCount(in, axes);
  }
  Fusion* fusion = in->fusion();
  Val* degrees =
      correction == 0
          ? count
          : scalar::max(fusion->zero(), scalar::sub(count, scalar::constant(fusion, correction)));
  TensorView* var =
      binary(BinaryOpType::Truediv, result.deviations, asDivisor(degrees, in->dtype()));
  if (!keepDim || in->isZeroDim()) {
    return {var, result.mean};
  }
  return {restoreDims(var, axes, in->ndim()), restoreDims(result.mean, axes, in->ndim())};
}

TensorView* variance(TensorView* x, std::span<const int64_t> dims, int64_t correction,
                     bool keepDim) {
  fusionOf("var", {x});
  return varMean(statisticsInput(x), dims, correction, keepDim).var;
}

WelfordResult welford(TensorView* x, std::span<const int64_t> dims) {
  fusionOf("welford", {x});
  NVF_CHECK(!x->isZeroDim(), "welford needs a tensor with dimensions, but got ", x->toString());
  const std::vector<int64_t> axes = reductionDims(dims, "welford", x);
  TensorView* in = statisticsInput(x);
  const Moments result = moments(in, axes);
  const bool returnsAsIs = isReducedPrecision(x->dtype());
  TensorView* mean = returnsAsIs ? convert(result.mean, x->dtype()) : result.mean;
  TensorView* m2 = returnsAsIs ? convert(result.deviations, x->dtype()) : result.deviations;
  return {mean, m2, full(ops::shape(result.mean), elementCount(x, axes), DataType::Index)};
}

TensorView* mean(TensorView* x, std::optional<std::span<const int64_t>> dims, bool keepDim,
                 DataType dtype) {
  fusionOf("mean", {x});
  const DataType result = dtype == DataType::Null ? x->dtype() : dtype;
  NVF_CHECK(isFloatingPointType(result) || isComplexType(result),
            "mean needs a floating-point or complex dtype, but ", x->toString(), " has ",
            x->dtype(), "; give one with dtype=");
  TensorView* in = convert(x, computeType(result));
  if (in->isZeroDim()) {
    return cast(in, result);
  }
  const std::vector<int64_t> axes = dims.has_value() ? reductionDims(*dims, "mean", x) : allDims(x);
  Val* count = asDivisor(elementCount(in, axes), in->dtype());
  TensorView* value = byParts(BinaryOpType::Truediv, sum(in, axes, keepDim), count);
  return convert(value, result);
}

}  // namespace nvfuser::ops
