#include "schedule/tuning/tuning.h"

namespace nvfuser {

namespace {

// What an architecture has in place of the values in the tables. Another one is a function and a
// line in rowOf().
using TuningRow = void (*)(Tuning& tuning);

TuningRow rowOf(std::string_view /*architecture*/) {
  // The tables are those of sm_90 and x86-64, where they were measured.
  return nullptr;
}

}  // namespace

Overrides& tuningOverrides() {
#define NVF_IS_CPU(type, field, value, unit, meaning, evidence) || name == "cpu." #field
#define NVF_IS_GPU(type, field, value, unit, meaning, evidence) || name == "gpu." #field
  static Overrides overrides("NVFUSER_TUNING", [](std::string_view name) {
    return false NVF_CPU_TUNING(NVF_IS_CPU) NVF_GPU_TUNING(NVF_IS_GPU);
  });
#undef NVF_IS_CPU
#undef NVF_IS_GPU
  return overrides;
}

Tuning tuningFor(const Target& target) {
  Tuning tuning;
  if (const TuningRow row = rowOf(target.architecture)) {
    row(tuning);
  }
  const Overrides& overrides = tuningOverrides();
#define NVF_APPLY(type, field, value, unit, meaning, evidence) \
  overrides.apply("cpu." #field, tuning.cpu.field);
  NVF_CPU_TUNING(NVF_APPLY)
#undef NVF_APPLY
#define NVF_APPLY(type, field, value, unit, meaning, evidence) \
  overrides.apply("gpu." #field, tuning.gpu.field);
  NVF_GPU_TUNING(NVF_APPLY)
#undef NVF_APPLY
  return tuning;
}

std::vector<TuningEntry> describeTuning(const Target& target) {
  const Tuning tuning = tuningFor(target);
  std::vector<TuningEntry> entries;
#define NVF_ADD(type, field, value, unit, meaning, evidence) \
  entries.push_back(                                         \
      {"cpu." #field, static_cast<double>(tuning.cpu.field), unit, meaning, evidence});
  NVF_CPU_TUNING(NVF_ADD)
#undef NVF_ADD
#define NVF_ADD(type, field, value, unit, meaning, evidence) \
  entries.push_back(                                         \
      {"gpu." #field, static_cast<double>(tuning.gpu.field), unit, meaning, evidence});
  NVF_GPU_TUNING(NVF_ADD)
#undef NVF_ADD
  return entries;
}

}  // namespace nvfuser
