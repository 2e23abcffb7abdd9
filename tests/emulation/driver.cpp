// The CUDA driver of a machine without one: the entry points of libcuda that the CUDA backend uses,
// with their names, their ABI and their errors, for one device with the properties of an H200.
//
// What it loads as a "cubin" is a shared library of the host, made by compiling a generated kernel
// with device_code.h in front of it. A launch runs the kernel at once, one block after the other.
// cuGetErrorString() says what went wrong in a launch, not just that something did.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "block.h"
#include "files.h"
#include "memory.h"

namespace {

using emulation::Index3;

enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchOutOfResources = 701,
  kLaunchFailed = 719,
};

struct ErrorText {
  Result result;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

struct Attribute {
  int number;
  int value;
};
// By the numbers of CUdevice_attribute.
constexpr Attribute kDeviceAttributes[] = {
    {1, 1024},         // MAX_THREADS_PER_BLOCK
    {2, 1024},         // MAX_BLOCK_DIM_X
    {3, 1024},         // MAX_BLOCK_DIM_Y
    {4, 64},           // MAX_BLOCK_DIM_Z
    {5, 2147483647},   // MAX_GRID_DIM_X
    {6, 65535},        // MAX_GRID_DIM_Y
    {7, 65535},        // MAX_GRID_DIM_Z
    {8, 49152},        // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 65536},        // TOTAL_CONSTANT_MEMORY
    {10, 32},          // WARP_SIZE
    {11, 2147483647},  // MAX_PITCH
    {12, 65536},       // MAX_REGISTERS_PER_BLOCK
    {13, 1980000},     // CLOCK_RATE, kHz
    {14, 512},         // TEXTURE_ALIGNMENT
    {16, 132},         // MULTIPROCESSOR_COUNT
    {17, 0},           // KERNEL_EXEC_TIMEOUT
    {18, 0},           // INTEGRATED
    {19, 1},           // CAN_MAP_HOST_MEMORY
    {20, 0},           // COMPUTE_MODE
    {31, 1},           // CONCURRENT_KERNELS
    {32, 1},           // ECC_ENABLED
    {33, 1},           // PCI_BUS_ID
    {34, 0},           // PCI_DEVICE_ID
    {36, 3201000},     // MEMORY_CLOCK_RATE, kHz
    {37, 6144},        // GLOBAL_MEMORY_BUS_WIDTH
    {38, 512},         // L2_CACHE_SIZE: small tensors are on both sides of it
    {39, 2048},        // MAX_THREADS_PER_MULTIPROCESSOR
    {40, 3},           // ASYNC_ENGINE_COUNT
    {41, 1},           // UNIFIED_ADDRESSING
    {50, 0},           // PCI_DOMAIN_ID
    {75, 9},           // COMPUTE_CAPABILITY_MAJOR
    {76, 0},           // COMPUTE_CAPABILITY_MINOR
    {78, 1},           // STREAM_PRIORITIES_SUPPORTED
    {79, 1},           // GLOBAL_L1_CACHE_SUPPORTED
    {80, 1},           // LOCAL_L1_CACHE_SUPPORTED
    {81, 233472},      // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {82, 65536},       // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 1},           // MANAGED_MEMORY
    {95, 1},           // COOPERATIVE_LAUNCH
    {97, 232448},      // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    {106, 32},         // MAX_BLOCKS_PER_MULTIPROCESSOR
    {108, 26214400},   // MAX_PERSISTING_L2_CACHE_SIZE
    {111, 1024},       // RESERVED_SHARED_MEMORY_PER_BLOCK
    {115, 1},          // MEMORY_POOLS_SUPPORTED
    {120, 1},          // CLUSTER_LAUNCH
};
constexpr const char* kDeviceName = "Emulated NVIDIA H200";
constexpr size_t kDeviceMemory = 150'754'820'096;
constexpr int kDriverVersion = 13000;
constexpr unsigned kMaxGridYz = 65535;
constexpr unsigned kMaxBlockXy = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr int kSharedBytes = 49152;
constexpr int kSharedBytesOptIn = 232448;

// By the numbers of CUfunction_attribute.
enum FunctionAttribute {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionConstantBytes = 2,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionPtxVersion = 5,
  kFunctionBinaryVersion = 6,
  kFunctionMaxDynamicSharedBytes = 8,
  kFunctionCarveout = 9,
  kFunctionNonPortableCluster = 14,
};
constexpr int kRegisters = 32;

struct Context {
  int references = 0;
};
struct Module;
struct Function {
  Module* module;
  std::string name;
  const emulation::KernelDescription* kernel;
  int maxDynamicSharedBytes = kSharedBytes;
  int carveout = -1;
  bool hasLargeClusters = false;
};
struct Module {
  ~Module() {
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
  std::string image;
  void* handle = nullptr;
  // Its addresses.
  uintptr_t begin = 0;
  uintptr_t end = 0;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Event {
  std::optional<std::chrono::steady_clock::time_point> time;
};

// One call at a time: a launch has the only device for itself.
std::recursive_mutex mutex;
bool isInitialized = false;
Context primaryContext;
thread_local std::vector<Context*> contexts;
std::map<Module*, std::unique_ptr<Module>> modules;
std::string lastFailure;
int64_t launchCount = 0;
double inaccuracy = 0.0;
bool isCapturing = false;

Result checkContext() {
  if (!isInitialized) {
    return kNotInitialized;
  }
  return contexts.empty() || contexts.back() == nullptr || primaryContext.references == 0
             ? kInvalidContext
             : kSuccess;
}

#define CHECK_CONTEXT                                           \
  const std::scoped_lock lock(mutex);                           \
  if (const Result valid = checkContext(); valid != kSuccess) { \
    return valid;                                               \
  }                                                             \
  static_assert(true)

// A shared library ends with its last section or the table of sections.
size_t imageBytes(const unsigned char* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN) {
    return 0;
  }
  size_t end = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, image + header.e_shoff + size_t{i} * header.e_shentsize, sizeof(section));
    if (section.sh_type != SHT_NOBITS) {
      end = std::max<size_t>(end, section.sh_offset + section.sh_size);
    }
  }
  return end;
}

// The addresses that a loaded library takes up.
void findExtent(Module& module) {
  const link_map* map = nullptr;
  dlinfo(module.handle, RTLD_DI_LINKMAP, &map);
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& found = *static_cast<std::pair<Module*, const link_map*>*>(data);
    if (info->dlpi_addr != found.second->l_addr) {
      return 0;
    }
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD) {
        begin = std::min<uintptr_t>(begin, info->dlpi_addr + header.p_vaddr);
        end = std::max<uintptr_t>(end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
      }
    }
    found.first->begin = begin;
    found.first->end = end;
    return 1;
  };
  std::pair<Module*, const link_map*> search{&module, map};
  dl_iterate_phdr(visit, &search);
}

Result loadModule(Module** result, const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  const size_t size = imageBytes(bytes);
  if (size == 0) {
    return kInvalidImage;
  }
  auto module = std::make_unique<Module>();
  module->image.assign(reinterpret_cast<const char*>(bytes), size);
  const std::string path = emulation::writeTemporaryFile(module->image);
  module->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  if (module->handle == nullptr) {
    std::fprintf(stderr, "CUDA emulation: %s\n", dlerror());
    return kInvalidImage;
  }
  findExtent(*module);
  *result = module.get();
  modules[module.get()] = std::move(module);
  return kSuccess;
}

Result findFunction(Function** result, Module* module, const char* name) {
  if (!modules.contains(module)) {
    return kInvalidHandle;
  }
  std::unique_ptr<Function>& function = module->functions[name];
  if (function == nullptr) {
    const std::string symbol = std::string("emulated_kernel_") + name;
    const void* description = dlsym(module->handle, symbol.c_str());
    if (description == nullptr) {
      description = dlsym(module->handle, "emulated_any_kernel");
    }
    if (description == nullptr) {
      module->functions.erase(name);
      return kNotFound;
    }
    function = std::make_unique<Function>();
    function->module = module;
    function->name = name;
    function->kernel = static_cast<const emulation::KernelDescription*>(description);
  }
  *result = function.get();
  return kSuccess;
}

Result fail(Result result, std::string message) {
  lastFailure = std::move(message);
  return result;
}

Result checkLaunch(const Function& function, const Index3& grid, const Index3& block,
                   unsigned sharedBytes) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0 ||
      grid.x > 2147483647u || grid.y > kMaxGridYz || grid.z > kMaxGridYz || block.x > kMaxBlockXy ||
      block.y > kMaxBlockXy || block.z > kMaxBlockZ ||
      uint64_t{block.x} * block.y * block.z > kMaxBlockXy) {
    return kInvalidValue;
  }
  if (function.kernel->maxThreads != 0 &&
      block.x * block.y * block.z > function.kernel->maxThreads) {
    return kInvalidValue;
  }
  if (function.kernel->clusterBlocks > (function.hasLargeClusters
                                            ? emulation::kClusterBlocks
                                            : emulation::kPortableClusterBlocks) ||
      (function.kernel->clusterBlocks > 1 && grid.y % function.kernel->clusterBlocks != 0)) {
    return kInvalidValue;
  }
  return sharedBytes > static_cast<unsigned>(function.maxDynamicSharedBytes) ? kInvalidValue
                                                                             : kSuccess;
}

// The argument block, from either of the two ways to pass it.
Result readArguments(const emulation::KernelDescription& kernel, void** parameters, void** extra,
                     std::vector<unsigned char>& block) {
  block.resize(kernel.argumentBytes);
  if ((parameters != nullptr) == (extra != nullptr) && kernel.parameterCount > 0) {
    return kInvalidValue;
  }
  if (parameters != nullptr) {
    for (uint32_t i = 0; i < kernel.parameterCount; ++i) {
      std::memcpy(block.data() + kernel.parameters[i].offset, parameters[i],
                  kernel.parameters[i].size);
    }
    return kSuccess;
  }
  const void* data = nullptr;
  size_t size = 0;
  for (; extra != nullptr && *extra != nullptr; extra += 2) {
    const auto option = reinterpret_cast<uintptr_t>(extra[0]);
    if (option == 1) {  // CU_LAUNCH_PARAM_BUFFER_POINTER
      data = extra[1];
    } else if (option == 2) {  // CU_LAUNCH_PARAM_BUFFER_SIZE
      size = *static_cast<size_t*>(extra[1]);
    } else {
      return kInvalidValue;
    }
  }
  if (size != block.size()) {
    return fail(kInvalidValue, "the argument block has " + std::to_string(size) +
                                   " bytes, the kernel's parameters take " +
                                   std::to_string(block.size()));
  }
  std::copy_n(static_cast<const unsigned char*>(data), size, block.data());
  return kSuccess;
}

Result launch(Function* function, const Index3& grid, const Index3& block, unsigned sharedBytes,
              void** parameters, void** extra) {
  CHECK_CONTEXT;
  if (function == nullptr) {
    return kInvalidHandle;
  }
  lastFailure.clear();
  if (const Result valid = checkLaunch(*function, grid, block, sharedBytes); valid != kSuccess) {
    return valid;
  }
  if (function->kernel->call == nullptr) {
    return kSuccess;
  }
  std::vector<unsigned char> arguments;
  if (const Result valid = readArguments(*function->kernel, parameters, extra, arguments);
      valid != kSuccess) {
    return valid;
  }
  std::vector<uintptr_t> pointers;
  for (uint32_t i = 0; i < function->kernel->parameterCount; ++i) {
    const emulation::ParameterPlace& place = function->kernel->parameters[i];
    // Structures hold pointers, too.
    for (uint32_t at = 0; at + sizeof(uintptr_t) <= place.size; at += sizeof(uintptr_t)) {
      uintptr_t value = 0;
      std::memcpy(&value, arguments.data() + place.offset + at, sizeof(value));
      pointers.push_back(value);
    }
  }
  emulation::memory.beginLaunch(pointers);
  emulation::memory.addConstants(function->module->begin, function->module->end);
  const auto begin = reinterpret_cast<uintptr_t>(arguments.data());
  emulation::memory.addConstants(begin, begin + arguments.size());
  // Compilers other than GCC check accesses to these, too.
  for (const Index3* index : {&emulation::emulated_threadIdx, &emulation::emulated_blockIdx,
                              &emulation::emulated_blockDim, &emulation::emulated_gridDim}) {
    const auto place = reinterpret_cast<uintptr_t>(index);
    emulation::memory.addConstants(place, place + sizeof(Index3));
  }
  ++launchCount;
  std::string error =
      emulation::runGrid({function->kernel, function->name.c_str(), &function->module->image,
                          function->module->begin, arguments.data(), grid, block, sharedBytes});
  return error.empty() ? kSuccess : fail(kLaunchFailed, std::move(error));
}

int smallerOf(int a, unsigned b) { return b == 0 ? a : std::min(a, static_cast<int>(b)); }

}  // namespace

extern "C" {

// ---------------------------------------------------------------- of the emulation only

int64_t emulation_launch_count() { return launchCount; }

void emulation_set_capturing(int capturing) { isCapturing = capturing != 0; }

void emulation_set_inaccuracy(double part) { inaccuracy = part; }

// Memory that kernels may be given, beside what cuMemAlloc makes.
void emulation_register(void* data, size_t bytes) {
  const std::scoped_lock lock(mutex);
  emulation::memory.registerAllocation(reinterpret_cast<uintptr_t>(data), bytes);
}

// What was registered and not launched with, because nothing runs, is not memory of a later launch.
void emulation_outdate_registered() {
  const std::scoped_lock lock(mutex);
  emulation::memory.outdateAllocations();
}

// ---------------------------------------------------------------- initialization, errors, device

Result cuInit(unsigned flags) {
  const std::scoped_lock lock(mutex);
  isInitialized = true;
  return flags == 0 ? kSuccess : kInvalidValue;
}

Result cuDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return kSuccess;
}

Result cuGetErrorName(Result error, const char** name) {
  const auto* found = std::ranges::find(kErrors, error, &ErrorText::result);
  *name = found == std::end(kErrors) ? nullptr : found->name;
  return found == std::end(kErrors) ? kInvalidValue : kSuccess;
}

Result cuGetErrorString(Result error, const char** text) {
  const auto* found = std::ranges::find(kErrors, error, &ErrorText::result);
  *text = found == std::end(kErrors) ? nullptr : found->text;
  if (error != kSuccess && !lastFailure.empty()) {
    *text = lastFailure.c_str();
  }
  return found == std::end(kErrors) ? kInvalidValue : kSuccess;
}

// Version 1 of the function lacks `status`.
Result cuGetProcAddress_v2(const char* name, void** function, int, uint64_t, int* status) {
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&cuInit), &info);
  void* self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  const std::string latest = std::string(name) + "_v2";
  *function = dlsym(self, latest.c_str());
  if (*function == nullptr) {
    *function = dlsym(self, name);
  }
  dlclose(self);
  if (status != nullptr) {
    *status = *function == nullptr ? 1 : 0;
  }
  return *function == nullptr ? kNotFound : kSuccess;
}

Result cuGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

Result cuDeviceGetCount(int* count) {
  *count = 1;
  return isInitialized ? kSuccess : kNotInitialized;
}

Result cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return !isInitialized ? kNotInitialized : ordinal == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetName(char* name, int size, int device) {
  if (size <= 0) {
    return kInvalidValue;
  }
  std::snprintf(name, static_cast<size_t>(size), "%s", kDeviceName);
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  const auto* found = std::ranges::find(kDeviceAttributes, attribute, &Attribute::number);
  if (found == std::end(kDeviceAttributes)) {
    return kInvalidValue;
  }
  *value = found->value;
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = kDeviceMemory;
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetUuid_v2(char* uuid, int device) {
  std::memset(uuid, 0, 16);
  return device == 0 ? kSuccess : kInvalidDevice;
}

// ---------------------------------------------------------------- contexts

Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  const std::scoped_lock lock(mutex);
  if (!isInitialized || device != 0) {
    return !isInitialized ? kNotInitialized : kInvalidDevice;
  }
  ++primaryContext.references;
  *context = &primaryContext;
  return kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
  const std::scoped_lock lock(mutex);
  if (device != 0 || primaryContext.references == 0) {
    return device != 0 ? kInvalidDevice : kInvalidContext;
  }
  --primaryContext.references;
  return kSuccess;
}

Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* isActive) {
  *flags = 0;
  *isActive = primaryContext.references > 0 ? 1 : 0;
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuCtxGetCurrent(Context** context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return isInitialized ? kSuccess : kNotInitialized;
}

Result cuCtxSetCurrent(Context* context) {
  if (contexts.empty()) {
    contexts.push_back(context);
  } else {
    contexts.back() = context;
  }
  return context == nullptr || context == &primaryContext ? kSuccess : kInvalidContext;
}

Result cuCtxPushCurrent_v2(Context* context) {
  contexts.push_back(context);
  return context == &primaryContext ? kSuccess : kInvalidContext;
}

Result cuCtxPopCurrent_v2(Context** context) {
  if (contexts.empty()) {
    return kInvalidContext;
  }
  if (context != nullptr) {
    *context = contexts.back();
  }
  contexts.pop_back();
  return kSuccess;
}

Result cuCtxGetDevice(int* device) {
  CHECK_CONTEXT;
  *device = 0;
  return kSuccess;
}

Result cuCtxSynchronize() {
  CHECK_CONTEXT;
  return kSuccess;
}

// ---------------------------------------------------------------- modules and functions

Result cuModuleLoadData(Module** module, const void* image) {
  CHECK_CONTEXT;
  return loadModule(module, image);
}

Result cuModuleLoadDataEx(Module** module, const void* image, unsigned, const int*, void**) {
  CHECK_CONTEXT;
  return loadModule(module, image);
}

Result cuModuleUnload(Module* module) {
  CHECK_CONTEXT;
  return modules.erase(module) == 1 ? kSuccess : kInvalidHandle;
}

Result cuModuleGetFunction(Function** function, Module* module, const char* name) {
  CHECK_CONTEXT;
  return findFunction(function, module, name);
}

// Libraries and their kernels need no context; here they are modules and functions.
Result cuLibraryLoadData(Module** library, const void* code, const int*, void**, unsigned,
                         const int*, void**, unsigned) {
  const std::scoped_lock lock(mutex);
  return isInitialized ? loadModule(library, code) : kNotInitialized;
}

Result cuLibraryUnload(Module* library) {
  const std::scoped_lock lock(mutex);
  return modules.erase(library) == 1 ? kSuccess : kInvalidHandle;
}

Result cuLibraryGetKernel(Function** kernel, Module* library, const char* name) {
  const std::scoped_lock lock(mutex);
  return findFunction(kernel, library, name);
}

Result cuKernelGetFunction(Function** function, Function* kernel) {
  *function = kernel;
  return kSuccess;
}

Result cuFuncGetAttribute(int* value, int attribute, Function* function) {
  CHECK_CONTEXT;
  switch (attribute) {
    case kFunctionMaxThreads:
      *value = smallerOf(kMaxBlockXy, function->kernel->maxThreads);
      return kSuccess;
    case kFunctionSharedBytes:
    case kFunctionConstantBytes:
    case kFunctionLocalBytes:
      *value = 0;
      return kSuccess;
    case kFunctionRegisters:
      *value = kRegisters;
      return kSuccess;
    case kFunctionPtxVersion:
    case kFunctionBinaryVersion:
      *value = 90;
      return kSuccess;
    case kFunctionMaxDynamicSharedBytes:
      *value = function->maxDynamicSharedBytes;
      return kSuccess;
    case kFunctionCarveout:
      *value = function->carveout;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

Result cuFuncSetAttribute(Function* function, int attribute, int value) {
  CHECK_CONTEXT;
  if (attribute == kFunctionMaxDynamicSharedBytes) {
    if (value < 0 || value > kSharedBytesOptIn) {
      return kInvalidValue;
    }
    function->maxDynamicSharedBytes = value;
    return kSuccess;
  }
  if (attribute == kFunctionNonPortableCluster) {
    function->hasLargeClusters = value != 0;
    return value == 0 || value == 1 ? kSuccess : kInvalidValue;
  }
  if (attribute == kFunctionCarveout) {
    function->carveout = value;
    return value >= -1 && value <= 100 ? kSuccess : kInvalidValue;
  }
  return kInvalidValue;
}

Result cuKernelGetAttribute(int* value, int attribute, Function* kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}

Result cuKernelSetAttribute(int attribute, int value, Function* kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads,
                                                   size_t sharedBytes) {
  CHECK_CONTEXT;
  if (threads <= 0 || function == nullptr) {
    return kInvalidValue;
  }
  const int warps = (threads + 31) / 32;
  int count = std::min(32, 2048 / (warps * 32));
  count = std::min(count, 65536 / (kRegisters * warps * 32));
  *blocks = std::min(count, static_cast<int>(233472 / (sharedBytes + 1024)));
  return kSuccess;
}

// ---------------------------------------------------------------- launches

Result cuLaunchKernel(Function* function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      void* /*stream*/, void** parameters, void** extra) {
  return launch(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, parameters,
                extra);
}

struct LaunchConfiguration {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void* stream;
  void* attributes;
  unsigned attributeCount;
};

Result cuLaunchKernelEx(const LaunchConfiguration* configuration, Function* function,
                        void** parameters, void** extra) {
  const LaunchConfiguration& c = *configuration;
  return launch(function, {c.gridX, c.gridY, c.gridZ}, {c.blockX, c.blockY, c.blockZ},
                c.sharedBytes, parameters, extra);
}

// ---------------------------------------------------------------- streams and memory

Result cuStreamSynchronize(void*) {
  CHECK_CONTEXT;
  return kSuccess;
}

// What is enqueued has been run when the call returns: an event is a time of the host.
Result cuEventCreate(Event** event, unsigned) {
  CHECK_CONTEXT;
  *event = new Event;
  return kSuccess;
}

Result cuEventRecord(Event* event, void*) {
  CHECK_CONTEXT;
  event->time = std::chrono::steady_clock::now();
  return kSuccess;
}

Result cuEventSynchronize(Event* event) {
  CHECK_CONTEXT;
  return event->time ? kSuccess : kInvalidHandle;
}

Result cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  CHECK_CONTEXT;
  if (!start->time || !end->time) {
    return kInvalidHandle;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *start->time).count();
  return kSuccess;
}

Result cuEventDestroy_v2(Event* event) {
  CHECK_CONTEXT;
  delete event;
  return kSuccess;
}

Result cuThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int current = 0;
  std::swap(current, *mode);
  return kSuccess;
}

// Nothing can be captured: a stream only counts as captured while a test says so.
Result cuStreamIsCapturing(void*, int* status) {
  *status = isCapturing ? 1 : 0;
  return kSuccess;
}

Result cuMemAlloc_v2(void** memory, size_t bytes) {
  CHECK_CONTEXT;
  if (bytes == 0) {
    return kInvalidValue;
  }
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*memory, 0xff, bytes);
  emulation::memory.registerAllocation(reinterpret_cast<uintptr_t>(*memory), bytes);
  return kSuccess;
}

Result cuMemFree_v2(void* memory) {
  CHECK_CONTEXT;
  emulation::memory.forgetAllocation(reinterpret_cast<uintptr_t>(memory));
  std::free(memory);
  return kSuccess;
}

Result cuMemAllocAsync(void** memory, size_t bytes, void*) { return cuMemAlloc_v2(memory, bytes); }
Result cuMemFreeAsync(void* memory, void*) { return cuMemFree_v2(memory); }

Result cuMemcpyDtoDAsync_v2(void* target, const void* source, size_t bytes, void*) {
  CHECK_CONTEXT;
  std::memmove(target, source, bytes);
  return kSuccess;
}

Result cuMemcpyHtoDAsync_v2(void* target, const void* source, size_t bytes, void* stream) {
  return cuMemcpyDtoDAsync_v2(target, source, bytes, stream);
}

Result cuMemcpyDtoHAsync_v2(void* target, const void* source, size_t bytes, void* stream) {
  return cuMemcpyDtoDAsync_v2(target, source, bytes, stream);
}

Result cuMemcpyHtoD_v2(void* target, const void* source, size_t bytes) {
  return cuMemcpyDtoDAsync_v2(target, source, bytes, nullptr);
}

Result cuMemcpyDtoH_v2(void* target, const void* source, size_t bytes) {
  return cuMemcpyDtoDAsync_v2(target, source, bytes, nullptr);
}

Result cuMemsetD8Async(void* target, unsigned char value, size_t count, void*) {
  CHECK_CONTEXT;
  std::memset(target, value, count);
  return kSuccess;
}

Result cuMemsetD32Async(void* target, unsigned value, size_t count, void*) {
  CHECK_CONTEXT;
  std::fill_n(static_cast<unsigned*>(target), count, value);
  return kSuccess;
}

}  // extern "C"

namespace emulation {

double emulated_inaccuracy() { return inaccuracy; }

}  // namespace emulation
