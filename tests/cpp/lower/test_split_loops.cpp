// Loops that are divided where conditions change, of concatenations of many tensors.

#include "lower/common.h"

namespace nvfuser {
namespace {

class SplitLoopsTest : public testing_support::KernelTest {
 protected:
  // The concatenation of as many computed rows; part k has k % 3 + 1 elements in `evaluator`.
  TensorView* concatenate(size_t count) {
    std::vector<TensorView*> parts;
    for (size_t k = 0; k < count; ++k) {
      TensorView* x = tensor({-1, -1});
      evaluator_.bind(x->logical()[0]->extent(), int64_t{2});
      evaluator_.bind(x->logical()[1]->extent(), sizeOf(k));
      parts.push_back(exp(x));
    }
    return output(ops::cat(parts, 1));
  }
  static int64_t sizeOf(size_t part) { return static_cast<int64_t>(part % 3) + 1; }
  static int64_t total(size_t count) {
    int64_t sum = 0;
    for (size_t k = 0; k < count; ++k) {
      sum += sizeOf(k);
    }
    return sum;
  }
  ExpressionEvaluator evaluator_;
};

TEST_F(SplitLoopsTest, EveryPartOfALargeConcatenationHasALoopOfItsOwn) {
  constexpr size_t kParts = 100;
  TensorView* out = concatenate(kParts);
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  const kir::Block& body = kernel->phases.at(0).body;
  size_t innermost = 0;
  for (const kir::Loop* loop : testing_support::statementsOf<kir::Loop>(body)) {
    if (!testing_support::statementsOf<kir::Loop>(*loop->body).empty()) {
      continue;
    }
    ++innermost;
    // The function, what pads it to a piece and that to the whole, with a copy each: nothing of
    // other parts, no conditions.
    EXPECT_EQ(loop->body->size(), 5u);
    EXPECT_EQ(testing_support::statementsOf<kir::Compute>(*loop->body).size(), 5u);
  }
  EXPECT_EQ(innermost, kParts);
  EXPECT_EQ(writesOf(*kernel, out, evaluator_), once(2 * total(kParts)));
}

TEST_F(SplitLoopsTest, SmallConcatenationsAreDividedAsWell) {
  TensorView* out = concatenate(5);
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  EXPECT_EQ(writesOf(*kernel, out, evaluator_), once(2 * total(5)));
}

TEST_F(SplitLoopsTest, SlicesHaveNotLessThanNoElements) {
  TensorView* x = tensor({-1, -1});
  evaluator_.bind(x->logical()[0]->extent(), int64_t{2});
  evaluator_.bind(x->logical()[1]->extent(), int64_t{9});
  std::vector<TensorView*> parts;
  for (const int64_t start : {6, 0, 3}) {
    parts.push_back(neg(ops::slice(x, constants({0, start}), constants({2, start + 3}), {})));
  }
  TensorView* out = output(ops::cat(parts, 1));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  const kir::Block& body = kernel->phases.at(0).body;
  // One over rows, and one for each part.
  EXPECT_EQ(testing_support::statementsOf<kir::Loop>(body).size(), 1 + parts.size());
  EXPECT_EQ(writesOf(*kernel, out, evaluator_), once(18));
}

}  // namespace
}  // namespace nvfuser
