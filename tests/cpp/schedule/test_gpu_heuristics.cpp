// Steps of the schedulers for CUDA: what they make of the fusion's expressions.

#include <algorithm>

#include "lower/lower.h"
#include "ops/ops.h"
#include "schedule/common.h"
#include "schedule/heuristics/one_pass.h"
#include "schedule/scheduler.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser {
namespace {

class MomentsTest : public testing_support::FusionTest {
 protected:
  std::vector<BinaryOpType> reductions() const {
    std::vector<BinaryOpType> types;
    for (const Expr* expr : fusion_.tensorExprs()) {
      if (const auto* reduction = expr->as<ReductionOp>()) {
        types.push_back(reduction->type());
      }
    }
    return types;
  }
  TensorView* meanOf(TensorView* x, bool keepDim = false) {
    const std::vector<int64_t> dims{0};
    return ops::mean(x, dims, keepDim, DataType::Null);
  }
  static TensorView* squared(TensorView* x) { return ops::binary(BinaryOpType::Mul, x, x); }
  static TensorView* difference(TensorView* x, TensorView* y) {
    return ops::binary(BinaryOpType::Sub, x, y);
  }
};

constexpr auto kAdd = BinaryOpType::Add;
constexpr auto kMerge = BinaryOpType::MergeMoments;
using OpTypes = std::vector<BinaryOpType>;

TEST_F(MomentsTest, AVarianceTakesOnePass) {
  TensorView* x = tensor({100, 8});
  const std::vector<int64_t> dims{0};
  const auto [var, mean] = ops::varMean(x, dims, 1, true);
  output(difference(x, mean));
  output(var);
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd}));
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), OpTypes{kMerge});
}

TEST_F(MomentsTest, SoDoesOneThatIsComposed) {
  TensorView* x = tensor({100, 8});
  output(sum(squared(difference(x, meanOf(x, true))), {0}, false));
  heuristics::combineMoments(&fusion_);
  // The sum itself is an output, which is not computed anew.
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd}));
  TensorView* y = tensor({100, 8});
  output(exp(sum(squared(difference(y, meanOf(y, true))), {0}, false)));
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd, kMerge}));
}

TEST_F(MomentsTest, WhatIsNoVarianceStays) {
  TensorView* x = tensor({100, 8});
  TensorView* y = tensor({100, 8});
  TensorView* other = tensor({1, 8});
  // Of another tensor, around what is computed from no sum, not squared, a maximum.
  output(exp(sum(squared(difference(y, meanOf(x, true))), {0}, false)));
  output(exp(sum(squared(difference(y, other)), {0}, false)));
  output(exp(sum(difference(y, meanOf(y, true)), {0}, false)));
  const OpTypes before = reductions();
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), before);
}

constexpr auto kMaximum = BinaryOpType::Maximum;
constexpr auto kExponentials = BinaryOpType::MergeExponentials;

class ExponentialsTest : public MomentsTest {
 protected:
  TensorView* maximumOf(TensorView* x) {
    const std::vector<int64_t> dims{1};
    return ops::reduce(ops::ReductionKind::Max, x, dims, true);
  }
  TensorView* exponentials(TensorView* x, TensorView* center) { return exp(difference(x, center)); }
};

TEST_F(ExponentialsTest, ALogarithmOfASumTakesOnePass) {
  TensorView* x = tensor({100, 8});
  TensorView* maximum = maximumOf(x);
  output(exp(sum(exponentials(x, maximum), {1}, true)));
  output(exp(maximum));
  EXPECT_EQ(reductions(), (OpTypes{kMaximum, kAdd}));
  EXPECT_TRUE(heuristics::combineExponentials(&fusion_));
  EXPECT_EQ(reductions(), OpTypes{kExponentials});
}

TEST_F(ExponentialsTest, WhatIsNeededOfWholeRowsStays) {
  TensorView* x = tensor({100, 8});
  TensorView* maximum = maximumOf(x);
  TensorView* shifted = exponentials(x, maximum);
  // The exponentials themselves, something else of all elements, another tensor's maximum.
  output(ops::binary(BinaryOpType::Div, shifted, sum(shifted, {1}, true))->asTensor());
  TensorView* y = tensor({100, 8});
  TensorView* other = maximumOf(y);
  output(exp(sum(exponentials(y, other), {1}, true)));
  output(ops::binary(BinaryOpType::Mul, y, other)->asTensor());
  output(exp(sum(exponentials(tensor({100, 8}), maximumOf(tensor({100, 8}))), {1}, true)));
  const OpTypes before = reductions();
  EXPECT_FALSE(heuristics::combineExponentials(&fusion_));
  EXPECT_EQ(reductions(), before);
}

using PartsTest = testing_support::FusionTest;

TEST_F(PartsTest, ThreadsCombineThoseOfEveryReduction) {
  TensorView* x = tensor({65536, 512});
  TensorView* y = tensor({65536, 512});
  // Once their parts are in memory, the sums of x and of x + y have nothing in common; that of z
  // has nothing in common with them to begin with.
  output(exp(sum(x, {0}, false)));
  output(exp(sum(add(x, y), {0}, false)));
  output(exp(sum(tensor({65536, 512}), {0}, false)));
  const GpuOuterReductionParams params{.vectors = {.width = 4, .tensors = 0b11},
                                       .threadsX = 32,
                                       .threadsY = 8,
                                       .unroll = 4,
                                       .parts = 16,
                                       .combiningThreads = 512,
                                       .combiningColumns = 8};
  applySchedule(&fusion_, {schedulers::gpuOuterReduction(), params});
  int64_t combined = 0;
  for (const Expr* expr : fusion_.tensorExprs()) {
    if (expr->is<ReductionOp>()) {
      const auto& loop = expr->output(0)->asTensor()->loop();
      EXPECT_TRUE(std::ranges::any_of(loop, [](const IterDomain* id) {
        return id->isReduction() && id->parallelType() == ParallelType::BlockY;
      })) << expr->toString();
      ++combined;
    }
  }
  EXPECT_EQ(combined, 6);
}

using UnfusedTest = testing_support::FusionTest;

TEST_F(UnfusedTest, EveryElementHasAThread) {
  TensorView* x = tensor({10, 30});
  TensorView* a = exp(x);
  TensorView* total = sum(a, {0}, false);
  output(total);
  applySchedule(&fusion_, unfusedParams(gpuTarget({})));
  EXPECT_EQ(loops(a), "i3 i128");
  EXPECT_EQ(loops(total), "i1 i128 r10");
  EXPECT_EQ(a->axis(0)->parallelType(), ParallelType::GridX);
  EXPECT_EQ(total->axis(1)->parallelType(), ParallelType::BlockX);
  const auto kernel = nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  EXPECT_EQ(kernel->phases.size(), 2u);
}

// The scheduler that chooses for static sizes, contiguous and aligned, on an H200.
class ChoiceTest : public testing_support::FusionTest {
 protected:
  ScheduleParams chosen(bool hasSizes = true,
                        GpuProperties properties = {.multiprocessors = 132, .l2Bytes = 50 << 20}) {
    return chosenFor(fusion_, hasSizes, std::move(properties));
  }
  static ScheduleParams chosenFor(Fusion& fusion, bool hasSizes = true,
                                  GpuProperties properties = {.multiprocessors = 132,
                                                              .l2Bytes = 50 << 20}) {
    ScheduleContext context(gpuTarget(std::move(properties)));
    context.hasSizes = hasSizes;
    context.extent = [](const Val* val) { return val->constInt(); };
    context.alignment = [](const TensorView*) { return 16; };
    context.strides = contiguousStrides;
    const FusionSummary summary(&fusion);
    const SchedulerType type = proposeScheduler(summary, context.target);
    return *computeHeuristics(summary, acceptingSchedulers(type, summary, context.target), context);
  }
  template <typename Params>
  bool isChosen(bool hasSizes = true) {
    const ScheduleParams params = chosen(hasSizes);
    return std::holds_alternative<Params>(params.values);
  }
};

TEST_F(ChoiceTest, ElementWiseOperationsHaveBlocksOfRowsAndColumns) {
  output(exp(tensor({4096, 4096})));
  EXPECT_TRUE(isChosen<GpuPointwiseParams>());
}

TEST_F(ChoiceTest, ATransposeWhoseTilesDoNotPayIsLeftToElementWiseOperations) {
  TensorView* x = tensor({4096, 8});
  output(add(ops::transpose(x, 0, 1), tensor({8, 4096})));
  EXPECT_EQ(chosen().scheduler, schedulers::gpuPointwise());
  Fusion other;
  const FusionGuard guard(&other);
  TensorView* y = ops::defineTensor(testing_support::Sizes{4096, 1024}, true, DataType::Float);
  TensorView* z = ops::defineTensor(testing_support::Sizes{1024, 4096}, true, DataType::Float);
  other.addInput(y);
  other.addInput(z);
  other.addOutput(add(ops::transpose(y, 0, 1), z));
  const FusionSummary summary(&other);
  EXPECT_EQ(acceptingSchedulers(SchedulerType::Pointwise, summary, gpuTarget({})).front(),
            schedulers::gpuTranspose());
}

// Blocks that share few rows have a part of the sums each that is as large as a row.
TEST_F(ChoiceTest, SumsOverFewRowsHaveAKernelOfTheirOwn) {
  for (const auto& [rows, scheduler] :
       {std::pair(int64_t{128}, schedulers::gpuRowsThenColumns()),
        std::pair(int64_t{8192}, schedulers::gpuRowsAndColumns())}) {
    Fusion fusion;
    const FusionGuard guard(&fusion);
    TensorView* x = ops::defineTensor(testing_support::Sizes{rows, 4096}, true, DataType::Half);
    fusion.addInput(x);
    fusion.addOutput(add(x, sum(x, {1}, true)));
    fusion.addOutput(sum(exp(x), {0}));
    EXPECT_EQ(chosenFor(fusion).scheduler, scheduler);
  }
}

// Of rows with so much for each thread, registers would be spilled.
TEST_F(ChoiceTest, SumsBesideRowsThatFillRegistersHaveOneToo) {
  for (const auto& [columns, scheduler] :
       {std::pair(int64_t{8192}, schedulers::gpuRowsAndColumns()),
        std::pair(int64_t{11008}, schedulers::gpuRowsThenColumns())}) {
    Fusion fusion;
    const FusionGuard guard(&fusion);
    std::vector<TensorView*> inputs;
    for (int i = 0; i < 2; ++i) {
      inputs.push_back(
          ops::defineTensor(testing_support::Sizes{2048, columns}, true, DataType::Float));
      fusion.addInput(inputs.back());
      fusion.addOutput(sum(inputs.back(), {0}));
    }
    TensorView* product = ops::binary(BinaryOpType::Mul, inputs[0], inputs[1]);
    fusion.addOutput(add(product, sum(product, {1}, true)));
    EXPECT_EQ(chosenFor(fusion).scheduler, scheduler);
  }
}

TEST_F(ChoiceTest, ALookupBesideATransposeHasTiles) {
  TensorView* x = tensor({1024, 4096});
  TensorView* rows = ops::indexSelect(tensor({100, 1024}), tensor({4096}, DataType::Int), 0);
  output(add(ops::transpose(x, 0, 1), rows));
  EXPECT_TRUE(isChosen<GpuTransposeParams>());
}

TEST_F(ChoiceTest, RowsThatFitRegistersAreKeptThere) {
  output(ops::softmax(tensor({4096, 4096}), 1));
  EXPECT_TRUE(isChosen<GpuInnerPersistentParams>());
}

TEST_F(ChoiceTest, LargeClustersAreThoseThatTheDeviceRuns) {
  output(ops::softmax(tensor({512, 262144}), 1));
  GpuProperties properties{.computeCapability = 90,
                           .multiprocessors = 132,
                           .sharedBytesPerBlock = 227 << 10,
                           .sharedBytesPerMultiprocessor = 228 << 10};
  const auto blocks = [&] {
    const std::string text = toString(chosen(true, properties));
    const size_t at = text.find("clusterBlocks");
    return at == std::string::npos ? text : text.substr(at, std::string("clusterBlocks=16").size());
  };
  EXPECT_EQ(blocks().find("16"), std::string::npos) << blocks();
  properties.clustersAtATime = [](int64_t clusterBlocks, int64_t) {
    return clusterBlocks > 8 ? 0 : 12;
  };
  EXPECT_EQ(blocks().find("16"), std::string::npos) << blocks();
  properties.clustersAtATime = [](int64_t, int64_t) { return 12; };
  EXPECT_NE(blocks().find("16"), std::string::npos) << blocks();
}

TEST_F(ChoiceTest, OthersHaveSharedMemoryWhereItIsEnough) {
  output(ops::softmax(tensor({256, 50000}), 1));
  const GpuProperties properties{.multiprocessors = 132,
                                 .sharedBytesPerBlock = 227 << 10,
                                 .sharedBytesPerMultiprocessor = 228 << 10};
  EXPECT_EQ(chosen(true, properties).scheduler, schedulers::gpuInnerShared());
  EXPECT_TRUE(isChosen<GpuInnerStagesParams>());
  EXPECT_TRUE(isChosen<GpuInnerStagesParams>(false));
}

TEST_F(ChoiceTest, LongRowsAreReducedInStages) {
  output(ops::softmax(tensor({16, 1 << 20}), 1));
  EXPECT_TRUE(isChosen<GpuInnerStagesParams>());
}

TEST_F(ChoiceTest, ColumnsAreReducedInStages) {
  output(ops::softmax(tensor({4096, 4096}), 0));
  EXPECT_TRUE(isChosen<GpuOuterStagesParams>());
}

TEST_F(ChoiceTest, AScatterIsInRowsOnlyWhereSizesAreKnown) {
  output(ops::scatter(tensor({1024, 1024}), tensor({1024, 1024}, DataType::Int),
                      tensor({1024, 1024}), 1));
  EXPECT_TRUE(isChosen<GpuScatterInRowsParams>());
  EXPECT_TRUE(isChosen<GpuScatterParams>(false));
}

TEST_F(ChoiceTest, NothingIsExactWithoutSizes) {
  output(sum(tensor({4096, 4096}), {1}));
  EXPECT_TRUE(std::get<GpuInnerReductionParams>(chosen().values).isExact);
  EXPECT_FALSE(std::get<GpuInnerReductionParams>(chosen(false).values).isExact);
}

TEST_F(ChoiceTest, DevicesThatRunFewerThreadsHaveFewerParts) {
  output(sum(tensor({1 << 20, 128}), {0}));
  const auto partsOf = [&](const GpuProperties& properties) {
    return std::get<GpuOuterReductionParams>(chosen(true, properties).values).parts;
  };
  EXPECT_GT(partsOf({.multiprocessors = 132}), partsOf({.multiprocessors = 16}));
  // Registers bound the blocks that run at a time.
  EXPECT_GT(partsOf({.multiprocessors = 16}),
            partsOf({.multiprocessors = 16, .registersPerMultiprocessor = 32768}));
}

TEST_F(ChoiceTest, NumbersOfTheTablesAreFollowed) {
  output(exp(tensor({4096, 4096})));
  tuningOverrides().set({{"gpu.pointwiseThreads", 256}, {"gpu.manyBlocks", 1 << 30}});
  const ScheduleParams params = chosen();
  tuningOverrides().set({});
  EXPECT_EQ(std::get<GpuPointwiseParams>(params.values).blocks.threadsX, 256);
}

// Changes every field in turn, those of fields among them.
template <typename Struct, typename Check>
void changeEach(Struct& fields, const Check& check) {
  Struct::forEachField(fields, [&](const char* name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_class_v<Field>) {
      changeEach(field, check);
    } else {
      const Field before = field;
      if constexpr (std::is_same_v<Field, Eviction>) {
        field = Eviction::First;
      } else {
        field = static_cast<Field>(!static_cast<bool>(before));
      }
      check(name);
      field = before;
    }
  });
}

template <typename Params>
void expectWholeText() {
  if constexpr (requires(Params params) { params.toString(); }) {
    const Params original;
    Params params;
    int64_t count = 0;
    changeEach(params, [&](const char* name) {
      ++count;
      EXPECT_NE(toString(ScheduleParams{nullptr, params}),
                toString(ScheduleParams{nullptr, original}))
          << name;
      EXPECT_NE(params, original) << name;
    });
    EXPECT_GT(count, 0);
    EXPECT_EQ(params, original);
  }
}

template <typename... Params>
void expectWholeTexts(const std::variant<Params...>& /*values*/) {
  (expectWholeText<Params>(), ...);
}

TEST(ScheduleParamsTest, EveryFieldIsPrintedAndCompared) {
  expectWholeTexts(ScheduleParams().values);
}

}  // namespace
}  // namespace nvfuser
