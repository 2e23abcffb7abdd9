#include "emit/llvm/scalars.h"

#include <algorithm>

#include "core/error.h"
#include "emit/common.h"
#include "ir/traversal.h"

namespace nvfuser::llvm {

std::string Scalars::constant(const PolymorphicValue& value, DataType dtype) {
  if (dtype == DataType::FloatMoments) {
    return "zeroinitializer";  // of no values
  }
  const PolymorphicValue cast = castScalar(value, dtype);
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return cast.as<bool>() ? "true" : "false";
    case TypeKind::Integral:
      return std::to_string(cast.as<int64_t>());
    case TypeKind::Floating: {
      if (!isReducedPrecision(dtype)) {
        return hexDouble(cast.as<double>());
      }
      return operations_.convert({hexDouble(cast.as<double>()), DataType::Float}, dtype).name;
    }
    default: {
      const auto z = cast.as<std::complex<double>>();
      // LLVM takes numbers of the type only.
      const DataType real = realTypeOf(dtype);
      const auto part = [&](double number) {
        return std::string(registerType(real)) + " " + constant(number, real);
      };
      return "{ " + part(z.real()) + ", " + part(z.imag()) + " }";
    }
  }
}

std::string Scalars::operator()(const Val* val) {
  if (val->isConst()) {
    return constant(val->value(), val->dtype());
  }
  const auto isKnown = [&](const Val* v) { return v->isConst() || text_.find(v) != nullptr; };
  visitOperandsFirst(val, isKnown,
                     [&](const Val* v) { text_.scalar(v, [&] { return compute(v); }); });
  return *text_.find(val);
}

void Scalars::startFrom(const Val* index, int64_t start) {
  if (start > 0) {
    least_[index] = start;
  } else {
    least_.erase(index);
  }
}

namespace {

// Counts the terms of a sum down from `left`; what is left, not below 0.
int64_t termsLeft(const Val* val, int64_t left) {
  const auto* sum = val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
  if (left == 0 || sum == nullptr || sum->type() != BinaryOpType::Add) {
    return std::max<int64_t>(left - 1, 0);
  }
  return termsLeft(sum->rhs(), termsLeft(sum->lhs(), left));
}

// LLVM compares sums of sizes term by term, such as where the parts of a concatenation begin.
bool isLongSum(const Val* val) {
  constexpr int64_t kMostTerms = 8;
  return val->dtype() == DataType::Index && termsLeft(val, kMostTerms + 1) == 0;
}

}  // namespace

std::string Scalars::compute(const Val* val) {
  Expr* expr = val->definition();
  NVF_INTERNAL_CHECK(expr != nullptr, "scalar ", val->toString(), " is not a kernel parameter");
  std::vector<Register> inputs;
  for (Val* in : expr->inputs()) {
    inputs.push_back({(*this)(in), in->dtype()});
  }
  Register result{"", val->dtype()};
  switch (expr->kind()) {
    case ExprKind::Unary:
      result =
          operations_.unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], val->dtype());
      break;
    case ExprKind::Binary:
      result =
          isOfIndices(expr, inputs[0].dtype, val->dtype(), least_)
              ? indexArithmetic(static_cast<BinaryOpType>(expr->attribute(0)), inputs, val->dtype())
              : operations_.binary(expr, inputs, val->dtype());
      break;
    case ExprKind::Ternary:
      result =
          operations_.ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, val->dtype());
      break;
    default:
      fail("Not a scalar operation: ", expr->toString());
  }
  const std::string name = operations_.convert(result, val->dtype()).name;
  return isLongSum(val) ? text_.opaque(name) : name;
}

// An extent may be 0; the loops over it are never entered, but what they divide by it is computed
// before them.
std::string Scalars::divisor(const std::string& name) {
  return name.front() != '%'
             ? name
             : text_.define("i", "call i64 @llvm.umax.i64(i64 " + name + ", i64 1)");
}

// Index expressions are non-negative where they are divided (see ir/scalar.h).
Register Scalars::indexArithmetic(BinaryOpType type, const std::vector<Register>& in,
                                  DataType out) {
  const std::string lhs = operations_.convert(in[0], DataType::Index).name;
  const std::string rhs = operations_.convert(in[1], DataType::Index).name;
  const std::string operands = "i64 " + lhs + ", " + rhs;
  const auto opaque = [&](const std::string& instruction) {
    return Register{text_.opaque(text_.define("i", instruction)), DataType::Index};
  };
  const auto call = [&](const char* intrinsic) {
    return opaque(std::string("call i64 @llvm.") + intrinsic + ".i64(i64 " + lhs + ", i64 " + rhs +
                  ")");
  };
  switch (type) {
    case BinaryOpType::Add:
      return {text_.define("i", "add nsw " + operands), DataType::Index};
    case BinaryOpType::Sub:
      return {text_.define("i", "sub nsw " + operands), DataType::Index};
    case BinaryOpType::Mul:
      return opaque("mul nsw " + operands);
    case BinaryOpType::Div:
      return opaque("udiv i64 " + lhs + ", " + divisor(rhs));
    case BinaryOpType::Mod:
      return opaque("urem i64 " + lhs + ", " + divisor(rhs));
    case BinaryOpType::CeilDiv: {
      const std::string sum = text_.define("i", "add nsw " + operands);
      const std::string up = text_.define("i", "sub nsw i64 " + sum + ", 1");
      return opaque("udiv i64 " + up + ", " + divisor(rhs));
    }
    case BinaryOpType::BitwiseXor:
      return {text_.define("i", "xor " + operands), DataType::Index};
    case BinaryOpType::Minimum:
      return call("smin");
    case BinaryOpType::Maximum:
      return call("smax");
    case BinaryOpType::Lt:
    case BinaryOpType::Ge:
    case BinaryOpType::Eq:
      return operations_.compare(type, {lhs, DataType::Index}, {rhs, DataType::Index});
    default: {
      // User-level arithmetic on extents follows the rules of Int.
      return operations_.arithmetic(type, operations_.convert(in[0], computeType(out)),
                                    operations_.convert(in[1], computeType(out)));
    }
  }
}

}  // namespace nvfuser::llvm
