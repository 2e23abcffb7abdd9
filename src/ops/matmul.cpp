#include "ops/matmul.h"

#include <algorithm>

#include "core/error.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

void checkSameSize(const char* opName, const IterDomain* a, const IterDomain* b,
                   const TensorView* x, const TensorView* y) {
  const Val* m = a->visibleExtent();
  const Val* n = b->visibleExtent();
  NVF_CHECK(!m->isConstInt() || !n->isConstInt() || m->constInt() == n->constInt(), opName,
            ": Expected sizes to match, but got ", m->toString(), " and ", n->toString(), " of ",
            x->toString(), " and ", y->toString());
}

// Of two dimensions that broadcast against each other.
IterDomain* broadcastDimension(const IterDomain* a, const IterDomain* b, const TensorView* x,
                               const TensorView* y) {
  if (a == nullptr || b == nullptr) {
    return ownDimension(a == nullptr ? b : a);
  }
  if (a->visibleExtent()->isConstInt(1)) {
    return ownDimension(b);
  }
  if (b->visibleExtent()->isConstInt(1)) {
    return ownDimension(a);
  }
  checkSameSize("matmul", a, b, x, y);
  // A constant says more.
  return ownDimension(b->visibleExtent()->isConstInt() ? b : a);
}

}  // namespace

TensorView* matmul(TensorView* a, TensorView* b) {
  Fusion* fusion = fusionOf("matmul", {a, b});
  NVF_CHECK(a->ndim() > 0 && b->ndim() > 0, "matmul: Expected inputs to be atleast 1D, but got ",
            a->toString(), " and ", b->toString());
  NVF_CHECK(a->dtype() == b->dtype(),
            "matmul: Expected A and B dtypes to have the same dtype, got ", a->dtype(), " and ",
            b->dtype(), ": ", a->toString(), " and ", b->toString());
  std::vector<IterDomain*> left = a->visible();
  std::vector<IterDomain*> right = b->visible();
  const bool isRow = left.size() == 1;
  const bool isColumn = right.size() == 1;
  checkSameSize("matmul", left.back(), isColumn ? right[0] : right[right.size() - 2], a, b);
  // Without the last two dimensions, the batch is left.
  const size_t leftBatch = left.size() - (isRow ? 1 : 2);
  const size_t rightBatch = right.size() - (isColumn ? 1 : 2);
  const size_t batch = std::max(leftBatch, rightBatch);
  std::vector<IterDomain*> logical;
  for (size_t i = 0; i < batch; ++i) {
    const size_t fromEnd = batch - i;
    logical.push_back(
        broadcastDimension(fromEnd > leftBatch ? nullptr : left[leftBatch - fromEnd],
                           fromEnd > rightBatch ? nullptr : right[rightBatch - fromEnd], a, b));
  }
  if (!isRow) {
    logical.push_back(ownDimension(left[leftBatch]));
  }
  if (!isColumn) {
    logical.push_back(ownDimension(right.back()));
  }
  TensorView* out = newTensor(fusion, std::move(logical), a->dtype());
  fusion->create<LibraryOp>(LibraryOpType::Matmul, std::vector<Val*>{out},
                            std::vector<LibraryOp::Argument>{a, b});
  return out;
}

TensorView* linear(TensorView* input, TensorView* weight, TensorView* bias) {
  Fusion* fusion = fusionOf("linear", {input, weight, bias});
  NVF_CHECK(input->ndim() > 0, "linear: Expected inputs to be atleast 1D, but got ",
            input->toString());
  NVF_CHECK(weight->ndim() >= 2, "linear: Input B must be at least 2D, but got ",
            weight->toString());
  NVF_CHECK(weight->ndim() == 2,
            "linear: leading dimensions of the weight are those of devices, "
            "which are not supported yet: ",
            weight->toString());
  NVF_CHECK(input->dtype() == weight->dtype(),
            "linear: Expected input and weight dtypes to have the same dtype, got ", input->dtype(),
            " and ", weight->dtype());
  std::vector<IterDomain*> logical = ownDimensions(input->visible());
  const IterDomain* outFeatures = weight->visible()[0];
  checkSameSize("linear", input->visible().back(), weight->visible()[1], input, weight);
  if (bias != nullptr) {
    NVF_CHECK(bias->ndim() >= 1, "linear: Input bias must be at least 1D, but got ",
              bias->toString());
    NVF_CHECK(bias->ndim() == 1,
              "linear: Expected the bias to have the shape [out_features], but "
              "got ",
              bias->toString());
    NVF_CHECK(bias->dtype() == input->dtype(),
              "linear: Expected input and bias to have the same dtype, got ", input->dtype(),
              " and ", bias->dtype());
  }
  logical.back() = ownDimension(outFeatures);
  TensorView* out = newTensor(fusion, std::move(logical), input->dtype());
  fusion->create<LibraryOp>(LibraryOpType::Linear, std::vector<Val*>{out},
                            std::vector<LibraryOp::Argument>{input, weight, bias});
  return out;
}

}  // namespace nvfuser::ops
