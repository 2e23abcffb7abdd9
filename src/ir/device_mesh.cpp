#include "ir/device_mesh.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/error.h"

namespace nvfuser {

namespace {

// From the last dimension on.
constexpr ParallelType kAxes[] = {ParallelType::MeshX, ParallelType::MeshY, ParallelType::MeshZ};

std::string listOf(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

}  // namespace

DeviceMesh::DeviceMesh(std::vector<int64_t> ranks, std::vector<int64_t> shape)
    : ranks_(std::move(ranks)), shape_(std::move(shape)) {
  int64_t count = 1;
  for (const int64_t extent : shape_) {
    NVF_CHECK(extent > 0, "Expected a mesh of devices along every dimension, but got the shape ",
              listOf(shape_));
    count *= extent;
  }
  NVF_CHECK(!shape_.empty() && shape_.size() <= std::size(kAxes) &&
                count == static_cast<int64_t>(ranks_.size()),
            "Expected a mesh of one to ", std::size(kAxes), " dimensions, but got the shape ",
            listOf(shape_), " of ", ranks_.size(), " ranks");
  const std::set<int64_t> distinct(ranks_.begin(), ranks_.end());
  NVF_CHECK(distinct.size() == ranks_.size() && *distinct.begin() >= 0,
            "Expected the ranks of a mesh to be distinct and not negative, but got ",
            listOf(ranks_));
}

std::vector<ParallelType> DeviceMesh::axes() const {
  std::vector<ParallelType> axes(kAxes, kAxes + shape_.size());
  std::ranges::reverse(axes);
  return axes;
}

bool DeviceMesh::has(ParallelType axis) const {
  return std::ranges::find(kAxes, kAxes + shape_.size(), axis) != kAxes + shape_.size();
}

size_t DeviceMesh::dimensionOf(ParallelType axis) const {
  NVF_CHECK(has(axis), toString(), " has no dimension for ", axis);
  const auto fromEnd = std::ranges::find(kAxes, axis) - kAxes;
  return shape_.size() - 1 - static_cast<size_t>(fromEnd);
}

int64_t DeviceMesh::stride(size_t dimension) const {
  int64_t stride = 1;
  for (size_t i = dimension + 1; i < shape_.size(); ++i) {
    stride *= shape_[i];
  }
  return stride;
}

int64_t DeviceMesh::extent(ParallelType axis) const { return shape_[dimensionOf(axis)]; }

bool DeviceMesh::contains(int64_t rank) const {
  return std::ranges::find(ranks_, rank) != ranks_.end();
}

int64_t DeviceMesh::coordinate(int64_t rank, ParallelType axis) const {
  NVF_CHECK(contains(rank), "Rank ", rank, " is not in ", toString());
  const int64_t position = std::ranges::find(ranks_, rank) - ranks_.begin();
  const size_t dimension = dimensionOf(axis);
  return position / stride(dimension) % shape_[dimension];
}

std::vector<int64_t> DeviceMesh::line(int64_t rank, ParallelType axis) const {
  const int64_t position = std::ranges::find(ranks_, rank) - ranks_.begin();
  const int64_t step = stride(dimensionOf(axis));
  const int64_t first = position - coordinate(rank, axis) * step;
  std::vector<int64_t> line;
  for (int64_t i = 0; i < extent(axis); ++i) {
    line.push_back(ranks_[static_cast<size_t>(first + i * step)]);
  }
  return line;
}

std::string DeviceMesh::toString() const {
  std::string text = "DeviceMesh";
  for (size_t i = 0; i < ranks_.size(); ++i) {
    // A brace for every dimension that begins or ends here.
    std::string opened;
    std::string closed;
    for (size_t d = 0; d < shape_.size(); ++d) {
      const auto extent = static_cast<size_t>(stride(d) * shape_[d]);
      opened += i % extent == 0 ? "{" : "";
      closed += (i + 1) % extent == 0 ? "}" : "";
    }
    text += opened.empty() ? " " + std::to_string(ranks_[i]) : opened + std::to_string(ranks_[i]);
    text += closed;
  }
  return text;
}

}  // namespace nvfuser
