// The numbers that schedules for devices with threads were tuned with.
#pragma once

#include <cstdint>

namespace nvfuser {

// X(type, name, value, unit, meaning, evidence): the evidence is the command of a bench and what
// the value gained there, or what it is derived from.
// clang-format off
#define NVF_GPU_TUNING(X)                                                                         \
  X(int64_t, pointwiseThreads, 128, "threads", "of a block of element-wise operations",           \
    "four warps: bench/bench_kernels.py --device cuda")
// clang-format on

#define NVF_FIELD(type, name, value, unit, meaning, evidence) type name = value;
struct GpuTuning {
  NVF_GPU_TUNING(NVF_FIELD)
};
#undef NVF_FIELD

}  // namespace nvfuser
