#include "runtime/plan_builder.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "core/error.h"
#include "device/cpu/thread_pool.h"
#include "emit/llvm.h"
#include "ir/clone.h"
#include "runtime/cpu_plan.h"
#include "runtime/views.h"

namespace nvfuser {

namespace {

constexpr size_t kCacheLine = 64;

// Extents of a tensor's visible dimensions, and the strides of a fresh tensor for it.
struct Allocation {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  // Elements of memory: expanded dimensions take none.
  int64_t elements = 1;
};

class Sizes {
 public:
  Sizes(ExpressionEvaluator& evaluator, const ConcreteFusion& concrete)
      : evaluator_(evaluator), concrete_(concrete) {}

  // Value of a scalar of the concrete fusion.
  PolymorphicValue value(const Val* val) const {
    if (val->isConst()) {
      return val->value();
    }
    const auto original = concrete_.original.find(val);
    if (original != concrete_.original.end()) {
      return evaluator_.evaluate(original->second);
    }
    return local_.evaluate(bindLeaves(val));
  }

  int64_t extent(const Val* val) const {
    const PolymorphicValue v = value(val);
    NVF_CHECK(v.is<int64_t>(), "The extent ", val->toString(), " is not determined by the inputs");
    NVF_CHECK(v.as<int64_t>() >= 0, "Invalid resized domain extent ", v.as<int64_t>(), " of ",
              val->toString());
    return v.as<int64_t>();
  }

  Allocation allocation(const TensorView* tv) const {
    Allocation result;
    const auto logical = tv->visible();
    for (const IterDomain* id : logical) {
      result.sizes.push_back(extent(id->visibleExtent()));
    }
    result.strides.assign(logical.size(), 0);
    const auto order = TensorDomain::noReductions(tv->domain()->maybeAllocation());
    for (size_t place = order.size(); place-- > 0;) {
      const auto i =
          static_cast<size_t>(std::ranges::find(logical, order[place]) - logical.begin());
      NVF_INTERNAL_CHECK(i < logical.size(), "allocation of ", tv->toString());
      if (order[place]->hasExpandedExtent()) {
        continue;
      }
      result.strides[i] = result.elements;
      result.elements *= result.sizes[i];
    }
    // torch gives strides of a tensor without elements as if every size were at least 1.
    if (result.elements == 0) {
      int64_t stride = 1;
      for (size_t place = order.size(); place-- > 0;) {
        const auto i =
            static_cast<size_t>(std::ranges::find(logical, order[place]) - logical.begin());
        result.strides[i] = stride;
        stride *= std::max<int64_t>(result.sizes[i], 1);
      }
    }
    return result;
  }

 private:
  // Symbols that concretization or scheduling made are expressions of known ones.
  const Val* bindLeaves(const Val* val) const {
    if (val->definition() == nullptr) {
      const auto original = concrete_.original.find(val);
      if (original != concrete_.original.end()) {
        local_.bind(val, evaluator_.evaluate(original->second));
      }
      return val;
    }
    for (const Val* in : val->definition()->inputs()) {
      if (!in->isConst()) {
        bindLeaves(in);
      }
    }
    return val;
  }

  ExpressionEvaluator& evaluator_;
  const ConcreteFusion& concrete_;
  mutable ExpressionEvaluator local_;
};

bool isElementwise(const Expr* expr) {
  return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
         (expr->is<LoadStoreOp>() && !expr->output(0)->asTensor()->domain()->hasRoot());
}

// Whether every use of `input` reads it at the position that is written: then its memory can be
// overwritten while the (only) kernel runs.
bool readsOnlyInPlace(const TensorView* input) {
  for (const Expr* use : input->uses()) {
    if (!isElementwise(use)) {
      return false;
    }
    for (const Val* out : use->outputs()) {
      if (out->asTensor()->visible().size() != input->visible().size() ||
          !readsOnlyInPlace(out->asTensor())) {
        return false;
      }
    }
  }
  return true;
}

bool sameDimensions(const TensorView* a, const TensorView* b) {
  const auto x = a->visible();
  const auto y = b->visible();
  if (x.size() != y.size()) {
    return false;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i]->isBroadcast() != y[i]->isBroadcast() || x[i]->hasExpandedExtent() ||
        y[i]->hasExpandedExtent()) {
      return false;
    }
  }
  return true;
}

}  // namespace

namespace {

// Whether everything that reads `input` is computed before `output`: is among what it depends on.
bool isReadBefore(const TensorView* input, const TensorView* output) {
  std::unordered_set<const Expr*> before;
  std::vector<const Val*> stack{output};
  while (!stack.empty()) {
    const Expr* expr = stack.back()->definition();
    stack.pop_back();
    if (expr != nullptr && before.insert(expr).second) {
      stack.insert(stack.end(), expr->inputs().begin(), expr->inputs().end());
    }
  }
  return std::ranges::all_of(input->uses(), [&](Expr* use) { return before.contains(use); });
}

// Gives an output the layout of the input it is written to.
void followLayout(TensorView* output, const TensorView* input) {
  const auto from = input->visible();
  const auto to = output->visible();
  std::vector<IterDomain*> allocation;
  for (IterDomain* id : input->domain()->maybeAllocation()) {
    allocation.push_back(to[static_cast<size_t>(std::ranges::find(from, id) - from.begin())]);
  }
  output->domain()->setAllocation(std::move(allocation), input->domain()->contiguity());
}

}  // namespace

std::unique_ptr<FusionClass> makeClass(const Fusion& fusion, std::span<const Layout> layouts,
                                       ExpressionEvaluator& evaluator) {
  auto result = std::make_unique<FusionClass>();
  result->concrete = concretize(fusion, layouts, evaluator);
  Fusion* concrete = result->concrete.fusion.get();
  result->outputs = concrete->outputs();
  for (const Fusion::Output& output : result->outputs) {
    if (output.alias == nullptr && !output.tv->isFusionInput() &&
        isInputView(output.tv, *concrete) && !result->views.contains(output.tv)) {
      result->views.insert(output.tv);
      concrete->removeOutput(output.tv);
    }
  }
  const std::vector<Expr*> exprs = concrete->tensorExprs();
  if (rejectionReason(SchedulerType::Pointwise, exprs).empty()) {
    std::unordered_set<const TensorView*> targets;
    for (const Fusion::Output& output : result->outputs) {
      if (output.alias != nullptr && output.tv->dtype() == output.alias->dtype() &&
          output.tv->dtype() != DataType::Float4_e2m1fn && targets.insert(output.alias).second &&
          !result->directUpdates.contains(output.tv) && sameDimensions(output.tv, output.alias) &&
          readsOnlyInPlace(output.alias) && isReadBefore(output.alias, output.tv)) {
        result->directUpdates[output.tv] = output.alias;
        followLayout(output.tv, output.alias);
      }
    }
  }
  if (exprs.empty()) {
    return result;
  }
  for (Segment& segment : segmentFusion(concrete, result->directUpdates)) {
    result->segments.push_back({std::move(segment), {}});
  }
  return result;
}

class PlanBuilder {
 public:
  PlanBuilder(FusionClass& fusionClass, std::span<const PolymorphicValue> arguments,
              ExpressionEvaluator& evaluator)
      : class_(fusionClass),
        fusion_(fusionClass.concrete.fusion.get()),
        arguments_(arguments),
        sizes_(evaluator, fusionClass.concrete),
        parts_() {}

  std::shared_ptr<LaunchPlan> run(const std::string& kernelName) {
    recordSignature();
    placeInputs();
    placeOutputs();
    for (size_t i = 0; i < class_.segments.size(); ++i) {
      addLaunch(class_.segments[i], kernelName + "_" + std::to_string(i));
    }
    addUpdates();
    // What memory delivers to one core, roughly.
    parts_.estimatedNanoseconds = bytesMoved_ / 8;
    return std::make_shared<CpuPlan>(std::move(parts_));
  }

 private:
  void recordSignature() {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      ArgumentSignature known;
      const PolymorphicValue& argument = arguments_[i];
      known.alternative = argument.value.index();
      if (argument.is<Tensor>()) {
        const Tensor& tensor = argument.as<Tensor>();
        known.isTensor = true;
        known.dtype = tensor.dtype;
        known.device = tensor.device;
        known.ndim = tensor.ndim;
        known.geometry.assign(tensor.sizes, tensor.sizes + tensor.ndim);
        known.geometry.insert(known.geometry.end(), tensor.strides, tensor.strides + tensor.ndim);
        bytesMoved_ += bytesOf(tensor.dtype, tensor.numel());
      } else {
        known.value = argument;
        known.isFixed = isUsedInExtents(fusion_->inputs()[i]);
      }
      parts_.signature.push_back(std::move(known));
    }
  }

  // Whether a size depends on the scalar.
  bool isUsedInExtents(const Val* scalar) const {
    std::unordered_set<const Val*> seen;
    const std::function<bool(const Val*)> reaches = [&](const Val* val) -> bool {
      if (val == scalar) {
        return true;
      }
      if (!seen.insert(val).second || val->definition() == nullptr) {
        return false;
      }
      return std::ranges::any_of(val->definition()->inputs(), reaches);
    };
    for (const Val* val : fusion_->vals()) {
      if (val->vtype() == ValType::IterDomain) {
        const auto* id = static_cast<const IterDomain*>(val);
        if (reaches(id->visibleExtent()) || reaches(id->extent())) {
          return true;
        }
      }
    }
    // Slices and pads use scalars as offsets, which kernels receive like extents.
    for (const Expr* expr : fusion_->allExprs()) {
      if (expr->is<Resize>() && std::ranges::any_of(expr->operands(), reaches)) {
        return true;
      }
    }
    return false;
  }

  void placeInputs() {
    for (size_t i = 0; i < fusion_->inputs().size(); ++i) {
      Val* input = fusion_->inputs()[i];
      if (!input->isTensor()) {
        continue;
      }
      memory_[input] = {Memory::Kind::Argument, static_cast<int64_t>(i)};
      const TensorGeometry geometry = geometryOf(input->asTensor(), arguments_[i].as<Tensor>());
      strides_[input] = geometry.strides;
      if (device_.type == DeviceType::CPU) {
        device_ = arguments_[i].as<Tensor>().device;
      }
    }
  }

  int32_t argumentNumber(const Val* input) const {
    return static_cast<int32_t>(std::ranges::find(fusion_->inputs(), input) -
                                fusion_->inputs().begin());
  }

  Memory inArena(int64_t bytes) {
    const Memory memory{Memory::Kind::Arena, static_cast<int64_t>(parts_.arenaBytes)};
    parts_.arenaBytes += (static_cast<size_t>(std::max<int64_t>(bytes, 1)) + kCacheLine - 1) /
                         kCacheLine * kCacheLine;
    return memory;
  }

  void placeOutputs() {
    const auto& outputs = class_.outputs;
    // Updates decide first where a value lives.
    for (const Fusion::Output& output : outputs) {
      if (output.alias == nullptr) {
        continue;
      }
      const Allocation allocation = sizes_.allocation(output.tv);
      const auto target = static_cast<size_t>(argumentNumber(output.alias));
      const TensorGeometry geometry = geometryOf(output.alias, arguments_[target].as<Tensor>());
      NVF_CHECK(allocation.sizes == geometry.sizes, "Expected the value of ", output.tv->toString(),
                " to have the shape of the input it updates, ", output.alias->toString());
      NVF_CHECK(output.tv->dtype() == output.alias->dtype(), "Expected the value of ",
                output.tv->toString(), " to have the dtype of the input it updates, ",
                output.alias->toString());
      aliasOf_[output.tv] = target;
      if (class_.directUpdates.contains(output.tv)) {
        memory_[output.tv] = memory_.at(output.alias);
        strides_[output.tv] = strides_.at(output.alias);
      } else if (!memory_.contains(output.tv)) {
        memory_[output.tv] = inArena(bytesOf(output.tv->dtype(), allocation.elements));
        strides_[output.tv] = allocation.strides;
      }
    }
    std::unordered_map<const TensorView*, int32_t> firstVisible;
    for (const Fusion::Output& output : outputs) {
      if (!output.isVisible) {
        continue;
      }
      const auto number = static_cast<int32_t>(parts_.outputs.size());
      OutputSpec spec;
      spec.dtype = output.tv->dtype() == DataType::Index ? DataType::Int : output.tv->dtype();
      spec.device = device_;
      if (const auto alias = aliasOf_.find(output.tv); alias != aliasOf_.end()) {
        spec.kind = OutputSpec::Kind::Input;
        spec.input = static_cast<int32_t>(alias->second);
      } else if (output.tv->isFusionInput()) {
        spec.kind = OutputSpec::Kind::Input;
        spec.input = argumentNumber(output.tv);
      } else if (class_.views.contains(output.tv)) {
        const View view = inputView(
            output.tv, [&](const TensorView* input) { return strides_.at(input); },
            [&](const Val* val) { return sizes_.extent(val); });
        spec.kind = OutputSpec::Kind::InputView;
        spec.input = argumentNumber(view.input);
        spec.offset = view.offset;
        spec.sizes = sizes_.allocation(output.tv).sizes;
        spec.strides = view.strides;
      } else if (const auto first = firstVisible.find(output.tv); first != firstVisible.end()) {
        spec.kind = OutputSpec::Kind::Repeat;
        spec.input = first->second;
      } else {
        firstVisible[output.tv] = number;
        const Allocation allocation = sizes_.allocation(output.tv);
        spec.sizes = allocation.sizes;
        spec.strides = allocation.strides;
        memory_[output.tv] = {Memory::Kind::Output, number};
        strides_[output.tv] = allocation.strides;
        bytesMoved_ += bytesOf(output.tv->dtype(), allocation.elements);
        packFp4(output.tv, spec);
        if (class_.segments.size() == 1 &&
            class_.segments.front().segment.scheduler == SchedulerType::Pointwise) {
          addAliasableInputs(output.tv, spec);
        }
      }
      parts_.outputs.push_back(std::move(spec));
    }
  }

  void addAliasableInputs(TensorView* output, OutputSpec& spec) {
    for (Val* input : fusion_->inputs()) {
      if (input->isTensor() && sameDimensions(output, input->asTensor()) &&
          readsOnlyInPlace(input->asTensor()) && isReadBefore(input->asTensor(), output)) {
        spec.mayAliasInputs.push_back(argumentNumber(input));
      }
    }
  }

  // The caller sees packed fp4 as torch does: pairs of elements.
  static void packFp4(const TensorView* tv, OutputSpec& spec) {
    if (tv->dtype() != DataType::Float4_e2m1fn) {
      return;
    }
    spec.dtype = DataType::Float4_e2m1fn_x2;
    const auto fastest = std::ranges::find(spec.strides, 1);
    NVF_CHECK(fastest != spec.strides.end(),
              "An fp4 output needs a contiguous dimension: ", tv->toString());
    const auto packed = static_cast<size_t>(fastest - spec.strides.begin());
    NVF_CHECK(spec.sizes[packed] % 2 == 0, "Expected an even number of fp4 elements in dimension ",
              packed, " of ", tv->toString(), " but got ", spec.sizes[packed]);
    for (size_t i = 0; i < spec.sizes.size(); ++i) {
      if (i == packed) {
        spec.sizes[i] /= 2;
      } else {
        spec.strides[i] /= 2;
      }
    }
  }

  void addUpdates() {
    for (const Fusion::Output& output : class_.outputs) {
      if (output.alias == nullptr || (class_.directUpdates.contains(output.tv) &&
                                      class_.directUpdates.at(output.tv) == output.alias)) {
        continue;
      }
      NVF_CHECK(output.tv->dtype() != DataType::Float4_e2m1fn,
                "Updating a packed fp4 input in place is not supported: ", output.tv->toString());
      parts_.updates.push_back({memory_.at(output.tv), argumentNumber(output.alias),
                                sizes_.allocation(output.tv).sizes, strides_.at(output.tv),
                                strides_.at(output.alias), info(output.tv->dtype()).bits / 8});
    }
  }

  // Value of a scalar of a segment (or of a kernel's copy of it).
  PolymorphicValue segmentValue(const Val* val, const ScalarMap& toConcrete,
                                ExpressionEvaluator& local) const {
    bindSegmentLeaves(val, toConcrete, local);
    return local.evaluate(val);
  }

  void bindSegmentLeaves(const Val* val, const ScalarMap& toConcrete,
                         ExpressionEvaluator& local) const {
    if (val->isConst()) {
      return;
    }
    if (val->definition() == nullptr) {
      const auto known = toConcrete.find(val);
      NVF_INTERNAL_CHECK(known != toConcrete.end(), "unknown symbol ", val->toString());
      local.bind(val, sizes_.value(known->second));
      return;
    }
    for (const Val* in : val->definition()->inputs()) {
      bindSegmentLeaves(in, toConcrete, local);
    }
  }

  static bool hasEmptyTensor(const Fusion& fusion, const ScheduleContext& context) {
    return std::ranges::any_of(fusion.tensors(), [&](const TensorView* tv) {
      return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
        return context.extent(id->visibleExtent()) == 0;
      });
    });
  }

  void addLaunch(SegmentKernels& entry, const std::string& name) {
    const Segment& segment = entry.segment;
    // Tensors between segments live in the arena.
    for (TensorView* output : segment.outputs) {
      if (!memory_.contains(output)) {
        const Allocation allocation = sizes_.allocation(output);
        memory_[output] = inArena(bytesOf(output->dtype(), allocation.elements));
        strides_[output] = allocation.strides;
      }
    }
    ExpressionEvaluator local;
    ScheduleContext context;
    context.extent = [&](const Val* val) {
      return segmentValue(val, segment.scalars, local).as<int64_t>();
    };
    context.numThreads = cpu::numThreads();
    // Without elements there is nothing to gain, and loops that tensors share would run no time
    // also for those that have elements: every tensor is computed on its own.
    ScheduleParams params{SchedulerType::NoOp};
    if (!hasEmptyTensor(*segment.fusion, context)) {
      params = computeHeuristics(segment.fusion.get(), segment.scheduler, context);
    }
    SegmentKernels::Entry& kernel = entry.kernels[params];
    if (kernel.compiled == nullptr) {
      Cloner cloner(nullptr);
      std::unique_ptr<Fusion> copy = cloneFusion(*segment.fusion, &cloner);
      ScalarMap scalars;
      for (const auto& [original, clone] : cloner.vals()) {
        if (const auto known = segment.scalars.find(original); known != segment.scalars.end()) {
          scalars[clone] = known->second;
        }
      }
      kernel = {compileKernel(std::move(copy), params, name), std::move(scalars)};
    }
    parts_.launches.push_back(makeLaunch(segment, kernel.compiled, kernel.scalars));
  }

  Launch makeLaunch(const Segment& segment, const std::shared_ptr<CompiledKernel>& kernel,
                    const ScalarMap& scalars) {
    Launch launch;
    launch.kernel = kernel;
    const kir::Kernel& program = *kernel->kernel;
    ExpressionEvaluator local;
    const auto extent = [&](const Val* val) {
      return segmentValue(val, scalars, local).as<int64_t>();
    };
    // The kernel's tensors: inputs and outputs in the segment's order, workspaces of its own.
    std::unordered_map<const TensorView*, const Val*> outer;
    for (size_t i = 0; i < segment.inputs.size(); ++i) {
      outer[program.fusion->inputs()[i]->asTensor()] = segment.inputs[i];
    }
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      outer[program.fusion->outputs()[i].tv] = segment.outputs[i];
    }
    for (const kir::Parameter& parameter : program.parameters) {
      const auto slot = static_cast<int32_t>(launch.slots.size());
      launch.slots.resize(launch.slots.size() + static_cast<size_t>(slotsOf(parameter)), 0);
      switch (parameter.kind) {
        case kir::Parameter::Kind::Pointer: {
          const auto known = outer.find(parameter.tv);
          if (known != outer.end()) {
            launch.pointers.push_back({slot, memory_.at(known->second)});
          } else {
            int64_t elements = 1;
            for (const IterDomain* id : parameter.tv->visible()) {
              elements *= id->isBroadcast() ? 1 : extent(id->extent());
            }
            launch.pointers.push_back(
                {slot, inArena(elements * std::max(info(parameter.tv->dtype()).bits, 8) / 8)});
          }
          break;
        }
        case kir::Parameter::Kind::Stride:
          launch.slots[static_cast<size_t>(slot)] =
              strides_.at(outer.at(parameter.tv))[static_cast<size_t>(parameter.dimension)];
          break;
        case kir::Parameter::Kind::Scalar:
          addScalar(launch, slot, parameter.value, scalars, local);
          break;
      }
    }
    for (size_t i = 0; i < program.phases.size(); ++i) {
      const kir::Phase& phase = program.phases[i];
      PhaseLaunch phaseLaunch;
      phaseLaunch.function = kernel->phase(i);
      phaseLaunch.extent = phase.parallelExtent == nullptr ? 1 : extent(phase.parallelExtent);
      phaseLaunch.scratchBytes = static_cast<size_t>(extent(phase.scratchBytes));
      phaseLaunch.grain = grainOf(program, phaseLaunch.extent, extent);
      launch.phases.push_back(phaseLaunch);
    }
    return launch;
  }

  void addScalar(Launch& launch, int32_t slot, const Val* symbol, const ScalarMap& scalars,
                 ExpressionEvaluator& local) {
    const auto known = scalars.find(symbol);
    if (known != scalars.end()) {
      // A scalar argument is read at every run, unless it is part of the signature.
      const auto& inputs = fusion_->inputs();
      const auto argument = std::ranges::find(inputs, known->second);
      if (argument != inputs.end() &&
          !parts_.signature[static_cast<size_t>(argument - inputs.begin())].isFixed) {
        launch.scalars.push_back(
            {slot, static_cast<int32_t>(argument - inputs.begin()), symbol->dtype()});
        return;
      }
    }
    writeScalar(&launch.slots[static_cast<size_t>(slot)], segmentValue(symbol, scalars, local),
                symbol->dtype());
  }

  // Iterations of the parallel loop that are worth a worker of their own.
  template <typename Extent>
  int64_t grainOf(const kir::Kernel& program, int64_t iterations, const Extent& extent) {
    if (iterations <= 1) {
      return 1;
    }
    int64_t largest = 1;
    for (const kir::Parameter& parameter : program.parameters) {
      if (parameter.kind != kir::Parameter::Kind::Pointer) {
        continue;
      }
      // Two elements share a byte of packed fp4: parts would have to begin at even elements.
      if (parameter.tv->dtype() == DataType::Float4_e2m1fn && !parameter.tv->isFusionInput()) {
        return iterations;
      }
      int64_t elements = 1;
      for (const IterDomain* id : parameter.tv->visible()) {
        elements *= extent(id->visibleExtent());
      }
      largest = std::max(largest, elements);
    }
    constexpr int64_t kElementsPerPart = 32 * 1024;
    const int64_t perIteration = std::max<int64_t>(1, largest / iterations);
    return std::max<int64_t>(1, kElementsPerPart / perIteration);
  }

  FusionClass& class_;
  Fusion* fusion_;
  std::span<const PolymorphicValue> arguments_;
  Sizes sizes_;
  CpuPlanParts parts_;
  Device device_;
  int64_t bytesMoved_ = 0;
  std::unordered_map<const Val*, Memory> memory_;
  std::unordered_map<const Val*, std::vector<int64_t>> strides_;
  std::unordered_map<const TensorView*, size_t> aliasOf_;
};

std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator,
                                      const std::string& kernelName) {
  return PlanBuilder(fusionClass, arguments, evaluator).run(kernelName);
}

}  // namespace nvfuser
