// What operations on elements are made of, once for all emitters: in which dtype they compute, and
// which function, instruction or operator does it. An emitter says how each step is written:
//
//   convert(value, dtype)               a value in another dtype
//   part(complex, imaginary)            its real or imaginary part
//   complexOf(real, imaginary, dtype)
//   negate(value)                       of a floating-point number
//   withSign(value, type)               of a number that is only stored: its sign bit inverted
//                                       (Neg) or cleared (Abs)
//   logicalNot(value)                   of a Bool
//   logical(type, lhs, rhs)             and, or, of two Bools
//   compare(type, lhs, rhs)             of two values of one dtype
//   arithmetic(type, lhs, rhs)          of two values of one compute type
//   where(condition, a, b)
//   clamp(x, low, high), threshold(x, limit, value)
//   library(name, operands, result)     the library's function for the dtype of the first operand
//   reused(value)                       a value that may be named several times
//
// Results may have another dtype than `out`, one that holds its values.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "emit/common.h"
#include "emit/precision.h"
#include "ir/fusion.h"

namespace nvfuser {

template <class Value, class Emitter>
Value emitUnary(Emitter& emitter, UnaryOpType type, const Value& in, DataType out,
                Precision precision) {
  const OpInfo& op = info(type);
  const bool isOfSign = type == UnaryOpType::Neg || type == UnaryOpType::Abs;
  if (isOfSign && in.dtype == out && hasSignBit(out)) {
    return emitter.withSign(in, type);
  }
  switch (type) {
    case UnaryOpType::Cast:
      return emitter.convert(in, out);
    case UnaryOpType::Real:
    case UnaryOpType::Imag:
      return isComplexType(in.dtype) ? emitter.part(in, type == UnaryOpType::Imag) : in;
    case UnaryOpType::LogicalNot:
      return emitter.logicalNot(emitter.convert(in, DataType::Bool));
    case UnaryOpType::Neg:
      if (isFloatingPointType(out)) {
        return emitter.negate(emitter.convert(in, computeType(out)));
      }
      break;
    default:
      break;
  }
  if (op.promotion == Promotion::Predicate) {
    return emitter.library(op.name, {emitter.convert(in, computeType(in.dtype))}, DataType::Bool);
  }
  if (type == UnaryOpType::Abs && isComplexType(in.dtype)) {
    return emitter.library(op.name, {in}, realTypeOf(in.dtype));
  }
  const DataType compute = computeType(out);
  const bool isNarrow = precision == Precision::Narrow && compute == DataType::Float;
  return emitter.library(
      isNarrow && has(type, OpTraits::Narrow) ? op.name + std::string("_narrow") : op.name,
      {emitter.convert(in, compute)}, compute);
}

template <class Value, class Emitter>
Value emitBinary(Emitter& emitter, const Expr* expr, const std::vector<Value>& in, DataType out) {
  const auto type = static_cast<BinaryOpType>(expr->attribute(0));
  const auto both = [&](DataType dtype, const auto& write) {
    const Value lhs = emitter.convert(in[0], dtype);
    const Value rhs = emitter.convert(in[1], dtype);
    return write(lhs, rhs);
  };
  switch (info(type).promotion) {
    case Promotion::Compare:
      return both(
          comparisonType(expr, in[0].dtype, in[1].dtype),
          [&](const Value& lhs, const Value& rhs) { return emitter.compare(type, lhs, rhs); });
    case Promotion::Logical:
      return both(DataType::Bool, [&](const Value& lhs, const Value& rhs) {
        return emitter.logical(type, lhs, rhs);
      });
    default:
      break;
  }
  if (type == BinaryOpType::Complex) {
    return both(realTypeOf(out), [&](const Value& real, const Value& imaginary) {
      return emitter.complexOf(real, imaginary, out);
    });
  }
  return both(computeType(out), [&](const Value& lhs, const Value& rhs) {
    return emitter.arithmetic(type, lhs, rhs);
  });
}

template <class Value, class Emitter>
Value emitTernary(Emitter& emitter, TernaryOpType type, const std::vector<Value>& in,
                  DataType out) {
  if (type == TernaryOpType::Where) {
    const Value condition = emitter.convert(in[0], DataType::Bool);
    const Value a = emitter.convert(in[1], out);
    return emitter.where(condition, a, emitter.convert(in[2], out));
  }
  const DataType compute = computeType(out);
  std::vector<Value> x;
  for (const Value& value : in) {
    x.push_back(emitter.convert(value, compute));
  }
  switch (type) {
    case TernaryOpType::Lerp: {
      const Value difference = emitter.arithmetic(BinaryOpType::Sub, x[1], x[0]);
      return emitter.arithmetic(BinaryOpType::Add, x[0],
                                emitter.arithmetic(BinaryOpType::Mul, x[2], difference));
    }
    case TernaryOpType::Clamp:
      return emitter.clamp(x[0], x[1], x[2]);
    case TernaryOpType::Threshold:
      return emitter.threshold(x[0], x[1], x[2]);
    case TernaryOpType::Addcmul: {
      const Value product = emitter.arithmetic(BinaryOpType::Mul, x[1], x[2]);
      return emitter.arithmetic(BinaryOpType::Add, x[0],
                                emitter.arithmetic(BinaryOpType::Mul, x[3], product));
    }
    default:
      fail("Unknown ternary operation ", info(type).name);
  }
}

// Operands: the number of the element, start and step.
template <class Value, class Emitter>
Value emitIota(Emitter& emitter, const std::vector<Value>& in, DataType out) {
  const DataType type = computeType(out);
  const Value index = emitter.convert(in[0], type);
  const Value step = emitter.convert(in[2], type);
  const Value scaled = emitter.arithmetic(BinaryOpType::Mul, index, step);
  return emitter.arithmetic(BinaryOpType::Add, emitter.convert(in[1], type), scaled);
}

// Operands: the number of the element, the parameters, seed and offset.
template <class Value, class Emitter>
Value emitRandom(Emitter& emitter, RandomType type, const std::vector<Value>& in, DataType out) {
  const DataType compute = computeType(out);
  std::vector<Value> operands{emitter.convert(in[1], compute), emitter.convert(in[2], compute)};
  operands.push_back(emitter.elementNumber(in[0]));
  for (const size_t i : {3, 4}) {
    operands.push_back(emitter.convert(in[i], DataType::Int));
  }
  const Value number = emitter.library(toString(type), operands, compute);
  if (compute == out || type != RandomType::Uniform) {
    return number;
  }
  // What rounds to the maximum is the minimum.
  const Value value = emitter.reused(number);
  const auto rounded = [&](const Value& exact) {
    return emitter.convert(emitter.convert(exact, out), compute);
  };
  const Value isBeyond = emitter.compare(BinaryOpType::Ge, rounded(value), rounded(operands[1]));
  return emitter.where(isBeyond, operands[0], value);
}

}  // namespace nvfuser
