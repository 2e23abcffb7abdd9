// The element-wise operations: one row an operation, everything else is derived from these rows.
//
// A row is X(enumerator, name, promotion, printed form, traits, summary): `name` is what Python
// calls it and what the emitters' function libraries are keyed by; an empty printed form means
// "call of the name".
#pragma once

#include <cstdint>

// How operand dtypes become the dtype of the result; the rules are implemented in
// ops/promotion.cpp.
namespace nvfuser {
enum class Promotion {
  Same,      // the input's dtype
  Default,   // common dtype, reduced precision becomes Float
  Float,     // Default, and bool or integers become Float
  Full,      // Default, and must be Float or Double
  Compare,   // operands as Default, result Bool
  Logical,   // operands cast to Bool, result Bool
  Bitwise,   // integers as Default; two Bools use the logical equivalent
  Integer,   // integers only, as Default
  Predicate  // result Bool, operand untouched
};

// What else is true of an operation: a set of these, written Cheap | Real.
enum class OpTraits : uint16_t {
  Plain = 0,
  // Of one operand: takes many instructions. With the promotion Same the operand must be of
  // floating point, because the dtypes of integers do not hold the results.
  Function = 1 << 0,
  Cheap = 1 << 1,  // one instruction at full rate: sooner computed again than kept
  Real = 1 << 2,   // not of complex numbers
  // The libraries have a form for results that are rounded to 16 bits or fewer, called NAME_narrow.
  Narrow = 1 << 3,
  // A small relative error of an operand is a small relative error of the result.
  Relative = 1 << 4,
  Positive = 1 << 5,     // never below 0, so that sums of the results do not cancel
  ExactSame = 1 << 6,    // of a Bool or an integer: the operand
  ExactTrue = 1 << 7,    // of a Bool or an integer: true
  ExactFalse = 1 << 8,   // of a Bool or an integer: false
  BoolSame = 1 << 9,     // of a Bool: the operand
  BoolOr = 1 << 10,      // of two Bools: or
  BoolAnd = 1 << 11,     // of two Bools: and
  BoolXor = 1 << 12,     // of two Bools: inequality
  KeepsDigits = 1 << 13  // the result has no more digits than the operands: it needs no rounding
};
constexpr OpTraits operator|(OpTraits a, OpTraits b) {
  return static_cast<OpTraits>(static_cast<uint16_t>(a) | static_cast<uint16_t>(b));
}
// Whether they have one in common.
constexpr bool operator&(OpTraits a, OpTraits b) {
  return (static_cast<uint16_t>(a) & static_cast<uint16_t>(b)) != 0;
}
}  // namespace nvfuser

// clang-format off
#define NVF_UNARY_OPS(X)                                                                           \
  X(Abs, "abs", Same, "", Cheap | Relative | BoolSame | KeepsDigits, "absolute value; of a complex number its modulus, real") \
  X(Acos, "acos", Float, "", Function, "inverse cosine in radians")                                 \
  X(Acosh, "acosh", Float, "", Function, "inverse hyperbolic cosine")                               \
  X(Asin, "asin", Float, "", Function, "inverse sine in radians")                                   \
  X(Asinh, "asinh", Float, "", Function, "inverse hyperbolic sine")                                 \
  X(Atan, "atan", Float, "", Function, "inverse tangent in radians")                                \
  X(Atanh, "atanh", Float, "", Function, "inverse hyperbolic tangent")                              \
  X(BitwiseNot, "bitwise_not", Same, "~", Plain, "bitwise complement of integers; of Bool the logical not") \
  X(Ceil, "ceil", Same, "", Real | ExactSame | KeepsDigits, "smallest integer not below") \
  X(Cos, "cos", Float, "", Function, "cosine of radians")                                           \
  X(Cosh, "cosh", Float, "", Function, "hyperbolic cosine")                                         \
  X(Erf, "erf", Float, "", Function | Real, "error function")                                       \
  X(Erfc, "erfc", Float, "", Function | Real, "complementary error function, 1 - erf")              \
  X(Erfcinv, "erfcinv", Float, "", Function | Real, "inverse of erfc")                              \
  X(Erfinv, "erfinv", Float, "", Function | Real, "inverse of erf")                                 \
  X(Exp, "exp", Float, "", Function | Narrow | Positive, "e to the power of the input")             \
  X(Exp2, "exp2", Float, "", Function | Narrow | Positive, "2 to the power of the input")           \
  X(Expm1, "expm1", Float, "", Function, "exp(x) - 1, accurate near 0")                             \
  X(Floor, "floor", Same, "", Real | ExactSame | KeepsDigits, "largest integer not above") \
  X(Frac, "frac", Same, "", Real, "x - trunc(x)")                                                   \
  X(Gelu, "gelu", Same, "", Function | Real | Narrow, "Gaussian error linear unit x * Phi(x), by erf") \
  X(GeluTanh, "gelu_tanh", Same, "", Function | Real | Narrow, "tanh approximation of the Gaussian error linear unit") \
  X(Imag, "imag", Same, "", Plain, "imaginary part of a complex number")                            \
  X(IsFinite, "isfinite", Predicate, "", ExactTrue, "neither infinite nor NaN")                     \
  X(IsInf, "isinf", Predicate, "", ExactFalse, "positive or negative infinity")                     \
  X(IsNan, "isnan", Predicate, "", ExactFalse, "not a number")                                      \
  X(IsNegInf, "isneginf", Predicate, "", Real | ExactFalse, "negative infinity")                    \
  X(IsPosInf, "isposinf", Predicate, "", Real | ExactFalse, "positive infinity")                    \
  X(IsReal, "isreal", Predicate, "", ExactTrue, "imaginary part is zero")                           \
  X(Lgamma, "lgamma", Float, "", Function | Real, "logarithm of the absolute value of the gamma function") \
  X(Log, "log", Float, "", Function, "natural logarithm")                                           \
  X(Log10, "log10", Float, "", Function, "logarithm to base 10")                                    \
  X(Log1p, "log1p", Float, "", Function, "log(1 + x), accurate near 0")                             \
  X(Log2, "log2", Float, "", Function, "logarithm to base 2")                                       \
  X(LogicalNot, "logical_not", Logical, "!", Plain, "logical not")                                  \
  X(Neg, "neg", Default, "-", Cheap | Relative | KeepsDigits, "negation") \
  X(Real, "real", Same, "", Plain, "real part of a complex number; a real tensor is copied")        \
  X(Reciprocal, "reciprocal", Float, "", Function | Relative, "1 / x")                              \
  X(Relu, "relu", Same, "", Cheap | Real | Relative | BoolSame | KeepsDigits, "max(x, 0), NaN stays NaN") \
  X(Round, "round", Same, "", Real | ExactSame | KeepsDigits, "nearest integer, halfway cases to even") \
  X(Rsqrt, "rsqrt", Float, "", Function | Relative, "1 / sqrt(x)")                                  \
  X(Sigmoid, "sigmoid", Float, "", Function | Narrow | Positive, "logistic function 1 / (1 + exp(-x))") \
  X(Sign, "sign", Same, "", Real | BoolSame | KeepsDigits, "-1, 0 or 1; NaN gives 0") \
  X(Signbit, "signbit", Predicate, "", Real, "whether the sign bit is set")                         \
  X(Silu, "silu", Same, "", Function | Narrow, "x * sigmoid(x)")                                    \
  X(Sin, "sin", Float, "", Function, "sine of radians")                                             \
  X(Sinh, "sinh", Float, "", Function, "hyperbolic sine")                                           \
  X(Sqrt, "sqrt", Float, "", Function | Relative, "square root")                                    \
  X(Tan, "tan", Float, "", Function, "tangent of radians")                                          \
  X(Tanh, "tanh", Float, "", Function | Narrow, "hyperbolic tangent")                               \
  X(Trunc, "trunc", Same, "", Real | ExactSame | KeepsDigits, "integer part, rounded toward zero")

#define NVF_BINARY_OPS(X)                                                                          \
  X(Add, "add", Default, "+", Cheap | BoolOr, "lhs + rhs")                                          \
  X(Atan2, "atan2", Float, "", Real, "angle of the point (rhs, lhs) in radians")                    \
  X(BitwiseAnd, "bitwise_and", Bitwise, "&", BoolAnd, "bitwise and; of two Bools the logical and")  \
  X(BitwiseLeftShift, "bitwise_left_shift", Integer, "<<", Plain, "lhs shifted left by rhs bits")   \
  X(BitwiseOr, "bitwise_or", Bitwise, "|", BoolOr, "bitwise or; of two Bools the logical or")       \
  X(BitwiseRightShift, "bitwise_right_shift", Integer, ">>", Plain, "sign-extending shift right")   \
  X(BitwiseXor, "bitwise_xor", Bitwise, "^", BoolXor, "bitwise exclusive or; of two Bools inequality") \
  X(Complex, "complex", Default, "", Plain, "the complex number lhs + rhs * i")                     \
  X(Copysign, "copysign", Float, "", Cheap | Real, "the magnitude of lhs with the sign of rhs")     \
  X(Div, "div", Default, "/", Relative, "quotient; of integers truncated toward zero")              \
  X(Eq, "eq", Compare, "==", Cheap, "lhs == rhs")                                                   \
  X(FloorDiv, "floor_div", Default, "", Real, "quotient rounded toward minus infinity")             \
  X(Fmod, "fmod", Default, "", Real, "remainder with the sign of lhs")                              \
  X(Gcd, "gcd", Integer, "", Plain, "greatest common divisor")                                      \
  X(Ge, "ge", Compare, ">=", Cheap | Real, "lhs >= rhs")                                            \
  X(Gt, "gt", Compare, ">", Cheap | Real, "lhs > rhs")                                              \
  X(Lcm, "lcm", Integer, "", Plain, "least common multiple, not negative; 0 where one is 0")        \
  X(Le, "le", Compare, "<=", Cheap | Real, "lhs <= rhs")                                            \
  X(LogicalAnd, "logical_and", Logical, "&&", BoolAnd, "both true")                                 \
  X(LogicalOr, "logical_or", Logical, "||", BoolOr, "either true")                                  \
  X(LogicalRightShift, "logical_right_shift", Integer, "", Plain, "zero-filling shift right; a shift by the width or more gives 0") \
  X(Lt, "lt", Compare, "<", Cheap | Real, "lhs < rhs")                                              \
  X(Maximum, "maximum", Default, "", Real | BoolOr | KeepsDigits, "the larger, NaN propagates") \
  X(Minimum, "minimum", Default, "", Real | BoolAnd | KeepsDigits, "the smaller, NaN propagates") \
  X(Mod, "mod", Default, "%", Real, "truncated remainder, sign of lhs")                             \
  X(Mul, "mul", Default, "*", Cheap | Relative | BoolAnd, "lhs * rhs")                              \
  X(Ne, "ne", Compare, "!=", Cheap, "lhs != rhs")                                                   \
  X(Nextafter, "nextafter", Full, "", Plain, "the next value from lhs toward rhs")                  \
  X(Pow, "pow", Default, "", Plain, "lhs to the power rhs")                                         \
  X(Remainder, "remainder", Default, "", Real, "remainder with the sign of rhs")                    \
  X(Sub, "sub", Default, "-", Cheap | BoolXor, "lhs - rhs")                                         \
  X(Truediv, "truediv", Float, "/", Relative, "quotient in floating point")

#define NVF_TERNARY_OPS(X)                                                                         \
  X(Lerp, "lerp", Default, "", Plain, "start + weight * (end - start)")                             \
  X(Where, "where", Default, "", Plain, "a where the condition holds, else b")                      \
  X(Clamp, "clamp", Same, "", Plain, "x limited to the range min to max")                            \
  X(Threshold, "threshold", Same, "", Plain, "x where x > threshold, else value")                    \
  X(Addcmul, "addcmul", Default, "", Plain, "a + alpha * b * c")
// clang-format on
