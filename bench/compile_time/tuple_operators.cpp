// Every operator of a ten-alternative value, with the tuple implementation.
#include "tuple_dynamic_type.h"

namespace library = tuple_dynamic_type;
#include "all_operators.h"
