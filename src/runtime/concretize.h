// Concretization: from a fusion with symbolic structure to one for a class of arguments.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/target.h"
#include "ir/clone.h"
#include "ir/evaluator.h"
#include "ir/fusion.h"
#include "runtime/argument_check.h"

namespace nvfuser {

// Raises where sizes do not allow what the definition says: reshapes that change the number of
// elements, squeezes of dimensions that are not of size 1.
void checkConditions(const Fusion& fusion, ExpressionEvaluator& evaluator);

// What distinguishes kernels beyond the definition: layouts of the inputs and the structure of
// reshapes and expands. Equal keys mean that one set of compiled kernels serves both.
using ClassKey = std::vector<int64_t>;
ClassKey classKey(const Fusion& fusion, std::span<const Layout> layouts,
                  ExpressionEvaluator& evaluator);

// A copy of a fusion for one class. Symbols of the copy stand for values of the original.
struct ConcreteFusion {
  std::unique_ptr<Fusion> fusion;
  std::unordered_map<const Val*, const Val*> original;
  // Likewise of its tensors.
  std::unordered_map<const Val*, const Val*> originalTensors;
  // The random operations that use torch's generator, and the symbols that stand for its state at a
  // run; null where there is none.
  int64_t randomOps = 0;
  Val* randomSeed = nullptr;
  Val* randomOffset = nullptr;
};
// What it computes is arranged for `target`. With `keepsSchedule` it is scheduled like the fusion:
// no expression is removed, and names stay. `sizes` are constants in it.
ConcreteFusion concretize(const Fusion& fusion, std::span<const Layout> layouts,
                          ExpressionEvaluator& evaluator, const Target& target,
                          bool keepsSchedule = false, const KnownScalars& sizes = {});

}  // namespace nvfuser
