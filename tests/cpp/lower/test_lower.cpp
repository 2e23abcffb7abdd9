// Lowering: bounds of loops, indices, initial values, memory and phases.

#include <set>

#include "lower/common.h"

namespace nvfuser {
namespace {

using testing_support::hasOperation;
using testing_support::statementsOf;
using LowerTest = testing_support::KernelTest;

TEST_F(LowerTest, ANonDivisibleSplitClipsTheInnerLoop) {
  TensorView* y = output(exp(tensor({100})));
  y->split(0, 8);
  const auto kernel = lower();
  ASSERT_EQ(kernel->phases.size(), 1u);
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0]->stop->constInt(), 13);
  EXPECT_TRUE(statementsOf<kir::If>(kernel->phases[0].body).empty());
  ExpressionEvaluator evaluator;
  evaluator.bind(loops[0]->index, int64_t{0});
  EXPECT_EQ(evaluate(evaluator, loops[1]->stop), 8);
  evaluator.bind(loops[0]->index, int64_t{12});
  EXPECT_EQ(evaluate(evaluator, loops[1]->stop), 4);
  EXPECT_EQ(writesOf(*kernel, y), once(100));
}

TEST_F(LowerTest, ANonDivisibleSplitWithItsLoopsExchangedGetsAPredicate) {
  TensorView* y = output(exp(tensor({100})));
  y->split(0, 8);
  y->reorder({{0, 1}});
  const auto kernel = lower();
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0]->stop->constInt(), 8);
  EXPECT_EQ(loops[1]->stop->constInt(), 13);
  EXPECT_EQ(statementsOf<kir::If>(kernel->phases[0].body).size(), 1u);
  EXPECT_EQ(writesOf(*kernel, y), once(100));
}

TEST_F(LowerTest, ADivisibleSplitNeedsNeither) {
  TensorView* y = output(exp(tensor({96})));
  y->split(0, 8);
  const auto kernel = lower();
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_TRUE(loops[1]->stop->isConstInt(8));
  EXPECT_TRUE(statementsOf<kir::If>(kernel->phases[0].body).empty());
}

TEST_F(LowerTest, EveryElementIsWrittenOnceUnderAnyTransforms) {
  using Schedule = std::function<void(TensorView*)>;
  const Schedule schedules[] = {
      [](TensorView*) {},
      [](TensorView* tv) { tv->merge(0, 1)->split(0, 4); },
      [](TensorView* tv) { tv->merge(1, 0)->split(0, 4, false)->split(1, 3); },
      [](TensorView* tv) { tv->split(0, 4)->split(2, 3)->reorder({{1, 2}}); },
      [](TensorView* tv) { tv->split(1, 3)->merge(0, 1)->split(0, 5)->split(0, 2); },
      [](TensorView* tv) { tv->split(1, 5)->split(1, 2)->reorder({{0, -1}})->merge(0, 1); },
      [](TensorView* tv) { tv->split(0, 4)->split(2, 4)->swizzle(1, 3)->merge(0, 2); },
  };
  for (size_t i = 0; i < std::size(schedules); ++i) {
    Fusion fusion;
    FusionGuard guard(&fusion);
    TensorView* x = ops::defineTensor(testing_support::Sizes{7, 11}, true);
    fusion.addInput(x);
    TensorView* a = exp(x);
    TensorView* y = neg(a);
    fusion.addOutput(y);
    schedules[i](y);
    propagateTransforms(y);
    inlineMost(&fusion);
    EXPECT_EQ(writesOf(*nvfuser::lower(&fusion, "kernel", cpuTarget({})), y), once(77))
        << "schedule " << i;
  }
}

TEST_F(LowerTest, TheInitialValueOfAReductionStandsBeforeItsLoop) {
  TensorView* total = sum(tensor({6, 100}), {1});
  TensorView* y = output(exp(total));
  inlineMost(&fusion_);
  const auto kernel = lower();
  ASSERT_EQ(kernel->phases.size(), 1u);
  ASSERT_EQ(kernel->phases[0].body.size(), 1u);
  const auto& rows = std::get<kir::Loop>(kernel->phases[0].body[0].node);
  EXPECT_FALSE(rows.isReduction);
  ASSERT_EQ(rows.body->size(), 3u);
  const auto& init = std::get<kir::Assign>((*rows.body)[0].node);
  EXPECT_EQ(init.out.tv, total);
  EXPECT_EQ(std::get<Val*>(init.value), total->definition()->as<ReductionOp>()->init());
  const auto& columns = std::get<kir::Loop>((*rows.body)[1].node);
  EXPECT_TRUE(columns.isReduction);
  ASSERT_EQ(columns.body->size(), 1u);
  EXPECT_EQ(std::get<kir::Compute>((*columns.body)[0].node).out.tv, total);
  EXPECT_EQ(std::get<kir::Compute>((*rows.body)[2].node).out.tv, y);
}

TEST_F(LowerTest, WhatAReductionKeepsInsideItsLoopIsInitializedInLoopsOfItsOwn) {
  TensorView* total = output(sum(tensor({100, 6}), {0}));
  EXPECT_EQ(loops(total), "r100 i6");
  const auto kernel = lower();
  const kir::Block& body = kernel->phases[0].body;
  ASSERT_EQ(body.size(), 2u);
  const auto& init = std::get<kir::Loop>(body[0].node);
  EXPECT_FALSE(init.isReduction);
  EXPECT_TRUE(init.stop->isConstInt(6));
  EXPECT_TRUE(std::holds_alternative<kir::Assign>(init.body->at(0).node));
  EXPECT_TRUE(std::get<kir::Loop>(body[1].node).isReduction);
}

TEST_F(LowerTest, MergedContiguousDimensionsAreIndexedWithoutDivision) {
  const auto divisions = [&](bool contiguity) {
    Fusion fusion;
    FusionGuard guard(&fusion);
    TensorView* x = ops::defineTensor(testing_support::Sizes{-1, -1, -1}, contiguity);
    fusion.addInput(x);
    TensorView* y = exp(x);
    fusion.addOutput(y);
    y->merge(0, 1)->merge(0, 1);
    const auto kernel = nvfuser::lower(&fusion, "kernel", cpuTarget({}));
    const auto computes = statementsOf<kir::Compute>(kernel->phases[0].body);
    EXPECT_EQ(computes.size(), 1u);
    const Val* written = computes[0]->out.index;
    EXPECT_FALSE(hasOperation(written, BinaryOpType::Div));
    EXPECT_FALSE(hasOperation(written, BinaryOpType::Mod));
    const Val* read = std::get<kir::Access>(computes[0]->inputs[0]).index;
    return hasOperation(read, BinaryOpType::Div) || hasOperation(read, BinaryOpType::Mod);
  };
  EXPECT_FALSE(divisions(true));
  EXPECT_TRUE(divisions(false));
}

TEST_F(LowerTest, ParametersArePointersThenStridesAndSizes) {
  TensorView* x = tensor({-1, -1}, DataType::Float, false);
  TensorView* y = output(exp(x));
  inlineMost(&fusion_);
  const auto kernel = lower();
  using Kind = kir::Parameter::Kind;
  ASSERT_GE(kernel->parameters.size(), 2u);
  EXPECT_EQ(kernel->parameters[0].kind, Kind::Pointer);
  EXPECT_EQ(kernel->parameters[0].tv, x);
  EXPECT_EQ(kernel->parameters[1].kind, Kind::Pointer);
  EXPECT_EQ(kernel->parameters[1].tv, y);
  std::set<int64_t> strided;
  std::set<const Val*> scalars;
  for (size_t i = 2; i < kernel->parameters.size(); ++i) {
    const kir::Parameter& parameter = kernel->parameters[i];
    if (parameter.kind == Kind::Stride) {
      EXPECT_EQ(parameter.tv, x);
      strided.insert(parameter.dimension);
    } else {
      ASSERT_EQ(parameter.kind, Kind::Scalar);
      scalars.insert(parameter.value);
    }
  }
  EXPECT_EQ(strided, (std::set<int64_t>{0, 1}));
  EXPECT_EQ(scalars, (std::set<const Val*>{y->logical()[0]->extent(), y->logical()[1]->extent()}));
}

TEST_F(LowerTest, InPlaceOutputsHaveNoPointerOfTheirOwn) {
  TensorView* x = tensor({6});
  TensorView* y = exp(x);
  fusion_.addOutput(y, x);
  const auto kernel = lower();
  ASSERT_EQ(kernel->parameters.size(), 1u);
  EXPECT_EQ(kernel->parameters[0].tv, x);
}

TEST_F(LowerTest, WhatPassesBetweenPhasesIsAWorkspace) {
  TensorView* a = exp(tensor({6, 100}));
  output(neg(a));
  const auto kernel = lower();
  EXPECT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(kernel->workspaces, std::vector<TensorView*>{a});
  EXPECT_EQ(a->memoryType(), MemoryType::Global);
  ASSERT_EQ(kernel->parameters.size(), 3u);
  EXPECT_EQ(kernel->parameters[2].tv, a);
  for (const kir::Phase& phase : kernel->phases) {
    EXPECT_TRUE(phase.buffers.empty());
  }
}

TEST_F(LowerTest, InlinedTensorsAreBuffersOfOnePhase) {
  TensorView* a = exp(tensor({6, 100}));
  output(neg(a));
  inlineMost(&fusion_, {}, {{a, 1}});
  const auto kernel = lower();
  EXPECT_TRUE(kernel->workspaces.empty());
  ASSERT_EQ(kernel->phases.size(), 1u);
  ASSERT_EQ(kernel->phases[0].buffers.size(), 1u);
  const kir::Buffer& buffer = kernel->phases[0].buffers[0];
  EXPECT_EQ(buffer.tv, a);
  EXPECT_TRUE(buffer.size->isConstInt(100));
  EXPECT_EQ(buffer.scratchOffset, nullptr);
  EXPECT_TRUE(kernel->phases[0].scratchBytes->isConstInt(0));
}

TEST_F(LowerTest, LargeAndSymbolicBuffersAreScratchMemory) {
  TensorView* a = exp(tensor({6, -1}));
  TensorView* b = exp(tensor({6, 10000}));
  output(neg(a));
  output(neg(b));
  inlineMost(&fusion_, {}, {{a, 1}, {b, 1}});
  const auto kernel = lower();
  std::set<const TensorView*> seen;
  for (const kir::Phase& phase : kernel->phases) {
    for (const kir::Buffer& buffer : phase.buffers) {
      seen.insert(buffer.tv);
      ASSERT_NE(buffer.scratchOffset, nullptr) << buffer.tv->toString();
      ExpressionEvaluator evaluator;
      evaluator.bind(a->logical()[1]->extent(), int64_t{33});
      const int64_t bytes = evaluate(evaluator, phase.scratchBytes);
      EXPECT_EQ(bytes % 64, 0);
      EXPECT_GE(bytes,
                evaluate(evaluator, buffer.scratchOffset) + 4 * evaluate(evaluator, buffer.size));
    }
  }
  EXPECT_EQ(seen, (std::set<const TensorView*>{a, b}));
}

TEST_F(LowerTest, ChunkedReductionsAreCombinedInASecondPhase) {
  TensorView* total = output(sum(tensor({6, 100}), {1}));
  CpuReductionParams params;
  params.part = 16;
  const auto kernel = scheduleAndLower(params);
  ASSERT_EQ(kernel->phases.size(), 2u);
  ASSERT_EQ(kernel->workspaces.size(), 1u);
  const TensorView* partial = kernel->workspaces[0];
  // Seven chunks for each of six rows, all of them independent.
  EXPECT_EQ(partial->ndim(), 2);
  ASSERT_NE(kernel->phases[0].parallelExtent, nullptr);
  EXPECT_EQ(kernel->phases[0].parallelExtent->constInt(), 6 * 7);
  EXPECT_EQ(writesOf(*kernel, partial), once(42));
  ASSERT_NE(kernel->phases[1].parallelExtent, nullptr);
  EXPECT_EQ(kernel->phases[1].parallelExtent->constInt(), 6);
  EXPECT_EQ(writesOf(*kernel, total), once(6));
  // The pointer of the workspace follows those of inputs and outputs.
  ASSERT_EQ(kernel->parameters.size(), 3u);
  EXPECT_EQ(kernel->parameters[2].tv, partial);
}

TEST_F(LowerTest, SchedulersMakeTheOutermostLoopParallel) {
  TensorView* y = output(layerNorm(tensor({6, 100}), 100));
  const auto kernel = scheduleAndLower(SchedulerType::InnerPersistent);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_TRUE(kernel->workspaces.empty());
  EXPECT_EQ(kernel->phases[0].parallelExtent->constInt(), 6);
  const auto& outermost = std::get<kir::Loop>(kernel->phases[0].body.back().node);
  EXPECT_EQ(outermost.index, kernel->phases[0].parallelIndex);
  EXPECT_EQ(outermost.parallelType, ParallelType::GridX);
  EXPECT_EQ(writesOf(*kernel, y), once(600));
}

TEST_F(LowerTest, ResultsOfLongRowsAreRequestedAhead) {
  output(layerNorm(tensor({6, 5000}), 5000));
  const auto kernel = scheduleAndLower(SchedulerType::InnerPersistent);
  const kir::Block& row = *std::get<kir::Loop>(kernel->phases[0].body.back().node).body;
  auto prefetches = statementsOf<kir::Prefetch>(row);
  std::erase_if(prefetches, [](const kir::Prefetch* request) { return !request->isWritten; });
  ASSERT_EQ(prefetches.size(), 1u);
  EXPECT_EQ(prefetches[0]->index, std::get<kir::Loop>(row.back().node).index);
  EXPECT_EQ(prefetches[0]->stop->constInt(), 5000);
}

TEST_F(LowerTest, ResultsOfShortRowsAreNotRequestedAhead) {
  output(layerNorm(tensor({6, 100}), 100));
  const auto kernel = scheduleAndLower(SchedulerType::InnerPersistent);
  EXPECT_TRUE(statementsOf<kir::Prefetch>(kernel->phases[0].body).empty());
}

TEST_F(LowerTest, ResultsOfNarrowTilesAreNotRequestedAhead) {
  // Nine chunks of rows, whose sums of 512 columns at most are combined in a second phase.
  output(sum(tensor({64 * 9, 5000}), {0}));
  CpuReductionParams params;
  params.part = 64;
  params.columns = 512;
  const auto kernel = scheduleAndLower(params);
  ASSERT_EQ(kernel->phases.size(), 2u);
  for (const kir::Phase& phase : kernel->phases) {
    for (const kir::Prefetch* request : statementsOf<kir::Prefetch>(phase.body)) {
      EXPECT_FALSE(request->isWritten);
    }
  }
}

TEST_F(LowerTest, WhatRowsShareIsComputedOnce) {
  TensorView* x = tensor({100, 64});
  TensorView* total = ops::broadcast(sum(x, {0}), {true, false});
  TensorView* factor = ops::unary(UnaryOpType::Rsqrt, total);
  output(ops::binary(BinaryOpType::Mul, x, factor));
  CpuPersistentParams params;
  params.reduction.columns = 48;
  const auto kernel = scheduleAndLower(params, SchedulerType::OuterPersistent);
  int64_t loops = 0;
  for (const kir::Loop* loop : statementsOf<kir::Loop>(kernel->phases[0].body)) {
    for (const kir::Statement& statement : *loop->body) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      if (compute != nullptr && compute->expr->is<UnaryOp>()) {
        ++loops;
        // Of 48 columns, although the last tile has 16: nobody looks at the others.
        EXPECT_TRUE(loop->stop->isConstInt(48)) << loop->stop->toString();
      }
    }
  }
  EXPECT_EQ(loops, 1);
}

int64_t jammedLoops(const kir::Kernel& kernel) {
  const auto loops = statementsOf<kir::Loop>(kernel.phases[0].body);
  return std::ranges::count_if(loops, [](const kir::Loop* loop) { return loop->step > 1; });
}

TEST_F(LowerTest, ColumnsAreComputedForSeveralRowsAtOnce) {
  TensorView* x = tensor({103, 64});
  TensorView* total = ops::broadcast(sum(x, {0}), {true, false});
  const std::vector<int64_t> rows{0};
  TensorView* largest =
      ops::broadcast(ops::reduce(ops::ReductionKind::Max, x, rows), {true, false});
  TensorView* y =
      output(ops::binary(BinaryOpType::Mul, ops::binary(BinaryOpType::Sub, x, largest), total));
  CpuPersistentParams params;
  params.reduction.columns = 48;
  params.reduction.jam = heuristics::jamParams(context());
  params.reduction.jam.ofAll = true;
  const auto kernel = scheduleAndLower(params, SchedulerType::OuterPersistent);
  // The statistics, and the result.
  EXPECT_EQ(jammedLoops(*kernel), 2);
  EXPECT_EQ(writesOf(*kernel, y), once(103 * 64));
}

TEST_F(LowerTest, RowsOfFewColumnsAreFolded) {
  TensorView* x = tensor({103, 3});
  TensorView* w = ops::broadcast(tensor({3}), {true, false});
  TensorView* y = output(sum(ops::binary(BinaryOpType::Mul, x, w), {0}));
  CpuReductionParams params;
  params.columns = 16;
  params.narrow.fold = {16};
  const auto kernel = scheduleAndLower(params);
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  const auto folded = std::ranges::find(loops, 16, &kir::Loop::step);
  ASSERT_NE(folded, loops.end());
  // Those that remain come one by one, from where these end.
  const auto others = std::ranges::find_if(loops, [&](const kir::Loop* loop) {
    return loop->index == (*folded)->index && loop != *folded;
  });
  ASSERT_NE(others, loops.end());
  EXPECT_EQ((*others)->start, (*folded)->stop);
  EXPECT_EQ((*others)->step, 1);
  EXPECT_EQ(writesOf(*kernel, y), once(3));
}

TEST_F(LowerTest, MomentsOfAFewRowsAreMergedWithEachOtherFirst) {
  TensorView* x = tensor({103, 64});
  Val* count = fusion_.create<Val>(DataType::Double, 103.0);
  TensorView* mean = ops::binary(BinaryOpType::Truediv, sum(x, {0}), count)->asTensor();
  TensorView* center = ops::broadcast(mean, {true, false});
  TensorView* apart = ops::binary(BinaryOpType::Sub, x, center);
  TensorView* deviations = sum(ops::binary(BinaryOpType::Mul, apart, apart), {0});
  TensorView* y = output(ops::unary(UnaryOpType::Sqrt, deviations));
  CpuPersistentParams params;
  params.reduction.columns = 48;
  params.reduction.mergesMoments = true;
  params.reduction.jam = heuristics::jamParams(context());
  const auto kernel = scheduleAndLower(params, SchedulerType::OuterPersistent);
  EXPECT_EQ(writesOf(*kernel, y), once(64));
  // One pass over the rows, four of them at once.
  EXPECT_EQ(jammedLoops(*kernel), 1);
  int64_t merges = 0;
  for (const kir::Loop* loop : statementsOf<kir::Loop>(kernel->phases[0].body)) {
    if (loop->vectors > 1) {
      for (const kir::Compute* compute : statementsOf<kir::Compute>(*loop->body)) {
        merges += compute->expr->is<ReductionOp>();
      }
      // The last one depends on the number of rows before.
      const auto& last = std::get<kir::Compute>(loop->body->back().node);
      EXPECT_FALSE(last.out.index->isConstInt());
    }
  }
  EXPECT_EQ(merges, 4);
}

TEST_F(LowerTest, LargeResultsAreStreamedInWholeLines) {
  TensorView* y = output(ops::unary(UnaryOpType::Neg, tensor({7000})));
  CpuPointwiseParams params;
  params.stream = {64, 4096};
  const auto kernel = scheduleAndLower(params);
  const kir::Block& body = kernel->phases[0].body;
  const auto streams = statementsOf<kir::StreamedCopy>(body);
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0]->in.tv->memoryType(), MemoryType::Local);
  EXPECT_TRUE(streams[0]->fillsLines);
  // Workers share parts of 4096 elements, which are computed 64 at a time.
  EXPECT_EQ(kernel->phases[0].parallelExtent->constInt(), 2);
  const auto loops = statementsOf<kir::Loop>(body);
  EXPECT_EQ(std::ranges::count(loops, 64, &kir::Loop::step), 1);
  EXPECT_EQ(writesOf(*kernel, y), once(7000));
}

TEST_F(LowerTest, RowsOfResultsAreStreamed) {
  TensorView* x = tensor({3, 3000});
  TensorView* total = ops::broadcast(sum(x, {1}), {false, true});
  TensorView* y = output(ops::binary(BinaryOpType::Mul, x, total));
  CpuPersistentParams params;
  params.reduction.stream = {64, 4096};
  const auto kernel = scheduleAndLower(params, SchedulerType::InnerPersistent);
  EXPECT_EQ(statementsOf<kir::StreamedCopy>(kernel->phases[0].body).size(), 1u);
  // What is streamed is not read; what the next row reads is requested meanwhile.
  const auto requests = statementsOf<kir::Prefetch>(kernel->phases[0].body);
  EXPECT_EQ(requests.size(), 4u);
  EXPECT_TRUE(std::ranges::all_of(requests, [&](const kir::Prefetch* request) {
    return request->access.tv == x && !request->isWritten;
  }));
  EXPECT_EQ(writesOf(*kernel, y), once(9000));
}

TEST_F(LowerTest, TheNextRowIsRequestedWhileAFunctionIsEvaluated) {
  TensorView* x = tensor({3, 2000});
  TensorView* exps =
      ops::unary(UnaryOpType::Exp,
                 ops::binary(BinaryOpType::Sub, x, ops::broadcast(sum(x, {1}), {false, true})));
  TensorView* total = output(sum(exps, {1}));
  const auto kernel = scheduleAndLower(SchedulerType::InnerPersistent);
  const kir::Block& body = kernel->phases[0].body;
  const auto requests = statementsOf<kir::Prefetch>(body);
  EXPECT_EQ(requests.size(), 4u);
  EXPECT_TRUE(std::ranges::all_of(
      requests, [&](const kir::Prefetch* request) { return request->access.tv == x; }));
  // Sums of their own for the elements of a group, which are summed up behind all groups.
  const auto computes = statementsOf<kir::Compute>(body);
  EXPECT_EQ(
      std::ranges::count_if(
          computes, [](const kir::Compute* compute) { return compute->expr->is<ReductionOp>(); }),
      4);
  EXPECT_EQ(std::ranges::count(statementsOf<kir::Loop>(body), 64, &kir::Loop::step), 1);
  EXPECT_EQ(writesOf(*kernel, total).size(), 3u);
}

TEST_F(LowerTest, CopiesAreStreamedFromWhereTheyAre) {
  TensorView* x = tensor({10, 300});
  TensorView* index = tensor({4}, DataType::Int);
  TensorView* y = output(ops::indexSelect(x, index, 0));
  CpuPointwiseParams params;
  params.stream = {64, 4096};
  const auto kernel = scheduleAndLower(params);
  const auto streams = statementsOf<kir::StreamedCopy>(kernel->phases[0].body);
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0]->in.tv, x);
  EXPECT_EQ(streams[0]->count->constInt(), 300);
  EXPECT_EQ(statementsOf<kir::Loop>(kernel->phases[0].body).size(), 1u);
  EXPECT_EQ(writesOf(*kernel, y), once(1200));
}

TEST_F(LowerTest, RowsStayApartWhereTheOrderOfTheirElementsCounts) {
  TensorView* total = output(sum(tensor({8, 100}), {1}));
  TensorView* inside = total->cacheBefore();
  inside->axis(0)->setMarks({.jam = {.rows = 4}, .isRequired = true});
  // A user is told so; the mark of a scheduler has no effect.
  EXPECT_TRUE(contains(errorOf([&] { lower(); }), "unroll_and_jam: Expected"));
  inside->axis(0)->setMarks({.jam = {.rows = 4}});
  const auto kernel = lower();
  EXPECT_EQ(jammedLoops(*kernel), 0);
  EXPECT_EQ(writesOf(*kernel, total), once(8));
}

TEST_F(LowerTest, AFullReductionIsNotDividedAmongWorkers) {
  TensorView* total = output(sum(tensor({100}), {0}));
  total->axis(0)->parallelize(ParallelType::GridX);
  const auto kernel = lower();
  EXPECT_EQ(kernel->phases[0].parallelExtent, nullptr);
}

TEST_F(LowerTest, PaddingDividesTheLoop) {
  TensorView* y = output(ops::pad(tensor({6}), constants({1, 2})));
  const auto kernel = lower();
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  EXPECT_TRUE(statementsOf<kir::If>(kernel->phases[0].body).empty());
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<kir::Assign>(loops[0]->body->at(0).node));
  EXPECT_TRUE(std::holds_alternative<kir::Compute>(loops[1]->body->at(0).node));
  EXPECT_TRUE(std::holds_alternative<kir::Assign>(loops[2]->body->at(0).node));
  EXPECT_EQ(writesOf(*kernel, y), once(9));
}

TEST_F(LowerTest, TheParallelLoopIsNotDivided) {
  TensorView* y = output(ops::pad(tensor({6, 4}), constants({0, 0, 1, 2})));
  y->axis(0)->parallelize(ParallelType::GridX);
  const auto kernel = lower();
  ASSERT_EQ(kernel->phases[0].body.size(), 1u);
  const auto& rows = std::get<kir::Loop>(kernel->phases[0].body[0].node);
  EXPECT_EQ(rows.index, kernel->phases[0].parallelIndex);
  // The branch stands around the loops over columns.
  ASSERT_EQ(rows.body->size(), 1u);
  EXPECT_TRUE(std::holds_alternative<kir::If>(rows.body->front().node));
  for (const kir::Loop* loop : statementsOf<kir::Loop>(*rows.body)) {
    EXPECT_TRUE(statementsOf<kir::If>(*loop->body).empty());
  }
  EXPECT_EQ(writesOf(*kernel, y), once(36));
}

TEST_F(LowerTest, ConcatenationIsALoopForEachPart) {
  TensorView* parts[] = {tensor({3, 4}), tensor({3, 2}), tensor({3, 5})};
  TensorView* y = output(ops::cat(parts, 1));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_TRUE(statementsOf<kir::If>(kernel->phases[0].body).empty());
  // The rows, and three parts of each.
  EXPECT_EQ(statementsOf<kir::Loop>(kernel->phases[0].body).size(), 4u);
  EXPECT_EQ(writesOf(*kernel, y), once(33));
}

TEST_F(LowerTest, ATriangleIsALoopForEachSideOfItsDiagonal) {
  TensorView* y = output(ops::triu(tensor({5, 9}), 2));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  ASSERT_EQ(kernel->phases.size(), 1u);
  EXPECT_TRUE(statementsOf<kir::If>(kernel->phases[0].body).empty());
  // The rows, which are not merged with the columns, and two parts of each.
  EXPECT_EQ(statementsOf<kir::Loop>(kernel->phases[0].body).size(), 3u);
  EXPECT_EQ(writesOf(*kernel, y), once(45));
}

TEST_F(LowerTest, SlicesReadFromTheirStart) {
  TensorView* x = tensor({6, 100});
  output(ops::slice(x, constants({0, 10}), constants({6, 50})));
  const auto kernel = lower();
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  const auto computes = statementsOf<kir::Compute>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  ASSERT_EQ(computes.size(), 1u);
  ExpressionEvaluator evaluator;
  evaluator.bind(loops[0]->index, int64_t{2});
  evaluator.bind(loops[1]->index, int64_t{3});
  EXPECT_EQ(evaluate(evaluator, std::get<kir::Access>(computes[0]->inputs[0]).index), 213);
  EXPECT_EQ(evaluate(evaluator, computes[0]->out.index), 83);
}

// A copy of a transposed input in tiles of 16: each moved as one rectangle.
class TransposedCopyTest : public LowerTest {
 protected:
  std::unique_ptr<kir::Kernel> tiled(TensorView* copy, bool isRequired = false) {
    const int64_t tile = 16;
    copy->split(-1, tile);
    copy->split(-3, tile);
    copy->reorder({{-2, -3}});
    copy->setMarks({.isTransposedTile = true, .isRequired = isRequired});
    return lower();
  }
};

TEST_F(TransposedCopyTest, MovesRectangles) {
  TensorView* x = tensor({40, 70});
  TensorView* y = output(ops::transpose(x, 0, 1));
  const auto kernel = tiled(y);
  const auto copies = statementsOf<kir::TransposedCopy>(kernel->phases[0].body);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_TRUE(statementsOf<kir::Compute>(kernel->phases[0].body).empty());
  EXPECT_EQ(copies[0]->in.tv, x);
  EXPECT_EQ(copies[0]->outStride->constInt(), 40);
  EXPECT_EQ(copies[0]->inStride->constInt(), 70);
  // The last tiles of each direction are smaller: nothing is written beyond the end.
  EXPECT_EQ(writesOf(*kernel, y), once(2800));
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  ExpressionEvaluator evaluator;
  evaluator.bind(loops[0]->index, int64_t{4});
  evaluator.bind(loops[1]->index, int64_t{2});
  EXPECT_EQ(evaluate(evaluator, copies[0]->rows), 6);
  EXPECT_EQ(evaluate(evaluator, copies[0]->columns), 8);
  EXPECT_EQ(evaluate(evaluator, copies[0]->out.index), 64 * 40 + 32);
  EXPECT_EQ(evaluate(evaluator, copies[0]->in.index), 32 * 70 + 64);
}

TEST_F(TransposedCopyTest, WhatDoesNotLieAcrossIsCopiedByLoops) {
  TensorView* y = output(ops::set(tensor({40, 70})));
  const auto kernel = tiled(y);
  EXPECT_TRUE(statementsOf<kir::TransposedCopy>(kernel->phases[0].body).empty());
  EXPECT_EQ(writesOf(*kernel, y), once(2800));
}

TEST_F(TransposedCopyTest, WhatAUserMarksMustLieAcross) {
  TensorView* y = output(ops::set(tensor({40, 70})));
  EXPECT_TRUE(contains(errorOf([&] { tiled(y, true); }), "transpose_tile: Expected"));
}

TEST_F(TransposedCopyTest, WideElementsAreCopiedByLoops) {
  TensorView* y = output(ops::transpose(tensor({40, 70}, DataType::ComplexDouble), 0, 1));
  const auto kernel = tiled(y);
  EXPECT_TRUE(statementsOf<kir::TransposedCopy>(kernel->phases[0].body).empty());
  EXPECT_EQ(writesOf(*kernel, y), once(2800));
}

TEST_F(TransposedCopyTest, ConversionsAreNoCopies) {
  TensorView* y = output(ops::cast(ops::transpose(tensor({40, 70}), 0, 1), DataType::Double));
  const auto kernel = tiled(y);
  EXPECT_TRUE(statementsOf<kir::TransposedCopy>(kernel->phases[0].body).empty());
}

TEST_F(LowerTest, IllegalSchedulesAreRefused) {
  TensorView* total = sum(tensor({6, 100}), {1});
  output(ops::broadcast(total, {false, true}));
  total->setComputeAt(2);
  EXPECT_TRUE(contains(errorOf([&] { lower(); }), "The schedule is not legal"));
}

}  // namespace
}  // namespace nvfuser
