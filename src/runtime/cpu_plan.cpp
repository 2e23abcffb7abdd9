#include "runtime/cpu_plan.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

#include "core/error.h"
#include "device/cpu/thread_pool.h"
#include "runtime/planning/memory_plan.h"

namespace nvfuser {

// Memory for what passes between kernels, kept from one run to the next. Concurrent runs have one
// each.
class ArenaPool {
 public:
  explicit ArenaPool(size_t bytes) : bytes_(bytes) {}
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;
  ~ArenaPool() {
    for (std::byte* arena : free_) {
      ::operator delete(arena, std::align_val_t{MemoryPlan::kAlignment});
    }
  }

  class Lease {
   public:
    explicit Lease(ArenaPool& pool) : pool_(pool), arena_(pool.take()) {}
    ~Lease() { pool_.giveBack(arena_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::byte* data() const { return arena_; }

   private:
    ArenaPool& pool_;
    std::byte* arena_;
  };

 private:
  std::byte* take() {
    if (bytes_ == 0) {
      return nullptr;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::byte* arena = free_.back();
        free_.pop_back();
        return arena;
      }
    }
    void* arena = ::operator new(bytes_, std::align_val_t{MemoryPlan::kAlignment}, std::nothrow);
    NVF_CHECK(arena != nullptr, "Out of memory: ", bytes_,
              " bytes are needed for what passes between the kernels of this fusion");
    return static_cast<std::byte*>(arena);
  }

  void giveBack(std::byte* arena) {
    if (arena != nullptr) {
      const std::lock_guard lock(mutex_);
      free_.push_back(arena);
    }
  }

  size_t bytes_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

struct CpuPlan::Phase {
  using Function = void (*)(const int64_t* arguments, int64_t begin, int64_t end, void* scratch);
  Function function;
  int64_t extent;
  // Iterations of the parallel loop that are worth a worker of their own.
  int64_t grain;
  size_t scratchBytes;

  void run(const int64_t* arguments) const {
    cpu::parallelFor(extent, grain, [&](int64_t begin, int64_t end, int) {
      void* scratch = scratchBytes == 0 ? nullptr : cpu::scratch(scratchBytes);
      function(arguments, begin, end, scratch);
    });
  }
};

namespace {

// Iterations of a phase's parallel loop that are worth a worker.
int64_t grainOf(const Launch& launch, const Work& work, int64_t iterations,
                const CpuTuning& tuning) {
  if (iterations <= 1) {
    return 1;
  }
  for (const kir::Parameter& parameter : launch.kernel->kernel->parameters) {
    // Two elements share a byte of packed fp4: parts would have to begin at even elements.
    if (parameter.kind == kir::Parameter::Kind::Pointer &&
        parameter.tv->dtype() == DataType::Float4_e2m1fn && !parameter.tv->isFusionInput()) {
      return iterations;
    }
  }
  // In elements that are only loaded and stored.
  const int64_t perElement = 1 + work.functions * tuning.functionElements;
  const int64_t perIteration =
      std::max<int64_t>(1, launch.largestTensor / iterations) * perElement +
      work.loops * tuning.loopElements + work.statements * tuning.statementElements;
  return std::max<int64_t>(1, tuning.workElements / perIteration);
}

}  // namespace

CpuPlan::CpuPlan(PlanParts parts, const CpuTuning& tuning)
    : LaunchPlan(parts.device, std::move(parts.signature), std::move(parts.outputs),
                 parts.outputAlignment),
      launches_(std::move(parts.launches)),
      arena_(std::make_unique<ArenaPool>(static_cast<size_t>(parts.workspaceBytes))) {
  for (const Launch& launch : launches_) {
    std::vector<Phase>& phases = phases_.emplace_back();
    for (const PhaseLaunch& phase : launch.phases) {
      phases.push_back(
          {reinterpret_cast<Phase::Function>(launch.kernel->loaded.addresses[phase.phase]),
           phase.extent, grainOf(launch, launch.kernel->work[phase.phase], phase.extent, tuning),
           static_cast<size_t>(phase.scratchBytes)});
    }
  }
  library_ = std::move(parts.library);
  randomOps_ = parts.randomOps;
  traffic_ = parts.traffic;
  estimatedNanoseconds_ = parts.traffic.total() / tuning.coreBytes;
}

CpuPlan::~CpuPlan() = default;

std::vector<KernelProfile> CpuPlan::describeSteps(SteadyTime since) const {
  return nvfuser::describeSteps(library_.get(), launches_, since,
                                [&](size_t number, KernelProfile& profile) {
                                  for (const Phase& phase : phases_[number]) {
                                    appendExtents(profile.gridStr, {phase.extent, 1, 1});
                                    appendExtents(profile.blockStr, {1, 1, 1});
                                    appendExtents(profile.clusterStr, {1, 1, 1});
                                    appendExtents(profile.sharedMemStr, {0, 0});
                                  }
                                });
}

// Always inlined: in the loop over all launches of a plan without library calls it costs nothing.
[[gnu::always_inline]] inline void CpuPlan::runLaunch(size_t number, const RunMemory& memory,
                                                      ArgumentBlock& block) const {
  const Launch& launch = launches_[number];
  int64_t* slots = block.fill(launch, memory);
  uint64_t misses = 0;
  if (launch.missesSlot >= 0) {
    slots[launch.missesSlot] = reinterpret_cast<int64_t>(&misses);
  }
  for (const Phase& phase : phases_[number]) {
    phase.run(slots);
  }
  if (misses != 0) {
    fail(launch.lookups[std::min(static_cast<size_t>(std::countr_zero(misses)),
                                 launch.lookups.size() - 1)]);
  }
}

void CpuPlan::run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
                  void* /*workspace*/, void* /*stream*/, LibraryHost* host) const {
  const ArenaPool::Lease arena(*arena_);
  RunMemory memory{arguments, outputData, arena.data()};
  ArgumentBlock block;
  if (host == nullptr) [[likely]] {
    for (size_t i = 0; i < launches_.size(); ++i) {
      runLaunch(i, memory, block);
    }
    return;
  }
  const auto launch = [&](size_t number, std::span<void* const> held) {
    memory.held = held;
    dumpArguments(launches_[number], memory);
    runLaunch(number, memory, block);
  };
  runSteps(library_.get(), launches_.size(), *host, launch);
}

}  // namespace nvfuser
