#include "emit/llvm/operations.h"

#include "core/error.h"
#include "emit/common.h"

namespace nvfuser::llvm {

Register Operations::library(const std::string& name, const std::vector<Register>& operands,
                             DataType result) {
  const DataType type = operands[0].dtype;
  std::string call = std::string("call ") + registerType(result) + " @nvf." + name + "." +
                     librarySuffix(type) + "(";
  for (size_t i = 0; i < operands.size(); ++i) {
    call +=
        std::string(i == 0 ? "" : ", ") + registerType(operands[i].dtype) + " " + operands[i].name;
  }
  return {text_.define("v", call + ")"), result};
}

Register Operations::unary(UnaryOpType type, const Register& in, DataType out,
                           Precision precision) {
  const OpInfo& op = info(type);
  switch (type) {
    case UnaryOpType::Cast:
      return convert(in, out);
    case UnaryOpType::Real:
    case UnaryOpType::Imag:
      if (isComplexType(in.dtype)) {
        return {text_.define("part", std::string("extractvalue ") + registerType(in.dtype) + " " +
                                         in.name + (type == UnaryOpType::Real ? ", 0" : ", 1")),
                realTypeOf(in.dtype)};
      }
      return in;
    case UnaryOpType::LogicalNot:
      return {text_.define("b", "xor i1 " + convert(in, DataType::Bool).name + ", true"),
              DataType::Bool};
    case UnaryOpType::Neg:
      if (isFloatingPointType(out)) {
        const Register value = convert(in, computeType(out));
        return {
            text_.define("v", std::string("fneg ") + registerType(value.dtype) + " " + value.name),
            value.dtype};
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

Register Operations::binary(const Expr* expr, const std::vector<Register>& in, DataType out) {
  const auto type = static_cast<BinaryOpType>(expr->attribute(0));
  switch (info(type).promotion) {
    case Promotion::Compare: {
      const DataType compute = comparisonType(expr, in[0].dtype, in[1].dtype);
      return compare(type, convert(in[0], compute), convert(in[1], compute), compute);
    }
    case Promotion::Logical: {
      const Register lhs = convert(in[0], DataType::Bool);
      const Register rhs = convert(in[1], DataType::Bool);
      return {text_.define("b", std::string(type == BinaryOpType::LogicalAnd ? "and" : "or") +
                                    " i1 " + lhs.name + ", " + rhs.name),
              DataType::Bool};
    }
    default:
      break;
  }
  if (type == BinaryOpType::Complex) {
    const DataType part = realTypeOf(out);
    return complexOf(convert(in[0], part), convert(in[1], part), out);
  }
  const DataType compute = computeType(out);
  return arithmetic(type, convert(in[0], compute), convert(in[1], compute));
}

Register Operations::compare(BinaryOpType type, const Register& lhs, const Register& rhs,
                             DataType compute) {
  const char* floating = nullptr;
  const char* integral = nullptr;
  const bool withSign = isSigned(compute) && compute != DataType::Bool;
  switch (type) {
    case BinaryOpType::Eq:
      floating = "oeq";
      integral = "eq";
      break;
    case BinaryOpType::Ne:
      floating = "une";
      integral = "ne";
      break;
    case BinaryOpType::Lt:
      floating = "olt";
      integral = withSign ? "slt" : "ult";
      break;
    case BinaryOpType::Le:
      floating = "ole";
      integral = withSign ? "sle" : "ule";
      break;
    case BinaryOpType::Gt:
      floating = "ogt";
      integral = withSign ? "sgt" : "ugt";
      break;
    default:
      floating = "oge";
      integral = withSign ? "sge" : "uge";
      break;
  }
  if (isComplexType(compute)) {
    return library(info(type).name, {lhs, rhs}, DataType::Bool);
  }
  const std::string operands =
      std::string(" ") + registerType(compute) + " " + lhs.name + ", " + rhs.name;
  return {
      text_.define("b", isFloatingPointType(compute) ? std::string("fcmp ") + floating + operands
                                                     : std::string("icmp ") + integral + operands),
      DataType::Bool};
}

Register Operations::arithmetic(BinaryOpType type, const Register& lhs, const Register& rhs) {
  const DataType dtype = lhs.dtype;
  const auto instruction = [&](const char* name) {
    return Register{text_.define("v", std::string(name) + " " + registerType(dtype) + " " +
                                          lhs.name + ", " + rhs.name),
                    dtype};
  };
  const bool floating = isFloatingPointType(dtype);
  const bool integral = isIntegralType(dtype);
  switch (type) {
    case BinaryOpType::Add:
      if (floating || integral) {
        return instruction(floating ? "fadd" : "add");
      }
      break;
    case BinaryOpType::Sub:
      if (floating || integral) {
        return instruction(floating ? "fsub" : "sub");
      }
      break;
    case BinaryOpType::Mul:
      if (floating || integral) {
        return instruction(floating ? "fmul" : "mul");
      }
      break;
    case BinaryOpType::Div:
    case BinaryOpType::Truediv:
      if (floating) {
        return instruction("fdiv");
      }
      return library("div", {lhs, rhs}, dtype);
    case BinaryOpType::BitwiseAnd:
      return instruction("and");
    case BinaryOpType::BitwiseOr:
      return instruction("or");
    case BinaryOpType::BitwiseXor:
      return instruction("xor");
    default:
      break;
  }
  if (isBooleanType(dtype)) {
    // Arithmetic on truth values is that of the two-element lattice.
    switch (type) {
      case BinaryOpType::Add:
      case BinaryOpType::Maximum:
        return instruction("or");
      case BinaryOpType::Mul:
      case BinaryOpType::Minimum:
        return instruction("and");
      case BinaryOpType::Sub:
        return instruction("xor");
      default:
        break;
    }
  }
  return library(info(type).name, {lhs, rhs}, dtype);
}

Register Operations::combine(BinaryOpType type, const Register& partial, const Register& element,
                             bool isOrderedByBits) {
  const DataType dtype = partial.dtype;
  if (isOrderedByBits && type == BinaryOpType::Maximum) {
    const std::string integer = "i" + std::to_string(info(dtype).bits);
    const auto bitsOf = [&](const Register& value) {
      return text_.define("bits", std::string("bitcast ") + registerType(dtype) + " " + value.name +
                                      " to " + integer);
    };
    const std::string a = bitsOf(partial);
    const std::string b = bitsOf(element);
    const std::string larger =
        text_.define("larger", "call " + integer + " @llvm.smax." + integer + "(" + integer + " " +
                                   a + ", " + integer + " " + b + ")");
    return {
        text_.define("extreme", "bitcast " + integer + " " + larger + " to " + registerType(dtype)),
        dtype};
  }
  if (isFloatingPointType(dtype) && (type == BinaryOpType::Add || type == BinaryOpType::Mul)) {
    return {
        text_.define("sum", std::string(type == BinaryOpType::Add ? "fadd" : "fmul") + " reassoc " +
                                registerType(dtype) + " " + partial.name + ", " + element.name),
        dtype};
  }
  if (isFloatingPointType(dtype) &&
      (type == BinaryOpType::Maximum || type == BinaryOpType::Minimum)) {
    // The intrinsics are known to the vectorizer as reductions; NaN propagates through them.
    const std::string operand = registerType(dtype);
    return {text_.define("extreme", "call nsz " + operand + " @llvm." +
                                        (type == BinaryOpType::Maximum ? "maximum" : "minimum") +
                                        "." + librarySuffix(dtype) + "(" + operand + " " +
                                        partial.name + ", " + operand + " " + element.name + ")"),
            dtype};
  }
  return arithmetic(type, partial, element);
}

Register Operations::select(const Register& condition, const Register& a, const Register& b) {
  return {text_.define("v", "select i1 " + condition.name + ", " + registerType(a.dtype) + " " +
                                a.name + ", " + registerType(b.dtype) + " " + b.name),
          a.dtype};
}

Register Operations::ternary(TernaryOpType type, const std::vector<Register>& in, DataType out) {
  if (type == TernaryOpType::Where) {
    return select(convert(in[0], DataType::Bool), convert(in[1], out), convert(in[2], out));
  }
  const DataType compute = computeType(out);
  std::vector<Register> x;
  for (const Register& r : in) {
    x.push_back(convert(r, compute));
  }
  switch (type) {
    case TernaryOpType::Lerp:
      return arithmetic(
          BinaryOpType::Add, x[0],
          arithmetic(BinaryOpType::Mul, x[2], arithmetic(BinaryOpType::Sub, x[1], x[0])));
    case TernaryOpType::Clamp: {
      // NaN is in no comparison less or greater, so it stays.
      const Register low = select(compare(BinaryOpType::Lt, x[0], x[1], compute), x[1], x[0]);
      return select(compare(BinaryOpType::Gt, low, x[2], compute), x[2], low);
    }
    case TernaryOpType::Threshold:
      // torch.threshold keeps NaN: the value replaces x only where x <= threshold.
      return select(compare(BinaryOpType::Le, x[0], x[1], compute), x[2], x[0]);
    case TernaryOpType::Addcmul:
      return arithmetic(
          BinaryOpType::Add, x[0],
          arithmetic(BinaryOpType::Mul, x[3], arithmetic(BinaryOpType::Mul, x[1], x[2])));
    default:
      fail("Unknown ternary operation ", info(type).name);
  }
}

static constexpr size_t kFirstNode = 1;

}  // namespace nvfuser::llvm
