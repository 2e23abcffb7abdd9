// One call of an executor, from converted arguments to the list of outputs.

#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arguments.h"
#include "core/error.h"
#include "device/cpu/thread_pool.h"
#include "device_choice.h"
#include "executor.h"
#include "library_calls.h"
#include "named_ranges.h"
#include "no_effect.h"
#include "outputs.h"
#include "plan_log.h"
#include "profiling.h"
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
void checkWrittenMemory(const ExecutorCache& self, std::span<const PolymorphicValue> values,
                        size_t i) {
  const auto& written = values[i].as<Tensor>();
  for (int32_t d = 0; d < written.ndim; ++d) {
    NVF_CHECK(written.sizes[d] <= 1 || written.strides[d] != 0, "Input ", i,
              " is updated in place, but dimension ", d, " of size ", written.sizes[d],
              " is expanded: all of it is the same memory; pass a copy");
  }
  const ByteRange range = byteRangeOf(written);
  for (size_t k = 0; k < values.size(); ++k) {
    if (k == i || !values[k].is<Tensor>() || !intersect(range, byteRangeOf(values[k].as<Tensor>())))
        [[likely]] {
      continue;
    }
    const auto& other = values[k].as<Tensor>();
    if (other.device != written.device || !mayOverlap(other, written)) {
      continue;
    }
    NVF_CHECK(isSameView(other, written) && mayBeUpdated(*self.cache.fusion(), i, k), "Input ", i,
              " is updated in place, but shares memory with input ", k,
              ", which is still read when it is written; pass a copy of one of them");
  }
}

void prepareWrittenInputs(const ExecutorCache& self, const CallArguments& arguments) {
  for (const size_t i : self.writtenInputs) {
    NVF_CHECK(!arguments.isCopy(i), "Input ", i,
              " is updated in place, but its memory does not hold its values: it is a conjugate or "
              "negative view or of a layout that must be copied; pass it resolved");
    NVF_CHECK(!arguments.isReadOnly(i), "Input ", i, " is updated in place, but is read-only");
    checkWrittenMemory(self, arguments.values(), i);
  }
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

// Calls of libraries are made with the interpreter's lock; kernels that take long run without it.
// Every step is shown to those who want to know.
[[gnu::cold, gnu::noinline]] PyObject* runInSteps(const LaunchPlan& plan,
                                                  const CallArguments& arguments,
                                                  std::span<const PolymorphicValue> values,
                                                  CallOutputs& results) {
  std::optional<TorchCalls> calls;
  if (plan.library() != nullptr) {
    calls.emplace(plan, arguments, results);
  }
  std::optional<NamedRanges> ranges;
  if (wantsRanges()) {
    ranges.emplace(plan, calls ? &*calls : nullptr);
  }
  LibraryHost& host = ranges ? static_cast<LibraryHost&>(*ranges) : *calls;
  if (plan.device().type == DeviceType::CUDA) {
    void* workspace = results.allocateWorkspace();
    plan.run(values, results.data(), workspace, torchInterop.currentStream(plan.device()), &host);
    return results.takeList();
  }
  if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  if (plan.estimatedNanoseconds() > kNanosecondsWorthUnlocking) {
    unlocked([&] { plan.run(values, results.data(), nullptr, nullptr, &host); });
  } else {
    plan.run(values, results.data(), nullptr, nullptr, &host);
  }
  return results.takeList();
}

PyObject* runPlan(const ExecutorCache& self, const LaunchPlan& plan, const CallArguments& arguments,
                  std::span<const PolymorphicValue> values, CallOutputs& results) {
  if (!self.writtenInputs.empty()) {
    prepareWrittenInputs(self, arguments);
  }
  results.markWritten();
  if (plan.library() != nullptr || wantsRanges()) [[unlikely]] {
    return runInSteps(plan, arguments, values, results);
  }
  if (plan.device().type == DeviceType::CUDA) {
    // Enqueueing kernels is not worth unlocking.
    void* workspace = results.allocateWorkspace();
    plan.run(values, results.data(), workspace, torchInterop.currentStream(plan.device()));
    return results.takeList();
  }
  if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  if (plan.estimatedNanoseconds() > kNanosecondsWorthUnlocking) {
    unlocked([&] { plan.run(values, results.data(), nullptr, nullptr); });
  } else {
    plan.run(values, results.data(), nullptr, nullptr);
  }
  return results.takeList();
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

[[gnu::cold, gnu::noinline]] PyObject* runRandom(const ExecutorCache& self, const LaunchPlan& plan,
                                                 const CallArguments& arguments,
                                                 CallOutputs& results) {
  return runPlan(self, plan, arguments, withRandomState(plan, arguments), results);
}

PyObject* runPlan(const ExecutorCache& self, const LaunchPlan& plan, const CallArguments& arguments,
                  CallOutputs& results) {
  if (plan.randomOps() != 0) [[unlikely]] {
    return runRandom(self, plan, arguments, results);
  }
  return runPlan(self, plan, arguments, arguments.values(), results);
}

// With outputs of the caller's that are less aligned than the ones torch makes.
[[gnu::cold, gnu::noinline]] PyObject* runMisaligned(ExecutorCache& self,
                                                     const CallArguments& arguments,
                                                     PyObject* outputs, ExecuteOptions options,
                                                     int64_t alignment) {
  options.outputAlignment = alignment;
  const PlanPointer plan = planFor(self, arguments.values(), options);
  CallOutputs results(*plan, arguments, outputs);
  return runPlan(self, *plan, arguments, results);
}

// Measures the run on the way.
[[gnu::cold, gnu::noinline]] PyObject* runProfiled(ExecutorCache& self,
                                                   const CallArguments& arguments,
                                                   PyObject* outputs, ExecuteOptions options) {
  warnOfOptionsWithoutEffect(&options);
  const SteadyTime begin = std::chrono::steady_clock::now();
  std::span<const PolymorphicValue> values = arguments.values();
  const auto makePlan = [&] { return planFor(self, values, options); };
  PlanPointer plan = makePlan();
  std::optional<CallOutputs> results;
  results.emplace(*plan, arguments, outputs);
  if (results->alignment() < plan->outputAlignment()) {
    options.outputAlignment = results->alignment();
    PlanPointer other = makePlan();
    results.emplace(*other, arguments, outputs);
    plan = std::move(other);
  }
  if (!self.writtenInputs.empty()) {
    prepareWrittenInputs(self, arguments);
  }
  results->markWritten();
  std::optional<TorchCalls> calls;
  if (plan->library() != nullptr) {
    calls.emplace(*plan, arguments, *results);
  }
  std::vector<PolymorphicValue> random;
  if (plan->randomOps() != 0) {
    random = withRandomState(*plan, arguments);
    values = random;
  }
  void* workspace = nullptr;
  void* stream = nullptr;
  if (plan->device().type == DeviceType::CUDA) {
    workspace = results->allocateWorkspace();
    stream = torchInterop.currentStream(plan->device());
  } else if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  RunProfiler profiler(*plan, self.cache.fusionId(), begin, stream, calls ? &*calls : nullptr);
  FusionProfile profile = unlocked([&] {
    plan->run(values, results->data(), workspace, stream, &profiler);
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

}  // namespace

PyObject* runExecutor(ExecutorCache& self, PlanPointer& last, const CallArguments& arguments,
                      PyObject* outputs, const ExecuteOptions* options) {
  if (arguments.differentiated()) [[unlikely]] {
    refuseGradients(self, *arguments.differentiated());
  }
  ExecuteOptions placed;
  if (arguments.arrayKind() == ArrayKind::None && (options == nullptr || !options->device))
      [[unlikely]] {
    if (options != nullptr) {
      placed = *options;
    }
    placed.device = deviceWithoutArrays(arguments.values(), outputs);
    options = &placed;
  }
  if (activeProfilers > 0) [[unlikely]] {
    return runProfiled(self, arguments, outputs, options != nullptr ? *options : ExecuteOptions{});
  }
  const auto values = arguments.values();
  // A reference of our own: other threads may replace `last` whenever Python code runs.
  PlanPointer plan = last;
  if (options != nullptr || plan == nullptr || !plan->matches(values)) [[unlikely]] {
    warnOfOptionsWithoutEffect(options);
    plan = planFor(self, values, options != nullptr ? *options : ExecuteOptions{});
    if (options == nullptr) {
      last = plan;
    }
  }
  CallOutputs results(*plan, arguments, outputs);
  if (results.alignment() < plan->outputAlignment()) [[unlikely]] {
    return runMisaligned(self, arguments, outputs, options != nullptr ? *options : ExecuteOptions{},
                         results.alignment());
  }
  return runPlan(self, *plan, arguments, results);
}

[[gnu::cold]] PyObject* recordExecutor(nb::handle executor, nb::handle inputs, nb::handle device,
                                       nb::handle outputs, bool hasOptions) {
  const nb::object record = nb::module_::import_("nvfuser.torch_operator").attr("record");
  return record(executor, inputs, device, outputs, hasOptions).release().ptr();
}

}  // namespace nvfuser
