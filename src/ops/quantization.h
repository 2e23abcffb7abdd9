// Quantization in blocks with a scale each: nvfp4 and mxfp8.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

struct BlockQuantized {
  TensorView* quantized;
  TensorView* scales;
};
// Divides the last dimension of `x` into blocks. Float4_e2m1fn: blocks of 16 with scales in
// Float8_e4m3fn, relative to `globalScale` if that is given; Float8_e4m3fn: blocks of 32 with
// scales in Float8_e8m0fnu.
BlockQuantized blockQuantize(TensorView* x, TensorView* globalScale, bool isSwizzled,
                             int64_t blockSize, DataType dtype);
// The same of groups of rows, whose scales are laid out as by swizzleScales().
BlockQuantized groupedBlockQuantize(TensorView* x, TensorView* inputOffsets,
                                    TensorView* outputOffsets, TensorView* globalScale,
                                    int64_t blockSize, DataType dtype);
// Scales of groups of rows, which begin at `inputOffsets`, in the layout of 128x4: each group
// padded to whole tiles, which begin at `outputOffsets`. Of the shape of `x`; the padding lies in
// the memory behind it.
TensorView* swizzleScales(TensorView* x, TensorView* inputOffsets, TensorView* outputOffsets);

}  // namespace nvfuser::ops
