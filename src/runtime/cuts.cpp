#include "runtime/cuts.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

std::vector<Expr*> exprsOf(const Segment& segment) {
  std::vector<Expr*> exprs;
  for (const Val* val : segment.computed) {
    Expr* expr = val->definition();
    if (expr != nullptr && std::ranges::find(exprs, expr) == exprs.end()) {
      exprs.push_back(expr);
    }
  }
  return exprs;
}

std::string callIn(const std::vector<Expr*>& exprs) {
  const auto found = std::ranges::find_if(exprs, [](Expr* expr) { return expr->is<LibraryOp>(); });
  return found == exprs.end() ? "" : (*found)->as<LibraryOp>()->info().name;
}

// Of the schedulers that know what is in `exprs`, what stops each.
std::string rejections(const std::vector<Expr*>& exprs, const Target& target) {
  const FusionSummary summary(exprs);
  constexpr std::string_view kMark = "because : ";
  const bool hasReduction =
      std::ranges::any_of(exprs, [](Expr* expr) { return expr->is<ReductionOp>(); });
  std::vector<SchedulerType> types{SchedulerType::Pointwise};
  if (hasReduction) {
    types = {SchedulerType::Reduction, SchedulerType::InnerPersistent,
             SchedulerType::OuterPersistent};
  }
  std::string text;
  std::unordered_set<std::string> known;
  for (const SchedulerType type : types) {
    const std::string reason = rejectionReason(type, summary, target);
    const size_t at = reason.find(kMark);
    const std::string problem = at == std::string::npos ? reason : reason.substr(at + kMark.size());
    if (problem.empty()) {
      // It would be scheduled, but is not: a way leads through a third segment, or it is too large.
      return "other segments lie between them, or together they are too large";
    }
    if (known.insert(problem).second) {
      text += (text.empty() ? "" : "; ") + problem;
    }
  }
  return text;
}

std::string reasonFor(const Segment& from, const Segment& to, const FusionClass& fusionClass) {
  const std::vector<Expr*> first = exprsOf(from);
  const std::vector<Expr*> second = exprsOf(to);
  for (const std::vector<Expr*>* exprs : {&first, &second}) {
    if (const std::string call = callIn(*exprs); !call.empty()) {
      return call + " is computed by a library";
    }
  }
  const auto isBoundary = [&](Expr* expr) {
    const auto* copy = expr->as<LoadStoreOp>();
    return copy != nullptr && copy->isSegmentBoundary() &&
           std::ranges::find(from.computed, copy->in()) != from.computed.end();
  };
  if (std::ranges::any_of(second, isBoundary)) {
    return "segment_set asks for it";
  }
  std::vector<Expr*> both = first;
  both.insert(both.end(), second.begin(), second.end());
  std::vector<int64_t> names;
  std::ranges::merge(from.names, to.names, std::back_inserter(names));
  if (const std::string* reason = fusionClass.refused.reasonFor(names); reason != nullptr) {
    return *reason;
  }
  return rejections(both, fusionClass.target);
}

}  // namespace

std::vector<Cut> findCuts(const FusionClass& fusionClass) {
  const auto& originals = fusionClass.concrete.originalTensors;
  std::unordered_map<const Val*, size_t> computedBy;
  for (size_t i = 0; i < fusionClass.segments.size(); ++i) {
    for (const Val* val : fusionClass.segments[i].segment.computed) {
      computedBy.emplace(val, i);
    }
  }
  std::vector<Cut> cuts;
  for (size_t i = 0; i < fusionClass.segments.size(); ++i) {
    const Segment& segment = fusionClass.segments[i].segment;
    std::unordered_set<size_t> producers;
    for (const Val* input : segment.inputs) {
      const auto from = computedBy.find(input);
      if (from == computedBy.end() || from->second == i || !producers.insert(from->second).second) {
        continue;
      }
      std::string reason =
          segment.computed.empty()
              ? "it copies a result into the input that is updated"
              : reasonFor(fusionClass.segments[from->second].segment, segment, fusionClass);
      const auto original = originals.find(input);
      cuts.push_back({.segment = i,
                      .producer = from->second,
                      .value = input->toString(),
                      .original = original == originals.end() ? nullptr : original->second,
                      .reason = std::move(reason)});
    }
  }
  return cuts;
}

std::string toString(const Cut& cut) {
  return concatenate("segment ", cut.segment, " reads ", cut.value, " of segment ", cut.producer,
                     ", and is apart from it: ", cut.reason);
}

}  // namespace nvfuser
