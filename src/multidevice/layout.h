// TensorLayout: how a tensor is divided among the devices of a mesh.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::multidevice {

// A part of a dimension's extent: the index along a dimension is written in the extents of its
// factors, from the outermost on. One with a mesh axis is the device's position along that axis,
// the others (Serial) count elements that a device has.
struct Factor {
  ParallelType axis = ParallelType::Serial;
  // Of a Serial one; kRest: what the others leave, of one factor at most. 0 along an axis.
  int64_t extent = kRest;

  static constexpr int64_t kRest = -1;
  bool isLocal() const { return axis == ParallelType::Serial; }
  friend bool operator==(const Factor&, const Factor&) = default;
};

inline Factor onAxis(ParallelType axis) { return {axis, 0}; }

// Empty for a dimension that every device has all of.
using DimLayout = std::vector<Factor>;

struct TensorLayout {
  std::shared_ptr<const DeviceMesh> mesh;
  // One for each dimension that consumers see.
  std::vector<DimLayout> dims;
  // Along these axes every device has a part of the value, which the operation combines.
  std::map<ParallelType, BinaryOpType> partial;

  // How many devices the extent of a dimension is divided by.
  int64_t divisor(size_t dim) const;
  // The dimension that is divided along an axis, -1 for none.
  int64_t dimOn(ParallelType axis) const;
  bool isReplicated() const;
  // "[mesh_x * 4, -] partial(...)", for messages and dumps.
  std::string toString() const;

  friend bool operator==(const TensorLayout& a, const TensorLayout& b) {
    return *a.mesh == *b.mesh && a.dims == b.dims && a.partial == b.partial;
  }
};

// Null where nothing is known.
using Layouts = std::vector<std::optional<TensorLayout>>;

// Of the dimensions that consumers see.
std::vector<Val*> extentsOf(const TensorView* tv);

std::vector<ParallelType> axesOf(const DimLayout& layout);
bool uses(const DimLayout& layout, ParallelType axis);
// Without the axes that are not in `kept`: along these every device has everything.
DimLayout restricted(const DimLayout& layout, const std::vector<ParallelType>& kept,
                     const DeviceMesh& mesh);
// In one form: neighbours that are local are one factor, no factor of a dimension of constant
// extent is kRest or of one element, and empty without a mesh axis.
DimLayout canonical(DimLayout layout, const Val* extent, const DeviceMesh& mesh);

// Every device has everything.
TensorLayout replicated(std::shared_ptr<const DeviceMesh> mesh, size_t rank);

// Its dimensions are divided along the axes of each, the outermost first, in contiguous parts.
// Raises where that does not go evenly.
TensorLayout dividedLayout(const TensorView* tv, std::shared_ptr<const DeviceMesh> mesh,
                           const std::vector<std::vector<ParallelType>>& axes);

// What the loops of a tensor with a mesh say: axes are those of parallelized loops that splits of
// dimensions made. Raises where they are divided in another way, twice along an axis, or unevenly.
TensorLayout annotatedLayout(const TensorView* tv);

}  // namespace nvfuser::multidevice
