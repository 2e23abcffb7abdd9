// Makes what the lowering and its passes put into a kernel.
#pragma once

#include <utility>

#include "lower/kernel.h"

namespace nvfuser::kir {

class Builder {
 public:
  Builder(Kernel& kernel, Phase& phase) : kernel_(kernel), phase_(phase) {}

  Fusion* fusion() const { return kernel_.fusion; }

  // A symbol for an index that a statement of the kernel gives values.
  Val* freshIndex() const { return fresh(DataType::Index); }
  // The same for a condition.
  Val* freshCondition() const { return fresh(DataType::Bool); }

  // A variable of the phase, or an array of `size` elements; with an offset in the scratch memory
  // of the phase it lies there.
  TensorView* addLocal(DataType dtype, Val* size, Val* scratchOffset = nullptr) const;
  // The one element of a variable.
  Access addVariable(DataType dtype) const {
    return {addLocal(dtype, fusion()->one()), fusion()->zero()};
  }

 private:
  Val* fresh(DataType dtype) const;

  Kernel& kernel_;
  Phase& phase_;
};

Block blockOf(Statement statement);

// for (index = start; index < stop; ++index) body
Loop plainLoop(Val* index, Val* start, Val* stop, Block body);

// if (condition) then; else otherwise
If choiceOf(Val* condition, Block then);
If choiceOf(Val* condition, Block then, Block otherwise);

}  // namespace nvfuser::kir
