#include "ops/scan.h"

#include "core/error.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

Val* scanIdentity(Fusion* fusion, BinaryOpType type, DataType dtype) {
  switch (type) {
    case BinaryOpType::Add:
      return zeroOf(fusion, dtype);
    case BinaryOpType::Mul:
      return oneOf(fusion, dtype);
    case BinaryOpType::Minimum:
      return highestOf(fusion, dtype);
    case BinaryOpType::Maximum:
      return lowestOf(fusion, dtype);
    default:
      fail("Not a scan: ", info(type).name);
  }
}

TensorView* scan(BinaryOpType type, TensorView* x, int64_t dim, Val* init) {
  const char* name = scanName(type);
  Fusion* fusion = fusionOf(name, {x, init});
  dim = wrapDim(dim, x->ndim(), name, x);
  const bool isExtremum = type == BinaryOpType::Minimum || type == BinaryOpType::Maximum;
  NVF_CHECK(!isExtremum || !isComplexType(x->dtype()), name,
            ": complex numbers have no order, but ", x->toString(), " has dtype ", x->dtype());
  NVF_CHECK(init == nullptr || (init->isScalar() && kindOf(init->dtype()) <= kindOf(x->dtype())),
            name, ": init must be a scalar that dtype ", x->dtype(), " can hold, but is ",
            init == nullptr ? std::string() : init->toString());
  const IterDomain* id = x->visible()[static_cast<size_t>(dim)];
  if (id->isBroadcast() && !id->hasExpandedExtent()) {
    // The loop over one element is that of whatever it is broadcast to: there is nothing to scan.
    return init == nullptr ? set(x) : convert(binary(type, x, init)->asTensor(), x->dtype());
  }
  std::vector<IterDomain*> logical = cloneVisible(x);
  // The elements of an expanded dimension, or one that may turn out to be expanded, differ in the
  // result.
  logical[static_cast<size_t>(dim)] = newDimension(fusion, id->visibleExtent());
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<ScanOp>(type, out, x, dim,
                         init == nullptr ? std::vector<Val*>{} : std::vector<Val*>{init});
  return out;
}

}  // namespace nvfuser::ops
