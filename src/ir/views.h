// Operations whose results may be other views of the memory of their operand.
#pragma once

#include "ir/nodes.h"

namespace nvfuser {

// The permutation that an expression is, null for anything else.
const LoadStoreOp* asPermutation(const Expr* expr);

// Whether an expression, if there is any, has all elements of its operand in another shape or order
// of dimensions.
bool isReshapeOrPermutation(const Expr* expr);

// Whether the result of an expression is its first operand, looked at in another way: no plain
// copy, and no segment boundary.
bool mayBeView(const Expr* expr);

// Whether two tensors have one element along the same dimensions.
bool haveSameOnes(const TensorView* a, const TensorView* b);

// The dimension of the operand of a broadcast that one of its result is, which it does not create.
size_t dimOfOperand(const BroadcastOp* broadcast, size_t dim);

}  // namespace nvfuser
