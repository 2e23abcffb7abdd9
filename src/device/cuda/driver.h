// Driver: the CUDA driver of this process and its devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/cuda/driver_api.h"
#include "device/target.h"

namespace nvfuser::cuda {

class GpuDevice;

// Immutable but for the devices, which are made when they are first asked for. Never destroyed:
// what is loaded stays loaded until the process ends.
class Driver {
 public:
  // The driver, loaded at first need; raises an Error that says what is missing. Programs that
  // never ask never load it.
  static const Driver& get();
  // From now on the driver is this library instead of the environment's NVFUSER_CUDA_DRIVER or
  // libcuda.so.1. For tests: what the previous one made must not be used any more.
  static void use(const std::string& library);
  // Undoes that.
  static void forget();

  // 1000 * major + 10 * minor of the newest CUDA it can run.
  int32_t version() const { return version_; }
  int32_t deviceCount() const { return static_cast<int32_t>(devices_.size()); }
  // Raises when there is no such device.
  GpuDevice& device(int32_t index) const;

  const DriverApi& api() const { return api_; }
  // The driver's name and text of an error.
  std::string describe(Status status) const;
  // Raises an Error with that, if it is one, after `what` was tried.
  void check(Status status, const std::string& what) const;

 private:
  explicit Driver(const std::string& library);
  static const Driver& add(const std::string& library);

  DriverApi api_;
  int32_t version_ = 0;
  std::vector<std::unique_ptr<GpuDevice>> devices_;
};

// What a function takes of a multiprocessor.
struct FunctionUse {
  // Of a thread.
  int64_t registers;
  // Of a block; what a launch adds is not in it.
  int64_t sharedBytes;
};

// One device: its properties, its primary context, which is the one that torch works in, and the
// code that was loaded into it.
class GpuDevice {
 public:
  GpuDevice(const Driver& driver, int32_t index);

  const GpuProperties& properties() const { return properties_; }
  // Clusters of so many blocks that run at a time, where a multiprocessor has memory for so many
  // blocks; 0: not known. The driver is asked once.
  int64_t clustersAtATime(int64_t clusterBlocks, int64_t ofMultiprocessor);
  // Retained at first need.
  Context context();
  const DriverApi& api() const { return driver_.api(); }

  // Functions of a module (cubin or PTX). Modules stay loaded until the process ends: captured
  // graphs and streams may run their functions at any time. One image is loaded once.
  std::vector<Function> load(const std::string& image, const std::vector<std::string>& functions);

  // Raises, naming `kernel`, when the device cannot run blocks like these, of which so many are a
  // cluster; otherwise makes the function ready for them. The stream is ignored.
  void prepare(Function function, const LaunchConfig& config, int64_t clusterBlocks,
               const std::string& kernel);

  FunctionUse useOf(Function function) const;

  // Whether a kernel may be launched before the one in front of it has ended, which it then waits
  // for itself (nvfuser/cuda/library/launch.cuh); by CUDA graphs that are captured, too.
  bool overlaps(const LaunchConfig& config) const {
    return overlapsLaunches_ &&
           uint64_t{config.gridX} * config.gridY * config.gridZ <= kOverlappedBlocks;
  }

  // Raises the error of a failed launch.
  [[noreturn]] void failLaunch(Status status, const LaunchConfig& config, const std::string& kernel,
                               const std::string& definition) const;

 private:
  int32_t attribute(DeviceAttribute attribute) const;
  int32_t attribute(FunctionAttribute attribute, Function function,
                    const std::string& kernel) const;
  void readProperties();
  int64_t countClusters(int64_t clusterBlocks, int64_t ofMultiprocessor);

  const Driver& driver_;
  int32_t index_;
  DeviceHandle handle_ = 0;
  GpuProperties properties_;
  bool overlapsLaunches_ = false;
  int64_t maxGridX_ = 0;
  int64_t maxGridY_ = 0;
  std::mutex mutex_;
  Context context_ = nullptr;
  std::unordered_map<std::string, Module> modules_;
  std::map<std::pair<int64_t, int64_t>, int64_t> clusters_;
};

// Makes a context current on this thread, and the one before current again at the end. Nearly
// always that is the one already.
class CurrentContext {
 public:
  CurrentContext(const DriverApi& api, Context context) : api_(api) {
    if (api_.ctxGetCurrent(&previous_) == kSuccess && previous_ != context) [[unlikely]] {
      changed_ = api_.ctxSetCurrent(context) == kSuccess;
    }
  }
  ~CurrentContext() {
    if (changed_) [[unlikely]] {
      api_.ctxSetCurrent(previous_);
    }
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const DriverApi& api_;
  Context previous_ = nullptr;
  bool changed_ = false;
};

// What is forbidden while a stream of the process is being captured, such as allocating memory for
// code, is allowed to this thread meanwhile: it is no part of what is captured.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverApi& api) : api_(api) {
    isChanged_ = api_.threadExchangeStreamCaptureMode(&mode_) == kSuccess;
  }
  ~RelaxedCapture() {
    if (isChanged_) {
      api_.threadExchangeStreamCaptureMode(&mode_);
    }
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const DriverApi& api_;
  CaptureMode mode_ = CaptureMode::Relaxed;
  bool isChanged_ = false;
};

}  // namespace nvfuser::cuda
