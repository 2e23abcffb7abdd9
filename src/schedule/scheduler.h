// The automatic schedulers: which one fits a fusion, with which parameters, and applying it.
//
// A scheduler is a program over the schedule primitives. It is split in three: what the structure
// of the fusion allows (no sizes), the parameters for the sizes of a run, and the transforms, which
// depend on the structure and the parameters only. Kernels are compiled once for each set of
// parameters.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

enum class SchedulerType : uint8_t {
  None,
  NoOp,
  Pointwise,
  Matmul,
  Reduction,
  InnerPersistent,
  InnerOuterPersistent,
  OuterPersistent,
  Transpose,
  ExprEval,
  Resize
};
const char* toString(SchedulerType type);
// Those that there are, in the order in which they are tried.
inline constexpr std::array kSchedulers{
    SchedulerType::NoOp,      SchedulerType::ExprEval,        SchedulerType::Pointwise,
    SchedulerType::Reduction, SchedulerType::InnerPersistent, SchedulerType::OuterPersistent};

// A CUDA device, as far as schedules and launches depend on it.
struct GpuProperties {
  std::string name;
  // 10 * major + minor: 90 for sm_90.
  int64_t computeCapability = 0;
  int64_t multiprocessors = 1;
  int64_t threadsPerMultiprocessor = 2048;
  int64_t blocksPerMultiprocessor = 32;
  int64_t registersPerMultiprocessor = 65536;
  int64_t threadsPerBlock = 1024;
  // The most that a block can have; more than 48 KB must be asked for.
  int64_t sharedBytesPerBlock = 48 * 1024;
  int64_t sharedBytesPerMultiprocessor = 64 * 1024;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  // By the data sheet's way of counting; 0 where the driver does not tell.
  int64_t memoryBytesPerSecond = 0;
};

// What a scheduler may know of the run.
struct ScheduleContext {
  // The run-time value of an extent.
  std::function<int64_t(const Val*)> extent;
  DeviceType device = DeviceType::CPU;
  // CPU: the workers, and the bytes of the last-level cache; 0: not known.
  int64_t numThreads = 1;
  int64_t cacheBytes = 0;
  // CUDA.
  GpuProperties gpu;
  // Of an input or output: a power of two that divides its address, in bytes, at most 16.
  std::function<int64_t(const TensorView*)> alignment;
  // Of an input or output: the stride of each dimension of its visible logical domain, in elements.
  std::function<std::vector<int64_t>(const TensorView*)> strides;
};

// The numbers of a schedule for CUDA.
struct GpuParams {
  // Elements that a vectorized access moves, and the inputs and outputs accessed that way: bit i
  // stands for globalTensors()[i] of the unscheduled fusion.
  int64_t vectorWidth = 1;
  uint64_t vectorized = 0;
  // Vectors that a thread loads before it uses the first.
  int64_t unroll = 1;
  int64_t threadsX = 1;
  int64_t threadsY = 1;
  // Vectors of a row that a thread keeps in registers until the row's reductions are known; 0:
  // none.
  int64_t batches = 0;
  // These lie in one row, a block's width apart, rather than in as many rows.
  bool unrollsRows = false;
  // Blocks that follow each other, and so run at a time, have the same columns rather than the same
  // rows.
  bool isColumnMajor = false;
  // The blocks of a row are counted along x and rows along y (columns and their rows where they are
  // column-major), which saves a division.
  bool hasOuterAlongY = false;
  // Parts of a reduction or scan that different blocks compute.
  int64_t splits = 1;
  // Sizes are multiples of everything they are divided by: nothing is checked at run time.
  bool isExact = false;
  // Rows that leave most of the device idle, where what counts is how long one takes: the number of
  // threads along x is constant, and what the last stage needs is read first, too.
  bool isLatencyBound = false;
  // Inputs that are read about once, in bits as above, and how they are.
  uint64_t readOnce = 0;
  CacheOp ofReadOnce = CacheOp::Unspecified;
  // Blocks that share a multiprocessor; 0: as the compiler sees fit.
  int64_t minBlocks = 0;

  friend bool operator==(const GpuParams&, const GpuParams&) = default;
  friend auto operator<=>(const GpuParams&, const GpuParams&) = default;
};

struct ScheduleParams {
  SchedulerType type = SchedulerType::None;
  DeviceType device = DeviceType::CPU;
  GpuParams gpu;
  // Indices in 64 bits.
  bool hasWideIndex = true;
  // Every stage (a reduction with what it needs) runs to its end before the next begins, instead of
  // row by row.
  bool separateStages = false;
  // Reductions are computed in parts of this many elements that are then combined; 0: in one part.
  int64_t reductionChunk = 0;
  // Columns that are computed together where the reduced dimension is not the innermost one.
  int64_t columnTile = 0;
  // CPU: such columns are computed for a few rows at once.
  bool jamsRows = false;
  // CPU: variances of columns are computed in one pass over memory.
  bool mergesMoments = false;
  // The innermost loop is divided into parts of this many elements to have enough of them; 0: it is
  // not.
  int64_t innerChunk = 0;
  // CPU: loops around the innermost one that are not merged into the parallel one: to find the
  // indices of merged loops takes divisions, which short rows of many dimensions do not make up
  // for.
  int64_t serialLoops = 0;
  // Inputs whose innermost dimension is not that of the output are read in square tiles of this
  // side; 0: element by element.
  int64_t transposeTile = 0;
  // CPU: the largest outputs are written past the caches.
  bool streamsOutputs = false;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// All parameters, one a line.
std::string toString(const ScheduleParams& params);

// Empty when the scheduler fits the structure of the fusion, otherwise why it does not.
std::string rejectionReason(SchedulerType type, const std::vector<Expr*>& exprs);
// The first type in order of preference that fits; None when there is none.
SchedulerType proposeScheduler(const std::vector<Expr*>& exprs);

// Whether some tensor has no elements. There is nothing to gain from a schedule then, and loops
// that tensors share would run no time also for those that have elements.
bool hasEmptyTensor(const Fusion& fusion, const ScheduleContext& context);

ScheduleParams computeHeuristics(Fusion* fusion, SchedulerType type,
                                 const ScheduleContext& context);
// Takes back what was scheduled, but for the tensors that were inserted.
void removeSchedule(Fusion* fusion);
// None leaves the fusion as it is scheduled. NoOp fits every fusion: every tensor has loops of its
// own. The others raise a ScheduleError, or the lowering does, for fusions that they accept by
// mistake.
void applySchedule(Fusion* fusion, const ScheduleParams& params);

}  // namespace nvfuser
