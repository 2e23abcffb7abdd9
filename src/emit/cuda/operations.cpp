#include "emit/cuda/operations.h"

#include <string_view>

#include "core/error.h"
#include "emit/common.h"

namespace nvfuser::cuda {

namespace {

Term call(const std::string& name, const std::vector<Term>& arguments, DataType result) {
  std::string text = "nvf::" + name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += (i == 0 ? "" : ", ") + arguments[i].text;
  }
  return {text + ")", result};
}

Term operation(const char* symbol, const Term& lhs, const Term& rhs, DataType result) {
  return {parenthesized(lhs) + " " + symbol + " " + parenthesized(rhs), result, false};
}

Term cast(const Term& value, DataType to) {
  return {"(" + std::string(typeName(to)) + ")" + parenthesized(value), to, false};
}

// One function of the library for every type of operands.
Term library(const std::string& name, const std::vector<Term>& operands, DataType result) {
  return call(name + "_" + librarySuffix(operands[0].dtype), operands, result);
}

Term part(const Term& z, bool imaginary) {
  return {parenthesized(z) + (imaginary ? ".im" : ".re"), realTypeOf(z.dtype)};
}

Term complexOf(const Term& re, const Term& im, DataType dtype) {
  return {std::string(typeName(dtype)) + "{" + re.text + ", " + im.text + "}", dtype};
}

}  // namespace

Term convert(const Term& value, DataType to) {
  const DataType from = value.dtype;
  if (from == to) {
    return value;
  }
  if (!isReducedPrecision(from) && !isReducedPrecision(to)) {
    if (!value.value.isNull() && kindOf(from) <= kindOf(to)) {
      return constant(value.value, to);
    }
    if (std::string_view(typeName(from)) == typeName(to)) {
      return {value.text, to, value.isPrimary};
    }
  }
  if (isReducedPrecision(from)) {
    return convert(call(std::string("from_") + storageName(from), {value}, DataType::Float), to);
  }
  if (isReducedPrecision(to)) {
    return call(std::string("to_") + storageName(to), {convert(value, DataType::Float)}, to);
  }
  if (isComplexType(from)) {
    if (isBooleanType(to)) {
      return {"!" + library("logical_not", {value}, to).text, to, false};
    }
    if (isComplexType(to)) {
      return call(to == DataType::ComplexDouble ? "widen_complex" : "narrow_complex", {value}, to);
    }
    return convert(part(value, false), to);
  }
  if (isComplexType(to)) {
    const DataType part = realTypeOf(to);
    return complexOf(convert(value, part), constant(PolymorphicValue(0.0), part), to);
  }
  if (isBooleanType(to)) {
    return operation("!=", value, constant(PolymorphicValue(int64_t{0}), from), to);
  }
  if (isIntegralType(to) && isFloatingPointType(from)) {
    const char* name = to == DataType::Int32    ? "to_i32"
                       : to == DataType::UInt64 ? "to_u64"
                                                : "to_i64";
    return library(name, {value}, to);
  }
  return cast(value, to);
}

Term unary(UnaryOpType type, const Term& in, DataType out, Precision precision) {
  const OpInfo& op = info(type);
  switch (type) {
    case UnaryOpType::Cast:
      return convert(in, out);
    case UnaryOpType::Real:
    case UnaryOpType::Imag:
      return isComplexType(in.dtype) ? part(in, type == UnaryOpType::Imag) : in;
    case UnaryOpType::MomentsOf:
      return call(op.name, {convert(in, DataType::Float)}, out);
    case UnaryOpType::MeanOf:
      return {parenthesized(in) + ".mean", out};
    case UnaryOpType::DeviationsOf:
      return {parenthesized(in) + ".deviations", out};
    case UnaryOpType::CountOf:
      return {parenthesized(in) + ".count", out};
    case UnaryOpType::LogicalNot:
      return {"!" + parenthesized(convert(in, DataType::Bool)), DataType::Bool, false};
    case UnaryOpType::Neg:
      if (isFloatingPointType(out)) {
        const Term value = convert(in, computeType(out));
        return {"-" + parenthesized(value), value.dtype, false};
      }
      break;
    default:
      break;
  }
  if (op.promotion == Promotion::Predicate) {
    return library(op.name, {convert(in, computeType(in.dtype))}, DataType::Bool);
  }
  if (type == UnaryOpType::Abs && isComplexType(in.dtype)) {
    return library(op.name, {in}, realTypeOf(in.dtype));
  }
  const DataType compute = computeType(out);
  const bool isNarrow = precision == Precision::Narrow && compute == DataType::Float;
  return library(isNarrow && hasNarrowVariant(type) ? op.name + std::string("_narrow") : op.name,
                 {convert(in, compute)}, compute);
}

Term compare(BinaryOpType type, const Term& lhs, const Term& rhs) {
  if (isComplexType(lhs.dtype)) {
    return library(info(type).name, {lhs, rhs}, DataType::Bool);
  }
  return operation(info(type).symbol, lhs, rhs, DataType::Bool);
}

Term arithmetic(BinaryOpType type, const Term& lhs, const Term& rhs) {
  const DataType dtype = lhs.dtype;
  if (dtype == DataType::FloatMoments) {
    return call(info(type).name, {lhs, rhs}, dtype);
  }
  if (isFloatingPointType(dtype)) {
    switch (type) {
      case BinaryOpType::Add:
      case BinaryOpType::Sub:
      case BinaryOpType::Mul:
      case BinaryOpType::Div:
      case BinaryOpType::Truediv:
        return operation(info(type).symbol, lhs, rhs, dtype);
      default:
        break;
    }
  }
  if (isBooleanType(dtype)) {
    // Arithmetic on truth values is that of the two-element lattice.
    switch (type) {
      case BinaryOpType::Add:
      case BinaryOpType::Maximum:
      case BinaryOpType::BitwiseOr:
        return operation("||", lhs, rhs, dtype);
      case BinaryOpType::Mul:
      case BinaryOpType::Minimum:
      case BinaryOpType::BitwiseAnd:
        return operation("&&", lhs, rhs, dtype);
      case BinaryOpType::Sub:
      case BinaryOpType::BitwiseXor:
        return operation("!=", lhs, rhs, dtype);
      default:
        break;
    }
  }
  if (isIntegralType(dtype)) {
    switch (type) {
      case BinaryOpType::BitwiseAnd:
      case BinaryOpType::BitwiseOr:
      case BinaryOpType::BitwiseXor:
        return operation(info(type).symbol, lhs, rhs, dtype);
      default:
        break;
    }
  }
  const char* name = type == BinaryOpType::Truediv ? "div" : info(type).name;
  return library(name, {lhs, rhs}, dtype);
}

Term binary(const Expr* expr, const std::vector<Term>& in, DataType out, Precision precision) {
  const auto type = static_cast<BinaryOpType>(expr->attribute(0));
  switch (info(type).promotion) {
    case Promotion::Compare: {
      const DataType compute = comparisonType(expr, in[0].dtype, in[1].dtype);
      return compare(type, convert(in[0], compute), convert(in[1], compute));
    }
    case Promotion::Logical:
      return operation(info(type).symbol, convert(in[0], DataType::Bool),
                       convert(in[1], DataType::Bool), DataType::Bool);
    default:
      break;
  }
  if (type == BinaryOpType::Complex) {
    const DataType part = realTypeOf(out);
    return complexOf(convert(in[0], part), convert(in[1], part), out);
  }
  const DataType compute = computeType(out);
  const Term lhs = convert(in[0], compute);
  const Term rhs = convert(in[1], compute);
  const bool divides = type == BinaryOpType::Div || type == BinaryOpType::Truediv;
  // A constant divisor becomes a multiplication where that is exact.
  if (divides && precision == Precision::Narrow && compute == DataType::Float &&
      rhs.value.isNull()) {
    return library("div_narrow", {lhs, rhs}, compute);
  }
  return arithmetic(type, lhs, rhs);
}

Term ternary(TernaryOpType type, const std::vector<Term>& in, DataType out) {
  if (type == TernaryOpType::Where) {
    return {parenthesized(convert(in[0], DataType::Bool)) + " ? " +
                parenthesized(convert(in[1], out)) + " : " + parenthesized(convert(in[2], out)),
            out, false};
  }
  const DataType compute = computeType(out);
  std::vector<Term> x;
  for (const Term& term : in) {
    x.push_back(convert(term, compute));
  }
  switch (type) {
    case TernaryOpType::Lerp:
      return arithmetic(
          BinaryOpType::Add, x[0],
          arithmetic(BinaryOpType::Mul, x[2], arithmetic(BinaryOpType::Sub, x[1], x[0])));
    case TernaryOpType::Clamp:
    case TernaryOpType::Threshold:
      // Templates: any type that can be compared.
      return call(info(type).name, x, compute);
    case TernaryOpType::Addcmul:
      return arithmetic(
          BinaryOpType::Add, x[0],
          arithmetic(BinaryOpType::Mul, x[3], arithmetic(BinaryOpType::Mul, x[1], x[2])));
    default:
      fail("Unknown ternary operation ", info(type).name);
  }
}

Term combine(BinaryOpType type, const Term& partial, const Term& element, DataType out) {
  const DataType compute = computeType(out);
  return convert(arithmetic(type, convert(partial, compute), convert(element, compute)), out);
}

}  // namespace nvfuser::cuda
