// Products that may be computed in steps beside their communication, and whether that pays.
//
// A product whose operand is gathered, or whose sums are scattered, can be computed for the rows of
// one device after the other while these go around a ring. A user says so by a loop of the parallel
// type Stream; of the other products it is decided for the sizes of a run, by an estimate that is
// the same on all devices.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/evaluator.h"
#include "ir/fusion.h"

namespace nvfuser::multidevice {

// Products that share what comes around the ring, which are computed in steps together or not at
// all: those of one operand, or one whose sums are scattered.
struct StepGroup {
  // Of the fusion of all devices.
  std::vector<const Expr*> products;
  // Whether their operand is gathered; else the result is scattered.
  bool isGathered = false;
  int64_t devices = 1;

  // What follows is of the local fusion without these steps.
  //
  // What a device passes on at first: its part of the operand. Null where the result is scattered.
  const TensorView* operand = nullptr;
  struct Product {
    const TensorView* result = nullptr;
    // The extent that the product sums over.
    const Val* summed = nullptr;
    // Whether the parts of the result are put together by a copy: not by the kernel that reads
    // them.
    bool isCopied = false;
  };
  std::vector<Product> computed;
};

// What the estimate is made of. Links that are not known (0) are not waited for: steps never pay.
struct StepCosts {
  double operationsPerSecond = 0;
  // That a device sends to the next one.
  double linkBytesPerSecond = 0;
  double memoryBytesPerSecond = 0;
  // Of a step more than of the same work at once.
  double secondsPerStep = 0;
};

// The seconds that a group gains by steps, for the sizes of a run; negative where it loses.
double gainOfSteps(const StepGroup& group, ExpressionEvaluator& evaluator, const StepCosts& costs);

}  // namespace nvfuser::multidevice
