// A CUDA driver without a device: it records what it is told and answers like one that has the
// devices described here. Tests load it in place of libcuda and look at its state.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/cuda/driver_api.h"

namespace nvfuser::cuda {

struct ContextObject {
  int32_t device;
};

struct ModuleObject {
  std::string image;
  ContextObject* context;
};

struct FunctionObject {
  std::string name;
  ModuleObject* module;
  int32_t maxDynamicSharedBytes = 48 * 1024;
  bool hasLargeClusters = false;
};

struct GraphObject;

struct GraphNodeObject {
  size_t number;
  KernelNodeParams launch;
  std::vector<int64_t> arguments;
  // The one that it waits for.
  GraphNode before;
  // Not to its end.
  bool overlaps = false;
};

struct GraphObject {
  std::vector<GraphNode> nodes;
};

struct GraphExecObject {
  std::vector<GraphNodeObject> nodes;
};

}  // namespace nvfuser::cuda

namespace nvfuser::testing_support {

struct FakeLaunch {
  cuda::LaunchConfig config;
  cuda::FunctionObject* function;
  cuda::ContextObject* context;
  std::vector<int64_t> arguments;
};

struct FakeCuda {
  // ---- what tests choose
  int32_t version = 12080;
  int32_t deviceCount = 2;
  int32_t computeCapability = 90;
  int32_t multiprocessors = 132;
  int32_t staticSharedBytes = 0;
  int32_t functionMaxThreads = 1024;
  // Of the next calls of these functions; 0 for success.
  cuda::Status initStatus = 0;
  cuda::Status loadStatus = 0;
  cuda::Status launchStatus = 0;
  cuda::Status instantiateStatus = 0;
  cuda::Status updateStatus = 0;
  cuda::Status graphLaunchStatus = 0;
  // Of every stream.
  cuda::CaptureStatus captureStatus = cuda::CaptureStatus::None;

  // ---- what happened
  // Also those of graphs.
  std::vector<FakeLaunch> launches;
  int32_t graphLaunches = 0;
  // Nodes of graphs that were given other arguments.
  int32_t graphUpdates = 0;
  // Graphs that are not destroyed, and executable ones.
  int32_t graphs = 0;
  int32_t executableGraphs = 0;
  std::vector<std::string> loadedImages;
  // Calls made while the thread's capture mode was not the relaxed one.
  std::vector<std::string> unsafeCalls;
  int32_t retainedContexts = 0;
  int32_t clusterQuestions = 0;

  std::mutex mutex;
  std::map<int32_t, cuda::ContextObject*> contexts;
  std::map<std::thread::id, cuda::ContextObject*> current;
  std::map<std::thread::id, cuda::CaptureMode> captureModes;

  void reset() {
    const std::lock_guard lock(mutex);
    version = 12080;
    deviceCount = 2;
    computeCapability = 90;
    multiprocessors = 132;
    staticSharedBytes = 0;
    functionMaxThreads = 1024;
    initStatus = loadStatus = launchStatus = 0;
    instantiateStatus = updateStatus = graphLaunchStatus = 0;
    captureStatus = cuda::CaptureStatus::None;
    graphLaunches = graphUpdates = graphs = executableGraphs = 0;
    launches.clear();
    loadedImages.clear();
    unsafeCalls.clear();
    retainedContexts = 0;
    contexts.clear();
    current.clear();
    captureModes.clear();
  }
};

}  // namespace nvfuser::testing_support
