// What the emitters agree on.
#pragma once

#include <string>

#include "ir/scalar.h"
#include "lower/kernel.h"

namespace nvfuser {

// `text` with the mark of a comment before each line.
std::string asComment(const std::string& text, const std::string& mark);

// The name of a reduced-precision type in the conversion functions of the libraries.
const char* storageName(DataType dtype);

// Whether numbers of a dtype in which nothing is computed have their sign in the uppermost bit.
bool hasSignBit(DataType dtype);

// The dtype in which two operands of these dtypes are compared: a scalar does not widen a tensor of
// the same kind.
DataType comparisonType(const Expr* expr, DataType lhs, DataType rhs);

// Whether a binary operation on scalars is one on indices, with its first operand and its result of
// these dtypes: with 64 bits that are not negative, given what indices of loops start from.
bool isOfIndices(const Expr* expr, DataType first, DataType out,
                 const scalar::LeastIndices& least = {});

// Whether the elements are floating-point numbers that are ordered like their bits as signed
// integers: those of absolute values, NaN being the largest, and the least ones of maxima, -inf.
bool isOrderedByBits(const TensorView* tv);

}  // namespace nvfuser
