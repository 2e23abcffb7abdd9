// Every operator of a ten-alternative value that another file instantiates.
#include <dynamic_type/decl.h>

namespace library = dynamic_type;
#include "all_operators.h"

extern template struct dynamic_type::DynamicType<dynamic_type::Containers<std::vector>,
                                                 StructHandle, Pointer, Opaque, Tensor,
                                                 std::complex<double>, double, int64_t, bool>;
