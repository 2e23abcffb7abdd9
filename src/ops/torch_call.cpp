#include "ops/torch_call.h"

#include <algorithm>

#include "core/error.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

TensorView* makeResult(Fusion* fusion, const TorchResult& result) {
  NVF_CHECK(result.dtype != DataType::Null && result.dtype != DataType::Index,
            "torch_call: a result cannot have the dtype ", result.dtype);
  std::vector<IterDomain*> logical;
  for (Val* extent : result.shape) {
    logical.push_back(newDimension(fusion, checkExtent("torch_call", extent)));
  }
  TensorView* out = newTensor(fusion, logical, result.dtype);
  if (!result.strideOrder.empty()) {
    std::vector<IterDomain*> allocation;
    for (const int64_t dim : dimsInMemoryOrder(result.strideOrder, logical.size())) {
      allocation.push_back(logical[static_cast<size_t>(dim)]);
    }
    if (allocation != logical) {
      auto contiguity = TensorDomain::fullContiguity(allocation, true);
      out->domain()->setAllocation(std::move(allocation), std::move(contiguity));
    }
  }
  return out;
}

}  // namespace

std::vector<TensorView*> torchCall(std::string target, std::string arguments,
                                   const std::vector<TensorView*>& tensors,
                                   const std::vector<Val*>& scalars,
                                   const std::vector<std::optional<TorchResult>>& results) {
  std::vector<Val*> operands(tensors.begin(), tensors.end());
  operands.insert(operands.end(), scalars.begin(), scalars.end());
  Fusion* fusion = fusionOf("torch_call", operands);
  for (const Val* scalar : scalars) {
    NVF_CHECK(scalar->isScalar(), "torch_call: Expected scalars, but got ", scalar->toString());
  }
  TorchCall call{std::move(target),
                 std::move(arguments),
                 static_cast<int64_t>(tensors.size()),
                 static_cast<int64_t>(scalars.size()),
                 {}};
  std::vector<TensorView*> made;
  std::vector<Val*> outputs;
  for (const std::optional<TorchResult>& result : results) {
    call.results.push_back(result.has_value());
    made.push_back(result.has_value() ? makeResult(fusion, *result) : nullptr);
    if (made.back() != nullptr) {
      outputs.push_back(made.back());
    }
  }
  NVF_CHECK(!outputs.empty(), "torch_call: Expected a result of ", call.target, " that is wanted");
  fusion->create<LibraryOp>(call, std::move(outputs),
                            std::vector<Val*>(tensors.begin(), tensors.end()), scalars);
  return made;
}

}  // namespace nvfuser::ops
