#include "emit/llvm/strides.h"

#include "ir/scalar.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser::llvm {

namespace {

// What an iteration of a loop does, with all iterations of loops inside.
struct Work {
  int64_t apart = 0;
  int64_t instructions = 0;
  // Whether vectors have neighbours in memory, or a few of them.
  bool isAlong = false;
};

void addAccess(const kir::Access& access, const Val* index, int64_t times, Work& work) {
  if (access.tv->memoryType() != MemoryType::Global) {
    return;
  }
  const Val* stride = scalar::coefficient(access.index, index);
  if (stride != nullptr && stride->isConstInt()) {
    work.apart += stride->isConstInt(0) ? 0 : times;
    work.isAlong = work.isAlong ||
                   (!stride->isConstInt(0) && stride->constInt() <= limits::kWrittenOutReduction);
  } else {
    work.apart += times;
  }
}

// Adds what a block does so many times; false where that is not known.
bool addWork(const kir::Block& block, const Val* index, int64_t times, Work& work) {
  for (const kir::Statement& statement : block) {
    kir::forEachOwnAccess(statement,
                          [&](const kir::Access& access, kir::Use use, const TensorView*) {
                            if (use != kir::Use::Address) {
                              addAccess(access, index, times, work);
                            }
                          });
    if (const auto* compute = std::get_if<kir::Compute>(&statement.node)) {
      work.instructions += times * costOf(compute->expr).value_or(1);
    } else if (const auto* inner = std::get_if<kir::Loop>(&statement.node)) {
      if (!inner->stop->isConstInt() ||
          !addWork(*inner->body, index, times * inner->stop->constInt(), work)) {
        return false;
      }
    } else if (std::holds_alternative<kir::If>(statement.node)) {
      // Vectors compute both sides.
      return false;
    }
  }
  return true;
}

}  // namespace

bool isFasterByElement(const kir::Loop& loop) {
  Work work;
  return addWork(*loop.body, loop.index, 1, work) && !work.isAlong && work.apart > 0 &&
         work.instructions <= limits::kInstructionsOfGather * work.apart;
}

}  // namespace nvfuser::llvm
