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
  void start() {
    parameters_.clear();
    divisors_.clear();
    isOfIndices_.clear();
  }
  // A parameter of the function and what stands for it.
  void setParameter(const Val* val, const Term& term) { parameters_[val] = term; }
  // The parameter that indices are divided by in place of a scalar.
  void setDivisor(const Val* val, const std::string& name) { divisors_[val] = name; }

  const char* indexType() const { return typeName(indexDtype()); }
  DataType indexDtype() const { return kernel_.hasWideIndex ? DataType::Index : DataType::Int32; }

  // An index, an extent or an offset; of a condition, its expression.
  std::string index(const Val* val);
  // An operand of element-wise operations.
  Term value(const Val* val);

 private:
  std::string condition(const Val* val);
  // Whether an integer is made of indices and sizes alone: such is computed in the index type,
  // whatever its dtype.
  bool isOfIndices(const Val* val) const;
  bool isComputedAsIndex(const Val* val) const;
  std::string indexOperation(const BinaryOp* binary, const std::string& lhs,
                             const std::string& rhs) const;
  Term compute(const Expr* expr, DataType dtype);

  const kir::Kernel& kernel_;
  FunctionText& text_;
  std::unordered_map<const Val*, Term> parameters_;
  std::unordered_map<const Val*, std::string> divisors_;
  mutable std::unordered_map<const Val*, bool> isOfIndices_;
  // Operands of operands whose indices are being computed.
  int nesting_ = 0;
};

}  // namespace nvfuser::cuda
