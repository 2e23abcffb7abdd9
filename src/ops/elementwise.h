// Element-wise operations: every row of ir/op_table.h, on tensors, scalars, or both mixed.
//
// The result is a tensor if an operand is one, otherwise a scalar (a constant when all operands
// are). Tensors of different rank are aligned at their last dimension; size-1 dimensions broadcast.
#pragma once

#include <span>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::ops {

Val* unary(UnaryOpType type, Val* x);
Val* binary(BinaryOpType type, Val* lhs, Val* rhs);

Val* where(Val* condition, Val* a, Val* b);
// A null bound is the lowest or highest value of the dtype of `x`.
Val* clamp(Val* x, Val* min, Val* max);
Val* threshold(Val* x, Val* threshold, Val* value);
Val* lerp(Val* start, Val* end, Val* weight);
Val* addcmul(Val* a, Val* b, Val* c, Val* alpha);

// Conversion of dtype; a copy when `x` has that dtype already.
Val* cast(Val* x, DataType dtype);
// Copy. Of a scalar: a scalar that equals it.
Val* set(Val* x);

// What an element-wise operation computes, of other operands of one rank and with their dimensions.
TensorView* elementwiseOf(const Expr* expr, const std::vector<Val*>& operands);

inline TensorView* unary(UnaryOpType type, TensorView* x) {
  return unary(type, static_cast<Val*>(x))->asTensor();
}
inline TensorView* binary(BinaryOpType type, TensorView* lhs, Val* rhs) {
  return binary(type, static_cast<Val*>(lhs), rhs)->asTensor();
}
inline TensorView* binary(BinaryOpType type, Val* lhs, TensorView* rhs) {
  return binary(type, lhs, static_cast<Val*>(rhs))->asTensor();
}
inline TensorView* binary(BinaryOpType type, TensorView* lhs, TensorView* rhs) {
  return binary(type, static_cast<Val*>(lhs), static_cast<Val*>(rhs))->asTensor();
}
inline TensorView* cast(TensorView* x, DataType dtype) {
  return cast(static_cast<Val*>(x), dtype)->asTensor();
}
inline TensorView* set(TensorView* x) { return set(static_cast<Val*>(x))->asTensor(); }

// The dimensions of the result of an element-wise operation on tensors of equal rank: for each
// position the extent of a concrete dimension, a constant one where there is any. With
// `broadcasts`, a computed extent that is 1 in a run leaves it to the others. Dimension `ofFirst`,
// if given, is that of the first operand.
std::vector<IterDomain*> elementwiseDomain(Fusion* fusion, std::span<TensorView* const> operands,
                                           const char* opName, bool broadcasts,
                                           int64_t ofFirst = -1);

// The smallest and the largest value of a dtype, infinite where it has infinities, as constants.
Val* lowestOf(Fusion* fusion, DataType dtype);
Val* highestOf(Fusion* fusion, DataType dtype);
// The additive and the multiplicative identity.
Val* zeroOf(Fusion* fusion, DataType dtype);
Val* oneOf(Fusion* fusion, DataType dtype);

}  // namespace nvfuser::ops
