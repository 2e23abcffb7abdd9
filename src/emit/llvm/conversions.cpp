// Conversions between dtypes: of `Operations`.
#include "core/error.h"
#include "emit/common.h"
#include "emit/llvm/operations.h"

namespace nvfuser::llvm {

Register Operations::convert(const Register& value, DataType to) {
  const DataType from = value.dtype;
  if (from == to || (registerType(from) == registerType(to) && kindOf(from) == kindOf(to) &&
                     !isReducedPrecision(from) && !isReducedPrecision(to))) {
    return {value.name, to};
  }
  const auto cast = [&](const char* instruction) {
    return Register{text_.define("c", std::string(instruction) + " " + registerType(from) + " " +
                                          value.name + " to " + registerType(to)),
                    to};
  };
  if (isReducedPrecision(from)) {
    const std::string single =
        text_.define("f", std::string("call float @nvf.from_") + storageName(from) + ".f32(" +
                              registerType(from) + " " + value.name + ")");
    return convert({single, DataType::Float}, to);
  }
  if (isReducedPrecision(to)) {
    const Register single = convert(value, DataType::Float);
    const char* variant = ofNarrow_ && to == DataType::BFloat16 ? "_unchecked" : "";
    return {text_.define("s", std::string("call ") + registerType(to) + " @nvf.to_" +
                                  storageName(to) + variant + ".f32(float " + single.name + ")"),
            to};
  }
  if (isComplexType(from)) {
    const std::string type = registerType(from);
    const DataType part = realTypeOf(from);
    const Register real{text_.define("re", "extractvalue " + type + " " + value.name + ", 0"),
                        part};
    if (isBooleanType(to)) {
      const Register imaginary{
          text_.define("im", "extractvalue " + type + " " + value.name + ", 1"), part};
      return {
          text_.define("b", "or i1 " + convert(real, to).name + ", " + convert(imaginary, to).name),
          to};
    }
    if (!isComplexType(to)) {
      return convert(real, to);
    }
    const Register imaginary{text_.define("im", "extractvalue " + type + " " + value.name + ", 1"),
                             part};
    return complexOf(convert(real, realTypeOf(to)), convert(imaginary, realTypeOf(to)), to);
  }
  if (isComplexType(to)) {
    const DataType part = realTypeOf(to);
    return complexOf(convert(value, part), {hexDouble(0.0), part}, to);
  }
  switch (kindOf(to)) {
    case TypeKind::Bool:
      return isFloatingPointType(from)
                 ? Register{text_.define("b", std::string("fcmp une ") + registerType(from) + " " +
                                                  value.name + ", " + hexDouble(0.0)),
                            to}
                 : Register{text_.define("b", std::string("icmp ne ") + registerType(from) + " " +
                                                  value.name + ", 0"),
                            to};
    case TypeKind::Integral:
      if (isBooleanType(from)) {
        return cast("zext");
      }
      if (isIntegralType(from)) {
        return cast(info(to).bits < info(from).bits ? "trunc"
                    : info(from).isSigned           ? "sext"
                                                    : "zext");
      }
      if (const DataType through = convertedThrough(to); through != to) {
        return convert(convert(value, through), to);  // wraps around, as in torch
      }
      return {text_.define("i", std::string("call ") + registerType(to) + " @nvf.to_" +
                                    librarySuffix(to) + "." + librarySuffix(from) + "(" +
                                    registerType(from) + " " + value.name + ")"),
              to};
    default:
      if (isFloatingPointType(from)) {
        return cast(info(to).bits > info(from).bits ? "fpext" : "fptrunc");
      }
      return cast(!info(from).isSigned ? "uitofp" : "sitofp");
  }
}

Register Operations::complexOf(const Register& real, const Register& imaginary, DataType dtype) {
  const std::string type = registerType(dtype);
  const std::string part = registerType(realTypeOf(dtype));
  const std::string half =
      text_.define("z", "insertvalue " + type + " poison, " + part + " " + real.name + ", 0");
  return {text_.define(
              "z", "insertvalue " + type + " " + half + ", " + part + " " + imaginary.name + ", 1"),
          dtype};
}

}  // namespace nvfuser::llvm
