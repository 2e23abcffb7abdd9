#include "runtime/run_profiler.h"

#include <atomic>

#include "runtime/backend.h"

namespace nvfuser {

namespace {

double toMilliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

RunProfiler::RunProfiler(const LaunchPlan& plan, int64_t fusionId, SteadyTime begin, void* stream,
                         LibraryHost* inner)
    : plan_(plan),
      fusionId_(fusionId),
      begin_(begin),
      stream_(stream),
      inner_(inner),
      timeline_(backendOf(plan.device()).makeTimeline(stream)) {}

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
  const int64_t peak = backendOf(plan_.device()).target().gpu.memoryBytesPerSecond;
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
