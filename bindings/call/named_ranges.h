// NamedRanges: shows the kernels of a run to profilers, by their names.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>

#include "bindings/torch/torch_interop.h"
#include "runtime/launch_plan.h"
#include "runtime/library_call.h"

namespace nvfuser {

// Whether the environment wants ranges of NVTX.
extern bool usesNvtx;

// Reads that from the environment. Raises on options that it does not know.
void rangesAsEnvironmentSays();

// Whether anything wants to know which kernels a run consists of.
inline bool wantsRanges() {
  return usesNvtx || (torchInterop.hasObservers != nullptr && torchInterop.hasObservers());
}

// A host like `inner`, which may be null where the plan makes no library calls, that opens a range
// around every step: an event of torch's profiler where one is active, a range of NVTX where that
// is wanted.
class NamedRanges final : public LibraryHost {
 public:
  NamedRanges(const LaunchPlan& plan, LibraryHost* inner) : plan_(plan), inner_(inner) {}
  ~NamedRanges() override;
  NamedRanges(const NamedRanges&) = delete;
  NamedRanges& operator=(const NamedRanges&) = delete;

  void* allocate(size_t number) override { return inner_->allocate(number); }
  void release(size_t number) override { inner_->release(number); }
  void call(const LibraryCall& call, std::span<void*> held) override;
  void beginLaunch(size_t number) override { open(plan_.launchName(number)); }
  void endLaunch(size_t /*number*/) override { close(); }

 private:
  void open(const std::string& name);
  void close();

  const LaunchPlan& plan_;
  LibraryHost* inner_;
  // What is open: of torch's profiler and of NVTX.
  nb::object event_;
  bool isNvtxOpen_ = false;
};

}  // namespace nvfuser
