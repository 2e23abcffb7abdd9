#include "runtime/executor_cache.h"

#include <map>

#include "core/error.h"
#include "core/hash.h"
#include "runtime/options.h"
#include "runtime/plan_builder.h"

namespace nvfuser {

namespace {

// Signatures differ in sizes without end in some programs: the oldest plans give way.
constexpr size_t kMaxPlans = 4096;

// Everything LaunchPlan::matches compares, as a hash.
size_t signatureHash(std::span<const PolymorphicValue> arguments) {
  size_t seed = arguments.size();
  for (const PolymorphicValue& argument : arguments) {
    hashCombine(seed, argument.value.index());
    if (argument.is<Tensor>()) {
      const Tensor& tensor = argument.as<Tensor>();
      hashCombine(seed, static_cast<size_t>(tensor.dtype));
      for (int32_t i = 0; i < tensor.ndim; ++i) {
        hashCombine(seed, static_cast<size_t>(tensor.sizes[i]));
        hashCombine(seed, static_cast<size_t>(tensor.strides[i]));
      }
    }
  }
  return seed;
}

}  // namespace

struct FusionExecutorCache::State {
  std::mutex mutex;
  std::vector<ExtentEquality> equalities;
  std::map<ClassKey, std::unique_ptr<FusionClass>> classes;
  std::unordered_multimap<size_t, std::shared_ptr<const LaunchPlan>> plans;
  std::unordered_map<const LaunchPlan*, FusionClass*> classOf;
  std::shared_ptr<const LaunchPlan> last;
  FusionClass* lastClass = nullptr;

  // The plan of these arguments, null when there is none yet.
  std::shared_ptr<const LaunchPlan> find(std::span<const PolymorphicValue> arguments,
                                         size_t hash) const {
    const auto [begin, end] = plans.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      if (known->second->matches(arguments)) {
        return known->second;
      }
    }
    return nullptr;
  }

  // What was compiled for these arguments; raises when nothing was.
  const FusionClass& compiledFor(std::span<const PolymorphicValue> arguments) const {
    const auto plan = find(arguments, signatureHash(arguments));
    NVF_CHECK(plan != nullptr,
              "The fusion has not been compiled for these inputs: execute it first");
    return *classOf.at(plan.get());
  }
};

FusionExecutorCache::FusionExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId,
                                         bool autoSchedule)
    : fusion_(std::move(fusion)),
      fusionId_(fusionId),
      autoSchedule_(autoSchedule),
      state_(std::make_unique<State>()) {
  state_->equalities = extentEqualities(*fusion_);
}

FusionExecutorCache::~FusionExecutorCache() = default;

std::shared_ptr<const LaunchPlan> FusionExecutorCache::plan(
    std::span<const PolymorphicValue> arguments, const ExecuteOptions& options) {
  State& state = *state_;
  checkEnableOptions(options.enable);
  checkDisableOptions(options.disable);
  NVF_CHECK(!options.device.has_value() || options.device->type == DeviceType::CPU,
            "This build runs fusions on the CPU only, but device ", toString(*options.device),
            " was asked for");
  const std::lock_guard lock(state.mutex);
  if (state.last != nullptr && state.last->matches(arguments)) {
    return state.last;
  }
  const size_t hash = signatureHash(arguments);
  if (auto known = state.find(arguments, hash)) {
    state.last = known;
    state.lastClass = state.classOf.at(known.get());
    return known;
  }
  NVF_CHECK(!fusion_->outputs().empty(), "Fusion is empty!");
  ExpressionEvaluator evaluator;
  bindArguments(*fusion_, arguments, state.equalities, evaluator);
  checkConditions(*fusion_, evaluator);
  std::vector<Layout> layouts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const Val* input = fusion_->inputs()[i]; input->isTensor()) {
      const Tensor& tensor = arguments[i].as<Tensor>();
      NVF_CHECK(tensor.device.type == DeviceType::CPU, "Expected input ", i, ", ",
                input->toString(), ", to be bound to a CPU tensor, but got a tensor on ",
                toString(tensor.device));
      layouts.push_back(layoutOf(input->asTensor(), geometryOf(input->asTensor(), tensor)));
    }
  }
  const ClassKey key = classKey(*fusion_, layouts, evaluator);
  std::unique_ptr<FusionClass>& fusionClass = state.classes[key];
  if (fusionClass == nullptr) {
    fusionClass = makeClass(*fusion_, layouts, evaluator);
  }
  std::shared_ptr<const LaunchPlan> plan =
      buildPlan(*fusionClass, arguments, evaluator, "fusion" + std::to_string(fusionId_));
  if (state.plans.size() >= kMaxPlans) {
    state.plans.clear();
    state.classOf.clear();
  }
  state.plans.emplace(hash, plan);
  state.classOf[plan.get()] = fusionClass.get();
  state.last = plan;
  state.lastClass = fusionClass.get();
  return plan;
}

bool FusionExecutorCache::isCompiled(std::span<const PolymorphicValue> arguments) const {
  const std::lock_guard lock(state_->mutex);
  return state_->find(arguments, signatureHash(arguments)) != nullptr;
}

namespace {

std::string collect(const FusionClass& fusionClass, std::string CompiledKernel::* text) {
  std::string result;
  for (const SegmentKernels& segment : fusionClass.segments) {
    for (const auto& [params, entry] : segment.kernels) {
      result += (*entry.compiled).*text;
      result += "\n";
    }
  }
  return result;
}

}  // namespace

std::string FusionExecutorCache::kernelCode(std::span<const PolymorphicValue> arguments) const {
  const std::lock_guard lock(state_->mutex);
  return collect(state_->compiledFor(arguments), &CompiledKernel::code);
}

std::string FusionExecutorCache::scheduledIr(std::span<const PolymorphicValue> arguments,
                                             bool /*tensorTransforms*/) const {
  const std::lock_guard lock(state_->mutex);
  return collect(state_->compiledFor(arguments), &CompiledKernel::scheduledIr);
}

std::string FusionExecutorCache::mostRecentScheduledIr(bool /*tensorTransforms*/) const {
  const std::lock_guard lock(state_->mutex);
  NVF_CHECK(state_->lastClass != nullptr, "Invalid fusion definition!");
  return collect(*state_->lastClass, &CompiledKernel::scheduledIr);
}

}  // namespace nvfuser
