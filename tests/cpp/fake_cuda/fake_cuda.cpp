// The fake driver's entry points: see fake_cuda.h.

#include "fake_cuda.h"

#include <cstring>
#include <deque>
#include <utility>

using namespace nvfuser::cuda;
using nvfuser::testing_support::FakeCuda;

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr Status kInvalidValue = 1;
constexpr Status kInvalidContext = 201;
constexpr Status kNotFound = 500;

FakeCuda& state() {
  static auto* const fake = new FakeCuda;
  return *fake;
}

// Objects live as long as the process, as handles to them may be kept.
template <typename T>
T* make(T object) {
  static auto* const all = new std::deque<T>;
  return &all->emplace_back(std::move(object));
}

ContextObject* currentContext() { return state().current[std::this_thread::get_id()]; }

void noteUnsafe(const char* name) {
  if (state().captureModes[std::this_thread::get_id()] != CaptureMode::Relaxed) {
    state().unsafeCalls.emplace_back(name);
  }
}

}  // namespace

FAKE_EXPORT FakeCuda* fakeCuda() { return &state(); }

FAKE_EXPORT Status cuInit(uint32_t) { return state().initStatus; }

FAKE_EXPORT Status cuDriverGetVersion(int32_t* version) {
  *version = state().version;
  return kSuccess;
}

FAKE_EXPORT Status cuGetErrorName(Status status, const char** name) {
  *name = status == kInvalidValue ? "CUDA_ERROR_INVALID_VALUE"
          : status == 100         ? "CUDA_ERROR_NO_DEVICE"
          : status == 200         ? "CUDA_ERROR_INVALID_IMAGE"
          : status == 700         ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                  : nullptr;
  return *name == nullptr ? kInvalidValue : kSuccess;
}

FAKE_EXPORT Status cuGetErrorString(Status status, const char** text) {
  *text = status == kInvalidValue ? "invalid argument" : "another error";
  return kSuccess;
}

FAKE_EXPORT Status cuDeviceGetCount(int32_t* count) {
  *count = state().deviceCount;
  return kSuccess;
}

FAKE_EXPORT Status cuDeviceGet(DeviceHandle* device, int32_t ordinal) {
  *device = 100 + ordinal;
  return kSuccess;
}

FAKE_EXPORT Status cuDeviceGetName(char* name, int32_t length, DeviceHandle device) {
  std::strncpy(name, device == 100 ? "Fake GPU 0" : "Fake GPU 1", static_cast<size_t>(length));
  return kSuccess;
}

FAKE_EXPORT Status cuDeviceTotalMem_v2(size_t* bytes, DeviceHandle) {
  *bytes = size_t{1} << 37;
  return kSuccess;
}

FAKE_EXPORT Status cuDeviceGetAttribute(int32_t* value, DeviceAttribute attribute, DeviceHandle) {
  switch (attribute) {
    case DeviceAttribute::MaxThreadsPerBlock:
      *value = 1024;
      break;
    case DeviceAttribute::MaxGridX:
      *value = 0x7fffffff;
      break;
    case DeviceAttribute::MaxGridY:
      *value = 65535;
      break;
    case DeviceAttribute::MultiprocessorCount:
      *value = state().multiprocessors;
      break;
    case DeviceAttribute::MemoryClockRate:
      *value = 2619000;
      break;
    case DeviceAttribute::GlobalMemoryBusWidth:
      *value = 5120;
      break;
    case DeviceAttribute::L2CacheSize:
      *value = 50 << 20;
      break;
    case DeviceAttribute::MaxThreadsPerMultiprocessor:
      *value = 2048;
      break;
    case DeviceAttribute::ComputeCapabilityMajor:
      *value = state().computeCapability / 10;
      break;
    case DeviceAttribute::ComputeCapabilityMinor:
      *value = state().computeCapability % 10;
      break;
    case DeviceAttribute::MaxSharedMemoryPerMultiprocessor:
      *value = 228 * 1024;
      break;
    case DeviceAttribute::MaxRegistersPerMultiprocessor:
      *value = 65536;
      break;
    case DeviceAttribute::MaxSharedMemoryPerBlockOptin:
      *value = 227 * 1024;
      break;
    case DeviceAttribute::MaxBlocksPerMultiprocessor:
      *value = 32;
      break;
    default:
      return kInvalidValue;
  }
  return kSuccess;
}

FAKE_EXPORT Status cuDevicePrimaryCtxRetain(Context* context, DeviceHandle device) {
  const std::lock_guard lock(state().mutex);
  noteUnsafe("cuDevicePrimaryCtxRetain");
  ContextObject*& known = state().contexts[device - 100];
  if (known == nullptr) {
    known = make(ContextObject{device - 100});
  }
  ++state().retainedContexts;
  *context = known;
  return kSuccess;
}

FAKE_EXPORT Status cuCtxGetCurrent(Context* context) {
  const std::lock_guard lock(state().mutex);
  *context = currentContext();
  return kSuccess;
}

FAKE_EXPORT Status cuCtxSetCurrent(Context context) {
  const std::lock_guard lock(state().mutex);
  state().current[std::this_thread::get_id()] = context;
  return kSuccess;
}

FAKE_EXPORT Status cuThreadExchangeStreamCaptureMode(CaptureMode* mode) {
  const std::lock_guard lock(state().mutex);
  std::swap(state().captureModes[std::this_thread::get_id()], *mode);
  return kSuccess;
}

FAKE_EXPORT Status cuModuleLoadData(Module* module, const void* image) {
  const std::lock_guard lock(state().mutex);
  noteUnsafe("cuModuleLoadData");
  if (currentContext() == nullptr) {
    return kInvalidContext;
  }
  if (state().loadStatus != kSuccess) {
    return state().loadStatus;
  }
  *module = make(ModuleObject{static_cast<const char*>(image), currentContext()});
  state().loadedImages.push_back((*module)->image);
  return kSuccess;
}

FAKE_EXPORT Status cuModuleGetFunction(Function* function, Module module, const char* name) {
  const std::lock_guard lock(state().mutex);
  if (module->image.find(std::string(" ") + name + "(") == std::string::npos) {
    return kNotFound;
  }
  *function = make(FunctionObject{name, module});
  return kSuccess;
}

FAKE_EXPORT Status cuFuncGetAttribute(int32_t* value, FunctionAttribute attribute,
                                      Function function) {
  switch (attribute) {
    case FunctionAttribute::MaxThreadsPerBlock:
      *value = state().functionMaxThreads;
      break;
    case FunctionAttribute::SharedSizeBytes:
      *value = state().staticSharedBytes;
      break;
    case FunctionAttribute::NumRegisters:
      *value = 32;
      break;
    case FunctionAttribute::NonPortableClusterSizeAllowed:
      *value = function->hasLargeClusters ? 1 : 0;
      break;
    case FunctionAttribute::MaxDynamicSharedSizeBytes:
      *value = function->maxDynamicSharedBytes;
      break;
  }
  return kSuccess;
}

FAKE_EXPORT Status cuFuncSetAttribute(Function function, FunctionAttribute attribute,
                                      int32_t value) {
  if (attribute == FunctionAttribute::NonPortableClusterSizeAllowed) {
    function->hasLargeClusters = value != 0;
    return kSuccess;
  }
  if (attribute != FunctionAttribute::MaxDynamicSharedSizeBytes) {
    return kInvalidValue;
  }
  function->maxDynamicSharedBytes = value;
  return kSuccess;
}

FAKE_EXPORT Status cuOccupancyMaxActiveClusters(int32_t* clusters, Function function,
                                                const LaunchConfig* config) {
  const std::lock_guard lock(state().mutex);
  ++state().clusterQuestions;
  const int32_t blocks = config->attributes[0].value[1];
  if (config->attributeCount != 1 || config->attributes[0].id != kClusterDimension ||
      config->sharedMemoryBytes > static_cast<uint32_t>(function->maxDynamicSharedBytes) ||
      (blocks > 8 && !function->hasLargeClusters)) {
    return kInvalidValue;
  }
  // Ten parts of a device, of 13 multiprocessors with 228 KB each.
  *clusters =
      10 * (13 * ((228 << 10) / (static_cast<int32_t>(config->sharedMemoryBytes) + 1024)) / blocks);
  return kSuccess;
}

FAKE_EXPORT Status cuLaunchKernelEx(const LaunchConfig* config, Function function,
                                    void** parameters, void** extra) {
  const std::lock_guard lock(state().mutex);
  if (currentContext() == nullptr || currentContext() != function->module->context) {
    return kInvalidContext;
  }
  const bool isBlock = parameters == nullptr && extra != nullptr &&
                       extra[0] == kLaunchBufferPointer && extra[2] == kLaunchBufferSize &&
                       extra[4] == nullptr;
  if (!isBlock || config->gridX == 0 || config->gridY == 0 || config->gridZ == 0 ||
      config->sharedMemoryBytes > static_cast<uint32_t>(function->maxDynamicSharedBytes)) {
    return kInvalidValue;
  }
  if (state().launchStatus != kSuccess) {
    return state().launchStatus;
  }
  const auto* slots = static_cast<const int64_t*>(extra[1]);
  const size_t count = *static_cast<const size_t*>(extra[3]) / sizeof(int64_t);
  state().launches.push_back({*config, function, currentContext(), {slots, slots + count}});
  return kSuccess;
}

FAKE_EXPORT Status cuStreamIsCapturing(Stream, CaptureStatus* status) {
  *status = state().captureStatus;
  return kSuccess;
}

namespace {

Status readNode(const KernelNodeParams& launch, GraphNodeObject& node) {
  if (launch.parameters != nullptr || launch.extra == nullptr || launch.extra[4] != nullptr ||
      launch.context != launch.function->module->context) {
    return kInvalidValue;
  }
  const auto* slots = static_cast<const int64_t*>(launch.extra[1]);
  node.arguments.assign(slots,
                        slots + *static_cast<const size_t*>(launch.extra[3]) / sizeof(int64_t));
  node.launch = launch;
  return kSuccess;
}

}  // namespace

FAKE_EXPORT Status cuGraphCreate(Graph* graph, uint32_t) {
  ++state().graphs;
  *graph = new GraphObject;
  return kSuccess;
}

FAKE_EXPORT Status cuGraphDestroy(Graph graph) {
  --state().graphs;
  delete graph;
  return kSuccess;
}

FAKE_EXPORT Status cuGraphAddKernelNode_v2(GraphNode* node, Graph graph, const GraphNode* before,
                                           size_t beforeCount, const KernelNodeParams* launch) {
  *node = make(GraphNodeObject{graph->nodes.size(), {}, {}, beforeCount == 1 ? *before : nullptr});
  graph->nodes.push_back(*node);
  return readNode(*launch, **node);
}

FAKE_EXPORT Status cuGraphAddDependencies_v2(Graph, const GraphNode* from, const GraphNode* to,
                                             const GraphEdge* edges, size_t count) {
  if (count != 1 || edges->type != 1 || edges->from != 1 || (*to)->before != nullptr) {
    return kInvalidValue;
  }
  (*to)->before = *from;
  (*to)->overlaps = true;
  return kSuccess;
}

FAKE_EXPORT Status cuGraphInstantiateWithFlags(GraphExec* executable, Graph graph, uint64_t) {
  noteUnsafe("cuGraphInstantiateWithFlags");
  if (state().instantiateStatus != kSuccess) {
    return state().instantiateStatus;
  }
  *executable = new GraphExecObject;
  ++state().executableGraphs;
  for (const GraphNode node : graph->nodes) {
    const bool isNext =
        node->before == (node->number == 0 ? nullptr : graph->nodes[node->number - 1]);
    if (!isNext) {
      return kInvalidValue;
    }
    (*executable)->nodes.push_back(*node);
  }
  return kSuccess;
}

FAKE_EXPORT Status cuGraphExecKernelNodeSetParams_v2(GraphExec executable, GraphNode node,
                                                     const KernelNodeParams* launch) {
  ++state().graphUpdates;
  return state().updateStatus != kSuccess ? state().updateStatus
                                          : readNode(*launch, executable->nodes[node->number]);
}

FAKE_EXPORT Status cuGraphLaunch(GraphExec executable, Stream stream) {
  const std::lock_guard lock(state().mutex);
  if (state().graphLaunchStatus != kSuccess) {
    return state().graphLaunchStatus;
  }
  ++state().graphLaunches;
  for (const GraphNodeObject& node : executable->nodes) {
    const KernelNodeParams& c = node.launch;
    LaunchConfig config{
        c.gridX, c.gridY, c.gridZ, c.blockX, c.blockY, c.blockZ, c.sharedMemoryBytes, stream};
    config.attributeCount = node.overlaps ? 1 : 0;
    state().launches.push_back({config, c.function, currentContext(), node.arguments});
  }
  return kSuccess;
}

FAKE_EXPORT Status cuGraphExecDestroy(GraphExec executable) {
  --state().executableGraphs;
  delete executable;
  return kSuccess;
}

// Events are numbered; a millisecond passes between one and the next.
namespace nvfuser::cuda {
struct EventObject {
  float milliseconds = 0;
};
}  // namespace nvfuser::cuda

FAKE_EXPORT Status cuEventCreate(Event* event, uint32_t) {
  *event = new EventObject;
  return kSuccess;
}

FAKE_EXPORT Status cuEventRecord(Event event, Stream) {
  static float last = 0;
  event->milliseconds = ++last;
  return kSuccess;
}

FAKE_EXPORT Status cuEventSynchronize(Event) { return kSuccess; }

FAKE_EXPORT Status cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  *milliseconds = end->milliseconds - start->milliseconds;
  return kSuccess;
}

FAKE_EXPORT Status cuEventDestroy_v2(Event event) {
  delete event;
  return kSuccess;
}
