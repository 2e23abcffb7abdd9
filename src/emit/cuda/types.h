// Expressions as text, and the names that CUDA C++ and the device library have for dtypes.
#pragma once

#include <string>

#include "value/data_type.h"
#include "value/polymorphic_value.h"

namespace nvfuser::cuda {

// An expression and its dtype. Bool is `bool`; reduced-precision types are the structures of the
// device library that hold their bits.
struct Term {
  std::string text;
  DataType dtype;
  // Whether it may stand beside an operator without parentheses.
  bool isPrimary = true;
  // What it is known to be, null for anything that is not a constant.
  PolymorphicValue value = {};
};

std::string parenthesized(const Term& term);

// The type of a variable, and that of an element in memory: they differ for Bool.
const char* typeName(DataType dtype);
const char* memoryTypeName(DataType dtype);
// The suffix of library functions: the type of the operands.
const char* librarySuffix(DataType dtype);

// Literals.
Term constant(const PolymorphicValue& value, DataType dtype);

}  // namespace nvfuser::cuda
