// The tuning tables, and what tests and experiments put in place of their numbers.

#include "schedule/tuning/tuning.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings/bindings.h"
#include "runtime/backend.h"

namespace nvfuser {

namespace {

nb::list tuningTable(std::string_view name) {
  Device device = parseDevice(name);
  if (device.index == kAnyIndex) {
    device.index = 0;
  }
  nb::list entries;
  for (const TuningEntry& entry : describeTuning(backendOf(device).target())) {
    entries.append(
        nb::make_tuple(entry.name, entry.value, entry.unit, entry.meaning, entry.evidence));
  }
  return entries;
}

}  // namespace

void bindTuning(nb::module_& module) {
  module.def(
      "_describe_tuning", &tuningTable, nb::arg("device") = "cpu",
      "Names, values, units, meanings and evidence of the numbers that schedulers decide by.");
  module.def(
      "_override_tuning", [](NamedNumbers numbers) { tuningOverrides().set(std::move(numbers)); },
      nb::arg("numbers"),
      "Put numbers in place of those of the tables, for what is compiled from now on.");
  module.def(
      "_override_target", [](NamedNumbers numbers) { targetOverrides().set(std::move(numbers)); },
      nb::arg("numbers"),
      "Put properties and capabilities in place of those of devices, for what is compiled from now "
      "on.");
}

}  // namespace nvfuser
