// The numbers that schedules for workers without threads of their own were tuned with.
#pragma once

#include <cstdint>

namespace nvfuser {

// X(type, name, value, unit, meaning, evidence) as in gpu.h.
// clang-format off
#define NVF_CPU_TUNING(X)                                                                         \
  X(int64_t, smallWork, 32 * 1024, "elements", "fewer are the work of one worker",                \
    "bench/bench_sizes.py: starting workers takes as long")
// clang-format on

#define NVF_FIELD(type, name, value, unit, meaning, evidence) type name = value;
struct CpuTuning {
  NVF_CPU_TUNING(NVF_FIELD)
};
#undef NVF_FIELD

}  // namespace nvfuser
