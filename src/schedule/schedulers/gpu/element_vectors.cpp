#include "schedule/schedulers/gpu/element_vectors.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/passes.h"
#include "ir/views.h"
#include "schedule/element_cost.h"
#include "schedule/heuristics/references.h"
#include "schedule/limits.h"
#include "schedule/schedulers/gpu/loops.h"

namespace nvfuser::schedulers::gpu {

namespace {

// The part of the results that each expression is needed for: of a concatenation one part is.
using Shares = std::unordered_map<const Expr*, double>;

Shares sharesOf(const FusionSummary& whole) {
  Shares shares;
  const std::vector<Expr*>& exprs = whole.exprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const Val* out = (*expr)->output(0);
    double share = 1;
    if ((*expr)->is<CatOp>()) {
      share /= static_cast<double>((*expr)->inputs().size());
    } else if (!out->isFusionOutput() && out->uses().size() == 1) {
      share = shares.at(out->uses().front());
    }
    shares[*expr] = share;
  }
  return shares;
}

// The instructions of all that is computed for each element of the widest output.
double costOfElement(const FusionSummary& whole) {
  const Shares& shares = whole.fact(sharesOf);
  double cost = 0;
  for (const Expr* expr : whole.exprs()) {
    // The index of a reshape is that of all elements of a vector.
    const bool isComputed = !expr->is<ReshapeOp>() && concreteRank(expr->output(0)->asTensor()) > 0;
    cost += isComputed ? shares.at(expr) * static_cast<double>(costOf(expr).value_or(1)) : 0;
  }
  return cost;
}

// How many elements take turns by their remainders of a number, as what is written in steps does:
// two of each, which read neighbours.
int64_t remaindersOf(const BinaryOp* rest) {
  const Val* divisor = rest->rhs();
  const bool isOfFew = rest->type() == BinaryOpType::Remainder && divisor->isConstInt() &&
                       divisor->constInt() > 0 && divisor->constInt() <= limits::kConstantPart;
  return isOfFew && rest->lhs()->isTensor() && heuristics::areCounted(rest->lhs()->asTensor())
             ? 2 * powerOfTwoFrom(divisor->constInt())
             : 1;
}

// The fewest elements of a vector that has one of each part where a few parts take turns, as the
// sines and cosines of rotations do: threads of single elements would compute all parts.
int64_t partsInTurn(const FusionSummary& whole) {
  int64_t parts = 1;
  for (const Expr* expr : whole.exprs()) {
    if (const auto* binary = expr->as<BinaryOp>()) {
      parts = std::max(parts, remaindersOf(binary));
    }
    const auto* cat = expr->as<CatOp>();
    if (cat == nullptr) {
      continue;
    }
    const std::vector<IterDomain*>& dims = cat->out()->logical();
    const Val* extent = dims.back()->extent();
    if (cat->dim() + 1 == std::ssize(dims) && extent->isConstInt() &&
        extent->constInt() == std::ssize(cat->inputs())) {
      parts = std::max(parts, powerOfTwoFrom(extent->constInt()));
    }
  }
  return parts;
}

}  // namespace

bool isLong(const FusionSummary& summary, const ScheduleContext& context) {
  return summary.fact(costOfElement) >= static_cast<double>(context.tuning.gpu.longElement);
}

ScheduleContext forThreadsOf(int64_t elements, const FusionSummary& summary,
                             const ScheduleContext& context) {
  ScheduleContext result = context;
  GpuTuning& tuning = result.tuning.gpu;
  const bool takesLong = isLong(summary, context);
  const int64_t narrowest = takesLong
                                ? std::min(summary.fact(partsInTurn), tuning.elementsOfNarrowVector)
                                : tuning.elementsOfNarrowVector;
  const int64_t threads = threadsAtATime(context);
  // What a thread computes beside its elements takes less for each of these the more there are, but
  // the last of them waits for the others. Of both times the sum is least where a thread has as
  // many as the square root of a share of all.
  const auto areFew = [&](int64_t width) {
    return takesLong ? elements / (width * width) < threads / tuning.longElementShare
                     : elements / width < threads / tuning.pointwiseBusyShare;
  };
  while (context.hasSizes && tuning.elementsOfVector > narrowest &&
         areFew(tuning.elementsOfVector)) {
    tuning.elementsOfVector /= 2;
  }
  if (context.hasSizes && elements * tuning.singleElementShare < threads) {
    tuning.elementsOfVector = 1;
  }
  return result;
}

namespace {

// Of the elements of a padded tensor, those that are not padding.
double shareOfPadded(const TensorView* padded) {
  double share = 1;
  for (size_t i = 0; i < padded->logical().size(); ++i) {
    const Val* whole = padded->logical()[i]->extent();
    const Val* part = padded->root()[i]->extent();
    if (whole->isConstInt() && part->isConstInt() && whole->constInt() > part->constInt()) {
      share *= static_cast<double>(part->constInt()) / static_cast<double>(whole->constInt());
    }
  }
  return share;
}

// How often single elements of an input, or of parts of it, are loaded for each of a vector: once
// for each place that it is looked at, whatever is computed of it before.
class LoadsApart {
 public:
  LoadsApart(const GpuVectors& vectors, const InnerGroup& inner, const FusionSummary& summary)
      : vectors_(vectors),
        inner_(inner),
        classes_(summary.classes()),
        shares_(summary.fact(sharesOf)) {}

  double of(const TensorView* input, bool isVectorized) {
    seen_.clear();
    runsAlong_ = std::ranges::any_of(input->visible(), [&](const IterDomain* id) {
      return !id->isBroadcast() && !classes_.alongReshapes(id, inner_.classes).empty();
    });
    return loadsOf(input, runsAlong_ && !isVectorized, 1);
  }

 private:
  // `part` of the elements are needed of what is computed of a tensor.
  double loadsOf(const TensorView* tv, bool isApart, double part) {
    double loads = 0;
    for (const Expr* use : seen_.insert(tv).second ? tv->uses() : std::vector<Expr*>{}) {
      const bool isCut = heuristics::isResize(use);
      const bool isWhole =
          !runsAlong_ || vectors_.fitResizes || (vectors_.sliceAnywhere && use->is<SliceOp>());
      const bool areApart = isApart || (isCut && !isWhole) || takesOneOfEach(use);
      if (isCut || mayBeView(use)) {
        const TensorView* out = use->output(0)->asTensor();
        loads += loadsOf(out, areApart, use->is<PadOp>() ? part * shareOfPadded(out) : part);
      } else if (use->is<LookupOp>()) {
        loads += findsRows(tv, use)         ? loadsOf(use->output(0)->asTensor(), false, part)
                 : findsNeighbours(tv, use) ? part * shares_.at(use)
                                            : 0;
      } else if (areApart) {
        loads += part * shares_.at(use);
      } else if (isElementwise(use)) {
        loads += loadsOf(use->output(0)->asTensor(), false, part);
      }
    }
    return loads;
  }

  // Whether the elements of a vector are every n-th one of what a reshape divides.
  bool takesOneOfEach(const Expr* expr) const {
    const auto* slice = expr->as<SliceOp>();
    const Expr* above = slice == nullptr ? nullptr : slice->in()->definition();
    if (above == nullptr || !above->is<ReshapeOp>() || slice->out()->logical().size() < 2) {
      return false;
    }
    const auto innermost = slice->out()->logical().rbegin();
    return (*innermost)->isBroadcast() && (*innermost)->definition() != nullptr &&
           !classes_.alongReshapes(*(innermost + 1), inner_.classes).empty();
  }

  // Whether rows of a tensor are looked up, not their elements.
  static bool findsRows(const TensorView* tv, const Expr* use) {
    const auto* lookup = use->as<LookupOp>();
    return lookup != nullptr && isLookedUp(tv, use) && lookup->isOfSlices() &&
           static_cast<size_t>(lookup->dim()) + 1 < tv->visible().size();
  }

  // Whether the elements of a vector are looked up one by one at positions that are counted: in one
  // part of memory, as what is cut out is.
  bool findsNeighbours(const TensorView* tv, const Expr* use) const {
    const auto* lookup = use->as<LookupOp>();
    return isLookedUp(tv, use) && lookup->isOfSlices() && heuristics::areCounted(lookup->index()) &&
           !classes_
                .alongReshapes(lookup->out()->logical()[static_cast<size_t>(lookup->dim())],
                               inner_.classes)
                .empty();
  }

  const GpuVectors& vectors_;
  const InnerGroup& inner_;
  const DomainClasses& classes_;
  const Shares& shares_;
  // Whether what is looked at has elements along a vector.
  bool runsAlong_ = false;
  std::unordered_set<const TensorView*> seen_;
};

// The same of all inputs.
double loadsApart(const GpuVectors& vectors, const InnerGroup& inner,
                  const FusionSummary& summary) {
  LoadsApart apart(vectors, inner, summary);
  double loads = 0;
  // They are the first of the tensors that have numbers.
  for (size_t i = 0; i < summary.inputs().size(); ++i) {
    loads += apart.of(summary.inputs()[i], isVectorizedTensor(vectors, i));
  }
  return loads;
}

// The bytes of memory that there are for each element.
int64_t bytesOfElement(int64_t elements, const FusionSummary& summary,
                       const ScheduleContext& context) {
  int64_t bytes = 0;
  for (const TensorView* tv : summary.globals()) {
    bytes += 2 * elementsOf(tv, context) > elements ? info(tv->dtype()).bits / 8 : 0;
  }
  return bytes;
}

// Whether loads of single elements take longer than memory.
bool waitsForLoads(int64_t elements, const GpuVectors& vectors, const InnerGroup& inner,
                   const FusionSummary& summary, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const double loads = loadsApart(vectors, inner, summary);
  const auto bytes = static_cast<double>(bytesOfElement(elements, summary, context));
  return loads > tuning.fewLoadsApart &&
         loads * static_cast<double>(vectors.width) > tuning.loadsOfByte * bytes;
}

}  // namespace

GpuVectors chooseForLoads(ChooseVectors choose, TensorView* reference, const FusionSummary& summary,
                          const ScheduleContext& context, InnerGroup& inner) {
  ScheduleContext narrower = context;
  const int64_t elements = elementsOf(reference, context);
  GpuVectors vectors = choose(reference, summary, narrower, inner);
  while (context.hasSizes && vectors.width > summary.fact(partsInTurn) &&
         waitsForLoads(elements, vectors, inner, summary, context)) {
    narrower.tuning.gpu.elementsOfVector = vectors.width / 2;
    inner = innerGroupOfBlocks(reference, summary, context);
    vectors = choose(reference, summary, narrower, inner);
  }
  return vectors;
}

bool hasLoadsApart(const InnerGroup& inner, const GpuVectors& vectors, const FusionSummary& summary,
                   const ScheduleContext& context) {
  return vectors.width > 1 &&
         loadsApart(vectors, inner, summary) > context.tuning.gpu.fewLoadsApart;
}

bool isComputed(int64_t elements, const FusionSummary& summary, const ScheduleContext& context) {
  const auto bytes = static_cast<double>(bytesOfElement(elements, summary, context));
  return context.hasSizes &&
         summary.fact(costOfElement) > context.tuning.gpu.instructionsOfByte * bytes;
}

}  // namespace nvfuser::schedulers::gpu
