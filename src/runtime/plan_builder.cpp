#include "runtime/plan_builder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/options.h"
#include "ir/clone.h"
#include "lower/kernel.h"
#include "runtime/memory_plan.h"
#include "runtime/sizes.h"
#include "runtime/views.h"

namespace nvfuser {

namespace {

class PlanBuilder {
 public:
  PlanBuilder(FusionClass& fusionClass, const Backend& backend,
              std::span<const PolymorphicValue> arguments, ExpressionEvaluator& evaluator)
      : class_(fusionClass),
        backend_(backend),
        fusion_(fusionClass.concrete.fusion.get()),
        arguments_(arguments),
        sizes_(evaluator, fusionClass.concrete) {}

  std::shared_ptr<LaunchPlan> run(int64_t outputAlignment, const std::string& kernelName) {
    parts_.device = class_.device;
    parts_.randomOps = class_.concrete.randomOps;
    parts_.outputAlignment = outputAlignment;
    parts_.signature =
        Signature(arguments_, [&](size_t i) { return class_.sizeArguments.contains(i); });
    findLibraryTensors();
    placeInputs();
    placeUpdates();
    placeOutputs();
    placeReshapedOutputs();
    for (size_t i = 0; i < class_.segments.size(); ++i) {
      if (class_.segments[i].segment.scheduler == SchedulerType::ExprEval) {
        addCall(class_.segments[i].segment, i);
      } else {
        addLaunch(class_.segments[i], i, kernelName + "_" + std::to_string(i));
      }
    }
    placeWorkspace();
    if (parts_.library != nullptr) {
      releaseHeld();
    }
    return backend_.makePlan(std::move(parts_));
  }

 private:
  // A tensor of the whole fusion: where it is and how it lies there.
  struct Place {
    Memory memory;
    std::vector<int64_t> strides;
  };

  // ---------------------------------------------------------------- memory

  void placeInputs() {
    for (size_t i = 0; i < fusion_->inputs().size(); ++i) {
      Val* input = fusion_->inputs()[i];
      if (input->isTensor()) {
        const auto& tensor = arguments_[i].as<Tensor>();
        places_[input] = {{Memory::Kind::Argument, static_cast<int64_t>(i)},
                          geometryOf(input->asTensor(), tensor).strides};
        parts_.traffic.inputBytes += bytesOf(tensor.dtype, tensor.numel());
      }
    }
  }

  int32_t argumentNumber(const Val* input) const {
    return static_cast<int32_t>(std::ranges::find(fusion_->inputs(), input) -
                                fusion_->inputs().begin());
  }

  // Memory that launch number `launch` is the first to need. Its position is a number of
  // `workspace_` until all are known.
  Memory inWorkspace(int64_t bytes, size_t launch) {
    return {Memory::Kind::Workspace, static_cast<int64_t>(workspace_.add(bytes, launch))};
  }

  // A tensor that passes between segments.
  void placeBetween(const TensorView* tv, size_t launch) {
    if (libraryTensors_.contains(tv)) {
      OutputSpec spec = freshSpec(tv);
      places_[tv] = {{Memory::Kind::Held, static_cast<int64_t>(parts_.library->held.size())},
                     sizes_.allocation(tv).strides};
      parts_.library->held.push_back(std::move(spec));
      return;
    }
    const Allocation allocation = sizes_.allocation(tv);
    places_[tv] = {inWorkspace(bytesOf(tv->dtype(), allocation.elements), launch),
                   allocation.strides};
  }

  // Updates decide first where a value lives.
  void placeUpdates() {
    for (const Fusion::Output& output : class_.outputs) {
      if (output.alias == nullptr) {
        continue;
      }
      const auto target = static_cast<size_t>(argumentNumber(output.alias));
      const auto& updated = arguments_[target].as<Tensor>();
      const TensorGeometry geometry = geometryOf(output.alias, updated);
      NVF_CHECK(sizes_.allocation(output.tv).sizes == geometry.sizes, "Expected the value of ",
                output.tv->toString(), " to have the shape of the input it updates, ",
                output.alias->toString());
      aliasOf_[output.tv] = static_cast<int32_t>(target);
      parts_.traffic.outputBytes += bytesOf(updated.dtype, updated.numel());
    }
    for (const auto& [tv, alias] : class_.directUpdates) {
      places_[tv] = places_.at(alias);
    }
  }

  OutputSpec emptySpec(const TensorView* tv) const {
    OutputSpec spec;
    spec.dtype = tv->dtype() == DataType::Index ? DataType::Int : tv->dtype();
    spec.device = class_.device;
    return spec;
  }

  // Of a tensor that is made for `tv`.
  OutputSpec freshSpec(const TensorView* tv) const {
    OutputSpec spec = emptySpec(tv);
    const Allocation allocation = sizes_.allocation(tv);
    spec.sizes = allocation.sizes;
    spec.strides = allocation.strides;
    packFp4(tv, spec);
    return spec;
  }

  void placeOutputs() {
    std::unordered_map<const TensorView*, int32_t> firstVisible;
    for (const Fusion::Output& output : class_.outputs) {
      if (!output.isVisible) {
        continue;
      }
      const auto number = static_cast<int32_t>(parts_.outputs.size());
      OutputSpec spec = emptySpec(output.tv);
      if (const auto alias = aliasOf_.find(output.tv); alias != aliasOf_.end()) {
        spec.kind = OutputSpec::Kind::Input;
        spec.input = alias->second;
      } else if (output.tv->isFusionInput()) {
        spec.kind = OutputSpec::Kind::Input;
        spec.input = argumentNumber(output.tv);
      } else if (class_.views.contains(output.tv)) {
        describeView(output.tv, spec);
      } else if (const auto first = firstVisible.find(output.tv); first != firstVisible.end()) {
        spec.kind = OutputSpec::Kind::Repeat;
        spec.input = first->second;
      } else {
        firstVisible[output.tv] = number;
        placeFreshOutput(output.tv, number, spec);
      }
      parts_.outputs.push_back(std::move(spec));
    }
  }

  // What an output is a reshape of, if it lies in memory as that does, is computed there.
  void placeReshapedOutputs() {
    for (const SegmentKernels& entry : class_.segments) {
      const Segment& segment = entry.segment;
      const std::vector<Expr*> exprs = segment.fusion->tensorExprs();
      if (exprs.size() != 1 || !exprs[0]->is<ReshapeOp>() || segment.inputs.size() != 1) {
        continue;
      }
      const auto* source = static_cast<const TensorView*>(segment.inputs[0]);
      const TensorView* output = segment.outputs[0];
      const Allocation original = sizes_.allocation(source);
      const Allocation reshaped = sizes_.allocation(output);
      const auto place = places_.find(output);
      const bool isOwn =
          place != places_.end() && place->second.memory.kind == Memory::Kind::Output;
      if (!isOwn || places_.contains(source) || libraryTensors_.contains(source) ||
          libraryTensors_.contains(output) || !isRowMajor(original.sizes, original.strides) ||
          !isRowMajor(reshaped.sizes, reshaped.strides)) {
        continue;
      }
      places_[source] = {place->second.memory, original.strides};
      inPlace_.insert(&segment);
    }
  }

  void describeView(const TensorView* tv, OutputSpec& spec) const {
    const View view = inputView(
        tv, [&](const TensorView* input) { return places_.at(input).strides; },
        [&](const Val* val) { return sizes_.extent(val); });
    spec.kind = OutputSpec::Kind::InputView;
    spec.input = argumentNumber(view.input);
    spec.offset = view.offset;
    spec.sizes = sizes_.allocation(tv).sizes;
    spec.strides = view.strides;
  }

  void placeFreshOutput(TensorView* tv, int32_t number, OutputSpec& spec) {
    const Allocation allocation = sizes_.allocation(tv);
    spec = freshSpec(tv);
    places_[tv] = {{Memory::Kind::Output, number}, allocation.strides};
    parts_.traffic.outputBytes += bytesOf(tv->dtype(), allocation.elements);
    if (tv->definition()->is<LibraryOp>()) {
      spec.kind = OutputSpec::Kind::Library;
    }
    if (class_.segments.size() == 1 &&
        class_.segments.front().segment.scheduler == SchedulerType::Pointwise) {
      addAliasableInputs(tv, spec);
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

  // All launches are known: numbers of buffers become offsets.
  void placeWorkspace() {
    workspace_.place();
    parts_.workspaceBytes = workspace_.bytes();
    for (Launch& launch : parts_.launches) {
      for (PointerSlot& pointer : launch.pointers) {
        if (pointer.memory.kind == Memory::Kind::Workspace) {
          pointer.memory.position = workspace_.offset(static_cast<size_t>(pointer.memory.position));
        }
      }
    }
  }

  // What the address of a tensor is a multiple of in every run of this plan.
  int64_t alignmentOf(const Memory& memory) const {
    switch (memory.kind) {
      case Memory::Kind::Argument:
        return parts_.signature.alignment(static_cast<size_t>(memory.position));
      case Memory::Kind::Output:
        return parts_.outputAlignment;
      case Memory::Kind::Held:
      case Memory::Kind::Workspace:
        break;
    }
    return kVectorBytes;
  }

  // ---------------------------------------------------------------- values

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

  // ---------------------------------------------------------------- schedules

  // Inputs and outputs of a segment, or of a kernel's copy of it, as tensors of the whole fusion.
  static std::unordered_map<const TensorView*, const Val*> outerTensors(const Segment& segment,
                                                                        const Fusion& fusion) {
    std::unordered_map<const TensorView*, const Val*> outer;
    for (size_t i = 0; i < segment.inputs.size(); ++i) {
      outer[fusion.inputs()[i]->asTensor()] = segment.inputs[i];
    }
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      outer[fusion.outputs()[i].tv] = segment.outputs[i];
    }
    return outer;
  }

  // Whether an index or an offset of this segment may not fit in 32 bits. Schedules round extents
  // up to whole tiles: the margin is for that.
  bool needsWideIndex(const Segment& segment, const ScheduleContext& context) const {
    constexpr int64_t kLimit = std::numeric_limits<int32_t>::max() - (int64_t{1} << 24);
    for (const TensorView* tv : segment.fusion->tensors()) {
      int64_t elements = 1;
      for (const IterDomain* id : tv->logical()) {
        elements *= std::max<int64_t>(context.extent(id->visibleExtent()), 1);
        if (elements > kLimit) {
          return true;
        }
      }
    }
    for (const auto& [tv, outer] : outerTensors(segment, *segment.fusion)) {
      const auto visible = tv->visible();
      const std::vector<int64_t>& strides = places_.at(outer).strides;
      int64_t last = 0;
      for (size_t i = 0; i < visible.size(); ++i) {
        last += std::max<int64_t>(context.extent(visible[i]->visibleExtent()) - 1, 0) *
                std::abs(strides[i]);
      }
      if (last > kLimit) {
        return true;
      }
    }
    return false;
  }

  bool hasWideIndex(const Segment& segment, const ScheduleContext& context) const {
    // CPUs have no use for narrow indices.
    const bool isWide = context.device == DeviceType::CPU || needsWideIndex(segment, context);
    const std::optional<DataType>& wanted = class_.compileParams.indexType;
    NVF_CHECK(
        !isWide || context.device == DeviceType::CPU || wanted != DataType::Int32,
        "Indices were asked to be of dtype Int32, which the sizes of the inputs do not allow");
    return isWide || wanted == DataType::Int;
  }

  ScheduleParams chooseSchedule(const Segment& segment) {
    ExpressionEvaluator local;
    const auto outer = outerTensors(segment, *segment.fusion);
    ScheduleContext context;
    backend_.describe(context);
    context.extent = [&](const Val* val) {
      return segmentValue(val, segment.scalars, local).as<int64_t>();
    };
    context.alignment = [&](const TensorView* tv) {
      return alignmentOf(places_.at(outer.at(tv)).memory);
    };
    context.strides = [&](const TensorView* tv) { return places_.at(outer.at(tv)).strides; };
    ScheduleParams params;
    params.type = SchedulerType::NoOp;
    if (!hasEmptyTensor(*segment.fusion, context)) {
      if (segment.scheduler == SchedulerType::None) {
        params.type = SchedulerType::None;
      } else {
        params = computeHeuristics(segment.fusion.get(), segment.scheduler, context);
      }
    }
    params.device = context.device;
    params.hasWideIndex = hasWideIndex(segment, context);
    return params;
  }

  // ---------------------------------------------------------------- launches

  Traffic trafficOf(const Segment& segment) const {
    const auto bytes = [&](const TensorView* tv) {
      return bytesOf(tv->dtype(), sizes_.allocation(tv).elements);
    };
    Traffic traffic;
    for (const Val* input : segment.inputs) {
      traffic.inputBytes += bytes(input->asTensor());
    }
    for (const TensorView* output : segment.outputs) {
      traffic.outputBytes += bytes(output);
    }
    return traffic;
  }

  void addLaunch(SegmentKernels& entry, size_t position, const std::string& name) {
    const Segment& segment = entry.segment;
    if (inPlace_.contains(&segment)) {
      return;
    }
    const size_t number = parts_.launches.size();
    // Tensors between segments live in the workspace.
    for (const TensorView* output : segment.outputs) {
      if (!places_.contains(output)) {
        placeBetween(output, number);
      }
    }
    for (const Val* input : segment.inputs) {
      const Memory& memory = places_.at(input).memory;
      if (memory.kind == Memory::Kind::Workspace) {
        workspace_.extend(static_cast<size_t>(memory.position), number);
      }
    }
    const auto isEmpty = [&](const TensorView* tv) {
      const std::vector<int64_t> sizes = sizes_.allocation(tv).sizes;
      return std::ranges::find(sizes, 0) != sizes.end();
    };
    if (std::ranges::all_of(segment.outputs, isEmpty)) {
      return;
    }
    const ScheduleParams params = chooseSchedule(segment);
    SegmentKernels::Entry& kernel = entry.kernels[params];
    if (kernel.compiled == nullptr || isOn(Option::disable_kernel_reuse)) {
      try {
        kernel = compile(segment, params, name);
      } catch (const ScheduleError&) {
        // What a heuristic cannot do costs time, not the result. Users want to know.
        if (params.type == SchedulerType::NoOp || params.type == SchedulerType::None ||
            isOn(Option::disable_fallback)) {
          throw;
        }
        ScheduleParams unfused;
        unfused.type = SchedulerType::NoOp;
        unfused.device = params.device;
        unfused.hasWideIndex = params.hasWideIndex;
        kernel = compile(segment, unfused, name);
      }
    }
    parts_.launches.push_back(makeLaunch(segment, kernel, number));
    parts_.launches.back().segment = position;
    parts_.launches.back().traffic = trafficOf(segment);
    if (parts_.library != nullptr) {
      addStep(LibraryProgram::Step::Kind::Launch, number, segment);
    }
  }

  // ---------------------------------------------------------------- library calls

  // What calls read or write is in tensors of its own.
  void findLibraryTensors() {
    for (const SegmentKernels& entry : class_.segments) {
      if (entry.segment.scheduler == SchedulerType::ExprEval) {
        if (parts_.library == nullptr) {
          parts_.library = std::make_unique<LibraryProgram>();
        }
        libraryTensors_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
        libraryTensors_.insert(entry.segment.outputs.begin(), entry.segment.outputs.end());
      } else {
        kernelInputs_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
      }
    }
  }

  LibraryTensor libraryTensor(const Val* tv) const {
    const auto known = class_.libraryViews.find(tv->asTensor());
    if (known == class_.libraryViews.end()) {
      return {places_.at(tv).memory, std::nullopt};
    }
    OutputSpec spec;
    describeView(known->second, spec);
    return {{Memory::Kind::Argument, spec.input},
            LibraryTensor::View{spec.sizes, spec.strides, spec.offset}};
  }

  void addCall(const Segment& segment, size_t position) {
    const auto* op = segment.fusion->tensorExprs().front()->as<LibraryOp>();
    ExpressionEvaluator local;
    LibraryCall call;
    call.type = op->type();
    call.segment = position;
    call.definition = op->toString();
    const auto parameters = op->info().parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const LibraryOp::Argument argument = op->argument(i);
      call.tensors.emplace_back();
      call.scalars.emplace_back();
      call.numbers.push_back(argument.number);
      if (argument.val == nullptr) {
        continue;
      }
      if (argument.val->isTensor()) {
        const auto input = std::ranges::find(segment.fusion->inputs(), argument.val) -
                           segment.fusion->inputs().begin();
        call.tensors.back() = libraryTensor(segment.inputs[static_cast<size_t>(input)]);
      } else {
        call.scalars.back() = segmentValue(argument.val, segment.scalars, local);
      }
    }
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      const TensorView* output = segment.outputs[i];
      if (!places_.contains(output)) {
        placeBetween(output, parts_.launches.size());
      }
      const auto& results = op->outputs();
      const auto number = std::ranges::find(results, segment.fusion->outputs()[i].tv);
      LibraryResult result{static_cast<size_t>(number - results.begin()), places_.at(output).memory,
                           freshSpec(output)};
      result.hasFixedStrides = kernelInputs_.contains(output);
      if (result.memory.kind == Memory::Kind::Argument) {
        result.spec.strides = places_.at(output).strides;
      }
      call.results.push_back(std::move(result));
    }
    call.traffic = trafficOf(segment);
    addStep(LibraryProgram::Step::Kind::Call, parts_.library->calls.size(), segment);
    parts_.library->calls.push_back(std::move(call));
  }

  void addStep(LibraryProgram::Step::Kind kind, size_t number, const Segment& segment) {
    LibraryProgram::Step step{kind, number, {}, {}};
    for (const TensorView* output : segment.outputs) {
      const Memory& memory = places_.at(output).memory;
      if (memory.kind == Memory::Kind::Held && kind == LibraryProgram::Step::Kind::Launch) {
        step.allocated.push_back(static_cast<size_t>(memory.position));
      }
    }
    const auto used = [&](const Val* tv) {
      const auto place = places_.find(tv);
      if (place != places_.end() && place->second.memory.kind == Memory::Kind::Held) {
        lastStep_[static_cast<size_t>(place->second.memory.position)] =
            parts_.library->steps.size();
      }
    };
    std::ranges::for_each(segment.inputs, used);
    std::ranges::for_each(segment.outputs, used);
    parts_.library->steps.push_back(std::move(step));
  }

  void releaseHeld() {
    for (const auto& [tensor, step] : lastStep_) {
      parts_.library->steps[step].released.push_back(tensor);
    }
  }

  SegmentKernels::Entry compile(const Segment& segment, const ScheduleParams& params,
                                const std::string& name) {
    Cloner cloner(nullptr);
    std::unique_ptr<Fusion> copy = cloneFusion(*segment.fusion, &cloner);
    ScalarMap scalars;
    for (const auto& [original, clone] : cloner.vals()) {
      if (const auto known = segment.scalars.find(original); known != segment.scalars.end()) {
        scalars[clone] = known->second;
      }
    }
    return {compileKernel(backend_, std::move(copy), params, name), std::move(scalars)};
  }

  Launch makeLaunch(const Segment& segment, const SegmentKernels::Entry& entry, size_t number) {
    Launch launch;
    launch.kernel = entry.compiled;
    const kir::Kernel& program = *entry.compiled->kernel;
    ExpressionEvaluator local;
    const auto extent = [&](const Val* val) {
      return segmentValue(val, entry.scalars, local).as<int64_t>();
    };
    const auto outer = outerTensors(segment, *program.fusion);
    for (const kir::Parameter& parameter : program.parameters) {
      const auto slot = static_cast<int32_t>(launch.slots.size());
      launch.slots.resize(launch.slots.size() + static_cast<size_t>(slotsOf(parameter)), 0);
      switch (parameter.kind) {
        case kir::Parameter::Kind::Pointer: {
          int64_t elements = 1;
          int64_t stored = 1;
          for (const IterDomain* id : parameter.tv->visible()) {
            elements *= extent(id->visibleExtent());
            stored *= id->isBroadcast() ? 1 : extent(id->extent());
          }
          launch.largestTensor = std::max(launch.largestTensor, elements);
          const auto known = outer.find(parameter.tv);
          launch.pointers.push_back(
              {slot, known != outer.end()
                         ? places_.at(known->second).memory
                         : inWorkspace(stored * std::max(info(parameter.tv->dtype()).bits, 8) / 8,
                                       number)});
          break;
        }
        case kir::Parameter::Kind::Stride:
          launch.slots[static_cast<size_t>(slot)] =
              places_.at(outer.at(parameter.tv)).strides[static_cast<size_t>(parameter.dimension)];
          break;
        case kir::Parameter::Kind::Misses:
          launch.missesSlot = slot;
          break;
        case kir::Parameter::Kind::Scalar:
          addScalar(launch, slot, parameter.value, entry.scalars, local);
          break;
      }
    }
    checkVectors(program, outer);
    checkDivisibility(program, extent);
    for (const kir::Lookup& lookup : program.lookups) {
      const auto known = outer.find(lookup.tv);
      const Val* tv = known == outer.end() ? lookup.tv : known->second;
      launch.lookups.push_back(
          concatenate("Index out of range: ", lookup.name, " along dimension ", lookup.dim, " of ",
                      tv->toString(), ", which has size ", extent(lookup.extent()),
                      ", was given an index that is negative or not below it"));
    }
    for (size_t i = 0; i < program.phases.size(); ++i) {
      addPhase(launch, i, extent);
    }
    return launch;
  }

  template <typename Extent>
  void addPhase(Launch& launch, size_t number, const Extent& extent) const {
    const kir::Phase& phase = launch.kernel->kernel->phases[number];
    PhaseLaunch result;
    result.phase = number;
    if (phase.parallelExtent != nullptr) {
      result.extent = extent(phase.parallelExtent);
    }
    for (const kir::ThreadDimension& dimension : phase.threads) {
      const auto place =
          static_cast<size_t>(dimension.type) - static_cast<size_t>(ParallelType::GridX);
      result.threads.at(place) = extent(dimension.extent);
    }
    if (class_.device.type == DeviceType::CUDA) {
      checkLaunch(launch, result);
    }
    result.scratchBytes = extent(phase.scratchBytes);
    launch.phases.push_back(result);
  }

  void checkLaunch(const Launch& launch, const PhaseLaunch& phase) const {
    const LaunchParams& wanted = class_.launchConstraints;
    const std::array constraints{wanted.gdimx, wanted.gdimy, wanted.gdimz,
                                 wanted.bdimx, wanted.bdimy, wanted.bdimz};
    constexpr std::array kNames{"gdimx", "gdimy", "gdimz", "bdimx", "bdimy", "bdimz"};
    for (size_t i = 0; i < constraints.size(); ++i) {
      NVF_CHECK(constraints[i] == LaunchParams::kUnset || constraints[i] == phase.threads[i],
                "The launch was constrained to ", kNames[i], " = ", constraints[i],
                ", but as scheduled ", phaseName(*launch.kernel->kernel, phase.phase), " needs ",
                phase.threads[i]);
    }
  }

  void addScalar(Launch& launch, int32_t slot, const Val* symbol, const ScalarMap& scalars,
                 ExpressionEvaluator& local) {
    const auto known = scalars.find(symbol);
    if (known != scalars.end()) {
      if (const auto host = class_.hostScalars.find(known->second);
          host != class_.hostScalars.end()) {
        launch.scalars.push_back({slot, static_cast<int32_t>(host->second), symbol->dtype()});
        return;
      }
      // A scalar argument is read at every run, unless it is part of the signature.
      const auto argument = static_cast<size_t>(argumentNumber(known->second));
      if (argument < fusion_->inputs().size() && !parts_.signature.isFixed(argument)) {
        launch.scalars.push_back({slot, static_cast<int32_t>(argument), symbol->dtype()});
        return;
      }
    }
    writeScalar(&launch.slots[static_cast<size_t>(slot)], segmentValue(symbol, scalars, local),
                symbol->dtype());
  }

  // The automatic schedulers choose widths that fit; a schedule of the user's may not.
  void checkVectors(const kir::Kernel& program,
                    const std::unordered_map<const TensorView*, const Val*>& outer) const {
    for (const kir::VectorCondition& condition : program.vectors) {
      const auto known = outer.find(condition.tv);
      if (known == outer.end()) {
        continue;  // memory of our own
      }
      const Place& place = places_.at(known->second);
      const int64_t bits = info(condition.tv->dtype()).bits * condition.width;
      const int64_t alignment = alignmentOf(place.memory);
      // What is wider than the widest access takes several.
      NVF_CHECK(alignment * 8 % std::min<int64_t>(bits, 8 * kVectorBytes) == 0,
                "The schedule accesses ", condition.width, " elements of ",
                condition.tv->toString(), " at once, ", bits / 8,
                " bytes, but its address is only a multiple of ", alignment, " bytes");
      for (const size_t dimension : condition.dimensions) {
        NVF_CHECK(place.strides[dimension] % condition.width == 0, "The schedule accesses ",
                  condition.width, " elements of ", condition.tv->toString(),
                  " at once, but its stride in dimension ", dimension, " is ",
                  place.strides[dimension], ", which is no multiple of it");
      }
    }
  }

  template <typename Extent>
  static void checkDivisibility(const kir::Kernel& program, const Extent& extent) {
    for (const Fusion::Divisibility& condition : program.divisible) {
      const int64_t size = extent(condition.extent);
      NVF_CHECK(size % condition.factor == 0, "The schedule of ", program.name, " accesses ",
                condition.factor, " elements at once along a dimension of size ", size, " (",
                condition.extent->toString(), "), which is no multiple of it");
    }
  }

  FusionClass& class_;
  const Backend& backend_;
  Fusion* fusion_;
  std::span<const PolymorphicValue> arguments_;
  Sizes sizes_;
  PlanParts parts_;
  MemoryPlan workspace_;
  std::unordered_map<const Val*, Place> places_;
  // Segments that have nothing left to do.
  std::unordered_set<const Segment*> inPlace_;
  // What library calls take and return.
  std::unordered_set<const Val*> libraryTensors_;
  // What kernels read.
  std::unordered_set<const Val*> kernelInputs_;
  // Of every held tensor: the last step that needs it.
  std::unordered_map<size_t, size_t> lastStep_;
  // The argument that an output updates.
  std::unordered_map<const TensorView*, int32_t> aliasOf_;
};

}  // namespace

std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass, const Backend& backend,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator, int64_t outputAlignment,
                                      const std::string& kernelName) {
  return PlanBuilder(fusionClass, backend, arguments, evaluator).run(outputAlignment, kernelName);
}

}  // namespace nvfuser
