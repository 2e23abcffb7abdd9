#include "lower/apart_totals.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"

namespace nvfuser {

bool hasApartTotals(const kir::Loop& loop, const std::unordered_set<const Val*>& indices) {
  std::unordered_set<const TensorView*> totals;
  for (const kir::Statement& statement : *loop.body) {
    const auto& compute = std::get<kir::Compute>(statement.node);
    if (compute.expr->is<ScanOp>()) {
      return false;
    }
    if (compute.expr->is<ReductionOp>()) {
      if (dependsOn(compute.out.index, indices) || !isFloatingPointType(compute.out.tv->dtype()) ||
          !totals.insert(compute.out.tv).second) {
        return false;
      }
    }
  }
  return std::ranges::none_of(*loop.body, [&](const kir::Statement& statement) {
    const auto& inputs = std::get<kir::Compute>(statement.node).inputs;
    return std::ranges::any_of(inputs, [&](const kir::Operand& operand) {
      const auto* access = std::get_if<kir::Access>(&operand);
      return access != nullptr && totals.contains(access->tv);
    });
  });
}

ApartTotals accumulateApart(kir::Block& body, Val* place, Val* size, const kir::Builder& build) {
  ApartTotals around;
  const auto overAll = [&](Val* index, kir::Statement statement) {
    return kir::plainLoop(index, build.fusion()->zero(), size, kir::blockOf(std::move(statement)));
  };
  for (kir::Statement& statement : body) {
    auto& compute = std::get<kir::Compute>(statement.node);
    const auto* reduction = compute.expr->as<ReductionOp>();
    if (reduction == nullptr) {
      continue;
    }
    TensorView* totals = build.addLocal(compute.out.tv->dtype(), size);
    Val* index = build.freshIndex();
    const kir::Access total{totals, index};
    around.before.push_back({overAll(index, {kir::Assign{total, reduction->init()}})});
    kir::Loop adds = overAll(index, {kir::Compute{compute.expr, compute.out, {total}}});
    adds.isReduction = true;
    around.after.push_back({std::move(adds)});
    compute.out = {totals, place};
  }
  return around;
}

kir::Loop* innermostReduced(kir::Loop& loop, std::unordered_set<const Val*>& indices) {
  kir::Loop* inner = &loop;
  indices.insert(loop.index);
  while (inner->isReduction && inner->body->size() == 1 &&
         std::holds_alternative<kir::Loop>(inner->body->front().node)) {
    inner = &std::get<kir::Loop>(inner->body->front().node);
    indices.insert(inner->index);
  }
  const bool onlyComputes = std::ranges::all_of(*inner->body, [](const kir::Statement& statement) {
    return std::holds_alternative<kir::Compute>(statement.node);
  });
  return inner->isReduction && onlyComputes ? inner : nullptr;
}

namespace {

// Whether the elements of all rows are as many, if that is known.
bool areAtLeast(int64_t count, const kir::Loop& rows, const kir::Loop& row) {
  int64_t product = row.stop->constInt();
  for (const kir::Loop* loop = &rows; loop != &row;
       loop = &std::get<kir::Loop>(loop->body->front().node)) {
    if (!loop->start->isConstInt() || !loop->stop->isConstInt()) {
      return true;
    }
    product *= loop->stop->constInt() - loop->start->constInt();
  }
  return product >= count;
}

bool areOf(const ApartMark& mark, const kir::Loop& rows, const kir::Loop& row) {
  const int64_t elements = row.stop->constInt();
  return elements > 0 && elements <= mark.elementsMost &&
         (elements % mark.vector == 0 || areAtLeast(mark.raggedElements, rows, row));
}

}  // namespace

void accumulateRowsApart(const PassContext& context) {
  kir::Loop* units = kir::sharedLoop(context.phase);
  if (units == nullptr || !units->marks.apart) {
    return;
  }
  const ApartMark mark = units->marks.apart;
  const kir::Builder build(context.kernel, context.phase);
  kir::rewriteLoops(*units->body, [&](kir::Loop& rows) -> std::optional<kir::Block> {
    std::unordered_set<const Val*> indices;
    kir::Loop* row = innermostReduced(rows, indices);
    if (row == nullptr || row == &rows || row->step != 1 || !row->start->isConstInt(0) ||
        !row->stop->isConstInt() || !areOf(mark, rows, *row) || !hasApartTotals(*row, indices)) {
      return std::nullopt;
    }
    ApartTotals around = accumulateApart(*row->body, row->index, row->stop, build);
    row->isReduction = false;
    kir::Block result = std::move(around.before);
    result.push_back({std::move(rows)});
    std::ranges::move(around.after, std::back_inserter(result));
    units->marks.apart = {};
    return result;
  });
}

}  // namespace nvfuser
