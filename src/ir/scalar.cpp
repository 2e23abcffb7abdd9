#include "ir/scalar.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "ir/traversal.h"

namespace nvfuser::scalar {

namespace {

// The value of an operation on constants, null where an operand is symbolic.
PolymorphicValue fold(BinaryOpType type, const Val* a, const Val* b) {
  if (!a->isConstInt() || !b->isConstInt()) {
    return {};
  }
  const int64_t x = a->constInt();
  const int64_t y = b->constInt();
  switch (type) {
    case BinaryOpType::Add:
      return x + y;
    case BinaryOpType::Sub:
      return x - y;
    case BinaryOpType::Mul:
      return x * y;
    case BinaryOpType::Div:
      return y == 0 ? PolymorphicValue() : PolymorphicValue(x / y);
    case BinaryOpType::Mod:
      return y == 0 ? PolymorphicValue() : PolymorphicValue(x % y);
    case BinaryOpType::Remainder:
      return y <= 0 ? PolymorphicValue() : PolymorphicValue((x % y + y) % y);
    case BinaryOpType::CeilDiv:
      return y == 0 ? PolymorphicValue() : PolymorphicValue((x + y - 1) / y);
    case BinaryOpType::Minimum:
      return std::min(x, y);
    case BinaryOpType::Maximum:
      return std::max(x, y);
    case BinaryOpType::BitwiseXor:
      return x ^ y;
    case BinaryOpType::Lt:
      return x < y;
    case BinaryOpType::Ge:
      return x >= y;
    case BinaryOpType::Eq:
      return x == y;
    default:
      return {};
  }
}

Val* binary(BinaryOpType type, Val* a, Val* b) {
  Fusion* fusion = a->fusion();
  PolymorphicValue folded = fold(type, a, b);
  if (folded.is<int64_t>()) {
    return constant(fusion, folded.as<int64_t>());
  }
  if (folded.is<bool>()) {
    return fusion->create<Val>(DataType::Bool, folded);
  }
  Val*& known = fusion->scalarMemo()[{type, a, b}];
  if (known == nullptr) {
    // As the operations of the same names promote, which find their results here, too.
    const bool isCondition =
        info(type).promotion == Promotion::Compare || info(type).promotion == Promotion::Logical;
    Val* out =
        fusion->create<Val>(isCondition ? DataType::Bool : promoteTypes(a->dtype(), b->dtype()));
    fusion->create<BinaryOp>(type, out, a, b);
    known = out;
  }
  return known;
}

const BinaryOp* definedBy(const Val* val, BinaryOpType type) {
  if (val->definition() == nullptr) {
    return nullptr;
  }
  const auto* binary = val->definition()->as<BinaryOp>();
  return binary != nullptr && binary->type() == type ? binary : nullptr;
}

// u * b, with the factors of u that are not its first one and b as one factor.
Val* scaled(Val* u, Val* b) {
  const BinaryOp* product = definedBy(u, BinaryOpType::Mul);
  return product == nullptr ? mul(u, b) : mul(product->lhs(), mul(product->rhs(), b));
}

// a == (x / b) * b and c == x % b: returns x. a == (u + x / b) * b: returns u * b + x, as of
// dimensions that were merged after the first of them was divided.
Val* recombined(Val* a, Val* c) {
  const BinaryOp* product = definedBy(a, BinaryOpType::Mul);
  const BinaryOp* remainder = definedBy(c, BinaryOpType::Mod);
  if (product == nullptr || remainder == nullptr || !same(product->rhs(), remainder->rhs())) {
    return nullptr;
  }
  const auto isItsQuotient = [&](const Val* val) {
    const BinaryOp* quotient = definedBy(val, BinaryOpType::Div);
    return quotient != nullptr && quotient->lhs() == remainder->lhs() &&
           same(quotient->rhs(), remainder->rhs());
  };
  if (isItsQuotient(product->lhs())) {
    return remainder->lhs();
  }
  const BinaryOp* sum = definedBy(product->lhs(), BinaryOpType::Add);
  return sum != nullptr && isItsQuotient(sum->rhs())
             ? add(scaled(sum->lhs(), product->rhs()), remainder->lhs())
             : nullptr;
}

// c == u - a % b: returns a / b * b + u. That it is a multiple of b is seen then, if u is one.
Val* aligned(Val* a, Val* c) {
  const BinaryOp* difference = definedBy(c, BinaryOpType::Sub);
  const BinaryOp* remainder =
      difference == nullptr ? nullptr : definedBy(difference->rhs(), BinaryOpType::Mod);
  return remainder != nullptr && same(remainder->lhs(), a)
             ? add(mul(div(a, remainder->rhs()), remainder->rhs()), difference->lhs())
             : nullptr;
}

// a == x * b: returns x.
Val* factorBeside(const Val* a, const Val* b) {
  const BinaryOp* product = definedBy(a, BinaryOpType::Mul);
  return product != nullptr && same(product->rhs(), b) ? product->lhs() : nullptr;
}

}  // namespace

Val* constant(Fusion* fusion, int64_t value) {
  if (value == 0) {
    return fusion->zero();
  }
  if (value == 1) {
    return fusion->one();
  }
  Val*& known = fusion->constantMemo()[value];
  if (known == nullptr) {
    known = fusion->create<Val>(DataType::Index, PolymorphicValue(value));
  }
  return known;
}

Val* add(Val* a, Val* b) {
  if (a->isConstInt(0)) {
    return b;
  }
  if (b->isConstInt(0)) {
    return a;
  }
  if (Val* whole = recombined(a, b)) {
    return whole;
  }
  if (Val* whole = aligned(a, b)) {
    return whole;
  }
  return binary(BinaryOpType::Add, a, b);
}

Val* sub(Val* a, Val* b) {
  if (b->isConstInt(0)) {
    return a;
  }
  if (same(a, b)) {
    return a->fusion()->zero();
  }
  // (b + c) - b, as many as a slice has that begins anywhere.
  const auto* sum = a->definition() == nullptr ? nullptr : a->definition()->as<BinaryOp>();
  if (sum != nullptr && sum->type() == BinaryOpType::Add) {
    if (same(sum->lhs(), b)) {
      return sum->rhs();
    }
    if (same(sum->rhs(), b)) {
      return sum->lhs();
    }
  }
  return binary(BinaryOpType::Sub, a, b);
}

Val* mul(Val* a, Val* b) {
  if (a->isConstInt(0) || b->isConstInt(0)) {
    return a->fusion()->zero();
  }
  if (a->isConstInt(1)) {
    return b;
  }
  if (b->isConstInt(1)) {
    return a;
  }
  return binary(BinaryOpType::Mul, a, b);
}

Val* div(Val* a, Val* b) {
  if (a->isConstInt(0) || b->isConstInt(1)) {
    return a;
  }
  if (Val* whole = factorBeside(a, b)) {
    return whole;
  }
  return binary(BinaryOpType::Div, a, b);
}

Val* mod(Val* a, Val* b) {
  if (a->isConstInt(0) || b->isConstInt(1)) {
    return a->fusion()->zero();
  }
  return binary(BinaryOpType::Mod, a, b);
}

Val* wrapped(Val* a, Val* b) {
  return a->isConstInt(0) ? a : binary(BinaryOpType::Remainder, a, b);
}

Val* ceilDiv(Val* a, Val* b) {
  if (b->isConstInt(1)) {
    return a;
  }
  if (Val* whole = factorBeside(a, b)) {
    return whole;
  }
  return binary(BinaryOpType::CeilDiv, a, b);
}

Val* min(Val* a, Val* b) { return same(a, b) ? a : binary(BinaryOpType::Minimum, a, b); }

Val* max(Val* a, Val* b) { return same(a, b) ? a : binary(BinaryOpType::Maximum, a, b); }

Val* bitwiseXor(Val* a, Val* b) { return binary(BinaryOpType::BitwiseXor, a, b); }

Val* where(Val* condition, Val* a, Val* b) {
  if (condition->isConst()) {
    return condition->value().as<bool>() ? a : b;
  }
  Fusion* fusion = a->fusion();
  Val* out = fusion->create<Val>(promoteTypes(a->dtype(), b->dtype()));
  fusion->create<TernaryOp>(TernaryOpType::Where, out, std::vector<Val*>{condition, a, b});
  return out;
}

Val* lt(Val* a, Val* b) { return binary(BinaryOpType::Lt, a, b); }
Val* ge(Val* a, Val* b) { return binary(BinaryOpType::Ge, a, b); }
Val* eq(Val* a, Val* b) { return binary(BinaryOpType::Eq, a, b); }

Val* logicalAnd(Val* a, Val* b) {
  const auto isTrue = [](Val* v) {
    return v == nullptr || (v->value().is<bool>() && v->value().as<bool>());
  };
  if (isTrue(a)) {
    return isTrue(b) ? nullptr : b;
  }
  if (isTrue(b) || a == b) {
    return a;
  }
  return binary(BinaryOpType::LogicalAnd, a, b);
}

std::vector<Val*> combinedBy(BinaryOpType type, Val* value) {
  std::vector<Val*> parts;
  std::vector<Val*> stack{value};
  while (!stack.empty()) {
    Val* part = stack.back();
    stack.pop_back();
    const auto* binary =
        part->definition() == nullptr ? nullptr : part->definition()->as<BinaryOp>();
    if (binary != nullptr && binary->type() == type) {
      stack.insert(stack.end(), {binary->rhs(), binary->lhs()});
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

Val* product(Fusion* fusion, const std::vector<Val*>& factors) {
  Val* result = fusion->one();
  for (Val* factor : factors) {
    result = mul(result, factor);
  }
  return result;
}

bool same(const Val* a, const Val* b) {
  return a == b || (a->isConstInt() && b->isConstInt() && a->constInt() == b->constInt());
}

bool isComputed(const Val* extent) {
  return extent->isSymbolic() && (extent->definition() != nullptr || extent->isFusionInput());
}

namespace {

// Whether a and b are one value with different constants as its limits, those of a the higher ones:
// the ends of what is cut out of a dimension.
bool isAtLeast(const Val* a, const Val* b) {
  const BinaryOp* above = definedBy(a, BinaryOpType::Minimum);
  const BinaryOp* below = definedBy(b, BinaryOpType::Minimum);
  return above != nullptr && below != nullptr && above->lhs()->isConstInt() &&
         below->lhs()->isConstInt() && above->lhs()->constInt() >= below->lhs()->constInt() &&
         same(above->rhs(), below->rhs());
}

// Whether values are not negative, known from the operations alone. Each value once: indices are
// sums of sums of few symbols.
class Signs {
 public:
  explicit Signs(const LeastIndices& least) : least_(least) {}

  bool isNonNegative(const Val* root) {
    visitOperandsFirst(
        root, [&](const Val* val) { return known_.size() > kMost || known_.contains(val); },
        [&](const Val* val) { known_[val] = compute(val); });
    return get(root);
  }

 private:
  // Of longer expressions nothing is known: every emitted operation asks.
  static constexpr size_t kMost = 256;

  bool get(const Val* val) const {
    const auto found = known_.find(val);
    return found != known_.end() && found->second;
  }

  bool compute(const Val* val) const {
    if (val->isConst()) {
      return val->isConstInt() && val->constInt() >= 0;
    }
    const Expr* definition = val->definition();
    if (definition == nullptr) {
      return val->dtype() == DataType::Index;
    }
    const auto* binary = definition->as<BinaryOp>();
    if (binary == nullptr) {
      return false;
    }
    const bool lhs = get(binary->lhs());
    const bool rhs = get(binary->rhs());
    switch (binary->type()) {
      case BinaryOpType::Add:
      case BinaryOpType::Mul:
      case BinaryOpType::Div:
      case BinaryOpType::CeilDiv:
      case BinaryOpType::FloorDiv:
      case BinaryOpType::Mod:
      case BinaryOpType::Minimum:
        return lhs && rhs;
      case BinaryOpType::Maximum:
        return lhs || rhs;
      case BinaryOpType::Sub:
        return isAtLeast(binary->lhs(), binary->rhs()) || startsFrom(binary->lhs(), binary->rhs());
      default:
        return false;
    }
  }

  // Whether it is the index of a loop that starts from no less.
  bool startsFrom(const Val* index, const Val* least) const {
    const auto found = least_.find(index);
    return found != least_.end() && least->isConstInt() && found->second >= least->constInt();
  }

  const LeastIndices& least_;
  std::unordered_map<const Val*, bool> known_;
};

}  // namespace

bool maySignMatter(const Expr* expr, const LeastIndices& least) {
  const auto* binary = expr->as<BinaryOp>();
  if (binary->type() != BinaryOpType::Div && binary->type() != BinaryOpType::Mod) {
    return false;
  }
  Signs signs(least);
  return !(signs.isNonNegative(binary->lhs()) && signs.isNonNegative(binary->rhs()));
}

namespace {

// Each value once: sums of sums have far more paths to a symbol than values on them.
class Coefficients {
 public:
  explicit Coefficients(const Val* symbol) : symbol_(symbol) {}

  Val* of(Val* expression) {
    visitOperandsFirst(
        expression, [&](const Val* val) { return known_.contains(val); },
        [&](Val* val) { known_[val] = compute(val); });
    return known_.at(expression);
  }

 private:
  static bool isZero(const Val* part) { return part != nullptr && part->isConstInt(0); }

  Val* compute(Val* expression) {
    Fusion* fusion = expression->fusion();
    if (expression == symbol_) {
      return fusion->one();
    }
    if (expression->definition() == nullptr) {
      return fusion->zero();
    }
    std::vector<Val*> parts;
    for (Val* in : expression->definition()->inputs()) {
      parts.push_back(known_.at(in));
    }
    if (std::ranges::all_of(parts, isZero)) {
      return fusion->zero();
    }
    const auto* binary = expression->definition()->as<BinaryOp>();
    if (binary == nullptr || std::ranges::find(parts, nullptr) != parts.end()) {
      return nullptr;
    }
    switch (binary->type()) {
      case BinaryOpType::Add:
        return add(parts[0], parts[1]);
      case BinaryOpType::Sub:
        return sub(parts[0], parts[1]);
      case BinaryOpType::Mul:
        if (isZero(parts[0]) || isZero(parts[1])) {
          return isZero(parts[0]) ? mul(binary->lhs(), parts[1]) : mul(parts[0], binary->rhs());
        }
        return nullptr;
      default:
        return nullptr;
    }
  }

  const Val* symbol_;
  std::unordered_map<const Val*, Val*> known_;
};

}  // namespace

Val* coefficient(Val* expression, const Val* symbol) { return Coefficients(symbol).of(expression); }

namespace {

// Each value once, as above.
class Substitution {
 public:
  Substitution(const Val* symbol, Val* value) : symbol_(symbol), value_(value) {}

  Val* in(Val* expression) {
    visitOperandsFirst(
        expression, [&](const Val* val) { return known_.contains(val); },
        [&](Val* val) { known_[val] = compute(val); });
    return known_.at(expression);
  }

 private:
  Val* compute(Val* expression) {
    if (expression == symbol_) {
      return value_;
    }
    const Expr* definition = expression->definition();
    if (definition == nullptr || std::ranges::all_of(definition->inputs(), [&](Val* operand) {
          return known_.at(operand) == operand;
        })) {
      return expression;
    }
    const auto* operation = definition->as<BinaryOp>();
    if (operation == nullptr || expression->dtype() != DataType::Index) {
      return nullptr;
    }
    Val* a = known_.at(operation->lhs());
    Val* b = known_.at(operation->rhs());
    if (a == nullptr || b == nullptr) {
      return nullptr;
    }
    switch (operation->type()) {
      case BinaryOpType::Add:
        return add(a, b);
      case BinaryOpType::Sub:
        return sub(a, b);
      case BinaryOpType::Mul:
        return mul(a, b);
      case BinaryOpType::Div:
        return div(a, b);
      case BinaryOpType::Mod:
        return mod(a, b);
      case BinaryOpType::Minimum:
        return min(a, b);
      case BinaryOpType::Maximum:
        return max(a, b);
      default:
        return nullptr;
    }
  }

  const Val* symbol_;
  Val* value_;
  std::unordered_map<const Val*, Val*> known_;
};

}  // namespace

Val* substituted(Val* expression, const Val* symbol, Val* value) {
  return Substitution(symbol, value).in(expression);
}

int64_t upperBound(const Val* val) {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::unordered_set<const Val*> seen;
  std::vector<const Val*> stack{val};
  while (!stack.empty()) {
    const Val* term = stack.back();
    stack.pop_back();
    if (term->isConstInt()) {
      least = std::min(least, term->constInt());
    } else if (const BinaryOp* minimum = definedBy(term, BinaryOpType::Minimum);
               minimum != nullptr && seen.insert(term).second) {
      stack.insert(stack.end(), {minimum->lhs(), minimum->rhs()});
    }
  }
  return least;
}

bool isDivisible(const Val* dividend, const Val* divisor) {
  if (divisor->isConstInt(1)) {
    return true;
  }
  // A product is, if a factor is. Of nothing there is no first part for threads to run over.
  std::unordered_set<const Val*> seen;
  std::vector<const Val*> stack{dividend};
  while (!stack.empty()) {
    const Val* factor = stack.back();
    stack.pop_back();
    if (!seen.insert(factor).second) {
      continue;
    }
    if (same(factor, divisor) ||
        (factor->isConstInt() && divisor->isConstInt() && divisor->constInt() != 0 &&
         factor->constInt() != 0 && factor->constInt() % divisor->constInt() == 0)) {
      return true;
    }
    if (const BinaryOp* product = definedBy(factor, BinaryOpType::Mul)) {
      stack.insert(stack.end(), {product->lhs(), product->rhs()});
    }
  }
  return false;
}

}  // namespace nvfuser::scalar
