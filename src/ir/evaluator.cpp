// Semantics of the element-wise operations on host scalars, and the evaluation of scalar graphs.

#include "ir/evaluator.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

using Complex = std::complex<double>;

// erfc is steep where erf is flat and the other way round: both inverses start from the same
// approximation of the quantile and are refined by Newton's method on the function that is given.
double inverseErrorFunction(double x, bool complement) {
  const double y = complement ? 1.0 - x : x;
  if (std::isnan(x) || y < -1.0 || y > 1.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  // log(1 - y^2) from the operand that has the precision.
  const double logOneMinusSquare =
      complement ? std::log(x) + std::log(2.0 - x) : std::log1p(-y) + std::log1p(y);
  if (std::isinf(logOneMinusSquare)) {
    return std::copysign(std::numeric_limits<double>::infinity(), y);
  }
  constexpr double a = 0.147;
  const double t = 2.0 / (std::numbers::pi * a) + logOneMinusSquare / 2.0;
  double z = std::copysign(std::sqrt(std::sqrt(t * t - logOneMinusSquare / a) - t), y);
  for (int i = 0; i < 4; ++i) {
    const double error = complement ? x - std::erfc(z) : std::erf(z) - x;
    const double slope = 2.0 * std::numbers::inv_sqrtpi * std::exp(-z * z);
    if (slope == 0.0) {
      break;
    }
    const double step = error / slope;
    // Halley's correction: the second derivative of erf is -2z times the first.
    z -= step / (1.0 + z * step);
  }
  return z;
}

double roundHalfToEven(double x) {
  const double floor = std::floor(x);
  const double fraction = x - floor;
  if (fraction != 0.5) {
    return std::copysign(fraction < 0.5 ? floor : floor + 1.0, x);
  }
  return std::copysign(std::fmod(floor, 2.0) == 0.0 ? floor : floor + 1.0, x);
}

// What is written alike for real and complex numbers; nothing for the rest.
template <class T>
PolymorphicValue unaryOfField(UnaryOpType type, const T& x) {
  switch (type) {
    case UnaryOpType::Acos:
      return std::acos(x);
    case UnaryOpType::Acosh:
      return std::acosh(x);
    case UnaryOpType::Asin:
      return std::asin(x);
    case UnaryOpType::Asinh:
      return std::asinh(x);
    case UnaryOpType::Atan:
      return std::atan(x);
    case UnaryOpType::Atanh:
      return std::atanh(x);
    case UnaryOpType::Cos:
      return std::cos(x);
    case UnaryOpType::Cosh:
      return std::cosh(x);
    case UnaryOpType::Exp:
      return std::exp(x);
    case UnaryOpType::Log:
      return std::log(x);
    case UnaryOpType::Log10:
      return std::log10(x);
    case UnaryOpType::Neg:
      return -x;
    case UnaryOpType::Reciprocal:
      return 1.0 / x;
    case UnaryOpType::Rsqrt:
      return 1.0 / std::sqrt(x);
    case UnaryOpType::Sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case UnaryOpType::Silu:
      return x / (1.0 + std::exp(-x));
    case UnaryOpType::Sin:
      return std::sin(x);
    case UnaryOpType::Sinh:
      return std::sinh(x);
    case UnaryOpType::Sqrt:
      return std::sqrt(x);
    case UnaryOpType::Tan:
      return std::tan(x);
    case UnaryOpType::Tanh:
      return std::tanh(x);
    case UnaryOpType::Cast:
      return x;
    default:
      return {};
  }
}

PolymorphicValue unaryReal(UnaryOpType type, double x) {
  switch (type) {
    case UnaryOpType::Abs:
      return std::fabs(x);
    case UnaryOpType::Ceil:
      return std::ceil(x);
    case UnaryOpType::Erf:
      return std::erf(x);
    case UnaryOpType::Erfc:
      return std::erfc(x);
    case UnaryOpType::Erfcinv:
      return inverseErrorFunction(x, true);
    case UnaryOpType::Erfinv:
      return inverseErrorFunction(x, false);
    case UnaryOpType::Exp2:
      return std::exp2(x);
    case UnaryOpType::Expm1:
      return std::expm1(x);
    case UnaryOpType::Floor:
      return std::floor(x);
    case UnaryOpType::Frac:
      return x - std::trunc(x);
    case UnaryOpType::Gelu:
      return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case UnaryOpType::GeluTanh:
      return 0.5 * x *
             (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case UnaryOpType::IsFinite:
      return std::isfinite(x);
    case UnaryOpType::IsInf:
      return std::isinf(x);
    case UnaryOpType::IsNan:
      return std::isnan(x);
    case UnaryOpType::IsNegInf:
      return std::isinf(x) && x < 0.0;
    case UnaryOpType::IsPosInf:
      return std::isinf(x) && x > 0.0;
    case UnaryOpType::IsReal:
      return true;
    case UnaryOpType::Lgamma:
      return std::lgamma(x);
    case UnaryOpType::Log1p:
      return std::log1p(x);
    case UnaryOpType::Log2:
      return std::log2(x);
    case UnaryOpType::LogicalNot:
      return x == 0.0;
    case UnaryOpType::Real:
      return x;
    case UnaryOpType::Relu:
      return x < 0.0 ? 0.0 : x;
    case UnaryOpType::Round:
      return roundHalfToEven(x);
    case UnaryOpType::Sign:
      return static_cast<double>((x > 0.0) - (x < 0.0));
    case UnaryOpType::Signbit:
      return std::signbit(x);
    case UnaryOpType::Trunc:
      return std::trunc(x);
    default:
      return unaryOfField(type, x);
  }
}

Complex complexExpm1(const Complex& x) {
  const double half = std::sin(x.imag() / 2.0);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2.0 * half * half,
          std::exp(x.real()) * std::sin(x.imag())};
}

Complex complexLog1p(const Complex& x) {
  if (std::abs(x) > 0.5) {
    return std::log(1.0 + x);
  }
  const double a = x.real();
  const double b = x.imag();
  return {0.5 * std::log1p(a * (2.0 + a) + b * b), std::atan2(b, 1.0 + a)};
}

PolymorphicValue unaryComplex(UnaryOpType type, const Complex& x) {
  const bool isNan = std::isnan(x.real()) || std::isnan(x.imag());
  const bool isInf = std::isinf(x.real()) || std::isinf(x.imag());
  switch (type) {
    case UnaryOpType::Abs:
      return std::abs(x);
    case UnaryOpType::Exp2:
      return std::pow(2.0, x);
    case UnaryOpType::Expm1:
      return complexExpm1(x);
    case UnaryOpType::Imag:
      return x.imag();
    case UnaryOpType::IsFinite:
      return !isNan && !isInf;
    case UnaryOpType::IsInf:
      return isInf;
    case UnaryOpType::IsNan:
      return isNan;
    case UnaryOpType::IsReal:
      return x.imag() == 0.0;
    case UnaryOpType::Log1p:
      return complexLog1p(x);
    case UnaryOpType::Log2:
      return std::log(x) / std::numbers::ln2;
    case UnaryOpType::Real:
      return x.real();
    default:
      return unaryOfField(type, x);
  }
}

// Arithmetic wraps around as generated code does; computing it unsigned keeps that defined.
int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bitsOf(int64_t value) { return static_cast<uint64_t>(value); }

PolymorphicValue unaryInteger(UnaryOpType type, int64_t x, bool isUnsigned) {
  switch (type) {
    case UnaryOpType::Abs:
      return isUnsigned || x >= 0 ? x : wrap(-bitsOf(x));
    case UnaryOpType::BitwiseNot:
      return ~x;
    case UnaryOpType::LogicalNot:
      return x == 0;
    case UnaryOpType::Neg:
      return wrap(-bitsOf(x));
    case UnaryOpType::Relu:
      return isUnsigned ? x : std::max<int64_t>(x, 0);
    case UnaryOpType::Sign:
      return isUnsigned ? int64_t{x != 0} : int64_t{x > 0} - int64_t{x < 0};
    case UnaryOpType::Signbit:
      return !isUnsigned && x < 0;
    case UnaryOpType::Ceil:
    case UnaryOpType::Floor:
    case UnaryOpType::Round:
    case UnaryOpType::Trunc:
    case UnaryOpType::Real:
    case UnaryOpType::Cast:
      return x;
    default: {
      PolymorphicValue real =
          unaryReal(type, isUnsigned ? static_cast<double>(bitsOf(x)) : static_cast<double>(x));
      return real;
    }
  }
}

template <typename T>
PolymorphicValue compare(BinaryOpType type, const T& a, const T& b) {
  switch (type) {
    case BinaryOpType::Eq:
      return a == b;
    case BinaryOpType::Ne:
      return a != b;
    default:
      break;
  }
  if constexpr (!std::is_same_v<T, Complex>) {
    switch (type) {
      case BinaryOpType::Lt:
        return a < b;
      case BinaryOpType::Le:
        return a <= b;
      case BinaryOpType::Gt:
        return a > b;
      case BinaryOpType::Ge:
        return a >= b;
      default:
        break;
    }
  }
  return {};
}

PolymorphicValue binaryReal(BinaryOpType type, double a, double b) {
  switch (type) {
    case BinaryOpType::Add:
      return a + b;
    case BinaryOpType::Sub:
      return a - b;
    case BinaryOpType::Mul:
      return a * b;
    case BinaryOpType::Div:
    case BinaryOpType::Truediv:
      return a / b;
    case BinaryOpType::FloorDiv:
      return std::floor(a / b);
    case BinaryOpType::CeilDiv:
      return std::ceil(a / b);
    case BinaryOpType::Atan2:
      return std::atan2(a, b);
    case BinaryOpType::Complex:
      return Complex(a, b);
    case BinaryOpType::Copysign:
      return std::copysign(a, b);
    case BinaryOpType::Fmod:
    case BinaryOpType::Mod:
      return std::fmod(a, b);
    case BinaryOpType::Remainder: {
      const double r = std::fmod(a, b);
      return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
    }
    case BinaryOpType::Maximum:
      return std::isnan(a) || a > b ? a : b;
    case BinaryOpType::Minimum:
      return std::isnan(a) || a < b ? a : b;
    case BinaryOpType::Nextafter:
      return std::nextafter(a, b);
    case BinaryOpType::Pow:
      return std::pow(a, b);
    case BinaryOpType::LogicalAnd:
      return a != 0.0 && b != 0.0;
    case BinaryOpType::LogicalOr:
      return a != 0.0 || b != 0.0;
    default:
      return compare(type, a, b);
  }
}

PolymorphicValue binaryComplex(BinaryOpType type, const Complex& a, const Complex& b) {
  switch (type) {
    case BinaryOpType::Add:
      return a + b;
    case BinaryOpType::Sub:
      return a - b;
    case BinaryOpType::Mul:
      return a * b;
    case BinaryOpType::Div:
    case BinaryOpType::Truediv:
      return a / b;
    case BinaryOpType::Pow:
      return std::pow(a, b);
    default:
      return compare(type, a, b);
  }
}

int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    // The truncated reciprocal.
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  uint64_t result = 1;
  uint64_t power = bitsOf(base);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result *= power;
    }
    power *= power;
  }
  return wrap(result);
}

// Division and remainders of signed integers, each direction of rounding.
PolymorphicValue divideIntegers(BinaryOpType type, int64_t a, int64_t b) {
  NVF_CHECK(b != 0, "Integer division by zero: ", info(type).name, " of ", a, " and 0");
  // The one quotient that overflows: -2^63 / -1.
  const int64_t quotient = b == -1 ? wrap(-bitsOf(a)) : a / b;
  const int64_t remainder = b == -1 ? 0 : a % b;
  const bool signsDiffer = remainder != 0 && (remainder < 0) != (b < 0);
  switch (type) {
    case BinaryOpType::FloorDiv:
      return signsDiffer ? quotient - 1 : quotient;
    case BinaryOpType::CeilDiv:
      return remainder != 0 && !signsDiffer ? quotient + 1 : quotient;
    case BinaryOpType::Mod:
    case BinaryOpType::Fmod:
      return remainder;
    case BinaryOpType::Remainder:
      return signsDiffer ? remainder + b : remainder;
    default:
      return quotient;
  }
}

PolymorphicValue divideUnsigned(BinaryOpType type, uint64_t a, uint64_t b) {
  NVF_CHECK(b != 0, "Integer division by zero: ", info(type).name, " of ", a, " and 0");
  switch (type) {
    case BinaryOpType::CeilDiv:
      return wrap(a / b + (a % b != 0 ? 1 : 0));
    case BinaryOpType::Mod:
    case BinaryOpType::Fmod:
    case BinaryOpType::Remainder:
      return wrap(a % b);
    default:
      return wrap(a / b);
  }
}

PolymorphicValue binaryInteger(BinaryOpType type, int64_t a, int64_t b, DataType dtype) {
  const bool isUnsigned = dtype == DataType::UInt64;
  const int64_t width = isIntegralType(dtype) ? info(dtype).bits : 64;
  const bool isShiftInRange = b >= 0 && b < width;
  switch (type) {
    case BinaryOpType::Add:
      return wrap(bitsOf(a) + bitsOf(b));
    case BinaryOpType::Sub:
      return wrap(bitsOf(a) - bitsOf(b));
    case BinaryOpType::Mul:
      return wrap(bitsOf(a) * bitsOf(b));
    case BinaryOpType::Div:
    case BinaryOpType::FloorDiv:
    case BinaryOpType::CeilDiv:
    case BinaryOpType::Mod:
    case BinaryOpType::Fmod:
    case BinaryOpType::Remainder:
      return isUnsigned ? divideUnsigned(type, bitsOf(a), bitsOf(b)) : divideIntegers(type, a, b);
    case BinaryOpType::BitwiseAnd:
      return a & b;
    case BinaryOpType::BitwiseOr:
      return a | b;
    case BinaryOpType::BitwiseXor:
      return a ^ b;
    case BinaryOpType::BitwiseLeftShift:
      return isShiftInRange ? wrap(bitsOf(a) << b) : int64_t{0};
    case BinaryOpType::BitwiseRightShift:
      if (isUnsigned) {
        return isShiftInRange ? wrap(bitsOf(a) >> b) : int64_t{0};
      }
      return a >> (isShiftInRange ? b : 63);
    case BinaryOpType::LogicalRightShift: {
      const uint64_t bits = bitsOf(a) & ~uint64_t{0} >> (64 - width);
      return isShiftInRange ? wrap(bits >> b) : int64_t{0};
    }
    case BinaryOpType::Gcd:
      return isUnsigned ? wrap(std::gcd(bitsOf(a), bitsOf(b))) : std::gcd(a, b);
    case BinaryOpType::Lcm: {
      const uint64_t x = isUnsigned || a >= 0 ? bitsOf(a) : 0 - bitsOf(a);
      const uint64_t y = isUnsigned || b >= 0 ? bitsOf(b) : 0 - bitsOf(b);
      return x == 0 ? int64_t{0} : wrap(x / std::gcd(x, y) * y);
    }
    case BinaryOpType::Maximum:
      return isUnsigned ? wrap(std::max(bitsOf(a), bitsOf(b))) : std::max(a, b);
    case BinaryOpType::Minimum:
      return isUnsigned ? wrap(std::min(bitsOf(a), bitsOf(b))) : std::min(a, b);
    case BinaryOpType::Pow:
      return integerPower(a, b);
    case BinaryOpType::LogicalAnd:
      return a != 0 && b != 0;
    case BinaryOpType::LogicalOr:
      return a != 0 || b != 0;
    default:
      return isUnsigned ? compare(type, bitsOf(a), bitsOf(b)) : compare(type, a, b);
  }
}

PolymorphicValue binaryBool(BinaryOpType type, bool a, bool b) {
  if (has(type, OpTraits::BoolAnd)) {
    return a && b;
  }
  if (has(type, OpTraits::BoolOr)) {
    return a || b;
  }
  return has(type, OpTraits::BoolXor) ? PolymorphicValue(a != b)
                                      : binaryInteger(type, a, b, DataType::Int);
}

[[noreturn]] void failUndefined(const char* op, DataType dtype) {
  fail("The operation ", op, " is not defined for scalars of type ", dtype);
}

}  // namespace

PolymorphicValue evaluateOp(UnaryOpType type, const PolymorphicValue& x, DataType computeType,
                            DataType resultType) {
  const PolymorphicValue operand = castScalar(x, computeType);
  PolymorphicValue result;
  if (operand.is<bool>()) {
    const bool b = operand.as<bool>();
    const bool isComplement = type == UnaryOpType::BitwiseNot || type == UnaryOpType::LogicalNot;
    result = isComplement ? PolymorphicValue(!b) : unaryInteger(type, b, false);
  } else if (operand.is<int64_t>()) {
    result = unaryInteger(type, operand.as<int64_t>(), computeType == DataType::UInt64);
  } else if (operand.is<double>()) {
    result = unaryReal(type, operand.as<double>());
  } else {
    result = unaryComplex(type, operand.as<Complex>());
  }
  if (result.isNull()) {
    failUndefined(info(type).name, computeType);
  }
  return castScalar(result, resultType);
}

PolymorphicValue evaluateOp(BinaryOpType type, const PolymorphicValue& lhs,
                            const PolymorphicValue& rhs, DataType computeType,
                            DataType resultType) {
  const PolymorphicValue a = castScalar(lhs, computeType);
  const PolymorphicValue b = castScalar(rhs, computeType);
  PolymorphicValue result;
  if (a.is<bool>()) {
    result = binaryBool(type, a.as<bool>(), b.as<bool>());
  } else if (a.is<int64_t>()) {
    result = binaryInteger(type, a.as<int64_t>(), b.as<int64_t>(), computeType);
  } else if (a.is<double>()) {
    if (type == BinaryOpType::Nextafter && computeType == DataType::Float) {
      result = static_cast<double>(
          std::nextafterf(static_cast<float>(a.as<double>()), static_cast<float>(b.as<double>())));
    } else {
      result = binaryReal(type, a.as<double>(), b.as<double>());
    }
  } else {
    result = binaryComplex(type, a.as<Complex>(), b.as<Complex>());
  }
  if (result.isNull()) {
    failUndefined(info(type).name, computeType);
  }
  return castScalar(result, resultType);
}

PolymorphicValue evaluateOp(TernaryOpType type, std::span<const PolymorphicValue> inputs,
                            DataType computeType, DataType resultType) {
  const auto binary = [&](BinaryOpType op, const PolymorphicValue& a, const PolymorphicValue& b) {
    return evaluateOp(op, a, b, computeType, computeType);
  };
  PolymorphicValue result;
  switch (type) {
    case TernaryOpType::Where:
      result = castScalar(inputs[0], DataType::Bool).as<bool>() ? inputs[1] : inputs[2];
      break;
    case TernaryOpType::Clamp:
      result = binary(BinaryOpType::Minimum, binary(BinaryOpType::Maximum, inputs[0], inputs[1]),
                      inputs[2]);
      break;
    case TernaryOpType::Threshold:
      result =
          evaluateOp(BinaryOpType::Gt, inputs[0], inputs[1], computeType, DataType::Bool).as<bool>()
              ? inputs[0]
              : inputs[2];
      break;
    case TernaryOpType::Lerp:
      result = binary(
          BinaryOpType::Add, inputs[0],
          binary(BinaryOpType::Mul, inputs[2], binary(BinaryOpType::Sub, inputs[1], inputs[0])));
      break;
    case TernaryOpType::Addcmul:
      result = binary(
          BinaryOpType::Add, inputs[0],
          binary(BinaryOpType::Mul, binary(BinaryOpType::Mul, inputs[3], inputs[1]), inputs[2]));
      break;
  }
  return castScalar(result, resultType);
}

namespace {

// The dtype in which the operands of a scalar expression meet.
DataType computeTypeOf(const Expr* expr) {
  DataType dtype = DataType::Null;
  // The condition of `where` takes no part in its arithmetic.
  const auto* ternary = expr->as<TernaryOp>();
  const size_t first = ternary != nullptr && ternary->type() == TernaryOpType::Where ? 1 : 0;
  for (size_t i = first; i < expr->inputs().size(); ++i) {
    dtype = promoteTypes(dtype, expr->input(i)->dtype());
  }
  // A result that is wider than the operands, such as the Float of an integer's logarithm, says in
  // which type the operation was meant.
  const DataType result = expr->output(0)->dtype();
  const bool isWider = !isBooleanType(result) && kindOf(result) > kindOf(dtype);
  return isWider ? realTypeOf(result) : dtype;
}

PolymorphicValue evaluateExpr(const Expr* expr, std::span<const PolymorphicValue> inputs) {
  const DataType resultType = expr->output(0)->dtype();
  const DataType computeType = computeTypeOf(expr);
  std::vector<PolymorphicValue> operands(inputs.begin(), inputs.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (expr->input(i)->dtype() == DataType::UInt64) {
      operands[i] = castScalar(operands[i], DataType::UInt64, computeType);
    }
  }
  if (const auto* unary = expr->as<UnaryOp>()) {
    if (unary->type() == UnaryOpType::Cast) {
      return castScalar(inputs[0], expr->input(0)->dtype(), resultType);
    }
    return evaluateOp(unary->type(), operands[0], computeType, resultType);
  }
  if (const auto* binary = expr->as<BinaryOp>()) {
    return evaluateOp(binary->type(), operands[0], operands[1], computeType, resultType);
  }
  return evaluateOp(static_cast<const TernaryOp*>(expr)->type(), operands, computeType, resultType);
}

bool isScalarExpr(const Expr* expr) {
  return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>();
}

}  // namespace

PolymorphicValue foldConstants(const Expr* expr) {
  if (!isScalarExpr(expr)) {
    return {};
  }
  std::vector<PolymorphicValue> inputs;
  for (const Val* in : expr->inputs()) {
    if (!in->isConst()) {
      return {};
    }
    inputs.push_back(in->value());
  }
  return evaluateExpr(expr, inputs);
}

void ExpressionEvaluator::bind(const Val* val, const PolymorphicValue& value) {
  NVF_CHECK(val->isScalar() && !val->isConst(), "Only a symbolic scalar can be given a value, not ",
            val->toString());
  // Nothing was computed from what had no value.
  if (find(val) != nullptr) {
    computed_.clear();
  }
  bound_[val] = castScalar(value, val->dtype());
}

const PolymorphicValue* ExpressionEvaluator::find(const Val* val) const {
  if (val->isConst()) {
    return &val->value();
  }
  if (const auto known = bound_.find(val); known != bound_.end()) {
    return &known->second;
  }
  if (const auto known = computed_.find(val); known != computed_.end()) {
    return &known->second;
  }
  return nullptr;
}

const PolymorphicValue& ExpressionEvaluator::evaluate(const Val* val) {
  static const PolymorphicValue unknown;
  if (const PolymorphicValue* value = find(val)) {
    return *value;
  }
  // An explicit stack: chains of scalar operations may be thousands deep.
  std::unordered_set<const Val*> visited;
  std::vector<const Val*> stack{val};
  std::vector<PolymorphicValue> inputs;
  while (!stack.empty()) {
    const Val* top = stack.back();
    const Expr* definition = top->definition();
    if (find(top) != nullptr || definition == nullptr || !isScalarExpr(definition)) {
      stack.pop_back();
      continue;
    }
    if (visited.insert(top).second) {
      stack.insert(stack.end(), definition->inputs().begin(), definition->inputs().end());
      continue;
    }
    stack.pop_back();
    inputs.clear();
    for (const Val* in : definition->inputs()) {
      const PolymorphicValue* value = find(in);
      if (value == nullptr) {
        break;
      }
      inputs.push_back(*value);
    }
    if (inputs.size() == definition->inputs().size()) {
      computed_.emplace(top, evaluateExpr(definition, inputs));
    }
  }
  const PolymorphicValue* value = find(val);
  return value != nullptr ? *value : unknown;
}

const PolymorphicValue& ExpressionEvaluator::evaluate(
    const Val* val, const std::function<PolymorphicValue(const Val*)>& valueOf) {
  // Each value once: sums of sums have far more paths to a symbol than values on them.
  std::unordered_set<const Val*> visited;
  std::vector<const Val*> stack{val};
  while (!stack.empty()) {
    const Val* top = stack.back();
    stack.pop_back();
    if (!top->isScalar() || find(top) != nullptr || !visited.insert(top).second) {
      continue;
    }
    if (const Expr* definition = top->definition()) {
      stack.insert(stack.end(), definition->inputs().begin(), definition->inputs().end());
    } else if (PolymorphicValue value = valueOf(top); !value.isNull()) {
      bind(top, value);
    }
  }
  return evaluate(val);
}

}  // namespace nvfuser
