// The kernel IR: loops, conditions and element operations, with every index made explicit. Both
// emitters write their text from it.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::kir {

// One element of a tensor: `index` counts elements from the start of its buffer.
struct Access {
  TensorView* tv = nullptr;
  Val* index = nullptr;
};

using Operand = std::variant<Val*, Access>;

struct Statement;
using Block = std::vector<Statement>;

// for (index = start; index < stop; ++index)
struct Loop {
  Val* index;
  Val* start;
  Val* stop;
  ParallelType parallelType;
  // Accumulates into a value that was set before the loop.
  bool isReduction;
  std::unique_ptr<Block> body;
};

struct If {
  Val* condition;
  std::unique_ptr<Block> then;
  std::unique_ptr<Block> otherwise;
};

// out = expr(inputs); a reduction is out = op(out, input).
struct Compute {
  Expr* expr;
  Access out;
  std::vector<Operand> inputs;
};

// out = value
struct Assign {
  Access out;
  Operand value;
};

struct Statement {
  std::variant<Loop, If, Compute, Assign> node;
};

// Memory of a tensor that is neither an argument nor passed between phases.
struct Buffer {
  TensorView* tv;
  // Elements; constant for buffers that become local variables.
  Val* size;
  // Offset in bytes within the scratch memory of a worker, for sizes that are not constant or too
  // large.
  Val* scratchOffset = nullptr;
};

// A part of the kernel that needs all of the previous part to be complete.
struct Phase {
  // The loop that may be divided among workers; null when the phase is one unit of work.
  Val* parallelExtent = nullptr;
  Val* parallelIndex = nullptr;
  std::vector<Buffer> buffers;
  Block body;
  // Bytes of scratch memory per worker.
  Val* scratchBytes = nullptr;
};

// What the kernel is given at launch, in this order.
struct Parameter {
  enum class Kind : uint8_t { Pointer, Stride, Scalar };
  Kind kind;
  // Pointer, Stride: the tensor.
  TensorView* tv = nullptr;
  // Stride: dimension of the tensor's logical domain (without reductions).
  int64_t dimension = 0;
  // Stride, Scalar: the symbol that stands for it.
  Val* value = nullptr;
};

struct Kernel {
  Fusion* fusion = nullptr;
  std::string name;
  std::vector<Parameter> parameters;
  // Tensors passed between phases; the caller provides contiguous memory for them.
  std::vector<TensorView*> workspaces;
  std::vector<Phase> phases;
};

}  // namespace nvfuser::kir
