// The CPU: LLVM IR, machine code in this process, work shared over a thread pool.

#include "device/cpu/cache.h"
#include "device/cpu/thread_pool.h"
#include "emit/llvm.h"
#include "lower/lower.h"
#include "runtime/backend.h"
#include "runtime/cpu_plan.h"

namespace nvfuser {

namespace {

class CpuBackend : public Backend {
 public:
  void describe(ScheduleContext& context) const override {
    context.device = DeviceType::CPU;
    context.numThreads = cpu::numThreads();
    context.cacheBytes = cpu::lastLevelCacheBytes();
  }
  std::unique_ptr<kir::Kernel> lower(Fusion* fusion, std::string name) const override {
    return lowerForCpu(fusion, std::move(name));
  }
  std::string emit(const kir::Kernel& kernel) const override { return emitLlvm(kernel); }
  LoadedCode load(const std::string& code,
                  const std::vector<std::string>& functions) const override {
    return llvmCompiler()(code, functions);
  }
  std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const override {
    return std::make_shared<CpuPlan>(std::move(parts));
  }
};

}  // namespace

const Backend& cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace nvfuser
