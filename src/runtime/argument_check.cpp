#include "runtime/argument_check.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/error.h"
#include "device/memory.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"

namespace nvfuser {

namespace {

bool isPackedPair(const TensorView* declared, const Tensor& tensor) {
  return declared->dtype() == DataType::Float4_e2m1fn && tensor.dtype == DataType::Float4_e2m1fn_x2;
}

bool dtypesAgree(const TensorView* declared, const Tensor& tensor) {
  return declared->dtype() == tensor.dtype || isPackedPair(declared, tensor) ||
         (declared->dtype() == DataType::Index && tensor.dtype == DataType::Int);
}

std::string expected(size_t position, const Val* input) {
  return concatenate("Expected input ", position, ", ", input->toString(), ", ");
}

// Whether a dimension of an operand of `expr` broadcasts to `out` in runs in which it is 1.
bool mayBroadcast(const Expr* expr, const IterDomain* in, const IterDomain* out) {
  if (expr->is<ExpandOp>()) {
    return in->isBroadcast() && out->isBroadcast();
  }
  const auto* lookup = expr->as<LookupOp>();
  const bool isAligned = lookup != nullptr && lookup->type() == LookupType::TakeAlongAxis;
  return (expr->is<BinaryOp>() || expr->is<TernaryOp>() || isAligned) &&
         in->visibleExtent() != out->visibleExtent() &&
         (scalar::isComputed(in->visibleExtent()) ||
          (in->iterType() == IterType::Symbolic && in->visibleExtent()->isConstInt(1)));
}

bool isPlainBroadcast(const IterDomain* id) {
  return id->isBroadcast() && !id->hasExpandedExtent();
}

}  // namespace

TensorGeometry geometryOf(const TensorView* declared, const Tensor& tensor) {
  TensorGeometry geometry{{tensor.sizes, tensor.sizes + tensor.ndim},
                          {tensor.strides, tensor.strides + tensor.ndim}};
  if (!isPackedPair(declared, tensor)) {
    return geometry;
  }
  // The packed dimension is the declared fastest one; every other stride counts bytes of two.
  const auto logical = declared->visible();
  const auto allocation = TensorDomain::noReductions(declared->domain()->maybeAllocation());
  NVF_CHECK(!allocation.empty(),
            "A 0-dimensional tensor cannot hold packed fp4 values: ", declared->toString());
  const auto packed =
      static_cast<size_t>(std::ranges::find(logical, allocation.back()) - logical.begin());
  NVF_CHECK(geometry.strides[packed] == 1 || geometry.sizes[packed] <= 1, "Expected dimension ",
            packed, " of the packed fp4 tensor for ", declared->toString(),
            " to have stride 1 but got stride ", geometry.strides[packed]);
  for (size_t i = 0; i < geometry.sizes.size(); ++i) {
    if (i == packed) {
      geometry.sizes[i] *= 2;
      geometry.strides[i] = 1;
    } else {
      geometry.strides[i] *= 2;
    }
  }
  return geometry;
}

Layout layoutOf(const TensorView* declared, const TensorGeometry& geometry) {
  const auto logical = declared->visible();
  const size_t rank = logical.size();
  Layout layout;
  layout.order.resize(rank);
  std::iota(layout.order.begin(), layout.order.end(), int64_t{0});
  const bool isEmpty = std::ranges::find(geometry.sizes, 0) != geometry.sizes.end();
  // A dimension of size 1 (or of stride 0) has no place of its own: it stays beside its right
  // neighbour.
  std::vector<int64_t> key(rank, 1);
  int64_t right = 1;
  for (size_t i = rank; i-- > 0;) {
    if (geometry.sizes[i] > 1 && !logical[i]->isBroadcast()) {
      right = std::abs(geometry.strides[i]);
    }
    key[i] = right;
  }
  if (!isEmpty) {
    std::ranges::stable_sort(layout.order, [&](int64_t a, int64_t b) {
      return key[static_cast<size_t>(a)] > key[static_cast<size_t>(b)];
    });
  }
  layout.contiguity.assign(rank, true);
  int64_t next = 1;
  for (size_t place = rank; place-- > 0;) {
    const auto i = static_cast<size_t>(layout.order[place]);
    if (logical[i]->isBroadcast()) {
      continue;
    }
    const bool contiguous = isEmpty || geometry.sizes[i] == 1 || geometry.strides[i] == next;
    layout.contiguity[place] = contiguous;
    next = (contiguous ? next : geometry.strides[i]) * geometry.sizes[i];
  }
  return layout;
}

std::vector<ExtentEquality> extentEqualities(const Fusion& fusion) {
  std::vector<ExtentEquality> equalities;
  for (Expr* expr : fusion.tensorExprs()) {
    if (const auto* call = expr->as<LibraryOp>()) {
      for (const auto& [a, b] : sizePairs(*call)) {
        if (a->visibleExtent() != b->visibleExtent()) {
          equalities.push_back({a, b, expr});
        }
      }
      continue;
    }
    for (Val* out : expr->outputs()) {
      for (Val* in : expr->inputs()) {
        if (!in->isTensor()) {
          continue;
        }
        for (const auto& [p, c] : pairwiseMap(expr, in->asTensor(), out->asTensor())) {
          if (expr->is<ExpandOp>() && c->iterType() == IterType::Symbolic) {
            continue;  // decided at concretization
          }
          const Val* a = p->isBroadcast() ? p->expandedExtent() : p->extent();
          const Val* b = c->isBroadcast() ? c->expandedExtent() : c->extent();
          if (expr->is<ExpandOp>() && b == nullptr) {
            b = c->visibleExtent();  // an expanded dimension that must be 1
          }
          if (a != nullptr && b != nullptr && a != b) {
            equalities.push_back({p, c, expr, mayBroadcast(expr, p, c)});
          }
        }
      }
    }
  }
  return equalities;
}

std::vector<RunTimeBroadcast> runTimeBroadcasts(const Fusion& fusion,
                                                ExpressionEvaluator& evaluator) {
  std::vector<RunTimeBroadcast> broadcasts;
  const auto sizeOf = [&](const IterDomain* id) {
    return evaluator.evaluate(id->visibleExtent()).as<int64_t>();
  };
  for (Expr* expr : fusion.tensorExprs()) {
    if (expr->is<ExpandOp>()) {
      continue;
    }
    std::unordered_set<const Val*> seen;
    for (Val* in : expr->inputs()) {
      if (!in->isTensor() || !seen.insert(in).second) {
        continue;
      }
      std::vector<size_t> dims;
      const std::vector<IterDomain*>& results = expr->output(0)->asTensor()->logical();
      for (const auto& [from, to] :
           pairwiseMap(expr, in->asTensor(), expr->output(0)->asTensor())) {
        if (mayBroadcast(expr, from, to) && sizeOf(from) == 1 && sizeOf(to) != 1) {
          dims.push_back(static_cast<size_t>(std::ranges::find(results, to) - results.begin()));
        }
      }
      if (!dims.empty()) {
        broadcasts.push_back({expr, in->asTensor(), std::move(dims)});
      }
    }
  }
  return broadcasts;
}

namespace {

void bindExtent(const Val* extent, int64_t size, size_t position, size_t dimension,
                const Val* input, ExpressionEvaluator& evaluator) {
  const PolymorphicValue known = evaluator.evaluate(extent);
  if (known.isNull()) {
    evaluator.bind(extent, size);
    return;
  }
  NVF_CHECK(known.as<int64_t>() == size, expected(position, input), "to have size ",
            known.as<int64_t>(), " in dimension ", dimension, " but got size ", size,
            ": a conflict was found with 2 different sizes");
}

// Strides that a kernel for the declared contiguity would read must be the tensor's.
void checkDeclaredContiguity(const TensorView* tv, const TensorGeometry& geometry,
                             size_t position) {
  const auto logical = tv->visible();
  const auto& allocation = tv->domain()->maybeAllocation();
  const auto& contiguity = tv->domain()->contiguity();
  int64_t next = 1;
  for (size_t place = allocation.size(); place-- > 0;) {
    const auto i =
        static_cast<size_t>(std::ranges::find(logical, allocation[place]) - logical.begin());
    if (allocation[place]->isBroadcast()) {
      continue;
    }
    const bool fits = geometry.sizes[i] == 1 || geometry.strides[i] == next;
    NVF_CHECK(fits || !contiguity[place].value_or(false), expected(position, tv),
              "to be contiguous in dimension ", i, ": expected stride ", next, " but got stride ",
              geometry.strides[i]);
    next = (geometry.sizes[i] == 1 ? next : geometry.strides[i]) * geometry.sizes[i];
  }
}

void bindTensor(const TensorView* tv, const PolymorphicValue& argument, size_t position,
                ExpressionEvaluator& evaluator) {
  NVF_CHECK(argument.is<Tensor>(), expected(position, tv), "to be an at::Tensor but got scalar ",
            toString(argument));
  const Tensor& tensor = argument.as<Tensor>();
  const auto logical = tv->visible();
  NVF_CHECK(tensor.ndim == static_cast<int32_t>(logical.size()), expected(position, tv),
            "to be bound to a tensor of rank ", logical.size(), ", but got a tensor of rank ",
            tensor.ndim);
  NVF_CHECK(dtypesAgree(tv, tensor), expected(position, tv), "to be bound to a tensor of dtype ",
            tv->dtype(), ", but got a tensor of dtype ", tensor.dtype);
  const int64_t alignment = memoryOf(tensor.device).elementAlignment(tensor.dtype);
  NVF_CHECK(reinterpret_cast<uintptr_t>(tensor.data) % static_cast<uintptr_t>(alignment) == 0,
            expected(position, tv), "to have data aligned to ", alignment,
            " bytes, the size of what is loaded at once, but got misaligned data");
  const TensorGeometry geometry = geometryOf(tv, tensor);
  // What has no elements has strides that nobody reads.
  const bool isEmpty = std::ranges::find(geometry.sizes, 0) != geometry.sizes.end();
  for (size_t d = 0; d < logical.size(); ++d) {
    const IterDomain* id = logical[d];
    if (isPlainBroadcast(id)) {
      NVF_CHECK(geometry.sizes[d] == 1, expected(position, tv), "to have size 1 in dimension ", d,
                ", which was declared as broadcast, but got size ", geometry.sizes[d]);
      continue;
    }
    if (id->isBroadcast()) {
      NVF_CHECK(isEmpty || geometry.sizes[d] == 1 || geometry.strides[d] == 0,
                expected(position, tv), "to have stride 0 in dimension ", d,
                ", which was declared as an expanded broadcast, but got stride ",
                geometry.strides[d]);
      if (geometry.sizes[d] != 1 || !id->expandedExtent()->isConst()) {
        bindExtent(id->expandedExtent(), geometry.sizes[d], position, d, tv, evaluator);
      }
      continue;
    }
    bindExtent(id->extent(), geometry.sizes[d], position, d, tv, evaluator);
  }
  if (!isEmpty) {
    checkDeclaredContiguity(tv, geometry, position);
  }
}

void bindScalar(const Val* input, const PolymorphicValue& argument, size_t position,
                ExpressionEvaluator& evaluator) {
  if (argument.is<Tensor>()) {
    const Tensor& tensor = argument.as<Tensor>();
    fail(expected(position, input), "to be a scalar but got ", tensor.dtype, " tensor of rank ",
         tensor.ndim);
  }
  // A value may be of a lower kind than the input (an int for a float), not of a higher one.
  const bool fits = kindOf(scalarTypeOf(argument)) <= kindOf(input->dtype()) &&
                    isInRange(argument, input->dtype());
  NVF_CHECK(fits, expected(position, input), "to be a scalar of dtype ", input->dtype(),
            ". Scalar value ", toString(argument),
            " is not compatible with the expected data type: ", input->dtype(), ".");
  evaluator.bind(input, castScalar(argument, input->dtype()));
}

}  // namespace

void bindArguments(const Fusion& fusion, std::span<const PolymorphicValue> arguments,
                   const std::vector<ExtentEquality>& equalities, ExpressionEvaluator& evaluator) {
  const auto& inputs = fusion.inputs();
  NVF_CHECK(arguments.size() == inputs.size(), "Expected ", inputs.size(),
            " inputs, as the fusion has, but got ", arguments.size());
  // Scalars first: extents may depend on them.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->isTensor()) {
      bindScalar(inputs[i], arguments[i], i, evaluator);
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->isTensor()) {
      bindTensor(inputs[i]->asTensor(), arguments[i], i, evaluator);
    }
  }
  for (const ExtentEquality& equality : equalities) {
    const PolymorphicValue a = evaluator.evaluate(equality.a->visibleExtent());
    const PolymorphicValue b = evaluator.evaluate(equality.b->visibleExtent());
    if (a.isNull() || b.isNull() || a.as<int64_t>() == b.as<int64_t>() ||
        (equality.broadcasts && a.as<int64_t>() == 1)) {
      continue;
    }
    fail("When trying to propagate the sizes of ", equality.expr->toString(),
         "a conflict was found with 2 different sizes: ", a.as<int64_t>(), " of ",
         equality.a->toString(), " and ", b.as<int64_t>(), " of ", equality.b->toString());
  }
}

}  // namespace nvfuser
