// The CUDA driver's C interface, as far as it is used: declarations of our own.
//
// Names, values and layouts are those of the public driver API, which cannot change within what
// cuDriverGetVersion() promises. Declaring them here instead of including cuda.h means that neither
// building nor installing needs a CUDA toolkit: the library is loaded at first need.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvfuser::cuda {

using Status = int32_t;
inline constexpr Status kSuccess = 0;
// From this code on, an error may be that of a kernel that was launched before, and ends the
// context: CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED.
inline constexpr Status kFirstKernelError = 700;
inline constexpr Status kLastKernelError = 719;

using DeviceHandle = int32_t;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Graph = struct GraphObject*;
using GraphNode = struct GraphNodeObject*;
using GraphExec = struct GraphExecObject*;

enum class DeviceAttribute : int32_t {
  MaxThreadsPerBlock = 1,
  MaxGridX = 5,
  MaxGridY = 6,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,  // kHz
  GlobalMemoryBusWidth = 37,
  L2CacheSize = 38,
  MaxThreadsPerMultiprocessor = 39,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerMultiprocessor = 81,
  MaxRegistersPerMultiprocessor = 82,
  MaxSharedMemoryPerBlockOptin = 97,
  MaxBlocksPerMultiprocessor = 106
};

enum class FunctionAttribute : int32_t {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  NumRegisters = 4,
  MaxDynamicSharedSizeBytes = 8,
  NonPortableClusterSizeAllowed = 14
};

enum class CaptureMode : int32_t { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class CaptureStatus : int32_t { None = 0, Active = 1, Invalidated = 2 };

// Of a launch: whether it may begin before what the stream has in front of it has ended, which the
// kernel then waits for itself. The only attribute in use.
struct LaunchAttribute {
  uint32_t id = 6;  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  uint32_t padding = 0;
  int32_t value[16] = {1};
};
static_assert(sizeof(LaunchAttribute) == 72 && offsetof(LaunchAttribute, value) == 8);
// Of another kind: the blocks of a cluster along x, y and z
// (CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).
inline constexpr uint32_t kClusterDimension = 4;

// Of an edge between nodes of a graph: likewise (CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, from
// CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC). The only kind in use.
struct GraphEdge {
  uint8_t from = 1;
  uint8_t to = 0;
  uint8_t type = 1;
  uint8_t reserved[5] = {};
};
static_assert(sizeof(GraphEdge) == 8);

struct LaunchConfig {
  uint32_t gridX = 1;
  uint32_t gridY = 1;
  uint32_t gridZ = 1;
  uint32_t blockX = 1;
  uint32_t blockY = 1;
  uint32_t blockZ = 1;
  uint32_t sharedMemoryBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  uint32_t attributeCount = 0;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32);

// A launch as a node of a graph.
struct KernelNodeParams {
  Function function = nullptr;
  uint32_t gridX = 1;
  uint32_t gridY = 1;
  uint32_t gridZ = 1;
  uint32_t blockX = 1;
  uint32_t blockY = 1;
  uint32_t blockZ = 1;
  uint32_t sharedMemoryBytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};
static_assert(sizeof(KernelNodeParams) == 72 && offsetof(KernelNodeParams, parameters) == 40);

// What `extra` of a launch consists of, ended by null: the arguments as one block.
inline void* const kLaunchBufferPointer = reinterpret_cast<void*>(1);
inline void* const kLaunchBufferSize = reinterpret_cast<void*>(2);

// Name here, exported name, parameters.
#define NVFUSER_CUDA_DRIVER_FUNCTIONS(X)                                                          \
  X(init, "cuInit", (uint32_t flags))                                                             \
  X(driverGetVersion, "cuDriverGetVersion", (int32_t* version))                                   \
  X(getErrorName, "cuGetErrorName", (Status status, const char** name))                           \
  X(getErrorString, "cuGetErrorString", (Status status, const char** text))                       \
  X(deviceGetCount, "cuDeviceGetCount", (int32_t* count))                                         \
  X(deviceGet, "cuDeviceGet", (DeviceHandle * device, int32_t ordinal))                           \
  X(deviceGetName, "cuDeviceGetName", (char* name, int32_t length, DeviceHandle device))          \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t* bytes, DeviceHandle device))                  \
  X(deviceGetAttribute, "cuDeviceGetAttribute",                                                   \
    (int32_t* value, DeviceAttribute attribute, DeviceHandle device))                             \
  X(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context * context, DeviceHandle device)) \
  X(ctxGetCurrent, "cuCtxGetCurrent", (Context * context))                                        \
  X(ctxSetCurrent, "cuCtxSetCurrent", (Context context))                                          \
  X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (CaptureMode * mode))   \
  X(moduleLoadData, "cuModuleLoadData", (Module * module, const void* image))                     \
  X(moduleGetFunction, "cuModuleGetFunction",                                                     \
    (Function * function, Module module, const char* name))                                       \
  X(funcGetAttribute, "cuFuncGetAttribute",                                                       \
    (int32_t* value, FunctionAttribute attribute, Function function))                             \
  X(funcSetAttribute, "cuFuncSetAttribute",                                                       \
    (Function function, FunctionAttribute attribute, int32_t value))                              \
  X(launchKernelEx, "cuLaunchKernelEx",                                                           \
    (const LaunchConfig* config, Function function, void** parameters, void** extra))             \
  X(streamIsCapturing, "cuStreamIsCapturing", (Stream stream, CaptureStatus * status))            \
  X(graphCreate, "cuGraphCreate", (Graph * graph, uint32_t flags))                                \
  X(graphAddKernelNode, "cuGraphAddKernelNode_v2",                                                \
    (GraphNode * node, Graph graph, const GraphNode* before, size_t beforeCount,                  \
     const KernelNodeParams* launch))                                                             \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                                              \
    (GraphExec * executable, Graph graph, uint64_t flags))                                        \
  X(graphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                            \
    (GraphExec executable, GraphNode node, const KernelNodeParams* launch))                       \
  X(graphLaunch, "cuGraphLaunch", (GraphExec executable, Stream stream))                          \
  X(graphExecDestroy, "cuGraphExecDestroy", (GraphExec executable))                               \
  X(graphDestroy, "cuGraphDestroy", (Graph graph))                                                \
  X(eventCreate, "cuEventCreate", (Event * event, uint32_t flags))                                \
  X(eventRecord, "cuEventRecord", (Event event, Stream stream))                                   \
  X(eventSynchronize, "cuEventSynchronize", (Event event))                                        \
  X(eventElapsedTime, "cuEventElapsedTime", (float* milliseconds, Event start, Event end))        \
  X(eventDestroy, "cuEventDestroy_v2", (Event event))

// Since CUDA 12.3; null in drivers before.
#define NVFUSER_CUDA_NEWER_DRIVER_FUNCTIONS(X)                                        \
  X(graphAddDependencies, "cuGraphAddDependencies_v2",                                \
    (Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdge* edges, \
     size_t count))                                                                   \
  X(occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                       \
    (int32_t* clusters, Function function, const LaunchConfig* config))

struct DriverApi {
#define NVFUSER_DECLARE(name, symbol, parameters) Status(*name) parameters = nullptr;
  NVFUSER_CUDA_DRIVER_FUNCTIONS(NVFUSER_DECLARE)
  NVFUSER_CUDA_NEWER_DRIVER_FUNCTIONS(NVFUSER_DECLARE)
#undef NVFUSER_DECLARE
};

}  // namespace nvfuser::cuda
