#include "lower/merge_loops.h"

#include <algorithm>
#include <utility>

#include "ir/scalar.h"

namespace nvfuser {

namespace {

bool isPlain(const kir::Loop& loop, const kir::Phase& phase) {
  return loop.isReduction && loop.index != phase.parallelIndex &&
         loop.parallelType == ParallelType::Serial && loop.step == 1 && loop.start->isConstInt(0);
}

class LoopPair {
 public:
  LoopPair(kir::Loop& outer, kir::Loop& inner, const kir::Phase& phase)
      : outer_(outer), inner_(inner), phase_(phase) {}

  // Of known sizes, for which vectors are chosen here.
  bool isOneLoop() const {
    return outer_.stop->isConstInt() && inner_.stop->isConstInt() && isPlain(outer_, phase_) &&
           isPlain(inner_, phase_) && outer_.marks == LoopMarks{} &&
           !dependsOn(inner_.stop, {outer_.index}) &&
           std::ranges::all_of(*inner_.body, [&](const kir::Statement& statement) {
             return std::holds_alternative<kir::Compute>(statement.node) && runsOn(statement);
           });
  }

  // The outer loop, with the elements of the inner one.
  kir::Loop merged() const {
    const auto move = [&](Val*& val) {
      val = scalar::substituted(val, outer_.index, outer_.start);
    };
    for (kir::Statement& statement : *inner_.body) {
      auto& compute = std::get<kir::Compute>(statement.node);
      move(compute.out.index);
      for (kir::Operand& operand : compute.inputs) {
        auto* access = std::get_if<kir::Access>(&operand);
        move(access == nullptr ? std::get<Val*>(operand) : access->index);
      }
    }
    return kir::similarLoop(inner_, inner_.start, scalar::mul(outer_.stop, inner_.stop),
                            std::move(*inner_.body));
  }

 private:
  // Whether an iteration of the outer loop is as many steps as the inner one has iterations.
  bool runsOn(const kir::Statement& statement) const {
    bool result = true;
    kir::forEachScalar(statement, [&](Val* val) {
      if (!dependsOn(val, {outer_.index, inner_.index})) {
        return;
      }
      Val* step = scalar::coefficient(val, inner_.index);
      const Val* distance = scalar::coefficient(val, outer_.index);
      result = result && step != nullptr && distance != nullptr &&
               !dependsOn(step, {outer_.index, inner_.index}) &&
               scalar::same(distance, scalar::mul(step, inner_.stop));
    });
    return result;
  }

  kir::Loop& outer_;
  kir::Loop& inner_;
  const kir::Phase& phase_;
};

// From the inside out: three loops become two, and then one.
void mergeIn(kir::Block& block, const kir::Phase& phase) {
  for (kir::Statement& statement : block) {
    kir::forEachBlock(statement, [&](kir::Block& inside) { mergeIn(inside, phase); });
    auto* outer = std::get_if<kir::Loop>(&statement.node);
    auto* inner = outer == nullptr || outer->body->size() != 1
                      ? nullptr
                      : std::get_if<kir::Loop>(&outer->body->front().node);
    if (inner == nullptr) {
      continue;
    }
    const LoopPair pair(*outer, *inner, phase);
    if (pair.isOneLoop()) {
      statement = {pair.merged()};
    }
  }
}

}  // namespace

void mergeLoops(const PassContext& context) { mergeIn(context.phase.body, context.phase); }

}  // namespace nvfuser
