// Signature: what calls have in common that one launch plan serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "device/memory.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

// The largest power of two that divides `value`, which is not 0.
constexpr int64_t lowestBit(int64_t value) { return value & -value; }

// Dtypes, devices, sizes, strides and alignment of the tensors, kinds of the scalars, and the
// values of those scalars that the plan was made for.
class Signature {
 public:
  Signature() = default;
  // `isFixed` tells whether a plan depends on the value of the scalar at a position.
  Signature(std::span<const PolymorphicValue> arguments,
            const std::function<bool(size_t)>& isFixed);

  bool matches(std::span<const PolymorphicValue> arguments) const;

  bool isFixed(size_t i) const { return arguments_[i].isFixed; }
  // What the address of tensor `i` is a multiple of, in bytes, at most the limit of its memory:
  // calls need not differ by more.
  int64_t alignment(size_t i) const { return arguments_[i].alignment; }

  // Equal for all arguments that match the same signature.
  static size_t hash(std::span<const PolymorphicValue> arguments);

 private:
  struct Argument {
    // Of PolymorphicValue.
    size_t alternative = 0;
    bool isTensor = false;
    // Scalars that the plan depends on: their value is the next one of `values_`.
    bool isFixed = false;
    // Tensors: their sizes, then their strides are the next ones of `geometry_`.
    DataType dtype = DataType::Null;
    Device device;
    int32_t ndim = 0;
    int64_t alignment = 1;
    // (address & addressMask) == addressBits: whether it is aligned like that.
    uintptr_t addressMask = 0;
    uintptr_t addressBits = 0;
  };

  void add(const Tensor& tensor, Argument& known);

  std::vector<Argument> arguments_;
  // Of all arguments, in order: what every call is compared with lies together.
  std::vector<int64_t> geometry_;
  std::vector<PolymorphicValue> values_;
};

}  // namespace nvfuser
