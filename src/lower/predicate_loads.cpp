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

const kir::If* conditionalLoad(const kir::Statement& statement) {
  const auto* choice = std::get_if<kir::If>(&statement.node);
  return choice != nullptr && choice->otherwise == nullptr && choice->then->size() == 1 &&
                 isLoad(choice->then->front())
             ? choice
             : nullptr;
}

void append(kir::Block& block, kir::Block more) {
  std::ranges::move(more, std::back_inserter(block));
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
        choice->then->size() == 1 && isLoad(choice->then->front())) {
      append(result, std::move(*choice->otherwise));
      choice->otherwise = nullptr;
    }
    // A condition around it all is one more of the load.
    const bool hasLoads = std::ranges::any_of(*choice->then, conditionalLoad);
    const bool canOpen = choice->otherwise == nullptr && hasLoads &&
                         std::ranges::all_of(*choice->then, [](const kir::Statement& inside) {
                           return isHarmless(inside) || conditionalLoad(inside) != nullptr;
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
