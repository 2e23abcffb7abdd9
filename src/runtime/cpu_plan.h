// CpuPlan: the launches of one signature on the CPU, ready to run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/launch_plan.h"
#include "runtime/plan_parts.h"
#include "schedule/tuning/cpu.h"

namespace nvfuser {

class ArenaPool;

class CpuPlan : public LaunchPlan {
 public:
  CpuPlan(PlanParts parts, const CpuTuning& tuning);
  ~CpuPlan() override;

  std::vector<KernelProfile> describeSteps(SteadyTime since) const override;
  const std::string& launchName(size_t number) const override {
    return launches_[number].kernel->name;
  }

  // Brings its own workspace.
  void run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
           void* workspace, void* stream, LibraryHost* host) const override;

 private:
  struct Phase;

  void runLaunch(size_t number, const RunMemory& memory, ArgumentBlock& block) const;

  std::vector<Launch> launches_;
  // Of each launch.
  std::vector<std::vector<Phase>> phases_;
  std::unique_ptr<ArenaPool> arena_;
};

}  // namespace nvfuser
