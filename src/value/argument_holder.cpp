#include "value/argument_holder.h"

#include <memory>

namespace nvfuser {

KernelArgumentHolder::~KernelArgumentHolder() {
  std::destroy_n(data_, size_);
  if (!isInline()) {
    std::allocator<PolymorphicValue>().deallocate(data_, capacity_);
  }
}

void KernelArgumentHolder::grow() {
  const size_t capacity = capacity_ * 2;
  PolymorphicValue* data = std::allocator<PolymorphicValue>().allocate(capacity);
  std::uninitialized_move_n(data_, size_, data);
  std::destroy_n(data_, size_);
  if (!isInline()) {
    std::allocator<PolymorphicValue>().deallocate(data_, capacity_);
  }
  data_ = data;
  capacity_ = capacity;
}

}  // namespace nvfuser
