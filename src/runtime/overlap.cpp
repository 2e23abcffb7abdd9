#include "runtime/overlap.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "ir/library_table.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

// In the order in which segments that are ready are taken.
enum class Role : uint8_t { Begin, Compute, Wait };

Role roleOf(const Segment& segment) {
  if (segment.scheduler != SchedulerType::ExprEval) {
    return Role::Compute;
  }
  for (const Expr* expr : segment.fusion->tensorExprs()) {
    const auto* call = expr->as<LibraryOp>();
    if (call != nullptr && call->type() == LibraryOpType::Wait) {
      return Role::Wait;
    }
    if (call != nullptr && isCollective(call->type())) {
      return Role::Begin;
    }
  }
  return Role::Compute;
}

// The segments that each one has to follow.
std::vector<std::vector<size_t>> predecessors(
    const std::vector<Segment>& segments,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates) {
  std::vector<std::vector<size_t>> result(segments.size());
  std::unordered_map<const Val*, size_t> producers;
  std::unordered_map<const Val*, std::vector<size_t>> readers;
  for (size_t i = 0; i < segments.size(); ++i) {
    for (const Val* input : segments[i].inputs) {
      if (const auto producer = producers.find(input); producer != producers.end()) {
        result[i].push_back(producer->second);
      }
      readers[input].push_back(i);
    }
    for (const TensorView* output : segments[i].outputs) {
      producers[output] = i;
      if (const auto updated = directUpdates.find(output); updated != directUpdates.end()) {
        const std::vector<size_t>& before = readers[updated->second];
        std::ranges::copy_if(before, std::back_inserter(result[i]),
                             [&](size_t reader) { return reader != i; });
      }
    }
  }
  return result;
}

}  // namespace

void overlapCommunication(
    std::vector<Segment>& segments,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates) {
  std::vector<Role> roles;
  for (const Segment& segment : segments) {
    roles.push_back(roleOf(segment));
  }
  if (std::ranges::find(roles, Role::Begin) == roles.end()) {
    return;
  }
  const auto before = predecessors(segments, directUpdates);
  std::vector<bool> isDone(segments.size(), false);
  std::vector<Segment> ordered;
  while (ordered.size() < segments.size()) {
    std::optional<size_t> next;
    for (size_t i = 0; i < segments.size(); ++i) {
      const bool isReady = !isDone[i] && std::ranges::all_of(before[i], [&](size_t predecessor) {
        return isDone[predecessor];
      });
      if (isReady && (!next || roles[i] < roles[*next])) {
        next = i;
      }
    }
    NVF_INTERNAL_CHECK(next, "no segment is ready");
    isDone[*next] = true;
    ordered.push_back(std::move(segments[*next]));
  }
  segments = std::move(ordered);
}

}  // namespace nvfuser
