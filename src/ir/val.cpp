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

bool dependsOn(const Val* val, const std::unordered_set<const Val*>& sources) {
  // Each value once, however many ways lead to it.
  std::unordered_set<const Val*> seen{val};
  std::vector<const Val*> pending{val};
  while (!pending.empty()) {
    const Val* next = pending.back();
    pending.pop_back();
    if (sources.contains(next)) {
      return true;
    }
    if (next->definition() != nullptr) {
      for (const Val* in : next->definition()->inputs()) {
        if (seen.insert(in).second) {
          pending.push_back(in);
        }
      }
    }
  }
  return false;
}

}  // namespace nvfuser
