// The CUDA driver: what is said where there is none, properties, contexts, modules, limits.

#include <cstdlib>
#include <thread>

#include "device/cuda_common.h"

namespace nvfuser::cuda {
namespace {

using testing_support::cudaErrorOf;
using testing_support::FakeCuda;
using testing_support::fakeCuda;
using testing_support::freshDevice;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kImage = "the code of first( and of second( in one module";

class CudaDriver : public testing::Test {
 protected:
  CudaDriver() { fake.reset(); }
  FakeCuda& fake = fakeCuda();
};

TEST_F(CudaDriver, WhatIsMissingIsSaid) {
  EXPECT_TRUE(contains(cudaErrorOf([] { Driver::use("libnowhere.so.9"); }),
                       "CUDA is not available: the driver's library could not be loaded "
                       "(libnowhere.so.9"));
  EXPECT_TRUE(contains(cudaErrorOf([] { Driver::use("libm.so.6"); }),
                       "libm.so.6 has no cuInit; update the NVIDIA driver"));
  fake.initStatus = 100;
  EXPECT_TRUE(contains(cudaErrorOf([] { Driver::use(NVFUSER_FAKE_CUDA); }),
                       "initializing the driver failed with CUDA_ERROR_NO_DEVICE (100, another "));
  fake.initStatus = 0;
  fake.version = 11080;
  EXPECT_TRUE(contains(cudaErrorOf([] { Driver::use(NVFUSER_FAKE_CUDA); }),
                       "the NVIDIA driver is for CUDA 11.8; update it"));
  // And after all that it works.
  fake.version = 13000;
  Driver::use(NVFUSER_FAKE_CUDA);
  EXPECT_EQ(Driver::get().version(), 13000);
}

TEST_F(CudaDriver, TheEnvironmentNamesTheLibrary) {
  EXPECT_NE(cudaErrorOf([] { Driver::use("libnowhere.so.9"); }), "");
  ASSERT_EQ(setenv("NVFUSER_CUDA_DRIVER", NVFUSER_FAKE_CUDA, 1), 0);
  EXPECT_EQ(Driver::get().deviceCount(), 2);
  unsetenv("NVFUSER_CUDA_DRIVER");
}

TEST_F(CudaDriver, Properties) {
  const GpuProperties& properties = freshDevice(1).properties();
  EXPECT_EQ(properties.name, "Fake GPU 1");
  EXPECT_EQ(properties.computeCapability, 90);
  EXPECT_EQ(properties.multiprocessors, 132);
  EXPECT_EQ(properties.threadsPerMultiprocessor, 2048);
  EXPECT_EQ(properties.sharedBytesPerBlock, 227 * 1024);
  EXPECT_EQ(properties.l2Bytes, 50 << 20);
  EXPECT_EQ(properties.memoryBytes, int64_t{1} << 37);
  EXPECT_EQ(properties.memoryBytesPerSecond, int64_t{3352320000000});
  // Looking does not take a device's memory.
  EXPECT_EQ(fake.retainedContexts, 0);
}

TEST_F(CudaDriver, DevicesThatAreNotThere) {
  freshDevice();
  const Driver& driver = Driver::get();
  EXPECT_TRUE(contains(cudaErrorOf([&] { driver.device(2); }),
                       "There is no CUDA device 2: there are 2 devices"));
  EXPECT_TRUE(contains(cudaErrorOf([&] { driver.device(-1); }), "no CUDA device -1"));
}

TEST_F(CudaDriver, ContextsAreMadeCurrentAndGivenBack) {
  GpuDevice& device = freshDevice(1);
  Context context = device.context();
  EXPECT_EQ(device.context(), context);
  EXPECT_EQ(fake.retainedContexts, 1);
  const auto now = [&] {
    Context found = nullptr;
    device.api().ctxGetCurrent(&found);
    return found;
  };
  EXPECT_EQ(now(), nullptr);
  {
    const CurrentContext outer(device.api(), context);
    EXPECT_EQ(now(), context);
    {
      const CurrentContext inner(device.api(), Driver::get().device(0).context());
      EXPECT_NE(now(), context);
    }
    EXPECT_EQ(now(), context);
    // Other threads have their own.
    std::thread([&] { EXPECT_EQ(now(), nullptr); }).join();
  }
  EXPECT_EQ(now(), nullptr);
}

TEST_F(CudaDriver, ModulesAreLoadedOnceForEachDevice) {
  GpuDevice& device = freshDevice(0);
  const auto functions = device.load(kImage, {"first", "second"});
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0]->name, "first");
  EXPECT_EQ(functions[1]->name, "second");
  EXPECT_EQ(device.load(kImage, {"second"})[0]->module, functions[1]->module);
  EXPECT_EQ(fake.loadedImages.size(), 1u);
  GpuDevice& other = Driver::get().device(1);
  EXPECT_EQ(other.load(kImage, {"first"})[0]->module->context, other.context());
  EXPECT_EQ(fake.loadedImages.size(), 2u);
}

TEST_F(CudaDriver, LoadingIsAllowedDuringACapture) {
  GpuDevice& device = freshDevice(0);
  device.load(kImage, {"first"});
  EXPECT_EQ(fake.unsafeCalls, std::vector<std::string>{});
  // The thread's mode is what it was.
  auto mode = CaptureMode::Relaxed;
  device.api().threadExchangeStreamCaptureMode(&mode);
  EXPECT_EQ(mode, CaptureMode::Global);
}

TEST_F(CudaDriver, AFailedLoadIsAnErrorAndNotTheEnd) {
  GpuDevice& device = freshDevice(0);
  fake.loadStatus = 200;
  EXPECT_TRUE(contains(cudaErrorOf([&] { device.load(kImage, {"first"}); }),
                       "Loading compiled kernels on cuda:0 (Fake GPU 0, driver for CUDA 12.8) "
                       "failed with CUDA_ERROR_INVALID_IMAGE (200"));
  fake.loadStatus = 0;
  EXPECT_TRUE(contains(cudaErrorOf([&] { device.load(kImage, {"third"}); }),
                       "Looking up the kernel third failed with an unknown error (500"));
  EXPECT_EQ(device.load(kImage, {"first"}).size(), 1u);
}

TEST_F(CudaDriver, LimitsOfTheDevice) {
  GpuDevice& device = freshDevice(0);
  Function function = device.load(kImage, {"first"})[0];
  const auto problem = [&](LaunchConfig config) {
    return cudaErrorOf([&] { device.prepare(function, config, 1, "first"); });
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({0x7fffffff, 65535, 65535, 32, 8, 4}), "");
  EXPECT_EQ(problem({1, 1, 1, 1024, 10, 1}),
            "The kernel first needs 10240 threads in a block, but Fake GPU 0 allows at most 1024");
  EXPECT_TRUE(contains(problem({1, 1, 1, 1, 1, 65}), "65 threads along z in a block"));
  EXPECT_TRUE(contains(problem({0x80000000, 1, 1}), "2147483648 blocks along x"));
  EXPECT_TRUE(contains(problem({1, 65536, 1}), "65536 blocks along y"));
  EXPECT_TRUE(contains(problem({1, 1, 65536}), "65536 blocks along z"));
  EXPECT_TRUE(contains(problem({1, 1, 1, 1, 1, 1, 228 * 1024}), "bytes of shared memory"));
  fake.functionMaxThreads = 512;
  EXPECT_TRUE(contains(problem({1, 1, 1, 513}), "each with the registers that it uses"));
  EXPECT_EQ(problem({1, 1, 1, 512}), "");
}

TEST_F(CudaDriver, ClustersThatRunAtATime) {
  GpuDevice& device = freshDevice(0);
  fake.clusterQuestions = 0;
  EXPECT_EQ(device.clustersAtATime(2, 1), 60);
  EXPECT_EQ(device.clustersAtATime(8, 1), 10);
  EXPECT_EQ(device.clustersAtATime(8, 3), 40);
  // What is not portable is asked for.
  EXPECT_EQ(device.clustersAtATime(16, 1), 0);
  EXPECT_EQ(device.clustersAtATime(16, 3), 20);
  EXPECT_EQ(device.clustersAtATime(8, 3), 40);
  EXPECT_EQ(fake.clusterQuestions, 5);
}

TEST_F(CudaDriver, AnUnknownNumberOfClustersIsNoError) {
  GpuDevice& device = freshDevice(0);
  fake.loadStatus = 222;
  EXPECT_EQ(device.clustersAtATime(4, 1), 0);
  fake.loadStatus = 0;
}

TEST_F(CudaDriver, MuchSharedMemoryIsAskedFor) {
  GpuDevice& device = freshDevice(0);
  Function function = device.load(kImage, {"first"})[0];
  LaunchConfig config;
  const auto prepare = [&](uint32_t bytes) {
    config.sharedMemoryBytes = bytes;
    device.prepare(function, config, 1, "first");
    return function->maxDynamicSharedBytes;
  };
  EXPECT_EQ(prepare(48 * 1024), 48 * 1024);
  EXPECT_EQ(prepare(100'000), 100'000);
  EXPECT_EQ(prepare(200'000), 200'000);
  // Plans for 200000 bytes are still around.
  EXPECT_EQ(prepare(100'000), 200'000);
}

}  // namespace
}  // namespace nvfuser::cuda
