#include "lower/fold_rows.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/scalar.h"
#include "lower/builder.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// The two loops over rows.
struct Nest {
  kir::Loop& rows;
  kir::Loop& columns;

  // Of an index to which the one over columns is added as it is, what that over rows is multiplied
  // with; otherwise null.
  Val* strideOf(Val* index) const {
    const Val* step = scalar::coefficient(index, columns.index);
    return step != nullptr && step->isConstInt(1) ? scalar::coefficient(index, rows.index)
                                                  : nullptr;
  }
  // Whether that is the same for all rows.
  bool isOfColumn(Val* index) const {
    const Val* stride = strideOf(index);
    return stride != nullptr && stride->isConstInt(0);
  }
  bool dependsOnLoops(const Val* index) const {
    return dependsOn(index, {rows.index, columns.index});
  }
};

class RowFolder {
 public:
  explicit RowFolder(const PassContext& context)
      : build_(context.kernel, context.phase), fusion_(context.kernel.fusion) {}

  // The loops over folded rows and the one over the others, if there are to be any.
  std::optional<kir::Block> rewrite(kir::Loop& rows) {
    auto* columns =
        rows.body->size() == 1 ? std::get_if<kir::Loop>(&rows.body->front().node) : nullptr;
    if (!rows.marks.fold || columns == nullptr || rows.step != 1 || columns->step != 1 ||
        !columns->start->isConstInt(0) || dependsOn(columns->stop, {rows.index}) ||
        scalar::upperBound(columns->stop) > limits::kFoldedElements / rows.marks.fold.rows) {
      return std::nullopt;
    }
    const Nest nest{rows, *columns};
    Val* fits = isOneBehindTheOther(nest);
    return fits == nullptr ? std::nullopt : std::optional(fold(nest, fits));
  }

 private:
  // 1 where all that is read and written of rows lies that way, 0 where it does not; null where the
  // loops do anything else than accumulate columns and compute elements.
  Val* isOneBehindTheOther(const Nest& nest) const {
    Val* fits = nullptr;
    // Whether that depends on nothing but strides.
    const auto followsRows = [&](const kir::Access& access) {
      Val* stride = nest.strideOf(access.index);
      if (stride == nullptr || nest.dependsOnLoops(stride)) {
        return false;
      }
      Val* distance = scalar::max(stride, fusion_->zero());
      Val* longer = scalar::max(scalar::max(distance, nest.columns.stop), fusion_->one());
      Val* same = scalar::div(scalar::min(distance, nest.columns.stop), longer);
      fits = fits == nullptr ? same : scalar::min(fits, same);
      return true;
    };
    for (const kir::Statement& statement : *nest.columns.body) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      if (compute == nullptr || compute->expr->is<ScanOp>()) {
        return nullptr;
      }
      const kir::Access& out = compute->out;
      if (const auto* reduction = compute->expr->as<ReductionOp>()) {
        if (reduction->type() == BinaryOpType::MergeMoments ||
            out.tv->memoryType() != MemoryType::Local || !nest.isOfColumn(out.index)) {
          return nullptr;
        }
      } else if (out.tv->memoryType() == MemoryType::Local ? nest.dependsOnLoops(out.index)
                                                           : !followsRows(out)) {
        return nullptr;
      }
      for (const kir::Operand& operand : compute->inputs) {
        const auto* access = std::get_if<kir::Access>(&operand);
        const Val* index = access == nullptr ? std::get<Val*>(operand) : access->index;
        if (!nest.dependsOnLoops(index)) {
          continue;
        }
        if (access == nullptr) {
          return nullptr;
        }
        if (nest.isOfColumn(access->index)) {
          continue;
        }
        // Partial results that are combined are few.
        if (!access->tv->isFusionInput() || !followsRows(*access)) {
          return nullptr;
        }
      }
    }
    return fits;
  }

  kir::Block fold(const Nest& nest, Val* fits) {
    kir::Loop& rows = nest.rows;
    const kir::Loop& columns = nest.columns;
    const int64_t count = std::exchange(rows.marks.fold, {}).rows;
    Val* atOnce = scalar::constant(fusion_, count);
    Val* elements = scalar::mul(atOnce, columns.stop);
    Val* room = scalar::constant(fusion_, count * scalar::upperBound(columns.stop));
    Val* row = build_.freshIndex();
    Val* column = build_.freshIndex();
    Val* element = build_.freshIndex();
    Val* inFolded = scalar::add(scalar::mul(row, columns.stop), column);
    const auto ofColumn = [&](const kir::Access& access) {
      return kir::Access{access.tv, scalar::substituted(access.index, columns.index, column)};
    };
    const auto foldedLike = [&](const TensorView* tv) {
      return build_.addLocal(tv->dtype(), room);
    };
    const auto overColumns = [&](kir::Block body) {
      kir::Loop inner = kir::plainLoop(column, columns.start, columns.stop, std::move(body));
      inner.isRest = true;
      return kir::Statement{
          kir::plainLoop(row, fusion_->zero(), atOnce, kir::blockOf({std::move(inner)}))};
    };
    kir::Block result;
    kir::Block repeat;
    kir::Block combine;
    kir::Block body = kir::copyOf(*columns.body);
    for (kir::Statement& statement : body) {
      auto& compute = std::get<kir::Compute>(statement.node);
      for (kir::Operand& operand : compute.inputs) {
        auto* access = std::get_if<kir::Access>(&operand);
        if (access != nullptr && nest.isOfColumn(access->index)) {
          const kir::Access folded{foldedLike(access->tv), inFolded};
          repeat.push_back({kir::Assign{folded, ofColumn(*access)}});
          *access = {folded.tv, columns.index};
        }
      }
      if (const auto* reduction = compute.expr->as<ReductionOp>()) {
        TensorView* partial = foldedLike(compute.out.tv);
        result.push_back(
            overAll(element, elements, {kir::Assign{{partial, element}, reduction->init()}}));
        combine.push_back(
            {kir::Compute{compute.expr, ofColumn(compute.out), {kir::Access{partial, inFolded}}}});
        compute.out = {partial, columns.index};
      }
    }
    if (!repeat.empty()) {
      result.push_back(overColumns(std::move(repeat)));
    }
    Val* all = scalar::max(scalar::sub(rows.stop, rows.start), fusion_->zero());
    Val* folded = scalar::mul(scalar::mul(scalar::div(all, atOnce), atOnce), fits);
    Val* middle = scalar::add(rows.start, folded);
    kir::Loop inner = kir::similarLoop(columns, columns.start, elements, std::move(body));
    inner.vectors = 1;
    kir::Loop groups = kir::similarLoop(rows, rows.start, middle, kir::blockOf({std::move(inner)}));
    groups.step = count;
    result.push_back({std::move(groups)});
    if (!combine.empty()) {
      result.push_back(overColumns(std::move(combine)));
    }
    rows.start = middle;
    nest.columns.isRest = true;
    result.push_back({std::move(rows)});
    return result;
  }

  static kir::Statement overAll(Val* index, Val* stop, kir::Statement statement) {
    kir::Loop loop =
        kir::plainLoop(index, index->fusion()->zero(), stop, kir::blockOf(std::move(statement)));
    loop.vectors = 1;
    return {std::move(loop)};
  }

  kir::Builder build_;
  Fusion* fusion_;
};

}  // namespace

void foldRows(const PassContext& context) {
  RowFolder folder(context);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) { return folder.rewrite(loop); });
}

}  // namespace nvfuser
