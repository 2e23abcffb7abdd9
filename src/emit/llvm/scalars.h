// Scalars of the IR in registers: extents, indices, and values computed from scalar arguments.
#pragma once

#include <string>
#include <vector>

#include "emit/llvm/function.h"
#include "emit/llvm/operations.h"
#include "emit/llvm/types.h"
#include "ir/scalar.h"
#include "ir/val.h"

namespace nvfuser::llvm {

class Scalars {
 public:
  Scalars(FunctionText& text, Operations& operations) : text_(text), operations_(operations) {}

  // The register or literal of a scalar; it is computed where that is not done yet.
  std::string operator()(const Val* val);
  // What is written next is in a loop over `index` that starts from a constant; 0 for any other.
  void startFrom(const Val* index, int64_t start);

 private:
  std::string constant(const PolymorphicValue& value, DataType dtype);
  std::string compute(const Val* val);
  std::string divisor(const std::string& name);
  Register indexArithmetic(BinaryOpType type, const std::vector<Register>& in, DataType out);

  FunctionText& text_;
  Operations& operations_;
  scalar::LeastIndices least_;
};

}  // namespace nvfuser::llvm
