// LaunchPlan: everything about one call that is known once its argument signature is known.
//
// A plan is made once for each distinct signature (dtypes, devices, sizes, strides, alignment, and
// the scalars that sizes depend on). A call with that signature only allocates the outputs and runs
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/profile.h"
#include "runtime/signature.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

// How the caller gets one visible output.
struct OutputSpec {
  enum class Kind : uint8_t {
    Allocate,  // a fresh tensor of `sizes` and `strides`, to be filled by the kernels
    Input,  // argument number `input` itself (an output that is an input, or was updated in place)
    InputView,  // a view of argument number `input`, `offset` elements behind its first one
    Repeat,     // output number `input` again, the same tensor
    Library     // a fresh tensor like Allocate's, which a library call may bring
  };
  Kind kind = Kind::Allocate;
  int32_t input = -1;
  int64_t offset = 0;
  DataType dtype = DataType::Float;
  Device device;
  // As torch sees them: of packed fp4 in bytes.
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  // Whether a kernel may read inputs that share memory with this output, element by element at the
  // same position, before it is written: then the caller may pass the input as the output.
  std::vector<int32_t> mayAliasInputs;
};

class LibraryHost;
struct LibraryProgram;

class LaunchPlan {
 public:
  LaunchPlan(Device device, Signature signature, std::vector<OutputSpec> outputs,
             int64_t outputAlignment)
      : outputs_(std::move(outputs)),
        signature_(std::move(signature)),
        device_(device),
        outputAlignment_(outputAlignment) {}
  virtual ~LaunchPlan() = default;
  LaunchPlan(const LaunchPlan&) = delete;
  LaunchPlan& operator=(const LaunchPlan&) = delete;

  // Whether `arguments` have this plan's signature exactly.
  bool matches(std::span<const PolymorphicValue> arguments) const {
    return signature_.matches(arguments);
  }

  // Where the kernels run.
  Device device() const { return device_; }

  // One entry for each visible output, in order.
  const std::vector<OutputSpec>& outputs() const { return outputs_; }

  // Whether run() only enqueues kernels, on a stream, in a workspace of the caller's.
  bool isEnqueued() const { return isEnqueued_; }

  // Whether the kernels of a run on this stream may be launched as a whole, by runAsGraph(). Only
  // for plans that are enqueued and have no library calls.
  bool mayBeGraph(void* stream) const { return isGraph_ && isOutsideOfCaptures(stream); }

  // What the addresses of all outputs must be multiples of, in bytes, as far as their memory has
  // wide accesses.
  int64_t outputAlignment() const { return outputAlignment_; }

  // Memory on the device that the caller provides for the time of the run, in bytes.
  int64_t workspaceBytes() const { return workspaceBytes_; }

  // The library calls between the kernels, null for none.
  const LibraryProgram* library() const { return library_.get(); }

  // The operations that use torch's random generator. Where there are any, run() expects two more
  // arguments behind the caller's: seed and offset, of which each operation takes the next one.
  int64_t randomOps() const { return randomOps_; }

  // What a run reads and writes of its arguments and outputs.
  const Traffic& traffic() const { return traffic_; }

  // What there is to say, without running it, about every kernel and library call, in the order in
  // which they run. Those compiled after `since` have the time that it took.
  virtual std::vector<KernelProfile> describeSteps(SteadyTime since) const = 0;

  // What profilers show a launch as: the name of its kernel.
  virtual const std::string& launchName(size_t number) const = 0;

  // Runs all kernels, and `library`'s calls by the host, which is null where there are none and
  // nothing else is to know of the launches.
  // `outputData` holds the first element's address of each visible output;
  // entries of outputs that are neither Kind::Allocate nor Kind::Library are ignored. `workspace`
  // and `stream` are of plans that are enqueued. Safe to call from several threads at once; does
  // not need the interpreter.
  virtual void run(std::span<const PolymorphicValue> arguments, std::span<void* const> outputData,
                   void* workspace, void* stream, LibraryHost* host = nullptr) const = 0;

  // The same as a graph, which has addresses and scalars of this run put in place. It is fastest
  // with those of the last run on the stream: the workspace, which no other run may use, should be
  // the same one.
  virtual void runAsGraph(std::span<const PolymorphicValue> arguments,
                          std::span<void* const> outputData, void* workspace, void* stream) const {
    run(arguments, outputData, workspace, stream);
  }

  // Estimated time that run() takes, to decide whether releasing the interpreter's lock is worth
  // it: for what is only enqueued it never is, and this is 0.
  int64_t estimatedNanoseconds() const { return estimatedNanoseconds_; }

  // What the embedding language caches with the plan (shape tuples and the like).
  std::shared_ptr<void>& hostData() const { return hostData_; }

 protected:
  // What a stream is captured for keeps launches of its own.
  virtual bool isOutsideOfCaptures(void* /*stream*/) const { return false; }

  bool isEnqueued_ = false;
  bool isGraph_ = false;
  int64_t workspaceBytes_ = 0;
  int64_t estimatedNanoseconds_ = 0;
  int64_t randomOps_ = 0;
  Traffic traffic_;
  std::shared_ptr<const LibraryProgram> library_;

 private:
  std::vector<OutputSpec> outputs_;
  Signature signature_;
  Device device_;
  int64_t outputAlignment_;
  mutable std::shared_ptr<void> hostData_;
};

}  // namespace nvfuser
