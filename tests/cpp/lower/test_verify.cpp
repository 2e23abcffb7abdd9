// The verifier: a kernel as it should be, and what it says of broken ones.

#include <cstdlib>

#include "lower/builder.h"
#include "lower/common.h"
#include "lower/verify.h"

namespace nvfuser {
namespace {

// All tests of this program verify the kernels that they lower.
class Verification : public testing::Environment {
  void SetUp() override { setenv("NVFUSER_ENABLE", "verify_kernels", /*overwrite=*/0); }
};
const testing::Environment* const kVerification =
    testing::AddGlobalTestEnvironment(new Verification);

// A phase that copies x to y: for (i = 0; i < 8; ++i) y[i] = x[i]. Each test breaks something.
class VerifyTest : public testing_support::FusionTest {
 protected:
  VerifyTest() : x_(tensor({8})), y_(output(neg(x_))) {
    y_->setMemoryType(MemoryType::Global);
    kernel_.fusion = &fusion_;
    kernel_.name = "kernel";
    kernel_.parameters.push_back({.kind = kir::Parameter::Kind::Pointer, .tv = x_});
    kernel_.parameters.push_back({.kind = kir::Parameter::Kind::Pointer, .tv = y_});
    kernel_.phases.emplace_back();
    kernel_.phases[0].scratchBytes = fusion_.zero();
    index_ = build().freshIndex();
    phase().body.push_back({loopOver(index_, kir::blockOf(copy(x_, y_, index_)))});
  }

  kir::Phase& phase() { return kernel_.phases[0]; }
  kir::Block& inside() { return *std::get<kir::Loop>(phase().body[0].node).body; }
  kir::Builder build() { return {kernel_, phase()}; }
  Val* constant(int64_t value) { return scalar::constant(&fusion_, value); }

  kir::Loop loopOver(Val* index, kir::Block body) {
    return kir::plainLoop(index, fusion_.zero(), constant(8), std::move(body));
  }
  kir::Statement copy(TensorView* in, TensorView* out, Val* index) {
    return {kir::Compute{y_->definition(), {out, index}, {kir::Access{in, index}}}};
  }
  // A block of 8 threads; the index of one.
  Val* addThreads() {
    Val* thread = build().freshIndex();
    phase().threads.push_back({ParallelType::BlockX, thread, constant(8)});
    return thread;
  }

  std::string complaints() {
    std::string all;
    for (const std::string& complaint : complaintsAbout(kernel_, phase())) {
      all += (all.empty() ? "" : "; ") + complaint;
    }
    return all;
  }
  // What a complaint is to contain, of which there is one.
  void expectOne(const std::string& part) {
    const std::vector<std::string> all = complaintsAbout(kernel_, phase());
    ASSERT_EQ(all.size(), 1u) << complaints();
    EXPECT_NE(all[0].find(part), std::string::npos) << all[0];
  }

  kir::Kernel kernel_;
  TensorView* x_;
  TensorView* y_;
  Val* index_ = nullptr;
};

TEST_F(VerifyTest, NothingIsWrong) { EXPECT_EQ(complaints(), ""); }

TEST_F(VerifyTest, AllTestsOfThisProgramVerify) { EXPECT_TRUE(verifiesKernels()); }

TEST_F(VerifyTest, AnIndexIsUsedBehindItsLoop) {
  phase().body.push_back(copy(x_, y_, index_));
  expectOne("is used where it has no value");
}

TEST_F(VerifyTest, AnIndexIsUsedInAnExpressionBeforeItsLoop) {
  phase().body.insert(phase().body.begin(), copy(x_, y_, scalar::add(index_, fusion_.one())));
  expectOne("is used where it has no value");
}

TEST_F(VerifyTest, ALoopsOwnBoundDependsOnItsIndex) {
  std::get<kir::Loop>(phase().body[0].node).stop = scalar::add(index_, fusion_.one());
  expectOne("is used where it has no value");
}

TEST_F(VerifyTest, APositionIsUsedBeforeItIsLookedUp) {
  kir::LoadIndex load{build().freshIndex(), build().freshCondition(), fusion_.one(), constant(8)};
  inside().push_back(copy(x_, y_, load.position));
  inside().push_back({load});
  expectOne("is used where it has no value");
  std::swap(inside()[1], inside()[2]);
  EXPECT_EQ(complaints(), "");
}

TEST_F(VerifyTest, WholeLinesAreKnownUntilTheEndOfTheirBlock) {
  kir::WholeLines lines{build().freshIndex(),  build().freshIndex(), fusion_.zero(), constant(8), 4,
                        {{y_, fusion_.zero()}}};
  inside().push_back({lines});
  inside().push_back(copy(x_, y_, lines.first));
  EXPECT_EQ(complaints(), "");
  phase().body.push_back(copy(x_, y_, lines.last));
  expectOne("is used where it has no value");
}

TEST_F(VerifyTest, ARequestKnowsItsOwnIndexOnly) {
  Val* index = build().freshIndex();
  inside().push_back({kir::Prefetch{{x_, index}, index, constant(8)}});
  EXPECT_EQ(complaints(), "");
  inside().push_back(copy(x_, y_, index));
  expectOne("is used where it has no value");
}

TEST_F(VerifyTest, ALoopInsideHasTheSameIndex) {
  kir::Block body = std::move(inside());
  inside() = kir::blockOf({loopOver(index_, std::move(body))});
  expectOne("is defined where it has a value already");
}

TEST_F(VerifyTest, LoopsSideBySideMayHaveTheSameIndex) {
  phase().body.push_back(kir::copyOf(phase().body[0]));
  EXPECT_EQ(complaints(), "");
}

TEST_F(VerifyTest, AnIndexThatIsNotTheKernelsOwn) {
  kernel_.ownSymbols.erase(index_);
  expectOne("not one of the kernel's own symbols");
}

TEST_F(VerifyTest, ATensorWithoutMemory) {
  auto* other = fusion_.create<TensorView>(y_->domain(), DataType::Float);
  inside().push_back(copy(x_, other, index_));
  expectOne("is accessed, but has no memory");
}

TEST_F(VerifyTest, ATensorThatHasMemoryTwice) {
  TensorView* local = build().addLocal(DataType::Float, constant(4));
  phase().buffers.push_back({local, constant(4)});
  expectOne("has memory twice");
}

TEST_F(VerifyTest, ALocalArrayWithoutConstantSize) {
  build().addLocal(DataType::Float, fusion_.create<Val>(DataType::Index));
  expectOne("has no constant size");
}

TEST_F(VerifyTest, AnElementOutsideOfItsArray) {
  TensorView* local = build().addLocal(DataType::Float, constant(4));
  inside().push_back({kir::Assign{{local, constant(3)}, kir::Access{x_, index_}}});
  EXPECT_EQ(complaints(), "");
  inside().push_back({kir::Assign{{local, constant(4)}, kir::Access{x_, index_}}});
  expectOne("element 4 of");
}

TEST_F(VerifyTest, AVectorThatReachesBeyondItsArray) {
  TensorView* local = build().addLocal(DataType::Float, constant(4));
  kir::Compute vector{y_->definition(), {y_, fusion_.zero()}, {kir::Access{local, constant(2)}}, 4};
  inside().push_back({vector});
  expectOne("element 5 of");
}

TEST_F(VerifyTest, ABarrierUnderAConditionOfThreads) {
  Val* thread = addThreads();
  Val* some = scalar::lt(thread, constant(4));
  inside().push_back({kir::Barrier{}});
  EXPECT_EQ(complaints(), "");
  inside().push_back({kir::choiceOf(some, kir::blockOf({kir::Barrier{}}))});
  expectOne("not all threads of a block");
}

TEST_F(VerifyTest, ABarrierInALoopThatThreadsLeaveAtDifferentTimes) {
  Val* thread = addThreads();
  std::get<kir::Loop>(phase().body[0].node).stop = thread;
  EXPECT_EQ(complaints(), "");
  inside().push_back({kir::Barrier{}});
  expectOne("not all threads of a block");
}

TEST_F(VerifyTest, ABarrierUnderWhatAThreadLookedUp) {
  addThreads();
  kir::LoadIndex load{build().freshIndex(), build().freshCondition(), kir::Access{x_, index_},
                      constant(8)};
  load.index = fusion_.one();
  inside().push_back({load});
  inside().push_back({kir::choiceOf(load.isInside, kir::blockOf({kir::Barrier{}}))});
  expectOne("not all threads of a block");
}

TEST_F(VerifyTest, AReductionOverThreadsUnderAConditionOfThem) {
  Val* thread = addThreads();
  kir::BlockReduce reduce;
  reduce.parts.push_back({y_->definition(), build().addVariable(DataType::Float)});
  reduce.scratchOffset = fusion_.zero();
  inside().push_back({kir::choiceOf(scalar::lt(thread, constant(4)), kir::blockOf({reduce}))});
  expectOne("not all threads of a block");
}

TEST_F(VerifyTest, AnIndexThatIsNoInteger) {
  inside().push_back(copy(x_, y_, fusion_.create<Val>(DataType::Double, 1.0)));
  EXPECT_NE(complaints().find("is of dtype double"), std::string::npos) << complaints();
}

TEST_F(VerifyTest, AConditionThatIsNone) {
  inside().push_back({kir::choiceOf(index_, kir::blockOf(copy(x_, y_, index_)))});
  expectOne("a condition is of dtype");
}

TEST_F(VerifyTest, ACopyThatWouldHaveToConvert) {
  TensorView* local = build().addLocal(DataType::Half, constant(8));
  inside().push_back(
      {kir::StreamedCopy{{y_, fusion_.zero()}, {local, fusion_.zero()}, constant(8)}});
  expectOne("is copied to");
}

TEST_F(VerifyTest, AComplexNumberThatIsAssignedToARealOne) {
  const kir::Access complex = build().addVariable(DataType::ComplexFloat);
  inside().push_back({kir::Assign{{y_, index_}, complex}});
  expectOne("is assigned to");
}

TEST_F(VerifyTest, ALoopThatDoesNotAdvance) {
  std::get<kir::Loop>(phase().body[0].node).step = 0;
  expectOne("a loop has the step 0");
}

TEST_F(VerifyTest, TheErrorNamesKernelAndPass) {
  EXPECT_NO_THROW(verify(kernel_, phase(), "splitLoops"));
  phase().body.push_back(copy(x_, y_, index_));
  try {
    verify(kernel_, phase(), "splitLoops");
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("The kernel IR of kernel_phase0 is broken after splitLoops:"),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace nvfuser
