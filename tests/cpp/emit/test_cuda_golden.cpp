// Golden files: whole kernels as the CUDA emitter writes them, in tests/golden/cuda. The Python
// tests compile them.
//
// A difference fails; to accept the kernels of today:
//   NVFUSER_UPDATE_GOLDEN=1 ctest --test-dir build/cpp -R CudaGolden

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "emit/cuda.h"
#include "lower/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class CudaGoldenTest : public testing_support::KernelTest {
 protected:
  // Compares with the file, or writes it. Without the definition in the header comment: it numbers
  // the domains that a schedule made.
  static void expectGolden(const std::string& name, const std::vector<std::string>& kernels) {
    const std::filesystem::path path =
        std::filesystem::path(NVFUSER_TESTS_DIRECTORY) / "golden" / "cuda" / (name + ".cu");
    std::string text;
    for (const std::string& kernel : kernels) {
      text += (text.empty() ? "" : "\n") + kernel.substr(kernel.find("extern \"C\""));
    }
    if (std::getenv("NVFUSER_UPDATE_GOLDEN") != nullptr) {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
    EXPECT_EQ(readFile(path), text)
        << "If this is meant: NVFUSER_UPDATE_GOLDEN=1 ctest --test-dir build/cpp -R CudaGolden";
  }

  // A block of 32 threads, each of which computes one element of every output.
  std::string oneBlock(const std::string& name) {
    for (TensorView* tv : fusion_.tensors()) {
      if (!tv->isFusionInput() && tv->nLoops() > 0) {
        tv->axis(0)->parallelize(ParallelType::BlockX);
      }
    }
    inlineMost(&fusion_);
    const auto kernel = nvfuser::lower(&fusion_, name, gpuTarget({}));
    kernel->hasWideIndex = false;
    return emitCuda(*kernel);
  }

  // Scheduled with given numbers, so that tuning the schedulers leaves the files as they are.
  template <typename Params>
  std::string scheduled(const std::string& name, const Scheduler* scheduler, const Params& params) {
    applySchedule(&fusion_, {scheduler, params});
    const auto kernel = nvfuser::lower(&fusion_, name, gpuTarget({}));
    kernel->hasWideIndex = false;
    return emitCuda(*kernel);
  }

  // Makes an output of what `op` returns unless the dtype is not for it.
  template <typename Op>
  void outputIfDefined(const Op& op) {
    try {
      output(op());
    } catch (const Error&) {
    }
  }
};

// One file for each dtype, with every operation on it.
class CudaGoldenOperationsTest : public CudaGoldenTest,
                                 public testing::WithParamInterface<DataType> {
 public:
  static std::string nameOf(const testing::TestParamInfo<DataType>& parameter) {
    return info(parameter.param).name;
  }
};

TEST_P(CudaGoldenOperationsTest, Operations) {
  const DataType dtype = GetParam();
  TensorView* x = tensor({32}, dtype);
  TensorView* y = tensor({32}, dtype);
  TensorView* z = tensor({32}, dtype);
  TensorView* condition = tensor({32}, DataType::Bool);
  for (int type = 0; type <= static_cast<int>(UnaryOpType::Trunc); ++type) {
    outputIfDefined([&] { return ops::unary(static_cast<UnaryOpType>(type), x); });
  }
  for (int type = 0; type <= static_cast<int>(BinaryOpType::Truediv); ++type) {
    outputIfDefined([&] { return ops::binary(static_cast<BinaryOpType>(type), x, y); });
  }
  outputIfDefined([&] { return ops::where(condition, x, y)->asTensor(); });
  outputIfDefined([&] { return ops::lerp(x, y, z)->asTensor(); });
  Val* one = ops::oneOf(&fusion_, dtype);
  Val* zero = ops::zeroOf(&fusion_, dtype);
  outputIfDefined([&] { return ops::clamp(x, zero, one)->asTensor(); });
  outputIfDefined([&] { return ops::threshold(x, zero, one)->asTensor(); });
  outputIfDefined([&] { return ops::addcmul(x, y, z, one)->asTensor(); });
  expectGolden(std::string("operations_") + info(dtype).name, {oneBlock("operations")});
}

INSTANTIATE_TEST_SUITE_P(Dtypes, CudaGoldenOperationsTest,
                         testing::Values(DataType::Double, DataType::Float, DataType::Half,
                                         DataType::BFloat16, DataType::Int, DataType::Int32,
                                         DataType::Int16, DataType::Int8, DataType::UInt8,
                                         DataType::UInt16, DataType::UInt32, DataType::UInt64,
                                         DataType::Bool, DataType::ComplexFloat,
                                         DataType::ComplexDouble),
                         CudaGoldenOperationsTest::nameOf);

TEST_F(CudaGoldenTest, Casts) {
  const std::vector<DataType> dtypes = {
      DataType::Double,         DataType::Float,         DataType::Half,
      DataType::BFloat16,       DataType::Int,           DataType::Int32,
      DataType::UInt64,         DataType::Bool,          DataType::ComplexFloat,
      DataType::ComplexDouble,  DataType::Float8_e4m3fn, DataType::Float8_e5m2,
      DataType::Float8_e8m0fnu, DataType::Float4_e2m1fn};
  for (const DataType from : dtypes) {
    TensorView* x = tensor({32}, from);
    for (const DataType to : dtypes) {
      if (to != from) {
        output(ops::cast(x, to));
      }
    }
  }
  expectGolden("casts", {oneBlock("casts")});
}

TEST_F(CudaGoldenTest, CastsOfNarrowIntegers) {
  const std::vector<DataType> narrow = {DataType::Int16, DataType::Int8, DataType::UInt8,
                                        DataType::UInt16, DataType::UInt32};
  const std::vector<DataType> others = {
      DataType::Double, DataType::Float,  DataType::Half,   DataType::BFloat16,    DataType::Int,
      DataType::Int32,  DataType::UInt64, DataType::Bool,   DataType::Int16,       DataType::Int8,
      DataType::UInt8,  DataType::UInt16, DataType::UInt32, DataType::ComplexFloat};
  for (const DataType from : narrow) {
    TensorView* x = tensor({32}, from);
    for (const DataType to : others) {
      if (to != from) {
        output(ops::cast(x, to));
      }
    }
  }
  for (const DataType from : others) {
    TensorView* x = tensor({32}, from);
    for (const DataType to : narrow) {
      if (to != from) {
        output(ops::cast(x, to));
      }
    }
  }
  expectGolden("casts_of_narrow_integers", {oneBlock("casts")});
}

TEST_F(CudaGoldenTest, BlockReductions) {
  for (const DataType dtype :
       {DataType::Double, DataType::Float, DataType::Half, DataType::BFloat16, DataType::Int,
        DataType::Int32, DataType::Bool, DataType::ComplexFloat, DataType::ComplexDouble}) {
    TensorView* x = tensor({256}, dtype);
    for (const auto kind : {ops::ReductionKind::Sum, ops::ReductionKind::Prod,
                            ops::ReductionKind::Max, ops::ReductionKind::Min}) {
      outputIfDefined([&] { return ops::reduce(kind, x, Sizes{0}); });
    }
  }
  // Each thread accumulates in a register.
  for (TensorView* reduced : fusion_.outputTensors()) {
    reduced->cacheBefore();
  }
  expectGolden("block_reductions", {oneBlock("block_reductions")});
}

TEST_F(CudaGoldenTest, Pointwise) {
  TensorView* x = tensor({4096, 4096}, DataType::BFloat16);
  TensorView* bias = tensor({4096}, DataType::BFloat16);
  output(ops::cast(ops::unary(UnaryOpType::Gelu, add(x, ops::broadcast(bias, {true, false}))),
                   DataType::BFloat16));
  expectGolden("bias_gelu",
               {scheduled("bias_gelu", schedulers::gpuPointwise(),
                          GpuPointwiseParams{.vectors = {.width = 8, .tensors = 0b111},
                                             .blocks = {.threadsX = 128, .unroll = 4}})});
}

TEST_F(CudaGoldenTest, UnalignedSlice) {
  TensorView* x = tensor({64, 1027}, DataType::BFloat16);
  output(neg(ops::slice(x, constants({0, 3}), constants({64, 1027}))));
  const GpuPointwiseParams params{.vectors = {.width = 8, .tensors = 0b11},
                                  .blocks = {.threadsX = 128}};
  expectGolden("unaligned_slice", {scheduled("slice", schedulers::gpuPointwise(), params)});
}

TEST_F(CudaGoldenTest, LookupByColumns) {
  TensorView* x = tensor({64, 100});
  output(ops::gather(x, tensor({50, 100}, DataType::Int), 0));
  const GpuLookupParams params{
      .blocks = {.threadsX = 32, .threadsY = 4, .isColumnMajor = true, .hasOuterAlongY = true}};
  expectGolden("lookup_by_columns", {scheduled("lookup", schedulers::gpuLookup(), params)});
}

TEST_F(CudaGoldenTest, SymbolicSizes) {
  output(add(exp(tensor({-1, -1})), tensor({-1, -1}, DataType::Float, false)));
  expectGolden("symbolic",
               {scheduled("symbolic", schedulers::gpuPointwise(),
                          GpuPointwiseParams{.vectors = {.width = 4, .tensors = 0b110},
                                             .blocks = {.threadsX = 128, .unroll = 4}})});
}

TEST_F(CudaGoldenTest, InnerReduction) {
  output(sum(tensor({4096, 4096}), {1}));
  expectGolden(
      "inner_reduction",
      {scheduled("inner_reduction", schedulers::gpuInnerReduction(),
                 GpuInnerReductionParams{.vectors = {.width = 4, .tensors = 0b1},
                                         .readOnce = {.inputs = 0b1, .eviction = Eviction::First},
                                         .threadsX = 256,
                                         .unroll = 4})});
}

TEST_F(CudaGoldenTest, OuterReduction) {
  output(sum(tensor({4096, 4096}), {0}));
  expectGolden("outer_reduction",
               {scheduled("outer_reduction", schedulers::gpuOuterReduction(),
                          GpuOuterReductionParams{.vectors = {.width = 4, .tensors = 0b11},
                                                  .threadsX = 32,
                                                  .threadsY = 8,
                                                  .unroll = 4,
                                                  .parts = 16,
                                                  .combiningThreads = 512,
                                                  .combiningColumns = 8})});
}

TEST_F(CudaGoldenTest, InnerScan) {
  TensorView* x = ops::cast(tensor({4096, -1}, DataType::BFloat16), DataType::Float);
  output(ops::cast(ops::scan(BinaryOpType::Add, x, 1), DataType::BFloat16));
  expectGolden(
      "inner_scan",
      {scheduled(
          "inner_scan", schedulers::gpuScan(),
          GpuScanParams{.vectors = {.width = 8, .tensors = 0b11}, .threadsX = 128, .unroll = 4})});
}

TEST_F(CudaGoldenTest, OuterScan) {
  output(ops::scan(BinaryOpType::Maximum, tensor({4096, 4096}), 0));
  expectGolden(
      "outer_scan",
      {scheduled("outer_scan", schedulers::gpuScan(),
                 GpuScanParams{.threadsX = 32, .threadsY = 8, .unroll = 8, .isExact = true})});
}

TEST_F(CudaGoldenTest, ScanInParts) {
  TensorView* x = ops::cast(tensor({4, 1000000}, DataType::BFloat16), DataType::Float);
  output(ops::cast(ops::scan(BinaryOpType::Add, x, 1), DataType::BFloat16));
  expectGolden("scan_in_parts", {scheduled("scan_in_parts", schedulers::gpuScan(),
                                           GpuScanParams{.vectors = {.width = 8, .tensors = 0b11},
                                                         .threadsX = 128,
                                                         .unroll = 4,
                                                         .parts = 64})});
}

TEST_F(CudaGoldenTest, ScatterInRows) {
  TensorView* x = tensor({132, 128});
  TensorView* index = tensor({132, 128}, DataType::Int);
  TensorView* y = output(ops::scatter(x, index, tensor({132, 128}), 1));
  output(ops::unary(UnaryOpType::Relu, y));
  const GpuScatterInRowsParams params{.vectors = {.width = 4, .tensors = 0b11111}, .threads = 32};
  expectGolden("scatter_in_rows", {scheduled("scatter", schedulers::gpuScatterInRows(), params)});
}

TEST_F(CudaGoldenTest, ScatterThatAccumulates) {
  TensorView* x = tensor({1000, 128});
  TensorView* index = tensor({4096, 128}, DataType::Int);
  output(ops::scatter(x, index, tensor({4096, 128}), 0, true));
  const GpuScatterStep step{.vectors = {.width = 2, .tensors = 0b1111},
                            .blocks = {.threadsX = 32, .threadsY = 4}};
  const GpuScatterParams params{.copied = step, .written = step, .behind = step};
  expectGolden("scatter_add", {scheduled("scatter_add", schedulers::gpuScatter(), params)});
}

TEST_F(CudaGoldenTest, LayerNorm) {
  TensorView* x = ops::cast(tensor({4096, 4096}, DataType::BFloat16), DataType::Float);
  output(ops::cast(layerNorm(x, 4096), DataType::BFloat16));
  expectGolden("layer_norm",
               {scheduled("layer_norm", schedulers::gpuInnerPersistent(),
                          GpuInnerPersistentParams{.vectors = {.width = 8, .tensors = 0b11},
                                                   .threadsX = 128,
                                                   .batches = 4,
                                                   .recomputedOps = 4})});
}

}  // namespace
}  // namespace nvfuser
