// InlineVector: a sequence of plain values whose first N elements need no heap memory.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace nvfuser {

template <typename T, size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  InlineVector() = default;
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;

  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] {
      grow();
    }
    data_[size_++] = value;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  [[gnu::cold, gnu::noinline]] void grow() {
    std::unique_ptr<T[]> larger(new T[capacity_ * 2]);
    for (size_t i = 0; i < size_; ++i) {
      larger[i] = data_[i];
    }
    heap_ = std::move(larger);
    data_ = heap_.get();
    capacity_ *= 2;
  }

  T inline_[N];
  T* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
};

}  // namespace nvfuser
