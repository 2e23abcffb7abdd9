// KernelArgumentHolder: the arguments of one call.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "value/polymorphic_value.h"

namespace nvfuser {

// A sequence that only grows. A call's arguments live on the stack: the heap is only touched by
// calls of more than kInlineCapacity arguments.
class KernelArgumentHolder {
 public:
  static constexpr size_t kInlineCapacity = 16;

  KernelArgumentHolder() = default;
  KernelArgumentHolder(const KernelArgumentHolder&) = delete;
  KernelArgumentHolder& operator=(const KernelArgumentHolder&) = delete;
  ~KernelArgumentHolder();

  template <typename T>
  PolymorphicValue& push(T&& value) {
    if (size_ == capacity_) [[unlikely]] {
      grow();
    }
    auto* slot = new (data_ + size_) PolymorphicValue(std::forward<T>(value));
    ++size_;
    return *slot;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const PolymorphicValue& operator[](size_t i) const { return data_[i]; }
  std::span<const PolymorphicValue> values() const { return {data_, size_}; }

 private:
  void grow();
  bool isInline() const { return capacity_ == kInlineCapacity; }

  // Raw memory: values are only made when they are pushed.
  alignas(PolymorphicValue) std::byte inline_[kInlineCapacity * sizeof(PolymorphicValue)];
  PolymorphicValue* data_ = reinterpret_cast<PolymorphicValue*>(inline_);
  size_t size_ = 0;
  size_t capacity_ = kInlineCapacity;
};

}  // namespace nvfuser
