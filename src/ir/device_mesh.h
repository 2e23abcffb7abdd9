// DeviceMesh: devices in rows and columns, among which the dimensions of tensors are divided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/types.h"

namespace nvfuser {

// Ranks of processes, each of which has a device of its own. MeshX goes along the last dimension
// of the mesh, MeshY along the one before, MeshZ along that before it.
class DeviceMesh {
 public:
  // Raises unless the ranks are distinct, not negative and as many as the shape says.
  DeviceMesh(std::vector<int64_t> ranks, std::vector<int64_t> shape);

  const std::vector<int64_t>& ranks() const { return ranks_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t size() const { return static_cast<int64_t>(ranks_.size()); }
  // The parallel types of its dimensions, outermost first.
  std::vector<ParallelType> axes() const;
  bool has(ParallelType axis) const;
  // The number of devices along an axis; raises where the mesh does not have it.
  int64_t extent(ParallelType axis) const;

  bool contains(int64_t rank) const;
  // The position of a rank of the mesh along an axis.
  int64_t coordinate(int64_t rank, ParallelType axis) const;
  // The ranks on the line along an axis that a rank of the mesh is on, in order.
  std::vector<int64_t> line(int64_t rank, ParallelType axis) const;

  // "DeviceMesh{0 1 2}", "DeviceMesh{{0 1}{2 3}}"
  std::string toString() const;

  friend bool operator==(const DeviceMesh&, const DeviceMesh&) = default;

 private:
  size_t dimensionOf(ParallelType axis) const;
  int64_t stride(size_t dimension) const;

  std::vector<int64_t> ranks_;
  std::vector<int64_t> shape_;
};

inline bool isMeshType(ParallelType type) {
  return type == ParallelType::MeshX || type == ParallelType::MeshY || type == ParallelType::MeshZ;
}
// Whether a loop says how devices work together: in parts of their own, or step by step.
inline bool isDeviceType(ParallelType type) {
  return isMeshType(type) || type == ParallelType::Stream;
}

}  // namespace nvfuser
