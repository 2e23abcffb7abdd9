#include "runtime/known_integers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/nodes.h"
#include "ir/passes.h"

namespace nvfuser {

namespace {

// Numbers that lie between two others.
struct Interval {
  double least;
  double most;
};
using Known = std::optional<Interval>;

// What single precision rounds away.
constexpr double kRounding = 1e-6;

Interval rounded(const Interval& exact, DataType dtype) {
  if (!isFloatingPointType(dtype)) {
    return exact;
  }
  const double slack = kRounding * std::max(std::abs(exact.least), std::abs(exact.most));
  return {exact.least - slack, exact.most + slack};
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

// The extremes of what an operation that is monotonic in both operands makes of them.
template <typename Operation>
Interval ofCorners(const Interval& a, const Interval& b, Operation operation) {
  const std::initializer_list<double> corners = {
      operation(a.least, b.least), operation(a.least, b.most), operation(a.most, b.least),
      operation(a.most, b.most)};
  return {std::min(corners), std::max(corners)};
}

// Whether each element of a result is one of the operand.
bool keepsElements(const Expr* expr) {
  const auto* copy = expr->as<LoadStoreOp>();
  return expr->is<BroadcastOp>() || expr->is<ExpandOp>() || expr->is<SqueezeOp>() ||
         expr->is<ReshapeOp>() || expr->is<SliceOp>() ||
         (copy != nullptr && !copy->isSegmentBoundary());
}

// The numbers that tensors and scalars may be.
class Intervals {
 public:
  explicit Intervals(const std::vector<Expr*>& exprs) {
    for (const Expr* expr : exprs) {
      add(expr);
    }
  }

  Known of(const Val* val) const {
    if (val->isScalar()) {
      return ofConstant(val);
    }
    const auto found = known_.find(val);
    return found == known_.end() ? std::nullopt : Known(found->second);
  }

  bool fitsInt32(const Val* val) const {
    const Known interval = of(val);
    return interval && interval->least >= -kMostOfInt32 && interval->most <= kMostOfInt32;
  }

 private:
  static constexpr double kMostOfInt32 = std::numeric_limits<int32_t>::max();
  // Sums of two are exact in double precision.
  static constexpr double kMostOfInt = int64_t{1} << 52;

  void add(const Expr* expr) {
    if (expr->outputs().size() != 1 || !expr->output(0)->isTensor()) {
      return;
    }
    const DataType dtype = expr->output(0)->dtype();
    // Few digits round to whole numbers that are far away, or wrap around.
    const bool isInteger = dtype == DataType::Int || dtype == DataType::Int32;
    const bool isPrecise = dtype == DataType::Float || dtype == DataType::Double || isInteger;
    const Known exact = isPrecise ? compute(expr) : std::nullopt;
    if (!exact || !std::isfinite(exact->least) || !std::isfinite(exact->most)) {
      return;
    }
    const Interval interval = rounded(*exact, dtype);
    const double bound = dtype == DataType::Int ? kMostOfInt : kMostOfInt32;
    if (!isInteger || (interval.least >= -bound && interval.most <= bound)) {
      known_[expr->output(0)] = interval;
    }
  }

  static Known ofConstant(const Val* val) {
    if (val->value().is<int64_t>()) {
      const auto number = static_cast<double>(val->value().as<int64_t>());
      return Interval{number, number};
    }
    if (val->value().is<double>() && !std::isnan(val->value().as<double>())) {
      return Interval{val->value().as<double>(), val->value().as<double>()};
    }
    return std::nullopt;
  }

  Known compute(const Expr* expr) const {
    if (const auto* iota = expr->as<IotaOp>()) {
      const Val* count = iota->out()->logical().front()->extent();
      const Known start = of(iota->start());
      const Known step = of(iota->step());
      if (!start || !step || !count->isConstInt() || count->constInt() == 0) {
        return std::nullopt;
      }
      const double last = start->least + static_cast<double>(count->constInt() - 1) * step->least;
      return hull(*start, {last, last});
    }
    if (const auto* full = expr->as<FullOp>()) {
      return of(full->value());
    }
    if (const auto* unary = expr->as<UnaryOp>()) {
      return ofUnary(unary);
    }
    if (const auto* binary = expr->as<BinaryOp>()) {
      const Known a = of(binary->input(0));
      const Known b = of(binary->input(1));
      return a && b ? ofBinary(binary, *a, *b) : std::nullopt;
    }
    if (const auto* ternary = expr->as<TernaryOp>()) {
      return ternary->type() == TernaryOpType::Where ? ofWhere(ternary) : std::nullopt;
    }
    return keepsElements(expr) ? of(expr->input(0)) : std::nullopt;
  }

  Known ofWhere(const TernaryOp* choice) const {
    const Known a = of(choice->input(1));
    const Known b = of(choice->input(2));
    // Positions that count from the end where they are negative are not where none is.
    const Expr* condition = choice->input(0)->definition();
    const auto* compared = condition == nullptr ? nullptr : condition->as<BinaryOp>();
    if (compared != nullptr && compared->type() == BinaryOpType::Lt) {
      const Known left = of(compared->input(0));
      const Known right = of(compared->input(1));
      if (left && right && left->least >= right->most) {
        return b;
      }
    }
    return a && b ? Known(hull(*a, *b)) : std::nullopt;
  }

  Known ofUnary(const UnaryOp* unary) const {
    const Val* in = unary->input(0);
    if (unary->type() == UnaryOpType::Cast && in->dtype() == DataType::Bool) {
      return Interval{0, 1};
    }
    const Known x = of(in);
    if (!x) {
      return std::nullopt;
    }
    switch (unary->type()) {
      case UnaryOpType::Cast:
        return isIntegralType(unary->output(0)->dtype())
                   ? Interval{std::trunc(x->least), std::trunc(x->most)}
                   : *x;
      case UnaryOpType::Neg:
        return Interval{-x->most, -x->least};
      case UnaryOpType::Abs: {
        const double most = std::max(std::abs(x->least), std::abs(x->most));
        return Interval{
            x->least <= 0 && x->most >= 0 ? 0 : std::min(std::abs(x->least), std::abs(x->most)),
            most};
      }
      case UnaryOpType::Relu:
        return Interval{std::max(x->least, 0.0), std::max(x->most, 0.0)};
      case UnaryOpType::Floor:
        return Interval{std::floor(x->least), std::floor(x->most)};
      case UnaryOpType::Ceil:
        return Interval{std::ceil(x->least), std::ceil(x->most)};
      case UnaryOpType::Round:
        return Interval{std::floor(x->least), std::ceil(x->most)};
      case UnaryOpType::Trunc:
        return Interval{std::trunc(x->least), std::trunc(x->most)};
      default:
        return std::nullopt;
    }
  }

  static Known ofBinary(const BinaryOp* binary, const Interval& a, const Interval& b) {
    const bool isInteger = isIntegralType(binary->output(0)->dtype());
    switch (binary->type()) {
      case BinaryOpType::Add:
        return Interval{a.least + b.least, a.most + b.most};
      case BinaryOpType::Sub:
        return Interval{a.least - b.most, a.most - b.least};
      case BinaryOpType::Mul:
        return ofCorners(a, b, [](double x, double y) { return x * y; });
      case BinaryOpType::Maximum:
        return Interval{std::max(a.least, b.least), std::max(a.most, b.most)};
      case BinaryOpType::Minimum:
        return Interval{std::min(a.least, b.least), std::min(a.most, b.most)};
      case BinaryOpType::FloorDiv:
        if (b.least <= 0) {
          return std::nullopt;
        }
        return ofCorners(a, b, [](double x, double y) { return std::floor(x / y); });
      case BinaryOpType::Div:
      case BinaryOpType::Truediv:
        if (b.least <= 0) {
          return std::nullopt;
        }
        return ofCorners(a, b,
                         [&](double x, double y) { return isInteger ? std::trunc(x / y) : x / y; });
      case BinaryOpType::Remainder:
        return isInteger && b.least > 0 ? Known(Interval{0, b.most - 1}) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::unordered_map<const Val*, Interval> known_;
};

bool isComparison(const Expr* expr) {
  const auto* binary = expr->as<BinaryOp>();
  if (binary == nullptr) {
    return false;
  }
  switch (binary->type()) {
    case BinaryOpType::Eq:
    case BinaryOpType::Ne:
    case BinaryOpType::Lt:
    case BinaryOpType::Le:
    case BinaryOpType::Gt:
    case BinaryOpType::Ge:
      return true;
    default:
      return false;
  }
}

std::vector<LookupOp*> lookupsInside(const std::vector<Expr*>& exprs, const Intervals& intervals) {
  std::vector<LookupOp*> lookups;
  for (Expr* expr : exprs) {
    auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr) {
      continue;
    }
    const Known position = intervals.of(lookup->index());
    const Val* extent =
        lookup->in()->visible()[static_cast<size_t>(lookup->dim())]->visibleExtent();
    if (position && extent->isConstInt() && position->least >= 0 &&
        position->most <= static_cast<double>(extent->constInt() - 1)) {
      lookups.push_back(lookup);
    }
  }
  return lookups;
}

class KnownIntegers {
 public:
  explicit KnownIntegers(Fusion* fusion) : fusion_(fusion), intervals_(fusion->tensorExprs()) {}

  size_t run() {
    const std::vector<Expr*> exprs = fusion_->tensorExprs();
    for (const Expr* expr : exprs) {
      if (expr->outputs().size() == 1 && isCandidate(expr)) {
        narrow_.insert(expr->output(0));
      }
    }
    // What another operand or a reader keeps wide, keeps others wide.
    const auto staysWide = [&](const Val* tensor) {
      return !areNarrow(tensor->definition()) ||
             !std::ranges::all_of(tensor->uses(),
                                  [&](const Expr* use) { return mayRead(use, tensor); });
    };
    while (std::erase_if(narrow_, staysWide) > 0) {
    }
    for (LookupOp* lookup : lookupsInside(exprs, intervals_)) {
      TensorView* out = lookup->out();
      fusion_->removeExpr(lookup);
      fusion_->create<LookupOp>(lookup->type(), out, lookup->input(0), lookup->index(),
                                lookup->dim(), true);
    }
    for (Expr* expr : exprs) {
      narrowConstants(expr);
    }
    for (Expr* expr : exprs) {
      narrowResult(expr);
    }
    return narrow_.size();
  }

 private:
  bool isCandidate(const Expr* expr) const {
    const Val* out = expr->output(0);
    if (!out->isTensor() || out->dtype() != DataType::Int || out->isFusionOutput() ||
        !intervals_.fitsInt32(out)) {
      return false;
    }
    return expr->is<IotaOp>() || expr->is<FullOp>() || keepsElements(expr) || isElementwise(expr);
  }

  bool isNarrow(const Val* val) const {
    return val->isTensor() ? narrow_.contains(val) : intervals_.fitsInt32(val);
  }

  // Whether all integers of 64 bits among the operands are narrow, or what is converted is known
  // to fit.
  bool areNarrow(const Expr* expr) const {
    return std::ranges::all_of(expr->inputs(), [&](const Val* in) {
      return in->dtype() != DataType::Int || isNarrow(in);
    });
  }

  // Whether an expression may read a narrow tensor.
  bool mayRead(const Expr* use, const Val* tensor) const {
    if (use->is<LookupOp>()) {
      return use->input(0) != tensor;
    }
    if (isComparison(use)) {
      return areNarrow(use);
    }
    return (use->outputs().size() == 1 && narrow_.contains(use->output(0))) ||
           (asConversion(use) != nullptr && use->output(0)->dtype() != DataType::Int);
  }

  Val* narrowConstant(const Val* constant) {
    return fusion_->create<Val>(DataType::Int32, constant->value());
  }

  // Of what computes or compares narrow tensors.
  void narrowConstants(Expr* expr) {
    const auto isOne = [&](const Val* val) { return narrow_.contains(val); };
    if (!isOne(expr->output(0)) &&
        !(isComparison(expr) && std::ranges::any_of(expr->inputs(), isOne))) {
      return;
    }
    for (Val* in : std::vector<Val*>(expr->inputs())) {
      if (in->isScalar() && in->dtype() == DataType::Int) {
        fusion_->replaceInput(expr, in, narrowConstant(in));
      }
    }
  }

  void narrowResult(Expr* expr) {
    if (!narrow_.contains(expr->output(0))) {
      return;
    }
    TensorView* wide = expr->output(0)->asTensor();
    auto* tensor = fusion_->create<TensorView>(wide->domain(), DataType::Int32);
    fusion_->replaceUses(wide, tensor);
    if (auto* iota = expr->as<IotaOp>()) {
      Val* start = narrowConstant(iota->start());
      Val* step = narrowConstant(iota->step());
      fusion_->removeExpr(expr);
      fusion_->create<IotaOp>(tensor, start, step);
    } else if (auto* full = expr->as<FullOp>()) {
      Val* value = narrowConstant(full->value());
      fusion_->removeExpr(expr);
      fusion_->create<FullOp>(tensor, value);
    } else {
      fusion_->moveDefinition(wide, tensor);
    }
  }

  Fusion* fusion_;
  Intervals intervals_;
  // By what they were.
  std::unordered_set<const Val*> narrow_;
};

}  // namespace

size_t useKnownIntegers(Fusion* fusion) {
  const FusionGuard guard(fusion);
  return KnownIntegers(fusion).run();
}

std::vector<LookupOp*> lookupsInside(Fusion* fusion) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  // Few fusions look anything up.
  return std::ranges::none_of(exprs, &Expr::is<LookupOp>) ? std::vector<LookupOp*>{}
                                                          : lookupsInside(exprs, Intervals(exprs));
}

}  // namespace nvfuser
