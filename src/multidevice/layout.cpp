#include "multidevice/layout.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "core/error.h"
#include "ir/logical_map.h"

namespace nvfuser::multidevice {

int64_t TensorLayout::divisor(size_t dim) const {
  int64_t divisor = 1;
  for (const Factor& factor : dims[dim]) {
    divisor *= factor.isLocal() ? 1 : mesh->extent(factor.axis);
  }
  return divisor;
}

int64_t TensorLayout::dimOn(ParallelType axis) const {
  const auto found =
      std::ranges::find_if(dims, [&](const DimLayout& dim) { return uses(dim, axis); });
  return found == dims.end() ? -1 : found - dims.begin();
}

bool TensorLayout::isReplicated() const {
  return partial.empty() && std::ranges::all_of(dims, &DimLayout::empty);
}

std::string TensorLayout::toString() const {
  std::ostringstream os;
  os << "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    os << (i == 0 ? "" : ", ");
    if (dims[i].empty()) {
      os << "-";
    }
    for (size_t k = 0; k < dims[i].size(); ++k) {
      os << (k == 0 ? "" : "*");
      if (!dims[i][k].isLocal()) {
        os << dims[i][k].axis;
      } else if (dims[i][k].extent == Factor::kRest) {
        os << "-";
      } else {
        os << dims[i][k].extent;
      }
    }
  }
  os << "]";
  for (const auto& [axis, operation] : partial) {
    os << " partial " << axis << " by " << info(operation).name;
  }
  os << " on " << mesh->toString();
  return std::move(os).str();
}

std::vector<Val*> extentsOf(const TensorView* tv) {
  std::vector<Val*> extents;
  for (const IterDomain* id : tv->visible()) {
    extents.push_back(id->visibleExtent());
  }
  return extents;
}

std::vector<ParallelType> axesOf(const DimLayout& layout) {
  std::vector<ParallelType> axes;
  for (const Factor& factor : layout) {
    if (!factor.isLocal()) {
      axes.push_back(factor.axis);
    }
  }
  return axes;
}

bool uses(const DimLayout& layout, ParallelType axis) {
  return std::ranges::find(layout, axis, &Factor::axis) != layout.end();
}

namespace {

// Neighbours that are local become one.
DimLayout merged(const DimLayout& layout) {
  DimLayout result;
  for (const Factor& factor : layout) {
    if (factor.isLocal() && !result.empty() && result.back().isLocal()) {
      int64_t& extent = result.back().extent;
      extent = extent == Factor::kRest || factor.extent == Factor::kRest ? Factor::kRest
                                                                         : extent * factor.extent;
    } else {
      result.push_back(factor);
    }
  }
  std::erase_if(result, [](const Factor& f) { return f.isLocal() && f.extent == 1; });
  return axesOf(result).empty() ? DimLayout{} : result;
}

}  // namespace

DimLayout restricted(const DimLayout& layout, const std::vector<ParallelType>& kept,
                     const DeviceMesh& mesh) {
  DimLayout result = layout;
  for (Factor& factor : result) {
    if (!factor.isLocal() && std::ranges::find(kept, factor.axis) == kept.end()) {
      factor = {ParallelType::Serial, mesh.extent(factor.axis)};
    }
  }
  return merged(result);
}

DimLayout canonical(DimLayout layout, const Val* extent, const DeviceMesh& mesh) {
  layout = merged(layout);
  if (layout.empty() || !extent->isConstInt()) {
    return layout;
  }
  int64_t rest = extent->constInt();
  for (const Factor& factor : layout) {
    rest /= !factor.isLocal() ? mesh.extent(factor.axis)
                              : (factor.extent == Factor::kRest ? 1 : factor.extent);
  }
  for (Factor& factor : layout) {
    if (factor.isLocal() && factor.extent == Factor::kRest) {
      factor.extent = rest;
    }
  }
  return merged(layout);
}

TensorLayout replicated(std::shared_ptr<const DeviceMesh> mesh, size_t rank) {
  return {std::move(mesh), std::vector<DimLayout>(rank), {}};
}

namespace {

// The parts that a dimension is split into on the way to loops along mesh axes.
class Parts {
 public:
  explicit Parts(const TensorView* tv) : tv_(tv) {
    for (IterDomain* id : tv->loop()) {
      if (isMeshType(id->parallelType())) {
        note(id);
      }
    }
  }

  DimLayout of(const IterDomain* id) const {
    if (!divided_.contains(id)) {
      return {};
    }
    const Split* split = splitOf(id);
    if (split == nullptr) {
      return {onAxis(id->parallelType())};
    }
    DimLayout result = partOf(split->outer(), split->innerSplit() ? nullptr : split->factor());
    const DimLayout inner = partOf(split->inner(), split->innerSplit() ? split->factor() : nullptr);
    result.insert(result.end(), inner.begin(), inner.end());
    return result;
  }

 private:
  // All that the loop is a part of.
  void note(const IterDomain* loop) {
    for (const IterDomain* id = loop; divided_.insert(id).second && id->definition() != nullptr;) {
      const auto* split = id->definition()->as<Split>();
      if (split == nullptr) {
        // Dimensions of what a reshape or slice makes have a definition of their own.
        NVF_CHECK(std::ranges::find(tv_->logical(), id) != tv_->logical().end(), "The loop ",
                  loop->toString(), " of ", tv_->toString(),
                  " is divided among devices: expected it to be a dimension, or made of one by "
                  "splits alone, but it is made by ",
                  id->definition()->toString());
        return;
      }
      if (std::ranges::find(tv_->logical(), id) != tv_->logical().end()) {
        return;
      }
      id = split->in();
    }
  }

  static const Split* splitOf(const IterDomain* id) {
    for (const Expr* use : id->uses()) {
      if (const auto* split = use->as<Split>()) {
        return split;
      }
    }
    return nullptr;
  }

  DimLayout partOf(const IterDomain* id, const Val* extent) const {
    if (divided_.contains(id)) {
      return of(id);
    }
    NVF_CHECK(extent == nullptr || extent->isConstInt(), "The dimensions of ", tv_->toString(),
              " are divided among devices: expected splits by constants, but one is by ",
              extent == nullptr ? "" : extent->toString());
    return {{ParallelType::Serial, extent == nullptr ? Factor::kRest : extent->constInt()}};
  }

  const TensorView* tv_;
  std::set<const IterDomain*> divided_;
};

// Appends the layout of the next dimension of the tensor.
void addDimension(TensorLayout& layout, const TensorView* tv, DimLayout dim) {
  const size_t number = layout.dims.size();
  const Val* extent = tv->visible()[number]->visibleExtent();
  int64_t divisor = 1;
  for (const Factor& factor : dim) {
    divisor *=
        factor.isLocal() ? std::max<int64_t>(factor.extent, 1) : layout.mesh->extent(factor.axis);
  }
  NVF_CHECK(!extent->isConstInt() || extent->constInt() % divisor == 0,
            "Sharded axis must be evenly divisble by mesh: dimension ", number, " of ",
            tv->toString(), " has the extent ", extent->toString(), ", which ", divisor,
            " does not divide");
  layout.dims.push_back(canonical(std::move(dim), extent, *layout.mesh));
}

// A loop along an axis has as many iterations as devices.
void checkExtents(const TensorView* tv, const DeviceMesh& mesh) {
  std::set<ParallelType> seen;
  for (const IterDomain* id : tv->loop()) {
    const ParallelType axis = id->parallelType();
    if (!isMeshType(axis)) {
      continue;
    }
    NVF_CHECK(mesh.has(axis), "The loop ", id->toString(), " of ", tv->toString(),
              " is divided along ", axis, ", which ", mesh.toString(), " does not have");
    NVF_CHECK(seen.insert(axis).second, "Expected one loop of ", tv->toString(),
              " at most to be divided along ", axis, ", but got several");
    const Val* extent = id->extent();
    NVF_CHECK(!extent->isConstInt() || extent->constInt() == mesh.extent(axis), "The loop ",
              id->toString(), " of ", tv->toString(), " is divided along ", axis, ": expected ",
              mesh.extent(axis), " iterations, as ", mesh.toString(), " has devices, but got ",
              extent->constInt(), "; split it with outer_split(axis, ", mesh.extent(axis), ")");
  }
}

}  // namespace

TensorLayout annotatedLayout(const TensorView* tv) {
  TensorLayout layout{tv->deviceMesh(), {}, {}};
  NVF_CHECK(layout.mesh != nullptr, "Loops of ", tv->toString(),
            " are divided among devices, but not said which: call set_device_mesh(mesh)");
  checkExtents(tv, *layout.mesh);
  const Parts parts(tv);
  for (const IterDomain* id : tv->visible()) {
    addDimension(layout, tv, parts.of(id));
  }
  return layout;
}

TensorLayout dividedLayout(const TensorView* tv, std::shared_ptr<const DeviceMesh> mesh,
                           const std::vector<std::vector<ParallelType>>& axes) {
  TensorLayout layout{std::move(mesh), {}, {}};
  NVF_CHECK(axes.size() == tv->visible().size(), "Expected the axes of ", tv->visible().size(),
            " dimensions of ", tv->toString(), ", but got those of ", axes.size());
  for (const std::vector<ParallelType>& along : axes) {
    DimLayout dim;
    for (const ParallelType axis : along) {
      NVF_CHECK(layout.dimOn(axis) == -1 && !uses(dim, axis), tv->toString(),
                " is divided twice along ", axis);
      dim.push_back(onAxis(axis));
    }
    dim.push_back({ParallelType::Serial, Factor::kRest});
    addDimension(layout, tv, std::move(dim));
  }
  return layout;
}

}  // namespace nvfuser::multidevice
