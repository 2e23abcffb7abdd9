#include "runtime/cpu_plan.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <mutex>
#include <new>

#include "core/error.h"

namespace nvfuser {

namespace {
constexpr size_t kArenaAlignment = 64;
}  // namespace

// Memory for what passes between kernels, kept from one run to the next. Concurrent runs have one
// each.
class ArenaPool {
 public:
  explicit ArenaPool(size_t bytes) : bytes_(bytes) {}
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;
  ~ArenaPool() {
    for (std::byte* arena : free_) {
      ::operator delete(arena, std::align_val_t{kArenaAlignment});
    }
  }

  class Lease {
   public:
    explicit Lease(ArenaPool& pool) : pool_(pool), arena_(pool.take()) {}
    ~Lease() { pool_.giveBack(arena_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::byte* data() const { return arena_; }

   private:
    ArenaPool& pool_;
    std::byte* arena_;
  };

 private:
  std::byte* take() {
    if (bytes_ == 0) {
      return nullptr;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::byte* arena = free_.back();
        free_.pop_back();
        return arena;
      }
    }
    return static_cast<std::byte*>(::operator new(bytes_, std::align_val_t{kArenaAlignment}));
  }

  void giveBack(std::byte* arena) {
    if (arena != nullptr) {
      const std::lock_guard lock(mutex_);
      free_.push_back(arena);
    }
  }

  size_t bytes_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

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

namespace {

void copyStrided(const std::byte* source, std::byte* target, const Update& update, size_t dim,
                 int64_t sourceOffset, int64_t targetOffset) {
  if (dim == update.sizes.size()) {
    std::memcpy(target + targetOffset * update.elementBytes,
                source + sourceOffset * update.elementBytes,
                static_cast<size_t>(update.elementBytes));
    return;
  }
  for (int64_t i = 0; i < update.sizes[dim]; ++i) {
    copyStrided(source, target, update, dim + 1, sourceOffset + i * update.sourceStrides[dim],
                targetOffset + i * update.targetStrides[dim]);
  }
}

}  // namespace

CpuPlan::CpuPlan(CpuPlanParts parts)
    : parts_(std::move(parts)), arena_(std::make_unique<ArenaPool>(parts_.arenaBytes)) {
  outputs_ = parts_.outputs;
  estimatedNanoseconds_ = parts_.estimatedNanoseconds;
}

CpuPlan::~CpuPlan() = default;

bool CpuPlan::matches(std::span<const PolymorphicValue> arguments) const {
  if (arguments.size() != parts_.signature.size()) {
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSignature& known = parts_.signature[i];
    const PolymorphicValue& argument = arguments[i];
    if (known.isTensor) {
      if (!argument.is<Tensor>()) {
        return false;
      }
      const Tensor& tensor = argument.as<Tensor>();
      const auto bytes = static_cast<size_t>(known.ndim) * sizeof(int64_t);
      if (tensor.dtype != known.dtype || tensor.ndim != known.ndim ||
          tensor.device != known.device ||
          std::memcmp(tensor.sizes, known.geometry.data(), bytes) != 0 ||
          std::memcmp(tensor.strides, known.geometry.data() + known.ndim, bytes) != 0 ||
          reinterpret_cast<uintptr_t>(tensor.data) % known.alignment() != 0) {
        return false;
      }
    } else if (argument.value.index() != known.alternative ||
               (known.isFixed && !sameValue(argument, known.value))) {
      return false;
    }
  }
  return true;
}

void CpuPlan::run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
                  void* /*stream*/) const {
  const ArenaPool::Lease arena(*arena_);
  const auto resolve = [&](const Memory& memory) -> std::byte* {
    switch (memory.kind) {
      case Memory::Kind::Argument:
        return static_cast<std::byte*>(
            arguments[static_cast<size_t>(memory.position)].as<Tensor>().data);
      case Memory::Kind::Output:
        return static_cast<std::byte*>(outputData[static_cast<size_t>(memory.position)]);
      case Memory::Kind::Arena:
        return arena.data() + memory.position;
    }
    return nullptr;
  };
  constexpr size_t kInlineSlots = 256;
  int64_t inlineSlots[kInlineSlots];
  std::vector<int64_t> heapSlots;
  for (const Launch& launch : parts_.launches) {
    int64_t* slots = inlineSlots;
    if (launch.slots.size() > kInlineSlots) {
      heapSlots.resize(launch.slots.size());
      slots = heapSlots.data();
    }
    std::memcpy(slots, launch.slots.data(), launch.slots.size() * sizeof(int64_t));
    for (const PointerSlot& pointer : launch.pointers) {
      slots[pointer.slot] = reinterpret_cast<int64_t>(resolve(pointer.memory));
    }
    for (const ScalarSlot& scalar : launch.scalars) {
      writeScalar(slots + scalar.slot, arguments[static_cast<size_t>(scalar.argument)],
                  scalar.dtype);
    }
    runPhases(launch.phases, slots);
  }
  for (const Update& update : parts_.updates) {
    copyStrided(
        resolve(update.source),
        static_cast<std::byte*>(arguments[static_cast<size_t>(update.argument)].as<Tensor>().data),
        update, 0, 0, 0);
  }
}

}  // namespace nvfuser
