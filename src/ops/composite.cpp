#include "ops/composite.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/reduction.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

Val* gelu(Val* x, std::string_view approximate) {
  NVF_CHECK(approximate == "none" || approximate == "tanh",
            "gelu: approximate must be \"none\" or \"tanh\", but is \"", approximate, "\"");
  return unary(approximate == "none" ? UnaryOpType::Gelu : UnaryOpType::GeluTanh, x);
}

namespace {

// The dtype of the result of a normalization of `x`.
DataType normalizedType(const char* opName, const TensorView* x, DataType requested) {
  const DataType dtype = requested == DataType::Null ? x->dtype() : requested;
  NVF_CHECK(isFloatingPointType(dtype), opName, " needs a floating-point dtype, but ",
            x->toString(), " has ", x->dtype());
  return dtype;
}

struct Shifted {
  TensorView* value;  // x - max(x): its exponentials do not overflow
  std::vector<int64_t> dims;
};

Shifted shiftByMaximum(TensorView* x, int64_t dim, const char* opName) {
  if (x->isZeroDim()) {
    NVF_CHECK(dim == 0 || dim == -1, "Tried to access out of boundary index ", dim, ": ", opName,
              " of ", x->toString());
    return {binary(BinaryOpType::Sub, x, x), {}};
  }
  const std::vector<int64_t> dims{wrapDim(dim, x->ndim(), opName, x)};
  TensorView* maximum = reduce(ReductionKind::Max, x, dims, true);
  return {binary(BinaryOpType::Sub, x, maximum), dims};
}

TensorView* sumOfExponentials(const Shifted& shifted, TensorView* exponentials) {
  return shifted.dims.empty() ? exponentials : sum(exponentials, shifted.dims, true);
}

}  // namespace

TensorView* softmax(TensorView* x, int64_t dim, DataType dtype) {
  fusionOf("softmax", {x});
  const DataType result = normalizedType("softmax", x, dtype);
  const Shifted shifted = shiftByMaximum(convert(x, computeType(result)), dim, "softmax");
  TensorView* exponentials = unary(UnaryOpType::Exp, shifted.value);
  TensorView* total = sumOfExponentials(shifted, exponentials);
  // One division a row: the sum is at least 1, so its reciprocal is never infinite.
  TensorView* scale = unary(UnaryOpType::Reciprocal, total);
  return convert(binary(BinaryOpType::Mul, exponentials, scale), result);
}

TensorView* logSoftmax(TensorView* x, int64_t dim, DataType dtype) {
  fusionOf("log_softmax", {x});
  const DataType result = normalizedType("log_softmax", x, dtype);
  const Shifted shifted = shiftByMaximum(convert(x, computeType(result)), dim, "log_softmax");
  TensorView* exponentials = unary(UnaryOpType::Exp, shifted.value);
  TensorView* total = sumOfExponentials(shifted, exponentials);
  return convert(binary(BinaryOpType::Sub, shifted.value, unary(UnaryOpType::Log, total)), result);
}

namespace {

// Raises where a dimension of `what` is known to have another size than the normalized shape.
void checkNormalizedSize(const char* opName, const char* what, const TensorView* tv, size_t dim,
                         size_t entry, const Val* given) {
  const Val* actual = tv->visible()[dim]->visibleExtent();
  NVF_CHECK(
      !given->isConstInt() || (given->constInt() >= 0 &&
                               (!actual->isConstInt() || given->constInt() == actual->constInt())),
      "Expected sizes to match: ", opName, " is given normalized_shape[", entry,
      "] = ", given->toString(), " but dimension ", dim, " of ", what, tv->toString(), " is ",
      actual->toString());
}

// `x` with the extents of the normalized shape in its last dimensions: where they are not known to
// be those of `x` they are checked in each run.
TensorView* withNormalizedShape(const char* opName, const char* what, TensorView* x,
                                std::span<Val* const> normalizedShape) {
  const size_t first = static_cast<size_t>(x->ndim()) - normalizedShape.size();
  for (size_t i = 0; i < normalizedShape.size(); ++i) {
    const size_t dim = first + i;
    Val* given = checkExtent(opName, normalizedShape[i]);
    checkNormalizedSize(opName, what, x, dim, i, given);
    std::vector<Val*> extents = shape(x);
    if (!scalar::same(extents[dim], given)) {
      // One at a time, so that no dimension can make up for another.
      extents[dim] = given;
      x = reshape(x, extents);
    }
  }
  return x;
}

// The last dimensions of `x`, as many as the normalized shape has.
std::vector<int64_t> normalizedDims(const char* opName, const TensorView* x,
                                    std::span<Val* const> normalizedShape) {
  const int64_t rank = x->ndim();
  const auto count = static_cast<int64_t>(normalizedShape.size());
  NVF_CHECK(count >= 1 && count <= rank, opName, ": normalized_shape must have 1 to ", rank,
            " entries for ", x->toString(), ", but has ", count);
  std::vector<int64_t> dims(count);
  std::iota(dims.begin(), dims.end(), rank - count);
  return dims;
}

// Weight or bias: a tensor of the normalized shape.
TensorView* checkParameter(const char* opName, const char* what, TensorView* parameter,
                           std::span<Val* const> normalizedShape) {
  if (parameter == nullptr) {
    return nullptr;
  }
  const size_t rank = normalizedShape.size();
  NVF_CHECK(static_cast<size_t>(parameter->ndim()) == rank, opName, ": ", what,
            " must have the dimensions of normalized_shape, ", rank, ", but got ",
            parameter->toString());
  parameter =
      withNormalizedShape(opName, (std::string(what) + " ").c_str(), parameter, normalizedShape);
  return convert(parameter, computeType(parameter->dtype()));
}

TensorView* meanOf(TensorView* x, std::span<const int64_t> dims) {
  Val* count = convertOperand(elementCount(x, dims), x->dtype());
  return binary(BinaryOpType::Truediv, sum(x, dims, true), count);
}

TensorView* scaleAndShift(TensorView* x, TensorView* weight, TensorView* bias) {
  x = weight != nullptr ? binary(BinaryOpType::Mul, x, weight) : x;
  return bias != nullptr ? binary(BinaryOpType::Add, x, bias) : x;
}

TensorView* reciprocalRoot(TensorView* meanSquare, Val* eps) {
  return unary(UnaryOpType::Rsqrt, binary(BinaryOpType::Add, meanSquare, eps));
}

}  // namespace

TensorView* layerNorm(TensorView* x, std::span<Val* const> normalizedShape, TensorView* weight,
                      TensorView* bias, Val* eps) {
  fusionOf("layer_norm", {x, weight, bias, eps});
  const DataType result = normalizedType("layer_norm", x, DataType::Null);
  const std::vector<int64_t> dims = normalizedDims("layer_norm", x, normalizedShape);
  x = withNormalizedShape("layer_norm", "", x, normalizedShape);
  weight = checkParameter("layer_norm", "weight", weight, normalizedShape);
  bias = checkParameter("layer_norm", "bias", bias, normalizedShape);
  TensorView* in = convert(x, computeType(result));
  TensorView* centered = binary(BinaryOpType::Sub, in, meanOf(in, dims));
  TensorView* variance = meanOf(binary(BinaryOpType::Mul, centered, centered), dims);
  TensorView* normalized = binary(BinaryOpType::Mul, centered, reciprocalRoot(variance, eps));
  return convert(scaleAndShift(normalized, weight, bias), result);
}

TensorView* rmsNorm(TensorView* x, std::span<Val* const> normalizedShape, TensorView* weight,
                    Val* eps) {
  Fusion* fusion = fusionOf("rms_norm", {x, weight, eps});
  const DataType result = normalizedType("rms_norm", x, DataType::Null);
  const std::vector<int64_t> dims = normalizedDims("rms_norm", x, normalizedShape);
  x = withNormalizedShape("rms_norm", "", x, normalizedShape);
  weight = checkParameter("rms_norm", "weight", weight, normalizedShape);
  if (eps == nullptr) {
    eps = constantOf(fusion, std::ldexp(1.0, 1 - info(computeType(result)).significandBits));
  }
  TensorView* in = convert(x, computeType(result));
  TensorView* meanSquare = meanOf(binary(BinaryOpType::Mul, in, in), dims);
  TensorView* normalized = binary(BinaryOpType::Mul, in, reciprocalRoot(meanSquare, eps));
  return convert(scaleAndShift(normalized, weight, nullptr), result);
}

}  // namespace nvfuser::ops
