// The submodule `idm`: which iteration domains stand for the same dimension or loop.

#include "schedule/id_model.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/compat/no_effect.h"
#include "bindings/support/nodes.h"

namespace nvfuser {

namespace {

// Graphs refer to the nodes of a fusion, which lives as long as they do.
struct Graph {
  std::shared_ptr<Fusion> fusion;
  std::shared_ptr<ValGraph> graph;
};

// A class of its own for Python.
struct Handle : Graph {};

struct Model {
  Model(std::shared_ptr<Fusion> of, bool buildGraphs, bool allowsSelfMapping)
      : fusion(std::move(of)), model(*fusion, allowsSelfMapping) {
    if (buildGraphs) {
      for (const IdMappingMode mode :
           {IdMappingMode::Exact, IdMappingMode::AlmostExact, IdMappingMode::Broadcast,
            IdMappingMode::Permissive, IdMappingMode::Loop}) {
        model.graph(mode);
      }
    }
  }
  std::shared_ptr<Fusion> fusion;
  IdModel model;
};

}  // namespace

void bindIdModel(nb::module_& module) {
  nb::module_ idm = module.def_submodule("idm", "Which domains stand for the same dimension.");
  nb::class_<Graph>(idm, "DisjointValSets", "Sets of domains, each domain in one of them.")
      .def(
          "strict_are_mapped",
          [](const Graph& self, const Val* a, const Val* b) {
            return self.graph->disjointValSets().strictAreMapped(a, b);
          },
          nb::arg("entry0"), nb::arg("entry1"), R"(Return whether two domains are in the same set.

Raises
------
RuntimeError
    If one of them is in no set.)")
      .def("__str__", [](const Graph& self) { return self.graph->disjointValSets().toString(); });

  nb::class_<Handle>(idm, "ValGraph", "Domains, and the transforms between them.")
      .def(
          "disjoint_val_sets", [](const Handle& self) { return Graph(self); },
          "Return the sets, which follow later mappings.")
      .def(
          "map_vals", [](Handle& self, const Val* a, const Val* b) { self.graph->mapVals(a, b); },
          nb::arg("val0"), nb::arg("val1"),
          R"(Map two domains, and what equal transforms make of them or make them of.

Raises
------
RuntimeError
    If one of them is no domain of the fusion.)")
      .def("__str__", [](const Handle& self) { return self.graph->toString(); });

  nb::class_<Model>(idm, "IdModel", R"(The mappings between the domains of a fusion.

Parameters
----------
fusion : Fusion
build_graphs : bool
    Whether to make the graphs of all modes at once.
allow_self_mapping : bool
    Whether two dimensions of one tensor may be mapped with each other.
validate : bool
    Accepted; graphs are always consistent.

Raises
------
RuntimeError
    Without `allow_self_mapping`, if two dimensions of a tensor are mapped with each other.)")
      .def(
          "__init__",
          [](Model* self, std::shared_ptr<Fusion> fusion, Flag buildGraphs, Flag allowsSelfMapping,
             Flag validates) {
            warnUnlessDefault<bool>("validate of IdModel", validates, false);
            new (self) Model(std::move(fusion), buildGraphs, allowsSelfMapping);
          },
          nb::arg("fusion"), nb::arg("build_graphs") = false, nb::arg("allow_self_mapping") = true,
          nb::arg("validate") = false)
      .def(
          "maybe_build_graph",
          [](Model& self, IdMappingMode mode) {
            return Handle{{self.fusion, self.model.graph(mode)}};
          },
          nb::arg("mode"), "Return the graph of a mode, made at first need.")
      .def("__str__", [](const Model& self) { return self.model.toString(); });
}

}  // namespace nvfuser
