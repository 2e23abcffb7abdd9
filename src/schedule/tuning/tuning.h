// Tuning: the numbers that schedulers decide by, one row for each architecture. No other file of
// the schedulers has any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/named_numbers.h"
#include "device/target.h"
#include "schedule/tuning/cpu.h"
#include "schedule/tuning/gpu.h"

namespace nvfuser {

struct Tuning {
  CpuTuning cpu;
  GpuTuning gpu;
};

// The row of the target's architecture, with the overrides.
Tuning tuningFor(const Target& target);

// What experiments and tests put in place of numbers: of NVFUSER_TUNING, as
// "gpu.NAME=1,cpu.NAME=2".
Overrides& tuningOverrides();

// One number of the tables.
struct TuningEntry {
  // "gpu.pointwiseThreads".
  std::string name;
  double value;
  const char* unit;
  const char* meaning;
  const char* evidence;
};
// All, as they are for a target.
std::vector<TuningEntry> describeTuning(const Target& target);

}  // namespace nvfuser
