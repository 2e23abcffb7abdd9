#include "runtime/plan_parts.h"

#include <bit>
#include <complex>
#include <cstring>

#include "value/element.h"

namespace nvfuser {

void writeScalar(int64_t* slot, const PolymorphicValue& value, DataType dtype) {
  const PolymorphicValue cast = castScalar(value, dtype);
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      *slot = cast.as<bool>();
      break;
    case TypeKind::Integral:
      *slot = cast.as<int64_t>();
      break;
    case TypeKind::Floating:
      *slot = std::bit_cast<int64_t>(cast.as<double>());
      break;
    default: {
      const auto& z = cast.as<std::complex<double>>();
      slot[0] = std::bit_cast<int64_t>(z.real());
      slot[1] = std::bit_cast<int64_t>(z.imag());
      break;
    }
  }
}

int64_t* ArgumentBlock::fill(const Launch& launch, const RunMemory& memory) {
  int64_t* slots = inline_;
  if (launch.slots.size() > kInlineSlots) [[unlikely]] {
    heap_.resize(launch.slots.size());
    slots = heap_.data();
  }
  std::memcpy(slots, launch.slots.data(), launch.slots.size() * sizeof(int64_t));
  for (const PointerSlot& pointer : launch.pointers) {
    slots[pointer.slot] = reinterpret_cast<int64_t>(memory.address(pointer.memory));
  }
  for (const ScalarSlot& scalar : launch.scalars) {
    const PolymorphicValue& argument = memory.arguments[static_cast<size_t>(scalar.argument)];
    if (argument.is<Tensor>()) [[unlikely]] {
      writeScalar(slots + scalar.slot, readElement(argument.as<Tensor>()), scalar.dtype);
    } else {
      writeScalar(slots + scalar.slot, argument, scalar.dtype);
    }
  }
  return slots;
}

}  // namespace nvfuser
