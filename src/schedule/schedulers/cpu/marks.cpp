#include "schedule/schedulers/cpu/marks.h"

#include <algorithm>
#include <unordered_set>
#include <variant>
#include <vector>

#include "schedule/limits.h"
#include "schedule/loop_tree.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

// A loop over rows with nothing but one over columns inside, in which elements are computed.
struct Nest {
  const LoopNode& rows;
  const LoopNode& columns;
  std::vector<Expr*> exprs;

  IterDomain* rowsOf(const TensorView* tv) const { return tv->axis(rows.depth); }
  IterDomain* columnsOf(const TensorView* tv) const { return tv->axis(columns.depth); }
};

bool isArgument(const TensorView* tv) { return tv->isFusionInput() || tv->isFusionOutput(); }

// Whether the elements of a tensor in memory differ along a loop of a tensor that is computed from
// it.
bool differsAlong(const Expr* expr, const TensorView* read, const TensorView* out, int64_t axis) {
  const IterDomain* id = out->axis(axis);
  if (read->isFusionInput()) {
    return !id->isBroadcast();
  }
  for (int64_t k = read->computeAt(); k < read->nLoops(); ++k) {
    if (read->axis(k)->isIteration() && loopsCorrespond(expr, read, read->axis(k), out, id)) {
      return true;
    }
  }
  return false;
}

// Reads and writes of what belongs to columns alone: once for all rows that are jammed, instead of
// for each.
int64_t savedAccesses(const Nest& nest) {
  const int64_t row = nest.rows.depth;
  const int64_t column = nest.columns.depth;
  std::unordered_set<const TensorView*> read;
  int64_t count = 0;
  for (const Expr* expr : nest.exprs) {
    const auto* out = expr->output(0)->asTensor();
    for (const Val* in : expr->inputs()) {
      const auto* tv = in->isTensor() ? in->asTensor() : nullptr;
      if (tv != nullptr && tv->computeAt() <= column && differsAlong(expr, tv, out, column) &&
          !differsAlong(expr, tv, out, row)) {
        count += static_cast<int64_t>(read.insert(tv).second);
      }
    }
    const bool isOfColumn = nest.columnsOf(out)->isIteration() && out->computeAt() <= column &&
                            (!nest.rowsOf(out)->isIteration() || out->computeAt() > row);
    if (isOfColumn) {
      // What accumulates is read as well.
      count += expr->is<ReductionOp>() || expr->is<ScanOp>() ? 2 : 1;
    }
  }
  return count;
}

bool jamPays(const Nest& nest, const CpuJamParams& params) {
  return static_cast<int64_t>(nest.exprs.size()) <= params.statements &&
         std::ranges::none_of(nest.exprs, evaluatesFunction) &&
         std::ranges::any_of(nest.exprs,
                             [](const Expr* expr) {
                               return isArgument(expr->output(0)->asTensor()) ||
                                      std::ranges::any_of(expr->inputs(), [](const Val* in) {
                                        return in->isTensor() && isArgument(in->asTensor());
                                      });
                             }) &&
         savedAccesses(nest) >= params.accesses;
}

template <typename Mark>
void markLoop(const LoopNode& loop, Mark LoopMarks::* kind, const Mark& mark) {
  for (const LoopNode::Member& member : loop.members) {
    LoopMarks marks = member.id->marks();
    marks.*kind = mark;
    member.id->setMarks(marks);
  }
}

void jamRows(const std::vector<LoopNode::Item>& items, const CpuJamParams& params) {
  for (const LoopNode::Item& item : items) {
    const auto* rows = std::get_if<std::unique_ptr<LoopNode>>(&item);
    if (rows == nullptr) {
      continue;
    }
    const std::vector<LoopNode::Item>& body = (*rows)->body;
    const auto* columns =
        body.size() == 1 ? std::get_if<std::unique_ptr<LoopNode>>(&body.front()) : nullptr;
    std::vector<Expr*> exprs;
    if (columns != nullptr) {
      for (const LoopNode::Item& computed : (*columns)->body) {
        if (auto* const* expr = std::get_if<Expr*>(&computed)) {
          exprs.push_back(*expr);
        }
      }
    }
    // The outermost loop is the one that workers share.
    if (columns == nullptr || exprs.size() != (*columns)->body.size() || (*rows)->depth == 0 ||
        !jamPays({**rows, **columns, exprs}, params)) {
      jamRows(body, params);
      continue;
    }
    markLoop(**rows, &LoopMarks::jam, params.mark);
  }
}

// Of loops that compute `vectors` vectors in an iteration. Few marks, so that few kernels serve
// many sizes.
MaskMark maskMark(int64_t row, int64_t vectors, const CpuTuning& tuning) {
  const int64_t lanes = tuning.maskedLanes;
  const int64_t group = vectors * lanes;
  if (row % group < tuning.maskedRest) {
    return {};
  }
  if (row >= group) {
    return {lanes, group};
  }
  return {2 * row <= lanes ? lanes / 2 : lanes, 0};
}

// Whether compilers see no loop: it is of one element, or written out.
bool isNoLoop(const LoopNode& loop) {
  const auto isConstant = [](const LoopNode::Member& member) {
    return member.id->isBroadcast() || member.id->extent()->isConstInt(1) ||
           (member.id->parallelType() == ParallelType::Unroll && member.id->extent()->isConstInt());
  };
  return std::ranges::all_of(loop.members, isConstant);
}

// Whether a loop is of few elements that the loop around it uses at once, like the pairs that a
// slice takes one of: compilers leave nothing of it.
bool isOfFewLocal(const LoopNode& loop) {
  const auto isOfFew = [](const LoopNode::Member& member) {
    const IterDomain* id = member.id;
    return member.tv->memoryType() == MemoryType::Local && !id->isReduction() &&
           (id->isBroadcast() ||
            (id->extent()->isConstInt() && id->extent()->constInt() <= limits::kWrittenOutRow));
  };
  return loop.depth > 0 && std::ranges::all_of(loop.members, isOfFew) &&
         std::ranges::all_of(loop.body, [](const LoopNode::Item& item) {
           return std::holds_alternative<Expr*>(item);
         });
}

// Adds what is computed by an innermost loop; false of one with loops inside.
bool collectComputed(const LoopNode& loop, std::vector<const Expr*>& exprs) {
  return std::ranges::all_of(loop.body, [&](const LoopNode::Item& item) {
    if (const auto* const* expr = std::get_if<Expr*>(&item)) {
      exprs.push_back(*expr);
      return true;
    }
    const LoopNode& inner = *std::get<std::unique_ptr<LoopNode>>(item);
    return (isNoLoop(inner) || isOfFewLocal(inner)) && collectComputed(inner, exprs);
  });
}

// Writes out the loops of few elements inside.
void writeOutFew(const LoopNode& loop) {
  for (const LoopNode::Item& item : loop.body) {
    const auto* inner = std::get_if<std::unique_ptr<LoopNode>>(&item);
    if (inner != nullptr && isOfFewLocal(**inner)) {
      for (const LoopNode::Member& member : (*inner)->members) {
        member.id->parallelize(ParallelType::Unroll);
      }
    }
  }
}

// For a loop; nothing for one around others.
MaskMark maskFor(const LoopNode& loop, const CpuAheadParams& params) {
  std::vector<const Expr*> exprs;
  if (isNoLoop(loop) || isOfFewLocal(loop) || !collectComputed(loop, exprs)) {
    return {};
  }
  const bool evaluates = std::ranges::any_of(exprs, evaluatesFunction);
  if (std::ranges::any_of(exprs, [](const Expr* expr) { return expr->is<ReductionOp>(); })) {
    // Without functions the rest takes little time, and what is stored under a mask cannot be
    // loaded at once for the next row. How many vectors an iteration computes is left to the
    // compiler: in rows of one or two there may be no whole one.
    const bool isShort = params.functionRests.group == 0;
    return !evaluates ? MaskMark{} : isShort ? params.functionRests : params.rests;
  }
  return evaluates ? params.functionRests : params.rests;
}

void maskRests(const std::vector<LoopNode::Item>& items, const CpuAheadParams& params) {
  for (const LoopNode::Item& item : items) {
    const auto* loop = std::get_if<std::unique_ptr<LoopNode>>(&item);
    if (loop == nullptr) {
      continue;
    }
    maskRests((*loop)->body, params);
    if ((*loop)->depth > 0) {
      if (const MaskMark mask = maskFor(**loop, params)) {
        markLoop(**loop, &LoopMarks::mask, mask);
        writeOutFew(**loop);
      }
    }
  }
}

}  // namespace

CpuAheadParams aheadParams(const ScheduleContext& context) {
  CpuAheadParams params;
  params.functions = {context.tuning.cpu.functionVectors};
  params.apart = {context.tuning.cpu.apartElementsMost, context.tuning.cpu.apartVector,
                  context.tuning.cpu.apartRaggedElements};
  if (context.target.capabilities.hasPrefetch) {
    const CpuTuning& tuning = context.tuning.cpu;
    params.results = {tuning.resultRowBytesMost, tuning.resultRowBytesLeast};
    params.next = {tuning.nextRowBytes, tuning.nextRowElements, tuning.nextRowGroup,
                   tuning.nextRowVectors};
    params.farRows = {tuning.farRowStride, tuning.farRowBytes, tuning.farRowsAheadBytes,
                      tuning.farRowsAheadMost};
  }
  return params;
}

void chooseRests(CpuAheadParams& params, int64_t elements, int64_t row,
                 const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  if (context.target.capabilities.hasMaskedVectors && context.hasSizes &&
      elements >= tuning.maskedWork && row <= tuning.maskedRow) {
    params.rests = maskMark(row, 1, tuning);
    params.functionRests = maskMark(row, tuning.functionVectors, tuning);
  }
}

void requestAhead(Fusion* fusion, const CpuAheadParams& params) {
  for (TensorView* tv : fusion->tensors()) {
    if (!tv->isFusionInput() && tv->nLoops() > 0 &&
        tv->axis(0)->parallelType() == ParallelType::GridX) {
      tv->axis(0)->setMarks({.results = params.results,
                             .next = params.next,
                             .farRows = params.farRows,
                             .apart = params.apart});
    }
    if (tv->definition() != nullptr && evaluatesFunction(tv->definition())) {
      TensorMarks marks = tv->marks();
      // These are long chains of dependent operations: several must be in flight to fill the
      // pipelines. LLVM decides by the size of the body and would leave them one by one.
      marks.interleave = params.functions;
      // Memory answers while they are evaluated.
      marks.hostsPrefetch = static_cast<bool>(params.next);
      tv->setMarks(marks);
    }
  }
  if (params.rests || params.functionRests) {
    maskRests(LoopTree::build(fusion), params);
  }
}

CpuJamParams jamParams(const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  const int64_t ahead = context.target.capabilities.hasPrefetch ? tuning.jamAheadBytes : 0;
  return {{tuning.jamRows, tuning.jamVectors, ahead, tuning.jamAheadMost},
          tuning.jamAccesses,
          tuning.jamStatements};
}

void jamRows(Fusion* fusion, const CpuJamParams& params) {
  jamRows(LoopTree::build(fusion), params);
}

FoldMark foldMark(const ScheduleContext& context) { return {context.tuning.cpu.foldRows}; }

int64_t foldedColumns(const ScheduleContext& context) {
  const auto elementBytes = static_cast<int64_t>(sizeof(float));
  return context.tuning.cpu.foldVectors * context.target.cpu.vectorBytes / elementBytes;
}

void foldRows(Fusion* fusion, const FoldMark& mark) {
  for (TensorView* tv : fusion->tensors()) {
    if (tv->nLoops() > 2 && !tv->isFusionInput()) {
      LoopMarks marks = tv->axis(-2)->marks();
      marks.fold = mark;
      tv->axis(-2)->setMarks(marks);
    }
  }
}

}  // namespace nvfuser::heuristics
