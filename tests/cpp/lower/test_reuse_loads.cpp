// Which loads are taken from vectors that are in registers.

#include "lower/builder.h"
#include "lower/common.h"
#include "lower/reuse_loads.h"

namespace nvfuser {
namespace {

// A vector of four elements of `memory` that is copied to `vector`, and a loop that copies them one
// by one.
class ReuseLoadsTest : public testing_support::KernelTest {
 protected:
  TensorView* in(MemoryType memory) {
    TensorView* tv = fusion_.create<TensorView>(tensor({8})->domain(), DataType::Float);
    tv->setMemoryType(memory);
    return tv;
  }
  kir::Compute copy(TensorView* from, Val* at, TensorView* to, Val* place, int64_t width) {
    return {set_, {to, place}, {kir::Access{from, at}}, width};
  }
  // Where the elements are read from at last.
  const TensorView* readFrom(kir::Block body) {
    kir::Loop loop = kir::plainLoop(index_, fusion_.zero(), constant(4), std::move(body));
    kir::Phase phase;
    phase.body.push_back({copy(memory_, fusion_.zero(), vector_, fusion_.zero(), 4)});
    phase.body.push_back({std::move(loop)});
    kir::Kernel kernel;
    reuseLoads({kernel, phase, target_});
    for (const kir::Compute* compute : testing_support::statementsOf<kir::Compute>(phase.body)) {
      if (compute->width == 1 && compute->out.tv == element_) {
        return std::get<kir::Access>(compute->inputs.at(0)).tv;
      }
    }
    return nullptr;
  }
  kir::Compute load() { return copy(memory_, index_, element_, fusion_.zero(), 1); }
  Val* constant(int64_t value) { return scalar::constant(&fusion_, value); }

  const Target target_ = gpuTarget({});
  Expr* set_ = ops::set(tensor({8}))->definition();
  TensorView* memory_ = in(MemoryType::Global);
  TensorView* vector_ = in(MemoryType::Local);
  TensorView* element_ = in(MemoryType::Local);
  TensorView* other_ = in(MemoryType::Global);
  Val* index_ = fusion_.create<Val>(DataType::Index);
};

TEST_F(ReuseLoadsTest, ElementsOfAVectorAreInRegisters) {
  EXPECT_EQ(readFrom(kir::blockOf({load()})), vector_);
}

TEST_F(ReuseLoadsTest, NotWhereTheLoopLoadsAnotherVectorThere) {
  kir::Block body = kir::blockOf({load()});
  body.push_back({copy(other_, fusion_.zero(), vector_, fusion_.zero(), 4)});
  EXPECT_EQ(readFrom(std::move(body)), memory_);
}

TEST_F(ReuseLoadsTest, NorWhereItWritesWhatWasLoaded) {
  kir::Block body = kir::blockOf({load()});
  body.push_back({kir::Assign{{memory_, index_}, kir::Access{element_, fusion_.zero()}}});
  EXPECT_EQ(readFrom(std::move(body)), memory_);
}

TEST_F(ReuseLoadsTest, NorBeyondTheVector) {
  EXPECT_EQ(readFrom(kir::blockOf(
                {copy(memory_, scalar::add(index_, constant(1)), element_, fusion_.zero(), 1)})),
            memory_);
}

}  // namespace
}  // namespace nvfuser
