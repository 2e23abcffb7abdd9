// CudaPlan: the kernels of one signature on a CUDA device, ready to be enqueued.
#pragma once

#include <span>
#include <vector>

#include "device/cuda/driver.h"
#include "runtime/launch_plan.h"
#include "runtime/plan_parts.h"

namespace nvfuser {

class CudaPlan : public LaunchPlan {
 public:
  // Raises when the device cannot run a kernel with its sizes.
  CudaPlan(PlanParts parts, cuda::GpuDevice& device);

  std::vector<KernelProfile> describeSteps(SteadyTime since) const override;
  const std::string& launchName(size_t number) const override {
    return launches_[number].kernel->kernel->name;
  }

  // Enqueues all kernels, without waiting for anything.
  void run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
           void* workspace, void* stream, LibraryHost* host) const override;

 private:
  struct Phase {
    cuda::Function function;
    cuda::LaunchConfig config;
    size_t number;
  };

  void runLaunch(size_t number, const RunMemory& memory, ArgumentBlock& block, void* stream) const;
  [[noreturn]] void fail(cuda::Status status, size_t launch, const Phase& phase) const;

  const cuda::GpuDevice& device_;
  cuda::Context context_;
  std::vector<Launch> launches_;
  // Of each launch; without those that have nothing to do.
  std::vector<std::vector<Phase>> phases_;
};

}  // namespace nvfuser
