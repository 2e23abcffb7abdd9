// The table of passes, and what they and the visitors of kernel IR agree on.

#include <fstream>
#include <set>
#include <sstream>

#include "lower/builder.h"
#include "lower/common.h"
#include "lower/passes.h"

namespace nvfuser {
namespace {

using KernelPassesTest = testing_support::KernelTest;

std::string textOf(const std::string& path) {
  std::ifstream file(std::string(NVFUSER_TESTS_DIRECTORY) + "/../" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(KernelPassesTest, EveryPassSaysWhatItIsForAndWhyItRunsThere) {
  std::set<std::string> names;
  for (const KernelPass& pass : kernelPasses()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(std::string(pass.purpose).empty()) << pass.name;
    EXPECT_FALSE(std::string(pass.order).empty()) << pass.name;
  }
}

TEST_F(KernelPassesTest, TheDesignPageHasThemInTheirOrder) {
  const std::string page = textOf("docs/design/lowering.md");
  size_t at = 0;
  for (const KernelPass& pass : kernelPasses()) {
    const size_t row = page.find("| `" + std::string(pass.name) + "` |", at);
    ASSERT_NE(row, std::string::npos) << pass.name;
    at = row;
  }
}

TEST_F(KernelPassesTest, EachTargetHasItsOwn) {
  const auto namesFor = [](const Target& target) {
    std::string names;
    for (const KernelPass& pass : kernelPasses()) {
      names += pass.isFor(target.capabilities) ? std::string(pass.name) + " " : "";
    }
    return names;
  };
  EXPECT_EQ(
      namesFor(gpuTarget({})),
      "loadFirst joinReductions lookUpEarly predicateLoads liftConditions reuseLoads "
      "branchOnWholeVectors mergeVectors computeInBranches insertBarriers copyAhead leaveEarly "
      "noteHeldTensors refuseMarks ");
  EXPECT_EQ(namesFor(cpuTarget({})),
            "splitPeriods splitLoops accumulateRowsApart prefetchResults foldRows jamRows "
            "prefetchNextTile "
            "prefetchFarRows streamResults prefetchNextRow sumInBlocks interleave refuseMarks ");
  Target plain = cpuTarget({});
  plain.capabilities.hasPrefetch = false;
  plain.capabilities.hasStreamingStores = false;
  EXPECT_EQ(namesFor(plain),
            "splitPeriods splitLoops accumulateRowsApart foldRows jamRows sumInBlocks interleave "
            "refuseMarks ");
  plain.capabilities.hasMaskedVectors = true;
  EXPECT_EQ(namesFor(plain),
            "splitPeriods splitLoops accumulateRowsApart foldRows jamRows sumInBlocks maskRests "
            "interleave refuseMarks ");
}

// One statement of each kind, with a tensor for each part of it.
class KindsTest : public KernelPassesTest {
 protected:
  TensorView* local(DataType dtype = DataType::Float) {
    return fusion_.create<TensorView>(tensor({8})->domain(), dtype);
  }
  kir::Access at(TensorView* tv) { return {tv, fusion_.zero()}; }
  std::string usesOf(const kir::Statement& statement) {
    std::string uses;
    kir::forEachOwnAccess(
        statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
          uses += std::string(uses.empty() ? "" : " ") + "rwua"[static_cast<size_t>(use)] +
                  std::to_string(names_.at(access.tv));
        });
    return uses;
  }
  kir::Access named(int name) {
    TensorView* tv = local();
    names_[tv] = name;
    return at(tv);
  }
  std::map<const TensorView*, int> names_;
};

TEST_F(KindsTest, AccessesOfEveryKind) {
  TensorView* x = tensor({8});
  Expr* map = neg(x)->definition();
  Expr* reduction = sum(x, {0})->definition();
  Val* one = fusion_.one();
  EXPECT_EQ(usesOf({kir::Compute{map, named(0), {named(1), one}}}), "r1 w0");
  EXPECT_EQ(usesOf({kir::Compute{reduction, named(0), {named(1)}}}), "r1 u0");
  EXPECT_EQ(usesOf({kir::Assign{named(0), named(1)}}), "r1 w0");
  EXPECT_EQ(usesOf({kir::Assign{named(0), one}}), "w0");
  EXPECT_EQ(usesOf({kir::TransposedCopy{named(0), one, named(1), one, one, one}}), "r1 w0");
  EXPECT_EQ(usesOf({kir::StreamedCopy{named(0), named(1), one}}), "r1 w0");
  EXPECT_EQ(usesOf({kir::LoadIndex{one, one, named(0), one}}), "r0");
  EXPECT_EQ(usesOf({kir::Prefetch{named(0), nullptr, one}}), "a0");
  EXPECT_EQ(usesOf({kir::WholeLines{one, one, one, one, 8, {named(0), named(1)}}}), "a0 a1");
  kir::BlockReduce reduce;
  reduce.parts = {{reduction, named(0)}, {reduction, named(1)}};
  EXPECT_EQ(usesOf({reduce}), "u0 u1");
  kir::BlockScan scan;
  scan.parts = {{reduction, named(0), named(1)}};
  EXPECT_EQ(usesOf({scan}), "u0 u1");
  EXPECT_EQ(usesOf({kir::Barrier{}}), "");
}

TEST_F(KindsTest, CopiesHaveAllOfTheOriginal) {
  Val* one = fusion_.one();
  kir::Block body;
  body.push_back({kir::Barrier{}});
  body.push_back({kir::Prefetch{named(0), nullptr, one}});
  body.push_back({kir::StreamedCopy{named(1), named(2), one}});
  body.push_back({kir::choiceOf(one, kir::blockOf({kir::Assign{named(3), one}}),
                                kir::blockOf({kir::Assign{named(4), one}}))});
  kir::Loop loop = kir::plainLoop(one, fusion_.zero(), one, std::move(body));
  loop.isReduction = loop.isRest = true;
  loop.step = 4;
  loop.vectors = 2;
  loop.parallelType = ParallelType::Unroll;
  loop.marks.fold = {8};
  const kir::Statement original{std::move(loop)};
  const kir::Statement copy = kir::copyOf(original);
  const auto textsOf = [](const kir::Statement& statement) {
    std::string text;
    kir::forEachStatement(statement, [&](const kir::Statement& inside) {
      text += std::to_string(inside.node.index()) + " ";
      kir::forEachOwnAccess(inside, [&](const kir::Access& access, kir::Use, const TensorView*) {
        text += std::to_string(access.tv->name()) + " ";
      });
    });
    return text;
  };
  EXPECT_EQ(textsOf(copy), textsOf(original));
  const auto& copied = std::get<kir::Loop>(copy.node);
  EXPECT_NE(copied.body.get(), std::get<kir::Loop>(original.node).body.get());
  EXPECT_TRUE(copied.isReduction && copied.isRest);
  EXPECT_EQ(copied.step, 4);
  EXPECT_EQ(copied.vectors, 2);
  EXPECT_EQ(copied.parallelType, ParallelType::Unroll);
  EXPECT_EQ(copied.marks.fold.rows, 8);
}

TEST_F(KernelPassesTest, ATargetWithoutStreamingStoresWritesThroughTheCaches) {
  TensorView* y = output(exp(tensor({1 << 20})));
  y->cacheBefore();
  y->setMarks({.stream = {64}});
  testing_support::Sizes streamed;
  for (const bool streams : {true, false}) {
    Target target = cpuTarget({});
    target.capabilities.hasStreamingStores = streams;
    const auto kernel = nvfuser::lower(&fusion_, "kernel", target);
    streamed.push_back(static_cast<int64_t>(
        testing_support::statementsOf<kir::StreamedCopy>(kernel->phases.back().body).size()));
  }
  EXPECT_GT(streamed[0], 0);
  EXPECT_EQ(streamed[1], 0);
}

}  // namespace
}  // namespace nvfuser
