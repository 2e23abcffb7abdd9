// Fusions as Python definitions: their source, and the calls that it consists of.

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include "bindings/support/nodes.h"
#include "translate/definition.h"

namespace nvfuser {

namespace {

nb::object toPython(const Argument& argument);

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const Val* val) const { return nb::cast(share(const_cast<Val*>(val))); }
  nb::object operator()(const Argument::List& items) const {
    nb::list list;
    for (const Argument& item : items) {
      list.append(toPython(item));
    }
    return list;
  }
  template <typename T>
  nb::object operator()(const T& literal) const {
    return nb::cast(literal);
  }
};

nb::object toPython(const Argument& argument) { return std::visit(ToPython(), argument.value); }

// A list of (function, results, positional arguments, keyword arguments).
nb::list callsOf(const Fusion& fusion) {
  nb::list calls;
  for (const DefinitionCall& call : definitionCalls(fusion)) {
    nb::list results;
    for (const Val* result : call.results) {
      results.append(share(const_cast<Val*>(result)));
    }
    nb::list positional;
    for (const Argument& argument : call.positional) {
      positional.append(toPython(argument));
    }
    nb::dict keywords;
    for (const auto& [name, argument] : call.keywords) {
      keywords[name.c_str()] = toPython(argument);
    }
    calls.append(nb::make_tuple(call.function, results, positional, keywords));
  }
  return calls;
}

}  // namespace

void bindTranslation(nb::module_& module) {
  module.def(
      "translate_fusion",
      [](const Fusion& fusion) { return pythonFunction(definitionCalls(fusion)); },
      nb::arg("fusion"),
      R"(Return the source of a Python function that defines a fusion again.

Parameters
----------
fusion : Fusion

Returns
-------
str
    A function ``nvfuser_fusion(fd)``: called in the ``with`` block of a FusionDefinition it makes
    a fusion that is equal to `fusion`. Schedules are not part of it, nor operations that no output
    depends on.

Raises
------
RuntimeError
    If an operation or a value of the fusion has no form in Python.)");
  module.def(
      "definition_calls", &callsOf, nb::arg("fusion"),
      nb::sig("def definition_calls(fusion: Fusion) -> "
              "list[tuple[str, list[Val | None], list[typing.Any], dict[str, typing.Any]]]"),
      R"(Return the calls that :func:`translate_fusion` writes: name, results and arguments of each.)");
}

}  // namespace nvfuser
