#include "bindings/compat/no_effect.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "core/options.h"

namespace nvfuser {

namespace nb = nanobind;

void warnWithoutEffect(std::string_view what) {
  nb::module_::import_("nvfuser.compat.no_effect").attr("warn_once")(what);
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

}  // namespace nvfuser
