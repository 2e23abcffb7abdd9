#include "multidevice/reshard.h"

#include <algorithm>

#include "core/error.h"
#include "ir/scalar.h"
#include "multidevice/collectives.h"
#include "ops/ops.h"

namespace nvfuser::multidevice {

namespace {

using Kind = ReshardStep::Kind;

bool isIn(const std::vector<ParallelType>& axes, ParallelType axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

std::vector<ParallelType> with(std::vector<ParallelType> axes, ParallelType axis) {
  axes.push_back(axis);
  return axes;
}

// Finds the steps one after the other.
class Route {
 public:
  Route(TensorLayout from, const TensorLayout& to) : now_(std::move(from)), to_(to) {}

  std::vector<ReshardStep> find() {
    while (!(now_ == to_)) {
      const bool isFound = slice() || reduceScatter() || exchange() || combine() || gather();
      NVF_INTERNAL_CHECK(isFound && steps_.size() < 64, "no way from ", now_.toString(), " to ",
                         to_.toString());
    }
    return std::move(steps_);
  }

 private:
  const DeviceMesh& mesh() const { return *now_.mesh; }

  // The dimension along `axis` in the end, if the tensor can be divided so now: what divides it
  // already stays.
  int64_t enterable(ParallelType axis) const {
    const int64_t dim = to_.dimOn(axis);
    if (dim == -1) {
      return -1;
    }
    const DimLayout& present = now_.dims[static_cast<size_t>(dim)];
    const DimLayout& wanted = to_.dims[static_cast<size_t>(dim)];
    return restricted(wanted, axesOf(present), mesh()) == normal(present) ? dim : -1;
  }

  // As restricted() writes it.
  DimLayout normal(const DimLayout& layout) const {
    return restricted(layout, axesOf(layout), mesh());
  }

  void enter(ParallelType axis, int64_t dim) {
    DimLayout& present = now_.dims[static_cast<size_t>(dim)];
    present = restricted(to_.dims[static_cast<size_t>(dim)], with(axesOf(present), axis), mesh());
    if (axesOf(present) == axesOf(to_.dims[static_cast<size_t>(dim)])) {
      present = to_.dims[static_cast<size_t>(dim)];
    }
  }

  void leave(ParallelType axis, int64_t dim) {
    DimLayout& present = now_.dims[static_cast<size_t>(dim)];
    std::vector<ParallelType> kept = axesOf(present);
    std::erase(kept, axis);
    present = restricted(present, kept, mesh());
    if (kept == axesOf(to_.dims[static_cast<size_t>(dim)]) &&
        restricted(to_.dims[static_cast<size_t>(dim)], kept, mesh()) == present) {
      present = to_.dims[static_cast<size_t>(dim)];
    }
  }

  void note(Kind kind, ParallelType axis) { steps_.push_back({kind, axis, now_}); }

  // Along an axis that nothing is divided along yet.
  bool slice() {
    for (const ParallelType axis : mesh().axes()) {
      if (now_.dimOn(axis) != -1 || now_.partial.contains(axis)) {
        continue;
      }
      if (const int64_t dim = enterable(axis); dim != -1) {
        enter(axis, dim);
        note(Kind::Slice, axis);
        return true;
      }
    }
    return false;
  }

  bool isLeaving(ParallelType axis) const {
    return now_.partial.contains(axis) && !to_.partial.contains(axis);
  }

  bool reduceScatter() {
    for (const ParallelType axis : mesh().axes()) {
      if (const int64_t dim = isLeaving(axis) ? enterable(axis) : -1; dim != -1) {
        now_.partial.erase(axis);
        enter(axis, dim);
        note(Kind::ReduceScatter, axis);
        return true;
      }
    }
    return false;
  }

  // From one dimension to another one.
  bool exchange() {
    for (const ParallelType axis : mesh().axes()) {
      const int64_t from = now_.dimOn(axis);
      if (from == -1 || to_.dimOn(axis) == from) {
        continue;
      }
      if (const int64_t dim = enterable(axis); dim != -1) {
        leave(axis, from);
        enter(axis, dim);
        note(Kind::AllToAll, axis);
        return true;
      }
    }
    return false;
  }

  bool combine() {
    for (const ParallelType axis : mesh().axes()) {
      if (isLeaving(axis)) {
        now_.partial.erase(axis);
        note(Kind::AllReduce, axis);
        return true;
      }
    }
    return false;
  }

  // What is divided otherwise, the innermost factor first: what it leaves is in one piece.
  bool gather() {
    for (size_t dim = now_.dims.size(); dim-- > 0;) {
      if (now_.dims[dim] == to_.dims[dim]) {
        continue;
      }
      const std::vector<ParallelType> present = axesOf(now_.dims[dim]);
      const std::vector<ParallelType> wanted = axesOf(to_.dims[dim]);
      std::vector<ParallelType> common;
      for (const ParallelType axis : present) {
        if (isIn(wanted, axis)) {
          common.push_back(axis);
        }
      }
      const bool staysAlike =
          restricted(now_.dims[dim], common, mesh()) == restricted(to_.dims[dim], common, mesh());
      for (size_t k = present.size(); k-- > 0;) {
        if (!staysAlike || !isIn(common, present[k])) {
          leave(present[k], static_cast<int64_t>(dim));
          note(Kind::AllGather, present[k]);
          return true;
        }
      }
    }
    return false;
  }

  TensorLayout now_;
  const TensorLayout& to_;
  std::vector<ReshardStep> steps_;
};

// How many elements a device has of what stands before and behind an axis in a dimension; null for
// one that has everything.
struct Part {
  size_t dim = 0;
  Val* outer = nullptr;
  Val* inner = nullptr;
};

// `extent` is that of the dimension on a device, without the axis.
Part partOf(const TensorLayout& layout, ParallelType axis, Val* extent) {
  const auto dim = static_cast<size_t>(layout.dimOn(axis));
  int64_t before = 1;
  int64_t behind = 1;
  bool isBefore = true;
  bool isRestBefore = false;
  bool isRestBehind = false;
  for (const Factor& factor : layout.dims[dim]) {
    if (factor.axis == axis) {
      isBefore = false;
    } else if (factor.isLocal() && factor.extent == Factor::kRest) {
      (isBefore ? isRestBefore : isRestBehind) = true;
    } else if (factor.isLocal()) {
      (isBefore ? before : behind) *= factor.extent;
    }
  }
  Fusion* fusion = extent->fusion();
  const auto rest = [&](int64_t known) {
    return scalar::div(extent, scalar::constant(fusion, known));
  };
  Val* outer = isRestBefore ? rest(behind) : scalar::constant(fusion, before);
  Val* inner = isRestBehind ? rest(before) : scalar::constant(fusion, behind);
  return {dim, outer, inner};
}

// The dimension in which position i of `from` lies in the result.
TensorView* moved(TensorView* x, size_t from, size_t to) {
  if (from == to) {
    return x;
  }
  std::vector<int64_t> dims(static_cast<size_t>(x->ndim()));
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = static_cast<int64_t>(i);
  }
  dims.erase(dims.begin() + static_cast<int64_t>(from));
  dims.insert(dims.begin() + static_cast<int64_t>(to), static_cast<int64_t>(from));
  return ops::permute(x, dims);
}

TensorView* reshapedTo(TensorView* x, const std::vector<Val*>& shape) {
  const std::vector<Val*> extents = extentsOf(x);
  return std::ranges::equal(extents, shape, scalar::same) ? x : ops::reshape(x, shape);
}

// Divides a dimension that a device has all of into [outer, devices, inner] and puts the devices
// first: [devices, ..., outer * inner, ...].
TensorView* devicesFirst(TensorView* x, const TensorLayout& after, ParallelType axis) {
  Val* devices = scalar::constant(x->fusion(), after.mesh->extent(axis));
  const auto dim = static_cast<size_t>(after.dimOn(axis));
  std::vector<Val*> shape = extentsOf(x);
  const Part part = partOf(after, axis, scalar::div(shape[dim], devices));
  shape[dim] = part.inner;
  shape.insert(shape.begin() + static_cast<int64_t>(dim), {part.outer, devices});
  x = moved(reshapedTo(x, shape), dim + 1, 0);
  shape = extentsOf(x);
  shape[dim + 1] = scalar::mul(part.outer, part.inner);
  shape.erase(shape.begin() + static_cast<int64_t>(dim + 2));
  return reshapedTo(x, shape);
}

// The other way round.
TensorView* devicesInside(TensorView* x, const TensorLayout& before, ParallelType axis) {
  const auto dim = static_cast<size_t>(before.dimOn(axis));
  std::vector<Val*> shape = extentsOf(x);
  Val* devices = shape[0];
  const Part part = partOf(before, axis, shape[dim + 1]);
  shape[dim + 1] = part.inner;
  shape.insert(shape.begin() + static_cast<int64_t>(dim + 1), part.outer);
  x = moved(reshapedTo(x, shape), 0, dim + 1);
  shape = extentsOf(x);
  shape[dim] = scalar::mul(scalar::mul(part.outer, devices), part.inner);
  shape.erase(shape.begin() + static_cast<int64_t>(dim + 1),
              shape.begin() + static_cast<int64_t>(dim + 3));
  return reshapedTo(x, shape);
}

// Row `coordinate` of the first dimension.
TensorView* row(TensorView* x, int64_t coordinate) {
  Fusion* fusion = x->fusion();
  std::vector<Val*> starts(static_cast<size_t>(x->ndim()), fusion->zero());
  std::vector<Val*> ends = extentsOf(x);
  starts[0] = scalar::constant(fusion, coordinate);
  ends[0] = scalar::constant(fusion, coordinate + 1);
  const int64_t first[] = {0};
  return ops::squeeze(ops::slice(x, starts, ends), first);
}

TensorView* sliced(TensorView* x, const TensorLayout& after, ParallelType axis,
                   int64_t coordinate) {
  Fusion* fusion = x->fusion();
  const auto dim = static_cast<size_t>(after.dimOn(axis));
  std::vector<Val*> ends = extentsOf(x);
  Val* length = scalar::div(ends[dim], scalar::constant(fusion, after.mesh->extent(axis)));
  if (!partOf(after, axis, length).outer->isConstInt(1)) {
    return row(devicesFirst(x, after, axis), coordinate);
  }
  std::vector<Val*> starts(ends.size(), fusion->zero());
  starts[dim] = scalar::mul(length, scalar::constant(fusion, coordinate));
  ends[dim] = scalar::mul(length, scalar::constant(fusion, coordinate + 1));
  return ops::slice(x, starts, ends);
}

// Combines what `x` has along its first dimension, which is that of devices.
TensorView* combined(TensorView* x, BinaryOpType operation) {
  const int64_t first[] = {0};
  switch (operation) {
    case BinaryOpType::Add:
      return ops::reduce(ops::ReductionKind::Sum, x, first, false, x->dtype());
    case BinaryOpType::Mul:
      return ops::reduce(ops::ReductionKind::Prod, x, first, false, x->dtype());
    case BinaryOpType::Maximum:
      return ops::reduce(ops::ReductionKind::Max, x, first);
    case BinaryOpType::Minimum:
      return ops::reduce(ops::ReductionKind::Min, x, first);
    default:
      fail("Internal error: nothing combines parts by ", info(operation).name);
  }
}

TensorView* sent(TensorView* x, const TensorLayout& before, const ReshardStep& step,
                 const Place& place) {
  const ParallelType axis = step.axis;
  const DeviceMesh& mesh = *before.mesh;
  const Team team{teamNumber(mesh.line(place.rank, axis)), place.fusion, place.last};
  switch (step.kind) {
    case Kind::Slice:
      return sliced(x, step.after, axis, mesh.coordinate(place.rank, axis));
    case Kind::AllGather:
      return devicesInside(allGather(x, team), before, axis);
    case Kind::AllReduce: {
      const BinaryOpType operation = before.partial.at(axis);
      if (isCombinedByCollective(operation, x->dtype())) {
        return allReduce(x, team, operation);
      }
      return combined(allGather(x, team), operation);
    }
    case Kind::ReduceScatter: {
      const BinaryOpType operation = before.partial.at(axis);
      TensorView* parts = devicesFirst(x, step.after, axis);
      if (isCombinedByCollective(operation, x->dtype())) {
        return reduceScatter(parts, team, operation);
      }
      return combined(allToAll(parts, team), operation);
    }
    case Kind::AllToAll: {
      TensorView* sent = devicesFirst(x, step.after, axis);
      return devicesInside(allToAll(sent, team), before, axis);
    }
  }
  fail("Internal error: unknown step");
}

// Dimensions whose elements are repetitions of one.
std::vector<int64_t> repeatedDims(const TensorView* x) {
  std::vector<int64_t> dims;
  const std::vector<IterDomain*> visible = x->visible();
  for (size_t i = 0; i < visible.size(); ++i) {
    if (visible[i]->isBroadcast() && visible[i]->hasExpandedExtent()) {
      dims.push_back(static_cast<int64_t>(i));
    }
  }
  return dims;
}

// The step for what is the same along repeated dimensions, none where that is all there is to do.
std::optional<ReshardStep> withoutDims(TensorLayout& before, ReshardStep step,
                                       const std::vector<int64_t>& dims) {
  const bool isCombined =
      before.partial.contains(step.axis) && !step.after.partial.contains(step.axis);
  for (const int64_t dim : dims) {
    before.dims[static_cast<size_t>(dim)].clear();
    step.after.dims[static_cast<size_t>(dim)].clear();
  }
  const bool isLeft = before.dimOn(step.axis) != -1;
  const bool isEntered = step.after.dimOn(step.axis) != -1;
  if (isCombined) {
    step.kind = isEntered ? Kind::ReduceScatter : Kind::AllReduce;
  } else if (isLeft) {
    step.kind = isEntered ? Kind::AllToAll : Kind::AllGather;
  } else if (isEntered) {
    step.kind = Kind::Slice;
  } else {
    return std::nullopt;
  }
  return step;
}

}  // namespace

std::string ReshardStep::toString() const {
  static constexpr const char* kNames[] = {"slice", "all-gather", "all-reduce", "reduce-scatter",
                                           "all-to-all"};
  return concatenate(kNames[static_cast<size_t>(kind)], " along ", axis, " to ", after.toString());
}

std::vector<ReshardStep> reshardSteps(const TensorLayout& from, const TensorLayout& to) {
  NVF_INTERNAL_CHECK(*from.mesh == *to.mesh, "steps on one mesh");
  return Route(from, to).find();
}

TensorView* reshard(TensorView* x, const TensorLayout& before, const ReshardStep& step,
                    const Place& place) {
  const std::vector<int64_t> repeated = repeatedDims(x);
  if (repeated.empty()) {
    return sent(x, before, step, place);
  }
  // What is repeated is sent once.
  std::vector<Val*> shape = extentsOf(x);
  Val* devices = scalar::constant(x->fusion(), before.mesh->extent(step.axis));
  for (const int64_t dim : repeated) {
    Val*& extent = shape[static_cast<size_t>(dim)];
    extent = before.dimOn(step.axis) == dim ? scalar::mul(extent, devices) : extent;
    extent = step.after.dimOn(step.axis) == dim ? scalar::div(extent, devices) : extent;
  }
  x = ops::squeeze(x, repeated, true);
  for (const int64_t dim : repeated) {
    x = ops::unsqueeze(x, dim);
  }
  TensorLayout once = before;
  if (const std::optional<ReshardStep> own = withoutDims(once, step, repeated)) {
    x = sent(x, once, *own, place);
  }
  // Of the others, what they are by now.
  const std::vector<Val*> extents = extentsOf(x);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(repeated, static_cast<int64_t>(i)) == repeated.end()) {
      shape[i] = extents[i];
    }
  }
  return ops::expand(x, shape);
}

}  // namespace nvfuser::multidevice
