#include "emit/llvm/operations.h"

#include <utility>

#include "core/error.h"
#include "emit/element_operations.h"

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

Register Operations::number(const Register& value, int64_t position, DataType dtype) {
  return {text_.define("part", std::string("extractvalue ") + registerType(value.dtype) + " " +
                                   value.name + ", " + std::to_string(position)),
          dtype};
}

Register Operations::unrounded(const Register& value, DataType out) {
  // Rounding takes a dozen instructions. That of Half takes one.
  if (value.dtype != DataType::Float || out != DataType::BFloat16) {
    return value;
  }
  const std::string bits = text_.define("bits", "bitcast float " + value.name + " to i32");
  const std::string upper = text_.define("upper", "lshr i32 " + bits + ", 16");
  return {text_.define("s", "trunc i32 " + upper + " to i16"), DataType::BFloat16};
}

Register Operations::unary(UnaryOpType type, const Register& in, DataType out,
                           Precision precision) {
  switch (type) {
    case UnaryOpType::MomentsOf: {
      const std::string one = std::string("insertvalue ") + registerType(out) +
                              " { float 0.0, float 0.0, float 1.0 }, float ";
      return {text_.define("m", one + convert(in, DataType::Float).name + ", 0"), out};
    }
    case UnaryOpType::MeanOf:
      return number(in, 0, out);
    case UnaryOpType::DeviationsOf:
      return number(in, 1, out);
    case UnaryOpType::CountOf:
      return number(in, 2, out);
    default: {
      const Register result = emitUnary(*this, type, in, out, precision);
      const bool isExact = in.dtype == out && has(type, OpTraits::KeepsDigits);
      return isExact ? unrounded(result, out) : result;
    }
  }
}

Register Operations::binary(const Expr* expr, const std::vector<Register>& in, DataType out) {
  if (!has(static_cast<BinaryOpType>(expr->attribute(0)), OpTraits::KeepsDigits)) {
    return emitBinary(*this, expr, in, out);
  }
  // A number is rounded, which loops do once.
  const std::vector<Register> rounded{convert(in[0], out), convert(in[1], out)};
  return unrounded(emitBinary(*this, expr, rounded, out), out);
}

Register Operations::ternary(TernaryOpType type, const std::vector<Register>& in, DataType out) {
  return emitTernary(*this, type, in, out);
}

Register Operations::iota(const std::vector<Register>& in, DataType out) {
  return emitIota(*this, in, out);
}

Register Operations::random(RandomType type, const std::vector<Register>& in, DataType out) {
  return emitRandom(*this, type, in, out);
}

Register Operations::negate(const Register& value) {
  return {text_.define("v", std::string("fneg ") + registerType(value.dtype) + " " + value.name),
          value.dtype};
}

Register Operations::withSign(const Register& value, UnaryOpType type) {
  const int64_t sign = int64_t{1} << (info(value.dtype).bits - 1);
  const std::string bits = std::string(registerType(value.dtype)) + " " + value.name + ", ";
  return {text_.define("s", type == UnaryOpType::Neg ? "xor " + bits + std::to_string(-sign)
                                                     : "and " + bits + std::to_string(sign - 1)),
          value.dtype};
}

Register Operations::logicalNot(const Register& value) {
  return {text_.define("b", "xor i1 " + value.name + ", true"), DataType::Bool};
}

Register Operations::logical(BinaryOpType type, const Register& lhs, const Register& rhs) {
  return {text_.define("b", std::string(type == BinaryOpType::LogicalAnd ? "and" : "or") + " i1 " +
                                lhs.name + ", " + rhs.name),
          DataType::Bool};
}

Register Operations::compare(BinaryOpType type, const Register& lhs, const Register& rhs) {
  const DataType compute = lhs.dtype;
  const char* floating = nullptr;
  const char* integral = nullptr;
  const bool withSign = info(compute).isSigned;
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
    for (const auto& [trait, name] : {std::pair{OpTraits::BoolOr, "or"},
                                      {OpTraits::BoolAnd, "and"},
                                      {OpTraits::BoolXor, "xor"}}) {
      if (has(type, trait)) {
        return instruction(name);
      }
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
    // The intrinsics are known to the vectorizer as reductions; NaN propagates through them. The
    // element comes first: LLVM selects the first operand where it is NaN, and would make of
    // storing either what was loaded from there or another value a masked store, which processors
    // do not forward to the next load.
    const std::string operand = registerType(dtype);
    return {text_.define("extreme", "call nsz " + operand + " @llvm." +
                                        (type == BinaryOpType::Maximum ? "maximum" : "minimum") +
                                        "." + librarySuffix(dtype) + "(" + operand + " " +
                                        element.name + ", " + operand + " " + partial.name + ")"),
            dtype};
  }
  return arithmetic(type, partial, element);
}

Register Operations::hidden(const Register& value, const std::string& zero) {
  const std::string type = registerType(value.dtype);
  const int64_t bits = info(value.dtype).bits;
  const std::string integer = "i" + std::to_string(bits);
  std::string own = zero;
  if (bits < 64) {
    own = text_.define("zero", "trunc i64 " + zero + " to " + integer);
  }
  std::string raw = value.name;
  if (isFloatingPointType(value.dtype)) {
    raw = text_.define("bits", "bitcast " + type + " " + raw + " to " + integer);
  }
  raw = text_.define("hidden", "xor " + integer + " " + raw + ", " + own);
  if (isFloatingPointType(value.dtype)) {
    raw = text_.define("value", "bitcast " + integer + " " + raw + " to " + type);
  }
  return {raw, value.dtype};
}

Register Operations::where(const Register& condition, const Register& a, const Register& b) {
  return {text_.define("v", "select i1 " + condition.name + ", " + registerType(a.dtype) + " " +
                                a.name + ", " + registerType(b.dtype) + " " + b.name),
          a.dtype};
}

Register Operations::clamp(const Register& x, const Register& low, const Register& high) {
  // NaN is in no comparison less or greater, so it stays.
  const Register raised = where(compare(BinaryOpType::Lt, x, low), low, x);
  return where(compare(BinaryOpType::Gt, raised, high), high, raised);
}

Register Operations::threshold(const Register& x, const Register& limit, const Register& value) {
  // torch.threshold keeps NaN: the value replaces x only where x <= limit.
  return where(compare(BinaryOpType::Le, x, limit), value, x);
}

}  // namespace nvfuser::llvm
