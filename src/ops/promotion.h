// Type promotion: from the dtypes of operands to the dtype an operation computes in and results in.
//
// The rules are PyTorch's. There are three categories of operands, tensors of rank 1 and more,
// 0-dim tensors, and scalars; a lower category only decides when its kind (bool < integer <
// floating < complex) is higher than that of the categories above.
#pragma once

#include <span>

#include "ir/fusion.h"

namespace nvfuser::ops {

// The dtype in which `operands` meet, reduced precision included.
DataType commonType(std::span<Val* const> operands);

struct OpTypes {
  DataType compute;  // what the operands are converted to
  DataType result;
};
// Applies the promotion rule of an operation; `name` is for the errors.
OpTypes promote(Promotion rule, std::span<Val* const> operands, const char* name);

// `val` converted to `dtype`; itself when it has that dtype already. A constant stays a constant.
Val* convert(Val* val, DataType dtype);
TensorView* convert(TensorView* tv, DataType dtype);
// An operand of an operation that computes in `dtype`: a scalar of the right kind stays as it is,
// since the operation reads it in its own precision.
Val* convertOperand(Val* val, DataType dtype);
// The same among `operands`, of which an operation takes the dtype: where none is a tensor, those
// of the scalars count, and a constant of another kind gets exactly `dtype`.
Val* convertOperand(Val* val, DataType dtype, std::span<Val* const> operands);

}  // namespace nvfuser::ops
