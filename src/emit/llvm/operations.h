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
  // `ofNarrow`: all is computed of integers and of numbers of no more digits than bfloat16 has.
  Operations(FunctionText& text, bool ofNarrow) : text_(text), ofNarrow_(ofNarrow) {}

  Register convert(const Register& value, DataType to);

  // The result may have another dtype than `out`, one that holds its values.
  Register unary(UnaryOpType type, const Register& in, DataType out,
                 Precision precision = Precision::Full);
  Register binary(const Expr* expr, const std::vector<Register>& in, DataType out);
  Register ternary(TernaryOpType type, const std::vector<Register>& in, DataType out);
  // Operands: the number of the element, start and step.
  Register iota(const std::vector<Register>& in, DataType out);
  // Operands: the number of the element, the parameters, seed and offset.
  Register random(RandomType type, const std::vector<Register>& in, DataType out);

  // The steps that they are made of: see emit/element_operations.h.
  Register elementNumber(const Register& index) { return convert(index, DataType::Int); }
  Register part(const Register& z, bool imaginary) {
    return number(z, imaginary ? 1 : 0, realTypeOf(z.dtype));
  }
  Register complexOf(const Register& real, const Register& imaginary, DataType dtype);
  Register negate(const Register& value);
  Register withSign(const Register& value, UnaryOpType type);
  Register logicalNot(const Register& value);
  Register logical(BinaryOpType type, const Register& lhs, const Register& rhs);
  Register compare(BinaryOpType type, const Register& lhs, const Register& rhs);
  Register arithmetic(BinaryOpType type, const Register& lhs, const Register& rhs);
  Register where(const Register& condition, const Register& a, const Register& b);
  Register clamp(const Register& x, const Register& low, const Register& high);
  Register threshold(const Register& x, const Register& limit, const Register& value);
  Register library(const std::string& name, const std::vector<Register>& operands, DataType result);
  static Register reused(const Register& value) { return value; }

  // One step of a reduction. The order of a sum is free, which lets it run in vector lanes. Values
  // that are ordered like their bits are compared as integers, which takes a third of the time.
  Register combine(BinaryOpType type, const Register& partial, const Register& element,
                   bool isOrderedByBits = false);
  // The same value, of which LLVM does not know how it was computed; `zero` is an i64 of which it
  // does not know that it is 0.
  Register hidden(const Register& value, const std::string& zero);

 private:
  // One of several that a value consists of.
  Register number(const Register& value, int64_t position, DataType dtype);
  // The result of an operation in the dtype of its operands, where it needs no rounding to that.
  Register unrounded(const Register& result, DataType out);

  FunctionText& text_;
  bool ofNarrow_;
};

}  // namespace nvfuser::llvm
