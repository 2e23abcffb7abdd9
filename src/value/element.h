// Reading single elements of tensors in host memory.
#pragma once

#include "value/polymorphic_value.h"

namespace nvfuser {

// The first element of a tensor on the CPU as a scalar: bool, int64_t, double or complex.
PolymorphicValue readElement(const Tensor& tensor);

}  // namespace nvfuser
