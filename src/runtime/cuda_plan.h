// CudaPlan: the kernels of one signature on a CUDA device, ready to be enqueued.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cuda/driver.h"
#include "device/cuda/kernel_graph.h"
#include "runtime/launch_plan.h"
#include "runtime/plan_parts.h"

namespace nvfuser {

class CudaPlan : public LaunchPlan {
 public:
  // Raises when the device cannot run a kernel with its sizes.
  CudaPlan(PlanParts parts, cuda::GpuDevice& device);

  std::vector<KernelProfile> describeSteps(SteadyTime since) const override;
  const std::string& launchName(size_t number) const override {
    return launches_[number].kernel->name;
  }

  // Enqueues all kernels, without waiting for anything.
  void run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
           void* workspace, void* stream, LibraryHost* host) const override;
  void runAsGraph(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
                  void* workspace, void* stream) const override;

 protected:
  bool isOutsideOfCaptures(void* stream) const override;

 private:
  struct Phase {
    cuda::Function function;
    cuda::LaunchConfig config;
    size_t number;
  };

  // `isBehindOurs` says whether the stream has a kernel of this run in front of it, which then may
  // still run when this one begins.
  void runLaunch(size_t number, const RunMemory& memory, ArgumentBlock& block, void* stream,
                 bool& isBehindOurs) const;
  // The graph of a stream, made for this run if it is not the first one; null where there is none.
  cuda::KernelGraph* graphOf(void* stream, const RunMemory& memory) const;
  [[noreturn]] void fail(cuda::Status status, size_t launch, const Phase& phase) const;

  const cuda::GpuDevice& device_;
  cuda::Context context_;
  std::vector<Launch> launches_;
  // Of each launch; without those that have nothing to do.
  std::vector<std::vector<Phase>> phases_;

  // Graphs by stream, the one made last behind: what runs on several streams is in order on each.
  struct Graphs {
    std::mutex mutex;
    bool hasRun = false;
    bool hasFailed = false;
    std::vector<std::pair<void*, std::unique_ptr<cuda::KernelGraph>>> ofStreams;
  };
  mutable Graphs graphs_;
};

}  // namespace nvfuser
