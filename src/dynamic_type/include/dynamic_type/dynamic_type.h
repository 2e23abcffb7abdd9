// The whole of DynamicType: declarations (decl.h, where it is explained) and definitions.
#pragma once

#include "dynamic_type/decl.h"
#include "dynamic_type/impl.h"
#include "dynamic_type/type_traits.h"
