#include "ops/promotion.h"

#include <algorithm>

#include "core/error.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

enum Category { kDimensioned, kZeroDim, kScalar, kNumCategories };

Category categoryOf(const Val* val) {
  if (!val->isTensor()) {
    return kScalar;
  }
  return val->asTensor()->isZeroDim() ? kZeroDim : kDimensioned;
}

// A scalar stands for a number: among tensors only its kind matters.
DataType defaultTypeOf(DataType scalar) {
  switch (kindOf(scalar)) {
    case TypeKind::Floating:
      return DataType::Float;
    case TypeKind::Complex:
      return DataType::ComplexFloat;
    case TypeKind::Integral:
      return scalar == DataType::Index ? DataType::Int : scalar;
    default:
      return scalar;
  }
}

DataType combine(DataType higher, DataType lower) {
  if (higher == DataType::Null || lower == DataType::Null) {
    return higher == DataType::Null ? lower : higher;
  }
  if (kindOf(lower) <= kindOf(higher)) {
    return higher;
  }
  // A complex number with a real floating tensor has the value type of the tensor.
  if (isFloatingPointType(higher)) {
    return complexTypeOf(higher);
  }
  return lower;
}

}  // namespace

DataType commonType(std::span<Val* const> operands) {
  const DataType first = operands[0]->dtype();
  if (std::ranges::all_of(operands, [&](Val* v) { return v->dtype() == first; })) {
    return first;
  }
  DataType types[kNumCategories] = {DataType::Null, DataType::Null, DataType::Null};
  for (Val* operand : operands) {
    const Category category = categoryOf(operand);
    const DataType dtype = category == kScalar ? computeType(operand->dtype()) : operand->dtype();
    types[category] = promoteTypes(types[category], dtype);
  }
  const DataType tensors = combine(types[kDimensioned], types[kZeroDim]);
  if (tensors == DataType::Null) {
    return types[kScalar];
  }
  return combine(tensors,
                 types[kScalar] == DataType::Null ? DataType::Null : defaultTypeOf(types[kScalar]));
}

OpTypes promote(Promotion rule, std::span<Val* const> operands, const char* name) {
  const DataType common = commonType(operands);
  const DataType computed = computeType(common);
  const auto requireEach = [&](auto isAllowed, const auto&... message) {
    for (Val* operand : operands) {
      NVF_CHECK(isAllowed(operand->dtype()), message..., " but ", operand->toString(),
                " has dtype ", operand->dtype());
    }
  };
  switch (rule) {
    case Promotion::Same:
      return {common, common};
    case Promotion::Default:
      return {computed, computed};
    case Promotion::Float: {
      const DataType dtype = isExactType(computed) ? DataType::Float : computed;
      return {dtype, dtype};
    }
    case Promotion::Full:
      NVF_CHECK(computed == DataType::Float || computed == DataType::Double,
                "Promoted type must be single or double precision float: ", name, " of ",
                operands[0]->toString(), " got ", computed);
      return {computed, computed};
    case Promotion::Compare:
      return {computed, DataType::Bool};
    case Promotion::Logical:
      return {DataType::Bool, DataType::Bool};
    case Promotion::Bitwise:
      requireEach(isExactType, "Integer or boolean input is required for ", name);
      return {computed, computed};
    case Promotion::Integer:
      requireEach([](DataType t) { return isIntegralType(t); }, name,
                  ": input must have integral dtype");
      return {computed, computed};
    case Promotion::Predicate:
      return {common, DataType::Bool};
  }
  fail("Unknown promotion rule for ", name);
}

Val* convert(Val* val, DataType dtype) {
  NVF_CHECK(dtype != DataType::Null && dtype != DataType::Float4_e2m1fn_x2 &&
                val->dtype() != DataType::Float4_e2m1fn_x2,
            "Illegal Cast value from DataType: ", val->dtype(), " to DataType: ", dtype, " of ",
            val->toString());
  if (val->dtype() == dtype) {
    return val;
  }
  Fusion* fusion = val->fusion();
  if (val->isConst()) {
    return fusion->create<Val>(dtype, castScalar(val->value(), val->dtype(), dtype));
  }
  Val* out = val->isTensor() ? newLike(val->asTensor(), dtype) : fusion->create<Val>(dtype);
  fusion->create<UnaryOp>(UnaryOpType::Cast, out, val);
  return out;
}

TensorView* convert(TensorView* tv, DataType dtype) {
  return convert(static_cast<Val*>(tv), dtype)->asTensor();
}

namespace {

// Whether -`val` is a value of the unsigned `dtype`: adding -1 to it wraps, as in torch.
bool isNegated(const Val* val, DataType dtype) {
  return val->value().is<int64_t>() && isIntegralType(dtype) && info(dtype).bits < 64 &&
         !info(dtype).isSigned && val->value().as<int64_t>() < 0 &&
         val->value().as<int64_t>() >= -highestInteger(dtype);
}

Val* convertScalar(Val* val, DataType dtype, bool isInRange) {
  NVF_CHECK(isInRange, "The constant ", val->toString(), " is out of the range of dtype ", dtype,
            ", which it is combined with tensors in");
  if (kindOf(val->dtype()) == kindOf(dtype)) {
    return val;
  }
  if (!val->isConst()) {
    return convert(val, dtype);
  }
  // Constants keep the dtypes that Python literals have.
  const PolymorphicValue value = castScalar(val->value(), val->dtype(), dtype);
  return val->fusion()->create<Val>(scalarTypeOf(value), value);
}

}  // namespace

Val* convertOperand(Val* val, DataType dtype) {
  if (val->isTensor()) {
    return convert(val, dtype);
  }
  return convertScalar(val, dtype, isInRange(val->value(), dtype));
}

Val* convertOperand(Val* val, DataType dtype, std::span<Val* const> operands) {
  const bool hasTensor = std::ranges::any_of(operands, [](Val* v) { return v->isTensor(); });
  if (val->isTensor() || (!hasTensor && kindOf(val->dtype()) != kindOf(dtype))) {
    return convert(val, dtype);
  }
  return convertScalar(val, dtype, isInRange(val->value(), dtype) || isNegated(val, dtype));
}

}  // namespace nvfuser::ops
