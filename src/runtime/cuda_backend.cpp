// CUDA devices: CUDA C++ compiled by NVRTC, modules of the driver, kernels enqueued on streams.

#include <map>
#include <mutex>

#include "device/cuda/driver.h"
#include "emit/cuda.h"
#include "runtime/backend.h"
#include "runtime/cuda_plan.h"

namespace nvfuser {

namespace {

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(cuda::GpuDevice& device) : device_(device) {}

  Target target() const override { return withOverrides(gpuTarget(device_.properties())); }
  std::string emit(const kir::Kernel& kernel) const override { return emitCuda(kernel); }
  const char* codeSuffix() const override { return "cu"; }
  LoadedCode load(const std::string& code,
                  const std::vector<std::string>& functions) const override {
    const std::string image = cudaCompiler()(code, device_.properties().computeCapability);
    LoadedCode loaded;
    for (cuda::Function function : device_.load(image, functions)) {
      loaded.addresses.push_back(function);
    }
    return loaded;
  }
  std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const override {
    return std::make_shared<CudaPlan>(std::move(parts), device_);
  }

 private:
  cuda::GpuDevice& device_;
};

}  // namespace

const Backend& cudaBackend(int32_t index) {
  static std::mutex mutex;
  static std::map<const cuda::GpuDevice*, CudaBackend> backends;
  cuda::GpuDevice& device = cuda::Driver::get().device(index);
  const std::lock_guard lock(mutex);
  return backends.try_emplace(&device, device).first->second;
}

}  // namespace nvfuser
