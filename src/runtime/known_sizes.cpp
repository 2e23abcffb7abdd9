#include "runtime/known_sizes.h"

#include "schedule/limits.h"

namespace nvfuser {

namespace {

void addWithOperands(const Val* val, std::unordered_set<const Val*>& seen) {
  std::vector<const Val*> stack{val};
  while (!stack.empty()) {
    const Val* next = stack.back();
    stack.pop_back();
    if (seen.insert(next).second && next->definition() != nullptr) {
      const std::vector<Val*>& inputs = next->definition()->inputs();
      stack.insert(stack.end(), inputs.begin(), inputs.end());
    }
  }
}

// The extents of all dimensions.
std::unordered_set<const Val*> extentsOf(const Fusion& fusion) {
  std::unordered_set<const Val*> extents;
  for (const Val* val : fusion.vals()) {
    if (val->vtype() == ValType::IterDomain) {
      const auto* id = static_cast<const IterDomain*>(val);
      extents.insert(id->visibleExtent());
      extents.insert(id->extent());
    }
  }
  return extents;
}

// The scalars that outputs depend on.
std::unordered_set<const Val*> readBy(const Fusion& fusion) {
  std::unordered_set<const Val*> read;
  const auto addAll = [&](const auto& vals) {
    for (const Val* val : vals) {
      if (val->isScalar()) {
        addWithOperands(val, read);
      }
    }
  };
  for (const Expr* expr : fusion.tensorExprs()) {
    addAll(expr->inputs());
    addAll(expr->operands());
  }
  for (const TensorView* tv : fusion.tensors()) {
    for (const auto* domains : {&tv->root(), &tv->logical()}) {
      for (const IterDomain* id : *domains) {
        addWithOperands(id->visibleExtent(), read);
        if (id->definition() != nullptr && id->definition()->is<Resize>()) {
          addAll(id->definition()->operands());
        }
      }
    }
  }
  return read;
}

// Dimensions of one element broadcast, and those of none have no loop: which they are is structure,
// and not for a constant to say.
bool isStructural(int64_t size) { return size == 0 || size == 1; }

}  // namespace

std::unordered_set<const Val*> usedInExtents(const Fusion& fusion) {
  std::unordered_set<const Val*> seen;
  for (const Val* extent : extentsOf(fusion)) {
    addWithOperands(extent, seen);
  }
  // Slices and pads use scalars as offsets, which kernels receive like extents; library calls are
  // made ready with theirs.
  for (const Expr* expr : fusion.allExprs()) {
    if (expr->is<Resize>() || expr->is<LibraryOp>()) {
      for (const Val* operand : expr->operands()) {
        addWithOperands(operand, seen);
      }
    }
  }
  return seen;
}

KnownScalars determinedBy(const Fusion& fusion, const KnownScalars& sizes) {
  KnownScalars determined;
  if (sizes.empty()) {
    return determined;
  }
  ExpressionEvaluator evaluator;
  for (const auto& [symbol, value] : sizes) {
    evaluator.bind(symbol, value);
  }
  const std::unordered_set<const Val*> extents = extentsOf(fusion);
  const std::unordered_set<const Val*> read = readBy(fusion);
  for (const Val* val : fusion.vals()) {
    // What nothing reads may have no value, as quotients by zero have none.
    if (!val->isScalar() || val->isConst() || !read.contains(val)) {
      continue;
    }
    const PolymorphicValue value = evaluator.evaluate(val);
    const bool isKnown = !value.isNull() && !(extents.contains(val) && value.is<int64_t>() &&
                                              isStructural(value.as<int64_t>()));
    if (isKnown) {
      determined.emplace_back(val, value);
    }
  }
  return determined;
}

KnownSizes::KnownSizes(const Fusion& fusion) {
  std::unordered_set<const Val*> seen;
  const auto add = [&](const Val* symbol) {
    if (!symbol->isConst() && symbol->definition() == nullptr && seen.insert(symbol).second) {
      sizes_.push_back({symbol, std::nullopt});
    }
  };
  std::optional<std::unordered_set<const Val*>> used;
  for (const Val* input : fusion.inputs()) {
    if (input->isTensor()) {
      for (const IterDomain* id : input->asTensor()->visible()) {
        add(id->visibleExtent());
      }
    } else if (isIntegralType(input->dtype())) {
      if (!used) {
        used = usedInExtents(fusion);
      }
      if (used->contains(input)) {
        add(input);
      }
    }
  }
}

KnownScalars KnownSizes::ofCall(ExpressionEvaluator& evaluator) {
  KnownScalars known;
  std::unordered_set<int64_t> different;
  for (Size& size : sizes_) {
    if (size.isOpen) {
      continue;
    }
    const auto value = evaluator.evaluate(size.symbol).as<int64_t>();
    if (isStructural(value)) {
      continue;
    }
    size.isOpen = size.value.value_or(value) != value;
    size.value = value;
    if (!size.isOpen) {
      known.emplace_back(size.symbol, value);
      different.insert(value);
    }
  }
  return different.size() <= limits::kKnownSizes ? known : KnownScalars();
}

}  // namespace nvfuser
