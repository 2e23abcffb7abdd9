#include "ops/elementwise.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "ir/evaluator.h"
#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

namespace {

// Extent of one dimension of the result, while the operands are looked at one after the other.
struct DimensionMerge {
  Val* concrete = nullptr;
  Val* expanded = nullptr;
  bool isSymbolic = false;
  // Whether an operand has a computed size that must be 1.
  bool isOne = false;
  const TensorView* concreteOwner = nullptr;
  const TensorView* expandedOwner = nullptr;
};

// Keeps the constant one of two extents that must be equal. One that may be 1 at run time
// (`broadcasts`) leaves the result to the other.
void mergeExtent(Val*& known, const TensorView*& owner, Val* extent, const TensorView* tv,
                 const char* opName, size_t position, bool broadcasts = false) {
  if (known == nullptr) {
    known = extent;
    owner = tv;
    return;
  }
  if (!extent->isConstInt()) {
    if (broadcasts && scalar::isComputed(known) && !scalar::same(known, extent)) {
      known = scalar::isComputed(extent)
                  ? where(binary(BinaryOpType::Eq, known, known->fusion()->one()), extent, known)
                  : extent;
      owner = tv;
    }
    return;
  }
  NVF_CHECK(!known->isConstInt() || known->constInt() == extent->constInt(),
            "Expected sizes to match: dimension ", position, " of the operands of ", opName, " is ",
            known->toString(), " in ", owner->toString(), " but ", extent->toString(), " in ",
            tv->toString());
  if (!known->isConstInt()) {
    known = extent;
    owner = tv;
  }
}

// Inserts size-1 dimensions in front of tensors of lower rank.
void alignRanks(std::vector<Val*>& operands) {
  int64_t rank = 0;
  for (const Val* operand : operands) {
    rank = operand->isTensor() ? std::max(rank, operand->asTensor()->ndim()) : rank;
  }
  for (Val*& operand : operands) {
    if (operand->isTensor() && operand->asTensor()->ndim() < rank) {
      std::vector<bool> isBroadcast(rank, false);
      std::fill_n(isBroadcast.begin(), rank - operand->asTensor()->ndim(), true);
      operand = broadcast(operand->asTensor(), isBroadcast);
    }
  }
}

// The value that is known as this operation on two scalars, see ir/scalar.h: the arithmetic of
// shapes that a user writes and that of the operations are one.
Val*& knownScalar(BinaryOpType type, std::vector<Val*>& operands) {
  Fusion* fusion = operands[0]->fusion();
  for (Val*& operand : operands) {
    if (operand->dtype() == DataType::Index && operand->isConstInt()) {
      operand = scalar::constant(fusion, operand->constInt());
    }
  }
  return fusion->scalarMemo()[{type, operands[0], operands[1]}];
}

// Makes the node of an element-wise operation on operands that are converted already.
template <typename Op>
Val* createElementwise(auto type, std::vector<Val*> operands, DataType resultType) {
  Fusion* fusion = operands[0]->fusion();
  const bool hasTensor = std::ranges::any_of(operands, [](Val* v) { return v->isTensor(); });
  Val* notKnown = nullptr;
  Val** known = &notKnown;
  if constexpr (std::is_same_v<Op, BinaryOp>) {
    known = hasTensor ? known : &knownScalar(type, operands);
    if (*known != nullptr) {
      return *known;
    }
  }
  Val* out = nullptr;
  if (hasTensor) {
    alignRanks(operands);
    std::vector<TensorView*> tensors;
    for (Val* operand : operands) {
      if (operand->isTensor()) {
        tensors.push_back(operand->asTensor());
      }
    }
    const DataType dtype =
        resultType == DataType::Index &&
                !std::ranges::any_of(tensors,
                                     [](TensorView* tv) { return tv->dtype() == DataType::Index; })
            ? DataType::Int
            : resultType;
    out = newTensor(fusion, elementwiseDomain(fusion, tensors, info(type).name, true), dtype);
  } else {
    out = fusion->create<Val>(resultType);
  }
  Expr* expr = nullptr;
  if constexpr (std::is_same_v<Op, UnaryOp>) {
    expr = fusion->create<UnaryOp>(type, out, operands[0]);
  } else if constexpr (std::is_same_v<Op, BinaryOp>) {
    expr = fusion->create<BinaryOp>(type, out, operands[0], operands[1]);
  } else {
    expr = fusion->create<TernaryOp>(type, out, operands);
  }
  if (!hasTensor) {
    // The folded expression stays behind without a use.
    PolymorphicValue value = foldConstants(expr);
    if (!value.isNull()) {
      out = fusion->create<Val>(resultType, std::move(value));
    }
    *known = out;
  }
  return out;
}

void checkReal(const char* name, DataType dtype, const Val* operand) {
  NVF_CHECK(!isComplexType(dtype), name, " is not defined for complex numbers, but ",
            operand->toString(), " makes it ", dtype);
}

// What a floating-point question or rounding comes to for bools and integers; null where the
// operation is a real one. Emitters so need no such case.
Val* exactEquivalent(UnaryOpType type, Val* x) {
  if (has(type, OpTraits::ExactSame) ||
      (isBooleanType(x->dtype()) && has(type, OpTraits::BoolSame))) {
    return set(x);
  }
  if (has(type, OpTraits::ExactTrue)) {
    return binary(BinaryOpType::Eq, x, x);
  }
  if (has(type, OpTraits::ExactFalse)) {
    return binary(BinaryOpType::Ne, x, x);
  }
  switch (type) {
    case UnaryOpType::Frac:
      return binary(BinaryOpType::BitwiseXor, x, x);
    case UnaryOpType::Signbit:
      return !info(x->dtype()).isSigned
                 ? binary(BinaryOpType::Ne, x, x)
                 : binary(BinaryOpType::Lt, x, constantOf(x->fusion(), int64_t{0}));
    case UnaryOpType::BitwiseNot:
      return isBooleanType(x->dtype()) ? unary(UnaryOpType::LogicalNot, x) : nullptr;
    default:
      return nullptr;
  }
}

// Smooth functions whose result keeps the dtype have none for integers.
bool needsFloatingPoint(UnaryOpType type) {
  return has(type, OpTraits::Function) && info(type).promotion == Promotion::Same;
}

DataType unaryResultType(UnaryOpType type, const Val* x, DataType promoted) {
  switch (type) {
    case UnaryOpType::Abs:
    case UnaryOpType::Real:
    case UnaryOpType::Imag:
      return realTypeOf(promoted);
    default:
      return isBooleanType(x->dtype()) && type == UnaryOpType::Neg ? DataType::Int : promoted;
  }
}

// What an arithmetic operation on two Bools is.
struct BoolEquivalent {
  BinaryOpType type;
  bool isLogical;
};
BoolEquivalent boolEquivalent(BinaryOpType type) {
  if (type == BinaryOpType::Maximum || type == BinaryOpType::Minimum) {
    return {type, true};
  }
  if (has(type, OpTraits::BoolOr)) {
    return {BinaryOpType::LogicalOr, true};
  }
  if (has(type, OpTraits::BoolAnd)) {
    return {BinaryOpType::LogicalAnd, true};
  }
  return has(type, OpTraits::BoolXor) ? BoolEquivalent{BinaryOpType::Ne, true}
                                      : BoolEquivalent{type, false};
}

Val* complexNumber(Val* real, Val* imaginary) {
  NVF_CHECK(real->isTensor() == imaginary->isTensor(),
            "complex takes two tensors or two scalars, but got ", real->toString(), " and ",
            imaginary->toString());
  NVF_CHECK(real->dtype() == imaginary->dtype(), "complex needs operands of the same dtype, but ",
            real->toString(), " has dtype ", real->dtype(), " and ", imaginary->toString(), " ",
            imaginary->dtype());
  NVF_CHECK(real->dtype() == DataType::Float || real->dtype() == DataType::Double,
            "complex takes Float or Double, but ", real->toString(), " has dtype ", real->dtype());
  return createElementwise<BinaryOp>(BinaryOpType::Complex, {real, imaginary},
                                     complexTypeOf(real->dtype()));
}

}  // namespace

std::vector<IterDomain*> elementwiseDomain(Fusion* fusion, std::span<TensorView* const> operands,
                                           const char* opName, bool broadcasts, int64_t ofFirst) {
  std::vector<DimensionMerge> merged(operands[0]->ndim());
  for (const TensorView* tv : operands) {
    const std::vector<IterDomain*> domains = tv->visible();
    for (size_t i = 0; i < domains.size(); ++i) {
      if (static_cast<int64_t>(i) == ofFirst && tv != operands[0]) {
        continue;
      }
      const IterDomain* id = domains[i];
      DimensionMerge& dimension = merged[i];
      if (!id->isBroadcast()) {
        // Whether it is a dimension or expanded in a run is seen there, its extent is known here.
        const bool isSymbolic = id->iterType() == IterType::Symbolic;
        if (isSymbolic && id->extent()->isConstInt(1)) {
          // A computed size that must be 1 broadcasts.
          dimension.isOne = true;
          continue;
        }
        dimension.isSymbolic =
            isSymbolic && (dimension.concrete == nullptr || dimension.isSymbolic);
        mergeExtent(dimension.concrete, dimension.concreteOwner, id->extent(), tv, opName, i,
                    broadcasts);
      } else if (id->hasExpandedExtent()) {
        mergeExtent(dimension.expanded, dimension.expandedOwner, id->expandedExtent(), tv, opName,
                    i, broadcasts);
      }
    }
  }
  std::vector<IterDomain*> result;
  result.reserve(merged.size());
  for (size_t i = 0; i < merged.size(); ++i) {
    DimensionMerge& dimension = merged[i];
    if (dimension.concrete == nullptr && dimension.expanded == nullptr && dimension.isOne) {
      IterDomain::Options options;
      options.iterType = IterType::Symbolic;
      result.push_back(fusion->create<IterDomain>(fusion->one(), options));
      continue;
    }
    if (dimension.concrete == nullptr) {
      result.push_back(newBroadcast(fusion, dimension.expanded));
      continue;
    }
    if (dimension.expanded != nullptr) {
      mergeExtent(dimension.concrete, dimension.concreteOwner, dimension.expanded,
                  dimension.expandedOwner, opName, i, broadcasts);
    }
    IterDomain::Options options;
    options.iterType = dimension.isSymbolic ? IterType::Symbolic : IterType::Iteration;
    result.push_back(fusion->create<IterDomain>(dimension.concrete, options));
  }
  return result;
}

Val* unary(UnaryOpType type, Val* x) {
  const OpInfo& op = info(type);
  fusionOf(op.name, {x});
  NVF_INTERNAL_CHECK(type != UnaryOpType::Cast, "a cast needs a dtype");
  const DataType dtype = x->dtype();
  if (isExactType(dtype)) {
    NVF_CHECK(!needsFloatingPoint(type), op.name, " needs a floating-point input, but ",
              x->toString(), " has dtype ", dtype);
    if (Val* equivalent = exactEquivalent(type, x)) {
      return equivalent;
    }
  } else {
    NVF_CHECK(type != UnaryOpType::BitwiseNot,
              "Integer or boolean input is required for bitwise_not but ", x->toString(),
              " has dtype ", dtype);
  }
  if (has(type, OpTraits::Real)) {
    checkReal(op.name, dtype, x);
  }
  if (!isComplexType(dtype)) {
    NVF_CHECK(type != UnaryOpType::Imag,
              "imag not supported for non-complex tensors: ", x->toString(), " has dtype ", dtype);
    if (type == UnaryOpType::Real) {
      return set(x);
    }
  }
  Val* const operands[] = {x};
  OpTypes types = promote(op.promotion, operands, op.name);
  types.result = unaryResultType(type, x, types.result);
  // The negation of a Bool is an integer.
  const DataType compute = type == UnaryOpType::Neg ? types.result : types.compute;
  return createElementwise<UnaryOp>(type, {convertOperand(x, compute)}, types.result);
}

Val* binary(BinaryOpType type, Val* lhs, Val* rhs) {
  const OpInfo& op = info(type);
  fusionOf(op.name, {lhs, rhs});
  if (type == BinaryOpType::Complex) {
    return complexNumber(lhs, rhs);
  }
  Val* const operands[] = {lhs, rhs};
  const OpTypes types = promote(op.promotion, operands, op.name);
  if (has(type, OpTraits::Real)) {
    checkReal(op.name, types.compute, isComplexType(lhs->dtype()) ? lhs : rhs);
  }
  if (isBooleanType(types.compute) && isBooleanType(types.result) &&
      (op.promotion == Promotion::Default || op.promotion == Promotion::Bitwise)) {
    const BoolEquivalent equivalent = boolEquivalent(type);
    if (!equivalent.isLogical) {
      // Quotients, remainders and powers of Bools: computed as integers.
      Val* a = convertOperand(lhs, DataType::Int);
      Val* b = convertOperand(rhs, DataType::Int);
      return convert(binary(type, a, b), DataType::Bool);
    }
    type = equivalent.type;
  }
  const bool isReal = isFloatingPointType(types.compute);
  if (type == BinaryOpType::Mod && isReal) {
    type = BinaryOpType::Fmod;
  } else if (type == BinaryOpType::Fmod && isIntegralType(types.compute)) {
    type = BinaryOpType::Mod;
  }
  Val* a = convertOperand(lhs, types.compute, operands);
  Val* b = convertOperand(rhs, types.compute, operands);
  return createElementwise<BinaryOp>(type, {a, b}, types.result);
}

Val* where(Val* condition, Val* a, Val* b) {
  fusionOf("where", {condition, a, b});
  NVF_CHECK(condition->dtype() == DataType::Bool, "Condition should be of DataType Bool, but ",
            condition->toString(), " has dtype ", condition->dtype());
  Val* const operands[] = {a, b};
  const DataType dtype = commonType(operands);
  return createElementwise<TernaryOp>(
      TernaryOpType::Where,
      {condition, convertOperand(a, dtype, operands), convertOperand(b, dtype, operands)}, dtype);
}

namespace {

void checkScalar(const char* opName, const char* what, const Val* val) {
  NVF_CHECK(val->isScalar(), opName, ": ", what, " must be a scalar, but got ", val->toString());
}

}  // namespace

Val* clamp(Val* x, Val* min, Val* max) {
  Fusion* fusion = fusionOf("clamp", {x, min, max});
  checkReal("clamp", x->dtype(), x);
  if (min == nullptr && max == nullptr) {
    return set(x);
  }
  const DataType dtype = x->dtype();
  min = min == nullptr ? lowestOf(fusion, dtype) : min;
  max = max == nullptr ? highestOf(fusion, dtype) : max;
  checkScalar("clamp", "min", min);
  checkScalar("clamp", "max", max);
  return createElementwise<TernaryOp>(
      TernaryOpType::Clamp, {x, convertOperand(min, dtype), convertOperand(max, dtype)}, dtype);
}

Val* threshold(Val* x, Val* threshold, Val* value) {
  fusionOf("threshold", {x, threshold, value});
  checkReal("threshold", x->dtype(), x);
  checkScalar("threshold", "threshold", threshold);
  checkScalar("threshold", "value", value);
  const DataType dtype = x->dtype();
  return createElementwise<TernaryOp>(
      TernaryOpType::Threshold, {x, convertOperand(threshold, dtype), convertOperand(value, dtype)},
      dtype);
}

namespace {

// The dtype of arithmetic on three operands: as Default, and Bools are added and multiplied as
// integers.
DataType arithmeticType(std::span<Val* const> operands, const char* name) {
  const DataType dtype = promote(Promotion::Default, operands, name).compute;
  return isBooleanType(dtype) ? DataType::Int : dtype;
}

}  // namespace

Val* lerp(Val* start, Val* end, Val* weight) {
  fusionOf("lerp", {start, end, weight});
  Val* const operands[] = {start, end, weight};
  const DataType dtype = arithmeticType(operands, "lerp");
  return createElementwise<TernaryOp>(
      TernaryOpType::Lerp,
      {convertOperand(start, dtype, operands), convertOperand(end, dtype, operands),
       convertOperand(weight, dtype, operands)},
      dtype);
}

Val* addcmul(Val* a, Val* b, Val* c, Val* alpha) {
  fusionOf("addcmul", {a, b, c, alpha});
  checkScalar("addcmul", "alpha", alpha);
  Val* const operands[] = {a, b, c};
  const DataType dtype = arithmeticType(operands, "addcmul");
  return createElementwise<TernaryOp>(
      TernaryOpType::Addcmul,
      {convertOperand(a, dtype, operands), convertOperand(b, dtype, operands),
       convertOperand(c, dtype, operands), convertOperand(alpha, dtype)},
      dtype);
}

Val* cast(Val* x, DataType dtype) {
  fusionOf("cast", {x});
  return x->dtype() == dtype && dtype != DataType::Null ? set(x) : convert(x, dtype);
}

Val* set(Val* x) {
  Fusion* fusion = fusionOf("set", {x});
  if (!x->isTensor()) {
    return x;
  }
  TensorView* out = newLike(x->asTensor(), x->dtype());
  fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, out, x);
  return out;
}

namespace {

Val* realConstant(Fusion* fusion, DataType dtype, double value) {
  return fusion->create<Val>(dtype, castScalar(PolymorphicValue(value), dtype));
}

[[noreturn]] void failUnordered(DataType dtype) {
  fail("Values of type ", dtype, " have no order");
}

}  // namespace

Val* lowestOf(Fusion* fusion, DataType dtype) {
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return fusion->create<Val>(dtype, PolymorphicValue(false));
    case TypeKind::Integral:
      return fusion->create<Val>(dtype, PolymorphicValue(lowestInteger(dtype)));
    case TypeKind::Floating:
      return realConstant(fusion, dtype, info(dtype).lowest);
    default:
      failUnordered(dtype);
  }
}

Val* highestOf(Fusion* fusion, DataType dtype) {
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return fusion->create<Val>(dtype, PolymorphicValue(true));
    case TypeKind::Integral:
      return fusion->create<Val>(dtype, PolymorphicValue(highestInteger(dtype)));
    case TypeKind::Floating:
      return realConstant(fusion, dtype, info(dtype).highest);
    default:
      failUnordered(dtype);
  }
}

Val* zeroOf(Fusion* fusion, DataType dtype) {
  return fusion->create<Val>(dtype, castScalar(PolymorphicValue(int64_t{0}), dtype));
}

Val* oneOf(Fusion* fusion, DataType dtype) {
  return fusion->create<Val>(dtype, castScalar(PolymorphicValue(int64_t{1}), dtype));
}

TensorView* elementwiseOf(const Expr* expr, const std::vector<Val*>& operands) {
  std::vector<IterDomain*> logical;
  for (const Val* operand : operands) {
    if (!operand->isTensor()) {
      continue;
    }
    const std::vector<IterDomain*> dims = cloneVisible(operand->asTensor());
    logical.resize(dims.size(), nullptr);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (logical[i] == nullptr || logical[i]->isBroadcast()) {
        logical[i] = dims[i];
      }
    }
  }
  const auto* like = expr->output(0)->asTensor();
  TensorView* out = newTensor(like->fusion(), std::move(logical), like->dtype());
  computeLike(expr, out, operands);
  return out;
}

}  // namespace nvfuser::ops
