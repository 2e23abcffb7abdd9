#include "lower/parameters.h"

#include <unordered_set>
#include <vector>

namespace nvfuser {

namespace {

class ScalarParameters {
 public:
  explicit ScalarParameters(kir::Kernel& kernel) : kernel_(kernel) {
    for (const kir::Parameter& parameter : kernel.parameters) {
      if (parameter.value != nullptr) {
        seen_.insert(parameter.value);
      }
    }
  }

  void visit(Val* val) {
    // The last one is next.
    std::vector<Val*> stack{val};
    while (!stack.empty()) {
      Val* next = stack.back();
      stack.pop_back();
      if (next == nullptr || next->isConst() || kernel_.ownSymbols.contains(next) ||
          !seen_.insert(next).second) {
        continue;
      }
      if (next->definition() == nullptr) {
        kernel_.parameters.push_back({kir::Parameter::Kind::Scalar, nullptr, 0, next});
        continue;
      }
      const std::vector<Val*>& inputs = next->definition()->inputs();
      stack.insert(stack.end(), inputs.rbegin(), inputs.rend());
    }
  }

 private:
  kir::Kernel& kernel_;
  std::unordered_set<const Val*> seen_;
};

}  // namespace

void addScalarParameters(kir::Kernel& kernel) {
  ScalarParameters parameters(kernel);
  for (const kir::Phase& phase : kernel.phases) {
    for (const kir::Buffer& buffer : phase.buffers) {
      parameters.visit(buffer.scratchOffset);
    }
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      kir::forEachScalar(statement, [&](Val* val) { parameters.visit(val); });
    });
  }
}

}  // namespace nvfuser
