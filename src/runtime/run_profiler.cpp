#include "runtime/run_profiler.h"

#include <atomic>

#include "device/cuda/driver.h"

namespace nvfuser {

namespace {

double toMilliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// Kernels on the CPU have ended when they return.
class CpuTimeline final : public Timeline {
 public:
  void mark() override { times_.push_back(std::chrono::steady_clock::now()); }
  void finish() override {}
  double milliseconds(size_t from, size_t to) const override {
    return toMilliseconds(times_[to] - times_[from]);
  }

 private:
  std::vector<SteadyTime> times_;
};

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

std::unique_ptr<Timeline> makeTimeline(Device device, void* stream) {
  if (device.type == DeviceType::CUDA) {
    return std::make_unique<CudaTimeline>(cuda::Driver::get().device(device.index), stream);
  }
  return std::make_unique<CpuTimeline>();
}

}  // namespace

RunProfiler::RunProfiler(const LaunchPlan& plan, int64_t fusionId, SteadyTime begin, void* stream,
                         LibraryHost* inner)
    : plan_(plan),
      fusionId_(fusionId),
      begin_(begin),
      stream_(stream),
      inner_(inner),
      timeline_(makeTimeline(plan.device(), stream)) {}

void RunProfiler::call(const LibraryCall& call, std::span<void*> held) {
  timeline_->mark();
  inner_->call(call, held);
  timeline_->mark();
}

void RunProfiler::beginLaunch(size_t /*number*/) { timeline_->mark(); }

void RunProfiler::endLaunch(size_t /*number*/) { timeline_->mark(); }

void RunProfiler::rate(double milliseconds, const Traffic& traffic, double& gigabytes,
                       double& percentage) const {
  if (milliseconds <= 0) {
    return;
  }
  gigabytes = static_cast<double>(traffic.total()) / milliseconds * 1e-6;
  const int64_t peak =
      plan_.device().type == DeviceType::CUDA
          ? cuda::Driver::get().device(plan_.device().index).properties().memoryBytesPerSecond
          : 0;
  if (peak > 0) {
    percentage = 100 * gigabytes * 1e9 / static_cast<double>(peak);
  }
}

FusionProfile RunProfiler::profile() {
  static std::atomic<int64_t> count = 0;
  FusionProfile result;
  result.hostTimeMs = toMilliseconds(std::chrono::steady_clock::now() - begin_);
  timeline_->finish();
  result.fusionId = fusionId_;
  result.traffic = plan_.traffic();
  result.kernels = plan_.describeSteps(begin_);
  for (size_t i = 0; i < result.kernels.size(); ++i) {
    KernelProfile& kernel = result.kernels[i];
    kernel.segmentId = static_cast<int64_t>(i);
    kernel.device = plan_.device().index;
    kernel.stream = static_cast<int64_t>(reinterpret_cast<intptr_t>(stream_));
    kernel.correlationId = ++count;
    kernel.timeMs = timeline_->milliseconds(2 * i, 2 * i + 1);
    rate(kernel.timeMs, kernel.traffic, kernel.effectiveBandwidthGbs,
         kernel.percentagePeakBandwidth);
    result.compileTimeMs += kernel.compileTimeMs;
    result.kernelTimeMs += kernel.timeMs;
  }
  if (!result.kernels.empty()) {
    result.eventTimeMs = timeline_->milliseconds(0, 2 * result.kernels.size() - 1);
  }
  rate(result.kernelTimeMs, result.traffic, result.effectiveBandwidthGbs,
       result.percentagePeakBandwidth);
  return result;
}

}  // namespace nvfuser
