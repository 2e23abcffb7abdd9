#include "ops/indexing.h"

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/library_builder.h"
#include "ops/promotion.h"
#include "ops/reduction.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

TensorView* select(TensorView* x, Val* index, int64_t dim) {
  Fusion* fusion = fusionOf("select", {x, index});
  dim = wrapDim(dim, x->ndim(), "select", x);
  NVF_CHECK(index->isScalar() && isIntegralType(index->dtype()),
            "select: the index must be an integer scalar, but got ", index->toString());
  std::vector<IterDomain*> logical = cloneVisible(x);
  logical.erase(logical.begin() + dim);
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<SelectOp>(out, x, index, dim);
  return out;
}

void expandSelect(SelectOp* select) {
  Fusion* fusion = select->fusion();
  const FusionGuard guard(fusion);
  TensorView* in = select->in();
  TensorView* out = select->out();
  const auto dim = static_cast<size_t>(select->dim());
  Val* extent = in->visible()[dim]->visibleExtent();
  std::vector<int64_t> isSqueezed(in->visible().size(), 0);
  isSqueezed[dim] = 1;
  if (in->visible()[dim]->isBroadcast() && extent->isConstInt(1)) {
    // There is nothing to cut.
    fusion->removeExpr(select);
    fusion->create<SqueezeOp>(out, in, std::move(isSqueezed));
    return;
  }
  Val* start = wrapIndex(select->index(), extent);
  Val* end = scalar::add(start, fusion->one());
  std::vector<IterDomain*> root = cloneVisible(in);
  std::vector<IterDomain*> logical = root;
  logical[dim] = newDimension(fusion, fusion->one(), true);
  fusion->create<Resize>(logical[dim], root[dim], scalar::sub(fusion->zero(), start),
                         scalar::sub(end, extent));
  std::vector<Val*> startsAndEnds(root.size(), fusion->zero());
  startsAndEnds[dim] = start;
  for (const IterDomain* id : root) {
    startsAndEnds.push_back(id->visibleExtent());
  }
  startsAndEnds[root.size() + dim] = end;
  TensorView* row = newTensor(fusion, std::move(logical), in->dtype(), root);
  fusion->removeExpr(select);
  fusion->create<SliceOp>(row, in, std::move(startsAndEnds));
  fusion->create<SqueezeOp>(out, row, std::move(isSqueezed));
}

namespace {

void checkIndex(const char* opName, const TensorView* index) {
  NVF_CHECK(index->dtype() == DataType::Int || index->dtype() == DataType::Int32 ||
                index->dtype() == DataType::Index,
            opName, ": the index must be of dtype Int or Int32, but ", index->toString(),
            " has dtype ", index->dtype());
}

// What is looked up and the index are told apart by which tensor they are.
TensorView* distinctFrom(TensorView* x, TensorView* index) {
  return index == x ? set(index) : index;
}

int64_t checkAligned(const char* opName, const TensorView* x, const TensorView* index,
                     int64_t dim) {
  const int64_t rank = x->ndim();
  NVF_CHECK(index->ndim() == rank, opName, ": Tensor arguments have dimension ", rank, " and ",
            index->ndim(), ", but must have the same: ", x->toString(), " and ", index->toString());
  const int64_t wrapped = dim < 0 ? dim + rank : dim;
  NVF_CHECK(wrapped >= 0 && wrapped < rank, opName, ": Tensor arguments have dimension ", rank,
            ", but got the dimension ", dim, " for ", x->toString());
  return wrapped;
}

}  // namespace

TensorView* indexSelect(TensorView* x, TensorView* index, int64_t dim) {
  Fusion* fusion = fusionOf("index_select", {x, index});
  checkIndex("index_select", index);
  dim = wrapDim(dim, x->ndim(), "index_select", x);
  NVF_CHECK(index->ndim() <= 1, "index_select: the index must have 0 or 1 dimensions, but got ",
            index->toString());
  index = distinctFrom(x, index);
  std::vector<IterDomain*> logical = cloneVisible(x);
  logical[static_cast<size_t>(dim)] =
      index->isZeroDim() ? newBroadcast(fusion) : cloneVisible(index)[0];
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<LookupOp>(LookupType::IndexSelect, out, x, index, dim);
  return out;
}

TensorView* gather(TensorView* x, TensorView* index, int64_t dim) {
  Fusion* fusion = fusionOf("gather", {x, index});
  checkIndex("gather", index);
  dim = checkAligned("gather", x, index, dim);
  const std::vector<IterDomain*> whole = x->visible();
  const std::vector<IterDomain*> part = index->visible();
  for (size_t i = 0; i < whole.size(); ++i) {
    const Val* size = part[i]->visibleExtent();
    const Val* limit = whole[i]->visibleExtent();
    NVF_CHECK(static_cast<int64_t>(i) == dim || !size->isConstInt() || !limit->isConstInt() ||
                  size->constInt() <= limit->constInt(),
              "gather: Expected sizes to match: dimension ", i, " of the index ", index->toString(),
              " must not be larger than that of ", x->toString());
  }
  index = distinctFrom(x, index);
  std::vector<IterDomain*> logical = cloneVisible(index);
  for (size_t i = 0; i < logical.size(); ++i) {
    // Where the index is repeated around the looked up dimension, what is looked up is not.
    if (static_cast<int64_t>(i) != dim && logical[i]->hasExpandedExtent() &&
        !whole[i]->isBroadcast()) {
      logical[i] = newDimension(fusion, logical[i]->expandedExtent());
    }
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<LookupOp>(LookupType::Gather, out, x, index, dim);
  return out;
}

TensorView* takeAlongAxis(TensorView* x, TensorView* index, int64_t dim) {
  Fusion* fusion = fusionOf("take_along_axis", {x, index});
  // Clients of the peer replace labels by where() with a constant of dtype Float.
  if (isFloatingPointType(index->dtype())) {
    index = cast(index, DataType::Int)->asTensor();
  }
  checkIndex("take_along_axis", index);
  dim = checkAligned("take_along_axis", x, index, dim);
  index = distinctFrom(x, index);
  TensorView* const operands[] = {index, x};
  TensorView* out = newTensor(
      fusion, elementwiseDomain(fusion, operands, "take_along_axis", true, dim), x->dtype());
  fusion->create<LookupOp>(LookupType::TakeAlongAxis, out, x, index, dim);
  return out;
}

namespace {

// What CUDA has such an instruction for.
bool isAddedAtomically(DataType dtype) {
  return dtype == DataType::Half || dtype == DataType::BFloat16 || dtype == DataType::Float ||
         dtype == DataType::Double || dtype == DataType::Int32 || dtype == DataType::Int;
}

}  // namespace

TensorView* scatter(TensorView* x, TensorView* index, Val* src, int64_t dim, bool accumulates) {
  Fusion* fusion = fusionOf("scatter", {x, index, src});
  checkIndex("scatter", index);
  dim = checkAligned("scatter", x, index, dim);
  if (src->isTensor()) {
    checkAligned("scatter", x, src->asTensor(), dim);
    NVF_CHECK(src->dtype() == x->dtype(), "scatter: Expected src to have the dtype of ",
              x->toString(), ", ", x->dtype(), ", but ", src->toString(), " has ", src->dtype());
  } else {
    NVF_CHECK(kindOf(src->dtype()) <= kindOf(x->dtype()), "scatter: Expected a scalar that dtype ",
              x->dtype(), " can hold, but got ", src->toString());
  }
  if (accumulates) {
    const DataType dtype = x->dtype();
    const DataType wide = isAddedAtomically(dtype) ? dtype : computeType(dtype);
    NVF_CHECK(isAddedAtomically(wide), "scatter: Expected a dtype that threads can add to, but ",
              x->toString(), " has ", dtype);
    if (wide != dtype) {
      Val* widened = src->isTensor() ? convert(src->asTensor(), wide) : src;
      return convert(scatter(convert(x, wide), index, widened, dim, true), dtype);
    }
  }
  index = distinctFrom(x, index);
  if (src == x || src == index) {
    src = set(src->asTensor());
  }
  // What is written is a copy of its own.
  std::vector<IterDomain*> logical = ownDimensions(x->visible());
  std::vector<IterDomain*> root = logical;
  root[static_cast<size_t>(dim)] = ownDimension(index->visible()[static_cast<size_t>(dim)]);
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype(), root);
  out->domain()->setLoop(std::move(root));
  fusion->create<ScatterOp>(out, x, index, src, dim, accumulates);
  return out;
}

namespace {

// The factor that scales a row down to `maxNorm`, as torch.embedding_renorm_ computes it.
TensorView* renormFactor(TensorView* rows, Val* maxNorm, Val* normType) {
  Fusion* fusion = rows->fusion();
  const int64_t last[] = {-1};
  TensorView* magnitude = unary(UnaryOpType::Abs, rows);
  TensorView* powers = binary(BinaryOpType::Pow, magnitude, normType);
  Val* root = unary(UnaryOpType::Reciprocal, normType);
  TensorView* norm = binary(BinaryOpType::Pow, sum(powers, last, true), root);
  TensorView* shrunk = binary(BinaryOpType::Truediv, maxNorm,
                              binary(BinaryOpType::Add, norm, constantOf(fusion, 1e-7)));
  return where(binary(BinaryOpType::Gt, norm, maxNorm), shrunk, constantOf(fusion, 1.0))
      ->asTensor();
}

}  // namespace

TensorView* embedding(TensorView* input, TensorView* weight, Val* maxNorm, Val* normType) {
  Fusion* fusion = fusionOf("embedding_fwd", {input, weight, maxNorm, normType});
  checkIndex("embedding_fwd", input);
  NVF_CHECK(input->ndim() >= 1,
            "embedding_fwd: Expected input to have 1 dimension or more: ", input->toString());
  NVF_CHECK(weight->ndim() == 2, "embedding_fwd: Expected weight to be 2D, but got ",
            weight->toString());
  input = distinctFrom(weight, input);
  std::vector<IterDomain*> logical = cloneVisible(input);
  logical.push_back(cloneVisible(weight)[1]);
  TensorView* rows = newTensor(fusion, std::move(logical), weight->dtype());
  fusion->create<LookupOp>(LookupType::Embedding, rows, weight, input, int64_t{0});
  if (maxNorm == nullptr) {
    return rows;
  }
  TensorView* wide = convert(rows, computeType(rows->dtype()));
  Val* exponent = normType != nullptr ? normType : constantOf(fusion, 2.0);
  return convert(binary(BinaryOpType::Mul, wide, renormFactor(wide, maxNorm, exponent)),
                 weight->dtype());
}

}  // namespace nvfuser::ops
