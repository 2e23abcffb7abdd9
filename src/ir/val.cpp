#include "ir/val.h"

#include <cmath>

#include "core/error.h"
#include "ir/tensor_view.h"

namespace nvfuser {

Val::Val(Fusion* fusion, ValType vtype, DataType dtype, PolymorphicValue value)
    : Statement(fusion), vtype_(vtype), dtype_(dtype), value_(std::move(value)) {}

TensorView* Val::asTensor() {
  NVF_INTERNAL_CHECK(isTensor(), toString(), " is not a tensor");
  return static_cast<TensorView*>(this);
}

const TensorView* Val::asTensor() const { return const_cast<Val*>(this)->asTensor(); }

Expr::Expr(Fusion* fusion, ExprKind kind, std::vector<Val*> outputs, std::vector<Val*> inputs,
           std::vector<int64_t> attributes, std::vector<Val*> operands)
    : Statement(fusion),
      kind_(kind),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      attributes_(std::move(attributes)),
      operands_(std::move(operands)) {}

}  // namespace nvfuser
