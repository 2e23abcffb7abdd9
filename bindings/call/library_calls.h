// TorchCalls: the library calls of a run, made by torch.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <vector>

#include "bindings/call/arguments.h"
#include "bindings/call/outputs.h"
#include "runtime/library_call.h"

namespace nvfuser {

// Functions of torch are called through Python objects that are looked up once, on torch's current
// stream and without autograd and autocast, which would change what they compute.
//
// Lives on the stack of the call. Its methods take the interpreter's lock where they run without.
class TorchCalls final : public LibraryHost {
 public:
  // Raises, naming an operation, where torch is not installed.
  TorchCalls(const LaunchPlan& plan, const CallArguments& arguments, CallOutputs& outputs);
  ~TorchCalls() override;
  TorchCalls(const TorchCalls&) = delete;
  TorchCalls& operator=(const TorchCalls&) = delete;

  void* allocate(size_t number) override;
  void release(size_t number) override;
  void call(const LibraryCall& call, std::span<void*> held) override;

 private:
  nb::object tensorOf(const Memory& memory, std::span<void*> held);
  nb::object tensorOf(const LibraryTensor& tensor, std::span<void*> held);
  void place(const LibraryCall& call, const LibraryResult& result, nb::object tensor,
             std::span<void*> held);
  [[noreturn]] void fail(const LibraryCall& call, nb::python_error& error) const;

  const LaunchPlan& plan_;
  const CallArguments& arguments_;
  CallOutputs& outputs_;
  std::vector<nb::object> held_;
  bool hadGrad_ = false;
  nb::object autocastGuard_;
};

}  // namespace nvfuser
