#include "lower/kernel.h"

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

std::string phaseName(const Kernel& kernel, size_t phase) {
  return kernel.name + "_phase" + std::to_string(phase);
}

int64_t slotsOf(const Parameter& parameter) {
  return parameter.value != nullptr && isComplexType(parameter.value->dtype()) ? 2 : 1;
}

}  // namespace nvfuser::kir
