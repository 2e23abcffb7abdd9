#include "lower/builder.h"

#include "ops/tensor_builder.h"

namespace nvfuser::kir {

Val* Builder::fresh(DataType dtype) const {
  Val* symbol = fusion()->create<Val>(dtype);
  kernel_.ownSymbols.insert(symbol);
  return symbol;
}

TensorView* Builder::addLocal(DataType dtype, Val* size, Val* scratchOffset) const {
  // It has no dimensions: nothing but the kernel knows it, and its elements are counted there.
  TensorView* local = ops::newTensor(fusion(), {}, dtype);
  local->setMemoryType(MemoryType::Local);
  phase_.buffers.push_back({local, size, scratchOffset});
  return local;
}

Block blockOf(Statement statement) {
  Block block;
  block.push_back(std::move(statement));
  return block;
}

Loop plainLoop(Val* index, Val* start, Val* stop, Block body) {
  return {.index = index,
          .start = start,
          .stop = stop,
          .body = std::make_unique<Block>(std::move(body))};
}

If choiceOf(Val* condition, Block then) {
  return {condition, std::make_unique<Block>(std::move(then)), nullptr};
}

If choiceOf(Val* condition, Block then, Block otherwise) {
  return {condition, std::make_unique<Block>(std::move(then)),
          std::make_unique<Block>(std::move(otherwise))};
}

}  // namespace nvfuser::kir
