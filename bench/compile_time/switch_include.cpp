// Includes the library and does nothing with it.
#include <dynamic_type/dynamic_type.h>
