#include "schedule/params.h"

#include "core/error.h"
#include "schedule/scheduler.h"

namespace nvfuser {

namespace {

const char* yesOrNo(bool value) { return value ? "yes" : "no"; }

std::string textOf(const std::monostate& /*none*/) { return {}; }

std::string textOf(const GpuParams& gpu) {
  return concatenate(
      "vector width: ", gpu.vectorWidth, "\nvectorized tensors (a bit each): ", gpu.vectorized,
      "\nunroll: ", gpu.unroll, gpu.unrollsRows ? " of a row" : "",
      gpu.isColumnMajor ? "\ncolumns: " : "\nrows: ", gpu.hasOuterAlongY ? "y" : "x",
      "\nthreads: ", gpu.threadsX, " x ", gpu.threadsY, "\npersistent batches: ", gpu.batches,
      "\nsplits: ", gpu.splits, "\nbound by latency: ", yesOrNo(gpu.isLatencyBound),
      "\nsizes divide: ", yesOrNo(gpu.isExact), "\nread once (a bit each): ", gpu.readOnce,
      "\ninputs in the L2 cache: ",
      gpu.ofReadOnce == CacheOp::AllLevels   ? "leave last"
      : gpu.ofReadOnce == CacheOp::Streaming ? "leave first"
                                             : "leave in turn",
      "\nseparate stages: ", yesOrNo(gpu.separateStages),
      "\nouter reduction: ", yesOrNo(gpu.isOuterReduction), "\ntranspose tile: ", gpu.transposeTile,
      "\nscatters in rows: ", yesOrNo(gpu.scattersInRows), "\n");
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
