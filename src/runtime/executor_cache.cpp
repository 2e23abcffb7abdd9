#include "runtime/executor_cache.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "core/lru_multimap.h"
#include "core/options.h"
#include "device/memory.h"
#include "multidevice/collectives.h"
#include "multidevice/exchange.h"
#include "multidevice/localize.h"
#include "multidevice/propagate.h"
#include "runtime/backend.h"
#include "runtime/cuts.h"
#include "runtime/known_sizes.h"
#include "runtime/planning/plan_builder.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {

namespace {

// Signatures differ in sizes without end in some programs: the plan that was not used for longest
// gives way.
constexpr size_t kMaxPlans = 4096;

// A tensor whose value the host can read for kernels that run elsewhere.
bool isHostScalar(const Tensor& tensor) {
  return memoryOf(tensor.device).isHost && tensor.ndim == 0;
}

// The positions of 0-dim CPU tensors of a call that runs on `device`, which all others must be on.
std::vector<size_t> hostScalarsOf(const Fusion& fusion, std::span<const PolymorphicValue> arguments,
                                  Device device) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is<Tensor>() || arguments[i].as<Tensor>().device == device) {
      continue;
    }
    const Tensor& tensor = arguments[i].as<Tensor>();
    NVF_CHECK(isHostScalar(tensor), "Expected input ", i, ", ", fusion.inputs()[i]->toString(),
              ", to be bound to a CUDA or meta tensor on ", toString(device),
              ", where other inputs are, but got a tensor on ", toString(tensor.device));
    positions.push_back(i);
  }
  return positions;
}

// Of a layout, what the declaration of the input does not say of contiguity.
void forgetContiguity(const TensorView* declared, Layout& layout) {
  const std::vector<IterDomain*> visible = declared->visible();
  const auto& domain = *declared->domain();
  for (size_t place = 0; place < domain.maybeAllocation().size(); ++place) {
    const auto at = std::ranges::find(visible, domain.maybeAllocation()[place]) - visible.begin();
    if (!domain.contiguity()[place].value_or(true)) {
      const auto found = std::ranges::find(layout.order, at) - layout.order.begin();
      layout.contiguity[static_cast<size_t>(found)] = false;
    }
  }
}

// Products as generated kernels only, on request: there is none that multiplies Float or Double.
void checkGeneratedProducts(const Fusion& fusion, const OptionSet& options) {
  if (!contains(options, Option::enable_fuse_matmul) ||
      !contains(options, Option::disable_matmul_expr_eval)) {
    return;
  }
  for (const Expr* expr : fusion.tensorExprs()) {
    const auto* call = expr->as<LibraryOp>();
    const bool isProduct = call != nullptr && (call->type() == LibraryOpType::Matmul ||
                                               call->type() == LibraryOpType::Linear);
    NVF_CHECK(!isProduct || isReducedPrecision(call->output(0)->dtype()),
              "Can not find a scheduler to schedule fusion segment with ", expr->toString());
  }
}

void logCommunications(const std::vector<std::string>& communications) {
  if (!isOn(Option::dump_communication)) {
    return;
  }
  std::string text;
  for (const std::string& each : communications) {
    text += each + "\n";
  }
  printDump("Communication", text);
}

// Whether kernels combine what devices have by themselves. All devices have to agree: it depends on
// sizes, options and what the host says, which are the same on all of them.
bool exchangesInKernels(const Fusion& fusion, ExpressionEvaluator& evaluator,
                        const Target& target) {
  return target.capabilities.hasThreads && !isOn(Option::disable_exchange_in_kernels) &&
         multidevice::isExchanged(fusion, evaluator);
}

multidevice::StepCosts stepCosts(const Target& target) {
  constexpr double kTera = 1e12;
  constexpr double kGiga = 1e9;
  constexpr double kMicro = 1e-6;
  const Tuning tuning = tuningFor(target);
  if (target.capabilities.hasThreads) {
    return {tuning.gpu.stepTeraoperations * kTera, tuning.gpu.stepLinkGigabytes * kGiga,
            tuning.gpu.stepMemoryGigabytes * kGiga, tuning.gpu.stepMicroseconds * kMicro};
  }
  return {tuning.cpu.stepTeraoperations * kTera, tuning.cpu.stepLinkGigabytes * kGiga,
          tuning.cpu.stepMemoryGigabytes * kGiga, tuning.cpu.stepMicroseconds * kMicro};
}

}  // namespace

Device chooseDevice(std::span<const PolymorphicValue> arguments,
                    const std::optional<Device>& requested) {
  std::optional<Device> found;
  for (const PolymorphicValue& argument : arguments) {
    if (!argument.is<Tensor>() || isHostScalar(argument.as<Tensor>())) {
      continue;
    }
    if (!found || memoryOf(*found).isHost) {
      found = argument.as<Tensor>().device;
    }
  }
  NVF_CHECK(!found || !requested || *found == *requested, "The fusion was asked to run on ",
            toString(*requested), ", but its inputs are on ", toString(*found));
  return found ? *found : requested.value_or(Device{});
}

struct FusionExecutorCache::Program {
  std::shared_ptr<Fusion> fusion;
  std::vector<ExtentEquality> equalities;
  // Whether all devices run the same steps.
  bool isUniform = true;
  // Which groups of products are computed in steps.
  std::vector<bool> inSteps;
  // Of the plans made so far that assume sizes.
  std::optional<KnownSizes> sizes;
};

struct FusionExecutorCache::State {
  std::mutex mutex;
  // As of fusion_, and what else products in steps make of the definition.
  Program program;
  std::map<std::vector<bool>, Program> programsInSteps;
  std::vector<multidevice::StepGroup> groups;
  multidevice::Layouts layouts;
  int64_t rank = 0;
  std::map<ClassKey, std::unique_ptr<FusionClass>> classes;
  // Those of which plans may be left, but which are cut in more places for later ones.
  std::vector<std::unique_ptr<FusionClass>> formerClasses;
  struct Known {
    std::shared_ptr<const LaunchPlan> plan;
    FusionClass* fusionClass = nullptr;
    const Program* program = nullptr;
  };
  LruMultimap<Known> plans{kMaxPlans};
  Known last;
  LaunchParams launchConstraints;
  CompileParams compileParams;
  // Guarded by the mutex, as all of this.
  OptionSet enabled;

  // Any plan of these arguments, null when there is none.
  const Known* findAny(std::span<const PolymorphicValue> arguments) const {
    return plans.peek(Signature::hash(arguments),
                      [&](const Known& known) { return known.plan->matches(arguments); });
  }

  // What was compiled for these arguments; raises when nothing was.
  const FusionClass& compiledFor(std::span<const PolymorphicValue> arguments) const {
    const Known* known = findAny(arguments);
    NVF_CHECK(known != nullptr,
              "The fusion has not been compiled for these inputs: execute it first");
    return *known->fusionClass;
  }
};

FusionExecutorCache::FusionExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId,
                                         bool autoSchedule, const multidevice::Layouts& layouts)
    : definition_(std::move(fusion)),
      fusion_(definition_),
      fusionId_(fusionId),
      autoSchedule_(autoSchedule),
      state_(std::make_unique<State>()) {
  Program& program = state_->program;
  if (!layouts.empty() || (autoSchedule_ && multidevice::hasDeviceMesh(*definition_))) {
    state_->layouts = layouts;
    state_->rank = multidevice::ownRank();
    multidevice::LocalFusion local = multidevice::localize(*definition_, state_->rank, layouts);
    fusion_ = std::move(local.fusion);
    outputLayouts_ = std::move(local.outputs);
    program.isUniform = local.isUniform;
    state_->groups = std::move(local.groups);
    logCommunications(local.communications);
  }
  program.fusion = fusion_;
  program.equalities = extentEqualities(*fusion_);
}

FusionExecutorCache::~FusionExecutorCache() = default;

std::shared_ptr<Fusion> FusionExecutorCache::localFusion() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last.program == nullptr ? fusion_ : state_->last.program->fusion;
}

FusionExecutorCache::Program& FusionExecutorCache::programFor(ExpressionEvaluator& evaluator,
                                                              const Target& target) const {
  State& state = *state_;
  if (state.groups.empty() || isOn(Option::disable_products_in_steps)) {
    return state.program;
  }
  // All devices come to the same decision, by sizes that are the same on all of them.
  const multidevice::StepCosts costs = stepCosts(target);
  std::vector<bool> chosen;
  std::unordered_set<const Expr*> inSteps;
  for (const multidevice::StepGroup& group : state.groups) {
    chosen.push_back(isOn(Option::enable_products_in_steps) ||
                     multidevice::gainOfSteps(group, evaluator, costs) > 0);
    if (chosen.back()) {
      inSteps.insert(group.products.begin(), group.products.end());
    }
  }
  if (inSteps.empty()) {
    return state.program;
  }
  const auto [known, isNew] = state.programsInSteps.try_emplace(chosen);
  if (isNew) {
    try {
      multidevice::LocalFusion local =
          multidevice::localize(*definition_, state.rank, state.layouts, inSteps);
      known->second.equalities = extentEqualities(*local.fusion);
      known->second.fusion = std::move(local.fusion);
      known->second.isUniform = local.isUniform;
      known->second.inSteps = chosen;
      logCommunications(local.communications);
    } catch (...) {
      state.programsInSteps.erase(known);
      throw;
    }
  }
  return known->second;
}

std::shared_ptr<const LaunchPlan> FusionExecutorCache::plan(
    std::span<const PolymorphicValue> arguments, const ExecuteOptions& options, bool* isNew) {
  State& state = *state_;
  OptionSet inForce = withOptions(options.enable, options.disable);
  const std::lock_guard lock(state.mutex);
  inForce |= state.enabled;
  const OptionScope scope(inForce);
  const OptionSet compilation = compilationOptions(inForce);
  checkGeneratedProducts(*fusion_, inForce);
  const Device device = chooseDevice(arguments, options.device);
  const auto isWanted = [&](const State::Known& known) {
    return known.plan->device() == device &&
           known.plan->outputAlignment() == options.outputAlignment &&
           known.fusionClass->options == compilation && known.plan->matches(arguments);
  };
  if (state.last.plan != nullptr && isWanted(state.last)) {
    return state.last.plan;
  }
  const size_t hash = Signature::hash(arguments);
  if (const State::Known* known = state.plans.use(hash, isWanted)) {
    state.last = *known;
    return known->plan;
  }
  NVF_CHECK(!fusion_->outputs().empty(), "Fusion is empty!");
  const Backend& backend = backendOf(device);
  ExpressionEvaluator evaluator;
  bindArguments(*fusion_, arguments, state.program.equalities, evaluator);
  Program& program = programFor(evaluator, backend.target());
  const Fusion& fusion = *program.fusion;
  if (&fusion != fusion_.get()) {
    evaluator = {};
    bindArguments(fusion, arguments, program.equalities, evaluator);
  }
  const std::vector<size_t> hostScalars = hostScalarsOf(fusion, arguments, device);
  checkConditions(fusion, evaluator);
  std::vector<Layout> layouts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const Val* input = fusion.inputs()[i]; input->isTensor()) {
      const Tensor& tensor = arguments[i].as<Tensor>();
      layouts.push_back(layoutOf(input->asTensor(), geometryOf(input->asTensor(), tensor)));
      if (isOn(Option::disable_infer_contiguity)) {
        forgetContiguity(input->asTensor(), layouts.back());
      }
    }
  }
  ClassKey key{static_cast<int64_t>(device.type), device.index,
               static_cast<int64_t>(hostScalars.size())};
  key.insert(key.end(), hostScalars.begin(), hostScalars.end());
  const ClassKey structure = classKey(fusion, layouts, evaluator);
  key.insert(key.end(), structure.begin(), structure.end());
  for (size_t i = 0; i < compilation.size(); ++i) {
    if (compilation[i]) {
      key.push_back(static_cast<int64_t>(i));
    }
  }
  const bool exchanges = autoSchedule_ && !outputLayouts_.empty() && program.isUniform &&
                         exchangesInKernels(fusion, evaluator, backend.target());
  key.push_back(exchanges ? 1 : 0);
  key.insert(key.end(), program.inSteps.begin(), program.inSteps.end());
  KnownScalars sizes;
  if (autoSchedule_ && isOn(Option::enable_assume_sizes)) {
    if (!program.sizes) {
      program.sizes.emplace(fusion);
    }
    sizes = program.sizes->ofCall(evaluator);
  }
  for (const auto& [symbol, value] : sizes) {
    key.push_back(symbol->index());
    key.push_back(value.as<int64_t>());
  }
  std::unique_ptr<FusionClass>& fusionClass = state.classes[key];
  const auto makeClassWithout = [&](Refusals refused) {
    auto made = makeClass(fusion, device, backend.target(), layouts, hostScalars, evaluator,
                          !autoSchedule_, exchanges, std::move(refused), sizes);
    made->options = compilation;
    made->launchConstraints = state.launchConstraints;
    made->compileParams = state.compileParams;
    return made;
  };
  if (fusionClass == nullptr) {
    fusionClass = makeClassWithout({});
  }
  std::shared_ptr<const LaunchPlan> plan;
  for (bool mayBeCut = true; plan == nullptr;) {
    try {
      plan = buildPlan(*fusionClass, backend, arguments, evaluator, options.outputAlignment,
                       "fusion" + std::to_string(fusionId_), mayBeCut);
    } catch (const UnschedulableSegment& problem) {
      // Those that are alike fail alike.
      const std::vector<SegmentKernels>& segments = fusionClass->segments;
      std::vector<const Segment*> alike;
      for (const SegmentKernels& entry : segments) {
        if (entry.like == segments[problem.position()].like) {
          alike.push_back(&entry.segment);
        }
      }
      Refusals refused = fusionClass->refused;
      mayBeCut = refused.add(alike, problem.what());
      if (mayBeCut) {
        state.formerClasses.push_back(
            std::exchange(fusionClass, makeClassWithout(std::move(refused))));
      }
    }
  }
  state.last = state.plans.add(hash, {plan, fusionClass.get(), &program});
  if (isNew != nullptr) {
    *isNew = true;
  }
  return plan;
}

void FusionExecutorCache::setParams(const LaunchParams& launchConstraints,
                                    const CompileParams& compileParams) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.launchConstraints == launchConstraints && state.compileParams == compileParams) {
    return;
  }
  state.launchConstraints = launchConstraints;
  state.compileParams = compileParams;
  state.last = {};
  state.plans.clear();
  state.classes.clear();
  state.formerClasses.clear();
}

void FusionExecutorCache::enable(const std::vector<std::string>& options) {
  const OptionSet set = withOptions(options, {}) & ~environmentOptions();
  const std::lock_guard lock(state_->mutex);
  state_->enabled |= set;
  state_->last = {};
}

bool FusionExecutorCache::isCompiled(std::span<const PolymorphicValue> arguments) const {
  const std::lock_guard lock(state_->mutex);
  return state_->findAny(arguments) != nullptr;
}

namespace {

// The texts of all kernels of the segments of a class.
std::string collect(const FusionClass& fusionClass, const auto& textOf) {
  std::string result;
  std::unordered_set<const CompiledKernel*> seen;
  for (const SegmentKernels& segment : fusionClass.segments) {
    for (const auto& [params, entry] : segment.kernels) {
      if (seen.insert(entry.compiled.get()).second) {
        const std::string text = textOf(*entry.compiled);
        result += text + (text.empty() ? "" : "\n");
      }
    }
  }
  return result;
}

std::string scheduledIrOf(const FusionClass& fusionClass, bool tensorTransforms) {
  return collect(fusionClass, [&](const CompiledKernel& kernel) {
    return kernel.scheduledIr(tensorTransforms);
  });
}

}  // namespace

FusionExecutorCache::Code FusionExecutorCache::kernelCode(
    std::span<const PolymorphicValue> arguments) const {
  const std::lock_guard lock(state_->mutex);
  const FusionClass& fusionClass = state_->compiledFor(arguments);
  // Those that run, as members of groups or alone.
  std::string code = collect(fusionClass, [](const CompiledKernel& kernel) {
    return kernel.loaded.addresses.empty() ? std::string() : kernel.code;
  });
  for (const auto& [members, group] : fusionClass.groups) {
    code += group->code + "\n";
  }
  return {std::move(code), &backendOf(fusionClass.device)};
}

std::string FusionExecutorCache::scheduledIr(std::span<const PolymorphicValue> arguments,
                                             bool tensorTransforms) const {
  const std::lock_guard lock(state_->mutex);
  return scheduledIrOf(state_->compiledFor(arguments), tensorTransforms);
}

std::string FusionExecutorCache::mostRecentScheduledIr(bool tensorTransforms) const {
  const std::lock_guard lock(state_->mutex);
  NVF_CHECK(state_->last.plan != nullptr, "Invalid fusion definition!");
  return scheduledIrOf(*state_->last.fusionClass, tensorTransforms);
}

std::shared_ptr<const LaunchPlan> FusionExecutorCache::lastPlan() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last.plan;
}

std::vector<Cut> FusionExecutorCache::cuts(const LaunchPlan& plan) const {
  const std::lock_guard lock(state_->mutex);
  const State::Known* known =
      state_->plans.search([&](const State::Known& each) { return each.plan.get() == &plan; });
  return known == nullptr ? std::vector<Cut>() : findCuts(*known->fusionClass);
}

std::vector<std::vector<const Val*>> FusionExecutorCache::segments(const LaunchPlan& plan) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::vector<const Val*>> result;
  const State::Known* known =
      state_->plans.search([&](const State::Known& each) { return each.plan.get() == &plan; });
  if (known == nullptr) {
    return result;
  }
  const auto& original = known->fusionClass->concrete.originalTensors;
  for (const SegmentKernels& entry : known->fusionClass->segments) {
    std::vector<const Val*>& tensors = result.emplace_back();
    for (const Val* computed : entry.segment.computed) {
      const auto found = original.find(computed);
      if (found != original.end() && std::ranges::find(tensors, found->second) == tensors.end()) {
        tensors.push_back(found->second);
      }
    }
  }
  return result;
}

}  // namespace nvfuser
