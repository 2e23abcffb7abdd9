// What every device's launch plan consists of: launches with their arguments, and the memory they
// use.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel.h"
#include "runtime/launch_plan.h"
#include "runtime/library_call.h"
#include "runtime/memory.h"
#include "runtime/signature.h"

namespace nvfuser {

struct PointerSlot {
  int32_t slot;
  Memory memory;
};

// An argument that kernels are given by value: a scalar, or the element of a tensor in host memory.
struct ScalarSlot {
  int32_t slot;
  int32_t argument;
  DataType dtype;
};

// A phase with the sizes of the run.
struct PhaseLaunch {
  // Number of the phase in its kernel.
  size_t phase = 0;
  // CPU: iterations of the loop that is divided among workers.
  int64_t extent = 1;
  // CUDA: blocks along x, y and z, then threads of a block.
  std::array<int64_t, 6> threads{1, 1, 1, 1, 1, 1};
  int64_t scratchBytes = 0;
};

// A kernel of a group.
struct LaunchMember {
  std::shared_ptr<const CompiledKernel> kernel;
  // Its first slot.
  size_t slot = 0;
};

struct Launch {
  std::shared_ptr<CompiledKernel> kernel;
  // If that is a group: its kernels, each as often as it is there.
  std::vector<LaunchMember> members;
  // Numbers of the segments that it runs: one, or one for each member.
  std::vector<size_t> segments;
  // The argument block: what is the same in every run, with gaps for the rest.
  std::vector<int64_t> slots;
  std::vector<PointerSlot> pointers;
  std::vector<ScalarSlot> scalars;
  std::vector<PhaseLaunch> phases;
  // Elements of the largest tensor in global memory.
  int64_t largestTensor = 1;
  // Where the kernel is given the address for its misses; negative when it looks up nothing.
  int32_t missesSlot = -1;
  // What is said about a miss of each lookup.
  std::vector<std::string> lookups;
  Traffic traffic;
};

struct PlanParts {
  Device device;
  Signature signature;
  std::vector<OutputSpec> outputs;
  int64_t outputAlignment = kVectorBytes;
  std::vector<Launch> launches;
  // Null where there is nothing but launches.
  std::unique_ptr<LibraryProgram> library;
  // Memory for what passes between kernels and phases.
  int64_t workspaceBytes = 0;
  // Random operations that use torch's generator.
  int64_t randomOps = 0;
  // Of the arguments and outputs.
  Traffic traffic;
};

// The memory of one run.
struct RunMemory {
  std::span<const PolymorphicValue> arguments;
  std::span<void* const> outputs;
  std::byte* workspace;
  std::span<void* const> held = {};

  std::byte* address(const Memory& memory) const {
    const auto position = static_cast<size_t>(memory.position);
    switch (memory.kind) {
      case Memory::Kind::Argument:
        return static_cast<std::byte*>(arguments[position].as<Tensor>().data);
      case Memory::Kind::Output:
        return static_cast<std::byte*>(outputs[position]);
      case Memory::Kind::Held:
        return static_cast<std::byte*>(held[position]);
      case Memory::Kind::Peer:
        return reinterpret_cast<std::byte*>(position);
      case Memory::Kind::Workspace:
        break;
    }
    return workspace + memory.position;
  }
};

// LaunchPlan::describeSteps; `addDevice` adds to launch number `number` what the device knows.
std::vector<KernelProfile> describeSteps(
    const LibraryProgram* program, std::span<const Launch> launches, SteadyTime since,
    const std::function<void(size_t number, KernelProfile& profile)>& addDevice);
// Appends "[1, 2, 3]".
void appendExtents(std::string& text, std::initializer_list<int64_t> extents);

// Prints what a launch is given, if NVFUSER_DUMP asks for it.
void dumpArguments(const Launch& launch, const RunMemory& memory);

// Writes a scalar into one slot, two for a complex one.
void writeScalar(int64_t* slot, const PolymorphicValue& value, DataType dtype);

// The argument block of one launch after the other, on the stack unless it is large.
class ArgumentBlock {
 public:
  // Valid until the next call.
  int64_t* fill(const Launch& launch, const RunMemory& memory);

 private:
  static constexpr size_t kInlineSlots = 256;
  int64_t inline_[kInlineSlots];
  std::vector<int64_t> heap_;
};

}  // namespace nvfuser
