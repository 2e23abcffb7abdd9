#include "lower/kernel.h"

#include <algorithm>
#include <iterator>

namespace nvfuser::kir {

void forEachStatement(const Statement& statement,
                      const std::function<void(const Statement&)>& visit) {
  visit(statement);
  if (const auto* loop = std::get_if<Loop>(&statement.node)) {
    forEachStatement(*loop->body, visit);
  } else if (const auto* choice = std::get_if<If>(&statement.node)) {
    forEachStatement(*choice->then, visit);
    if (choice->otherwise != nullptr) {
      forEachStatement(*choice->otherwise, visit);
    }
  }
}

void forEachStatement(const Block& block, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : block) {
    forEachStatement(statement, visit);
  }
}

void rewriteLoops(Block& block, const std::function<std::optional<Block>(Loop&)>& rewrite) {
  Block result;
  for (Statement& statement : block) {
    if (auto* loop = std::get_if<Loop>(&statement.node)) {
      if (std::optional<Block> replacement = rewrite(*loop)) {
        std::ranges::move(*replacement, std::back_inserter(result));
        continue;
      }
      rewriteLoops(*loop->body, rewrite);
    } else if (auto* choice = std::get_if<If>(&statement.node)) {
      rewriteLoops(*choice->then, rewrite);
      if (choice->otherwise != nullptr) {
        rewriteLoops(*choice->otherwise, rewrite);
      }
    }
    result.push_back(std::move(statement));
  }
  block = std::move(result);
}

Statement copyOf(const Statement& statement) {
  if (const auto* loop = std::get_if<Loop>(&statement.node)) {
    return {Loop{loop->index, loop->start, loop->stop, loop->parallelType, loop->isReduction,
                 std::make_unique<Block>(copyOf(*loop->body)), loop->step, loop->vectors,
                 loop->isRest}};
  }
  if (const auto* choice = std::get_if<If>(&statement.node)) {
    If copy{choice->condition, std::make_unique<Block>(copyOf(*choice->then)), nullptr};
    if (choice->otherwise != nullptr) {
      copy.otherwise = std::make_unique<Block>(copyOf(*choice->otherwise));
    }
    return {std::move(copy)};
  }
  Statement copy;
  std::visit(
      [&](const auto& node) {
        if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(node)>>) {
          copy.node = node;
        }
      },
      statement.node);
  return copy;
}

Block copyOf(const Block& block) {
  Block copy;
  for (const Statement& statement : block) {
    copy.push_back(copyOf(statement));
  }
  return copy;
}

const TensorView* memoryOwner(const Fusion* fusion, const TensorView* tv) {
  for (const Fusion::Output& output : fusion->outputs()) {
    if (output.tv == tv && output.alias != nullptr) {
      return output.alias;
    }
  }
  return tv;
}

bool isStreamed(const Compute& compute) {
  const auto* copy = compute.expr->as<LoadStoreOp>();
  return copy != nullptr && copy->cacheOp() == CacheOp::Streaming &&
         compute.out.tv->memoryType() == MemoryType::Global;
}

std::string phaseName(const Kernel& kernel, size_t phase) {
  return kernel.name + "_phase" + std::to_string(phase);
}

int64_t slotsOf(const Parameter& parameter) {
  return parameter.value != nullptr && isComplexType(parameter.value->dtype()) ? 2 : 1;
}

}  // namespace nvfuser::kir
