// Meshes of devices, and how tensors are divided among them: what nvfuser/multidevice.py is made
// of.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/call/executor.h"
#include "bindings/support/nodes.h"
#include "ir/clone.h"
#include "multidevice/collectives.h"
#include "multidevice/exchange.h"
#include "multidevice/layout.h"

namespace nvfuser {

namespace {

// (mesh, for each dimension its factors, as (parallel type, extent)).
nb::tuple describe(const multidevice::TensorLayout& layout) {
  nb::list dims;
  for (const multidevice::DimLayout& dim : layout.dims) {
    nb::list factors;
    for (const multidevice::Factor& factor : dim) {
      factors.append(nb::make_tuple(factor.axis, factor.extent));
    }
    dims.append(factors);
  }
  return nb::make_tuple(*layout.mesh, dims);
}

nb::list describe(const std::vector<multidevice::TensorLayout>& layouts) {
  nb::list result;
  for (const multidevice::TensorLayout& layout : layouts) {
    result.append(describe(layout));
  }
  return result;
}

// For each input None, or how it is divided: its mesh, for each dimension the parallel types that
// it is divided along, and those along which devices have parts of a sum.
multidevice::Layouts layoutsOf(const Fusion& fusion, nb::handle divisions) {
  multidevice::Layouts layouts;
  for (const nb::handle division : divisions) {
    std::optional<multidevice::TensorLayout>& layout = layouts.emplace_back();
    if (division.is_none()) {
      continue;
    }
    NVF_CHECK(
        layouts.size() <= fusion.inputs().size() && fusion.inputs()[layouts.size() - 1]->isTensor(),
        "Expected at most ", fusion.inputs().size(), " inputs, and divisions of tensors");
    const auto mesh = nb::cast<const DeviceMesh&>(division[0]);
    layout = multidevice::dividedLayout(
        fusion.inputs()[layouts.size() - 1]->asTensor(), std::make_shared<const DeviceMesh>(mesh),
        nb::cast<std::vector<std::vector<ParallelType>>>(division[1]));
    for (const auto axis : nb::cast<std::vector<ParallelType>>(division[2])) {
      layout->partial[axis] = BinaryOpType::Add;
    }
  }
  return layouts;
}

// Who this process is, asked when an executor is made.
int64_t rankFromPython() {
  const nb::gil_scoped_acquire lock;
  return nb::cast<int64_t>(nb::module_::import_("nvfuser.multidevice").attr("own_rank")());
}

// The memory of a team's devices that this process has mapped, as nvfuser.multidevice says.
std::optional<multidevice::PeerMemory> peerMemoryFromPython(int64_t team) {
  const nb::gil_scoped_acquire lock;
  const nb::object found =
      nb::module_::import_("nvfuser.multidevice.peer_memory").attr("peer_memory")(team);
  if (found.is_none()) {
    return std::nullopt;
  }
  return multidevice::PeerMemory{
      nb::cast<std::vector<int64_t>>(found.attr("addresses")), nb::cast<int64_t>(found.attr("own")),
      nb::cast<int64_t>(found.attr("capacity")), nb::cast<int64_t>(found.attr("blocks")),
      nb::cast<int64_t>(found.attr("time_limit"))};
}

}  // namespace

void bindDeviceMesh(nb::module_& module) {
  nb::class_<DeviceMesh>(module, "DeviceMesh", "Devices in rows and columns, see multidevice.")
      .def(nb::init<std::vector<int64_t>, std::vector<int64_t>>(), nb::arg("ranks"),
           nb::arg("shape"))
      .def_prop_ro("_ranks", &DeviceMesh::ranks)
      .def_prop_ro("_shape", &DeviceMesh::shape)
      .def_prop_ro("size", &DeviceMesh::size, "The number of devices.")
      .def("_coordinate", &DeviceMesh::coordinate, nb::arg("rank"), nb::arg("axis"))
      .def("_extent", &DeviceMesh::extent, nb::arg("axis"))
      .def("__repr__", &DeviceMesh::toString);
}

void bindMultidevice(nb::module_& module) {
  multidevice::setRankSource(&rankFromPython);
  multidevice::setPeerMemorySource(&peerMemoryFromPython);
  module.def("_peer_header_bytes", [] { return multidevice::PeerMemory::kHeaderBytes; });
  module.def(
      "_divided_executor",
      [](nb::handle_t<Fusion> fusion, nb::handle divisions) {
        auto shared = nb::cast<std::shared_ptr<Fusion>>(fusion);
        const multidevice::Layouts layouts = layoutsOf(*shared, divisions);
        auto executor = std::make_unique<ExecutorCache>(std::move(shared), 0, true, layouts);
        executor->sites = nb::getattr(fusion, "_sites", nb::none());
        return executor.release();
      },
      nb::arg("fusion"), nb::arg("divisions"), nb::rv_policy::take_ownership,
      "Return an executor for inputs that are divided in other ways than the definition says.");
  module.def(
      "_copy_of", [](const Fusion& fusion) { return std::shared_ptr<Fusion>(cloneFusion(fusion)); },
      nb::arg("fusion"));
  module.def(
      "_local_fusion",
      [](nb::handle executor) { return executorOf(executor.ptr()).cache.localFusion(); },
      nb::arg("executor"), "Return what this process runs.");
  module.def("_team", &multidevice::teamOf, nb::arg("number"));
  module.def("_collective_operations", [] {
    return std::vector<int64_t>{
        static_cast<int64_t>(BinaryOpType::Add), static_cast<int64_t>(BinaryOpType::Mul),
        static_cast<int64_t>(BinaryOpType::Maximum), static_cast<int64_t>(BinaryOpType::Minimum)};
  });
  module.def(
      "_layout_of",
      [](const TensorView& tv) -> nb::object {
        return tv.deviceMesh() == nullptr ? nb::object(nb::none())
                                          : describe(multidevice::annotatedLayout(&tv));
      },
      nb::arg("tv"),
      nb::sig("def _layout_of(tv: TensorView) -> tuple[DeviceMesh, list[list[tuple[ParallelType, "
              "int]]]] | None"));
  module.def(
      "_output_layouts",
      [](nb::handle executor) {
        return describe(executorOf(executor.ptr()).cache.outputLayouts());
      },
      nb::arg("executor"));
}

void bindMeshOfTensor(nb::class_<TensorView, Val>& tensorView) {
  tensorView
      .def(
          "set_device_mesh",
          [](TensorView& tv, const DeviceMesh& mesh) {
            tv.setDeviceMesh(std::make_shared<const DeviceMesh>(mesh.ranks(), mesh.shape()));
          },
          nb::arg("mesh"),
          R"(Say which devices have the tensor.

Every device has all of it, unless loops are parallelized along the dimensions of the mesh:
``tv.outer_split(0, mesh.size)`` and ``tv.axis(0).parallelize(ParallelType.mesh_x)``.

Parameters
----------
mesh : multidevice.DeviceMesh
    The devices.)")
      .def(
          "has_device_mesh", [](const TensorView& tv) { return tv.deviceMesh() != nullptr; },
          "Whether it has been said which devices have the tensor.");
}

}  // namespace nvfuser
