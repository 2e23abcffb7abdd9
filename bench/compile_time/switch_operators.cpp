// Every operator of a ten-alternative value, with src/dynamic_type.
#include <dynamic_type/dynamic_type.h>

namespace library = dynamic_type;
#include "all_operators.h"
