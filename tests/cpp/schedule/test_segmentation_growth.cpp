// The work of segmentation grows with a fusion and no faster. It is counted in allocations, which
// whatever walks through a fusion makes.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "schedule/common.h"
#include "schedule/segmentation.h"

namespace {
std::atomic<int64_t> allocations = 0;
}  // namespace

// Each form of `new` whose memory the `delete` below frees: sanitizers have their own of the
// others.
void* operator new(size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  void* memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*bytes*/) noexcept { std::free(memory); }

namespace nvfuser {
namespace {

// A fusion of its own for each size.
class Definition : public testing_support::FusionTest {
 public:
  using FusionTest::layerNorm;
  using FusionTest::neg;
  using FusionTest::output;
  using FusionTest::tensor;

  int64_t segmentationWork() {
    const int64_t before = allocations;
    segmentFusion(&fusion_, cpuTarget({}));
    return allocations - before;
  }

 private:
  void TestBody() override {}
};

using Define = std::function<void(Definition&, int64_t size)>;

void expectLinear(const Define& define) {
  const auto workOf = [&](int64_t size) {
    Definition definition;
    define(definition, size);
    return definition.segmentationWork();
  };
  // Several pieces each.
  constexpr int64_t kSize = 600;
  const int64_t once = workOf(kSize);
  EXPECT_LE(workOf(2 * kSize), 2 * once + once / 10);
}

TEST(SegmentationGrowthTest, ScattersIntoScatters) {
  expectLinear([](Definition& fusion, int64_t size) {
    TensorView* x = fusion.tensor({4, 64});
    TensorView* index = fusion.tensor({4, 64}, DataType::Int);
    for (int64_t i = 0; i < size; ++i) {
      x = Definition::neg(ops::scatter(x, index, x, 1));
    }
    fusion.output(x);
  });
}

TEST(SegmentationGrowthTest, NormsOfUnrelatedInputs) {
  expectLinear([](Definition& fusion, int64_t size) {
    for (int64_t i = 0; i < size; ++i) {
      fusion.output(fusion.layerNorm(fusion.tensor({4, 64}), 64));
    }
  });
}

TEST(SegmentationGrowthTest, NormsOfNorms) {
  expectLinear([](Definition& fusion, int64_t size) {
    TensorView* x = fusion.tensor({4, 64});
    for (int64_t i = 0; i < size; ++i) {
      x = fusion.layerNorm(x, 64);
    }
    fusion.output(x);
  });
}

}  // namespace
}  // namespace nvfuser
