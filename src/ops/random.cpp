#include "ops/random.h"

#include <algorithm>

#include "core/error.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

namespace {

// Whether a seed in memory is one number, for all elements of a result of the shape.
bool isOfOneElement(const Val* seed, std::span<Val* const> shape) {
  const std::vector<IterDomain*> dims = seed->asTensor()->visible();
  return (dims.empty() || dims.size() == shape.size()) &&
         std::ranges::all_of(dims, &IterDomain::isBroadcast);
}

}  // namespace

TensorView* random(RandomType type, Val* a, Val* b, std::span<Val* const> shape, Val* seed,
                   Val* offset, DataType dtype) {
  const char* name = toString(type);
  Fusion* fusion = fusionOf(name, {a, b, seed, offset});
  fusionOf(name, shape);
  NVF_CHECK(dtype == DataType::Double || dtype == DataType::Float || dtype == DataType::Half ||
                dtype == DataType::BFloat16,
            "Random distributions only create floating point types! ", name,
            " makes Double, Float, Half and BFloat16, but was asked for ", dtype);
  for (const Val* parameter : {a, b}) {
    NVF_CHECK(parameter->isScalar() && kindOf(parameter->dtype()) <= TypeKind::Floating, name,
              ": the parameters must be real scalars, but got ", parameter->toString());
  }
  NVF_CHECK((seed == nullptr) == (offset == nullptr),
            "rng_seed and rng_offset must be provided together! ", name, " was given ",
            seed == nullptr ? "no rng_seed" : "no rng_offset");
  std::vector<Val*> operands{a, b};
  std::vector<Val*> seedInMemory;
  if (seed != nullptr) {
    NVF_CHECK(isIntegralType(seed->dtype()) && (seed->isScalar() || isOfOneElement(seed, shape)),
              name,
              ": rng_seed must be an integer scalar, or an integer tensor without dimensions or "
              "with as many broadcast ones as the result has, but got ",
              seed->toString());
    NVF_CHECK(offset->isScalar() && isIntegralType(offset->dtype()), name,
              ": rng_offset must be an integer scalar, but got ", offset->toString());
    if (seed->isTensor()) {
      TensorView* tensor = seed->asTensor();
      const bool isSpread = !tensor->visible().empty() || shape.empty();
      seedInMemory.push_back(isSpread ? tensor
                                      : broadcast(tensor, std::vector<bool>(shape.size(), true)));
    } else {
      operands.push_back(seed);
    }
    operands.push_back(offset);
  }
  std::vector<IterDomain*> logical;
  for (Val* extent : shape) {
    Val* checked = checkExtent(name, extent);
    NVF_CHECK(!checked->isConstInt() || checked->constInt() >= 0, name,
              ": a size must not be negative, but is ", checked->toString());
    logical.push_back(newDimension(fusion, checked));
  }
  TensorView* out = newTensor(fusion, std::move(logical), dtype);
  fusion->create<RandomOp>(type, out, std::move(seedInMemory), std::move(operands));
  return out;
}

TensorView* randomLike(RandomType type, TensorView* x) {
  const char* name = type == RandomType::Uniform ? "rand_like" : "randn_like";
  Fusion* fusion = fusionOf(name, {x});
  NVF_CHECK(isFloatingPointType(x->dtype()),
            "Random distributions only create floating point types! ", name, " was given ",
            x->toString(), " of dtype ", x->dtype());
  std::vector<Val*> shape;
  for (const IterDomain* id : x->visible()) {
    shape.push_back(id->visibleExtent());
  }
  return random(type, constantOf(fusion, 0.0), constantOf(fusion, 1.0), shape, nullptr, nullptr,
                x->dtype());
}

}  // namespace nvfuser::ops
