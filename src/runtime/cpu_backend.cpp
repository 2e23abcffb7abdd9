// The CPU: LLVM IR, machine code in this process, work shared over a thread pool.

#include "device/cpu/cache.h"
#include "device/cpu/thread_pool.h"
#include "emit/llvm.h"
#include "runtime/backend.h"
#include "runtime/cpu_plan.h"

namespace nvfuser {

namespace {

class CpuBackend : public Backend {
 public:
  Target target() const override {
    CpuProperties properties;
    properties.workers = cpu::numThreads();
    properties.lastLevelBytes = cpu::lastLevelCacheBytes();
    return withOverrides(cpuTarget(properties));
  }
  std::string emit(const kir::Kernel& kernel) const override { return emitLlvm(kernel); }
  const char* codeSuffix() const override { return "ll"; }
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
