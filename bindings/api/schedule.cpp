// The transforms of tensors, and the submodule `schedule` with what is done to many of them.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/unordered_set.h>

#include "bindings/call/arguments.h"
#include "bindings/call/device_choice.h"
#include "bindings/compat/no_effect.h"
#include "bindings/support/nodes.h"
#include "core/error.h"
#include "runtime/heuristic_params.h"
#include "schedule/check.h"
#include "schedule/primitives.h"

namespace nvfuser {

namespace {

using Tensors = std::vector<TensorView*>;

// A new tensor, or the one that was transformed.
std::shared_ptr<TensorView> split(TensorView& tv, int64_t axis, int64_t factor, Flag innerSplit) {
  return share(tv.split(axis, factor, innerSplit));
}

// One device is device 0 of every mesh: its rotation is none.
std::shared_ptr<TensorView> swizzle1d(TensorView& tv, int64_t x, ParallelType type) {
  NVF_CHECK(
      type == ParallelType::MeshX || type == ParallelType::MeshY || type == ParallelType::MeshZ,
      "swizzle1d: Expected a dimension of a device mesh (mesh_x, mesh_y or mesh_z) but got ", type);
  tv.axis(x);
  return share(&tv);
}

std::shared_ptr<TensorView> cacheAfter(TensorView& tv, LoadStoreOpType opType, CacheOp cacheOp,
                                       Flag propagateAllocationDomain,
                                       std::vector<Expr*> cachedUses) {
  warnUnlessDefault("op_type of cache_after", opType, LoadStoreOpType::Set);
  warnUnlessDefault("cache_op of cache_after", cacheOp, CacheOp::Unspecified);
  warnUnlessDefault<bool>("propagate_allocation_domain of cache_after", propagateAllocationDomain,
                          true);
  return share(tv.cacheAfter(opType, cacheOp, std::move(cachedUses)));
}

void setAllocationDomain(TensorView& tv, std::vector<IterDomain*> allocation, Flag contiguity) {
  NVF_CHECK(isCutOfTransforms(&tv, allocation),
            "set_allocation_domain: Expected domains between the logical and the loop domain of ",
            tv.toString(), " that make up the tensor, each once");
  auto each = TensorDomain::fullContiguity(allocation, contiguity);
  tv.domain()->setAllocation(std::move(allocation), std::move(each));
}

constexpr const char* kSplitDoc = R"(Divide a loop in two.

A loop of extent n becomes loops of extents ceil(n / factor) and factor or, without `inner_split`,
factor and ceil(n / factor). Where the factor does not divide n, iterations beyond the end do
nothing.

Parameters
----------
axis : int
    A loop; a negative one counts from the end.
factor : int
inner_split : bool
    Whether `factor` is the extent of the inner loop.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If there is no such loop, the factor is not positive, or the loop is parallelized or shared with
    other tensors.)";

constexpr const char* kCacheAfterDoc = R"(Insert a copy between this tensor and what reads it.

Parameters
----------
op_type : LoadStoreOpType
    The instruction of the copy; where a device lacks it, a plain copy has the same effect.
cache_op : CacheOp
propagate_allocation_domain : bool
    Accepted; copies lie in registers or shared memory as their loops say.
cached_uses : list of Expr
    What reads the copy; empty stands for everything that reads the tensor.

Returns
-------
TensorView
    The copy.

Raises
------
RuntimeError
    If nothing reads the tensor, or one of `cached_uses` does not.)";

template <typename Fn>
auto withArguments(nb::handle inputs, Fn&& fn) {
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  return fn(arguments.values(), deviceWithoutArrays(arguments.values()));
}

void bindSchedulers(nb::module_& sched) {
  sched.def(
      "can_schedule",
      [](const Fusion& fusion, SchedulerType type, nb::handle inputs) {
        return withArguments(inputs, [&](auto values, auto device) {
          return canSchedule(fusion, type, values, device);
        });
      },
      nb::arg("fusion"), nb::arg("scheduler_type"), nb::arg("inputs"),
      R"(Return whether a scheduler accepts a fusion as a whole, and otherwise why it does not.

Parameters
----------
fusion : Fusion
    Not scheduled.
scheduler_type : SchedulerType
inputs : iterable
    As of ``FusionDefinition.execute``.

Returns
-------
(bool, str)

Raises
------
RuntimeError
    If the inputs do not fit the fusion, or it is scheduled already.)");
  sched.def(
      "find_compatible_schedulers",
      [](const Fusion& fusion, nb::handle inputs) {
        return withArguments(inputs, [&](auto values, auto device) {
          return compatibleSchedulers(fusion, values, device);
        });
      },
      nb::arg("fusion"), nb::arg("inputs"),
      R"(Return the schedulers that accept a fusion as a whole, in the order in which they are tried.

Parameters
----------
fusion : Fusion
    Not scheduled.
inputs : iterable
    As of ``FusionDefinition.execute``.

Returns
-------
list of SchedulerType

Raises
------
RuntimeError
    As of :func:`can_schedule`.)");
  sched.def(
      "compute_heuristics",
      [](const Fusion& fusion, SchedulerType type, nb::handle inputs) {
        return withArguments(inputs, [&](auto values, auto device) {
          return chooseParams(fusion, type, values, device);
        });
      },
      nb::arg("fusion"), nb::arg("scheduler_type"), nb::arg("inputs"),
      R"(Return the parameters that a scheduler chooses.

Parameters
----------
fusion : Fusion
    Not scheduled.
scheduler_type : SchedulerType
inputs : iterable
    As of ``FusionDefinition.execute``; they decide about the device.

Returns
-------
HeuristicParams
    A :class:`PointwiseParams` or :class:`ReductionParams`.

Raises
------
RuntimeError
    If the scheduler does not accept the fusion, or as of :func:`can_schedule`.)");
  sched.def(
      "schedule",
      [](Fusion& fusion, SchedulerType type, const HeuristicParams& params) {
        scheduleFusion(fusion, type, params);
      },
      nb::arg("fusion"), nb::arg("scheduler_type"), nb::arg("heuristic_params"),
      R"(Let a scheduler schedule a fusion, which ``manual_execute`` then runs.

Two forms::

    schedule(fusion, scheduler_type, inputs) -> HeuristicParams
    schedule(fusion, scheduler_type, heuristic_params) -> None

Parameters
----------
fusion : Fusion
    Not scheduled.
scheduler_type : SchedulerType
inputs : iterable
    As of ``FusionDefinition.execute``: the scheduler chooses the parameters for them.
heuristic_params : HeuristicParams
    Those to use. What they leave open is chosen without knowing sizes.

Returns
-------
HeuristicParams
    Of the first form: the parameters that were chosen.

Raises
------
RuntimeError
    If the scheduler does not accept the fusion, or as of :func:`can_schedule`.)");
  sched.def(
      "schedule",
      [](Fusion& fusion, SchedulerType type, nb::handle inputs) {
        return withArguments(inputs, [&](auto values, auto device) {
          std::unique_ptr<HeuristicParams> params = chooseParams(fusion, type, values, device);
          scheduleFusion(fusion, type, *params);
          return params;
        });
      },
      nb::arg("fusion"), nb::arg("scheduler_type"), nb::arg("inputs"));
}

}  // namespace

void bindTransforms(nb::class_<TensorView, Val>& tensorView) {
  tensorView
      .def("split", &split, nb::arg("axis"), nb::arg("factor"), nb::arg("inner_split") = true,
           kSplitDoc)
      .def(
          "inner_split",
          [](TensorView& tv, int64_t axis, int64_t factor) {
            return split(tv, axis, factor, true);
          },
          nb::arg("axis"), nb::arg("factor"), ":meth:`split` with `inner_split`.")
      .def(
          "outer_split",
          [](TensorView& tv, int64_t axis, int64_t factor) {
            return split(tv, axis, factor, false);
          },
          nb::arg("axis"), nb::arg("factor"), ":meth:`split` without `inner_split`.")
      .def(
          "merge",
          [](TensorView& tv, int64_t outer, int64_t inner) {
            return share(tv.merge(outer, inner));
          },
          nb::arg("axis_o"), nb::arg("axis_i"), R"(Make one loop of two, where the first one is.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If the loops do not exist, are the same, parallelized or shared with other tensors, or one is
    reduced and the other is not.)")
      .def(
          "reorder",
          [](TensorView& tv, const std::unordered_map<int64_t, int64_t>& oldToNew) {
            return share(tv.reorder(oldToNew));
          },
          nb::arg("old2new") = nb::dict(), R"(Change the order of the loops.

Parameters
----------
old2new : dict of int to int
    The new place of loops, negative ones counting from the end; the others take the places that
    are left, in order.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If a loop does not exist, is named twice, or is shared with other tensors.)")
      .def(
          "swizzle", [](TensorView& tv, int64_t x, int64_t y) { return share(tv.swizzle(x, y)); },
          nb::arg("x"), nb::arg("y"),
          R"(Replace the index of loop `y` by its exclusive or with that of `x`.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If the loops are not of the same constant extent, a power of two.)")
      .def("swizzle1d", &swizzle1d, nb::arg("x"), nb::arg("parallel_type"),
           R"(Rotate a loop by the index of the device along a dimension of a mesh.

On one device, whose index is 0, nothing changes.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If there is no such loop, or `parallel_type` is no dimension of a mesh.)")
      .def(
          "rfactor",
          [](TensorView& tv, const std::vector<int64_t>& axes) { return share(tv.rFactor(axes)); },
          nb::arg("axes"),
          R"(Divide a reduction in two: first along some of its loops, then along the others.

Parameters
----------
axes : list of int
    The reduction loops that a new tensor reduces; this one reduces what is left.

Returns
-------
TensorView
    The new tensor, which this one is computed from.

Raises
------
RuntimeError
    If the tensor is no result of a reduction, or not some, but not all, of its reduction loops are
    given.)")
      .def("cache_after", &cacheAfter, nb::arg("op_type") = LoadStoreOpType::Set,
           nb::arg("cache_op") = CacheOp::Unspecified,
           nb::arg("propagate_allocation_domain") = true, nb::arg("cached_uses") = nb::list(),
           kCacheAfterDoc)
      .def(
          "cache_before",
          [](TensorView& tv, LoadStoreOpType opType) {
            warnUnlessDefault("op_type of cache_before", opType, LoadStoreOpType::Set);
            return share(tv.cacheBefore(opType));
          },
          nb::arg("op_type") = LoadStoreOpType::Set,
          R"(Insert a copy that writes this tensor.

Returns
-------
TensorView
    What is copied: a new tensor, which is computed as this one was, in loops like those of this one.

Raises
------
RuntimeError
    If the tensor is an input.)")
      .def("set_memory_type", &TensorView::setMemoryType, nb::arg("memory_type"),
           R"(Set where the tensor lives.

Raises
------
RuntimeError
    For inputs and outputs, which stay in global (or symmetric) memory.)")
      .def("set_allocation_domain", &setAllocationDomain, nb::arg("new_allocation_domain"),
           nb::arg("new_contiguity"),
           R"(Set the order in which the domains lie in memory, outermost first.

Parameters
----------
new_allocation_domain : list of IterDomain
    Domains that make up the tensor: its logical domain in any order or, in shared memory, its loop
    domain or what lies between the two.
new_contiguity : bool
    Whether there are no gaps.

Raises
------
RuntimeError
    If they do not make up the tensor.)");
}

void bindSchedule(nb::module_& module) {
  nb::module_ sched = module.def_submodule("schedule", "Schedules: how fusions are computed.");
  sched.def(
      "bounded_transform_backward",
      [](TensorView* from, int64_t position, const Tensors& to, Flag propagates) {
        schedule::boundedTransformBackward(from, position, to, propagates);
      },
      nb::arg("from"), nb::arg("pos"), nb::arg("to"), nb::arg("propagate_parallel_type") = false,
      // A stub cannot have the keyword as a name.
      nb::sig("def bounded_transform_backward(from_: nvfuser._C.TensorView, pos: int, "
              "to: collections.abc.Sequence[nvfuser._C.TensorView], "
              "propagate_parallel_type: bool = False) -> None"),
      R"(Give the producers of a tensor its loops.

Parameters
----------
from : TensorView
    Its loops are carried over (to be passed by position: the name is a keyword of Python).
pos : int
    How many loops, from the outermost one on; -1 stands for all.
to : list of TensorView
    The tensors that it ends with.
propagate_parallel_type : bool
    Whether the loops are parallelized likewise.

Raises
------
RuntimeError
    If one of `to` is no producer, or tensors are inlined already.)");
  sched.def("transform_like", &schedule::transformLike, nb::arg("reference_tv"),
            nb::arg("selected_tensors") = nb::list(),
            R"(Give tensors the loops of a reference, as far as their dimensions correspond.

Parameters
----------
reference_tv : TensorView
selected_tensors : list of TensorView
    Empty stands for all that have to do with the reference.

Raises
------
RuntimeError
    If tensors are of another fusion, or inlined already.)");
  sched.def(
      "parallelize_like",
      [](TensorView* reference, int64_t position, const Tensors& selected,
         const std::unordered_set<ParallelType>& types, Flag propagatePadding) {
        warnUnlessDefault<bool>("propagate_padding of parallelize_like", propagatePadding, true);
        schedule::parallelizeLike(reference, position, selected, types);
      },
      nb::arg("reference_tv"), nb::arg("pos") = -1, nb::arg("selected_tensors") = nb::list(),
      nb::arg("selected_parallel_types") = nb::steal(PySet_New(nullptr)),
      nb::arg("propagate_padding") = true,
      R"(Parallelize loops like the corresponding ones of a reference.

Parameters
----------
reference_tv : TensorView
pos : int
    How many of its loops count, from the outermost one on; -1 stands for all.
selected_tensors : list of TensorView
    Empty stands for all that have to do with the reference.
selected_parallel_types : set of ParallelType
    Empty stands for all.
propagate_padding : bool
    Accepted; threads are rounded up to whole warps where a kernel needs it.

Raises
------
RuntimeError
    If tensors are of another fusion.)");
  sched.def("inline_most", &schedule::inlineMost, nb::arg("selected_tensors") = nb::list(),
            R"(Share the loops of tensors with their consumers, as deep as possible.

Loops that are vectorized or unrolled, or run over reduced dimensions, are not shared.

Parameters
----------
selected_tensors : list of TensorView
    Empty stands for all of the active fusion.

Raises
------
RuntimeError
    If tensors are of different fusions, or without an active fusion.)");
  sched.def(
      "inline_at",
      [](TensorView* reference, int64_t position, Flag bestEffort, const Tensors& selected) {
        schedule::inlineAt(reference, position, bestEffort, selected);
      },
      nb::arg("reference_tv"), nb::arg("pos") = -1, nb::arg("best_effort") = false,
      nb::arg("selected_tensors") = nb::list(),
      R"(Share the loops of tensors with their consumers, as deep as a loop of a reference.

Parameters
----------
reference_tv : TensorView
pos : int
    How many loops of the reference are shared; -1 stands for all.
best_effort : bool
    Whether tensors for which that is too deep are inlined less deep; otherwise they are an error.
selected_tensors : list of TensorView
    Empty stands for all of the fusion.

Raises
------
RuntimeError
    If a tensor cannot be inlined that deep, or tensors are of another fusion.)");
  sched.def(
      "warp_specialize",
      [](TensorView* tv, int64_t stages, int64_t prefetchDistance, ParallelType type,
         const std::optional<std::pair<int64_t, int64_t>>& registers) {
        const auto [loader, compute] = registers.value_or(std::pair<int64_t, int64_t>(-1, -1));
        NVF_CHECK(!registers || (loader >= 0 && compute >= 0),
                  "warp_specialize: Expected numbers of registers that are not negative but got ",
                  loader, " and ", compute);
        schedule::warpSpecialize(tv, stages, prefetchDistance, type, loader, compute);
      },
      nb::arg("tv"), nb::arg("number_of_stages"), nb::arg("prefetch_distance"),
      nb::arg("parallel_type"), nb::arg("num_registers") = nb::none(),
      R"(Let threads of their own copy a tensor to shared memory, while the others compute.

Every block has one more thread along `parallel_type`, or one more warp along x, which copies `tv` and
does nothing else. The order of the two is that of barriers: a copy is complete before it is used, so
that no device needs more than shared memory for it.

Parameters
----------
tv : TensorView
    A copy, in shared memory, of what is in global memory. None of its loops is of `parallel_type`.
number_of_stages : int
    At least 1; accepted without further effect.
prefetch_distance : int
    Smaller than the number of stages; accepted without further effect.
parallel_type : ParallelType
    ``block_x``, ``block_y`` or ``block_z``.
num_registers : (int, int), optional
    Of a thread that copies and of one that computes: multiples of 8 from 24 to 256, the first not
    above the second. Accepted without further effect.

Raises
------
RuntimeError
    If a parameter is not as described, here or when the fusion is run.)");
  bindSchedulers(sched);
}

}  // namespace nvfuser
