#include "schedule/tuning/tuning.h"

#include <algorithm>

#include "schedule/tuning/rows.h"

namespace nvfuser {

namespace {

const tuning::Change* changeOf(const Target& target, std::string_view name) {
  const std::span<const tuning::Change> row = tuning::rowOf(target.architecture);
  const auto found = std::ranges::find(row, name, &tuning::Change::name);
  return found == row.end() ? nullptr : &*found;
}

// The value of the target's row, or that of a test.
template <typename T>
void change(const Target& target, std::string_view name, T& value) {
  if (const tuning::Change* row = changeOf(target, name)) {
    value = static_cast<T>(row->value);
  }
  tuningOverrides().apply(name, value);
}

const char* evidenceOf(const Target& target, std::string_view name, const char* ofTable) {
  const tuning::Change* row = changeOf(target, name);
  return row == nullptr ? ofTable : row->evidence;
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
#define NVF_APPLY(type, field, value, unit, meaning, evidence) \
  change(target, "cpu." #field, tuning.cpu.field);
  NVF_CPU_TUNING(NVF_APPLY)
#undef NVF_APPLY
#define NVF_APPLY(type, field, value, unit, meaning, evidence) \
  change(target, "gpu." #field, tuning.gpu.field);
  NVF_GPU_TUNING(NVF_APPLY)
#undef NVF_APPLY
  return tuning;
}

std::vector<TuningEntry> describeTuning(const Target& target) {
  const Tuning tuning = tuningFor(target);
  std::vector<TuningEntry> entries;
  const auto add = [&](const char* name, auto value, const char* unit, const char* meaning,
                       const char* evidence) {
    entries.push_back(
        {name, static_cast<double>(value), unit, meaning, evidenceOf(target, name, evidence)});
  };
#define NVF_ADD(type, field, value, unit, meaning, evidence) \
  add("cpu." #field, tuning.cpu.field, unit, meaning, evidence);
  NVF_CPU_TUNING(NVF_ADD)
#undef NVF_ADD
#define NVF_ADD(type, field, value, unit, meaning, evidence) \
  add("gpu." #field, tuning.gpu.field, unit, meaning, evidence);
  NVF_GPU_TUNING(NVF_ADD)
#undef NVF_ADD
  return entries;
}

}  // namespace nvfuser
