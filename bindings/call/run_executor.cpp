// One call of an executor, from converted arguments to the list of outputs.

#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/call/arguments.h"
#include "bindings/call/device_choice.h"
#include "bindings/call/executor.h"
#include "bindings/call/library_calls.h"
#include "bindings/call/named_ranges.h"
#include "bindings/call/outputs.h"
#include "bindings/call/plan_log.h"
#include "bindings/call/profiling.h"
#include "bindings/compat/no_effect.h"
#include "core/error.h"
#include "device/cpu/thread_pool.h"
#include "runtime/fusion_class.h"
#include "runtime/run_profiler.h"
#include "value/overlap.h"

namespace nvfuser {

namespace {

// Kernels that take longer than this are worth the 40 ns of giving the interpreter's lock to
// others, and the wait until they give it back.
constexpr int64_t kNanosecondsWorthUnlocking = 20'000;

// Whether the memory that the update of input `written` writes may be that of input `read`, too:
// element by element, read before it is written.
[[gnu::cold, gnu::noinline]] bool mayBeUpdated(const Fusion& fusion, size_t written, size_t read) {
  const Val* target = fusion.inputs()[written];
  const TensorView* source = fusion.inputs()[read]->asTensor();
  return std::ranges::all_of(fusion.outputs(), [&](const Fusion::Output& output) {
    return output.alias != target || (sameDimensions(output.tv, source) &&
                                      readsOnlyInPlace(source) && isReadBefore(source, output.tv));
  });
}

// Elements that share memory with others have no value while it is written.
void checkNotExpanded(std::span<const PolymorphicValue> values, size_t i) {
  const auto& written = values[i].as<Tensor>();
  for (int32_t d = 0; d < written.ndim; ++d) {
    NVF_CHECK(written.sizes[d] <= 1 || written.strides[d] != 0, "Input ", i,
              " is updated in place, but dimension ", d, " of size ", written.sizes[d],
              " is expanded: all of it is the same memory; pass a copy");
  }
}

// The bytes of an argument; none of a scalar.
ByteRange bytesOfArgument(const PolymorphicValue& value) {
  return value.is<Tensor>() ? byteRangeOf(value.as<Tensor>()) : ByteRange{};
}

// Whether input `k` may be where input `i` is written, given that their ranges of bytes intersect.
void checkSharedMemory(const ExecutorCache& self, std::span<const PolymorphicValue> values,
                       size_t i, size_t k) {
  const auto& written = values[i].as<Tensor>();
  const auto& other = values[k].as<Tensor>();
  if (k == i || other.device != written.device || !mayOverlap(other, written)) {
    return;
  }
  NVF_CHECK(isSameView(other, written) && mayBeUpdated(*self.cache.fusion(), i, k), "Input ", i,
            " is updated in place, but shares memory with input ", k,
            ", which is still read when it is written; pass a copy of one of them");
}

// A few are compared with all others, which allocates nothing.
void checkWrittenMemory(const ExecutorCache& self, std::span<const PolymorphicValue> values) {
  constexpr size_t kFew = 8;
  if (self.writtenInputs.size() <= kFew) {
    for (const size_t i : self.writtenInputs) {
      const ByteRange range = byteRangeOf(values[i].as<Tensor>());
      for (size_t k = 0; k < values.size(); ++k) {
        if (k != i && intersect(range, bytesOfArgument(values[k]))) [[unlikely]] {
          checkSharedMemory(self, values, i, k);
        }
      }
    }
    return;
  }
  std::vector<ByteRange> ranges(values.size());
  std::ranges::transform(values, ranges.begin(), bytesOfArgument);
  const ByteRanges all(ranges);
  for (const size_t i : self.writtenInputs) {
    for (const size_t k : all.intersecting(ranges[i])) {
      checkSharedMemory(self, values, i, k);
    }
  }
}

void prepareWrittenInputs(const ExecutorCache& self, const CallArguments& arguments) {
  for (const size_t i : self.writtenInputs) {
    NVF_CHECK(!arguments.isCopy(i), "Input ", i,
              " is updated in place, but its memory does not hold its values: it is a conjugate or "
              "negative view or of a layout that must be copied; pass it resolved");
    NVF_CHECK(!arguments.isReadOnly(i), "Input ", i, " is updated in place, but is read-only");
    checkNotExpanded(arguments.values(), i);
  }
  checkWrittenMemory(self, arguments.values());
  for (const size_t i : self.writtenInputs) {
    if (torchInterop.isTensor(Py_TYPE(arguments.array(i)))) {
      markModified(arguments.array(i));
    }
  }
}

// Kernels share their work over as many threads as torch would use. 8 ns: cheaper than any way to
// be told when the number changes.
void followTorchNumThreads() {
  PyObject* none[2] = {nullptr, nullptr};
  PyObject* count = nb::detail::vectorcall(torchInterop.getNumThreads, none + 1,
                                           0 | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (count == nullptr) {
    throw nb::python_error();
  }
  const long value = PyLong_AsLong(count);
  Py_DECREF(count);
  cpu::setNumThreads(static_cast<int>(value));
}

ExecuteOptions orDefault(const ExecuteOptions* options) {
  return options != nullptr ? *options : ExecuteOptions{};
}

// Where a run works, as torch says.
struct Place {
  void* workspace = nullptr;
  void* stream = nullptr;
  // Whether the kernels are launched as a whole.
  bool isGraph = false;
};

// These three are inlined wherever they are called, as those of execute.cpp are: not to be costs a
// call with given outputs 30 to 60 of its 300 ns.
//
// How every run begins: what it writes is checked and counted as modified, and torch says on which
// stream it works, or on how many threads.
[[gnu::always_inline]] inline Place beginRun(const ExecutorCache& self, const LaunchPlan& plan,
                                             const CallArguments& arguments, CallOutputs& results,
                                             bool isProfiled = false) {
  if (!self.writtenInputs.empty()) {
    prepareWrittenInputs(self, arguments);
  }
  results.markWritten();
  if (plan.isEnqueued()) {
    void* stream = torchInterop.currentStream(plan.device());
    if (plan.mayBeGraph(stream) && !isProfiled && !wantsRanges()) [[unlikely]] {
      return {results.keptWorkspace(stream), stream, true};
    }
    return {results.allocateWorkspace(), stream};
  }
  if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  return {};
}

[[gnu::always_inline]] inline void launch(const LaunchPlan& plan,
                                          std::span<const PolymorphicValue> values,
                                          const CallOutputs& results, const Place& place,
                                          LibraryHost* host) {
  if (place.isGraph) [[unlikely]] {
    plan.runAsGraph(values, results.data(), place.workspace, place.stream);
  } else if (plan.estimatedNanoseconds() > kNanosecondsWorthUnlocking) {
    unlocked([&] { plan.run(values, results.data(), place.workspace, place.stream, host); });
  } else {
    plan.run(values, results.data(), place.workspace, place.stream, host);
  }
}

// The arguments, with what torch's generator of the device is to give this run behind them.
std::vector<PolymorphicValue> withRandomState(const LaunchPlan& plan,
                                              const CallArguments& arguments) {
  const nb::object next = nb::module_::import_("nvfuser.interop").attr("next_random_state");
  const nb::object state = next(toString(plan.device()), plan.randomOps());
  std::vector<PolymorphicValue> values(arguments.values().begin(), arguments.values().end());
  values.emplace_back(nb::cast<int64_t>(state[0]));
  values.emplace_back(nb::cast<int64_t>(state[1]));
  return values;
}

// What some runs need besides: random numbers, and calls of libraries, which are made with the
// interpreter's lock.
struct Extras {
  Extras(const LaunchPlan& plan, const CallArguments& arguments, CallOutputs& results) {
    if (plan.randomOps() != 0) {
      random = withRandomState(plan, arguments);
    }
    values = plan.randomOps() != 0 ? std::span<const PolymorphicValue>(random) : arguments.values();
    if (plan.library() != nullptr) {
      calls.emplace(plan, arguments, results);
    }
  }
  LibraryHost* host() { return calls ? &*calls : nullptr; }

  std::vector<PolymorphicValue> random;
  std::span<const PolymorphicValue> values;
  std::optional<TorchCalls> calls;
};

// Every step is shown to those who want to know.
[[gnu::cold, gnu::noinline]] PyObject* runWithExtras(const LaunchPlan& plan,
                                                     const CallArguments& arguments,
                                                     CallOutputs& results, const Place& place) {
  Extras extras(plan, arguments, results);
  std::optional<NamedRanges> ranges;
  if (wantsRanges()) {
    ranges.emplace(plan, extras.host());
  }
  launch(plan, extras.values, results, place, ranges ? &*ranges : extras.host());
  return results.takeList();
}

[[gnu::always_inline]] inline PyObject* runPlan(const ExecutorCache& self, const LaunchPlan& plan,
                                                const CallArguments& arguments,
                                                CallOutputs& results) {
  const Place place = beginRun(self, plan, arguments, results);
  if (plan.library() != nullptr || plan.randomOps() != 0 || wantsRanges()) [[unlikely]] {
    return runWithExtras(plan, arguments, results, place);
  }
  launch(plan, arguments.values(), results, place, nullptr);
  return results.takeList();
}

// With outputs of the caller's that are less aligned than the ones torch makes.
[[gnu::cold, gnu::noinline]] PyObject* runMisaligned(ExecutorCache& self,
                                                     const CallArguments& arguments,
                                                     PyObject* outputs, const ExecuteOptions* given,
                                                     int64_t alignment) {
  ExecuteOptions options = orDefault(given);
  options.outputAlignment = alignment;
  const PlanPointer plan = planFor(self, arguments.values(), options);
  CallOutputs results(*plan, arguments, outputs);
  return runPlan(self, *plan, arguments, results);
}

// Measures the run on the way.
[[gnu::cold, gnu::noinline]] PyObject* runProfiled(ExecutorCache& self,
                                                   const CallArguments& arguments,
                                                   PyObject* outputs, const ExecuteOptions* given) {
  warnOfOptionsWithoutEffect(given);
  ExecuteOptions options = orDefault(given);
  const SteadyTime begin = std::chrono::steady_clock::now();
  const auto makePlan = [&] { return planFor(self, arguments.values(), options); };
  PlanPointer plan = makePlan();
  std::optional<CallOutputs> results;
  results.emplace(*plan, arguments, outputs);
  if (results->alignment() < plan->outputAlignment()) {
    options.outputAlignment = results->alignment();
    PlanPointer other = makePlan();
    results.emplace(*other, arguments, outputs);
    plan = std::move(other);
  }
  const Place place = beginRun(self, *plan, arguments, *results, true);
  Extras extras(*plan, arguments, *results);
  RunProfiler profiler(*plan, self.cache.fusionId(), begin, place.stream, extras.host());
  FusionProfile profile = unlocked([&] {
    plan->run(extras.values, results->data(), place.workspace, place.stream, &profiler);
    return profiler.profile();
  });
  printRun(arguments.values(), profile);
  self.profiledPlan = plan;
  self.profile = profile;
  lastProfile = std::move(profile);
  return results->takeList();
}

// Gradients that come out wrong, because a part of what is computed is not differentiated, would be
// noticed late or never.
[[gnu::cold, gnu::noinline]] void refuseGradients(const ExecutorCache& self, size_t i) {
  const auto& inputs = self.cache.fusion()->inputs();
  fail("Input ", i, i < inputs.size() ? concatenate(", ", inputs[i]->toString(), ",") : "",
       " is to be differentiated: it requires grad while grad mode is on, or has a forward-mode "
       "tangent. Fusions are not differentiated, so that gradients would be wrong without a word. "
       "Run the fusion under torch.no_grad() or torch.inference_mode(), pass x.detach(), or call "
       "it in a torch.autograd.Function that computes the gradients");
}

// The options of a call without arrays say where it runs.
ExecuteOptions placeWithoutArrays(const CallArguments& arguments, PyObject* outputs,
                                  const ExecuteOptions* options) {
  ExecuteOptions placed = orDefault(options);
  placed.device = deviceWithoutArrays(arguments.values(), outputs);
  return placed;
}

[[gnu::cold, gnu::noinline]] PyObject* runWithoutArrays(ExecutorCache& self, PlanPointer& last,
                                                        const CallArguments& arguments,
                                                        PyObject* outputs,
                                                        const ExecuteOptions* options) {
  const ExecuteOptions placed = placeWithoutArrays(arguments, outputs, options);
  return runExecutor(self, last, arguments, outputs, &placed);
}

// Finds the plan or makes one.
[[gnu::cold, gnu::noinline]] PlanPointer planForOptions(ExecutorCache& self, PlanPointer& last,
                                                        const CallArguments& arguments,
                                                        const ExecuteOptions* options) {
  warnOfOptionsWithoutEffect(options);
  PlanPointer plan = planFor(self, arguments.values(), orDefault(options));
  if (options == nullptr) {
    last = plan;
  }
  return plan;
}

}  // namespace

PlanPointer planWithoutRun(ExecutorCache& self, const CallArguments& arguments,
                           ExecuteOptions options) {
  if (arguments.arrayKind() == ArrayKind::None && !options.device) {
    options = placeWithoutArrays(arguments, Py_None, &options);
  }
  return planFor(self, arguments.values(), options);
}

PyObject* runExecutor(ExecutorCache& self, PlanPointer& last, const CallArguments& arguments,
                      PyObject* outputs, const ExecuteOptions* options) {
  if (arguments.differentiated()) [[unlikely]] {
    refuseGradients(self, *arguments.differentiated());
  }
  if (arguments.arrayKind() == ArrayKind::None && (options == nullptr || !options->device))
      [[unlikely]] {
    return runWithoutArrays(self, last, arguments, outputs, options);
  }
  if (activeProfilers > 0) [[unlikely]] {
    return runProfiled(self, arguments, outputs, options);
  }
  // A reference of our own: other threads may replace `last` whenever Python code runs.
  PlanPointer plan = last;
  if (options != nullptr || plan == nullptr || !plan->matches(arguments.values())) [[unlikely]] {
    plan = planForOptions(self, last, arguments, options);
  }
  CallOutputs results(*plan, arguments, outputs);
  if (results.alignment() < plan->outputAlignment()) [[unlikely]] {
    return runMisaligned(self, arguments, outputs, options, results.alignment());
  }
  return runPlan(self, *plan, arguments, results);
}

[[gnu::cold]] PyObject* recordExecutor(nb::handle executor, nb::handle inputs, nb::handle device,
                                       nb::handle outputs, bool hasOptions) {
  const nb::object record = nb::module_::import_("nvfuser.torch_operator").attr("record");
  return record(executor, inputs, device, outputs, hasOptions).release().ptr();
}

}  // namespace nvfuser
