#include "ops/quantization.h"

#include <limits>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/library_builder.h"
#include "ops/promotion.h"
#include "ops/reduction.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

namespace {

// The largest values of the formats.
constexpr double kFloat4Max = 6.0;
constexpr double kFloat8Max = 448.0;

void checkQuantization(const char* opName, const TensorView* x, const TensorView* globalScale,
                       int64_t blockSize, DataType dtype) {
  NVF_CHECK(dtype == DataType::Float4_e2m1fn || dtype == DataType::Float8_e4m3fn, opName,
            ": Currently only output data type of Float4_e2m1fn or Float8_e4m3fn is supported, but "
            "got ",
            dtype);
  const int64_t expected = dtype == DataType::Float4_e2m1fn ? 16 : 32;
  NVF_CHECK(blockSize == expected, opName, ": Block size must be ", expected, " for ",
            info(dtype).name, ", but got ", blockSize);
  NVF_CHECK(x->dtype() == DataType::Float || x->dtype() == DataType::Half ||
                x->dtype() == DataType::BFloat16,
            opName,
            ": Block quantization expects floating point input, Float, Half or BFloat16, "
            "but got ",
            x->toString());
  NVF_CHECK(x->ndim() >= 1, opName, ": Expected at least one dimension, but got ", x->toString());
  if (globalScale != nullptr) {
    NVF_CHECK(dtype == DataType::Float4_e2m1fn, opName, ": only Float4_e2m1fn has a global scale");
    NVF_CHECK(globalScale->isZeroDim() && globalScale->dtype() == DataType::Float, opName,
              ": Expected global_scale to be a 0-dim Float tensor, but got ",
              globalScale->toString());
  }
}

// A scale, and what elements are multiplied by.
struct Scale {
  TensorView* scale;
  Val* factor;
};

Scale scaleOfFloat4(Fusion* fusion, TensorView* largest, TensorView* globalScale) {
  TensorView* exact = binary(BinaryOpType::Div, largest, constantOf(fusion, kFloat4Max));
  if (globalScale != nullptr) {
    exact = binary(BinaryOpType::Mul, exact, globalScale);
  }
  exact = clamp(exact, constantOf(fusion, 0.0), constantOf(fusion, kFloat8Max))->asTensor();
  TensorView* scale = cast(exact, DataType::Float8_e4m3fn);
  Val* one = globalScale == nullptr ? constantOf(fusion, 1.0) : globalScale;
  Val* factor = binary(BinaryOpType::Truediv, one, cast(scale, DataType::Float));
  // Of a scale of 0.
  Val* limit = constantOf(fusion, static_cast<double>(std::numeric_limits<float>::max()));
  return {scale, binary(BinaryOpType::Minimum, factor, limit)};
}

// The exponent rounded up: no element is larger than the largest value.
Scale scaleOfFloat8(Fusion* fusion, TensorView* largest) {
  TensorView* exact = binary(BinaryOpType::Div, largest, constantOf(fusion, kFloat8Max));
  TensorView* nearest = cast(cast(exact, DataType::Float8_e8m0fnu), DataType::Float);
  TensorView* doubled = binary(BinaryOpType::Mul, nearest, constantOf(fusion, 2.0));
  TensorView* above = where(binary(BinaryOpType::Lt, nearest, exact), doubled, nearest)->asTensor();
  return {cast(above, DataType::Float8_e8m0fnu), unary(UnaryOpType::Reciprocal, above)};
}

BlockQuantized quantize(const char* opName, TensorView* x, TensorView* globalScale,
                        int64_t blockSize, DataType dtype) {
  Fusion* fusion = fusionOf(opName, {x, globalScale});
  checkQuantization(opName, x, globalScale, blockSize, dtype);
  const std::vector<Val*> whole = shape(x);
  Val* size = scalar::constant(fusion, blockSize);
  NVF_CHECK(!whole.back()->isConstInt() || whole.back()->constInt() % blockSize == 0, opName,
            ": Expected the last dimension to be a multiple of ", blockSize, ", but got ",
            x->toString());
  std::vector<Val*> divided = whole;
  divided.back() = scalar::div(whole.back(), size);
  divided.push_back(size);
  TensorView* blocks = reshape(convert(x, DataType::Float), divided);
  const int64_t last[] = {-1};
  TensorView* largest =
      reduce(ReductionKind::Max, unary(UnaryOpType::Abs, blocks), last, true, DataType::Null);
  const Scale scale = dtype == DataType::Float4_e2m1fn ? scaleOfFloat4(fusion, largest, globalScale)
                                                       : scaleOfFloat8(fusion, largest);
  TensorView* scaled = binary(BinaryOpType::Mul, blocks, scale.factor);
  // The reshape comes last: it is another view of what is computed.
  return {reshape(cast(scaled, dtype), whole), squeeze(scale.scale, last, false)};
}

TensorView* zeroOffset() {
  Fusion* fusion = activeFusion();
  Val* const one[] = {fusion->one()};
  return full(one, constantOf(fusion, int64_t{0}), DataType::Int32);
}

}  // namespace

BlockQuantized blockQuantize(TensorView* x, TensorView* globalScale, bool isSwizzled,
                             int64_t blockSize, DataType dtype) {
  constexpr const char* kName = "nv_block_quantize";
  NVF_CHECK(!isSwizzled || dtype == DataType::Float4_e2m1fn, kName,
            ": only scales of Float4_e2m1fn are swizzled");
  NVF_CHECK(!isSwizzled || x->ndim() == 2, kName,
            ": Expected an input of rank 2 for swizzled scales, but got ", x->toString());
  BlockQuantized result = quantize(kName, x, globalScale, blockSize, dtype);
  if (isSwizzled) {
    result.scales = swizzleScales(result.scales, zeroOffset(), zeroOffset());
  }
  return result;
}

BlockQuantized groupedBlockQuantize(TensorView* x, TensorView* inputOffsets,
                                    TensorView* outputOffsets, TensorView* globalScale,
                                    int64_t blockSize, DataType dtype) {
  constexpr const char* kName = "nv_grouped_block_quantize";
  NVF_CHECK(x->ndim() == 2, kName, ": Expected an input of rank 2, but got ", x->toString());
  BlockQuantized result = quantize(kName, x, globalScale, blockSize, dtype);
  result.scales = swizzleScales(result.scales, inputOffsets, outputOffsets);
  return result;
}

TensorView* swizzleScales(TensorView* x, TensorView* inputOffsets, TensorView* outputOffsets) {
  constexpr const char* kName = "preprocess_grouped_matmul_input_sf";
  Fusion* fusion = fusionOf(kName, {x, inputOffsets, outputOffsets});
  NVF_CHECK(x->ndim() == 2, kName, ": Expected scales of rank 2, but got ", x->toString());
  for (const TensorView* offsets : {inputOffsets, outputOffsets}) {
    NVF_CHECK(offsets->ndim() == 1 && isIntegralType(offsets->dtype()), kName,
              ": Expected offsets to be integers of rank 1, but got ", offsets->toString());
  }
  TensorView* out = newTensor(fusion, ownDimensions(x->visible()), x->dtype());
  fusion->create<LibraryOp>(LibraryOpType::SwizzleScales, std::vector<Val*>{out},
                            std::vector<LibraryOp::Argument>{x, inputOffsets, outputOffsets});
  return out;
}

}  // namespace nvfuser::ops
