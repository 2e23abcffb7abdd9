// Includes the tuple implementation and does nothing with it.
#include "tuple_dynamic_type.h"
