#include "lower/parameters.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/scalar.h"
#include "ir/traversal.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

class ScalarParameters {
 public:
  ScalarParameters(kir::Kernel& kernel, bool hoists) : kernel_(kernel), hoists_(hoists) {
    for (const kir::Parameter& parameter : kernel.parameters) {
      if (parameter.value != nullptr) {
        seen_.insert(parameter.value);
      }
    }
    if (hoists) {
      findSizes();
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
      if (next->definition() == nullptr || isHoisted(next)) {
        kernel_.parameters.push_back({kir::Parameter::Kind::Scalar, nullptr, 0, next});
        scalars_.insert(next);
        continue;
      }
      if (hoists_) {
        noteDivisor(next);
      }
      const std::vector<Val*>& inputs = next->definition()->inputs();
      stack.insert(stack.end(), inputs.rbegin(), inputs.rend());
    }
  }

  // Once everything has been visited.
  void addDivisors() {
    for (Val* divisor : divisors_) {
      if (scalars_.contains(divisor)) {
        kernel_.parameters.push_back({kir::Parameter::Kind::Divisor, nullptr, 0, divisor});
      }
    }
  }

 private:
  static bool isInteger(const Val* val) {
    return val->dtype() == DataType::Index || val->dtype() == DataType::Int;
  }

  // Scalar arguments may differ from run to run; sizes are those of a plan.
  void findSizes() {
    for (const TensorView* tv : kernel_.fusion->tensors()) {
      for (const auto* domains : {&tv->maybeRoot(), &tv->logical()}) {
        for (const IterDomain* id : *domains) {
          for (const Val* extent : {id->extent(), id->visibleExtent()}) {
            if (extent->definition() == nullptr) {
              isOfSizes_[extent] = true;
            }
          }
        }
      }
    }
  }

  bool isHoisted(Val* val) {
    if (!hoists_ || hoisted_ == limits::kHoistedScalars || !isInteger(val)) {
      return false;
    }
    visitOperandsFirst(
        val, [&](const Val* v) { return isOfSizes_.contains(v); },
        [&](const Val* v) {
          bool isOfSizes = v->isConst();
          if (v->definition() != nullptr && isInteger(v)) {
            isOfSizes = std::ranges::all_of(v->definition()->inputs(),
                                            [&](const Val* in) { return isOfSizes_.at(in); });
          }
          isOfSizes_[v] = isOfSizes;
        });
    const bool isHoisted = isOfSizes_.at(val);
    hoisted_ += isHoisted;
    return isHoisted;
  }

  void noteDivisor(const Val* val) {
    const auto* binary = val->definition()->as<BinaryOp>();
    if (binary == nullptr || !isInteger(val) || binary->rhs()->isConst() ||
        scalar::maySignMatter(binary)) {
      return;
    }
    if ((binary->type() == BinaryOpType::Div || binary->type() == BinaryOpType::Mod ||
         binary->type() == BinaryOpType::CeilDiv) &&
        std::ranges::find(divisors_, binary->rhs()) == divisors_.end()) {
      divisors_.push_back(binary->rhs());
    }
  }

  kir::Kernel& kernel_;
  bool hoists_;
  size_t hoisted_ = 0;
  std::unordered_set<const Val*> seen_;
  std::unordered_set<const Val*> scalars_;
  std::unordered_map<const Val*, bool> isOfSizes_;
  std::vector<Val*> divisors_;
};

}  // namespace

void addScalarParameters(kir::Kernel& kernel, bool hoists) {
  ScalarParameters parameters(kernel, hoists);
  for (const kir::Phase& phase : kernel.phases) {
    for (const kir::Buffer& buffer : phase.buffers) {
      parameters.visit(buffer.scratchOffset);
    }
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      kir::forEachScalar(statement, [&](Val* val) { parameters.visit(val); });
    });
  }
  parameters.addDivisors();
}

}  // namespace nvfuser
