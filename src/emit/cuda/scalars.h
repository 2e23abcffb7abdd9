// Scalars of the IR: indices, extents and offsets, and values computed from scalar arguments.
//
// As an index a scalar is computed in the index type of the kernel, as a value in its own dtype.
#pragma once

#include <string>
#include <unordered_map>

#include "emit/cuda/function.h"
#include "emit/cuda/operations.h"
#include "lower/kernel.h"

namespace nvfuser::cuda {

class Scalars {
 public:
  Scalars(const kir::Kernel& kernel, FunctionText& text) : kernel_(kernel), text_(text) {}

  // Forgets the parameters of the previous function.
  void start() { parameters_.clear(); }
  // A parameter of the function and what stands for it.
  void setParameter(const Val* val, const Term& term) { parameters_[val] = term; }

  const char* indexType() const { return typeName(indexDtype()); }
  DataType indexDtype() const { return kernel_.hasWideIndex ? DataType::Index : DataType::Int32; }

  // An index, an extent or an offset; of a condition, its expression.
  std::string index(const Val* val);
  // An operand of element-wise operations.
  Term value(const Val* val);

 private:
  std::string condition(const Val* val);
  Term compute(const Expr* expr, DataType dtype);

  const kir::Kernel& kernel_;
  FunctionText& text_;
  std::unordered_map<const Val*, Term> parameters_;
  // Operands of operands whose indices are being computed.
  int nesting_ = 0;
};

}  // namespace nvfuser::cuda
