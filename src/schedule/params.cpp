#include "schedule/params.h"

#include "core/error.h"
#include "schedule/scheduler.h"

namespace nvfuser {

namespace {

std::string textOf(const std::monostate& /*none*/) { return {}; }

std::string textOf(const OwnParams& params) { return params.text() + "\n"; }

template <typename Params>
std::string textOf(const Params& params) {
  return params.toString() + "\n";
}

}  // namespace

std::string toString(const ScheduleParams& params) {
  return concatenate("scheduler: ", toString(typeOf(params)),
                     "\nindices: ", params.hasWideIndex ? "int64_t" : "int",
                     "\nsettled inputs: ", params.settledInputs,
                     params.isAlone ? "\nalone\n" : "\n") +
         std::visit([](const auto& values) { return textOf(values); }, params.values);
}

}  // namespace nvfuser
