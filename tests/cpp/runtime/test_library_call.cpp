// Library calls: their node, their segments, and the order of launches, calls and memory in a plan.

#include <algorithm>

#include "ir/clone.h"
#include "ir/structure.h"
#include "runtime/argument_check.h"
#include "runtime/common.h"
#include "runtime/library_call.h"
#include "schedule/segmentation.h"
#include "translate/definition.h"

namespace nvfuser {
namespace {

using Kind = LibraryProgram::Step::Kind;

class LibraryCallTest : public testing_support::FusionTest {};

TEST_F(LibraryCallTest, TheNodeKnowsItsArguments) {
  TensorView* x = tensor({-1, 8});
  TensorView* weight = tensor({5, 8});
  TensorView* out = output(ops::linear(x, weight, nullptr));
  const auto* op = out->definition()->as<LibraryOp>();
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->tensor(0), x);
  EXPECT_EQ(op->tensor(1), weight);
  EXPECT_EQ(op->tensor(2), nullptr);
  EXPECT_TRUE(contains(op->toString(), "= linear( T0_g_float[iS0{i"));
  const auto pairs = sizePairs(*op);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, x->logical()[1]);
  EXPECT_EQ(pairs[0].second, weight->logical()[1]);
  const auto copy = cloneFusion(fusion_);
  EXPECT_TRUE(structurallyEqual(fusion_, *copy));
  EXPECT_TRUE(
      contains(pythonFunction(definitionCalls(fusion_)), "    tv2 = fd.ops.linear(tv0, tv1)\n"));
}

TEST_F(LibraryCallTest, BatchesThatBroadcastNeedNotBeEqual) {
  TensorView* a = tensor({-1, 1, 4, -1});
  TensorView* b = tensor({-1, 3, -1, 6});
  const auto* op = ops::matmul(a, b)->definition()->as<LibraryOp>();
  const auto pairs = sizePairs(*op);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0], std::pair(a->logical()[3], b->logical()[2]));
  EXPECT_EQ(pairs[1], std::pair(a->logical()[0], b->logical()[0]));
  EXPECT_EQ(loops(op->output(0)->asTensor()), "i? i3 i4 i6");
}

TEST_F(LibraryCallTest, EachIsASegmentOfItsOwn) {
  TensorView* x = tensor({-1, 8});
  TensorView* y = ops::matmul(exp(neg(x)), tensor({8, 8}));
  output(ops::matmul(exp(add(y, y)), y));
  const auto segments = segmentFusion(&fusion_, cpuTarget({}));
  std::vector<SchedulerType> types;
  for (const Segment& segment : segments) {
    types.push_back(segment.scheduler);
  }
  using enum SchedulerType;
  EXPECT_EQ(types, (std::vector<SchedulerType>{Pointwise, ExprEval, Pointwise, ExprEval}));
  EXPECT_EQ(segments[2].fusion->tensorExprs().size(), 2u);
}

// Writes down what it is asked for.
class Recorder : public LibraryHost {
 public:
  void* allocate(size_t number) override {
    log.push_back("allocate " + std::to_string(number));
    return reinterpret_cast<void*>(0x1000 * (number + 1));
  }
  void release(size_t number) override { log.push_back("release " + std::to_string(number)); }
  void call(const LibraryCall& call, std::span<void*> held) override {
    log.emplace_back(call.info->name);
    for (const LibraryResult& result : call.results) {
      if (result.memory.kind == Memory::Kind::Held) {
        held[static_cast<size_t>(result.memory.position)] = &log;
      }
    }
  }

  std::vector<std::string> log;
};

TEST_F(LibraryCallTest, StepsAllocateAndReleaseAroundWhatNeedsIt) {
  LibraryProgram program;
  program.held.resize(2);
  LibraryCall call;
  call.info = &info(LibraryOpType::Matmul);
  LibraryResult result;
  result.memory = {Memory::Kind::Held, 1};
  call.results.push_back(result);
  program.calls.push_back(call);
  program.steps = {
      {Kind::Launch, 0, {0}, {}}, {Kind::Call, 0, {}, {0}}, {Kind::Launch, 1, {}, {1}}};
  Recorder host;
  runSteps(&program, 2, host, [&](size_t number, std::span<void* const> held) {
    host.log.push_back("launch " + std::to_string(number));
    EXPECT_EQ(held[0], number == 0 ? reinterpret_cast<void*>(0x1000) : nullptr);
    EXPECT_EQ(held[1], number == 0 ? nullptr : static_cast<void*>(&host.log));
  });
  EXPECT_EQ(host.log, (std::vector<std::string>{"allocate 0", "launch 0", "matmul", "release 0",
                                                "launch 1", "release 1"}));
}

}  // namespace
}  // namespace nvfuser
