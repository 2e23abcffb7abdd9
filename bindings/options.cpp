// The table of options, for the documentation and who asks what there is, and warnings of what does
// nothing.

#include "core/options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.h"
#include "no_effect.h"

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

void warnWithoutEffect(std::string_view what) {
  nb::module_::import_("nvfuser.no_effect").attr("warn_once")(what);
}

void warnOfOptionsWithoutEffect(const ExecuteOptions* options) {
  // Those of the environment do not change.
  constinit static bool isEnvironmentDone = false;
  if (isEnvironmentDone &&
      (options == nullptr || (options->enable.empty() && options->disable.empty()))) [[likely]] {
    return;
  }
  isEnvironmentDone = true;
  const OptionSet set =
      options == nullptr ? environmentOptions() : withOptions(options->enable, options->disable);
  const auto table = optionTable();
  for (size_t i = 0; i < table.size(); ++i) {
    if (set[i] && table[i].effect.empty()) {
      warnWithoutEffect(
          concatenate("the option ", table[i].name, " of ", variableOf(table[i].kind)));
    }
  }
}

void bindOptions(nb::module_& module) {
  module.def("option_table", &table,
             "Return every option: the environment variable that lists it, its name, and what it "
             "does, which is empty where it is accepted without effect.");
}

}  // namespace nvfuser
