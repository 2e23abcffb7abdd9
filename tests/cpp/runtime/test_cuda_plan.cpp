// Fusions on CUDA up to the driver: what is compiled when, what is launched with which arguments,
// and what happens when something fails. The driver and the compiler are fakes.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "device/cuda_common.h"
#include "runtime/common.h"
#include "runtime/compiler.h"
#include "runtime/executor_cache.h"

namespace nvfuser {
namespace {

using testing_support::cudaErrorOf;
using testing_support::FakeCuda;
using testing_support::fakeCuda;
using testing_support::FakeLaunch;
using testing_support::freshDevice;
using testing_support::Sizes;
using testing_support::TensorArgument;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor onCuda(const TensorArgument& argument, int32_t index = 0, int64_t shift = 0) {
  Tensor tensor = argument.tensor();
  tensor.device = {DeviceType::CUDA, index};
  tensor.data = static_cast<std::byte*>(tensor.data) + shift;
  return tensor;
}

int64_t addressOf(const Tensor& tensor) { return reinterpret_cast<int64_t>(tensor.data); }

class CudaPlanTest : public testing::Test {
 protected:
  using Arguments = std::vector<PolymorphicValue>;

  CudaPlanTest() : fusion_(std::make_shared<Fusion>()), guard_(fusion_.get()) {
    fake_.reset();
    freshDevice();
    setCudaCompiler({.compile =
                         [this](const std::string& source, int64_t computeCapability) {
                           ++compilations_;
                           EXPECT_EQ(computeCapability, 90);
                           if (failCompilation_) {
                             throw std::runtime_error("this does not compile");
                           }
                           return source;
                         },
                     .withLibrary = {}});
  }

  TensorView* input(const Sizes& shape, DataType dtype = DataType::Float, bool contiguity = false) {
    TensorView* tv = ops::defineTensor(shape, contiguity, dtype);
    fusion_->addInput(tv);
    return tv;
  }
  Val* scalarInput(DataType dtype) {
    auto* val = fusion_->create<Val>(dtype);
    fusion_->addInput(val);
    return val;
  }
  static TensorView* add(Val* a, Val* b) {
    return ops::binary(BinaryOpType::Add, a, b)->asTensor();
  }
  static TensorView* sum(TensorView* x, const Sizes& dims) { return ops::sum(x, dims, false); }

  FusionExecutorCache& cache() {
    if (cache_ == nullptr) {
      cache_ = std::make_unique<FusionExecutorCache>(fusion_, 7);
    }
    return *cache_;
  }
  std::shared_ptr<const LaunchPlan> plan(const Arguments& arguments, ExecuteOptions options = {}) {
    return cache().plan(arguments, options);
  }
  // Runs with outputs and a workspace at made-up addresses, and returns what was launched.
  std::vector<FakeLaunch> run(const Arguments& arguments, const ExecuteOptions& options = {}) {
    const auto ready = plan(arguments, options);
    std::vector<void*> outputs;
    for (size_t i = 0; i < ready->outputs().size(); ++i) {
      outputs.push_back(outputAddress(i));
    }
    fake_.launches.clear();
    ready->run(arguments, outputs, kWorkspace, kStream);
    return fake_.launches;
  }
  std::string problem(const Arguments& arguments, const ExecuteOptions& options = {}) {
    return cudaErrorOf([&] { run(arguments, options); });
  }

  static void* outputAddress(size_t i) { return reinterpret_cast<void*>(0x10000 * (i + 1)); }
  static inline void* const kWorkspace = reinterpret_cast<void*>(0x70000000);
  static inline void* const kStream = reinterpret_cast<void*>(0x1234);
  static bool inWorkspace(int64_t address, const LaunchPlan& plan) {
    const int64_t offset = address - reinterpret_cast<int64_t>(kWorkspace);
    return offset >= 0 && offset < plan.workspaceBytes();
  }

  FakeCuda& fake_ = fakeCuda();
  std::shared_ptr<Fusion> fusion_;
  FusionGuard guard_;
  std::unique_ptr<FusionExecutorCache> cache_;
  int compilations_ = 0;
  bool failCompilation_ = false;
};

TEST_F(CudaPlanTest, OnePointwiseKernel) {
  TensorView* x = input({-1, -1});
  fusion_->addOutput(add(x, input({-1, -1})));
  const TensorArgument a({64, 1000});
  const TensorArgument b({64, 1000});
  const Arguments arguments{onCuda(a), onCuda(b)};
  const auto launches = run(arguments);
  ASSERT_EQ(launches.size(), 1u);
  const FakeLaunch& launch = launches[0];
  EXPECT_TRUE(launch.function->name.starts_with("nvfuser_pointwise_add_")) << launch.function->name;
  EXPECT_TRUE(launch.function->name.ends_with("_phase0"));
  EXPECT_EQ(launch.config.stream, kStream);
  EXPECT_EQ(launch.context->device, 0);
  ASSERT_GE(launch.arguments.size(), 3u);
  EXPECT_EQ(launch.arguments[0], addressOf(arguments[0].as<Tensor>()));
  EXPECT_EQ(launch.arguments[1], addressOf(arguments[1].as<Tensor>()));
  EXPECT_EQ(launch.arguments[2], reinterpret_cast<int64_t>(outputAddress(0)));
  // Every element has a thread, a few elements each.
  const int64_t threads = int64_t{launch.config.gridX} * launch.config.gridY *
                          launch.config.blockX * launch.config.blockY;
  EXPECT_GE(threads * 64, 64000);
  EXPECT_LE(threads, 2 * 64000);
  const auto ready = plan(arguments);
  EXPECT_EQ(ready->device(), (Device{DeviceType::CUDA, 0}));
  EXPECT_EQ(ready->outputs()[0].device, (Device{DeviceType::CUDA, 0}));
  EXPECT_EQ(ready->workspaceBytes(), 0);
}

TEST_F(CudaPlanTest, SizesOfOneClassShareAKernel) {
  fusion_->addOutput(add(input({-1, -1}), input({-1, -1})));
  const TensorArgument a({256, 1024});
  const TensorArgument b({512, 1024});
  const auto small = run({onCuda(a), onCuda(a)});
  const auto large = run({onCuda(b), onCuda(b)});
  EXPECT_EQ(compilations_, 1);
  EXPECT_EQ(small[0].function, large[0].function);
  EXPECT_GT(large[0].config.gridX, small[0].config.gridX);
}

TEST_F(CudaPlanTest, LayoutsAreOtherClasses) {
  fusion_->addOutput(add(input({-1, -1}), input({-1, -1})));
  const TensorArgument a({256, 1024});
  const TensorArgument turned({256, 1024}, {1, 256});
  run({onCuda(a), onCuda(a)});
  run({onCuda(a), onCuda(turned)});
  EXPECT_EQ(compilations_, 2);
}

TEST_F(CudaPlanTest, AlignmentChoosesTheVectors) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({65536});
  const auto aligned = plan({onCuda(a), onCuda(a)});
  const auto shifted = plan({onCuda(a), onCuda(a, 0, 4)});
  EXPECT_NE(aligned, shifted);
  EXPECT_EQ(compilations_, 2);
  EXPECT_EQ(plan({onCuda(a), onCuda(a, 0, 32)}), aligned);
  EXPECT_EQ(plan({onCuda(a), onCuda(a, 0, 12)}), shifted);
  EXPECT_EQ(compilations_, 2);
}

TEST_F(CudaPlanTest, OutputsOfTheCallerMayBeLessAligned) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({65536});
  const Arguments arguments{onCuda(a), onCuda(a)};
  ExecuteOptions options;
  options.outputAlignment = 4;
  const auto aligned = plan(arguments);
  const auto shifted = plan(arguments, options);
  EXPECT_EQ(aligned->outputAlignment(), 16);
  EXPECT_EQ(shifted->outputAlignment(), 4);
  EXPECT_EQ(compilations_, 2);
  EXPECT_EQ(plan(arguments), aligned);
  EXPECT_EQ(plan(arguments, options), shifted);
  EXPECT_EQ(compilations_, 2);
}

TEST_F(CudaPlanTest, IndicesAreWideWhereTheyMustBe) {
  fusion_->addOutput(add(input({-1, -1}), input({-1, -1})));
  const TensorArgument small({64, 1024});
  const TensorArgument large({1 << 21, 1024});
  const auto codeOf = [&](const TensorArgument& a) {
    const Arguments arguments{onCuda(a), onCuda(a)};
    run(arguments);
    return cache().kernelCode(arguments).text;
  };
  const std::string narrow = codeOf(small);
  EXPECT_EQ(compilations_, 1);
  EXPECT_GT(codeOf(large).size(), narrow.size());
  EXPECT_EQ(compilations_, 2);
  // Far apart in memory, but few.
  const TensorArgument sparse({64, 1024}, {int64_t{1} << 26, 1});
  EXPECT_GT(codeOf(sparse).size(), 0u);
  EXPECT_EQ(compilations_, 3);
}

TEST_F(CudaPlanTest, NothingIsLaunchedForNothing) {
  fusion_->addOutput(add(input({-1, -1}), input({-1, -1})));
  const TensorArgument a({0, 5});
  EXPECT_EQ(run({onCuda(a), onCuda(a)}).size(), 0u);
}

TEST_F(CudaPlanTest, SumsOfNothing) {
  // Every tensor is computed on its own then: what is too large for a thread is in the workspace.
  TensorView* x = input({-1, -1});
  fusion_->addOutput(
      ops::unary(UnaryOpType::Neg, sum(ops::unary(UnaryOpType::Exp, x)->asTensor(), {0})));
  const TensorArgument a({0, 5});
  const Arguments arguments{onCuda(a)};
  EXPECT_GE(run(arguments).size(), 1u);
  EXPECT_GE(plan(arguments)->workspaceBytes(), 5 * 4);
}

TEST_F(CudaPlanTest, ScalarsAreReadAtEveryRun) {
  TensorView* x = input({-1});
  Val* factor = scalarInput(DataType::Double);
  fusion_->addOutput(ops::binary(BinaryOpType::Mul, x, factor)->asTensor());
  const TensorArgument a({4096});
  for (const double value : {0.5, -3.0}) {
    const auto launches = run({onCuda(a), PolymorphicValue(value)});
    EXPECT_EQ(std::ranges::count(launches[0].arguments, std::bit_cast<int64_t>(value)), 1);
  }
  EXPECT_EQ(compilations_, 1);
}

TEST_F(CudaPlanTest, WhatPassesBetweenKernelsIsInTheWorkspace) {
  // A reduction in each direction: one kernel cannot do both.
  TensorView* x = input({-1, -1});
  TensorView* rows = ops::broadcast(sum(x, {1}), std::vector<bool>{false, true});
  fusion_->addOutput(sum(add(x, rows), {0}));
  const TensorArgument a({512, 512});
  const Arguments arguments{onCuda(a)};
  const auto ready = plan(arguments);
  EXPECT_GE(ready->workspaceBytes(), 512 * 4);
  const auto launches = run(arguments);
  EXPECT_GE(launches.size(), 2u);
  // The last one reads something that an earlier one was given, too.
  const auto isShared = [&](int64_t argument) {
    return inWorkspace(argument, *ready) &&
           std::any_of(launches.begin(), launches.end() - 1, [&](const FakeLaunch& launch) {
             return std::ranges::count(launch.arguments, argument) == 1;
           });
  };
  EXPECT_TRUE(std::ranges::any_of(launches.back().arguments, isShared));
  // On one stream, in order.
  for (const FakeLaunch& launch : launches) {
    EXPECT_EQ(launch.config.stream, kStream);
  }
}

TEST_F(CudaPlanTest, ManyArguments) {
  TensorView* total = input({-1});
  for (int i = 0; i < 299; ++i) {
    total = add(total, input({-1}));
  }
  fusion_->addOutput(total);
  const TensorArgument a({4096});
  Arguments arguments;
  for (int i = 0; i < 300; ++i) {
    arguments.emplace_back(onCuda(a, 0, 16 * i));
  }
  const auto launches = run(arguments);
  ASSERT_EQ(launches.size(), 1u);
  ASSERT_GE(launches[0].arguments.size(), 301u);
  for (size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(launches[0].arguments[i], addressOf(arguments[i].as<Tensor>()));
  }
}

// ---------------------------------------------------------------- graphs

// Sums in both directions, which no single kernel computes.
class CudaGraphTest : public CudaPlanTest {
 protected:
  CudaGraphTest() {
    TensorView* x = input({-1, -1});
    TensorView* rows = ops::broadcast(sum(x, {1}), std::vector<bool>{false, true});
    fusion_->addOutput(sum(add(x, rows), {0}));
    cache().enable({"cuda_graphs"});
    ready_ = plan({onCuda(a_)});
  }

  // What is launched with an input `shift` bytes behind the first one.
  std::vector<FakeLaunch> runAsGraph(int64_t shift = 0, void* stream = kStream) {
    const Arguments arguments{onCuda(a_, 0, shift)};
    std::vector<void*> outputs{outputAddress(0)};
    fake_.launches.clear();
    ready_->runAsGraph(arguments, outputs, kWorkspace, stream);
    return fake_.launches;
  }
  std::vector<FakeLaunch> launchedDirectly(int64_t shift = 0) {
    return run({onCuda(a_, 0, shift)});
  }
  static void expectSame(const std::vector<FakeLaunch>& a, const std::vector<FakeLaunch>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].function, b[i].function);
      EXPECT_EQ(a[i].arguments, b[i].arguments);
      EXPECT_EQ(a[i].context, b[i].context);
      EXPECT_EQ(a[i].config.stream, b[i].config.stream);
      EXPECT_EQ(a[i].config.gridX, b[i].config.gridX);
      EXPECT_EQ(a[i].config.blockX, b[i].config.blockX);
      EXPECT_EQ(a[i].config.sharedMemoryBytes, b[i].config.sharedMemoryBytes);
      // Whether it may begin before the one in front of it has ended.
      EXPECT_EQ(a[i].config.attributeCount, b[i].config.attributeCount);
    }
  }

  const TensorArgument a_{{512, 512}};
  std::shared_ptr<const LaunchPlan> ready_;
};

TEST_F(CudaGraphTest, LaunchesAreThoseOfAPlan) {
  EXPECT_TRUE(ready_->mayBeGraph(kStream));
  const auto direct = launchedDirectly();
  EXPECT_GE(direct.size(), 2u);
  EXPECT_EQ(direct.front().config.attributeCount, 0u);
  EXPECT_EQ(direct.back().config.attributeCount, 1u);
  expectSame(runAsGraph(), direct);
  EXPECT_EQ(fake_.graphLaunches, 0);  // sizes that may not come again
  for (int i = 0; i < 3; ++i) {
    expectSame(runAsGraph(), direct);
  }
  EXPECT_EQ(fake_.graphLaunches, 3);
  EXPECT_EQ(fake_.graphUpdates, 0);
  EXPECT_TRUE(fake_.unsafeCalls.empty());
}

TEST_F(CudaGraphTest, OtherAddressesAreUpdatedWhereTheyAre) {
  runAsGraph();
  runAsGraph();
  const auto direct = launchedDirectly(1024);
  expectSame(runAsGraph(1024), direct);
  const auto readers = std::ranges::count_if(direct, [&](const FakeLaunch& launch) {
    return std::ranges::count(launch.arguments, addressOf(onCuda(a_, 0, 1024))) != 0;
  });
  EXPECT_GE(readers, 1);
  EXPECT_EQ(fake_.graphUpdates, readers);
  EXPECT_EQ(fake_.graphLaunches, 2);
}

TEST_F(CudaGraphTest, EveryStreamHasItsOwn) {
  runAsGraph();
  for (int64_t i = 0; i < 6; ++i) {
    void* stream = reinterpret_cast<void*>(0x100 * (i + 1));
    for (const FakeLaunch& launch : runAsGraph(0, stream)) {
      EXPECT_EQ(launch.config.stream, stream);
    }
  }
  EXPECT_EQ(fake_.graphLaunches, 6);
  EXPECT_EQ(fake_.executableGraphs, 4);  // that of the first streams gave way
  EXPECT_EQ(fake_.graphs, 4);
  ready_.reset();
  cache_.reset();
  EXPECT_EQ(fake_.executableGraphs, 0);
  EXPECT_EQ(fake_.graphs, 0);
}

TEST_F(CudaGraphTest, CapturedStreamsAreLaunchedOn) {
  fake_.captureStatus = cuda::CaptureStatus::Active;
  EXPECT_FALSE(ready_->mayBeGraph(kStream));
  fake_.captureStatus = cuda::CaptureStatus::Invalidated;
  EXPECT_FALSE(ready_->mayBeGraph(kStream));
  fake_.captureStatus = cuda::CaptureStatus::None;
  EXPECT_TRUE(ready_->mayBeGraph(kStream));
}

TEST_F(CudaGraphTest, SizesWithoutEndHaveNotAllAGraph) {
  std::vector<std::shared_ptr<const LaunchPlan>> plans;
  std::vector<void*> outputs{outputAddress(0)};
  for (int64_t rows = 1; rows <= 600; ++rows) {
    const TensorArgument a({rows, 512});
    const Arguments arguments{onCuda(a)};
    plans.push_back(plan(arguments));
    for (int i = 0; i < 2; ++i) {
      fake_.launches.clear();
      plans.back()->runAsGraph(arguments, outputs, kWorkspace, kStream);
      EXPECT_GE(fake_.launches.size(), 2u);
    }
  }
  EXPECT_EQ(fake_.executableGraphs, 512);
  plans.clear();
  ready_.reset();
  cache_.reset();
  EXPECT_EQ(fake_.executableGraphs, 0);
}

TEST_F(CudaGraphTest, WithoutMemoryForAGraph) {
  fake_.instantiateStatus = 2;
  const auto direct = launchedDirectly();
  for (int i = 0; i < 3; ++i) {
    expectSame(runAsGraph(), direct);
  }
  EXPECT_EQ(fake_.graphLaunches, 0);
  EXPECT_EQ(fake_.graphs, 0);
}

TEST_F(CudaGraphTest, WhatCannotBeUpdatedOrLaunchedIsLaunchedOneByOne) {
  for (cuda::Status* status : {&fake_.updateStatus, &fake_.graphLaunchStatus}) {
    const auto direct = launchedDirectly(2048);
    runAsGraph();
    runAsGraph();
    *status = 1;
    expectSame(runAsGraph(2048), direct);
    *status = 0;
    EXPECT_EQ(fake_.executableGraphs, 0);
    expectSame(runAsGraph(2048), direct);
    EXPECT_EQ(fake_.executableGraphs, 0);
    // The same with another plan.
    cache_.reset();
    cache().enable({"cuda_graphs"});
    ready_ = plan({onCuda(a_)});
  }
}

TEST_F(CudaGraphTest, FailuresOfTheDeviceAreReported) {
  runAsGraph();
  runAsGraph();
  fake_.graphLaunchStatus = fake_.launchStatus = 700;
  EXPECT_TRUE(contains(cudaErrorOf([&] { runAsGraph(); }), "CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(CudaGraphTest, ThreadsOnOneStream) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Arguments arguments{onCuda(a_, 0, int64_t{4096} * i)};
      std::vector<void*> outputs{outputAddress(0)};
      for (int k = 0; k < 50; ++k) {
        ready_->runAsGraph(arguments, outputs, kWorkspace, kStream);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(fake_.graphLaunches, 199);
  EXPECT_EQ(fake_.launches.size() % 200, 0u);
  // Runs are not mixed: the launches of one come together.
  const size_t kernels = fake_.launches.size() / 200;
  for (size_t i = 0; i < fake_.launches.size(); ++i) {
    EXPECT_EQ(fake_.launches[i].function, fake_.launches[i % kernels].function);
  }
}

TEST_F(CudaPlanTest, OneKernelIsNoGraph) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  cache().enable({"cuda_graphs"});
  const TensorArgument a({4096});
  EXPECT_FALSE(plan({onCuda(a), onCuda(a)})->mayBeGraph(kStream));
}

// ---------------------------------------------------------------- devices

TEST_F(CudaPlanTest, EveryDeviceHasItsOwnKernels) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  const auto first = run({onCuda(a, 0), onCuda(a, 0)});
  const auto second = run({onCuda(a, 1), onCuda(a, 1)});
  EXPECT_EQ(first[0].context->device, 0);
  EXPECT_EQ(second[0].context->device, 1);
  EXPECT_EQ(run({onCuda(a, 0), onCuda(a, 0)})[0].function, first[0].function);
}

TEST_F(CudaPlanTest, InputsMustBeTogether) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  EXPECT_TRUE(
      contains(problem({onCuda(a, 0), onCuda(a, 1)}),
               "to be bound to a CUDA or meta tensor on cuda:0, where other inputs are, but "
               "got a tensor on cuda:1"));
  EXPECT_TRUE(contains(problem({a.tensor(), onCuda(a)}), "Expected input 0, T0"));
  EXPECT_TRUE(contains(problem({onCuda(a, 2), onCuda(a, 2)}), "There is no CUDA device 2"));
  ExecuteOptions options;
  options.device = Device{DeviceType::CUDA, 1};
  EXPECT_TRUE(contains(problem({onCuda(a), onCuda(a)}, options),
                       "asked to run on cuda:1, but its inputs are on cuda:0"));
  options.device = Device{DeviceType::CPU, 0};
  EXPECT_TRUE(contains(problem({onCuda(a), onCuda(a)}, options), "asked to run on cpu"));
  options.device = Device{DeviceType::CUDA, 0};
  EXPECT_EQ(problem({onCuda(a), onCuda(a)}, options), "");
}

TEST_F(CudaPlanTest, WithoutTensorsTheOptionDecides) {
  fusion_->addOutput(ops::full(std::vector<Val*>{scalar::constant(fusion_.get(), 4096)},
                               scalarInput(DataType::Double), DataType::Float));
  ExecuteOptions options;
  options.device = Device{DeviceType::CUDA, 1};
  const auto launches = run({PolymorphicValue(2.0)}, options);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].context->device, 1);
  EXPECT_TRUE(cache().isCompiled(Arguments{PolymorphicValue(3.0)}));
}

TEST_F(CudaPlanTest, ThreadsWithoutAContext) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  const Arguments arguments{onCuda(a, 1), onCuda(a, 1)};
  const auto ready = plan(arguments);
  std::vector<void*> outputs{outputAddress(0)};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        ready->run(arguments, outputs, nullptr, kStream);
        EXPECT_EQ(cache().plan(arguments), ready);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(fake_.launches.size(), 200u);
  for (const FakeLaunch& launch : fake_.launches) {
    EXPECT_EQ(launch.context->device, 1);
  }
}

// ---------------------------------------------------------------- tensors on the host

TEST_F(CudaPlanTest, ZeroDimensionalHostTensorsArePassedByValue) {
  TensorView* x = input({-1});
  TensorView* factor = input({});
  fusion_->addOutput(ops::binary(BinaryOpType::Mul, x, factor)->asTensor());
  const TensorArgument a({4096});
  TensorArgument host(Sizes{});
  for (const float value : {2.5F, -7.0F}) {
    std::memcpy(host.memory, &value, sizeof(value));
    const auto launches = run({onCuda(a), host.tensor()});
    ASSERT_EQ(launches.size(), 1u);
    const auto bits = std::bit_cast<int64_t>(static_cast<double>(value));
    EXPECT_EQ(std::ranges::count(launches[0].arguments, bits), 1);
    EXPECT_EQ(std::ranges::count(launches[0].arguments, addressOf(host.tensor())), 0);
  }
  EXPECT_EQ(compilations_, 1);
  // On the device it is an ordinary tensor.
  const auto launches = run({onCuda(a), onCuda(host)});
  EXPECT_EQ(compilations_, 2);
  EXPECT_EQ(std::ranges::count(launches[0].arguments, addressOf(host.tensor())), 1);
}

TEST_F(CudaPlanTest, HostTensorsMayBeBroadcast) {
  TensorView* scalar = input({});
  fusion_->addOutput(add(ops::broadcast(scalar, std::vector<bool>{true}), input({-1})));
  const TensorArgument host(Sizes{});
  const TensorArgument a({4096});
  EXPECT_EQ(run({host.tensor(), onCuda(a)}).size(), 1u);
}

TEST_F(CudaPlanTest, WhatOnlyTheHostCanComputeIsRefused) {
  TensorView* scalar = input({});
  fusion_->addOutput(add(scalar, scalar));
  fusion_->addOutput(add(scalar, input({-1})));
  const TensorArgument host(Sizes{});
  const TensorArgument a({4096});
  EXPECT_EQ(problem({onCuda(host), onCuda(a)}), "");
  EXPECT_TRUE(contains(problem({host.tensor(), onCuda(a)}),
                       "KernelExecutor does not support the Fusion provided."));
}

// ---------------------------------------------------------------- updates in place

TEST_F(CudaPlanTest, UpdatesAreWrittenDirectly) {
  TensorView* x = input({-1});
  fusion_->addOutput(add(x, input({-1})), x);
  const TensorArgument a({4096});
  const TensorArgument b({4096});
  const auto launches = run({onCuda(a), onCuda(b)});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(plan({onCuda(a), onCuda(b)})->workspaceBytes(), 0);
}

TEST_F(CudaPlanTest, OtherUpdatesAreCopiedByAKernel) {
  TensorView* x = input({-1, -1});
  TensorView* rows = ops::broadcast(sum(x, {1}), std::vector<bool>{false, true});
  fusion_->addOutput(add(x, rows), x);
  const TensorArgument a({64, 64});
  const Arguments arguments{onCuda(a)};
  const auto launches = run(arguments);
  ASSERT_EQ(launches.size(), 2u);
  const auto ready = plan(arguments);
  EXPECT_GE(ready->workspaceBytes(), 64 * 64 * 4);
  // From the workspace into the input.
  EXPECT_EQ(std::ranges::count(launches[1].arguments, addressOf(onCuda(a))), 1);
  EXPECT_EQ(std::ranges::count_if(launches[1].arguments,
                                  [&](int64_t argument) { return inWorkspace(argument, *ready); }),
            1);
}

// ---------------------------------------------------------------- failures

TEST_F(CudaPlanTest, AFailedLaunchSaysWhatWasLaunched) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  const Arguments arguments{onCuda(a), onCuda(a)};
  fake_.launchStatus = 1;
  const std::string message = problem(arguments);
  EXPECT_TRUE(contains(message, "Launching the kernel nvfuser_pointwise_add_"));
  EXPECT_TRUE(contains(message, "_phase0 on cuda:0 with grid ["));
  EXPECT_TRUE(contains(message, "failed with CUDA_ERROR_INVALID_VALUE (1, invalid argument)"));
  EXPECT_TRUE(contains(message, "T0"));
  EXPECT_FALSE(contains(message, "CUDA_LAUNCH_BLOCKING"));
  fake_.launchStatus = 700;
  EXPECT_TRUE(contains(problem(arguments), "which CUDA_LAUNCH_BLOCKING=1 shows"));
  fake_.launchStatus = 0;
  EXPECT_EQ(problem(arguments), "");
  EXPECT_EQ(compilations_, 1);
}

TEST_F(CudaPlanTest, AFailedCompilationIsTriedAgain) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  const Arguments arguments{onCuda(a), onCuda(a)};
  failCompilation_ = true;
  EXPECT_THROW(run(arguments), std::runtime_error);
  EXPECT_FALSE(cache().isCompiled(arguments));
  failCompilation_ = false;
  EXPECT_EQ(run(arguments).size(), 1u);
}

TEST_F(CudaPlanTest, KernelsThatCannotBeLoaded) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  const Arguments arguments{onCuda(a), onCuda(a)};
  fake_.loadStatus = 200;
  EXPECT_TRUE(contains(problem(arguments), "failed with CUDA_ERROR_INVALID_IMAGE"));
  fake_.loadStatus = 0;
  EXPECT_EQ(problem(arguments), "");
}

TEST_F(CudaPlanTest, WithoutADriver) {
  fusion_->addOutput(add(input({-1}), input({-1})));
  const TensorArgument a({4096});
  EXPECT_NE(cudaErrorOf([] { cuda::Driver::use("libnowhere.so.9"); }), "");
  ASSERT_EQ(setenv("NVFUSER_CUDA_DRIVER", "libnowhere.so.9", 1), 0);
  EXPECT_TRUE(contains(problem({onCuda(a), onCuda(a)}), "CUDA is not available"));
  unsetenv("NVFUSER_CUDA_DRIVER");
}

}  // namespace
}  // namespace nvfuser
