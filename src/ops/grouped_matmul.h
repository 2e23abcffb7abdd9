// Matrix products of groups, and of scaled narrow operands, which torch computes.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

// Products of groups whose ends are `offsets`, of rank 1: they split k of [m, k] and [k, n], giving
// [g, m, n]; n of [g, m, k] and [k, n]; m of [m, k] and [g, k, n], giving [m, n].
TensorView* groupedMatmul(TensorView* a, TensorView* b, TensorView* offsets);

// What scaled products have in common; tensors may be null.
struct Epilogue {
  TensorView* alpha = nullptr;
  TensorView* bias = nullptr;
  TensorView* beta = nullptr;
  DataType dtype = DataType::BFloat16;
  // Scaling of the result: not supported.
  int64_t blockScaleSize = 0;
  bool hasGamma = false;
};
// alpha * (the product of a * scaleA and b * scaleB) + beta * bias. Scales have the shape of their
// operand, or of the result where that has one dimension more, with a 1 in place of k.
TensorView* scaledGroupedMatmul(TensorView* a, TensorView* b, TensorView* offsets,
                                TensorView* scaleA, TensorView* scaleB, const Epilogue& epilogue);
// Of [m, k] and [k, n], with a scale for each block of k in the swizzled layout of 128x4.
TensorView* scaledMatmul(TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB,
                         const Epilogue& epilogue);
// Rows of `a`, [m, k] in fp4, with matrices of `b`, [g, k, n]; see nv_block_quantize for scales.
TensorView* nvfp4GroupedMatmul(TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB,
                               TensorView* alpha, TensorView* problemSizes,
                               TensorView* expertOffsets, TensorView* scaleOffsets, DataType dtype);

}  // namespace nvfuser::ops
