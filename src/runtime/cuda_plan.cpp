#include "runtime/cuda_plan.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/options.h"
#include "lower/kernel.h"

namespace nvfuser {

namespace {

// Streams that a plan has graphs for.
constexpr size_t kMaxGraphs = 4;
// Graphs of all plans: sizes that come when there are so many are launched one by one.
constexpr size_t kMaxGraphsOfAll = 512;

cuda::LaunchConfig configOf(const PhaseLaunch& phase, const std::string& kernel) {
  for (const int64_t extent :
       {phase.threads[0], phase.threads[1], phase.threads[2], phase.threads[3], phase.threads[4],
        phase.threads[5], phase.scratchBytes}) {
    NVF_CHECK(extent <= std::numeric_limits<int32_t>::max(), "The kernel ", kernel, " needs ",
              extent, " blocks, threads or bytes of shared memory, more than any device has");
  }
  const auto at = [&](size_t i) { return static_cast<uint32_t>(phase.threads[i]); };
  return {at(0), at(1), at(2), at(3), at(4), at(5), static_cast<uint32_t>(phase.scratchBytes)};
}

// Those of groups of kernels have no clusters.
int64_t clusterBlocks(const Launch& launch, size_t phase) {
  const kir::Kernel* kernel = launch.kernel->kernel.get();
  return kernel == nullptr ? 1 : kir::clusterBlocks(kernel->phases[phase]);
}

}  // namespace

CudaPlan::CudaPlan(PlanParts parts, cuda::GpuDevice& device)
    : LaunchPlan(parts.device, std::move(parts.signature), std::move(parts.outputs),
                 parts.outputAlignment),
      device_(device),
      context_(device.context()),
      launches_(std::move(parts.launches)) {
  isEnqueued_ = true;
  workspaceBytes_ = parts.workspaceBytes;
  randomOps_ = parts.randomOps;
  library_ = std::move(parts.library);
  traffic_ = parts.traffic;
  for (const Launch& launch : launches_) {
    std::vector<Phase>& phases = phases_.emplace_back();
    for (const PhaseLaunch& phase : launch.phases) {
      if (std::ranges::find(phase.threads, 0) != phase.threads.end()) {
        continue;
      }
      const std::string name = launch.kernel->functionName(phase.phase);
      Phase& ready = phases.emplace_back();
      ready.function = static_cast<cuda::Function>(launch.kernel->loaded.addresses[phase.phase]);
      ready.config = configOf(phase, name);
      ready.number = phase.phase;
      device.prepare(ready.function, ready.config, clusterBlocks(launch, phase.phase), name);
    }
  }
  size_t kernels = 0;
  for (const std::vector<Phase>& phases : phases_) {
    kernels += phases.size();
  }
  isGraph_ = isOn(Option::enable_cuda_graphs) && library_ == nullptr && kernels > 1;
}

[[gnu::always_inline]] inline void CudaPlan::runLaunch(size_t number, const RunMemory& memory,
                                                       ArgumentBlock& block, void* stream,
                                                       bool& isBehindOurs) const {
  size_t bytes = launches_[number].slots.size() * sizeof(int64_t);
  void* extra[] = {cuda::kLaunchBufferPointer, block.fill(launches_[number], memory),
                   cuda::kLaunchBufferSize, &bytes, nullptr};
  for (const Phase& phase : phases_[number]) {
    cuda::LaunchConfig config = phase.config;
    config.stream = static_cast<cuda::Stream>(stream);
    cuda::LaunchAttribute overlap;
    if (isBehindOurs && device_.overlaps(config)) {
      config.attributes = &overlap;
      config.attributeCount = 1;
    }
    isBehindOurs = true;
    const cuda::Status status =
        device_.api().launchKernelEx(&config, phase.function, nullptr, extra);
    if (status != cuda::kSuccess) [[unlikely]] {
      fail(status, number, phase);
    }
  }
}

void CudaPlan::run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
                   void* workspace, void* stream, LibraryHost* host) const {
  const cuda::CurrentContext here(device_.api(), context_);
  RunMemory memory{arguments, outputData, static_cast<std::byte*>(workspace)};
  ArgumentBlock block;
  if (host == nullptr) [[likely]] {
    bool isBehindOurs = false;
    for (size_t i = 0; i < launches_.size(); ++i) {
      runLaunch(i, memory, block, stream, isBehindOurs);
    }
    return;
  }
  const auto launch = [&](size_t number, std::span<void* const> held) {
    memory.held = held;
    dumpArguments(launches_[number], memory);
    // In front of it may be a kernel of torch's, for which nothing waits.
    bool isBehindOurs = false;
    runLaunch(number, memory, block, stream, isBehindOurs);
  };
  runSteps(library_.get(), launches_.size(), *host, launch);
}

bool CudaPlan::isOutsideOfCaptures(void* stream) const {
  auto status = cuda::CaptureStatus::None;
  // An error is one of another stream's capture, of which the launch will say what is wrong.
  return device_.api().streamIsCapturing(static_cast<cuda::Stream>(stream), &status) ==
             cuda::kSuccess &&
         status == cuda::CaptureStatus::None;
}

cuda::KernelGraph* CudaPlan::graphOf(void* stream, const RunMemory& memory) const {
  const auto found =
      std::ranges::find(graphs_.ofStreams, stream, [](const auto& entry) { return entry.first; });
  if (found != graphs_.ofStreams.end()) [[likely]] {
    return found->second.get();
  }
  // Sizes that are met once are not worth a graph.
  if (graphs_.hasFailed || !std::exchange(graphs_.hasRun, true)) {
    return nullptr;
  }
  if (graphs_.ofStreams.size() == kMaxGraphs) {
    graphs_.ofStreams.erase(graphs_.ofStreams.begin());
  }
  if (cuda::KernelGraph::count() >= kMaxGraphsOfAll) {
    return nullptr;
  }
  std::vector<std::vector<int64_t>> arguments;
  std::vector<cuda::KernelGraph::Node> nodes;
  ArgumentBlock block;
  for (const Launch& launch : launches_) {
    const int64_t* slots = block.fill(launch, memory);
    arguments.emplace_back(slots, slots + launch.slots.size());
  }
  for (size_t i = 0; i < launches_.size(); ++i) {
    for (const Phase& phase : phases_[i]) {
      nodes.push_back({phase.function, phase.config, arguments[i], device_.overlaps(phase.config)});
    }
  }
  std::unique_ptr<cuda::KernelGraph> graph =
      cuda::KernelGraph::make(device_.api(), context_, nodes);
  if (graph == nullptr) {
    graphs_.hasFailed = true;
    return nullptr;
  }
  return graphs_.ofStreams.emplace_back(stream, std::move(graph)).second.get();
}

void CudaPlan::runAsGraph(std::span<const PolymorphicValue> arguments,
                          std::span<void* const> outputData, void* workspace, void* stream) const {
  const cuda::CurrentContext here(device_.api(), context_);
  const RunMemory memory{arguments, outputData, static_cast<std::byte*>(workspace)};
  // Also while launches are made one by one: what is in the workspace is of one run at a time.
  const std::lock_guard lock(graphs_.mutex);
  ArgumentBlock block;
  if (cuda::KernelGraph* graph = graphOf(stream, memory)) [[likely]] {
    cuda::Status status = cuda::kSuccess;
    size_t node = 0;
    for (size_t i = 0; i < launches_.size() && status == cuda::kSuccess; ++i) {
      const int64_t* slots = block.fill(launches_[i], memory);
      for (size_t phase = 0; phase < phases_[i].size() && status == cuda::kSuccess; ++phase) {
        status = graph->setArguments(node++, slots);
      }
    }
    if (status == cuda::kSuccess) [[likely]] {
      status = graph->launch(static_cast<cuda::Stream>(stream));
    }
    if (status == cuda::kSuccess) [[likely]] {
      return;
    }
    // Nothing was launched: it is done one by one, which says what is wrong if it goes on.
    graphs_.hasFailed = true;
    graphs_.ofStreams.clear();
  }
  bool isBehindOurs = false;
  for (size_t i = 0; i < launches_.size(); ++i) {
    runLaunch(i, memory, block, stream, isBehindOurs);
  }
}

std::vector<KernelProfile> CudaPlan::describeSteps(SteadyTime since) const {
  return nvfuser::describeSteps(
      library_.get(), launches_, since, [&](size_t number, KernelProfile& profile) {
        for (const Phase& phase : phases_[number]) {
          const cuda::LaunchConfig& config = phase.config;
          const cuda::FunctionUse use = device_.useOf(phase.function);
          appendExtents(profile.gridStr, {config.gridX, config.gridY, config.gridZ});
          appendExtents(profile.blockStr, {config.blockX, config.blockY, config.blockZ});
          appendExtents(profile.clusterStr, {1, clusterBlocks(launches_[number], phase.number), 1});
          appendExtents(profile.sharedMemStr, {use.sharedBytes, config.sharedMemoryBytes});
          profile.registers = std::max(profile.registers, use.registers);
        }
      });
}

void CudaPlan::fail(cuda::Status status, size_t launch, const Phase& phase) const {
  const CompiledKernel& kernel = *launches_[launch].kernel;
  device_.failLaunch(status, phase.config, kernel.functionName(phase.number), kernel.definition);
}

}  // namespace nvfuser
