// What is accepted, because nvFuser has it, and changes nothing here.
#pragma once

#include <string_view>

#include "runtime/executor_cache.h"

namespace nvfuser {

// Warns, once for each `what` and process. Needs the interpreter's lock.
void warnWithoutEffect(std::string_view what);

template <typename Value>
void warnUnlessDefault(std::string_view what, const Value& given, const Value& byDefault) {
  if (!(given == byDefault)) [[unlikely]] {
    warnWithoutEffect(what);
  }
}

// Those among the options of the environment, and of a call where there is one. Raises on names
// that are not known.
void warnOfOptionsWithoutEffect(const ExecuteOptions* options);

}  // namespace nvfuser
