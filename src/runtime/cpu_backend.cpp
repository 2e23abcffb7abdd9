// The CPU: LLVM IR, machine code in this process, work shared over a thread pool.

#include "core/error.h"
#include "device/cpu/cache.h"
#include "device/cpu/thread_pool.h"
#include "device/cpu/vectors.h"
#include "emit/llvm.h"
#include "runtime/backend.h"
#include "runtime/cpu_plan.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {

namespace {

// Kernels on the CPU have ended when they return.
class CpuTimeline final : public Timeline {
 public:
  void mark() override { times_.push_back(std::chrono::steady_clock::now()); }
  void finish() override {}
  double milliseconds(size_t from, size_t to) const override {
    return std::chrono::duration<double, std::milli>(times_[to] - times_[from]).count();
  }

 private:
  std::vector<SteadyTime> times_;
};

class CpuBackend : public Backend {
 public:
  Target target() const override {
    CpuProperties properties;
    properties.workers = cpu::numThreads();
    properties.lastLevelBytes = cpu::lastLevelCacheBytes();
    Target target = cpuTarget(properties);
    target.capabilities.hasMaskedVectors = cpu::hasMaskedVectors();
    return withOverrides(std::move(target));
  }
  std::string emit(const kir::Kernel& kernel) const override { return emitLlvm(kernel); }
  std::string emit(const kir::KernelGroup& group) const override {
    fail("Not a kernel for the CPU: ", group.name);
  }
  const char* codeSuffix() const override { return "ll"; }
  LoadedCode load(const std::string& code,
                  const std::vector<std::string>& functions) const override {
    return llvmCompiler().compile(code, functions);
  }
  std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const override {
    return std::make_shared<CpuPlan>(std::move(parts), tuningFor(target()).cpu);
  }
  std::string withLibrary(const std::string& code) const override {
    return llvmCompiler().withLibrary(code);
  }
  std::unique_ptr<Timeline> makeTimeline(void* /*stream*/) const override {
    return std::make_unique<CpuTimeline>();
  }
};

}  // namespace

const Backend& cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace nvfuser
