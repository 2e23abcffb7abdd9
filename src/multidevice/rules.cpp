#include "multidevice/rules.h"

#include <algorithm>
#include <deque>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"

namespace nvfuser::multidevice {

namespace {

// Whether every position along it has an element of its own, or one that is repeated on demand.
bool hasExtent(const IterDomain* id) { return !id->isBroadcast() || id->hasExpandedExtent(); }

size_t positionIn(const std::vector<IterDomain*>& domains, const IterDomain* id) {
  return static_cast<size_t>(std::ranges::find(domains, id) - domains.begin());
}

// Dimensions around the one that the operation looks along.
bool isAlong(const Expr* expr, size_t rootDim) {
  const auto at = static_cast<int64_t>(rootDim);
  if (const auto* scan = expr->as<ScanOp>()) {
    return scan->dim() == at;
  }
  if (const auto* cat = expr->as<CatOp>()) {
    return cat->dim() == at;
  }
  return false;
}

// Whether the result is as long as what is looked up in: that of a gather may cover the first
// elements only, along other dimensions too.
bool isCovered(const Expr* expr, size_t rootDim) {
  const auto* lookup = expr->as<LookupOp>();
  if (lookup == nullptr || lookup->type() != LookupType::Gather ||
      lookup->dim() == static_cast<int64_t>(rootDim)) {
    return true;
  }
  return scalar::same(expr->input(0)->asTensor()->visible()[rootDim]->visibleExtent(),
                      expr->output(0)->asTensor()->visible()[rootDim]->visibleExtent());
}

// Of operations whose outputs have the domains that pairwiseMap tells of.
std::vector<IndexClass> mappedClasses(const Expr* expr) {
  std::vector<IndexClass> classes;
  // What an element is depends on where it is, or on what another device has written.
  if (expr->is<IotaOp>() || expr->is<RandomOp>() || expr->is<ScatterOp>()) {
    return classes;
  }
  const auto* out = expr->output(0)->asTensor();
  const std::vector<IterDomain*>& root = out->maybeRoot();
  const auto* reduction = expr->as<ReductionOp>();
  for (size_t i = 0; i < root.size(); ++i) {
    IndexClass found;
    for (size_t o = 0; o < expr->outputs().size(); ++o) {
      const auto* tv = expr->output(o)->asTensor();
      const IterDomain* id = tv->maybeRoot().at(i);
      const std::vector<IterDomain*> visible = tv->visible();
      const size_t dim = positionIn(visible, id);
      found.domains.push_back(id);
      if (dim < visible.size()) {
        found.outputs.push_back({o, dim});
      }
    }
    const bool isReduced = root[i]->isReduction() && reduction != nullptr;
    if (isReduced) {
      found.reduction = reduction->type();
    } else if (found.outputs.empty()) {
      // The operation makes another dimension of it.
      continue;
    }
    if (!hasExtent(root[i]) || isAlong(expr, i) || !isCovered(expr, i)) {
      continue;
    }
    for (size_t k = 0; k < expr->inputs().size(); ++k) {
      if (!expr->input(k)->isTensor()) {
        continue;
      }
      const auto* tv = expr->input(k)->asTensor();
      for (const auto& [p, c] : pairwiseMap(expr, tv, out)) {
        const IndexClass::Dim dim{k, positionIn(tv->visible(), p)};
        if (c == root[i] && hasExtent(p) &&
            std::ranges::find(found.inputs, dim) == found.inputs.end()) {
          found.inputs.push_back(dim);
        }
      }
    }
    classes.push_back(std::move(found));
  }
  return classes;
}

// Builds the classes of library calls, dimension by dimension.
class CallClasses {
 public:
  explicit CallClasses(const LibraryOp* call) : call_(call) {}

  // Argument number i and a dimension of it; negative ones count from the end. Broadcast ones and
  // those that it does not have are left out.
  CallClasses& in(size_t argument, int64_t dim) {
    const TensorView* tv = call_->tensor(argument);
    const auto at = tv == nullptr ? -1 : dim < 0 ? dim + tv->ndim() : dim;
    if (at >= 0 && at < tv->ndim()) {
      if (const IterDomain* id = tv->visible()[static_cast<size_t>(at)];
          hasExtent(id) && !id->visibleExtent()->isConstInt(1)) {
        current_.inputs.push_back({call_->positionOf(argument), static_cast<size_t>(at)});
      }
    }
    return *this;
  }
  CallClasses& out(size_t output, int64_t dim) {
    const auto* tv = call_->output(output)->asTensor();
    const auto at = static_cast<size_t>(dim < 0 ? dim + tv->ndim() : dim);
    current_.outputs.push_back({output, at});
    current_.domains.push_back(tv->visible()[at]);
    return *this;
  }
  // Ends a class.
  void add() { classes_.push_back(std::exchange(current_, {})); }
  void addSum() {
    current_.reduction = BinaryOpType::Add;
    add();
  }
  std::vector<IndexClass> take() { return std::move(classes_); }

 private:
  const LibraryOp* call_;
  IndexClass current_;
  std::vector<IndexClass> classes_;
};

void addMatmul(const LibraryOp* call, CallClasses& classes) {
  const int64_t left = call->tensor(0)->ndim();
  const int64_t right = call->tensor(1)->ndim();
  const int64_t rank = call->output(0)->asTensor()->ndim();
  const int64_t matrix = (left > 1 ? 1 : 0) + (right > 1 ? 1 : 0);
  for (int64_t fromEnd = 1; fromEnd <= rank - matrix; ++fromEnd) {
    // Operands of fewer dimensions are repeated along it.
    if (left - 2 >= fromEnd) {
      classes.in(0, left - 2 - fromEnd);
    }
    if (right - 2 >= fromEnd) {
      classes.in(1, right - 2 - fromEnd);
    }
    classes.out(0, rank - matrix - fromEnd).add();
  }
  if (left > 1) {
    classes.in(0, -2).out(0, right > 1 ? -2 : -1).add();
  }
  if (right > 1) {
    classes.in(1, -1).out(0, -1).add();
  }
  classes.in(0, -1).in(1, right > 1 ? -2 : -1).addSum();
}

void addLinear(const LibraryOp* call, CallClasses& classes) {
  const int64_t rank = call->tensor(0)->ndim();
  for (int64_t i = 0; i + 1 < rank; ++i) {
    classes.in(0, i).out(0, i).add();
  }
  classes.in(1, 0).in(2, 0).out(0, -1).add();
  // A bias would be added by each device.
  if (call->tensor(2) == nullptr) {
    classes.in(0, -1).in(1, 1).addSum();
  }
}

// Batch and heads: what comes before the last two dimensions of query, key and value, where all
// have it.
void addAttention(const LibraryOp* call, CallClasses& classes, size_t firstOperand,
                  size_t operands) {
  const TensorView* query = call->tensor(firstOperand);
  for (int64_t dim = 0; dim + 2 < query->ndim(); ++dim) {
    bool isShared = true;
    for (size_t i = firstOperand; i < firstOperand + 3; ++i) {
      const IterDomain* id = call->tensor(i)->visible()[static_cast<size_t>(dim)];
      isShared =
          isShared && scalar::same(id->visibleExtent(),
                                   query->visible()[static_cast<size_t>(dim)]->visibleExtent());
    }
    if (!isShared) {
      continue;
    }
    for (size_t i = 0; i < operands; ++i) {
      classes.in(i, dim);
    }
    for (size_t o = 0; o < call->outputs().size(); ++o) {
      if (call->output(o)->asTensor()->ndim() >= query->ndim() - 1) {
        classes.out(o, dim);
      }
    }
    classes.add();
  }
}

// A number that was not given is 0.
bool isZero(const Val* val) {
  if (val == nullptr || !val->isConst()) {
    return val == nullptr;
  }
  const PolymorphicValue& value = val->value();
  return (value.is<double>() && value.as<double>() == 0.0) || val->isConstInt(0);
}

void addForwardAttention(const LibraryOp* call, CallClasses& classes) {
  // Bias and mask have the dimensions of the scores, or of size 1 in their place; dropout draws
  // numbers by the position in what the device has.
  if (!isZero(call->argument(5).val)) {
    return;
  }
  for (const size_t extra : {3, 4}) {
    if (const TensorView* tv = call->tensor(extra);
        tv != nullptr && tv->ndim() != call->tensor(0)->ndim()) {
      return;
    }
  }
  addAttention(call, classes, 0, 5);
}

// One dimension lies in groups: the rows of the first operand where the second one has a matrix for
// each expert, the columns of the second one where the first one has, and what is summed where the
// operands are two matrices. Where a group begins depends on data, so that it stays whole.
void addGroupedMatmul(const LibraryOp* call, CallClasses& classes) {
  const bool hasLeft = call->tensor(0)->ndim() == 3;
  const bool hasRight = call->tensor(1)->ndim() == 3;
  if (!hasRight) {
    classes.in(0, -2).out(0, -2).add();
  }
  if (!hasLeft) {
    classes.in(1, -1).out(0, -1).add();
  }
  if (hasLeft || hasRight) {
    classes.in(0, -1).in(1, -2).addSum();
  }
}

// All dimensions but the one that is sorted.
void addSorting(const LibraryOp* call, CallClasses& classes) {
  const int64_t rank = call->tensor(0)->ndim();
  const int64_t sorted = call->argument(call->type() == LibraryOpType::TopK ? 2 : 1).number;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == (sorted < 0 ? sorted + rank : sorted)) {
      continue;
    }
    classes.in(0, dim);
    for (size_t o = 0; o < call->outputs().size(); ++o) {
      classes.out(o, dim);
    }
    classes.add();
  }
}

std::vector<IndexClass> callClasses(const LibraryOp* call) {
  CallClasses classes(call);
  switch (call->type()) {
    case LibraryOpType::Matmul:
      addMatmul(call, classes);
      break;
    case LibraryOpType::Linear:
      addLinear(call, classes);
      break;
    case LibraryOpType::SdpaForward:
      addForwardAttention(call, classes);
      break;
    case LibraryOpType::SdpaBackward:
      if (isZero(call->argument(6).val)) {
        addAttention(call, classes, 1, 6);
      }
      break;
    case LibraryOpType::GroupedMatmul:
      addGroupedMatmul(call, classes);
      break;
    case LibraryOpType::TopK:
    case LibraryOpType::ArgSort:
      addSorting(call, classes);
      break;
    // Nothing is known of what torch computes, and scales are of blocks.
    default:
      break;
  }
  return classes.take();
}

}  // namespace

std::vector<IndexClass> indexClasses(const Expr* expr) {
  NVF_INTERNAL_CHECK(!expr->is<ReshapeOp>(), "no classes: ", expr->toString());
  if (const auto* call = expr->as<LibraryOp>()) {
    return callClasses(call);
  }
  return mappedClasses(expr);
}

bool isLinear(const Expr* expr) {
  const auto* binary = expr->as<BinaryOp>();
  return binary != nullptr &&
         (binary->type() == BinaryOpType::Add || binary->type() == BinaryOpType::Sub);
}

namespace {

// A dimension of a group that a reshape makes of another one, in elements of the whole group.
struct Span {
  size_t dim = 0;
  int64_t stride = 1;
  int64_t extent = 1;
};

// How far apart neighbours along an axis are in a group, and where that is.
struct Digit {
  ParallelType axis;
  int64_t stride;
  int64_t extent;
};

// Strides of constant extents, the last dimension of which is innermost.
std::vector<Span> spansOf(const std::vector<Val*>& extents, size_t begin, size_t end) {
  std::vector<Span> spans;
  int64_t stride = 1;
  for (size_t i = end; i-- > begin;) {
    spans.push_back({i, stride, extents[i]->constInt()});
    stride *= extents[i]->constInt();
  }
  return spans;
}

std::optional<std::vector<DimLayout>> reshapedConstants(const std::vector<DimLayout>& layouts,
                                                        const std::vector<Val*>& from,
                                                        const std::vector<Val*>& to, size_t begin,
                                                        size_t fromEnd, size_t toEnd,
                                                        const DeviceMesh& mesh) {
  // From the innermost on.
  std::deque<Digit> digits;
  for (const Span& span : spansOf(from, begin, fromEnd)) {
    int64_t rest = span.extent;
    for (const Factor& factor : layouts[span.dim]) {
      rest /= !factor.isLocal() ? mesh.extent(factor.axis)
                                : (factor.extent == Factor::kRest ? 1 : factor.extent);
    }
    int64_t stride = span.stride;
    for (size_t k = layouts[span.dim].size(); k-- > 0;) {
      const Factor& factor = layouts[span.dim][k];
      if (factor.isLocal()) {
        stride *= factor.extent == Factor::kRest ? rest : factor.extent;
      } else {
        digits.push_back({factor.axis, stride, mesh.extent(factor.axis)});
        stride *= mesh.extent(factor.axis);
      }
    }
  }
  std::vector<DimLayout> result(to.size());
  for (const Span& span : spansOf(to, begin, toEnd)) {
    // From the innermost on.
    std::vector<Factor> factors;
    int64_t position = span.stride;
    const int64_t end = span.stride * span.extent;
    // One of a single device may be at the very end.
    while (!digits.empty() && digits.front().stride + (digits.front().extent == 1 ? 0 : 1) <= end) {
      const Digit digit = digits.front();
      if (digit.stride % position != 0 || end % (digit.stride * digit.extent) != 0) {
        return std::nullopt;
      }
      digits.pop_front();
      factors.push_back({ParallelType::Serial, digit.stride / position});
      factors.push_back(onAxis(digit.axis));
      position = digit.stride * digit.extent;
    }
    if (!factors.empty()) {
      factors.push_back({ParallelType::Serial, end / position});
      result[span.dim] = canonical(DimLayout(factors.rbegin(), factors.rend()), to[span.dim], mesh);
    }
  }
  // Every digit lies in one dimension.
  return digits.empty() ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<std::vector<DimLayout>> reshaped(const std::vector<DimLayout>& layouts,
                                               const std::vector<Val*>& from,
                                               const std::vector<Val*>& to,
                                               const DeviceMesh& mesh) {
  // Dimensions that stay, from both ends; what is between them is one group.
  size_t begin = 0;
  while (begin < from.size() && begin < to.size() && scalar::same(from[begin], to[begin])) {
    ++begin;
  }
  size_t left = from.size();
  size_t right = to.size();
  while (left > begin && right > begin && scalar::same(from[left - 1], to[right - 1])) {
    --left;
    --right;
  }
  const auto isConstant = [](const Val* extent) {
    return extent->isConstInt() && extent->constInt() > 0;
  };
  const bool isKnown = std::all_of(from.begin() + static_cast<int64_t>(begin),
                                   from.begin() + static_cast<int64_t>(left), isConstant) &&
                       std::all_of(to.begin() + static_cast<int64_t>(begin),
                                   to.begin() + static_cast<int64_t>(right), isConstant);
  std::vector<DimLayout> result(to.size());
  const bool isDivided = std::any_of(layouts.begin() + static_cast<int64_t>(begin),
                                     layouts.begin() + static_cast<int64_t>(left),
                                     [](const DimLayout& dim) { return !dim.empty(); });
  if (isDivided) {
    if (!isKnown) {
      return std::nullopt;
    }
    auto group = reshapedConstants(layouts, from, to, begin, left, right, mesh);
    if (!group) {
      return std::nullopt;
    }
    result = std::move(*group);
  }
  std::copy_n(layouts.begin(), begin, result.begin());
  std::copy(layouts.begin() + static_cast<int64_t>(left), layouts.end(),
            result.begin() + static_cast<int64_t>(right));
  return result;
}

}  // namespace nvfuser::multidevice
