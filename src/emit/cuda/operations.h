// Operations as text: conversions between dtypes, and one step of every element operation.
// Functions are calls of the device library.
#pragma once

#include <string>
#include <vector>

#include "emit/cuda/function.h"
#include "emit/cuda/types.h"
#include "emit/precision.h"
#include "ir/fusion.h"

namespace nvfuser::cuda {

Term convert(const Term& value, DataType to);

// The result may have another dtype than `out`, one that holds its values.
Term unary(UnaryOpType type, const Term& in, DataType out, Precision precision = Precision::Full);
// `sharesDivisor`: other elements that a thread computes are divided by the same value.
Term binary(const Expr* expr, const std::vector<Term>& in, DataType out,
            Precision precision = Precision::Full, bool sharesDivisor = false);
Term ternary(TernaryOpType type, const std::vector<Term>& in, DataType out);
// Operands: the number of the element, start and step.
Term iota(const std::vector<Term>& in, DataType out);
// Operands: the number of the element, the parameters, seed and offset.
Term random(RandomType type, const std::vector<Term>& in, DataType out, FunctionText& text);

// lhs op rhs, both of the same compute type.
Term arithmetic(BinaryOpType type, const Term& lhs, const Term& rhs);
// One step of a reduction to a tensor of dtype `out`.
Term combine(BinaryOpType type, const Term& partial, const Term& element, DataType out);

}  // namespace nvfuser::cuda
