// The table of options, for the documentation and who asks what there is.

#include "core/options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace nvfuser {

namespace {

std::vector<std::tuple<std::string, std::string_view, std::string_view>> table() {
  std::vector<std::tuple<std::string, std::string_view, std::string_view>> rows;
  for (const OptionInfo& option : optionTable()) {
    rows.emplace_back(variableOf(option.kind), option.name, option.effect);
  }
  return rows;
}

}  // namespace

void bindOptions(nb::module_& module) {
  module.def("option_table", &table,
             "Return every option: the environment variable that lists it, its name, and what it "
             "does, which is empty where it is accepted without effect.");
}

}  // namespace nvfuser
