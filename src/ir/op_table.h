// The element-wise operations: one row an operation, everything else is derived from these rows.
//
// A row is X(enumerator, name, promotion, printed form, summary): `name` is what Python calls it
// and what the emitters' function libraries are keyed by; an empty printed form means "call of the
// name".
#pragma once

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
}  // namespace nvfuser

// clang-format off
#define NVF_UNARY_OPS(X)                                                                           \
  X(Abs, "abs", Same, "", "absolute value; of a complex number its modulus, real")                 \
  X(Acos, "acos", Float, "", "inverse cosine in radians")                                          \
  X(Acosh, "acosh", Float, "", "inverse hyperbolic cosine")                                        \
  X(Asin, "asin", Float, "", "inverse sine in radians")                                            \
  X(Asinh, "asinh", Float, "", "inverse hyperbolic sine")                                          \
  X(Atan, "atan", Float, "", "inverse tangent in radians")                                         \
  X(Atanh, "atanh", Float, "", "inverse hyperbolic tangent")                                       \
  X(BitwiseNot, "bitwise_not", Same, "~", "bitwise complement of integers; of Bool the logical not") \
  X(Ceil, "ceil", Same, "", "smallest integer not below")                                          \
  X(Cos, "cos", Float, "", "cosine of radians")                                                    \
  X(Cosh, "cosh", Float, "", "hyperbolic cosine")                                                  \
  X(Erf, "erf", Float, "", "error function")                                                       \
  X(Erfc, "erfc", Float, "", "complementary error function, 1 - erf")                              \
  X(Erfcinv, "erfcinv", Float, "", "inverse of erfc")                                              \
  X(Erfinv, "erfinv", Float, "", "inverse of erf")                                                 \
  X(Exp, "exp", Float, "", "e to the power of the input")                                          \
  X(Exp2, "exp2", Float, "", "2 to the power of the input")                                        \
  X(Expm1, "expm1", Float, "", "exp(x) - 1, accurate near 0")                                      \
  X(Floor, "floor", Same, "", "largest integer not above")                                         \
  X(Frac, "frac", Same, "", "x - trunc(x)")                                                        \
  X(Gelu, "gelu", Same, "", "Gaussian error linear unit x * Phi(x), by erf")                       \
  X(GeluTanh, "gelu_tanh", Same, "", "tanh approximation of the Gaussian error linear unit")       \
  X(Imag, "imag", Same, "", "imaginary part of a complex number")                                  \
  X(IsFinite, "isfinite", Predicate, "", "neither infinite nor NaN")                               \
  X(IsInf, "isinf", Predicate, "", "positive or negative infinity")                                \
  X(IsNan, "isnan", Predicate, "", "not a number")                                                 \
  X(IsNegInf, "isneginf", Predicate, "", "negative infinity")                                      \
  X(IsPosInf, "isposinf", Predicate, "", "positive infinity")                                      \
  X(IsReal, "isreal", Predicate, "", "imaginary part is zero")                                     \
  X(Lgamma, "lgamma", Float, "", "logarithm of the absolute value of the gamma function")          \
  X(Log, "log", Float, "", "natural logarithm")                                                    \
  X(Log10, "log10", Float, "", "logarithm to base 10")                                             \
  X(Log1p, "log1p", Float, "", "log(1 + x), accurate near 0")                                      \
  X(Log2, "log2", Float, "", "logarithm to base 2")                                                \
  X(LogicalNot, "logical_not", Logical, "!", "logical not")                                        \
  X(Neg, "neg", Default, "-", "negation")                                                          \
  X(Real, "real", Same, "", "real part of a complex number; a real tensor is copied")              \
  X(Reciprocal, "reciprocal", Float, "", "1 / x")                                                  \
  X(Relu, "relu", Same, "", "max(x, 0), NaN stays NaN")                                            \
  X(Round, "round", Same, "", "nearest integer, halfway cases to even")                            \
  X(Rsqrt, "rsqrt", Float, "", "1 / sqrt(x)")                                                      \
  X(Sigmoid, "sigmoid", Float, "", "logistic function 1 / (1 + exp(-x))")                          \
  X(Sign, "sign", Same, "", "-1, 0 or 1; NaN gives 0")                                             \
  X(Signbit, "signbit", Predicate, "", "whether the sign bit is set")                              \
  X(Silu, "silu", Same, "", "x * sigmoid(x)")                                                      \
  X(Sin, "sin", Float, "", "sine of radians")                                                      \
  X(Sinh, "sinh", Float, "", "hyperbolic sine")                                                    \
  X(Sqrt, "sqrt", Float, "", "square root")                                                        \
  X(Tan, "tan", Float, "", "tangent of radians")                                                   \
  X(Tanh, "tanh", Float, "", "hyperbolic tangent")                                                 \
  X(Trunc, "trunc", Same, "", "integer part, rounded toward zero")

#define NVF_BINARY_OPS(X)                                                                          \
  X(Add, "add", Default, "+", "lhs + rhs")                                                         \
  X(Atan2, "atan2", Float, "", "angle of the point (rhs, lhs) in radians")                         \
  X(BitwiseAnd, "bitwise_and", Bitwise, "&", "bitwise and; of two Bools the logical and")          \
  X(BitwiseLeftShift, "bitwise_left_shift", Integer, "<<", "lhs shifted left by rhs bits")         \
  X(BitwiseOr, "bitwise_or", Bitwise, "|", "bitwise or; of two Bools the logical or")              \
  X(BitwiseRightShift, "bitwise_right_shift", Integer, ">>", "sign-extending shift right")         \
  X(BitwiseXor, "bitwise_xor", Bitwise, "^", "bitwise exclusive or; of two Bools inequality")      \
  X(Complex, "complex", Default, "", "the complex number lhs + rhs * i")                           \
  X(Div, "div", Default, "/", "quotient; of integers truncated toward zero")                       \
  X(Eq, "eq", Compare, "==", "lhs == rhs")                                                         \
  X(FloorDiv, "floor_div", Default, "", "quotient rounded toward minus infinity")                  \
  X(Fmod, "fmod", Default, "", "remainder with the sign of lhs")                                   \
  X(Gcd, "gcd", Integer, "", "greatest common divisor")                                            \
  X(Ge, "ge", Compare, ">=", "lhs >= rhs")                                                         \
  X(Gt, "gt", Compare, ">", "lhs > rhs")                                                           \
  X(Le, "le", Compare, "<=", "lhs <= rhs")                                                         \
  X(LogicalAnd, "logical_and", Logical, "&&", "both true")                                         \
  X(LogicalOr, "logical_or", Logical, "||", "either true")                                         \
  X(LogicalRightShift, "logical_right_shift", Integer, "", "zero-filling shift right; a shift by the width or more gives 0") \
  X(Lt, "lt", Compare, "<", "lhs < rhs")                                                           \
  X(Maximum, "maximum", Default, "", "the larger, NaN propagates")                                 \
  X(Minimum, "minimum", Default, "", "the smaller, NaN propagates")                                \
  X(Mod, "mod", Default, "%", "truncated remainder, sign of lhs")                                  \
  X(Mul, "mul", Default, "*", "lhs * rhs")                                                         \
  X(Ne, "ne", Compare, "!=", "lhs != rhs")                                                         \
  X(Nextafter, "nextafter", Full, "", "the next value from lhs toward rhs")                        \
  X(Pow, "pow", Default, "", "lhs to the power rhs")                                               \
  X(Remainder, "remainder", Default, "", "remainder with the sign of rhs")                         \
  X(Sub, "sub", Default, "-", "lhs - rhs")                                                         \
  X(Truediv, "truediv", Float, "/", "quotient in floating point")

#define NVF_TERNARY_OPS(X)                                                                         \
  X(Lerp, "lerp", Default, "", "start + weight * (end - start)")                                   \
  X(Where, "where", Default, "", "a where the condition holds, else b")                            \
  X(Clamp, "clamp", Same, "", "x limited to the range min to max")                                 \
  X(Threshold, "threshold", Same, "", "x where x > threshold, else value")                         \
  X(Addcmul, "addcmul", Default, "", "a + alpha * b * c")
// clang-format on
