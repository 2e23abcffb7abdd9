#include "ops/tensor_builder.h"

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"

namespace nvfuser::ops {

Fusion* fusionOf(const char* opName, std::span<Val* const> operands) {
  Fusion* fusion = activeFusion();
  for (const Val* operand : operands) {
    if (operand == nullptr) {
      continue;
    }
    NVF_CHECK(operand->fusion() == fusion, opName, ": ", operand->toString(),
              " belongs to another fusion than the one being defined");
    NVF_CHECK(operand->isTensor() || operand->isScalar(), opName,
              " takes tensors and scalars, not the domain ", operand->toString());
  }
  return fusion;
}

Fusion* fusionOf(const char* opName, std::initializer_list<Val*> operands) {
  return fusionOf(opName, std::span<Val* const>(operands.begin(), operands.size()));
}

TensorView* newTensor(Fusion* fusion, std::vector<IterDomain*> logical, DataType dtype,
                      std::vector<IterDomain*> root) {
  auto contiguity = TensorDomain::fullContiguity(logical, true);
  auto* domain = fusion->create<TensorDomain>(std::move(root), logical, std::vector<IterDomain*>{},
                                              logical, std::move(contiguity));
  return fusion->create<TensorView>(domain, dtype);
}

TensorView* newLike(const TensorView* tv, DataType dtype) {
  return newTensor(tv->fusion(), cloneVisible(tv), dtype);
}

std::vector<IterDomain*> cloneVisible(const TensorView* tv) {
  std::vector<IterDomain*> domains = tv->visible();
  for (IterDomain*& id : domains) {
    id = id->cloneWithoutRFactor();
  }
  return domains;
}

IterDomain* newDimension(Fusion* fusion, Val* extent, bool isRFactor) {
  IterDomain::Options options;
  options.iterType = extent->isConstInt(1) ? IterType::Broadcast : IterType::Iteration;
  options.isRFactor = isRFactor;
  return fusion->create<IterDomain>(extent, options);
}

IterDomain* newBroadcast(Fusion* fusion, Val* expanded) {
  IterDomain::Options options;
  options.iterType = IterType::Broadcast;
  options.expandedExtent = expanded;
  return fusion->create<IterDomain>(fusion->one(), options);
}

Val* constantOf(Fusion* fusion, const PolymorphicValue& value) {
  return fusion->create<Val>(scalarTypeOf(value), value);
}

Val* checkExtent(const char* opName, Val* extent) {
  NVF_CHECK(extent != nullptr && extent->isScalar() && isIntegralType(extent->dtype()), opName,
            ": a shape consists of integers, but got ",
            extent == nullptr ? std::string("nothing") : extent->toString());
  if (extent->isConstInt()) {
    return scalar::constant(extent->fusion(), extent->constInt());
  }
  if (extent->dtype() != DataType::Int32) {
    return extent;
  }
  // Extents have 64 bits; the same scalar is the same extent.
  for (const Expr* use : extent->uses()) {
    const auto* conversion = use->as<UnaryOp>();
    if (conversion != nullptr && conversion->type() == UnaryOpType::Cast &&
        use->output(0)->dtype() == DataType::Int) {
      return use->output(0);
    }
  }
  return ops::cast(extent, DataType::Int);
}

int64_t wrapDim(int64_t dim, int64_t rank, const char* opName, const TensorView* tv) {
  const int64_t wrapped = dim < 0 ? dim + rank : dim;
  NVF_CHECK(wrapped >= 0 && wrapped < rank, "Tried to access out of boundary index ", dim, ": ",
            opName, " of ", tv->toString(), ", which has ", rank, " dimensions");
  return wrapped;
}

std::vector<int64_t> wrapDims(std::span<const int64_t> dims, const char* opName,
                              const TensorView* tv) {
  std::vector<int64_t> wrapped;
  wrapped.reserve(dims.size());
  for (const int64_t dim : dims) {
    wrapped.push_back(wrapDim(dim, tv->ndim(), opName, tv));
  }
  return wrapped;
}

}  // namespace nvfuser::ops
