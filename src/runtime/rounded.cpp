#include "runtime/rounded.h"

#include <cmath>
#include <map>
#include <vector>

#include "ir/clone.h"
#include "ir/passes.h"
#include "ops/tensor_builder.h"

namespace nvfuser {

namespace {

bool isOfDigits(DataType dtype) { return dtype == DataType::Half || dtype == DataType::BFloat16; }

// Whether a number is one of a dtype, and no denormal one.
bool isExactIn(DataType dtype, double number) {
  const int digits = info(dtype).significandBits;
  const int most = dtype == DataType::Half ? 16 : 128;
  int exponent = 0;
  const double fraction = std::ldexp(std::frexp(number, &exponent), digits);
  return number == 0 || (std::isfinite(number) && std::trunc(fraction) == fraction &&
                         exponent <= most && exponent >= 3 - most);
}

using Broadcasts = std::map<const Val*, TensorView*>;

// A tensor before it was converted from a dtype, and maybe broadcast then; null for others.
Val* convertedFrom(DataType dtype, const Val* in, Broadcasts& known) {
  const Expr* expr = in->definition();
  if (const UnaryOp* cast = asConversion(expr)) {
    return cast->input(0)->dtype() == dtype ? cast->input(0) : nullptr;
  }
  const auto* broadcast = expr == nullptr ? nullptr : expr->as<BroadcastOp>();
  const UnaryOp* cast =
      broadcast == nullptr ? nullptr : asConversion(broadcast->input(0)->definition());
  if (cast == nullptr || cast->input(0)->dtype() != dtype) {
    return nullptr;
  }
  TensorView*& result = known[in];
  if (result == nullptr) {
    Cloner cloner(in->fusion(), /*sharesScalars=*/true);
    result = ops::newLike(in->asTensor(), dtype);
    cloner.substitute(in, result);
    cloner.cloneOf(broadcast, {cast->input(0)});
  }
  return result;
}

// An operand as a dtype has it, null where that has not all of it.
Val* operandIn(DataType dtype, Val* in, Broadcasts& known) {
  if (in->isTensor()) {
    return convertedFrom(dtype, in, known);
  }
  const PolymorphicValue& value = in->value();
  const bool isExact =
      (value.is<double>() && isExactIn(dtype, value.as<double>())) ||
      (value.is<int64_t>() && isExactIn(dtype, static_cast<double>(value.as<int64_t>())));
  return isExact ? in : nullptr;
}

// The operation of which a conversion alone reads the result; null for others.
const BinaryOp* roundedBy(const UnaryOp* cast) {
  const Val* in = cast->input(0);
  const auto* binary = in->definition() == nullptr ? nullptr : in->definition()->as<BinaryOp>();
  const bool isRounded = binary != nullptr && isOfDigits(cast->output(0)->dtype()) &&
                         in->dtype() == DataType::Float && in->uses().size() == 1 &&
                         !in->isFusionOutput();
  const auto is = [&](BinaryOpType type) { return isRounded && binary->type() == type; };
  return is(BinaryOpType::Add) || is(BinaryOpType::Sub) || is(BinaryOpType::Mul) ? binary : nullptr;
}

}  // namespace

size_t computeRounded(Fusion* fusion) {
  size_t changed = 0;
  Broadcasts known;
  for (Expr* expr : fusion->tensorExprs()) {
    const UnaryOp* cast = asConversion(expr);
    const BinaryOp* binary = cast == nullptr ? nullptr : roundedBy(cast);
    if (binary == nullptr) {
      continue;
    }
    TensorView* out = cast->output(0)->asTensor();
    std::vector<Val*> operands;
    for (Val* in : binary->inputs()) {
      operands.push_back(operandIn(out->dtype(), in, known));
    }
    if (operands[0] != nullptr && operands[1] != nullptr) {
      fusion->removeExpr(expr);
      computeLike(binary, out, operands);
      ++changed;
    }
  }
  // Also what was broadcast in vain.
  if (changed > 0 || !known.empty()) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

}  // namespace nvfuser
