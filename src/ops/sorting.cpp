#include "ops/sorting.h"

#include <algorithm>

#include "core/error.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

// As if a 0-dim tensor had one dimension.
int64_t wrapSortedDim(int64_t dim, const char* opName, const TensorView* x) {
  return wrapDim(dim, std::max<int64_t>(x->ndim(), 1), opName, x);
}

void checkOrdered(const char* opName, const TensorView* x) {
  NVF_CHECK(!isComplexType(x->dtype()), opName, ": complex numbers have no order: ", x->toString());
}

}  // namespace

TopK topk(TensorView* x, Val* k, int64_t dim, bool isLargest, bool isSorted) {
  Fusion* fusion = fusionOf("topk", {x, k});
  NVF_CHECK(k->isScalar() && isIntegralType(k->dtype()),
            "topk: Expected k to be an integer scalar, but got ", k->toString());
  checkOrdered("topk", x);
  dim = wrapSortedDim(dim, "topk", x);
  const auto dimensions = [&] {
    std::vector<IterDomain*> logical = ownDimensions(x->visible());
    if (!logical.empty()) {
      logical[static_cast<size_t>(dim)] = newDimension(fusion, checkExtent("topk", k));
    }
    return logical;
  };
  const TopK result{newTensor(fusion, dimensions(), x->dtype()),
                    newTensor(fusion, dimensions(), DataType::Int)};
  fusion->create<LibraryOp>(
      LibraryOpType::TopK, std::vector<Val*>{result.values, result.indices},
      std::vector<LibraryOp::Argument>{x, k, dim, int64_t{isLargest}, int64_t{isSorted}});
  return result;
}

TensorView* argsort(TensorView* x, int64_t dim, bool isDescending, bool isStable) {
  Fusion* fusion = fusionOf("argsort", {x});
  checkOrdered("argsort", x);
  dim = wrapSortedDim(dim, "argsort", x);
  TensorView* out = newTensor(fusion, ownDimensions(x->visible()), DataType::Int);
  fusion->create<LibraryOp>(
      LibraryOpType::ArgSort, std::vector<Val*>{out},
      std::vector<LibraryOp::Argument>{x, dim, int64_t{isDescending}, int64_t{isStable}});
  return out;
}

}  // namespace nvfuser::ops
