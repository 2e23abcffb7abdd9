// CpuPlan: the launches of one signature on the CPU, ready to run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/kernel.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

// Where the address of a tensor comes from at run time.
struct Memory {
  enum class Kind : uint8_t { Argument, Output, Arena };
  Kind kind = Kind::Arena;
  // Number of the argument or output, or offset in the arena.
  int64_t position = 0;
};

struct PointerSlot {
  int32_t slot;
  Memory memory;
};

// A scalar argument that kernels read.
struct ScalarSlot {
  int32_t slot;
  int32_t argument;
  DataType dtype;
};

struct Launch {
  std::shared_ptr<CompiledKernel> kernel;
  std::vector<int64_t> slots;
  std::vector<PointerSlot> pointers;
  std::vector<ScalarSlot> scalars;
  std::vector<PhaseLaunch> phases;
};

// A result that is moved into an input's memory after the kernels ran.
struct Update {
  Memory source;
  int32_t argument;
  // Element by element where layouts differ.
  std::vector<int64_t> sizes;
  std::vector<int64_t> sourceStrides;
  std::vector<int64_t> targetStrides;
  int64_t elementBytes;
};

// One argument as the signature knows it.
struct ArgumentSignature {
  bool isTensor = false;
  DataType dtype = DataType::Null;
  Device device;
  int32_t ndim = 0;
  // Sizes, then strides.
  std::vector<int64_t> geometry;
  size_t alternative = 0;
  // Scalars that extents depend on.
  bool isFixed = false;
  PolymorphicValue value;

  uintptr_t alignment() const {
    return static_cast<uintptr_t>(std::max(info(realTypeOf(dtype)).bits, 8) / 8);
  }
};

// Writes a scalar into one argument slot, two for a complex one.
void writeScalar(int64_t* slot, const PolymorphicValue& value, DataType dtype);

// What a plan consists of.
struct CpuPlanParts {
  std::vector<ArgumentSignature> signature;
  std::vector<OutputSpec> outputs;
  std::vector<Launch> launches;
  std::vector<Update> updates;
  // Memory for what passes between kernels and phases.
  size_t arenaBytes = 0;
  int64_t estimatedNanoseconds = 0;
};

class ArenaPool;

class CpuPlan : public LaunchPlan {
 public:
  explicit CpuPlan(CpuPlanParts parts);
  ~CpuPlan() override;

  bool matches(std::span<const PolymorphicValue> arguments) const override;
  void run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
           void* stream) const override;

 private:
  CpuPlanParts parts_;
  std::unique_ptr<ArenaPool> arena_;
};

}  // namespace nvfuser
