#include "lower/stream_results.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/scalar.h"
#include "lower/builder.h"

namespace nvfuser {

namespace {

class ResultStreamer {
 public:
  explicit ResultStreamer(const PassContext& context)
      : phase_(context.phase),
        build_(context.kernel, context.phase),
        fusion_(context.kernel.fusion),
        lineBytes_(context.kernel.lineBytes) {}

  // What an innermost loop with streaming copies becomes.
  std::optional<kir::Block> rewrite(kir::Loop& loop) {
    if (!isInnermost(loop)) {
      return std::nullopt;
    }
    const std::vector<kir::Compute*> streams = streamsOf(loop);
    const int64_t group = streams.empty() ? 0 : groupOf(streams);
    if (group == 0) {
      return std::nullopt;
    }
    for (const kir::Compute* compute : streams) {
      streamed_.insert(compute->out.tv);
    }
    kir::Block block;
    stream(std::move(loop), streams, group, block);
    return block;
  }

  const std::unordered_set<const TensorView*>& streamed() const { return streamed_; }

 private:
  static bool isInnermost(const kir::Loop& loop) {
    bool isInnermost = true;
    for (const kir::Statement& statement : *loop.body) {
      kir::forEachBlock(statement, [&](const kir::Block&) { isInnermost = false; });
    }
    return isInnermost;
  }

  // The streaming copies in a loop that run along memory.
  std::vector<kir::Compute*> streamsOf(const kir::Loop& loop) const {
    std::vector<kir::Compute*> streams;
    if (loop.step != 1 || loop.index == phase_.parallelIndex) {
      return streams;
    }
    for (kir::Statement& statement : *loop.body) {
      auto* compute = std::get_if<kir::Compute>(&statement.node);
      if (compute == nullptr || kir::streamedGroup(*compute) == 0 ||
          info(compute->out.tv->dtype()).bits < 8) {
        continue;
      }
      const Val* step = scalar::coefficient(compute->out.index, loop.index);
      if (step != nullptr && step->isConstInt(1) &&
          scalar::substituted(compute->out.index, loop.index, loop.start) != nullptr) {
        streams.push_back(compute);
      }
    }
    return streams;
  }

  // What a loop copies that does nothing else: consecutive elements, of which this is the first.
  std::optional<kir::Access> copiedBy(const kir::Loop& loop, const kir::Compute& stream) const {
    std::unordered_map<const TensorView*, const kir::Compute*> values;
    for (const kir::Statement& statement : *loop.body) {
      const bool fits = kir::visit(
          statement,
          [&](const kir::Compute& compute) {
            return copiedElement(compute) != nullptr &&
                   values.emplace(compute.out.tv, &compute).second;
          },
          [&](const kir::LoadIndex& load) { return !isInside(load.index, loop); },
          [](const kir::Either<kir::Loop, kir::If, kir::TransposedCopy, kir::WholeLines,
                               kir::StreamedCopy, kir::Prefetch, kir::Assign, kir::Barrier,
                               kir::BlockReduce, kir::BlockScan> auto&) { return false; });
      if (!fits) {
        return std::nullopt;
      }
    }
    const kir::Access* element = copiedElement(stream);
    size_t copies = 1;
    for (auto from = values.find(element->tv); from != values.end();
         from = values.find(element->tv)) {
      element = copiedElement(*from->second);
      ++copies;
    }
    const Val* step = scalar::coefficient(element->index, loop.index);
    if (copies != values.size() || step == nullptr || !step->isConstInt(1) ||
        element->tv->memoryType() != MemoryType::Global) {
      return std::nullopt;
    }
    Val* first = scalar::substituted(element->index, loop.index, loop.start);
    return first == nullptr ? std::nullopt : std::optional(kir::Access{element->tv, first});
  }

  static bool isInside(const kir::Operand& operand, const kir::Loop& loop) {
    const auto* access = std::get_if<kir::Access>(&operand);
    return access == nullptr || dependsOn(access->index, {loop.index});
  }

  // Null for anything else than a copy.
  static const kir::Access* copiedElement(const kir::Compute& compute) {
    const Expr* expr = compute.expr;
    const bool isCopy = expr->is<LoadStoreOp>() || expr->is<LookupOp>() || expr->is<CatOp>() ||
                        expr->is<SliceOp>() || expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
                        expr->is<ExpandOp>() || expr->is<ReshapeOp>();
    const auto* in = isCopy ? std::get_if<kir::Access>(&compute.inputs[0]) : nullptr;
    return in != nullptr && in->tv->dtype() == compute.out.tv->dtype() ? in : nullptr;
  }

  // Elements that are stored together, of several results the most that all of them take; 0 where
  // these do not fill whole lines.
  int64_t groupOf(const std::vector<kir::Compute*>& streams) const {
    const auto least = std::ranges::min(
        streams, {}, [](const kir::Compute* compute) { return kir::streamedGroup(*compute); });
    const int64_t group = kir::streamedGroup(*least);
    return std::ranges::all_of(streams,
                               [&](const kir::Compute* compute) {
                                 const int64_t bytes =
                                     group * info(compute->out.tv->dtype()).bits / 8;
                                 return bytes % lineBytes_ == 0;
                               })
               ? group
               : 0;
  }

  void stream(kir::Loop loop, const std::vector<kir::Compute*>& streams, int64_t count,
              kir::Block& block) {
    if (const auto first = streams.size() == 1 ? copiedBy(loop, *streams[0]) : std::nullopt) {
      const kir::Access& out = streams[0]->out;
      const kir::StreamedCopy copy{{out.tv, scalar::substituted(out.index, loop.index, loop.start)},
                                   *first,
                                   scalar::sub(loop.stop, loop.start)};
      for (kir::Statement& statement : *loop.body) {
        if (std::holds_alternative<kir::LoadIndex>(statement.node)) {
          block.push_back(std::move(statement));
        }
      }
      block.push_back({copy});
      return;
    }
    kir::WholeLines lines{
        build_.freshIndex(), build_.freshIndex(), loop.start, loop.stop, count, {}};
    for (const kir::Compute* compute : streams) {
      const kir::Access& out = compute->out;
      lines.outs.push_back({out.tv, scalar::substituted(out.index, loop.index, loop.start)});
    }
    const auto ends = [&](Val* start, Val* stop) {
      kir::Loop end = kir::plainLoop(loop.index, start, stop, kir::copyOf(*loop.body));
      end.isReduction = loop.isReduction;
      end.isRest = true;
      return end;
    };
    kir::Loop before = ends(lines.start, lines.first);
    kir::Loop after = ends(lines.last, lines.stop);
    Val* group = build_.freshIndex();
    Val* size = scalar::constant(fusion_, count);
    kir::Block copies;
    for (kir::Compute* compute : streams) {
      const kir::Access out = compute->out;
      TensorView* local = build_.addLocal(out.tv->dtype(), size);
      compute->out = {local, scalar::sub(loop.index, group)};
      copies.push_back(
          {kir::StreamedCopy{{out.tv, scalar::substituted(out.index, loop.index, group)},
                             {local, fusion_->zero()},
                             size,
                             true}});
    }
    kir::Loop groups = kir::plainLoop(group, lines.first, lines.last, {});
    groups.parallelType = loop.parallelType;
    groups.isReduction = loop.isReduction;
    groups.step = count;
    loop.parallelType = ParallelType::Serial;
    loop.start = group;
    loop.stop = scalar::add(group, size);
    groups.body->push_back({std::move(loop)});
    std::ranges::move(copies, std::back_inserter(*groups.body));
    block.push_back({std::move(lines)});
    block.push_back({std::move(before)});
    block.push_back({std::move(groups)});
    block.push_back({std::move(after)});
  }

  const kir::Phase& phase_;
  kir::Builder build_;
  Fusion* fusion_;
  int64_t lineBytes_;
  std::unordered_set<const TensorView*> streamed_;
};

}  // namespace

void streamResults(const PassContext& context) {
  std::unordered_set<const TensorView*> asked;
  kir::forEachStatement(context.phase.body, [&](const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    if (compute != nullptr && kir::streamedGroup(*compute) > 0) {
      asked.insert(compute->out.tv);
    }
  });
  ResultStreamer streamer(context);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) { return streamer.rewrite(loop); });
  for (const TensorView* tv : asked) {
    NVF_SCHEDULE_CHECK(!tv->marks().isRequired || streamer.streamed().contains(tv),
                       "stream: Expected ", tv->toString(),
                       " to be copied by an innermost loop along its memory that is not divided "
                       "among workers, in groups of whole lines of ",
                       context.kernel.lineBytes, " bytes");
  }
}

}  // namespace nvfuser
