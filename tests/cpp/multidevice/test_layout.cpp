// Meshes, and what loops along them say.

#include "multidevice/common.h"

namespace nvfuser::multidevice {
namespace {

using testing_support::Sizes;

class LayoutTest : public testing_support::MultideviceTest {};

TEST_F(LayoutTest, MeshesHaveLines) {
  const DeviceMesh square({5, 4, 3, 2, 1, 0}, {2, 3});
  EXPECT_EQ(square.toString(), "DeviceMesh{{5 4 3}{2 1 0}}");
  EXPECT_EQ(square.extent(ParallelType::MeshX), 3);
  EXPECT_EQ(square.extent(ParallelType::MeshY), 2);
  EXPECT_FALSE(square.has(ParallelType::MeshZ));
  EXPECT_EQ(square.coordinate(1, ParallelType::MeshX), 1);
  EXPECT_EQ(square.coordinate(1, ParallelType::MeshY), 1);
  EXPECT_EQ(square.line(1, ParallelType::MeshX), (std::vector<int64_t>{2, 1, 0}));
  EXPECT_EQ(square.line(1, ParallelType::MeshY), (std::vector<int64_t>{4, 1}));
  EXPECT_THROW(DeviceMesh({0, 0}, {2}), Error);
  EXPECT_THROW(DeviceMesh({0, -1}, {2}), Error);
  EXPECT_THROW(DeviceMesh({0, 1, 2}, {2}), Error);
}

TEST_F(LayoutTest, LoopsAlongTheMeshDivideDimensions) {
  TensorView* outer = tensor({8, 6});
  shard(outer, mesh({2}), 0);
  EXPECT_EQ(text(annotatedLayout(outer)), "x*4, -");
  TensorView* inner = tensor({8, -1});
  shard(inner, mesh({2}), 1, ParallelType::MeshX, true);
  EXPECT_EQ(text(annotatedLayout(inner)), "-, -*x");
  TensorView* same = tensor({8, 6});
  same->setDeviceMesh(mesh({2}));
  EXPECT_TRUE(annotatedLayout(same).isReplicated());
  TensorView* whole = tensor({2, 6});
  whole->setDeviceMesh(mesh({2}));
  whole->loop()[0]->parallelize(ParallelType::MeshX);
  EXPECT_EQ(text(annotatedLayout(whole)), "x, -");
}

TEST_F(LayoutTest, ADimensionMayBeDividedTwice) {
  TensorView* x = tensor({12, 5});
  const Mesh square = mesh({2, 3});
  shard(x, square, 0, ParallelType::MeshY);
  shard(x, square, 1, ParallelType::MeshX);
  const TensorLayout layout = annotatedLayout(x);
  EXPECT_EQ(text(layout), "y*x*2, -");
  EXPECT_EQ(layout.divisor(0), 6);
  EXPECT_EQ(layout.dimOn(ParallelType::MeshX), 0);
  EXPECT_EQ(text(dividedLayout(x, square, {{ParallelType::MeshY, ParallelType::MeshX}, {}})),
            "y*x*2, -");
}

TEST_F(LayoutTest, WhatIsWrongIsSaid) {
  TensorView* uneven = tensor({7, 6});
  shard(uneven, mesh({2}), 0);
  EXPECT_TRUE(contains(errorOf([&] { annotatedLayout(uneven); }),
                       "Sharded axis must be evenly divisble by mesh"));
  TensorView* other = tensor({8, 6});
  other->setDeviceMesh(mesh({2}));
  other->loop()[0]->parallelize(ParallelType::MeshX);
  EXPECT_TRUE(contains(errorOf([&] { annotatedLayout(other); }), "expected 2 iterations"));
  TensorView* missing = tensor({8, 6});
  missing->split(0, 2, false);
  missing->loop()[0]->parallelize(ParallelType::MeshX);
  EXPECT_TRUE(contains(errorOf([&] { annotatedLayout(missing); }), "set_device_mesh"));
  TensorView* merged = tensor({4, 6});
  merged->setDeviceMesh(mesh({2}));
  merged->merge(0, 1);
  merged->split(0, 2, false);
  merged->loop()[0]->parallelize(ParallelType::MeshX);
  EXPECT_TRUE(contains(errorOf([&] { annotatedLayout(merged); }), "by splits alone"));
  TensorView* plain = tensor({4, 6});
  EXPECT_TRUE(contains(errorOf([&] {
                         dividedLayout(plain, mesh({2}),
                                       {{ParallelType::MeshX}, {ParallelType::MeshX}});
                       }),
                       "divided twice"));
}

TEST_F(LayoutTest, WithoutAnAxisWhatItDividedIsInOnePiece) {
  const Mesh square = mesh({2, 3});
  TensorView* x = tensor({12});
  const DimLayout both =
      dividedLayout(x, square, {{ParallelType::MeshY, ParallelType::MeshX}}).dims[0];
  const DimLayout y = restricted(both, {ParallelType::MeshY}, *square);
  EXPECT_EQ(y, (DimLayout{onAxis(ParallelType::MeshY), {ParallelType::Serial, 6}}));
  EXPECT_TRUE(restricted(both, {}, *square).empty());
}

}  // namespace
}  // namespace nvfuser::multidevice
