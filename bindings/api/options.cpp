// The table of options, for the documentation and who asks what there is.

#include "core/options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/bindings.h"

namespace nvfuser {

namespace {

std::vector<std::tuple<std::string, std::string_view, std::string_view>> table() {
  std::vector<std::tuple<std::string, std::string_view, std::string_view>> rows;
  for (const OptionInfo& option : optionTable()) {
    rows.emplace_back(variableOf(option.kind), option.name, option.effect);
  }
  return rows;
}

std::vector<std::string_view> environment(const std::string& variable) {
  std::vector<std::string_view> names;
  const OptionSet& set = environmentOptions();
  for (size_t i = 0; i < optionTable().size(); ++i) {
    const OptionInfo& option = optionTable()[i];
    if (set[i] && variable == variableOf(option.kind)) {
      names.push_back(option.name);
    }
  }
  return names;
}

}  // namespace

void bindOptions(nb::module_& module) {
  module.def("option_table", &table,
             "Return every option: the environment variable that lists it, its name, and what it "
             "does, which is empty where it is accepted without effect.");
  module.def("environment_options", &environment, nb::arg("variable"),
             "Return the names of the options that a variable of the environment lists.");
}

}  // namespace nvfuser
