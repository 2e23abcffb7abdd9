#include "emit/cuda/operations.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "emit/element_operations.h"

namespace nvfuser::cuda {

namespace {

Term call(const std::string& name, const std::vector<Term>& arguments, DataType result) {
  std::string text = "nvf::" + name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += (i == 0 ? "" : ", ") + arguments[i].text;
  }
  return {text + ")", result};
}

Term cast(const Term& value, DataType to) {
  return {"(" + std::string(typeName(to)) + ")" + parenthesized(value), to, false};
}

Term operation(const char* symbol, const Term& lhs, const Term& rhs, DataType result) {
  const Term term{parenthesized(lhs) + " " + symbol + " " + parenthesized(rhs), result, false};
  // C++ promotes narrow integers to int, which is another type to templates.
  return isNarrowInteger(result) ? cast(term, result) : term;
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
      return call(info(to).bits > info(from).bits ? "widen_complex" : "narrow_complex", {value},
                  to);
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
    if (const DataType through = convertedThrough(to); through != to) {
      return convert(convert(value, through), to);  // wraps around, as in torch
    }
    return library((info(to).isSigned ? "to_i" : "to_u") + std::to_string(info(to).bits), {value},
                   to);
  }
  return cast(value, to);
}

Term arithmetic(BinaryOpType type, const Term& lhs, const Term& rhs) {
  const DataType dtype = lhs.dtype;
  if (kindOf(dtype) == TypeKind::None) {
    return call(info(type).name, {lhs, rhs}, dtype);
  }
  if (isFloatingPointType(dtype)) {
    switch (type) {
      case BinaryOpType::Add:
      case BinaryOpType::Sub:
      case BinaryOpType::Mul:
        return operation(info(type).symbol, lhs, rhs, dtype);
      case BinaryOpType::Div:
      case BinaryOpType::Truediv:
        return dtype == DataType::Float && rhs.value.isNull()
                   ? library("div", {lhs, rhs}, dtype)
                   : operation(info(type).symbol, lhs, rhs, dtype);
      default:
        break;
    }
  }
  if (isBooleanType(dtype)) {
    // Arithmetic on truth values is that of the two-element lattice.
    for (const auto& [trait, symbol] : {std::pair{OpTraits::BoolOr, "||"},
                                        {OpTraits::BoolAnd, "&&"},
                                        {OpTraits::BoolXor, "!="}}) {
      if (has(type, trait)) {
        return operation(symbol, lhs, rhs, dtype);
      }
    }
  }
  if (isIntegralType(dtype) && info(type).promotion == Promotion::Bitwise) {
    return operation(info(type).symbol, lhs, rhs, dtype);
  }
  const char* name = type == BinaryOpType::Truediv ? "div" : info(type).name;
  return library(name, {lhs, rhs}, dtype);
}

namespace {

// See emit/element_operations.h.
class Steps {
 public:
  explicit Steps(FunctionText* text = nullptr) : text_(text) {}

  static Term convert(const Term& value, DataType to) { return cuda::convert(value, to); }
  // An index of 32 bits stays one: compilers see then which elements share a block of numbers.
  static Term elementNumber(const Term& index) { return index; }
  static Term part(const Term& z, bool imaginary) { return cuda::part(z, imaginary); }
  static Term complexOf(const Term& re, const Term& im, DataType dtype) {
    return cuda::complexOf(re, im, dtype);
  }
  static Term negate(const Term& value) { return {"-" + parenthesized(value), value.dtype, false}; }
  static Term withSign(const Term& value, UnaryOpType type) {
    return call(info(type).name + std::string("_stored"), {value}, value.dtype);
  }
  static Term logicalNot(const Term& value) {
    return {"!" + parenthesized(value), DataType::Bool, false};
  }
  static Term logical(BinaryOpType type, const Term& lhs, const Term& rhs) {
    return operation(info(type).symbol, lhs, rhs, DataType::Bool);
  }
  static Term compare(BinaryOpType type, const Term& lhs, const Term& rhs) {
    return isComplexType(lhs.dtype) ? library(info(type).name, {lhs, rhs}, DataType::Bool)
                                    : operation(info(type).symbol, lhs, rhs, DataType::Bool);
  }
  static Term arithmetic(BinaryOpType type, const Term& lhs, const Term& rhs) {
    return cuda::arithmetic(type, lhs, rhs);
  }
  static Term where(const Term& condition, const Term& a, const Term& b) {
    return {parenthesized(condition) + " ? " + parenthesized(a) + " : " + parenthesized(b), a.dtype,
            false};
  }
  // Templates: any type that can be compared.
  static Term clamp(const Term& x, const Term& low, const Term& high) {
    return call("clamp", {x, low, high}, x.dtype);
  }
  static Term threshold(const Term& x, const Term& limit, const Term& value) {
    return call("threshold", {x, limit, value}, x.dtype);
  }
  static Term library(const std::string& name, const std::vector<Term>& operands, DataType result) {
    return cuda::library(name, operands, result);
  }
  Term reused(const Term& value) {
    return {text_->define(typeName(value.dtype), value.text), value.dtype};
  }

 private:
  FunctionText* text_;
};

}  // namespace

Term unary(UnaryOpType type, const Term& in, DataType out, Precision precision) {
  switch (type) {
    case UnaryOpType::MomentsOf:
    case UnaryOpType::ExponentialsOf:
      return call(info(type).name, {convert(in, DataType::Float)}, out);
    case UnaryOpType::MeanOf:
      return {parenthesized(in) + ".mean", out};
    case UnaryOpType::DeviationsOf:
      return {parenthesized(in) + ".deviations", out};
    case UnaryOpType::CountOf:
      return {parenthesized(in) + ".count", out};
    case UnaryOpType::MaximumOf:
      return {parenthesized(in) + ".maximum", out};
    case UnaryOpType::CenterOf:
    case UnaryOpType::PositionOf:
      return call(info(type).name, {in}, out);
    case UnaryOpType::SumOf:
      return {parenthesized(in) + ".sum", out};
    default: {
      Steps steps;
      return emitUnary(steps, type, in, out, precision);
    }
  }
}

namespace {

// Compilers make a multiplication of it, which is exact.
bool isPowerOfTwo(const Term& divisor) {
  int exponent = 0;
  return !divisor.value.isNull() &&
         std::frexp(std::abs(static_cast<double>(divisor.value)), &exponent) == 0.5;
}

// Whether the library has an operation on numbers of 16 bits, which are rounded once.
bool isOfStored(BinaryOpType type, const std::vector<Term>& in, DataType out) {
  const bool isOfDigits = out == DataType::Half || out == DataType::BFloat16;
  const bool isKnown = type == BinaryOpType::Add || type == BinaryOpType::Sub ||
                       type == BinaryOpType::Mul || type == BinaryOpType::Maximum ||
                       type == BinaryOpType::Minimum;
  return isOfDigits && isKnown && std::ranges::all_of(in, [&](const Term& operand) {
           return operand.dtype == out || !operand.value.isNull();
         });
}

}  // namespace

Term binary(const Expr* expr, const std::vector<Term>& in, DataType out, Precision precision,
            bool sharesDivisor) {
  const auto type = static_cast<BinaryOpType>(expr->attribute(0));
  if (isOfStored(type, in, out)) {
    return call(std::string(info(type).name) + "_" + storageName(out),
                {convert(in[0], out), convert(in[1], out)}, out);
  }
  if (type == BinaryOpType::KeyOf) {
    return call(info(type).name, {convert(in[0], DataType::Float), in[1]}, out);
  }
  if ((type == BinaryOpType::Div || type == BinaryOpType::Truediv) &&
      computeType(out) == DataType::Float) {
    const Term divisor = convert(in[1], DataType::Float);
    const bool isConstant = !divisor.value.isNull();
    if (precision == Precision::Narrow && !isConstant) {
      return library("div_narrow", {convert(in[0], DataType::Float), divisor}, DataType::Float);
    }
    if ((isConstant || sharesDivisor) && !isPowerOfTwo(divisor)) {
      return library("div_shared", {convert(in[0], DataType::Float), divisor}, DataType::Float);
    }
  }
  Steps steps;
  return emitBinary(steps, expr, in, out);
}

Term ternary(TernaryOpType type, const std::vector<Term>& in, DataType out) {
  Steps steps;
  return emitTernary(steps, type, in, out);
}

Term iota(const std::vector<Term>& in, DataType out) {
  Steps steps;
  return emitIota(steps, in, out);
}

Term random(RandomType type, const std::vector<Term>& in, DataType out, FunctionText& text) {
  Steps steps(&text);
  return emitRandom(steps, type, in, out);
}

Term combine(BinaryOpType type, const Term& partial, const Term& element, DataType out) {
  const DataType compute = computeType(out);
  return convert(arithmetic(type, convert(partial, compute), convert(element, compute)), out);
}

}  // namespace nvfuser::cuda
