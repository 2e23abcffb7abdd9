// What is checked of schedules that users write, and the mappings between domains.

#include "schedule/check.h"
#include "schedule/common.h"
#include "schedule/id_model.h"
#include "schedule/primitives.h"

namespace nvfuser {
namespace {

class CheckTest : public testing_support::FusionTest {
 protected:
  std::string problem() {
    return errorOf([&] { checkSchedule(fusion_); });
  }
};

TEST_F(CheckTest, ThreadsOfATypeRunAlongOneLoop) {
  TensorView* y = output(exp(tensor({6, 8})));
  y->axis(0)->parallelize(ParallelType::BlockX);
  EXPECT_EQ(problem(), "");
  y->axis(1)->parallelize(ParallelType::BlockX);
  EXPECT_TRUE(contains(problem(), "Expected one loop of")) << problem();
}

TEST_F(CheckTest, SharedLoopsRunOverTheSameIndices) {
  TensorView* a = exp(tensor({6, 8}));
  TensorView* b = output(neg(a));
  b->split(1, 4);
  a->setComputeAt(1);
  EXPECT_EQ(problem(), "");
  a->setComputeAt(2);
  EXPECT_TRUE(contains(problem(), "run over different indices")) << problem();
}

TEST_F(CheckTest, AnAllocationDomainIsACutOfTheTransforms) {
  TensorView* y = exp(tensor({6, 8}));
  IterDomain* rows = y->axis(0);
  IterDomain* columns = y->axis(1);
  y->split(1, 4);
  EXPECT_TRUE(isCutOfTransforms(y, {columns, rows}));
  EXPECT_TRUE(isCutOfTransforms(y, {y->axis(2), rows, y->axis(1)}));
  EXPECT_FALSE(isCutOfTransforms(y, {rows, y->axis(1)}));
  EXPECT_FALSE(isCutOfTransforms(y, {rows, columns, y->axis(1)}));
  EXPECT_FALSE(isCutOfTransforms(y, {rows, rows}));
}

TEST_F(CheckTest, ATensorTakesPartInLoopsOfDimensionsThatItLacks) {
  TensorView* row = ops::broadcast(exp(tensor({8})), {true, false});
  TensorView* y = output(add(row, tensor({6, 8})));
  y->merge(0, 1);
  schedule::transformLike(y, {});
  EXPECT_TRUE(runsOverMore(row, row->axis(0)));
  EXPECT_FALSE(runsOverMore(y, y->axis(0)));
}

TEST_F(CheckTest, MappingDomainsMapsWhatTransformsMakeOfThem) {
  TensorView* a = exp(tensor({6, 8}));
  TensorView* b = exp(tensor({6, 8}));
  output(a);
  output(b);
  a->split(1, 4);
  b->split(1, 4);
  ValGraph graph(fusion_);
  EXPECT_FALSE(graph.disjointValSets().strictAreMapped(a->axis(2), b->axis(2)));
  // From the parts to the whole, too.
  graph.mapVals(a->axis(1), b->axis(1));
  EXPECT_FALSE(graph.disjointValSets().strictAreMapped(a->logical()[1], b->logical()[1]));
  graph.mapVals(a->axis(2), b->axis(2));
  EXPECT_TRUE(graph.disjointValSets().strictAreMapped(a->logical()[1], b->logical()[1]));
  EXPECT_FALSE(graph.disjointValSets().strictAreMapped(a->axis(0), b->axis(0)));
}

}  // namespace
}  // namespace nvfuser
