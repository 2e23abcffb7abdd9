#include "runtime/planning/plan_builder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/error.h"
#include "core/options.h"
#include "ir/clone.h"
#include "lower/kernel.h"
#include "runtime/planning/launch_builder.h"
#include "runtime/planning/launch_groups.h"
#include "runtime/planning/placement.h"
#include "runtime/planning/segment_values.h"
#include "runtime/sizes.h"

namespace nvfuser {

namespace {

class PlanBuilder {
 public:
  PlanBuilder(FusionClass& fusionClass, const Backend& backend,
              std::span<const PolymorphicValue> arguments, ExpressionEvaluator& evaluator)
      : class_(fusionClass),
        backend_(backend),
        sizes_(evaluator, fusionClass.concrete),
        parts_(partsFor(fusionClass, arguments)),
        placement_(fusionClass, arguments, sizes_, parts_),
        launches_(fusionClass, sizes_, parts_.signature, placement_),
        groups_(fusionClass, backend) {}

  std::shared_ptr<LaunchPlan> run(int64_t outputAlignment, const std::string& kernelName,
                                  bool mayBeCut) {
    parts_.outputAlignment = outputAlignment;
    hasOneKernel_ = std::ranges::count_if(class_.segments, [&](const SegmentKernels& entry) {
                      return entry.segment.scheduler != SchedulerType::ExprEval &&
                             !placement_.isInPlace(entry.segment);
                    }) == 1;
    for (size_t i = 0; i < class_.segments.size(); ++i) {
      if (Placement::isExchange(class_.segments[i].segment)) {
        addExchange(class_.segments[i].segment);
      } else if (class_.segments[i].segment.scheduler == SchedulerType::ExprEval) {
        addCall(class_.segments[i].segment, i);
      } else {
        addLaunch(class_.segments[i], i, kernelName, mayBeCut);
      }
    }
    parts_.launches = groups_.finish();
    placement_.placeWorkspace();
    if (parts_.library != nullptr) {
      releaseHeld();
    }
    return backend_.makePlan(std::move(parts_));
  }

 private:
  static PlanParts partsFor(const FusionClass& fusionClass,
                            std::span<const PolymorphicValue> arguments) {
    PlanParts parts;
    parts.device = fusionClass.device;
    parts.randomOps = fusionClass.concrete.randomOps;
    parts.signature =
        Signature(arguments, [&](size_t i) { return fusionClass.sizeArguments.contains(i); });
    return parts;
  }

  // ---------------------------------------------------------------- schedules

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
      const std::vector<int64_t>& strides = placement_.at(outer).strides;
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
    const bool isWide =
        !context.target.capabilities.prefersNarrowIndices || needsWideIndex(segment, context);
    const std::optional<DataType>& wanted = class_.compileParams.indexType;
    NVF_CHECK(
        !isWide || !context.target.capabilities.prefersNarrowIndices || wanted != DataType::Int32,
        "Indices were asked to be of dtype Int32, which the sizes of the inputs do not allow");
    return isWide || wanted == DataType::Int;
  }

  ScheduleParams chooseSchedule(const Segment& segment, bool hasVectors = true) {
    SegmentValues values(sizes_, segment.scalars);
    const auto outer = outerTensors(segment, *segment.fusion);
    ScheduleContext context(backend_.target());
    context.hasVectors = hasVectors;
    context.extent = [&](const Val* val) { return values.extent(val); };
    context.alignment = [&](const TensorView* tv) {
      return placement_.alignment(placement_.at(outer.at(tv)));
    };
    context.strides = [&](const TensorView* tv) { return placement_.at(outer.at(tv)).strides; };
    ScheduleParams params;
    if (hasEmptyTensor(*segment.fusion, context)) {
      params = unfusedParams(context.target);
    } else if (segment.scheduler != SchedulerType::None) {
      params = computeHeuristics(*segment.summary, segment.schedulers, context).value_or(params);
    }
    params.hasWideIndex = hasWideIndex(segment, context);
    if (context.target.capabilities.overlapsKernels) {
      params.settledInputs = settledInputs(segment);
      params.isAlone = hasOneKernel_;
    }
    return params;
  }

  // The inputs of a segment that the run has as inputs and writes nothing into.
  static uint64_t settledInputs(const Segment& segment) {
    uint64_t settled = 0;
    for (size_t i = 0; i < std::min<size_t>(segment.inputs.size(), 64); ++i) {
      const Val* input = segment.inputs[i];
      if (input->isFusionInput() && !input->fusion()->isUpdated(input)) {
        settled |= uint64_t{1} << i;
      }
    }
    return settled;
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

  void addLaunch(SegmentKernels& entry, size_t position, const std::string& kernelName,
                 bool mayBeCut) {
    const Segment& segment = entry.segment;
    if (placement_.isInPlace(segment)) {
      return;
    }
    const size_t number = groups_.size();
    for (const TensorView* output : segment.outputs) {
      placement_.placeBetween(output, number);
    }
    for (const Val* input : segment.inputs) {
      placement_.extend(input, number);
      if (const LibraryOp* exchange = multidevice::exchangeOf(input)) {
        placement_.extend(exchange->tensor(0), number);
      }
    }
    const auto isEmpty = [&](const TensorView* tv) {
      const std::vector<int64_t> sizes = sizes_.allocation(tv).sizes;
      return std::ranges::find(sizes, 0) != sizes.end();
    };
    if (std::ranges::all_of(segment.outputs, isEmpty)) {
      return;
    }
    const auto make = [&](ScheduleParams params) {
      const SegmentKernels::Entry* kernel = &kernelFor(position, params, kernelName);
      if (!params.hasWideIndex && !launches_.fitNarrowIndices(*kernel)) {
        params.hasWideIndex = true;
        kernel = &kernelFor(position, params, kernelName);
      }
      return launches_.make(segment, *kernel, number);
    };
    // What a heuristic cannot do costs time, not the result: the next schedule may.
    Launch launch;
    std::string problem;
    const auto fits = [&](const ScheduleParams& params) {
      try {
        launch = make(params);
        return true;
      } catch (const ScheduleError& error) {
        if (!isChosen(params)) {
          throw;
        }
        problem = error.what();
        return false;
      }
    };
    const ScheduleParams params = chooseSchedule(segment);
    // What was accepted piece by piece may be more than any scheduler takes, or of sizes that none
    // has a schedule for.
    const bool isAccepted = typeOf(params) != SchedulerType::None || segment.summary == nullptr;
    if (!isAccepted) {
      problem = "no scheduler accepts the segment";
    }
    if (!isAccepted || (!fits(params) && !fits(chooseSchedule(segment, false)))) {
      if (mayBeCut && segment.fusion->tensorExprs().size() > 1) {
        throw UnschedulableSegment(problem, position);
      }
      // Users want to know of their own.
      NVF_SCHEDULE_CHECK(!isOn(Option::disable_fallback), problem);
      launch = make(unfusedLike(params));
    }
    launch.segments = {position};
    launch.traffic = trafficOf(segment);
    addToGroup(std::move(launch), segment);
  }

  void addToGroup(Launch launch, const Segment& segment) {
    const bool exchanges = !launch.kernel->kernel->peers.empty();
    if (exchanges) {
      groups_.close();
    }
    std::vector<Memory> read;
    std::vector<Memory> written;
    for (const Val* input : segment.inputs) {
      read.push_back(placement_.at(input).memory);
    }
    for (const TensorView* output : segment.outputs) {
      written.push_back(placement_.at(output).memory);
    }
    const size_t before = groups_.size();
    const size_t number = groups_.add(std::move(launch), read, written);
    if (exchanges) {
      groups_.close();
    }
    const bool hasJoined = number < before;
    if (hasJoined) {
      // Written earlier than in the order of the fusion.
      for (const TensorView* output : segment.outputs) {
        placement_.extend(output, number);
      }
    }
    if (parts_.library == nullptr) {
      return;
    }
    if (!hasJoined) {
      stepOfLaunch_[number] = parts_.library->steps.size();
      parts_.library->steps.push_back({LibraryProgram::Step::Kind::Launch, number, {}, {}});
    }
    const size_t step = stepOfLaunch_.at(number);
    for (const TensorView* output : segment.outputs) {
      const Memory& memory = placement_.at(output).memory;
      if (memory.kind == Memory::Kind::Held) {
        parts_.library->steps[step].allocated.push_back(static_cast<size_t>(memory.position));
      }
    }
    noteUses(segment, step);
  }

  void addExchange(const Segment& segment) {
    const LibraryOp* exchange = multidevice::exchangeOf(segment.outputs.front());
    const std::optional<multidevice::PeerMemory> memory =
        multidevice::peerMemoryOf(exchange->argument(1).number);
    NVF_CHECK(memory, "The devices have no memory of each other any more, which ",
              exchange->toString(), " needs");
    placement_.placePeers(exchange, *memory);
  }

  // Whether there are others: it is that of a heuristic.
  static bool isChosen(const ScheduleParams& params) {
    const SchedulerType type = typeOf(params);
    return type != SchedulerType::NoOp && type != SchedulerType::None;
  }

  ScheduleParams unfusedLike(const ScheduleParams& params) const {
    ScheduleParams unfused = unfusedParams(backend_.target());
    unfused.hasWideIndex = params.hasWideIndex;
    unfused.settledInputs = params.settledInputs;
    unfused.isAlone = params.isAlone;
    return unfused;
  }

  // The kernel of segment number `position`, which may be that of one of equal structure.
  const SegmentKernels::Entry& kernelFor(size_t position, const ScheduleParams& params,
                                         const std::string& kernelName) {
    SegmentKernels& entry = class_.segments[position];
    if (const auto refused = entry.refused.find(params); refused != entry.refused.end()) {
      failSchedule(refused->second);
    }
    SegmentKernels::Entry& kernel = entry.kernels[params];
    const bool isReused = !isOn(Option::disable_kernel_reuse);
    if (kernel.compiled != nullptr && isReused) {
      return kernel;
    }
    if (entry.like != position && isReused) {
      kernel =
          passOn(class_.segments[entry.like], kernelFor(entry.like, params, kernelName), entry);
      return kernel;
    }
    try {
      kernel = compile(entry.segment, params, kernelName + "_" + std::to_string(position));
    } catch (const ScheduleError& error) {
      entry.kernels.erase(params);
      entry.refused.emplace(params, error.what());
      throw;
    }
    return kernel;
  }

  // A kernel of one segment with the scalars of another one that is like it.
  static SegmentKernels::Entry passOn(const SegmentKernels& from,
                                      const SegmentKernels::Entry& kernel,
                                      const SegmentKernels& to) {
    ScalarMap counterparts;
    for (size_t i = 0; i < from.symbols.size(); ++i) {
      counterparts[from.symbols[i]] = to.symbols[i];
    }
    SegmentKernels::Entry result{kernel.compiled, {}};
    for (const auto& [symbol, outer] : kernel.scalars) {
      result.scalars[symbol] = counterparts.at(outer);
    }
    return result;
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
    return {generateKernel(backend_, std::move(copy), params, name), std::move(scalars)};
  }

  // ---------------------------------------------------------------- library calls

  LibraryTensor libraryTensor(const TensorView* tv) const {
    if (placement_.isView(tv)) {
      const Placement::Place& place = placement_.at(tv);
      return {place.memory,
              LibraryTensor::View{sizes_.allocation(tv).sizes, place.strides, place.offset}};
    }
    const auto known = class_.libraryViews.find(tv);
    if (known == class_.libraryViews.end()) {
      return {placement_.at(tv).memory, std::nullopt};
    }
    OutputSpec spec;
    placement_.describeView(known->second, spec);
    return {{Memory::Kind::Argument, spec.input},
            LibraryTensor::View{spec.sizes, spec.strides, spec.offset}};
  }

  void addCall(const Segment& segment, size_t position) {
    const auto* op = segment.fusion->tensorExprs().front()->as<LibraryOp>();
    SegmentValues values(sizes_, segment.scalars);
    LibraryCall call;
    call.info = &op->info();
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
        call.tensors.back() = libraryTensor(segment.inputs[static_cast<size_t>(input)]->asTensor());
      } else {
        call.scalars.back() = values.value(argument.val);
      }
    }
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      const TensorView* output = segment.outputs[i];
      placement_.placeBetween(output, groups_.size());
      const auto& results = op->outputs();
      const auto number = std::ranges::find(results, segment.fusion->outputs()[i].tv);
      LibraryResult result;
      result.number = static_cast<size_t>(number - results.begin());
      result.memory = placement_.at(output).memory;
      result.spec = placement_.freshSpec(output);
      result.hasFixedStrides =
          placement_.isReadByKernels(output) || output->domain()->hasAllocation();
      if (result.memory.kind == Memory::Kind::Argument) {
        result.spec.strides = placement_.at(output).strides;
      }
      if (placement_.isReshaped(output)) {
        result.view = {result.spec.sizes, result.spec.strides, 0};
      }
      call.results.push_back(std::move(result));
    }
    call.traffic = trafficOf(segment);
    noteUses(segment, parts_.library->steps.size());
    parts_.library->steps.push_back(
        {LibraryProgram::Step::Kind::Call, parts_.library->calls.size(), {}, {}});
    parts_.library->calls.push_back(std::move(call));
    groups_.close();
  }

  // Held tensors are kept for a step.
  void noteUses(const Segment& segment, size_t step) {
    const auto used = [&](const Val* tv) {
      if (!placement_.contains(tv)) {
        return;
      }
      const Memory& memory = placement_.at(tv).memory;
      if (memory.kind == Memory::Kind::Held) {
        size_t& last = lastStep_[static_cast<size_t>(memory.position)];
        last = std::max(last, step);
      }
    };
    std::ranges::for_each(segment.inputs, used);
    std::ranges::for_each(segment.outputs, used);
    for (const Val* input : segment.inputs) {
      if (const LibraryOp* exchange = multidevice::exchangeOf(input)) {
        used(exchange->tensor(0));
      }
    }
  }

  void releaseHeld() {
    for (const auto& [tensor, step] : lastStep_) {
      parts_.library->steps[step].released.push_back(tensor);
    }
  }

  FusionClass& class_;
  const Backend& backend_;
  Sizes sizes_;
  PlanParts parts_;
  Placement placement_;
  LaunchBuilder launches_;
  LaunchGroups groups_;
  // Whether no other kernel runs in front of a kernel, or behind it.
  bool hasOneKernel_ = false;
  // Of every held tensor: the last step that needs it.
  std::unordered_map<size_t, size_t> lastStep_;
  // Of every launch among those of a program.
  std::unordered_map<size_t, size_t> stepOfLaunch_;
};

}  // namespace

std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass, const Backend& backend,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator, int64_t outputAlignment,
                                      const std::string& kernelName, bool mayBeCut) {
  return PlanBuilder(fusionClass, backend, arguments, evaluator)
      .run(outputAlignment, kernelName, mayBeCut);
}

}  // namespace nvfuser
