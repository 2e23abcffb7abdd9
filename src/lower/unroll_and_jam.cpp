#include "lower/unroll_and_jam.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/scalar.h"
#include "lower/builder.h"
#include "lower/prefetch.h"
#include "lower/substitute.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

struct AccessUse {
  kir::Access access;
  bool isWrite = false;
};

// Whether a statement can be repeated with the index of another row.
bool canBeJammed(const kir::Statement& statement) {
  return kir::visit(
      statement, [](const kir::Either<kir::Compute, kir::Assign> auto&) { return true; },
      [](const kir::Either<kir::Loop, kir::If, kir::TransposedCopy, kir::WholeLines,
                           kir::StreamedCopy, kir::Prefetch, kir::LoadIndex, kir::Barrier,
                           kir::BlockReduce, kir::BlockScan> auto&) { return false; });
}

// Operands before the result.
std::vector<AccessUse> usesOf(const kir::Statement& statement) {
  std::vector<AccessUse> uses;
  kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
    if (use != kir::Use::Write) {
      uses.push_back({access, false});
    }
    if (use != kir::Use::Read) {
      uses.push_back({access, true});
    }
  });
  return uses;
}

// Whether the rows of a loop over columns may be done together.
class Jam {
 public:
  Jam(const kir::Loop& rows, const kir::Loop& columns, const Fusion* fusion)
      : row_(rows.index), column_(columns.index), body_(*columns.body), fusion_(fusion) {}

  bool isLegal() const {
    std::unordered_map<const TensorView*, std::vector<AccessUse>> ofOwner;
    for (const kir::Statement& statement : body_) {
      if (!canBeJammed(statement)) {
        return false;
      }
      for (const AccessUse& use : usesOf(statement)) {
        ofOwner[kir::memoryOwner(fusion_, use.access.tv)].push_back(use);
      }
    }
    return std::ranges::all_of(ofOwner,
                               [&](const auto& entry) { return keepsOrder(entry.second); });
  }

 private:
  bool runsAlongColumns(const kir::Access& access) const {
    const Val* step = scalar::coefficient(access.index, column_);
    return step != nullptr && step->isConstInt(1);
  }

  // Whether an element has the same value when another column's rows come in between.
  bool keepsOrder(const std::vector<AccessUse>& uses) const {
    if (std::ranges::none_of(uses, &AccessUse::isWrite)) {
      return true;
    }
    const kir::Access& first = uses.front().access;
    const bool isOneElement = std::ranges::all_of(
        uses, [&](const AccessUse& use) { return use.access.index == first.index; });
    if (isOneElement && runsAlongColumns(first)) {
      return true;
    }
    // What a column of a row computes for itself.
    return uses.front().isWrite && first.tv->memoryType() == MemoryType::Local &&
           std::ranges::none_of(uses, [&](const AccessUse& use) {
             return dependsOn(use.access.index, {row_, column_});
           });
  }

  Val* row_;
  Val* column_;
  const kir::Block& body_;
  const Fusion* fusion_;
};

// Whether a statement merges a row's moments into those of the rows before, which divides by their
// number: rows that are jammed are merged with each other first, whose number is known.
const kir::Compute* mergeOf(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  const auto* reduction = compute == nullptr ? nullptr : compute->expr->as<ReductionOp>();
  return reduction != nullptr && reduction->type() == BinaryOpType::MergeMoments ? compute
                                                                                 : nullptr;
}

class RowJammer {
 public:
  explicit RowJammer(const PassContext& context)
      : build_(context.kernel, context.phase),
        fusion_(context.kernel.fusion),
        prefetches_(context.target.capabilities.hasPrefetch) {}

  // The loop over several rows at once and the one over the others, if there is to be one.
  std::optional<kir::Block> rewrite(kir::Loop& rows) {
    std::optional<kir::Loop> jammed = jam(rows);
    if (!jammed) {
      return std::nullopt;
    }
    kir::Block loops;
    loops.push_back({std::move(*jammed)});
    loops.push_back({std::move(rows)});
    return loops;
  }

 private:
  // The loop over several rows at once, if there is to be one; `rows` is left with the others.
  std::optional<kir::Loop> jam(kir::Loop& rows) {
    auto* columns =
        rows.body->size() == 1 ? std::get_if<kir::Loop>(&rows.body->front().node) : nullptr;
    const JamMark mark = rows.marks.jam;
    if (!mark || columns == nullptr || rows.step != 1 ||
        columns->body->size() > limits::kJammedStatements / static_cast<size_t>(mark.rows) ||
        dependsOn(columns->start, {rows.index}) || dependsOn(columns->stop, {rows.index}) ||
        !Jam(rows, *columns, fusion_).isLegal()) {
      return std::nullopt;
    }
    kir::Block body;
    kir::Block merges;
    std::unordered_map<const kir::Compute*, kir::Access> together;
    for (int64_t i = 0; i < mark.rows; ++i) {
      Val* row = scalar::add(rows.index, scalar::constant(fusion_, i));
      for (const kir::Statement& statement : *columns->body) {
        kir::Statement copy = kir::copyOf(statement);
        if (!kir::substitute(copy, rows.index, row)) {
          return std::nullopt;
        }
        if (const kir::Compute* merge = mergeOf(statement)) {
          auto& ofRow = std::get<kir::Compute>(copy.node);
          const auto part = together.find(merge);
          if (part == together.end()) {
            const kir::Access first = build_.addVariable(merge->out.tv->dtype());
            together.emplace(merge, first);
            merges.push_back({kir::Compute{merge->expr, merge->out, {first}}});
            body.push_back({kir::Assign{first, ofRow.inputs[0]}});
            continue;
          }
          ofRow.out = part->second;
        }
        body.push_back(std::move(copy));
      }
    }
    std::ranges::move(merges, std::back_inserter(body));
    kir::Loop inner = kir::similarLoop(*columns, columns->start, columns->stop, std::move(body));
    inner.vectors = mark.vectors;
    rows.marks.jam = {};
    kir::Block several = requestsAhead(mark, rows, *columns);
    several.push_back({std::move(inner)});
    columns->vectors = 1;
    Val* count = scalar::max(scalar::sub(rows.stop, rows.start), fusion_->zero());
    Val* step = scalar::constant(fusion_, mark.rows);
    Val* middle = scalar::add(rows.start, scalar::mul(scalar::div(count, step), step));
    kir::Loop jammed = kir::similarLoop(rows, rows.start, middle, std::move(several));
    jammed.step = mark.rows;
    rows.start = middle;
    return jammed;
  }

  // Requests for rows that are read soon: the processor does not find several streams of short
  // lines.
  kir::Block requestsAhead(const JamMark& mark, const kir::Loop& rows,
                           const kir::Loop& columns) const {
    kir::Block requests;
    if (!prefetches_ || mark.aheadBytes == 0 || !columns.start->isConstInt(0)) {
      return requests;
    }
    for (const kir::Access& access : readsAlong(columns, rows.index)) {
      const int64_t width = std::min(scalar::upperBound(columns.stop), mark.aheadBytes);
      const int64_t bytes = std::max<int64_t>(width * info(access.tv->dtype()).bits / 8, 1);
      const int64_t times =
          std::clamp(mark.aheadBytes / bytes / mark.rows, int64_t{1}, mark.aheadMost);
      const int64_t ahead = times * mark.rows;
      for (int64_t i = 0; i < mark.rows; ++i) {
        Val* row = scalar::add(rows.index, scalar::constant(fusion_, ahead + i));
        if (Val* index = scalar::substituted(access.index, rows.index, row)) {
          requests.push_back(
              {kir::Prefetch{{access.tv, index}, columns.index, columns.stop, false}});
        }
      }
    }
    return requests;
  }

  kir::Builder build_;
  Fusion* fusion_;
  bool prefetches_;
};

}  // namespace

void jamRows(const PassContext& context) {
  RowJammer jammer(context);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) { return jammer.rewrite(loop); });
}

}  // namespace nvfuser
