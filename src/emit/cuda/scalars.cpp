#include "emit/cuda/scalars.h"

#include <utility>

#include "core/error.h"
#include "emit/common.h"
#include "ir/scalar.h"
#include "ir/traversal.h"

namespace nvfuser::cuda {

namespace {

const BinaryOp* binaryOf(const Val* val) {
  return val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
}

// The choice between two indices that one is; null for anything else.
const TernaryOp* choiceOf(const Val* val) {
  const auto* choice = val->definition() == nullptr ? nullptr : val->definition()->as<TernaryOp>();
  return choice != nullptr && choice->type() == TernaryOpType::Where &&
                 val->dtype() == DataType::Index
             ? choice
             : nullptr;
}

bool isIndexOperation(BinaryOpType type) {
  switch (type) {
    case BinaryOpType::Add:
    case BinaryOpType::Sub:
    case BinaryOpType::Mul:
    case BinaryOpType::Div:
    case BinaryOpType::Mod:
    case BinaryOpType::CeilDiv:
    case BinaryOpType::BitwiseXor:
    case BinaryOpType::Minimum:
    case BinaryOpType::Maximum:
      return true;
    default:
      return false;
  }
}

// Indices are non-negative where they are divided (see ir/scalar.h); `divisor` is the parameter
// that stands for `rhs` there, empty for none.
std::string integerOperation(BinaryOpType type, const std::string& lhs, const std::string& rhs,
                             const std::string& divisor = {}) {
  const auto call = [&](const char* name) {
    return std::string(name) + "(" + lhs + ", " + rhs + ")";
  };
  const auto divide = [&](const char* name) {
    return divisor.empty() ? call(name)
                           : std::string(name) + "_by(" + lhs + ", " + rhs + ", " + divisor + ")";
  };
  switch (type) {
    case BinaryOpType::Div:
      return divide("nvf::quotient");
    case BinaryOpType::Mod:
      return divide("nvf::modulo");
    case BinaryOpType::CeilDiv:
      return divide("nvf::ceil_quotient");
    case BinaryOpType::Minimum:
      return call("nvf::smaller");
    case BinaryOpType::Maximum:
      return call("nvf::larger");
    default:
      return lhs + " " + info(type).symbol + " " + rhs;
  }
}

}  // namespace

bool Scalars::isOfIndices(const Val* root) const {
  const auto compute = [&](const Val* val) {
    if (val->isConst()) {
      return val->isConstInt() && std::in_range<int32_t>(val->constInt());
    }
    if (val->definition() == nullptr) {
      return val->dtype() == DataType::Index;
    }
    if (val->dtype() != DataType::Index && val->dtype() != DataType::Int) {
      return false;
    }
    // The host makes sure that these fit.
    if (parameters_.contains(val)) {
      return true;
    }
    const BinaryOp* binary = binaryOf(val);
    return binary != nullptr && isIndexOperation(binary->type()) &&
           isOfIndices_.at(binary->lhs()) && isOfIndices_.at(binary->rhs()) &&
           !scalar::maySignMatter(binary);
  };
  visitOperandsFirst(
      root, [&](const Val* val) { return isOfIndices_.contains(val); },
      [&](const Val* val) { isOfIndices_[val] = compute(val); });
  return isOfIndices_.at(root);
}

bool Scalars::isComputedAsIndex(const Val* val) const {
  const BinaryOp* binary = binaryOf(val);
  if (binary == nullptr || parameters_.contains(val) || !isIndexOperation(binary->type()) ||
      scalar::maySignMatter(binary)) {
    return false;
  }
  return val->dtype() == DataType::Index ||
         (!kernel_.hasWideIndex && val->dtype() == DataType::Int && isOfIndices(val));
}

std::string Scalars::indexOperation(const BinaryOp* binary, const std::string& lhs,
                                    const std::string& rhs) const {
  const auto divisor = divisors_.find(binary->rhs());
  const bool isMultiplied = !kernel_.hasWideIndex && divisor != divisors_.end();
  return integerOperation(binary->type(), lhs, rhs, isMultiplied ? divisor->second : std::string());
}

std::string Scalars::index(const Val* val) {
  if (val->isConstInt()) {
    return std::to_string(val->constInt());
  }
  if (val->dtype() == DataType::Bool) {
    return condition(val);
  }
  const auto compute = [&] {
    if (isComputedAsIndex(val)) {
      const BinaryOp* binary = binaryOf(val);
      return text_.define(indexType(),
                          indexOperation(binary, index(binary->lhs()), index(binary->rhs())));
    }
    if (const TernaryOp* choice = choiceOf(val); choice != nullptr && !parameters_.contains(val)) {
      return text_.define(indexType(), condition(choice->input(0)) + " ? " +
                                           index(choice->input(1)) + " : " +
                                           index(choice->input(2)));
    }
    return text_.define(indexType(), convert(value(val), indexDtype()).text);
  };
  constexpr int kMaxNesting = 64;
  if (nesting_ == kMaxNesting) {
    // What is nested deeper is computed from the innermost operations on.
    nesting_ = 0;
    visitOperandsFirst(
        val,
        [&](const Val* v) {
          return !isComputedAsIndex(v) || text_.find(v, Scopes::Role::Index) != nullptr;
        },
        [&](const Val* v) { index(v); });
    nesting_ = kMaxNesting;
  }
  ++nesting_;
  std::string name = text_.scalar(val, compute, Scopes::Role::Index);
  --nesting_;
  return name;
}

std::string Scalars::condition(const Val* val) {
  if (val->isConst()) {
    return val->value().as<bool>() ? "true" : "false";
  }
  const BinaryOp* binary = binaryOf(val);
  if (binary != nullptr && binary->type() == BinaryOpType::LogicalAnd) {
    const BinaryOp* lower = binaryOf(binary->lhs());
    const BinaryOp* upper = binaryOf(binary->rhs());
    // As an unsigned number a negative index is a large one.
    if (lower != nullptr && upper != nullptr && lower->type() == BinaryOpType::Ge &&
        upper->type() == BinaryOpType::Lt && lower->rhs()->isConstInt(0) &&
        lower->lhs() == upper->lhs() && lower->lhs()->dtype() == DataType::Index) {
      const std::string type = kernel_.hasWideIndex ? "(unsigned long long)" : "(unsigned)";
      return type + index(upper->lhs()) + " < " + type + index(upper->rhs());
    }
    return index(binary->lhs()) + " && " + index(binary->rhs());
  }
  if (binary != nullptr && info(binary->type()).promotion == Promotion::Compare &&
      (binary->lhs()->dtype() == DataType::Index ||
       (!kernel_.hasWideIndex && isOfIndices(binary->lhs()) && isOfIndices(binary->rhs())))) {
    return index(binary->lhs()) + " " + info(binary->type()).symbol + " " + index(binary->rhs());
  }
  return parenthesized(value(val));
}

Term Scalars::value(const Val* val) {
  const DataType dtype = val->dtype();
  if (val->isConst()) {
    return constant(val->value(), dtype);
  }
  if (const auto parameter = parameters_.find(val); parameter != parameters_.end()) {
    return parameter->second;
  }
  if (val->definition() == nullptr) {
    if (const std::string* known = text_.find(val, Scopes::Role::Value)) {
      return {*known, dtype};
    }
    const std::string* name = text_.find(val, Scopes::Role::Index);
    NVF_INTERNAL_CHECK(name != nullptr, "scalar ", val->toString(), " is not a kernel parameter");
    return convert({*name, indexDtype()}, dtype);
  }
  const auto isKnown = [&](const Val* v) {
    return v->definition() == nullptr || parameters_.contains(v) || text_.find(v) != nullptr;
  };
  visitOperandsFirst(val, isKnown, [&](const Val* v) {
    text_.scalar(v, [&] {
      return text_.define(typeName(v->dtype()),
                          convert(compute(v->definition(), v->dtype()), v->dtype()).text);
    });
  });
  return {*text_.find(val), dtype};
}

Term Scalars::compute(const Expr* expr, DataType dtype) {
  std::vector<Term> inputs;
  for (const Val* in : expr->inputs()) {
    inputs.push_back(value(in));
  }
  switch (expr->kind()) {
    case ExprKind::Unary:
      return unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], dtype);
    case ExprKind::Binary: {
      const auto type = static_cast<BinaryOpType>(expr->attribute(0));
      if (isIndexOperation(type) && nvfuser::isOfIndices(expr, inputs[0].dtype, dtype)) {
        return {integerOperation(type, parenthesized(convert(inputs[0], DataType::Index)),
                                 parenthesized(convert(inputs[1], DataType::Index))),
                DataType::Index, false};
      }
      return binary(expr, inputs, dtype);
    }
    case ExprKind::Ternary:
      return ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, dtype);
    default:
      fail("Not a scalar operation: ", expr->toString());
  }
}

}  // namespace nvfuser::cuda
