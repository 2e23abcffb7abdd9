#include "ops/creation.h"

#include <cmath>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

TensorView* full(std::span<Val* const> shape, Val* value, DataType dtype) {
  Fusion* fusion = fusionOf("full", {value});
  fusionOf("full", shape);
  NVF_CHECK(value->isScalar(), "full: the fill value must be a scalar, but got ",
            value->toString());
  std::vector<IterDomain*> logical;
  for (size_t i = 0; i < shape.size(); ++i) {
    Val* extent = checkExtent("full", shape[i]);
    NVF_CHECK(!extent->isConstInt() || extent->constInt() >= -1, "The value ", extent->toString(),
              " at index ", i,
              " was neither symbolic(-1), zero_element(0), broadcast(1), or static(>1), in the "
              "shape of full");
    NVF_CHECK(!extent->isConstInt(-1), "full: the extent at index ", i,
              " is -1, but nothing says what it is; give a number or a scalar of the definition");
    logical.push_back(newDimension(fusion, extent));
  }
  NVF_CHECK(isInRange(value->value(), dtype), "full: the value ", value->toString(),
            " is out of the range of dtype ", dtype);
  Val* fill = convert(value, dtype);
  TensorView* out = newTensor(fusion, std::move(logical), dtype);
  fusion->create<FullOp>(out, fill);
  return out;
}

namespace {

bool isFiniteConstant(const Val* val) {
  return !val->value().is<double>() || std::isfinite(val->value().as<double>());
}

bool isZeroConstant(const Val* val) {
  return val->isConstInt(0) || (val->value().is<double>() && val->value().as<double>() == 0.0);
}

}  // namespace

TensorView* iota(Val* length, Val* start, Val* step, DataType dtype) {
  Fusion* fusion = fusionOf("iota", {length, start, step});
  for (const Val* operand : {length, start, step}) {
    NVF_CHECK(operand == nullptr || operand->isScalar(),
              "iota: length, start, step must be scalars, but got ", operand->toString());
  }
  NVF_CHECK(isIntegralType(length->dtype()), "iota: length must be integer, but ",
            length->toString(), " has dtype ", length->dtype());
  NVF_CHECK(isIntegralType(dtype) || isFloatingPointType(dtype),
            "iota: dtype must be integral or floating, but is ", dtype);
  start = start != nullptr ? start : zeroOf(fusion, dtype);
  step = step != nullptr ? step : oneOf(fusion, dtype);
  NVF_CHECK(kindOf(start->dtype()) == kindOf(dtype),
            "iota: start dtype does not match specified dtype argument: ", start->toString(),
            " has dtype ", start->dtype(), ", not ", dtype);
  NVF_CHECK(kindOf(step->dtype()) == kindOf(dtype),
            "iota: step dtype does not match specified dtype argument: ", step->toString(),
            " has dtype ", step->dtype(), ", not ", dtype);
  NVF_CHECK(isFiniteConstant(start) && isFiniteConstant(step),
            "iota: length, start, step must be finite numbers. Got start ", start->toString(),
            " and step ", step->toString());
  NVF_CHECK(!isZeroConstant(step), "iota: step value must not equal zero.");
  for (const Val* operand : {start, step}) {
    NVF_CHECK(isInRange(operand->value(), dtype), "iota: ", operand->toString(),
              " is out of the range of dtype ", dtype);
  }
  Val* extent = checkExtent("iota", length);
  NVF_CHECK(!extent->isConstInt() || extent->constInt() >= 0,
            "iota: length must not be negative, but is ", extent->toString());
  TensorView* out = newTensor(fusion, {newDimension(fusion, extent)}, dtype);
  fusion->create<IotaOp>(out, start, step);
  return out;
}

TensorView* triu(TensorView* x, int64_t diagonal) {
  Fusion* fusion = fusionOf("triu", {x});
  const int64_t rank = x->ndim();
  NVF_CHECK(rank >= 2, "input tensor for triu must have 2 or more dims, but got ", rank,
            " dims: ", x->toString());
  TensorView* rows = iota(size(x, rank - 2), constantOf(fusion, diagonal), nullptr);
  TensorView* columns = iota(size(x, rank - 1), nullptr, nullptr);
  TensorView* isKept = binary(BinaryOpType::Ge, columns, unsqueeze(rows, 1));
  Val* zero = constantOf(fusion, castScalar(PolymorphicValue(int64_t{0}), x->dtype()));
  return where(isKept, x, zero)->asTensor();
}

}  // namespace nvfuser::ops
