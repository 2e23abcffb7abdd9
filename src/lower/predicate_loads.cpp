#include "lower/predicate_loads.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/scalar.h"
#include "lower/builder.h"

namespace nvfuser {

namespace {

bool isLocal(const TensorView* tv) { return tv->memoryType() == MemoryType::Local; }

// Whether it gives local memory a value that is known without reading.
bool isDefault(const kir::Statement& statement) {
  const auto* assign = std::get_if<kir::Assign>(&statement.node);
  return assign != nullptr && isLocal(assign->out.tv) &&
         std::holds_alternative<Val*>(assign->value);
}

// Whether it loads from memory into local memory, and does nothing else.
bool isLoad(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute != nullptr && isLocal(compute->out.tv) && !compute->expr->is<ReductionOp>() &&
         compute->inputs.size() == 1 &&
         std::ranges::all_of(compute->inputs, [](const kir::Operand& in) {
           const auto* access = std::get_if<kir::Access>(&in);
           return access != nullptr && access->tv->memoryType() == MemoryType::Global;
         });
}

// Whether nothing happens if it runs in vain: what it reads is a variable or a number.
bool isHarmless(const kir::Statement& statement) {
  const auto* load = std::get_if<kir::LoadIndex>(&statement.node);
  if (load == nullptr) {
    return isDefault(statement);
  }
  const auto* access = std::get_if<kir::Access>(&load->index);
  return access == nullptr || isLocal(access->tv);
}

bool hasOneLoad(const kir::Block& block) { return block.size() == 1 && isLoad(block.front()); }

bool isConditionalLoad(const kir::Statement& statement) {
  const auto* choice = std::get_if<kir::If>(&statement.node);
  return choice != nullptr && choice->otherwise == nullptr && hasOneLoad(*choice->then);
}

void predicate(kir::Block& block) {
  kir::Block result;
  for (kir::Statement& statement : block) {
    kir::forEachBlock(statement, predicate);
    auto* choice = std::get_if<kir::If>(&statement.node);
    if (choice == nullptr) {
      result.push_back(std::move(statement));
      continue;
    }
    if (choice->otherwise != nullptr && std::ranges::all_of(*choice->otherwise, isDefault) &&
        hasOneLoad(*choice->then)) {
      std::ranges::move(*choice->otherwise, std::back_inserter(result));
      choice->otherwise = nullptr;
    }
    // A condition around it all is one more of the load.
    const bool hasLoads = std::ranges::any_of(*choice->then, isConditionalLoad);
    const bool canOpen = choice->otherwise == nullptr && hasLoads &&
                         std::ranges::all_of(*choice->then, [](const kir::Statement& inside) {
                           return isHarmless(inside) || isConditionalLoad(inside);
                         });
    if (!canOpen) {
      result.push_back(std::move(statement));
      continue;
    }
    for (kir::Statement& inside : *choice->then) {
      if (auto* load = std::get_if<kir::If>(&inside.node)) {
        load->condition = scalar::logicalAnd(choice->condition, load->condition);
      }
      result.push_back(std::move(inside));
    }
  }
  block = std::move(result);
}

}  // namespace

void predicateLoads(const PassContext& context) { predicate(context.phase.body); }

}  // namespace nvfuser
