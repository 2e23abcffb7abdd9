#include "multidevice/steps.h"

#include <algorithm>

namespace nvfuser::multidevice {

namespace {

double extentOf(const Val* extent, ExpressionEvaluator& evaluator) {
  return static_cast<double>(evaluator.evaluate(extent).as<int64_t>());
}

double elementsOf(const TensorView* tv, ExpressionEvaluator& evaluator) {
  double elements = 1;
  for (const IterDomain* id : tv->visible()) {
    elements *= extentOf(id->visibleExtent(), evaluator);
  }
  return elements;
}

double bytesOf(const TensorView* tv, ExpressionEvaluator& evaluator) {
  return elementsOf(tv, evaluator) * static_cast<double>(info(tv->dtype()).bits) / 8;
}

}  // namespace

double gainOfSteps(const StepGroup& group, ExpressionEvaluator& evaluator, const StepCosts& costs) {
  if (costs.linkBytesPerSecond <= 0) {
    return -1;
  }
  const auto devices = static_cast<double>(group.devices);
  double operations = 0;
  double bytes = 0;
  double copied = 0;
  for (const StepGroup::Product& product : group.computed) {
    operations += 2 * elementsOf(product.result, evaluator) * extentOf(product.summed, evaluator);
    bytes += bytesOf(product.result, evaluator);
    // Read and written.
    copied += product.isCopied ? 2 * bytesOf(product.result, evaluator) : 0;
  }
  // What a device sends in a step.
  const double sent = group.isGathered ? bytesOf(group.operand, evaluator) : bytes / devices;
  if (!group.isGathered) {
    // Sums are added by a kernel of ours: two parts read, one written.
    copied = (devices - 1) * 3 * sent;
  }
  const double product = operations / devices / costs.operationsPerSecond;
  const double transfer = sent / costs.linkBytesPerSecond;
  // The first product, or the last one, has nothing beside it.
  return (devices - 1) * std::min(product, transfer) - copied / costs.memoryBytesPerSecond -
         devices * costs.secondsPerStep;
}

}  // namespace nvfuser::multidevice
