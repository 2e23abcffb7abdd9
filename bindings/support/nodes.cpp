// Conversion of Python numbers.

#include "bindings/support/nodes.h"

#include <complex>

#include "ir/scalar.h"
#include "ops/tensor_builder.h"

namespace nvfuser {

bool loadNumber(nb::handle src, PolymorphicValue& value) noexcept {
  PyObject* object = src.ptr();
  // A bool is an int, too: it comes first.
  if (PyBool_Check(object)) {
    value = object == Py_True;
    return true;
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      return false;
    }
    value = static_cast<int64_t>(integer);
    return true;
  }
  if (PyFloat_Check(object)) {
    value = PyFloat_AsDouble(object);
    return true;
  }
  if (PyComplex_Check(object)) {
    value = std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
    return true;
  }
  return false;
}

Val* Operand::get() const {
  return val != nullptr ? val : ops::constantOf(activeFusion(), number.value);
}

std::vector<Val*> Shape::get() const {
  std::vector<Val*> vals;
  vals.reserve(extents.size());
  for (const Operand& extent : extents) {
    vals.push_back(extent.val != nullptr
                       ? extent.val
                       : scalar::constant(activeFusion(), extent.number.value.as<int64_t>()));
  }
  return vals;
}

}  // namespace nvfuser
