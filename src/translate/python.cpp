// Calls as Python source.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <locale>
#include <sstream>

#include "core/error.h"
#include "translate/definition.h"

namespace nvfuser {

namespace {

template <typename Item, typename ToText>
std::string join(const std::vector<Item>& items, const ToText& toText) {
  std::string text;
  for (const Item& item : items) {
    text += (text.empty() ? "" : ", ") + toText(item);
  }
  return text;
}

std::string nameOf(const Val* val) {
  return val == nullptr ? "_" : (val->isTensor() ? "tv" : "c") + std::to_string(val->name());
}

bool reads(const std::string& text, double value) {
  double parsed = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), parsed);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && parsed == value;
}

// Six significant digits where that is the number, as many as it takes otherwise.
std::string pythonNumber(double value) {
  const char* sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) {
    return std::string(sign) + "float(\"nan\")";
  }
  if (std::isinf(value)) {
    return std::string("float(\"") + sign + "inf\")";
  }
  std::ostringstream os;
  os.imbue(std::locale::classic());
  os << std::showpoint << value;
  std::string text = std::move(os).str();
  if (reads(text, value)) {
    return text;
  }
  text = toString(PolymorphicValue(value));
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string pythonNumber(const std::complex<double>& value) {
  const double real = value.real();
  const double imaginary = value.imag();
  // Addition makes 0.0 of -0.0, and what is not finite has no literal.
  const auto isPlain = [](double x) { return std::isfinite(x) && !(x == 0.0 && std::signbit(x)); };
  if (!isPlain(real) || !isPlain(imaginary)) {
    return "complex(" + pythonNumber(real) + ", " + pythonNumber(imaginary) + ")";
  }
  return pythonNumber(real) + (imaginary < 0.0 ? "" : "+") + pythonNumber(imaginary) + "j";
}

std::string python(const Argument& argument) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return pythonNumber(number); }
    std::string operator()(const std::complex<double>& number) const {
      return pythonNumber(number);
    }
    std::string operator()(DataType dtype) const {
      return std::string("DataType.") + info(dtype).name;
    }
    std::string operator()(const Val* val) const { return nameOf(val); }
    std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
    std::string operator()(const Argument::List& items) const {
      return "[" + join(items, [](const Argument& item) { return python(item); }) + "]";
    }
  };
  return std::visit(Visitor(), argument.value);
}

// tv1.set_allocation_domain([tv1.axis(1), tv1.axis(0)], True)
std::string setAllocationDomain(const DefinitionCall& call) {
  const std::string tensor = python(call.positional.at(0));
  const auto& order = std::get<Argument::List>(call.positional.at(1).value);
  const auto axis = [&](const Argument& position) {
    return tensor + ".axis(" + python(position) + ")";
  };
  return tensor + ".set_allocation_domain([" + join(order, axis) + "], " +
         python(call.positional.at(2)) + ")";
}

// What says how tensors are divided among devices, with names of their own.
bool isOfMesh(const DefinitionCall& call) {
  return call.function == "set_device_mesh" || call.function == "split" ||
         call.function == "parallelize";
}

std::string annotation(const DefinitionCall& call) {
  const std::string tensor = python(call.positional.at(0));
  if (call.function == "set_device_mesh") {
    return tensor + ".set_device_mesh(DeviceMesh(" + python(call.positional.at(1)) + "))";
  }
  const std::string position = python(call.positional.at(1));
  if (call.function == "parallelize") {
    return tensor + ".axis(" + position + ").parallelize(ParallelType." +
           std::get<std::string>(call.positional.at(2).value) + ")";
  }
  return tensor + ".split(" + position + ", " + python(call.positional.at(2)) + ", " +
         python(call.positional.at(3)) + ")";
}

std::string python(const DefinitionCall& call) {
  if (call.function == "set_allocation_domain") {
    return setAllocationDomain(call);
  }
  if (isOfMesh(call)) {
    return annotation(call);
  }
  std::string arguments = join(call.positional, [](const Argument& a) { return python(a); });
  for (const auto& [name, argument] : call.keywords) {
    arguments += (arguments.empty() ? "" : ", ") + name + "=" + python(argument);
  }
  const std::string results = join(call.results, nameOf);
  return results + (results.empty() ? "" : " = ") + "fd." + call.function + "(" + arguments + ")";
}

}  // namespace

std::string pythonFunction(const std::vector<DefinitionCall>& calls) {
  std::string text = "def nvfuser_fusion(fd : FusionDefinition) -> None :\n";
  if (std::ranges::any_of(calls, isOfMesh)) {
    text += "    from nvfuser import ParallelType\n";
    text += "    from nvfuser.multidevice import DeviceMesh\n";
  }
  for (const DefinitionCall& call : calls) {
    text += "    " + python(call) + "\n";
  }
  return calls.empty() ? text + "    pass\n" : text;
}

}  // namespace nvfuser
