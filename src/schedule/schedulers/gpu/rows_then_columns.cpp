// Normalizations of rows with sums over the rows, each in a kernel of its own. Few rows are hardly
// more than the blocks that share them: the parts of the sums would be as large as the rows.
// Another kernel reads the rows again instead, from the cache, and sums their columns.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/clone.h"
#include "ir/passes.h"
#include "ops/ops.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/rows_with_sums.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// X(type, name, default, meaning)
// clang-format off
#define NVF_GPU_ROWS_THEN_COLUMNS_PARAMS(X)                                                       \
  X(GpuInnerPersistentParams, rows, {}, "of the kernel of the rows")                              \
  X(GpuOuterReductionParams, columns, {}, "of the kernel of the sums")
// clang-format on
struct RowsThenColumnsParams {
  NVF_FIELDS_OF(RowsThenColumnsParams, NVF_GPU_ROWS_THEN_COLUMNS_PARAMS)
};

// Whether the parts of the sums take as many bytes, written and read, as to read the rows again.
bool arePartsLarge(const RowsWithSums& parts, const ReductionShape& rows, int64_t blocks) {
  int64_t bytesOfSums = 0;
  for (const TensorView* tv : parts.sums) {
    bytesOfSums += info(tv->dtype()).bits / 8;
  }
  return 2 * blocks * bytesOfSums >= rows.kept * rows.bytes;
}

// Computes for sums over the rows again what they add up, from inputs and results of rows.
class OperandsOfSums {
 public:
  OperandsOfSums(Fusion* fusion, const std::vector<Expr*>& rows, GlobalCopies& copies)
      : fusion_(fusion),
        copies_(copies),
        classes_(fusion->tensorExprs()),
        reduced_(reducedClasses(rows, classes_)) {}

  TensorView* again(TensorView* tv) {
    if (tv->isFusionInput()) {
      return tv;
    }
    if (const auto known = copyOf_.find(tv); known != copyOf_.end()) {
      return known->second;
    }
    const bool isLoad = std::ranges::find(copies_.loads, tv) != copies_.loads.end();
    TensorView* copy = isLoad || isAlongRow(tv) ? computed(tv) : stored(tv);
    if (isLoad) {
      copies_.loads.push_back(copy);
      copies_.number[copy] = copies_.number.at(tv);
    }
    return copyOf_[tv] = copy;
  }

  // Whether it is one of them, or computed from these.
  bool isOfSums(const Expr* expr) {
    const bool isOfSums =
        std::ranges::any_of(expr->outputs(),
                            [&](const Val* out) { return ofSums_.contains(out); }) ||
        std::ranges::any_of(expr->inputs(), [&](const Val* in) { return ofSums_.contains(in); });
    if (isOfSums) {
      ofSums_.insert(expr->outputs().begin(), expr->outputs().end());
    }
    return isOfSums;
  }
  // Results of rows in memory.
  const std::vector<TensorView*>& stores() const { return stores_; }

 private:
  bool isAlongRow(const TensorView* tv) const {
    return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
      return !id->isReduction() && !id->isBroadcast() && reduced_.contains(classes_.classOf(id));
    });
  }

  TensorView* computed(const TensorView* tv) {
    Cloner cloner(fusion_, true);
    for (Val* in : tv->definition()->inputs()) {
      if (in->isTensor()) {
        cloner.substitute(in, again(in->asTensor()));
      }
    }
    TensorView* copy = cloner.clone(tv->definition())->output(0)->asTensor();
    ofSums_.insert(copy);
    return copy;
  }

  TensorView* stored(TensorView* tv) {
    stores_.push_back(ops::set(tv));
    TensorView* load = ops::set(stores_.back());
    copies_.loads.push_back(load);
    copies_.number[load] = GlobalCopies::kWorkspace;
    ofSums_.insert(load);
    return load;
  }

  Fusion* fusion_;
  GlobalCopies& copies_;
  DomainClasses classes_;
  std::set<int64_t> reduced_;
  std::unordered_map<const TensorView*, TensorView*> copyOf_;
  std::unordered_set<const Val*> ofSums_;
  std::vector<TensorView*> stores_;
};

std::vector<TensorView*> resultsOf(const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> results;
  for (const Expr* expr : exprs) {
    results.push_back(expr->output(0)->asTensor());
  }
  return results;
}

class RowsThenColumns : public GpuScheduler<RowsThenColumnsParams> {
 public:
  RowsThenColumns() : GpuScheduler(SchedulerType::InnerPersistent) {}
  std::string reject(const FusionSummary& summary) const override {
    const auto& parts = summary.fact(findRowsWithSums);
    return parts && parts->isNormalization ? std::string()
                                           : "no normalization of rows with sums over the rows";
  }
  int64_t maxThreads(const ScheduleParams& params) const override {
    const RowsThenColumnsParams& values = paramsOf(params);
    return std::max(values.rows.threadsX * values.rows.threadsY,
                    values.columns.threadsX * values.columns.threadsY);
  }

 private:
  std::vector<RowsThenColumnsParams> choose(const FusionSummary& summary,
                                            const ScheduleContext& context) const override {
    const RowsWithSums& parts = *summary.fact(findRowsWithSums);
    const FusionSummary ofRows(parts.rows);
    const ReductionShape rows = shapeOfReduction(ofRows.widestReduction(), summary, context);
    const ReductionShape columns = shapeOfReduction(widestReduction(parts.sums), summary, context);
    if (!context.hasSizes || columns.isInner) {
      return {};
    }
    // Rows with too many elements for the registers of one kernel are read again, too.
    const BlocksOfRows inOneKernel = blocksOfRowsWithSums(parts, summary, context);
    const bool isTooMuch = inOneKernel.lackingRegisters > context.tuning.gpu.lackingRegisters;
    if (!isTooMuch && !arePartsLarge(parts, rows, inOneKernel.count)) {
      return {};
    }
    auto paramsOfRows = innerPersistentParams(rows, summary, context);
    if (!paramsOfRows) {
      return {};
    }
    // The other kernel finds them in the cache.
    const GpuReadOnce readOnce =
        chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
    paramsOfRows->readOnce = readOnce;
    GpuOuterReductionParams paramsOfColumns = outerReductionParams(columns, true, summary, context);
    // Blocks that share a column need a third kernel: too few blocks are no gain then.
    const auto areFew = [&] {
      const int64_t ofBlock = paramsOfColumns.vectors.width * paramsOfColumns.threadsX;
      return paramsOfColumns.parts > 1 &&
             ceilDiv(columns.kept, ofBlock) < context.target.gpu.multiprocessors;
    };
    if (!isTooMuch && areFew()) {
      return {};
    }
    const GpuTuning& tuning = context.tuning.gpu;
    while (areFew() && paramsOfColumns.threadsX > tuning.lineBytes / tuning.vectorBytes) {
      paramsOfColumns.threadsX /= 2;
      paramsOfColumns.threadsY *= 2;
      paramsOfColumns.isExact = false;
    }
    paramsOfColumns.parts = 1;
    return {{.rows = *paramsOfRows, .columns = paramsOfColumns}};
  }

  void schedule(Fusion* fusion, const RowsThenColumnsParams& params) const override {
    const FusionGuard guard(fusion);
    const PersistentLoops loops = innerPersistentLoops(params.rows);
    GlobalCopies copies = separateGlobals(fusion, false, loops.readOnce, loops.loops.vectors);
    const std::vector<Expr*> exprs = fusion->tensorExprs();
    const auto parts = divideRowsWithSums(exprs, DomainClasses(exprs));
    NVF_SCHEDULE_CHECK(parts.has_value(), "The copies of inputs and outputs have no kinds of ",
                       "dimensions like the rest of rows with sums over them");
    OperandsOfSums operands(fusion, parts->rows, copies);
    const DetachedSums detached(fusion, parts->sums);
    for (TensorView* in : detached.operands()) {
      operands.again(in);
    }
    recomputeAcrossStages(fusion, loops.recomputedOps, copies.loads);
    const std::vector<TensorView*> kept = bufferForLaterStages(fusion);
    detached.attach([&](TensorView* in) { return operands.again(in); });
    eliminateDeadCode(fusion);
    std::vector<Expr*> ofRows;
    std::vector<Expr*> ofSums;
    for (Expr* expr : fusion->tensorExprs()) {
      (operands.isOfSums(expr) ? ofSums : ofRows).push_back(expr);
    }
    ReductionSchedule rows(fusion, loops.loops);
    rows.copies = copies;
    schedulePersistentRows(rows, loops, kept, resultsOf(ofRows), ofRows);
    ReductionSchedule columns(fusion, outerReductionLoops(params.columns));
    columns.copies = std::move(copies);
    columns.schedule(resultsOf(ofSums), ofSums);
    columns.limits.insert(rows.limits.begin(), rows.limits.end());
    for (const TensorView* store : operands.stores()) {
      columns.limits[store] = 0;
    }
    inlineMost(fusion, {}, columns.limits);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuRowsThenColumns() {
  static const gpu::RowsThenColumns scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
