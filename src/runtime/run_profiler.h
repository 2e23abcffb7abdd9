// RunProfiler: measures one run of a plan.
#pragma once

#include <memory>
#include <span>

#include "runtime/library_call.h"
#include "runtime/profile.h"
#include "runtime/timeline.h"

namespace nvfuser {

// A host like `inner`, which may be null where the plan makes no library calls, that takes the time
// of every step between the two. A plan that is given a host takes a path of its own, so that other
// runs do not pay for this.
class RunProfiler final : public LibraryHost {
 public:
  // `begin` is when the call began.
  RunProfiler(const LaunchPlan& plan, int64_t fusionId, SteadyTime begin, void* stream,
              LibraryHost* inner);

  void* allocate(size_t number) override { return inner_->allocate(number); }
  void release(size_t number) override { inner_->release(number); }
  void call(const LibraryCall& call, std::span<void*> held) override;
  void beginLaunch(size_t number) override;
  void endLaunch(size_t number) override;

  // After the run; waits for the device.
  FusionProfile profile();

 private:
  void rate(double milliseconds, const Traffic& traffic, double& gigabytes,
            double& percentage) const;

  const LaunchPlan& plan_;
  int64_t fusionId_;
  SteadyTime begin_;
  void* stream_;
  LibraryHost* inner_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace nvfuser
