#include "device/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/error.h"

namespace nvfuser::cuda {

namespace {

// cuLaunchKernelEx and lazy loading as they are relied on.
constexpr int32_t kOldestVersion = 12000;

// A kernel to ask about: the driver tells how much runs at a time of kernels only.
constexpr const char* kEmptyKernelName = "nvfuser_empty";
constexpr const char* kEmptyKernel = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry nvfuser_empty() { ret; }
)";

std::mutex driverMutex;
const Driver* current = nullptr;

// All there have been, for ever.
std::vector<const Driver*>& drivers() {
  static auto* const all = new std::vector<const Driver*>;
  return *all;
}

std::string libraryName() {
  const char* chosen = std::getenv("NVFUSER_CUDA_DRIVER");
  return chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
}

}  // namespace

const Driver& Driver::get() {
  const std::lock_guard lock(driverMutex);
  return current != nullptr ? *current : add(libraryName());
}

void Driver::use(const std::string& library) {
  const std::lock_guard lock(driverMutex);
  current = nullptr;
  add(library);
}

void Driver::forget() {
  const std::lock_guard lock(driverMutex);
  current = nullptr;
}

const Driver& Driver::add(const std::string& library) {
  current = new Driver(library);
  drivers().push_back(current);
  return *current;
}

Driver::Driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fail("CUDA is not available: the driver's library could not be loaded (", dlerror(),
         "); install the NVIDIA driver, or run on the CPU");
  }
  const auto find = [&](const char* name) {
    void* address = dlsym(handle, name);
    NVF_CHECK(address != nullptr, "CUDA is not available: ", library, " has no ", name,
              "; update the NVIDIA driver to one for CUDA 12 or newer");
    return address;
  };
#define NVFUSER_FIND(name, symbol, parameters) \
  api_.name = reinterpret_cast<decltype(api_.name)>(find(symbol));
  NVFUSER_CUDA_DRIVER_FUNCTIONS(NVFUSER_FIND)
#undef NVFUSER_FIND
#define NVFUSER_FIND(name, symbol, parameters) \
  api_.name = reinterpret_cast<decltype(api_.name)>(dlsym(handle, symbol));
  NVFUSER_CUDA_NEWER_DRIVER_FUNCTIONS(NVFUSER_FIND)
#undef NVFUSER_FIND
  const std::string attempt = "CUDA is not available: initializing the driver";
  check(api_.init(0), attempt);
  check(api_.driverGetVersion(&version_), attempt);
  NVF_CHECK(version_ >= kOldestVersion, "CUDA is not available: the NVIDIA driver is for CUDA ",
            version_ / 1000, ".", version_ % 1000 / 10, "; update it to one for CUDA 12 or newer");
  int32_t count = 0;
  check(api_.deviceGetCount(&count), attempt);
  for (int32_t i = 0; i < count; ++i) {
    devices_.push_back(std::make_unique<GpuDevice>(*this, i));
  }
}

GpuDevice& Driver::device(int32_t index) const {
  NVF_CHECK(index >= 0 && index < deviceCount(), "There is no CUDA device ", index, ": there ",
            deviceCount() == 1 ? "is 1 device" : concatenate("are ", deviceCount(), " devices"));
  return *devices_[static_cast<size_t>(index)];
}

std::string Driver::describe(Status status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api_.getErrorName(status, &name) != kSuccess || name == nullptr) {
    name = "an unknown error";
  }
  if (api_.getErrorString(status, &text) != kSuccess || text == nullptr) {
    text = "no description";
  }
  return concatenate(name, " (", status, ", ", text, ")");
}

void Driver::check(Status status, const std::string& what) const {
  NVF_CHECK(status == kSuccess, what, " failed with ", describe(status));
}

GpuDevice::GpuDevice(const Driver& driver, int32_t index) : driver_(driver), index_(index) {
  driver_.check(api().deviceGet(&handle_, index_), "Opening a CUDA device");
  readProperties();
}

int32_t GpuDevice::attribute(DeviceAttribute attribute) const {
  int32_t value = 0;
  driver_.check(api().deviceGetAttribute(&value, attribute, handle_),
                "Reading a property of a CUDA device");
  return value;
}

void GpuDevice::readProperties() {
  using enum DeviceAttribute;
  char name[256] = {};
  size_t bytes = 0;
  driver_.check(api().deviceGetName(name, sizeof(name) - 1, handle_),
                "Reading the name of a CUDA device");
  driver_.check(api().deviceTotalMem(&bytes, handle_), "Reading the size of a CUDA device");
  properties_.name = name;
  properties_.memoryBytes = static_cast<int64_t>(bytes);
  properties_.computeCapability =
      10 * attribute(ComputeCapabilityMajor) + attribute(ComputeCapabilityMinor);
  properties_.multiprocessors = attribute(MultiprocessorCount);
  properties_.threadsPerMultiprocessor = attribute(MaxThreadsPerMultiprocessor);
  properties_.blocksPerMultiprocessor = attribute(MaxBlocksPerMultiprocessor);
  properties_.registersPerMultiprocessor = attribute(MaxRegistersPerMultiprocessor);
  properties_.threadsPerBlock = attribute(MaxThreadsPerBlock);
  properties_.sharedBytesPerBlock = attribute(MaxSharedMemoryPerBlockOptin);
  properties_.sharedBytesPerMultiprocessor = attribute(MaxSharedMemoryPerMultiprocessor);
  properties_.l2Bytes = attribute(L2CacheSize);
  // Two transfers a cycle. Newer drivers may not know the clock.
  int32_t kilohertz = 0;
  int32_t bits = 0;
  if (api().deviceGetAttribute(&kilohertz, MemoryClockRate, handle_) == kSuccess &&
      api().deviceGetAttribute(&bits, GlobalMemoryBusWidth, handle_) == kSuccess) {
    properties_.memoryBytesPerSecond = int64_t{2000} * kilohertz * (bits / 8);
  }
  overlapsLaunches_ = properties_.computeCapability >= 90 && driver_.version() >= 12'030;
  maxGridX_ = attribute(MaxGridX);
  maxGridY_ = attribute(MaxGridY);
}

Context GpuDevice::context() {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) {
    const RelaxedCapture relaxed(api());
    driver_.check(api().devicePrimaryCtxRetain(&context_, handle_),
                  concatenate("Opening the primary context of cuda:", index_));
  }
  return context_;
}

int32_t GpuDevice::attribute(FunctionAttribute attribute, Function function,
                             const std::string& kernel) const {
  int32_t value = 0;
  driver_.check(api().funcGetAttribute(&value, attribute, function),
                concatenate("Reading a property of the kernel ", kernel));
  return value;
}

std::vector<Function> GpuDevice::load(const std::string& image,
                                      const std::vector<std::string>& functions) {
  const CurrentContext here(api(), context());
  const std::lock_guard lock(mutex_);
  const RelaxedCapture relaxed(api());
  Module& module = modules_[image];
  if (module == nullptr) {
    driver_.check(api().moduleLoadData(&module, image.data()),
                  concatenate("Loading compiled kernels on cuda:", index_, " (", properties_.name,
                              ", driver for CUDA ", driver_.version() / 1000, ".",
                              driver_.version() % 1000 / 10, ")"));
  }
  std::vector<Function> result;
  for (const std::string& name : functions) {
    Function function = nullptr;
    driver_.check(api().moduleGetFunction(&function, module, name.c_str()),
                  concatenate("Looking up the kernel ", name));
    // Where loading is lazy, this loads the function: not in the middle of a capture.
    attribute(FunctionAttribute::NumRegisters, function, name);
    result.push_back(function);
  }
  return result;
}

void GpuDevice::prepare(Function function, const LaunchConfig& config, int64_t clusterBlocks,
                        const std::string& kernel) {
  const auto require = [&](int64_t needed, int64_t available, const char* what) {
    NVF_CHECK(needed <= available, "The kernel ", kernel, " needs ", needed, " ", what, ", but ",
              properties_.name, " allows at most ", available);
  };
  const int64_t threads = int64_t{config.blockX} * config.blockY * config.blockZ;
  constexpr int64_t kMaxThreadsAlongZ = 64;
  require(threads, properties_.threadsPerBlock, "threads in a block");
  require(config.blockZ, kMaxThreadsAlongZ, "threads along z in a block");
  require(config.gridX, maxGridX_, "blocks along x");
  require(config.gridY, maxGridY_, "blocks along y");
  require(config.gridZ, maxGridY_, "blocks along z");
  const CurrentContext here(api(), context());
  const std::lock_guard lock(mutex_);
  require(threads, attribute(FunctionAttribute::MaxThreadsPerBlock, function, kernel),
          "threads in a block, each with the registers that it uses");
  const int64_t shared = attribute(FunctionAttribute::SharedSizeBytes, function, kernel) +
                         int64_t{config.sharedMemoryBytes};
  require(shared, properties_.sharedBytesPerBlock, "bytes of shared memory in a block");
  constexpr int64_t kWithoutAsking = 48 * 1024;
  const auto dynamic = static_cast<int32_t>(config.sharedMemoryBytes);
  // The same function may have been prepared for more.
  if (shared > kWithoutAsking &&
      attribute(FunctionAttribute::MaxDynamicSharedSizeBytes, function, kernel) < dynamic) {
    driver_.check(
        api().funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, dynamic),
        concatenate("Asking for ", dynamic, " bytes of shared memory for the kernel ", kernel));
  }
  if (clusterBlocks > kPortableClusterBlocks) {
    driver_.check(
        api().funcSetAttribute(function, FunctionAttribute::NonPortableClusterSizeAllowed, 1),
        concatenate("Asking for clusters of ", clusterBlocks, " blocks for the kernel ", kernel));
  }
}

int64_t GpuDevice::clustersAtATime(int64_t clusterBlocks, int64_t ofMultiprocessor) {
  const std::pair asked(clusterBlocks, ofMultiprocessor);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = clusters_.find(asked); known != clusters_.end()) {
      return known->second;
    }
  }
  const int64_t count = countClusters(clusterBlocks, ofMultiprocessor);
  const std::lock_guard lock(mutex_);
  return clusters_[asked] = count;
}

int64_t GpuDevice::countClusters(int64_t clusterBlocks, int64_t ofMultiprocessor) {
  if (api().occupancyMaxActiveClusters == nullptr) {
    return 0;
  }
  LaunchAttribute cluster;
  cluster.id = kClusterDimension;
  cluster.value[1] = static_cast<int32_t>(clusterBlocks);
  cluster.value[2] = 1;
  LaunchConfig config;
  config.gridY = static_cast<uint32_t>(clusterBlocks);
  config.blockX = static_cast<uint32_t>(properties_.warpSize);
  // Of all that a multiprocessor has, beside what the driver takes of it for each block.
  config.sharedMemoryBytes = static_cast<uint32_t>(
      properties_.sharedBytesPerMultiprocessor / ofMultiprocessor -
      (properties_.sharedBytesPerMultiprocessor - properties_.sharedBytesPerBlock));
  config.attributes = &cluster;
  config.attributeCount = 1;
  const CurrentContext here(api(), context());
  Function function = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const RelaxedCapture relaxed(api());
    Module& module = modules_[kEmptyKernel];
    // Fails where the driver has been installed without its compiler.
    if (module == nullptr && api().moduleLoadData(&module, kEmptyKernel) != kSuccess) {
      return 0;
    }
    driver_.check(api().moduleGetFunction(&function, module, kEmptyKernelName),
                  concatenate("Looking up the kernel ", kEmptyKernelName));
  }
  prepare(function, config, clusterBlocks, kEmptyKernelName);
  int32_t count = 0;
  driver_.check(api().occupancyMaxActiveClusters(&count, function, &config),
                "Asking how many clusters run at a time");
  return count;
}

FunctionUse GpuDevice::useOf(Function function) const {
  const std::string what = "to be profiled";
  return {attribute(FunctionAttribute::NumRegisters, function, what),
          attribute(FunctionAttribute::SharedSizeBytes, function, what)};
}

void GpuDevice::failLaunch(Status status, const LaunchConfig& config, const std::string& kernel,
                           const std::string& definition) const {
  const bool isOfKernel = status >= kFirstKernelError && status <= kLastKernelError;
  fail("Launching the kernel ", kernel, " on cuda:", index_, " with grid [", config.gridX, ", ",
       config.gridY, ", ", config.gridZ, "], block [", config.blockX, ", ", config.blockY, ", ",
       config.blockZ, "] and ", config.sharedMemoryBytes,
       " bytes of dynamic shared memory failed with ", driver_.describe(status),
       isOfKernel ? "; it may be the error of a kernel that was launched before, which "
                    "CUDA_LAUNCH_BLOCKING=1 shows"
                  : "",
       ". The kernel computes\n", definition);
}

}  // namespace nvfuser::cuda
