// Operations on values in registers: conversions between dtypes, and one step of every element
// operation. Functions are calls of the inline math library.
#pragma once

#include <vector>

#include "emit/llvm/function.h"
#include "emit/llvm/types.h"
#include "emit/precision.h"
#include "ir/fusion.h"

namespace nvfuser::llvm {

class Operations {
 public:
  explicit Operations(FunctionText& text) : text_(text) {}

  Register convert(const Register& value, DataType to);

  // The result may have another dtype than `out`, one that holds its values.
  Register unary(UnaryOpType type, const Register& in, DataType out,
                 Precision precision = Precision::Full);
  Register binary(const Expr* expr, const std::vector<Register>& in, DataType out);
  Register ternary(TernaryOpType type, const std::vector<Register>& in, DataType out);

  Register compare(BinaryOpType type, const Register& lhs, const Register& rhs, DataType compute);
  // lhs op rhs, both of the same compute type.
  Register arithmetic(BinaryOpType type, const Register& lhs, const Register& rhs);
  // One step of a reduction. The order of a sum is free, which lets it run in vector lanes. Values
  // that are ordered like their bits are compared as integers, which takes a third of the time.
  Register combine(BinaryOpType type, const Register& partial, const Register& element,
                   bool isOrderedByBits = false);
  // A call of the library's function for the dtype of the first operand.
  Register library(const std::string& name, const std::vector<Register>& operands, DataType result);
  Register select(const Register& condition, const Register& a, const Register& b);

 private:
  Register complexOf(const Register& real, const Register& imaginary, DataType dtype);

  FunctionText& text_;
};

}  // namespace nvfuser::llvm
