// How the tensors of a fusion are divided among devices where a user has said so of some.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"

namespace nvfuser::multidevice {

// How an operation is computed without communication.
struct Computation {
  std::shared_ptr<const DeviceMesh> mesh;
  // One for each input of the expression; those of scalars mean nothing.
  std::vector<TensorLayout> inputs;
  // What comes out, parts of results among it.
  std::vector<TensorLayout> outputs;
  // One for each class of indexClasses(); none for reshapes.
  std::vector<DimLayout> classes;
};

// Tensors of which devices have everything along an axis because an operation reads them so: others
// that do get that for nothing.
using Gathered = std::set<std::pair<const TensorView*, ParallelType>>;

// The computation that leaves as much as possible where it is: dimensions that are combined, then
// those that results shall have, then those for which the fewest bytes are moved. Inputs and
// outputs of which nothing is known take what comes; at least one of all must be known.
Computation computationOf(const Expr* expr, const Layouts& inputs, const Layouts& outputs,
                          const Gathered& gathered = {});

// Layouts that results shall have, for every tensor of the fusion: those that the user gave, and
// the others as they follow from these, forwards first, then backwards for what is not divided yet.
// `inputs`: what is known of inputs by their positions, beside what their loops say.
std::unordered_map<const TensorView*, TensorLayout> propagateLayouts(const Fusion& fusion,
                                                                     const Layouts& inputs = {});

// Whether a tensor of the fusion has a mesh.
bool hasDeviceMesh(const Fusion& fusion);

}  // namespace nvfuser::multidevice
