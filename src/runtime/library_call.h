// Library calls of a plan: what torch computes between the launches of generated kernels.
//
// One loop runs both. The core knows neither torch nor Python: tensors that a call reads or writes
// are made and kept by a LibraryHost, which makes the calls. Between kernels and calls tensors are
// "held": allocated when they are first needed and released behind their last use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/library_table.h"
#include "runtime/launch_plan.h"
#include "runtime/memory.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

// A tensor as a call takes it.
struct LibraryTensor {
  // Never in the workspace.
  Memory memory;
  // Where the call looks at a tensor in another way than it was made.
  struct View {
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    int64_t offset = 0;
  };
  std::optional<View> view;
};

struct LibraryResult {
  // Among all results of the function.
  size_t number = 0;
  Memory memory;
  // What the tensor must look like.
  OutputSpec spec;
  // Whether it must have these strides: kernels read it.
  bool hasFixedStrides = true;
  // Where the memory is that of a tensor of another shape. The function takes `out` then.
  std::optional<LibraryTensor::View> view;
};

struct LibraryCall {
  // Rows live for ever.
  const LibraryOpInfo* info = nullptr;
  // Number of the segment that it is.
  size_t segment = 0;
  // For messages.
  std::string definition;
  // One for each parameter: a tensor, a scalar, or nothing. Numbers, flags and data types are in
  // `numbers`.
  std::vector<std::optional<LibraryTensor>> tensors;
  std::vector<PolymorphicValue> scalars;
  std::vector<int64_t> numbers;
  // Those that something reads.
  std::vector<LibraryResult> results;
  Traffic traffic;

  // What the host caches with the call.
  std::shared_ptr<void>& hostData() const { return hostData_; }

 private:
  mutable std::shared_ptr<void> hostData_;
};

struct LibraryProgram {
  struct Step {
    enum class Kind : uint8_t { Launch, Call };
    Kind kind = Kind::Launch;
    // Of the launch or call.
    size_t number = 0;
    // Held tensors that a launch is the first to write, and those that nothing reads later.
    std::vector<size_t> allocated;
    std::vector<size_t> released;
  };
  std::vector<Step> steps;
  std::vector<LibraryCall> calls;
  // Held tensors.
  std::vector<OutputSpec> held;
};

class LibraryHost {
 public:
  virtual ~LibraryHost() = default;
  // Makes held tensor `number`, and returns its address.
  virtual void* allocate(size_t number) = 0;
  virtual void release(size_t number) = 0;
  // Makes a call. Of the results that it places, the addresses are written to `held`.
  virtual void call(const LibraryCall& call, std::span<void*> held) = 0;
  // Around every launch.
  virtual void beginLaunch(size_t /*number*/) {}
  virtual void endLaunch(size_t /*number*/) {}
};

// Runs all steps: `launch` runs the launch of a number, with the addresses of the held tensors.
// Without a program the steps are `launches` launches.
void runSteps(const LibraryProgram* program, size_t launches, LibraryHost& host,
              const std::function<void(size_t number, std::span<void* const> held)>& launch);

}  // namespace nvfuser
