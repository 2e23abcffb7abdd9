#include "lower/prefetch.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/scalar.h"
#include "lower/apart_totals.h"
#include "lower/builder.h"

namespace nvfuser {

namespace {

// Requests for the rows of the tensors that the loop writes element by element.
kir::Block requestsFor(const ResultsAheadMark& mark, const kir::Loop& loop, const kir::Phase& phase,
                       Fusion* fusion) {
  kir::Block requests;
  std::unordered_set<const TensorView*> seen;
  for (const kir::Statement& statement : *loop.body) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    // Where a scatter writes is known in that iteration only.
    if (compute == nullptr || compute->expr->is<ScatterOp>() ||
        compute->out.tv->memoryType() != MemoryType::Global || kir::streamedGroup(*compute) > 0 ||
        !seen.insert(compute->out.tv).second) {
      continue;
    }
    const kir::Access& out = compute->out;
    const Val* step = scalar::coefficient(out.index, loop.index);
    const Val* row = scalar::coefficient(out.index, phase.parallelIndex);
    if (step == nullptr || !step->isConstInt(1) || row == nullptr || row->isConstInt(0)) {
      continue;
    }
    const auto elements = [&](int64_t bytes) {
      return scalar::constant(fusion, bytes * 8 / info(out.tv->dtype()).bits);
    };
    if (scalar::upperBound(loop.stop) < elements(mark.bytesLeast)->constInt()) {
      continue;
    }
    const kir::Prefetch request{out, loop.index, loop.stop};
    Val* pays = scalar::logicalAnd(scalar::ge(loop.stop, elements(mark.bytesLeast)),
                                   scalar::lt(loop.stop, elements(mark.bytesMost)));
    if (pays == nullptr) {
      requests.push_back({request});
    } else if (!pays->isConst()) {
      requests.push_back({kir::choiceOf(pays, kir::blockOf({request}))});
    }
  }
  return requests;
}

kir::Loop* innerLoop(kir::Loop& loop) {
  for (kir::Statement& statement : *loop.body) {
    if (auto* inner = std::get_if<kir::Loop>(&statement.node)) {
      return inner;
    }
  }
  return nullptr;
}

// A request for the row of `access` that `columns` runs over some iterations of `rows` later, if
// rows are short and far apart.
std::optional<kir::Prefetch> requestOfFarRow(const FarRowsMark& mark, const kir::Access& access,
                                             const kir::Loop& rows, const kir::Loop& columns,
                                             Fusion* fusion) {
  const auto bytesOf = [&](int64_t elements) {
    return elements * info(access.tv->dtype()).bits / 8;
  };
  const Val* stride = scalar::coefficient(access.index, rows.index);
  const int64_t bytes = std::max<int64_t>(bytesOf(scalar::upperBound(columns.stop)), 1);
  if (!columns.start->isConstInt(0) || stride == nullptr || !stride->isConstInt() ||
      bytesOf(stride->constInt()) < mark.strideBytes || bytes > mark.rowBytes) {
    return std::nullopt;
  }
  const int64_t ahead = std::clamp<int64_t>(mark.aheadBytes / bytes, 1, mark.aheadMost);
  if (rows.stop->isConstInt() && rows.stop->constInt() <= ahead) {
    return std::nullopt;
  }
  Val* row = scalar::add(rows.index, scalar::constant(fusion, ahead));
  Val* index = scalar::substituted(access.index, rows.index, row);
  if (index == nullptr) {
    return std::nullopt;
  }
  return kir::Prefetch{{access.tv, index}, columns.index, columns.stop, false};
}

// Requests of what the next tile reads, spread over the work on this one.
class NextTile {
 public:
  NextTile(kir::Loop& units, const kir::Builder& build)
      : units_(units), build_(build), fusion_(build.fusion()) {}

  // With each row of this one, a line of what is transposed for the next one and a row of what else
  // it reads; and a later row of what this one writes.
  void request() {
    kir::Loop* rows = innerLoop(units_);
    kir::Loop* columns = rows == nullptr ? nullptr : innerLoop(*rows);
    if (columns == nullptr) {
      return;
    }
    kir::Block requests;
    for (const kir::Statement& statement : *units_.body) {
      const auto* copy = std::get_if<kir::TransposedCopy>(&statement.node);
      Val* first = copy == nullptr ? nullptr : atNext(copy->in.index);
      if (first != nullptr && copy->in.tv->memoryType() == MemoryType::Global) {
        Val* line = scalar::add(first, scalar::mul(rows->index, copy->inStride));
        Val* index = build_.freshIndex();
        // The tile may have fewer lines than rows.
        Val* left = scalar::max(scalar::sub(copy->columns, rows->index), fusion_->zero());
        Val* count = scalar::min(scalar::mul(left, copy->rows), copy->rows);
        requests.push_back(
            {kir::Prefetch{{copy->in.tv, scalar::add(line, index)}, index, count, false}});
      }
    }
    if (requests.empty() || !columns->start->isConstInt(0)) {
      return;
    }
    for (const kir::Access& access : readsAlong(*columns, units_.index)) {
      if (Val* next = atNext(access.index)) {
        requests.push_back(
            {kir::Prefetch{{access.tv, next}, columns->index, columns->stop, false}});
      }
    }
    requestResults(*rows, *columns, requests);
    std::ranges::move(requests, std::inserter(*rows->body, rows->body->begin()));
    units_.marks.next = {};
  }

 private:
  // Rows of results are short, too, and far apart.
  void requestResults(const kir::Loop& rows, const kir::Loop& columns, kir::Block& requests) const {
    for (const kir::Statement& statement : *columns.body) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      const Val* step =
          compute == nullptr ? nullptr : scalar::coefficient(compute->out.index, columns.index);
      if (step == nullptr || !step->isConstInt(1) || kir::streamedGroup(*compute) > 0 ||
          compute->out.tv->memoryType() != MemoryType::Global) {
        continue;
      }
      auto request = requestOfFarRow(units_.marks.farRows, compute->out, rows, columns, fusion_);
      if (request) {
        request->isWritten = true;
        requests.push_back({*request});
      }
    }
  }

  // An index of the next tile; null where it cannot be written.
  Val* atNext(Val* index) const {
    return scalar::substituted(index, units_.index,
                               scalar::add(units_.index, scalar::constant(fusion_, 1)));
  }

  kir::Loop& units_;
  const kir::Builder& build_;
  Fusion* fusion_;
};

// Requests of what the next row reads, spread over a loop over this one.
class NextRow {
 public:
  NextRow(kir::Loop& rows, const kir::Builder& build, int64_t lineBytes)
      : rows_(rows),
        build_(build),
        fusion_(build.fusion()),
        mark_(rows.marks.next),
        lineBytes_(lineBytes) {}

  void request() {
    std::vector<size_t> loops;
    for (size_t i = 0; i < rows_.body->size(); ++i) {
      auto* loop = std::get_if<kir::Loop>(&(*rows_.body)[i].node);
      if (loop != nullptr && noteReads(*loop)) {
        loops.push_back(i);
      }
    }
    if (loops.size() < 2 || reads_.empty() || scalar::upperBound(length_) < mark_.elementsLeast) {
      return;
    }
    loops.erase(loops.begin());
    const auto loopAt = [&](size_t i) -> kir::Loop& {
      return std::get<kir::Loop>((*rows_.body)[i].node);
    };
    // A user need not say which.
    const bool isAny = rows_.marks.isRequired && std::ranges::none_of(loops, [&](size_t i) {
                         return hostsPrefetch(loopAt(i));
                       });
    const auto chosen = std::ranges::find_if(loops, [&](size_t i) {
      const kir::Loop& loop = loopAt(i);
      return !isOfGroups(loop) && (isAny || hostsPrefetch(loop)) &&
             hasApartTotals(loop, {loop.index});
    });
    if (chosen != loops.end()) {
      rows_.marks.next = {};
      splitAt(*chosen);
    } else if (isOfGroups(loopAt(loops.back()))) {
      rows_.marks.next = {};
      kir::Loop& groups = loopAt(loops.back());
      std::ranges::move(requestsAt(groups.index, groups.step),
                        std::inserter(*groups.body, groups.body->begin()));
    }
  }

 private:
  // An element that is read, and the index of the loop that reads it.
  struct Read {
    kir::Access access;
    Val* index;
  };

  // Whether a loop computes groups of results and streams each.
  static bool isOfGroups(const kir::Loop& loop) {
    return std::ranges::any_of(*loop.body, [](const kir::Statement& statement) {
      return std::holds_alternative<kir::StreamedCopy>(statement.node);
    });
  }

  // Whether a loop is over all elements of the row; then it notes what it reads of other memory.
  bool noteReads(kir::Loop& loop) {
    kir::Loop* elements = isOfGroups(loop) ? innerLoop(loop) : &loop;
    if (elements == nullptr || elements->step != 1 || elements->isRest ||
        (elements == &loop && !loop.start->isConstInt(0)) ||
        std::ranges::any_of(*elements->body, [](const kir::Statement& statement) {
          return !std::holds_alternative<kir::Compute>(statement.node);
        })) {
      return false;
    }
    length_ = length_ == nullptr ? loop.stop : length_;
    for (const kir::Access& access : readsAlong(*elements, rows_.index)) {
      if (std::ranges::none_of(reads_,
                               [&](const Read& read) { return read.access.tv == access.tv; })) {
        reads_.push_back({access, elements->index});
      }
    }
    return true;
  }

  static bool hostsPrefetch(const kir::Loop& loop) {
    return std::ranges::any_of(*loop.body, [](const kir::Statement& statement) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      return compute != nullptr && compute->expr->output(0)->asTensor()->marks().hostsPrefetch;
    });
  }

  void splitAt(size_t position) {
    kir::Loop& loop = std::get<kir::Loop>((*rows_.body)[position].node);
    Val* size = scalar::constant(fusion_, mark_.group);
    Val* group = build_.freshIndex();
    Val* whole = scalar::sub(loop.stop, scalar::mod(loop.stop, size));
    kir::Block body = kir::copyOf(*loop.body);
    auto [before, after] = accumulateApart(body, scalar::sub(loop.index, group), size, build_);
    kir::Loop inner = kir::similarLoop(loop, group, scalar::add(group, size), std::move(body));
    inner.vectors = mark_.vectors;
    kir::Loop groups = kir::plainLoop(group, loop.start, whole, requestsAt(group, mark_.group));
    groups.body->push_back({std::move(inner)});
    groups.isReduction = loop.isReduction;
    groups.step = mark_.group;
    before.push_back({std::move(groups)});
    std::ranges::move(after, std::back_inserter(before));
    loop.start = whole;
    loop.isRest = true;
    const auto at = rows_.body->begin() + static_cast<std::ptrdiff_t>(position);
    std::ranges::move(before, std::inserter(*rows_.body, at));
  }

  // Requests for the lines of the next row that lie as a group of `size` elements of this one does.
  kir::Block requestsAt(Val* group, int64_t size) {
    kir::Block requests;
    for (const Read& read : reads_) {
      const int64_t perLine = 8 * lineBytes_ / info(read.access.tv->dtype()).bits;
      Val* row = scalar::add(rows_.index, rowsAhead(read));
      for (int64_t i = 0; i < size; i += perLine) {
        Val* element = scalar::add(group, scalar::constant(fusion_, i));
        Val* line = scalar::substituted(read.access.index, read.index, element);
        Val* next = line == nullptr ? nullptr : scalar::substituted(line, rows_.index, row);
        if (next != nullptr) {
          requests.push_back(
              {kir::Prefetch{{read.access.tv, next}, nullptr, fusion_->one(), false}});
        }
      }
    }
    return requests;
  }

  // None where rows are so long that the next one would take the place of this one.
  Val* rowsAhead(const Read& read) const {
    const int64_t bits = info(read.access.tv->dtype()).bits * std::ssize(reads_);
    Val* most = scalar::constant(fusion_, mark_.bytesMost * 8 / bits);
    return scalar::min(fusion_->one(), scalar::div(most, scalar::max(length_, fusion_->one())));
  }

  kir::Loop& rows_;
  const kir::Builder& build_;
  Fusion* fusion_;
  NextAheadMark mark_;
  int64_t lineBytes_;
  std::vector<Read> reads_;
  // Of a row.
  Val* length_ = nullptr;
};

// Requests for the row that `columns` reads that many iterations of `rows` later, of each tensor
// whose rows are short and far apart.
kir::Block requestsOfFarRows(const FarRowsMark& mark, const kir::Loop& rows,
                             const kir::Loop& columns, Fusion* fusion) {
  kir::Block requests;
  if (!columns.stop->isConstInt()) {
    return requests;
  }
  for (const kir::Access& access : readsAlong(columns, rows.index)) {
    if (const auto request = requestOfFarRow(mark, access, rows, columns, fusion)) {
      requests.push_back({*request});
    }
  }
  return requests;
}

// Without a loop that asks for requests there is nothing to host.
void checkHosts(const kir::Phase& phase, const kir::Loop* rows) {
  if (rows != nullptr && rows->marks.next) {
    return;
  }
  kir::forEachStatement(phase.body, [](const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    const TensorView* tv = compute == nullptr ? nullptr : compute->expr->output(0)->asTensor();
    NVF_SCHEDULE_CHECK(tv == nullptr || !tv->marks().hostsPrefetch || !tv->marks().isRequired,
                       "host_prefetch: Expected ", tv->toString(),
                       " to be computed inside of a loop that workers share and that is marked "
                       "prefetch_next");
  });
}

}  // namespace

std::vector<kir::Access> readsAlong(const kir::Loop& loop, const Val* outer) {
  std::vector<kir::Access> reads;
  // What a loop looks up is known in that iteration only.
  std::unordered_set<const Val*> lookedUp;
  for (const kir::Statement& statement : *loop.body) {
    if (const auto* load = std::get_if<kir::LoadIndex>(&statement.node)) {
      lookedUp.insert(load->position);
    }
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    for (const kir::Operand& operand :
         compute == nullptr ? std::vector<kir::Operand>{} : compute->inputs) {
      const auto* access = std::get_if<kir::Access>(&operand);
      const Val* step =
          access == nullptr ? nullptr : scalar::coefficient(access->index, loop.index);
      if (step != nullptr && step->isConstInt(1) &&
          access->tv->memoryType() == MemoryType::Global && dependsOn(access->index, {outer}) &&
          (lookedUp.empty() || !dependsOn(access->index, lookedUp)) &&
          std::ranges::find(reads, access->tv, &kir::Access::tv) == reads.end()) {
        reads.push_back(*access);
      }
    }
  }
  return reads;
}

void prefetchNextTile(const PassContext& context) {
  kir::Loop* units = kir::sharedLoop(context.phase);
  checkHosts(context.phase, units);
  if (units != nullptr && units->marks.next) {
    NextTile(*units, kir::Builder(context.kernel, context.phase)).request();
  }
}

void prefetchNextRow(const PassContext& context) {
  kir::Loop* rows = kir::sharedLoop(context.phase);
  if (rows != nullptr && rows->marks.next) {
    NextRow(*rows, kir::Builder(context.kernel, context.phase), context.kernel.lineBytes).request();
  }
}

void prefetchFarRows(const PassContext& context) {
  kir::Loop* units = kir::sharedLoop(context.phase);
  if (units == nullptr || !units->marks.farRows) {
    return;
  }
  const FarRowsMark mark = units->marks.farRows;
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& rows) -> std::optional<kir::Block> {
    const auto* columns =
        rows.body->size() == 1 ? std::get_if<kir::Loop>(&rows.body->front().node) : nullptr;
    if (columns != nullptr && rows.step == 1) {
      kir::Block requests = requestsOfFarRows(mark, rows, *columns, context.kernel.fusion);
      if (!requests.empty()) {
        std::ranges::move(requests, std::inserter(*rows.body, rows.body->begin()));
        units->marks.farRows = {};
      }
    }
    return std::nullopt;
  });
}

void prefetchResults(const PassContext& context) {
  kir::Loop* rows = kir::sharedLoop(context.phase);
  if (rows == nullptr || !rows->marks.results) {
    return;
  }
  kir::Block& body = *rows->body;
  std::vector<std::ptrdiff_t> loops;
  for (size_t i = 0; i < body.size(); ++i) {
    if (std::holds_alternative<kir::Loop>(body[i].node)) {
      loops.push_back(static_cast<std::ptrdiff_t>(i));
    }
  }
  if (loops.size() < 2) {
    return;
  }
  const auto& last = std::get<kir::Loop>(body[static_cast<size_t>(loops.back())].node);
  for (kir::Statement& request :
       requestsFor(rows->marks.results, last, context.phase, context.kernel.fusion)) {
    body.insert(body.begin() + loops.front() + 1, std::move(request));
    rows->marks.results = {};
  }
}

}  // namespace nvfuser
