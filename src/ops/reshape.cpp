// reshape: the arithmetic of its shape argument and the domains of its result.

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "ir/reshape_analysis.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

namespace {

// The product of the extents in `dividend` over that of `divisor`. Equal factors cancel first, so
// that symbols which appear on both sides leave a simple expression.
Val* quotientOfProducts(Fusion* fusion, std::vector<Val*> dividend, std::vector<Val*> divisor,
                        const TensorView* x) {
  NVF_CHECK(std::ranges::none_of(divisor, [](Val* v) { return v->isConstInt(0); }),
            "reshape: -1 can be any value for ", x->toString(),
            " because another entry of the shape is 0");
  for (Val*& factor : divisor) {
    const auto equal = std::ranges::find_if(
        dividend, [&](Val* v) { return v != nullptr && scalar::same(v, factor); });
    if (equal != dividend.end()) {
      dividend.erase(equal);
      factor = nullptr;
    }
  }
  std::erase(divisor, nullptr);
  const auto takeConstants = [](std::vector<Val*>& factors) {
    int64_t constant = 1;
    std::erase_if(factors, [&](Val* v) {
      constant *= v->isConstInt() ? v->constInt() : 1;
      return v->isConstInt();
    });
    return constant;
  };
  int64_t top = takeConstants(dividend);
  int64_t bottom = takeConstants(divisor);
  const int64_t common = std::gcd(top, bottom);
  top /= common;
  bottom /= common;
  NVF_CHECK(bottom == 1 || !dividend.empty() || !divisor.empty(),
            "Total element counts across view operation must match: the elements of ",
            x->toString(), " cannot be divided by ", bottom * common);
  Val* numerator = scalar::mul(scalar::product(fusion, dividend), scalar::constant(fusion, top));
  Val* denominator =
      scalar::mul(scalar::product(fusion, divisor), scalar::constant(fusion, bottom));
  return scalar::div(numerator, denominator);
}

// The requested shape with -1 replaced.
std::vector<Val*> resolveShape(Fusion* fusion, const TensorView* x,
                               const std::vector<Val*>& inExtents, std::span<Val* const> shape) {
  std::vector<Val*> extents;
  std::vector<Val*> given;
  int64_t inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    Val* extent = checkExtent("reshape", shape[i]);
    if (extent->isConstInt(-1)) {
      NVF_CHECK(inferred == -1, "A maximum of one value of -1 can be provided to reshape, for ",
                x->toString());
      inferred = static_cast<int64_t>(i);
    } else {
      NVF_CHECK(!extent->isConstInt() || extent->constInt() >= 0, "reshape: invalid extent ",
                extent->toString(), " at index ", i, " of the shape for ", x->toString());
      given.push_back(extent);
    }
    extents.push_back(extent);
  }
  if (inferred != -1) {
    extents[inferred] = quotientOfProducts(fusion, inExtents, given, x);
  }
  return extents;
}

bool allConstant(const std::vector<Val*>& extents) {
  return std::ranges::all_of(extents, [](Val* v) { return v->isConstInt(); });
}

std::vector<int64_t> valuesOf(const std::vector<Val*>& extents) {
  std::vector<int64_t> values;
  for (const Val* extent : extents) {
    values.push_back(extent->constInt());
  }
  return values;
}

// The input's dimensions as the reshape takes them: an expanded one is counted through like any
// other.
std::vector<IterDomain*> reshapeRoot(const TensorView* x) {
  std::vector<IterDomain*> root;
  for (const IterDomain* id : x->visible()) {
    root.push_back(id->hasExpandedExtent() ? newDimension(x->fusion(), id->expandedExtent())
                                           : id->cloneWithoutRFactor());
  }
  return root;
}

}  // namespace

TensorView* reshape(TensorView* x, std::span<Val* const> shape) {
  Fusion* fusion = fusionOf("reshape", {x});
  fusionOf("reshape", shape);
  const std::vector<Val*> inExtents = ops::shape(x);
  std::vector<Val*> extents = resolveShape(fusion, x, inExtents, shape);
  if (std::ranges::equal(inExtents, extents, scalar::same)) {
    return set(x);
  }
  if (allConstant(inExtents) && allConstant(extents)) {
    checkReshapeSizes(x, valuesOf(inExtents), valuesOf(extents));
  }
  const auto groups = reshapeGroups(inExtents, extents);
  std::vector<IterDomain*> root = reshapeRoot(x);
  std::vector<IterDomain*> logical(extents.size(), nullptr);
  if (groups.has_value()) {
    for (const ReshapeGroup& group : *groups) {
      if (group.in.size() == 1 && group.out.size() == 1) {
        // Kept as it is: the domain itself.
        IterDomain* kept = root[group.in[0]];
        if (extents[group.out[0]]->isConstInt()) {
          kept->setExtent(extents[group.out[0]]);
        }
        logical[group.out[0]] = kept;
      }
    }
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (logical[i] == nullptr) {
      logical[i] = newDimension(fusion, extents[i], true);
      if (!groups.has_value() && !logical[i]->isBroadcast()) {
        logical[i]->setIterType(IterType::Symbolic);
      }
    }
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype(), std::move(root));
  auto* node = fusion->create<ReshapeOp>(out, x, extents);
  if (groups.has_value()) {
    attachReshapeTransforms(node, *groups);
  }
  return out;
}

}  // namespace nvfuser::ops
