// Host-side evaluation of scalar expressions: extents, bounds and scalar operands of a run.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "ir/val.h"

namespace nvfuser {

// One operation on scalar values, with the semantics that generated code has. The operands are
// converted to `computeType` first; the result has the precision and range of `resultType`. Raises
// on an integer division by zero.
PolymorphicValue evaluateOp(UnaryOpType type, const PolymorphicValue& x, DataType computeType,
                            DataType resultType);
PolymorphicValue evaluateOp(BinaryOpType type, const PolymorphicValue& lhs,
                            const PolymorphicValue& rhs, DataType computeType, DataType resultType);
PolymorphicValue evaluateOp(TernaryOpType type, std::span<const PolymorphicValue> inputs,
                            DataType computeType, DataType resultType);

// The value of a scalar expression whose operands are all constants; null for every other
// expression.
PolymorphicValue foldConstants(const Expr* expr);

class ExpressionEvaluator {
 public:
  // Gives a scalar its value, converted to the scalar's dtype. Also overrides the definition of a
  // derived scalar.
  void bind(const Val* val, const PolymorphicValue& value);
  // Null when the value depends on a symbol that is not bound. The reference is valid until the
  // next call of bind().
  const PolymorphicValue& evaluate(const Val* val);
  // The same, having bound what it depends on and is not bound yet to what `valueOf` says of it;
  // null for what that does not know either.
  const PolymorphicValue& evaluate(const Val* val,
                                   const std::function<PolymorphicValue(const Val*)>& valueOf);

 private:
  const PolymorphicValue* find(const Val* val) const;

  std::unordered_map<const Val*, PolymorphicValue> bound_;
  std::unordered_map<const Val*, PolymorphicValue> computed_;
};

}  // namespace nvfuser
