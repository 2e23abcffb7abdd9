#include "schedule/params.h"

#include "core/error.h"
#include "schedule/scheduler.h"

namespace nvfuser {

namespace {

const char* yesOrNo(bool value) { return value ? "yes" : "no"; }

std::string textOf(const std::monostate& /*none*/) { return {}; }

template <typename Params>
std::string textOf(const Params& params) {
  return params.toString() + "\n";
}

std::string textOf(const CpuParams& cpu) {
  return concatenate(
      "separate stages: ", yesOrNo(cpu.separateStages), "\nreduction chunk: ", cpu.reductionChunk,
      "\ncolumn tile: ", cpu.columnTile, "\nseveral rows at once: ", yesOrNo(cpu.jamsRows),
      "\nmoments in one pass: ", yesOrNo(cpu.mergesMoments), "\ninner chunk: ", cpu.innerChunk,
      "\nserial loops: ", cpu.serialLoops, "\ntranspose tile: ", cpu.transposeTile,
      "\nstreamed outputs: ", yesOrNo(cpu.streamsOutputs), "\n");
}

}  // namespace

std::string toString(const ScheduleParams& params) {
  return concatenate("scheduler: ", toString(typeOf(params)),
                     "\nindices: ", params.hasWideIndex ? "int64_t" : "int", "\n") +
         std::visit([](const auto& values) { return textOf(values); }, params.values);
}

}  // namespace nvfuser
