// What every operation needs to make its result: checks of operands and new tensors.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::ops {

// The active fusion, which must own all `operands`; they must be tensors or scalars. A null operand
// is one that was not given.
Fusion* fusionOf(const char* opName, std::span<Val* const> operands);
Fusion* fusionOf(const char* opName, std::initializer_list<Val*> operands);

// A tensor in registers whose loops are its logical domains, contiguous. `root` is only given where
// the operation itself transforms dimensions.
TensorView* newTensor(Fusion* fusion, std::vector<IterDomain*> logical, DataType dtype,
                      std::vector<IterDomain*> root = {});
// A tensor with the visible dimensions of `tv`.
TensorView* newLike(const TensorView* tv, DataType dtype);
// Fresh copies of the dimensions that consumers of `tv` see.
std::vector<IterDomain*> cloneVisible(const TensorView* tv);

// A dimension of the given extent: broadcast when that is the constant 1.
IterDomain* newDimension(Fusion* fusion, Val* extent, bool isRFactor = false);
// A broadcast dimension, of the extent `expanded` where that is given.
IterDomain* newBroadcast(Fusion* fusion, Val* expanded = nullptr);

// A constant of dtype Bool, Int, Double or ComplexDouble, as Python numbers become.
Val* constantOf(Fusion* fusion, const PolymorphicValue& value);
// `extent` of an argument that is a shape: an integer scalar; constants become Index constants.
Val* checkExtent(const char* opName, Val* extent);

// The dimensions of a tensor in the order of memory that a stride_order says: entry `i` of that is
// the position of dimension `i`, counted from the innermost. Empty for the order of the shape.
std::vector<int64_t> dimsInMemoryOrder(std::span<const int64_t> strideOrder, size_t rank);

// Position `dim` of `rank`, negative ones counted from the end.
int64_t wrapDim(int64_t dim, int64_t rank, const char* opName, const TensorView* tv);
std::vector<int64_t> wrapDims(std::span<const int64_t> dims, const char* opName,
                              const TensorView* tv);

}  // namespace nvfuser::ops
