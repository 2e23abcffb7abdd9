// What the tests of several devices share.
#pragma once

#include <memory>
#include <string>

#include "multidevice/layout.h"
#include "schedule/common.h"

namespace nvfuser::testing_support {

class MultideviceTest : public FusionTest {
 protected:
  using Mesh = std::shared_ptr<const DeviceMesh>;
  static Mesh mesh(const Sizes& shape) {
    int64_t size = 1;
    for (const int64_t extent : shape) {
      size *= extent;
    }
    Sizes ranks;
    for (int64_t rank = 0; rank < size; ++rank) {
      ranks.push_back(rank);
    }
    return std::make_shared<const DeviceMesh>(ranks, shape);
  }

  // Divides the loop at `axis` by its outer part.
  static void shard(TensorView* tv, const Mesh& mesh, int64_t axis,
                    ParallelType type = ParallelType::MeshX, bool isInner = false) {
    tv->setDeviceMesh(mesh);
    tv->split(axis, mesh->extent(type), isInner);
    tv->loop()[static_cast<size_t>(isInner ? axis + 1 : axis)]->parallelize(type);
  }

  // "[x*4, -]": without the mesh and the long names of its dimensions.
  static std::string text(const multidevice::TensorLayout& layout) {
    std::string result;
    for (const multidevice::DimLayout& dim : layout.dims) {
      result += result.empty() ? "" : ", ";
      if (dim.empty()) {
        result += "-";
      }
      for (size_t k = 0; k < dim.size(); ++k) {
        result += k == 0 ? "" : "*";
        result += !dim[k].isLocal()                             ? std::string(1, name(dim[k].axis))
                  : dim[k].extent == multidevice::Factor::kRest ? "-"
                                                                : std::to_string(dim[k].extent);
      }
    }
    for (const auto& [axis, operation] : layout.partial) {
      result += std::string(" + ") + name(axis);
    }
    return result;
  }

  static char name(ParallelType axis) {
    return axis == ParallelType::MeshX ? 'x' : axis == ParallelType::MeshY ? 'y' : 'z';
  }
};

}  // namespace nvfuser::testing_support
