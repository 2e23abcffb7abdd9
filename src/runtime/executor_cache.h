// FusionExecutorCache: compiles a fusion for each kind of arguments it is called with, and keeps
// the results.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"
#include "runtime/kernel_params.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

class Backend;
class ExpressionEvaluator;
struct Cut;
struct Target;

struct ExecuteOptions {
  // Requested device; none means that of the inputs.
  std::optional<Device> device;
  // CUDA: a power of two that divides the addresses of all outputs, at most what fresh ones have.
  int64_t outputAlignment = kVectorBytes;
  std::vector<std::string> enable;
  std::vector<std::string> disable;
};

// Where a call runs: on the first CUDA device among its tensors, with the CPU where all are there.
// 0-dim CPU tensors do not matter.
Device chooseDevice(std::span<const PolymorphicValue> arguments,
                    const std::optional<Device>& requested);

class FusionExecutorCache {
 public:
  // Without `autoSchedule` the fusion runs as it is scheduled. `layouts`: how inputs are divided
  // among devices, by position, beside what the definition says.
  explicit FusionExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId = 0,
                               bool autoSchedule = true, const multidevice::Layouts& layouts = {});
  ~FusionExecutorCache();

  // The plan for these arguments: the last one when the signature is unchanged, else from the table
  // of known signatures, else made now (compiling where needed). Raises on arguments that do not
  // fit. Says where asked whether it was made now.
  std::shared_ptr<const LaunchPlan> plan(std::span<const PolymorphicValue> arguments,
                                         const ExecuteOptions& options = {}, bool* isNew = nullptr);

  // For fusions that are scheduled by hand: from now on, plans are made with these.
  void setParams(const LaunchParams& launchConstraints, const CompileParams& compileParams);

  // From now on, plans are made with these options on.
  void enable(const std::vector<std::string>& options);

  bool isCompiled(std::span<const PolymorphicValue> arguments) const;
  // What was defined. Where its tensors are divided among devices, others are executed: those of
  // this device, as in the last call.
  const std::shared_ptr<Fusion>& fusion() const { return definition_; }
  std::shared_ptr<Fusion> localFusion() const;
  // How outputs are divided; none where no tensor has a mesh.
  const std::vector<multidevice::TensorLayout>& outputLayouts() const { return outputLayouts_; }
  int64_t fusionId() const { return fusionId_; }

  // Generated code, and what it runs on, and scheduled IR for arguments of a signature that has
  // been run.
  struct Code {
    std::string text;
    const Backend* backend;
  };
  Code kernelCode(std::span<const PolymorphicValue> arguments) const;
  std::string scheduledIr(std::span<const PolymorphicValue> arguments, bool tensorTransforms) const;
  std::string mostRecentScheduledIr(bool tensorTransforms) const;

  // That of the last call, null before the first one.
  std::shared_ptr<const LaunchPlan> lastPlan() const;
  // For each pair of segments of a plan of which one reads what the other computes: why they are
  // not one kernel. None when the plan is no longer known.
  std::vector<Cut> cuts(const LaunchPlan& plan) const;
  // For each segment of a plan what it computes of the tensors of the fusion; none when the plan is
  // no longer known.
  std::vector<std::vector<const Val*>> segments(const LaunchPlan& plan) const;

 private:
  struct State;
  struct Program;
  // What is run for sizes, which the evaluator is bound to.
  Program& programFor(ExpressionEvaluator& evaluator, const Target& target) const;

  // Shared with the handles of its nodes, which stay valid after execution.
  std::shared_ptr<Fusion> definition_;
  // What this process runs, the definition itself where that is not divided among devices. Products
  // are computed in steps only where the user asks for it.
  std::shared_ptr<Fusion> fusion_;
  std::vector<multidevice::TensorLayout> outputLayouts_;
  int64_t fusionId_;
  bool autoSchedule_;
  std::unique_ptr<State> state_;
};

}  // namespace nvfuser
