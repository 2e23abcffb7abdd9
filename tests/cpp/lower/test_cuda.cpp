// Lowering for CUDA: threads in place of loops, vectors, reductions over threads, shared memory
// with its barriers, and what makes kernels of their own.

#include "lower/common.h"

namespace nvfuser {
namespace {

using testing_support::hasOperation;
using testing_support::Sizes;
using testing_support::statementsOf;

class CudaLowerTest : public testing_support::KernelTest {
 protected:
  std::unique_ptr<kir::Kernel> lowerCuda() {
    return nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  }

  // For static sizes.
  static ScheduleContext contextOf(int64_t alignment = 16, int64_t l2Bytes = 0) {
    ScheduleContext context(gpuTarget({.multiprocessors = 132, .l2Bytes = l2Bytes}));
    context.extent = [](const Val* val) { return val->constInt(); };
    context.alignment = [=](const TensorView*) { return alignment; };
    context.strides = contiguousStrides;
    return context;
  }
  static ScheduleParams paramsOf(Fusion& fusion, SchedulerType type, int64_t alignment = 16,
                                 int64_t l2Bytes = 0) {
    return computeHeuristics(&fusion, type, contextOf(alignment, l2Bytes));
  }
  template <typename Params>
  Params chosen(SchedulerType type, int64_t l2Bytes = 0) {
    return std::get<Params>(paramsOf(fusion_, type, 16, l2Bytes).values);
  }
  GpuBlocks blocksOfPointwise() {
    return chosen<GpuPointwiseParams>(SchedulerType::Pointwise).blocks;
  }
  GpuBlocks blocksOfLookup(int64_t l2Bytes = 0) {
    return chosen<GpuLookupParams>(SchedulerType::Pointwise, l2Bytes).blocks;
  }
  GpuBlocks blocksOfScatter(int64_t l2Bytes = 0) {
    return chosen<GpuScatterParams>(SchedulerType::Pointwise, l2Bytes).written.blocks;
  }
  std::unique_ptr<kir::Kernel> scheduled(SchedulerType type, int64_t alignment = 16) {
    applySchedule(&fusion_, paramsOf(fusion_, type, alignment));
    return lowerCuda();
  }

  static std::vector<int64_t> widthsOf(const kir::Kernel& kernel) {
    std::vector<int64_t> widths;
    for (const kir::Phase& phase : kernel.phases) {
      for (const auto* compute : statementsOf<kir::Compute>(phase.body)) {
        if (compute->width > 1) {
          widths.push_back(compute->width);
        }
      }
    }
    return widths;
  }
  template <typename Node>
  static size_t count(const kir::Kernel& kernel) {
    size_t total = 0;
    for (const kir::Phase& phase : kernel.phases) {
      total += statementsOf<Node>(phase.body).size();
    }
    return total;
  }
};

TEST_F(CudaLowerTest, ThreadsTakeThePlaceOfLoops) {
  TensorView* y = output(exp(tensor({100})));
  y->split(0, 32);
  y->axis(0)->parallelize(ParallelType::GridX);
  y->axis(1)->parallelize(ParallelType::BlockX);
  const auto kernel = lowerCuda();
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_EQ(count<kir::Loop>(*kernel), 0u);
  ASSERT_EQ(kernel->phases[0].threads.size(), 2u);
  EXPECT_EQ(kernel->phases[0].threads[0].extent->constInt(), 4);
  EXPECT_EQ(kernel->phases[0].threads[1].extent->constInt(), 32);
  EXPECT_EQ(count<kir::If>(*kernel), 1u);
  EXPECT_EQ(writesOf(*kernel, y), once(100));
}

using ShapeAndAlignment = std::tuple<Sizes, int64_t>;

class CudaShapeTest : public CudaLowerTest,
                      public testing::WithParamInterface<ShapeAndAlignment> {};

TEST_P(CudaShapeTest, PointwiseWritesEveryElementOnce) {
  const auto& [shape, alignment] = GetParam();
  TensorView* y = output(exp(tensor(shape)));
  const auto kernel = scheduled(SchedulerType::Pointwise, alignment);
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements *= extent;
  }
  EXPECT_EQ(writesOf(*kernel, y), once(elements));
  for (const int64_t width : widthsOf(*kernel)) {
    EXPECT_LE(width * 4, alignment);
    EXPECT_EQ(elements % width, 0);
  }
}

class CudaTransposeTest : public CudaShapeTest {};

TEST_P(CudaTransposeTest, WritesEveryElementOnce) {
  const auto& [shape, alignment] = GetParam();
  TensorView* x = tensor({shape[1], shape[0]});
  TensorView* y = output(add(ops::transpose(x, 0, 1), tensor(shape)));
  const auto kernel = scheduled(SchedulerType::Pointwise, alignment);
  EXPECT_EQ(writesOf(*kernel, y), once(shape[0] * shape[1]));
}

TEST_P(CudaShapeTest, ReductionsWriteEveryResultOnce) {
  const auto& [shape, alignment] = GetParam();
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    SCOPED_TRACE(dim);
    Fusion fusion;
    FusionGuard guard(&fusion);
    TensorView* x = ops::defineTensor(shape, true);
    fusion.addInput(x);
    TensorView* y = sum(x, {dim});
    fusion.addOutput(y);
    applySchedule(&fusion, paramsOf(fusion, SchedulerType::Reduction, alignment));
    const auto kernel = nvfuser::lower(&fusion, "kernel", gpuTarget({}));
    int64_t elements = 1;
    for (const int64_t extent : shape) {
      elements *= extent;
    }
    EXPECT_EQ(writesOf(*kernel, y), once(elements / shape[static_cast<size_t>(dim)]));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CudaShapeTest,
                         testing::Combine(testing::Values(Sizes{7}, Sizes{4096}, Sizes{5, 3},
                                                          Sizes{7, 100}, Sizes{40, 72},
                                                          Sizes{3, 4, 33}),
                                          testing::Values(16, 8, 4)));

INSTANTIATE_TEST_SUITE_P(Shapes, CudaTransposeTest,
                         testing::Combine(testing::Values(Sizes{5, 3}, Sizes{40, 72},
                                                          Sizes{128, 64}, Sizes{65, 130}),
                                          testing::Values(16, 8, 4)));

TEST_F(CudaLowerTest, AVectorIsOneAccess) {
  TensorView* y = output(exp(tensor({64, 512})));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(kernel->vectors.size(), 2u);
  EXPECT_EQ(writesOf(*kernel, y), once(64 * 512));
}

TEST_F(CudaLowerTest, OnlyCopiesAreVectorized) {
  TensorView* y = output(exp(tensor({64})));
  y->split(0, 4);
  y->axis(1)->parallelize(ParallelType::Vectorize);
  EXPECT_TRUE(contains(errorOf([&] { lowerCuda(); }), "Only copies can be vectorized"));
}

TEST_F(CudaLowerTest, VectorsNeedAdjacentElements) {
  TensorView* x = tensor({16, 8});
  TensorView* y = output(ops::set(ops::transpose(x, 0, 1)));
  TensorView* copy = y->definition()->input(0)->asTensor();
  for (TensorView* tv : {copy, y}) {
    tv->split(1, 4);
  }
  copy->axis(2)->parallelize(ParallelType::Vectorize);
  EXPECT_TRUE(contains(errorOf([&] { lowerCuda(); }), "not adjacent in memory"))
      << errorOf([&] { lowerCuda(); });
}

TEST_F(CudaLowerTest, PartsThatBeginWithWholeVectorsAreReadInVectors) {
  const std::array parts{exp(tensor({128, 128})), neg(tensor({128, 64}))};
  TensorView* y = output(ops::cat(parts, 1));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4, 4}));
  EXPECT_EQ(writesOf(*kernel, y), once(128 * 192));
}

TEST_F(CudaLowerTest, PartsThatBeginInsideOfAVectorAreReadOneByOne) {
  const std::array parts{exp(tensor({6, 127})), neg(tensor({6, 65}))};
  output(ops::cat(parts, 1));
  EXPECT_EQ(widthsOf(*scheduled(SchedulerType::Pointwise)), std::vector<int64_t>{});
}

TEST_F(CudaLowerTest, RowsAreCountedAlongY) {
  const std::array parts{exp(tensor({6, 127})), neg(tensor({6, 65}))};
  TensorView* y = output(ops::cat(parts, 1));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  for (const auto* compute : statementsOf<kir::Compute>(kernel->phases[0].body)) {
    EXPECT_FALSE(hasOperation(compute->out.index, BinaryOpType::Mod));
  }
  EXPECT_EQ(writesOf(*kernel, y), once(6 * 192));
}

TEST_F(CudaLowerTest, MoreRowsThanBlocksAlongYAreMergedWithColumns) {
  const std::array parts{exp(tensor({70000, 1})), neg(tensor({70000, 3}))};
  output(ops::cat(parts, 1));
  EXPECT_FALSE(blocksOfPointwise().hasOuterAlongY);
}

TEST_F(CudaLowerTest, ABlockReadsFromOneLongRow) {
  output(exp(ops::slice(tensor({2048, 8195}), constants({0, 3}), constants({2048, 8195}))));
  const GpuBlocks blocks = blocksOfPointwise();
  EXPECT_TRUE(blocks.unrollsRows);
  // Of vectors of results, whose rows are one; each element of a slice is a load.
  EXPECT_EQ(blocks.unroll, 2);
}

TEST_F(CudaLowerTest, SlicesOfNarrowElementsAreReadInVectorsWhereverTheyBegin) {
  TensorView* x = tensor({64, 1027}, DataType::BFloat16);
  TensorView* y = output(neg(ops::slice(x, constants({0, 3}), constants({64, 1027}))));
  EXPECT_EQ(chosen<GpuPointwiseParams>(SchedulerType::Pointwise).vectors.tensors, 0b11u);
  const auto kernel = scheduled(SchedulerType::Pointwise);
  // The result is in single precision: what is stored is one access.
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(writesOf(*kernel, y), once(64 * 1024));
  // Only of the output.
  ASSERT_EQ(kernel->vectors.size(), 1u);
  EXPECT_EQ(kernel->vectors[0].tv, y);
}

// The vectors are of results.
TEST_F(CudaLowerTest, SlicesThatLeaveNoWholeVectorsAreReadOneByOne) {
  TensorView* x = tensor({64, 1027}, DataType::BFloat16);
  output(neg(ops::slice(x, constants({0, 4}), constants({64, 1027}))));
  EXPECT_EQ(widthsOf(*scheduled(SchedulerType::Pointwise)), std::vector<int64_t>{4});
}

TEST_F(CudaLowerTest, WhatIsReadAsAWholeTooIsSlicedOneByOne) {
  TensorView* x = tensor({64, 1027}, DataType::BFloat16);
  output(neg(ops::slice(x, constants({0, 3}), constants({64, 1027}))));
  output(neg(x));
  EXPECT_EQ(widthsOf(*scheduled(SchedulerType::Pointwise)), std::vector<int64_t>{4});
}

TEST_F(CudaLowerTest, SlicesOfWhatIsComputedAreReadOneByOne) {
  TensorView* x = tensor({64, 1030}, DataType::BFloat16);
  TensorView* part = ops::slice(x, constants({0, 3}), constants({64, 1030}));
  output(neg(ops::slice(part, constants({0, 3}), constants({64, 1027}))));
  EXPECT_EQ(widthsOf(*scheduled(SchedulerType::Pointwise)), std::vector<int64_t>{4});
}

TEST_F(CudaLowerTest, BlocksOfARowAreReadInVectorsAndReducedInsideOfAWarp) {
  TensorView* x = tensor({128, 256}, DataType::BFloat16);
  TensorView* blocks = ops::reshape(ops::cast(x, DataType::Float), constants({128, 256 / 32, 32}));
  TensorView* largest = ops::reduce(ops::ReductionKind::Max, exp(blocks), std::vector<int64_t>{2},
                                    true, DataType::Null);
  output(ops::cast(add(blocks, neg(largest)), DataType::BFloat16));
  const auto kernel = scheduled(SchedulerType::InnerPersistent);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{8, 8}));
  const auto reductions = statementsOf<kir::BlockReduce>(kernel->phases[0].body);
  ASSERT_EQ(reductions.size(), 1u);
  // Four threads a block of 32, and no condition where that comes from the row.
  for (const kir::ThreadDimension& dimension : kernel->phases[0].threads) {
    if (isBlockType(dimension.type)) {
      EXPECT_TRUE(dimension.extent->isConstInt(dimension.type == ParallelType::BlockX ? 4 : 32));
    }
  }
  EXPECT_EQ(count<kir::If>(*kernel), 0u);
  // Blocks that follow each other are those of a row, and then those of the next.
  for (const auto* compute : statementsOf<kir::Compute>(kernel->phases[0].body)) {
    for (const kir::Operand& operand : compute->inputs) {
      if (const auto* access = std::get_if<kir::Access>(&operand); access->tv == x) {
        EXPECT_FALSE(hasOperation(access->index, BinaryOpType::Mod));
      }
    }
  }
}

TEST_F(CudaLowerTest, AScatterCopiesInVectorsAndWritesElements) {
  TensorView* y =
      output(ops::scatter(tensor({16, 128}), tensor({16, 61}, DataType::Int), tensor({16, 61}), 1));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(writesOf(*kernel, y).size(), 16u * 128u);
}

TEST_F(CudaLowerTest, InputsThatAreMuchLargerThanTheCacheAreTheLastToLeaveIt) {
  TensorView* bias = tensor({8192});
  output(ops::binary(BinaryOpType::Add, tensor({8192, 8192}), bias));
  const auto params = chosen<GpuPointwiseParams>(SchedulerType::Pointwise, 50 << 20);
  EXPECT_EQ(params.readOnce.eviction, Eviction::Last);
  // What all rows share is not read once.
  EXPECT_EQ(params.readOnce.inputs, 0b10u);
}

TEST_F(CudaLowerTest, OtherInputsAreReadAsAlways) {
  output(exp(tensor({4096, 4096})));
  const auto params = chosen<GpuPointwiseParams>(SchedulerType::Pointwise, 50 << 20);
  EXPECT_EQ(params.readOnce, GpuReadOnce{});
}

TEST_F(CudaLowerTest, ColumnsThatAreReducedLeaveTheCacheFirst) {
  output(sum(tensor({4096, 4096}), {0}));
  const auto params = chosen<GpuOuterReductionParams>(SchedulerType::Reduction, 50 << 20);
  EXPECT_EQ(params.readOnce.eviction, Eviction::First);
  EXPECT_EQ(params.readOnce.inputs, 0b1u);
}

TEST_F(CudaLowerTest, PartsOfAReductionHaveEqualRounds) {
  output(sum(tensor({20, 1000000}, DataType::BFloat16), {1}));
  // 62 rounds of 512 threads that read four vectors each.
  EXPECT_EQ(chosen<GpuInnerReductionParams>(SchedulerType::Reduction).parts, 62);
}

TEST_F(CudaLowerTest, MomentsOfRowsThatAreReadAtOnceAreMergedFirst) {
  TensorView* x = tensor({65536, 512});
  Val* rows = scalar::constant(&fusion_, 65536);
  Val* mean = ops::binary(BinaryOpType::Div, sum(x, {0}, true), ops::cast(rows, DataType::Float));
  TensorView* difference = ops::binary(BinaryOpType::Sub, x, mean)->asTensor();
  TensorView* squares = ops::binary(BinaryOpType::Mul, difference, difference)->asTensor();
  output(ops::binary(BinaryOpType::Mul, x, sum(squares, {0}, true)));
  const auto kernel = scheduled(SchedulerType::OuterPersistent);
  bool areMerged = false;
  for (const auto* compute : statementsOf<kir::Compute>(kernel->phases[0].body)) {
    const auto* reduction = compute->expr->as<ReductionOp>();
    if (reduction != nullptr && reduction->in()->definition()->is<ReductionOp>()) {
      areMerged = reduction->type() == BinaryOpType::MergeMoments;
    }
  }
  EXPECT_TRUE(areMerged);
  // Sizes divide: all that is checked is which thread writes.
  EXPECT_EQ(statementsOf<kir::If>(kernel->phases[0].body).size(), 1u);
}

TEST_F(CudaLowerTest, AScatterIntoManyRowsWritesIntoSharedMemory) {
  TensorView* y = output(
      ops::scatter(tensor({132, 512}), tensor({132, 60}, DataType::Int), tensor({132, 60}), 1));
  output(exp(y));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_TRUE(kernel->workspaces.empty());
  // What is copied to shared memory, written into it, and read from it.
  EXPECT_EQ(count<kir::Barrier>(*kernel), 2u);
  for (const int64_t width : widthsOf(*kernel)) {
    EXPECT_EQ(width, 4);
  }
  EXPECT_EQ(writesOf(*kernel, y), once(132 * 512));
}

TEST_F(CudaLowerTest, AScatterIntoRowsThatAreTooLongForSharedMemoryIsDivided) {
  output(
      ops::scatter(tensor({132, 16384}), tensor({132, 60}, DataType::Int), tensor({132, 60}), 1));
  EXPECT_EQ(scheduled(SchedulerType::Pointwise)->phases.size(), 2u);
}

TEST_F(CudaLowerTest, SlicesAtPositionsAreReadInVectors) {
  TensorView* x = tensor({10, 128});
  TensorView* y = output(exp(ops::indexSelect(x, tensor({6}, DataType::Int), 0)));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(count<kir::LoadIndex>(*kernel), 1u);
  // In place of those of a position that does not exist.
  EXPECT_EQ(count<kir::Assign>(*kernel), 4u);
  EXPECT_EQ(writesOf(*kernel, y), once(6 * 128));
}

TEST_F(CudaLowerTest, ElementsAtPositionsAreReadOneByOne) {
  output(ops::takeAlongAxis(tensor({10, 128}), tensor({6, 128}, DataType::Int), 0));
  EXPECT_EQ(widthsOf(*scheduled(SchedulerType::Pointwise)), (std::vector<int64_t>{4, 4}));
}

TEST_F(CudaLowerTest, ElementsOfOtherRowsAreReadByNarrowBlocksOneColumnAfterTheOther) {
  TensorView* x = tensor({64, 128});
  TensorView* y = output(ops::gather(x, tensor({50, 100}, DataType::Int), 0));
  const GpuBlocks blocks = blocksOfLookup();
  EXPECT_TRUE(blocks.isColumnMajor);
  EXPECT_TRUE(blocks.hasOuterAlongY);
  EXPECT_EQ(blocks.threadsX, 32);
  EXPECT_EQ(blocks.threadsY, 4);
  // All of the columns are looked up again before they leave the cache. No more than 50 rows of x
  // are.
  constexpr int64_t kBytes = 50 * 100 * 4;
  const auto withCache = [&](int64_t bytes) { return blocksOfLookup(bytes).isColumnMajor; };
  EXPECT_TRUE(withCache(2 * kBytes));
  EXPECT_FALSE(withCache(4 * kBytes));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  EXPECT_EQ(writesOf(*kernel, y), once(50 * 100));
  for (const kir::ThreadDimension& dimension : kernel->phases[0].threads) {
    if (dimension.type == ParallelType::GridX || dimension.type == ParallelType::GridY) {
      // Blocks of four rows, and of 32 columns.
      EXPECT_EQ(dimension.extent->constInt(), dimension.type == ParallelType::GridX ? 13 : 4);
    }
  }
}

TEST_F(CudaLowerTest, ElementsOfTheSameRowAreReadRowByRow) {
  output(ops::gather(tensor({64, 128}), tensor({64, 100}, DataType::Int), 1));
  EXPECT_FALSE(blocksOfLookup().isColumnMajor);
}

TEST_F(CudaLowerTest, WholeRowsAreReadInVectorsOneColumnAfterTheOther) {
  TensorView* y = output(ops::indexSelect(tensor({64, 4096}), tensor({50}, DataType::Int), 0));
  const GpuBlocks blocks = blocksOfLookup();
  EXPECT_TRUE(blocks.isColumnMajor);
  EXPECT_EQ(blocks.threadsX, 128);
  const auto kernel = scheduled(SchedulerType::Pointwise);
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(writesOf(*kernel, y), once(50 * 4096));
}

TEST_F(CudaLowerTest, ElementsAreWrittenIntoOtherRowsOneColumnAfterTheOther) {
  TensorView* y = output(
      ops::scatter(tensor({64, 128}), tensor({50, 100}, DataType::Int), tensor({50, 100}), 0));
  constexpr int64_t kBytes = 50 * 128 * 4;
  EXPECT_FALSE(blocksOfScatter(kBytes).isColumnMajor);
  EXPECT_TRUE(blocksOfScatter(kBytes - 1).isColumnMajor);
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(writesOf(*kernel, y).size(), 64u * 128u);
  for (const kir::ThreadDimension& dimension : kernel->phases[1].threads) {
    if (isBlockType(dimension.type)) {
      EXPECT_TRUE(dimension.extent->isConstInt(dimension.type == ParallelType::BlockX ? 32 : 4));
    }
  }
}

TEST_F(CudaLowerTest, WhatIsWrittenInGlobalMemoryIsReadPastTheCache) {
  output(ops::scatter(tensor({64, 128}), tensor({50, 100}, DataType::Int), tensor({50, 100}), 0));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  size_t loads = 0;
  for (const kir::Phase& phase : kernel->phases) {
    for (const auto* compute : statementsOf<kir::Compute>(phase.body)) {
      const auto* load = compute->expr->as<LoadStoreOp>();
      if (load != nullptr && load->input(0)->isFusionInput()) {
        EXPECT_EQ(load->out()->marks().eviction, Eviction::First);
        ++loads;
      }
    }
  }
  EXPECT_GT(loads, 0u);
}

TEST_F(CudaLowerTest, MoreBlocksOfColumnsThanThereAreAlongYAreMergedWithRows) {
  output(ops::gather(tensor({3, 2100000}), tensor({3, 2100000}, DataType::Int), 0));
  const GpuBlocks blocks = blocksOfLookup();
  EXPECT_TRUE(blocks.isColumnMajor);
  EXPECT_FALSE(blocks.hasOuterAlongY);
}

TEST_F(CudaLowerTest, FewRowsHaveAConstantNumberOfThreadsAndLoadFirst) {
  TensorView* x = tensor({7, 1000});
  TensorView* weight = tensor({1000});
  output(ops::binary(BinaryOpType::Mul, add(x, sum(x, {1}, true)), weight));
  const auto kernel = scheduled(SchedulerType::InnerPersistent);
  ASSERT_EQ(kernel->phases.size(), 1u);
  const kir::Block& body = kernel->phases[0].body;
  const auto isReduction = [](const kir::Statement& statement) {
    return std::holds_alternative<kir::BlockReduce>(statement.node);
  };
  const auto readsWeight = [&](const kir::Statement& statement) {
    bool reads = false;
    kir::forEachStatement(statement, [&](const kir::Statement& inside) {
      const auto* compute = std::get_if<kir::Compute>(&inside.node);
      const auto* access = compute == nullptr || compute->inputs.empty()
                               ? nullptr
                               : std::get_if<kir::Access>(&compute->inputs[0]);
      reads = reads || (access != nullptr && access->tv == weight);
    });
    return reads;
  };
  const auto load = std::ranges::find_if(body, readsWeight);
  ASSERT_NE(load, body.end());
  EXPECT_LT(load, std::ranges::find_if(body, isReduction));
  for (const kir::ThreadDimension& dimension : kernel->phases[0].threads) {
    EXPECT_TRUE(dimension.extent->isConstInt(dimension.type == ParallelType::BlockX ? 256 : 7));
  }
}

TEST_F(CudaLowerTest, ARowIsReducedByTheThreadsOfItsBlock) {
  TensorView* x = tensor({8, 1024});
  output(ops::softmax(x, 1));
  const auto kernel = scheduled(SchedulerType::InnerPersistent);
  ASSERT_EQ(kernel->phases.size(), 1u);
  const auto reductions = statementsOf<kir::BlockReduce>(kernel->phases[0].body);
  ASSERT_EQ(reductions.size(), 2u);
  for (const kir::BlockReduce* reduction : reductions) {
    EXPECT_EQ(reduction->along, (std::array{true, false, false}));
    EXPECT_FALSE(reduction->isRepeated);
  }
  // The row is read once.
  size_t reads = 0;
  for (const auto* compute : statementsOf<kir::Compute>(kernel->phases[0].body)) {
    for (const kir::Operand& operand : compute->inputs) {
      const auto* access = std::get_if<kir::Access>(&operand);
      reads += access != nullptr && access->tv == x;
    }
  }
  EXPECT_EQ(reads, 1u);
}

TEST_F(CudaLowerTest, FewLongRowsAreDividedAmongBlocks) {
  output(sum(tensor({2, 1 << 20}), {1}));
  const auto kernel = scheduled(SchedulerType::Reduction);
  EXPECT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(kernel->workspaces.size(), 1u);
}

TEST_F(CudaLowerTest, PartsOfFewColumnsAreCombinedByManyBlocks) {
  TensorView* y = output(sum(tensor({2048, 512}), {0}));
  const auto kernel = scheduled(SchedulerType::Reduction);
  ASSERT_EQ(kernel->phases.size(), 2u);
  int64_t blocks = 1;
  for (const kir::ThreadDimension& dimension : kernel->phases[1].threads) {
    blocks *= isBlockType(dimension.type) ? 1 : dimension.extent->constInt();
  }
  EXPECT_GE(blocks, 64);
  EXPECT_EQ(writesOf(*kernel, y), once(512));
}

TEST_F(CudaLowerTest, WhatIsReadAgainIsReadFromItsEnd) {
  TensorView* x = tensor({65536, 512});
  output(ops::softmax(x, 0));
  const auto kernel = scheduled(SchedulerType::OuterPersistent);
  std::vector<bool> isReversed;
  for (const kir::Phase& phase : kernel->phases) {
    const auto computes = statementsOf<kir::Compute>(phase.body);
    if (std::ranges::any_of(computes, [&](const kir::Compute* compute) {
          const auto* access = std::get_if<kir::Access>(&compute->inputs.front());
          return access != nullptr && access->tv == x;
        })) {
      isReversed.push_back(phase.isReversed);
    } else {
      EXPECT_FALSE(phase.isReversed);
    }
  }
  EXPECT_EQ(isReversed, (std::vector<bool>{false, true, false}));
}

TEST_F(CudaLowerTest, WhatIsSplitAgainHasOneCondition) {
  TensorView* y = output(exp(tensor({1001})));
  y->split(0, 8);
  y->split(0, 4);
  y->split(0, 3);
  const auto kernel = lowerCuda();
  const auto conditions = statementsOf<kir::If>(kernel->phases[0].body);
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_TRUE(conditions[0]->condition->definition()->input(1)->isConstInt(1001));
  EXPECT_EQ(writesOf(*kernel, y), once(1001));
}

TEST_F(CudaLowerTest, IndependentReductionsShareBarriers) {
  TensorView* x = tensor({64, 512});
  output(add(sum(x, {1}), sum(exp(x), {1})));
  const auto kernel = scheduled(SchedulerType::Reduction);
  const auto reductions = statementsOf<kir::BlockReduce>(kernel->phases[0].body);
  ASSERT_EQ(reductions.size(), 1u);
  EXPECT_EQ(reductions[0]->parts.size(), 2u);
}

TEST_F(CudaLowerTest, ARowIsScannedByTheThreadsOfItsBlock) {
  TensorView* x = tensor({4, 8192});
  TensorView* y = output(exp(ops::scan(BinaryOpType::Add, x, 1)));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  const auto scans = statementsOf<kir::BlockScan>(kernel->phases[0].body);
  ASSERT_EQ(scans.size(), 1u);
  EXPECT_EQ(scans[0]->along, ParallelType::BlockX);
  // The parts follow each other: they have one carry.
  ASSERT_EQ(scans[0]->parts.size(), 4u);
  EXPECT_EQ(scans[0]->parts[3].carry.tv, scans[0]->parts[0].carry.tv);
  EXPECT_TRUE(scans[0]->parts[3].carry.index->isConstInt(0));
  EXPECT_EQ(widthsOf(*kernel), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(count<kir::If>(*kernel), 0u);
  EXPECT_EQ(writesOf(*kernel, y), once(4 * 8192));
}

TEST_F(CudaLowerTest, ColumnsAreScannedByThreadsInOrder) {
  TensorView* x = tensor({300, 70}, DataType::Half);
  TensorView* y = output(ops::scan(BinaryOpType::Maximum, x, 0));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  const auto scans = statementsOf<kir::BlockScan>(kernel->phases[0].body);
  ASSERT_EQ(scans.size(), 1u);
  EXPECT_EQ(scans[0]->along, ParallelType::BlockY);
  // Two columns of a vector, each with its own carry, in single precision.
  ASSERT_EQ(scans[0]->parts.size(), 2u);
  EXPECT_TRUE(scans[0]->parts[1].carry.index->isConstInt(1));
  EXPECT_EQ(scans[0]->parts[0].value.tv->dtype(), DataType::Float);
  EXPECT_EQ(writesOf(*kernel, y), once(300 * 70));
}

class CudaLongScanTest : public CudaLowerTest,
                         public testing::WithParamInterface<std::tuple<Sizes, int64_t>> {};

TEST_P(CudaLongScanTest, BlocksShareFewLongRows) {
  const auto& [shape, dim] = GetParam();
  TensorView* x = exp(tensor(shape));
  TensorView* y = output(neg(ops::scan(BinaryOpType::Add, x, dim)));
  // Of few elements, whose writes are counted one by one.
  ScheduleContext context = contextOf();
  context.tuning.gpu.scanPartElements = 256;
  applySchedule(&fusion_, computeHeuristics(&fusion_, SchedulerType::Pointwise, context));
  const auto kernel = lowerCuda();
  // What each part combines to, what precedes each part, and the parts.
  ASSERT_EQ(kernel->phases.size(), 3u);
  EXPECT_EQ(kernel->workspaces.size(), 2u);
  EXPECT_EQ(statementsOf<kir::BlockReduce>(kernel->phases[0].body).size(), 1u);
  EXPECT_EQ(statementsOf<kir::BlockScan>(kernel->phases[1].body).size(), 1u);
  EXPECT_EQ(statementsOf<kir::BlockScan>(kernel->phases[2].body).size(), 1u);
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements *= extent;
  }
  EXPECT_EQ(writesOf(*kernel, y), once(elements));
}

INSTANTIATE_TEST_SUITE_P(Shapes, CudaLongScanTest,
                         testing::Values(std::tuple(Sizes{1 << 12}, 0),
                                         std::tuple(Sizes{3, 2101}, 1),
                                         std::tuple(Sizes{525, 5}, 0),
                                         std::tuple(Sizes{2, 300, 5}, 1)));

TEST_F(CudaLowerTest, ScansOfScansAndManyRowsStayInOneKernel) {
  TensorView* x = tensor({1 << 16});
  output(ops::scan(BinaryOpType::Add, ops::scan(BinaryOpType::Maximum, x, 0), 0));
  EXPECT_EQ(scheduled(SchedulerType::Pointwise)->phases.size(), 1u);
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* rows = ops::defineTensor(Sizes{400, 1 << 16}, true);
  fusion.addInput(rows);
  fusion.addOutput(ops::scan(BinaryOpType::Add, rows, 1));
  EXPECT_EQ(std::get<GpuScanParams>(paramsOf(fusion, SchedulerType::Pointwise).values).parts, 1);
}

TEST_F(CudaLowerTest, ThreadsOfAScanDoNotShareItsLoopsWithConsumers) {
  TensorView* x = tensor({4, 64});
  TensorView* sums = ops::scan(BinaryOpType::Add, x, 1);
  TensorView* y = output(exp(sums));
  for (TensorView* tv : {sums, y}) {
    tv->axis(1)->parallelize(ParallelType::BlockX);
  }
  sums->setComputeAt(2);
  EXPECT_TRUE(contains(errorOf([&] { lowerCuda(); }), "divides the scan"))
      << errorOf([&] { lowerCuda(); });
  inlineMost(&fusion_);
  EXPECT_EQ(sums->computeAt(), 1);
  EXPECT_EQ(count<kir::BlockScan>(*lowerCuda()), 1u);
}

TEST_F(CudaLowerTest, ATileOfTwoBytesIsWrittenAndReadInWords) {
  TensorView* x = ops::transpose(tensor({256, 128}, DataType::BFloat16), 0, 1);
  TensorView* y =
      output(ops::binary(BinaryOpType::Add, x, tensor({128, 256}, DataType::BFloat16))->asTensor());
  const auto kernel = scheduled(SchedulerType::Pointwise, 16);
  // The inputs and the output, in single precision, in vectors of one store; the tile in between.
  std::vector<int64_t> widths = widthsOf(*kernel);
  std::ranges::sort(widths);
  EXPECT_EQ(widths, (std::vector<int64_t>{2, 2, 4, 4, 4}));
  EXPECT_EQ(writesOf(*kernel, y), once(128 * 256));
}

TEST_F(CudaLowerTest, ATileIsReadBehindABarrier) {
  TensorView* x = tensor({128, 64});
  TensorView* y = output(exp(ops::transpose(x, 0, 1)));
  const auto kernel = scheduled(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_EQ(count<kir::Barrier>(*kernel), 1u);
  EXPECT_EQ(writesOf(*kernel, y), once(128 * 64));
}

TEST_F(CudaLowerTest, SharedMemoryThatIsWrittenAgainIsGuardedTwice) {
  TensorView* x = tensor({4, 32});
  TensorView* copy = ops::set(x);
  TensorView* y = output(ops::set(copy));
  copy->setMemoryType(MemoryType::Shared);
  copy->axis(1)->parallelize(ParallelType::BlockX);
  y->split(1, 8);
  y->axis(1)->parallelize(ParallelType::BlockY);
  y->axis(2)->parallelize(ParallelType::BlockX);
  copy->setComputeAt(1);
  const auto kernel = lowerCuda();
  EXPECT_EQ(count<kir::Barrier>(*kernel), 2u);
  EXPECT_EQ(writesOf(*kernel, y), once(4 * 32));
}

TEST_F(CudaLowerTest, AValueOfAnotherThreadPassesBetweenKernels) {
  TensorView* a = exp(tensor({64}));
  TensorView* y = output(neg(a));
  a->axis(0)->parallelize(ParallelType::BlockX);
  y->split(0, 8);
  y->axis(0)->parallelize(ParallelType::GridX);
  y->axis(1)->parallelize(ParallelType::BlockX);
  const auto kernel = lowerCuda();
  EXPECT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(kernel->workspaces, (std::vector<TensorView*>{a}));
}

TEST_F(CudaLowerTest, AValueOfTheSameThreadStaysInTheKernel) {
  TensorView* a = exp(tensor({64}));
  TensorView* y = output(neg(a));
  a->axis(0)->parallelize(ParallelType::BlockX);
  y->axis(0)->parallelize(ParallelType::BlockX);
  const auto kernel = lowerCuda();
  EXPECT_EQ(kernel->phases.size(), 1u);
  EXPECT_TRUE(kernel->workspaces.empty());
}

TEST_F(CudaLowerTest, AValueOfAnotherThreadInsideALoopIsRefused) {
  TensorView* x = tensor({4, 64});
  TensorView* a = exp(x);
  TensorView* y = output(neg(a));
  a->axis(1)->parallelize(ParallelType::BlockX);
  a->setComputeAt(1);
  y->split(1, 8);
  y->axis(2)->parallelize(ParallelType::BlockX);
  EXPECT_TRUE(contains(errorOf([&] { lowerCuda(); }), "give it shared memory"));
}

TEST_F(CudaLowerTest, WhatDoesNotFitAThreadPassesBetweenKernels) {
  TensorView* a = exp(tensor({-1, 64}));
  TensorView* y = output(neg(a));
  a->axis(1)->parallelize(ParallelType::BlockX);
  y->axis(1)->parallelize(ParallelType::BlockX);
  const auto kernel = lowerCuda();
  EXPECT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(kernel->workspaces, (std::vector<TensorView*>{a}));
}

TEST_F(CudaLowerTest, LocalMemoryIsBounded) {
  TensorView* a = exp(tensor({64, -1}));
  output(neg(a));
  a->setComputeAt(1);
  EXPECT_TRUE(contains(errorOf([&] { lowerCuda(); }), "has too many elements for a thread"));
}

// A result that is read in its kernel and in another one: all threads compute it, but one writes
// it.
TEST_F(CudaLowerTest, AResultOfTheBlockIsReadBehindABarrier) {
  TensorView* x = tensor({8, 64});
  TensorView* total = sum(x, {1});
  TensorView* row = ops::set(total);
  TensorView* column = ops::broadcast(row, {false, true});
  TensorView* same = output(add(x, column));
  TensorView* other = output(neg(row));
  for (TensorView* tv : {total, row, column, same}) {
    tv->axis(0)->parallelize(ParallelType::BlockX);
  }
  for (TensorView* tv : {total, column, same}) {
    tv->axis(1)->parallelize(ParallelType::BlockY);
  }
  total->setComputeAt(1);
  column->setComputeAt(2);
  other->axis(0)->parallelize(ParallelType::BlockZ);
  const auto kernel = lowerCuda();
  ASSERT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(kernel->workspaces, (std::vector<TensorView*>{row}));
  EXPECT_EQ(statementsOf<kir::Barrier>(kernel->phases[0].body).size(), 1u);
  EXPECT_EQ(count<kir::Barrier>(*kernel), 1u);
}

TEST_F(CudaLowerTest, AResultOfAThreadNeedsNoBarrier) {
  TensorView* total = sum(tensor({8, 64}), {1});
  TensorView* same = output(exp(total));
  TensorView* other = output(neg(total));
  for (TensorView* tv : {total, same}) {
    tv->axis(0)->parallelize(ParallelType::BlockX);
  }
  other->axis(0)->parallelize(ParallelType::BlockZ);
  const auto kernel = lowerCuda();
  EXPECT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(count<kir::Barrier>(*kernel), 0u);
}

TEST_F(CudaLowerTest, AResultOfABlockIsReadByAnotherKernelWhereThereAreBlocks) {
  TensorView* total = ops::broadcast(sum(tensor({64}), {0}), {true});
  TensorView* same = output(add(tensor({8}), total));
  TensorView* other = output(add(tensor({8}), total));
  same->axis(0)->parallelize(ParallelType::GridX);
  other->axis(0)->parallelize(ParallelType::BlockZ);
  const auto kernel = lowerCuda();
  EXPECT_EQ(kernel->phases.size(), 3u);
  EXPECT_EQ(kernel->workspaces, (std::vector<TensorView*>{total}));
}

TEST_F(CudaLowerTest, AnUpdateInPlaceWaitsForAllThatReadTheElement) {
  TensorView* x = tensor({8, 64});
  TensorView* running = tensor({8});
  TensorView* total = sum(x, {1});
  TensorView* read = ops::set(running);
  TensorView* updated = add(total, read);
  fusion_.addOutput(updated, running);
  total->axis(1)->parallelize(ParallelType::BlockX);
  const auto kernel = lowerCuda();
  EXPECT_EQ(count<kir::Barrier>(*kernel), 1u);
}

TEST_F(CudaLowerTest, AnUpdateInPlaceWaitsForOtherBlocks) {
  TensorView* x = tensor({1024});
  TensorView* scale = tensor({});
  output(add(x, ops::broadcast(scale, {true})));
  TensorView* updated = exp(scale);
  fusion_.addOutput(updated, scale);
  applySchedule(&fusion_, unfusedParams(gpuTarget({})));
  const auto kernel = lowerCuda();
  size_t lastRead = 0;
  size_t written = 0;
  for (size_t phase = 0; phase < kernel->phases.size(); ++phase) {
    for (const auto* compute : statementsOf<kir::Compute>(kernel->phases[phase].body)) {
      const auto* access = std::get_if<kir::Access>(&compute->inputs.front());
      const bool isUpdate = compute->out.tv == updated;
      written = isUpdate ? phase : written;
      lastRead = access != nullptr && access->tv == scale && !isUpdate ? phase : lastRead;
    }
  }
  EXPECT_LT(lastRead, written);
}

TEST_F(CudaLowerTest, ThreadsWithoutALoopOfTheTensorWriteOnce) {
  TensorView* x = tensor({64});
  TensorView* a = output(exp(x));
  TensorView* total = output(sum(x, {0}));
  for (TensorView* tv : {a, total}) {
    tv->axis(0)->parallelize(ParallelType::BlockX);
  }
  TensorView* local = total->cacheBefore();
  ASSERT_TRUE(local->hasReduction());
  const auto kernel = lowerCuda();
  EXPECT_EQ(writesOf(*kernel, total), once(1));
  EXPECT_EQ(writesOf(*kernel, a), once(64));
}

}  // namespace
}  // namespace nvfuser
