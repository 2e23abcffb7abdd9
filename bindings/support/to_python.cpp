#include "bindings/support/to_python.h"

#include <complex>

namespace nvfuser {

nb::object toPython(const PolymorphicValue& value) {
  if (value.is<bool>()) {
    return nb::bool_(value.as<bool>());
  }
  if (value.is<int64_t>()) {
    return nb::int_(value.as<int64_t>());
  }
  if (value.is<double>()) {
    return nb::float_(value.as<double>());
  }
  if (value.is<std::complex<double>>()) {
    const auto number = value.as<std::complex<double>>();
    PyObject* object = PyComplex_FromDoubles(number.real(), number.imag());
    if (object == nullptr) {
      throw nb::python_error();
    }
    return nb::steal(object);
  }
  return nb::none();
}

nb::tuple toTuple(std::span<const int64_t> values) {
  nb::list list;
  for (const int64_t value : values) {
    list.append(value);
  }
  return nb::tuple(list);
}

}  // namespace nvfuser
