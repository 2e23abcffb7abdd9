#include "runtime/signature.h"

#include <algorithm>

#include "core/hash.h"

namespace nvfuser {

Signature::Signature(std::span<const PolymorphicValue> arguments,
                     const std::function<bool(size_t)>& isFixed) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const PolymorphicValue& argument = arguments[i];
    Argument& known = arguments_.emplace_back();
    known.alternative = argument.value.index();
    if (argument.is<Tensor>()) {
      add(argument.as<Tensor>(), known);
    } else if (isFixed(i)) {
      known.isFixed = true;
      values_.push_back(argument);
    }
  }
}

void Signature::add(const Tensor& tensor, Argument& known) {
  known.isTensor = true;
  known.dtype = tensor.dtype;
  known.device = tensor.device;
  known.ndim = tensor.ndim;
  geometry_.insert(geometry_.end(), tensor.sizes, tensor.sizes + tensor.ndim);
  geometry_.insert(geometry_.end(), tensor.strides, tensor.strides + tensor.ndim);
  const int64_t limit = memoryOf(tensor.device).alignmentLimit(tensor.dtype);
  known.alignment = lowestBit(reinterpret_cast<int64_t>(tensor.data) | limit);
  const bool isBest = known.alignment == limit;
  known.addressMask = static_cast<uintptr_t>(isBest ? limit - 1 : 2 * known.alignment - 1);
  known.addressBits = static_cast<uintptr_t>(isBest ? 0 : known.alignment);
}

bool Signature::matches(std::span<const PolymorphicValue> arguments) const {
  if (arguments.size() != arguments_.size()) {
    return false;
  }
  const int64_t* geometry = geometry_.data();
  const PolymorphicValue* value = values_.data();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& known = arguments_[i];
    const PolymorphicValue& argument = arguments[i];
    if (argument.value.index() != known.alternative) {
      return false;
    }
    if (known.isTensor) {
      const Tensor& tensor = argument.as<Tensor>();
      if (tensor.ndim != known.ndim || tensor.dtype != known.dtype ||
          tensor.device != known.device ||
          (reinterpret_cast<uintptr_t>(tensor.data) & known.addressMask) != known.addressBits) {
        return false;
      }
      // Nearly always all are equal: no branch for each.
      int64_t difference = 0;
      for (int32_t d = 0; d < known.ndim; ++d) {
        difference |=
            (tensor.sizes[d] ^ geometry[d]) | (tensor.strides[d] ^ geometry[known.ndim + d]);
      }
      if (difference != 0) {
        return false;
      }
      geometry += 2 * known.ndim;
    } else if (known.isFixed && !sameValue(argument, *value++)) {
      return false;
    }
  }
  return true;
}

size_t Signature::hash(std::span<const PolymorphicValue> arguments) {
  size_t seed = arguments.size();
  for (const PolymorphicValue& argument : arguments) {
    hashCombine(seed, argument.value.index());
    if (argument.is<Tensor>()) {
      const Tensor& tensor = argument.as<Tensor>();
      hashCombine(seed, static_cast<size_t>(tensor.dtype));
      for (int32_t i = 0; i < tensor.ndim; ++i) {
        hashCombine(seed, static_cast<size_t>(tensor.sizes[i]));
        hashCombine(seed, static_cast<size_t>(tensor.strides[i]));
      }
    }
  }
  return seed;
}

}  // namespace nvfuser
