// CUDA devices: CUDA C++ compiled by NVRTC, modules of the driver, kernels enqueued on streams.

#include <map>
#include <mutex>

#include "device/cuda/driver.h"
#include "emit/cuda.h"
#include "runtime/backend.h"
#include "runtime/cuda_plan.h"

namespace nvfuser {

namespace {

class CudaTimeline final : public Timeline {
 public:
  CudaTimeline(cuda::GpuDevice& device, void* stream)
      : device_(device),
        here_(device.api(), device.context()),
        stream_(static_cast<cuda::Stream>(stream)) {}
  ~CudaTimeline() override {
    for (cuda::Event event : events_) {
      device_.api().eventDestroy(event);
    }
  }
  CudaTimeline(const CudaTimeline&) = delete;
  CudaTimeline& operator=(const CudaTimeline&) = delete;

  void mark() override {
    cuda::Event event = nullptr;
    check(device_.api().eventCreate(&event, 0));
    events_.push_back(event);
    check(device_.api().eventRecord(event, stream_));
  }
  void finish() override {
    if (!events_.empty()) {
      check(device_.api().eventSynchronize(events_.back()));
    }
  }
  double milliseconds(size_t from, size_t to) const override {
    float result = 0;
    check(device_.api().eventElapsedTime(&result, events_[from], events_[to]));
    return result;
  }

 private:
  static void check(cuda::Status status) {
    cuda::Driver::get().check(status, "Measuring the time of kernels");
  }

  cuda::GpuDevice& device_;
  cuda::CurrentContext here_;
  cuda::Stream stream_;
  std::vector<cuda::Event> events_;
};

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(cuda::GpuDevice& device) : device_(device) {}

  Target target() const override {
    GpuProperties properties = device_.properties();
    properties.clustersAtATime = [this](int64_t clusterBlocks, int64_t ofMultiprocessor) {
      return device_.clustersAtATime(clusterBlocks, ofMultiprocessor);
    };
    return withOverrides(gpuTarget(std::move(properties)));
  }
  std::string emit(const kir::Kernel& kernel) const override { return emitCuda(kernel); }
  std::string emit(const kir::KernelGroup& group) const override { return emitCuda(group); }
  const char* codeSuffix() const override { return "cu"; }
  LoadedCode load(const std::string& code,
                  const std::vector<std::string>& functions) const override {
    const std::string image = cudaCompiler().compile(code, device_.properties().computeCapability);
    LoadedCode loaded;
    for (cuda::Function function : device_.load(image, functions)) {
      loaded.addresses.push_back(function);
    }
    return loaded;
  }
  std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const override {
    return std::make_shared<CudaPlan>(std::move(parts), device_);
  }
  std::string withLibrary(const std::string& code) const override {
    return cudaCompiler().withLibrary(code);
  }
  std::unique_ptr<Timeline> makeTimeline(void* stream) const override {
    return std::make_unique<CudaTimeline>(device_, stream);
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
