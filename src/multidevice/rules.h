// What operations allow: dimensions of their operands and results that may be divided together.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"

namespace nvfuser::multidevice {

// Dimensions that an operation runs along with one index, as letters of an einsum: where all of
// them are divided alike, every device computes its part without the others.
struct IndexClass {
  struct Dim {
    // Among the inputs or outputs of the expression, and a dimension that consumers see.
    size_t operand = 0;
    size_t dim = 0;
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  std::vector<Dim> inputs;
  std::vector<Dim> outputs;
  // The domains that it stands for among the roots of the outputs, reduced ones included.
  std::vector<const IterDomain*> domains;
  // Without outputs: what combines the parts that devices then have of the result.
  std::optional<BinaryOpType> reduction;
};

// Dimensions that are in no class cannot be divided. Not of reshapes.
std::vector<IndexClass> indexClasses(const Expr* expr);

// Whether `f(a + b) = f(a) + f(b)` for all its tensors that are parts of sums together.
bool isLinear(const Expr* expr);

// How the result of a reshape from one shape to the other is divided where its input is, or the
// other way round: null where devices would have parts of the other shape that are no such layout.
std::optional<std::vector<DimLayout>> reshaped(const std::vector<DimLayout>& layouts,
                                               const std::vector<Val*>& from,
                                               const std::vector<Val*>& to, const DeviceMesh& mesh);

}  // namespace nvfuser::multidevice
