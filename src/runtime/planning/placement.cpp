#include "runtime/planning/placement.h"

#include <algorithm>
#include <ranges>

#include "core/error.h"
#include "runtime/argument_check.h"
#include "runtime/planning/segment_values.h"
#include "runtime/planning/views.h"

namespace nvfuser {

namespace {

// The caller sees packed fp4 as torch does: pairs of elements.
void packFp4(const TensorView* tv, OutputSpec& spec) {
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

}  // namespace

Placement::Placement(const FusionClass& fusionClass, std::span<const PolymorphicValue> arguments,
                     const Sizes& sizes, PlanParts& parts)
    : class_(fusionClass),
      fusion_(fusionClass.concrete.fusion.get()),
      arguments_(arguments),
      sizes_(sizes),
      parts_(parts) {
  findLibraryTensors();
  placeInputs();
  placeUpdates();
  placeOutputs();
  placeReshaped();
  placeViews();
}

void Placement::findLibraryTensors() {
  for (const SegmentKernels& entry : class_.segments) {
    if (isExchange(entry.segment)) {
      // A kernel copies it.
      kernelInputs_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
    } else if (entry.segment.scheduler == SchedulerType::ExprEval) {
      if (parts_.library == nullptr) {
        parts_.library = std::make_unique<LibraryProgram>();
      }
      libraryInputs_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
      const auto* call = entry.segment.fusion->tensorExprs().front()->as<LibraryOp>();
      if (call->type() == LibraryOpType::SdpaForward) {
        attended_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
      }
      if (isCollective(call->type())) {
        sent_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
      }
      const bool isTold = call->info().intoFunction != nullptr && entry.segment.outputs.size() == 1;
      (isTold ? writtenWhereTold_ : libraryResults_)
          .insert(entry.segment.outputs.begin(), entry.segment.outputs.end());
    } else {
      kernelInputs_.insert(entry.segment.inputs.begin(), entry.segment.inputs.end());
    }
  }
}

bool Placement::isExchange(const Segment& segment) {
  return segment.scheduler == SchedulerType::ExprEval && !segment.outputs.empty() &&
         multidevice::exchangeOf(segment.outputs.front()) != nullptr;
}

void Placement::placePeers(const LibraryOp* exchange, const multidevice::PeerMemory& memory) {
  for (size_t i = 0; i < exchange->outputs().size(); ++i) {
    const TensorView* part = exchange->output(i)->asTensor();
    places_[part] = {{Memory::Kind::Peer, memory.addresses[i]}, sizes_.allocation(part).strides};
  }
}

void Placement::placeInputs() {
  for (size_t i = 0; i < fusion_->inputs().size(); ++i) {
    Val* input = fusion_->inputs()[i];
    argumentNumbers_[input] = static_cast<int32_t>(i);
    if (input->isTensor()) {
      const auto& tensor = arguments_[i].as<Tensor>();
      places_[input] = {{Memory::Kind::Argument, static_cast<int64_t>(i)},
                        geometryOf(input->asTensor(), tensor).strides};
      parts_.traffic.inputBytes += bytesOf(tensor.dtype, tensor.numel());
    }
  }
}

int32_t Placement::argumentNumber(const Val* input) const {
  const auto known = argumentNumbers_.find(input);
  return known == argumentNumbers_.end() ? static_cast<int32_t>(fusion_->inputs().size())
                                         : known->second;
}

// Updates decide first where a value lives.
void Placement::placeUpdates() {
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

OutputSpec Placement::emptySpec(const TensorView* tv) const {
  OutputSpec spec;
  spec.dtype = tv->dtype() == DataType::Index ? DataType::Int : tv->dtype();
  spec.device = class_.device;
  return spec;
}

OutputSpec Placement::freshSpec(const TensorView* tv) const {
  OutputSpec spec = emptySpec(tv);
  const Allocation allocation = sizes_.allocation(tv);
  spec.sizes = allocation.sizes;
  spec.strides = allocation.strides;
  packFp4(tv, spec);
  return spec;
}

void Placement::placeOutputs() {
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
    } else if (const auto view = class_.views.find(output.tv); view != class_.views.end()) {
      describeView(view->second, spec);
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

void Placement::describeView(const ViewChain& chain, OutputSpec& spec) const {
  const Val* input = chain.front()->input(0);
  const std::optional<View> view = viewAlong(chain, places_.at(input).strides,
                                             [&](const Val* val) { return sizes_.extent(val); });
  NVF_INTERNAL_CHECK(view, chain.back()->toString(), " is no view of ", input->toString());
  spec.kind = OutputSpec::Kind::InputView;
  spec.input = argumentNumber(input);
  spec.offset = view->offset;
  spec.sizes = sizes_.allocation(chain.back()->output(0)->asTensor()).sizes;
  spec.strides = view->strides;
}

void Placement::placeFreshOutput(TensorView* tv, int32_t number, OutputSpec& spec) {
  const Allocation allocation = sizes_.allocation(tv);
  spec = freshSpec(tv);
  places_[tv] = {{Memory::Kind::Output, number}, allocation.strides};
  parts_.traffic.outputBytes += bytesOf(tv->dtype(), allocation.elements);
  if (tv->definition()->is<LibraryOp>()) {
    spec.kind = OutputSpec::Kind::Library;
  }
  const auto computes = [&](const SegmentKernels& entry) {
    return std::ranges::find(entry.segment.outputs, tv) != entry.segment.outputs.end();
  };
  const auto segment = std::ranges::find_if(class_.segments, computes);
  if (segment != class_.segments.end() && segment->segment.scheduler == SchedulerType::Pointwise) {
    addAliasableInputs(tv, segment->segment, spec);
  }
}

void Placement::addAliasableInputs(TensorView* output, const Segment& segment,
                                   OutputSpec& spec) const {
  // Nothing else may read it then, earlier or at the same time.
  const auto isReadElsewhere = [&](const Val* input) {
    return std::ranges::any_of(class_.segments, [&](const SegmentKernels& other) {
      const std::vector<Val*>& inputs = other.segment.inputs;
      return &other.segment != &segment && std::ranges::find(inputs, input) != inputs.end();
    });
  };
  for (Val* input : fusion_->inputs()) {
    if (input->isTensor() && !isReadElsewhere(input) && sameDimensions(output, input->asTensor()) &&
        readsOnlyInPlace(input->asTensor()) && isReadBefore(input->asTensor(), output)) {
      spec.mayAliasInputs.push_back(argumentNumber(input));
    }
  }
}

// What a tensor is a reshape or permutation of, if it lies in memory as that does, is computed
// there: where the view is an output, or what a library call reads.
void Placement::placeReshaped() {
  // Those of a view come behind it, and outputs before what calls look at in other ways.
  for (const bool isOfOutput : {true, false}) {
    for (const SegmentKernels& entry : std::views::reverse(class_.segments)) {
      placeReshaped(entry.segment, isOfOutput);
    }
  }
}

void Placement::placeReshaped(const Segment& segment, bool isOfOutput) {
  const std::vector<Expr*> exprs = segment.fusion->tensorExprs();
  if (exprs.size() != 1 || segment.inputs.size() != 1 || inPlace_.contains(&segment)) {
    return;
  }
  const LoadStoreOp* permutation = asPermutation(exprs[0]);
  if (permutation == nullptr && !exprs[0]->is<ReshapeOp>()) {
    return;
  }
  const auto* source = static_cast<const TensorView*>(segment.inputs[0]);
  const TensorView* output = segment.outputs[0];
  const auto place = places_.find(output);
  const bool isTensor =
      isOfOutput
          ? place != places_.end() && place->second.memory.kind == Memory::Kind::Output
          : place == places_.end() && permutation == nullptr && libraryInputs_.contains(output);
  const bool hasPlace = places_.contains(source) || libraryResults_.contains(source) ||
                        (!isOfOutput && libraryInputs_.contains(source));
  if (!isTensor || hasPlace) {
    return;
  }
  const Allocation original = sizes_.allocation(source);
  const Allocation viewed = sizes_.allocation(output);
  if (permutation == nullptr) {
    if (!isRowMajor(original.sizes, original.strides) ||
        !isRowMajor(viewed.sizes, viewed.strides)) {
      return;
    }
  } else {
    const std::vector<int64_t> places = permutation->places();
    for (size_t i = 0; i < places.size(); ++i) {
      if (viewed.strides[i] != original.strides[static_cast<size_t>(places[i])]) {
        return;
      }
    }
  }
  if (!isOfOutput) {
    hold(output);
  }
  places_[source] = {places_.at(output).memory, original.strides};
  reshaped_.insert(source);
  if (libraryInputs_.contains(source)) {
    views_.insert(source);
  }
  inPlace_.insert(&segment);
}

// Whether a tensor lies in memory that calls have access to, or may lie there. Inputs that are
// updated have other values later.
bool Placement::canBeLookedAt(const TensorView* tv) const {
  if (tv->dtype() == DataType::Float4_e2m1fn || multidevice::exchangeOf(tv) != nullptr) {
    return false;
  }
  if (tv->isFusionInput()) {
    return std::ranges::none_of(class_.outputs,
                                [&](const Fusion::Output& output) { return output.alias == tv; });
  }
  const auto place = places_.find(tv);
  return place == places_.end() || place->second.memory.kind == Memory::Kind::Held ||
         place->second.memory.kind == Memory::Kind::Output;
}

// Library calls look at what was computed before as they are to see it: heads of attention are not
// copied out of a product. Kernels do where a tensor lies in memory as if it had been made for
// them: what they look up in is no copy of another shape.
void Placement::placeViews() {
  for (const SegmentKernels& entry : class_.segments) {
    const Segment& segment = entry.segment;
    if (segment.inputs.size() != 1 || inPlace_.contains(&segment) ||
        !canBeLookedAt(segment.inputs[0]->asTensor()) ||
        !std::ranges::all_of(segment.fusion->tensorExprs(), mayBeView)) {
      continue;
    }
    const auto* source = static_cast<const TensorView*>(segment.inputs[0]);
    const std::vector<int64_t>& strides =
        source->isFusionInput() ? places_.at(source).strides : sizes_.allocation(source).strides;
    // The result of attention lies as its query: known before there are views of what kernels make.
    const bool isOfKernel =
        !libraryResults_.contains(source) && !writtenWhereTold_.contains(source);
    SegmentValues values(sizes_, segment.scalars);
    std::vector<View> views;
    bool areForCalls = false;
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      const TensorView* output = segment.outputs[i];
      const bool isForCalls = libraryInputs_.contains(output);
      const bool isForKernels = kernelInputs_.contains(output);
      areForCalls = areForCalls || isForCalls;
      if (places_.contains(output) || !(isForCalls || isForKernels) ||
          (isOfKernel && attended_.contains(output)) || (source->isFusionInput() && isForCalls)) {
        break;
      }
      std::optional<View> view = viewAlong(viewChain(segment.fusion->outputs()[i].tv), strides,
                                           [&](const Val* val) { return values.extent(val); });
      const Allocation own = sizes_.allocation(output);
      const bool isGivenOrder = output->domain()->hasAllocation();
      if (!view || (sent_.contains(output) && !isRowMajor(own.sizes, view->strides)) ||
          (isForKernels && view->offset != 0) ||
          ((isForKernels || isGivenOrder) && view->strides != own.strides)) {
        break;
      }
      views.push_back(std::move(*view));
    }
    if (views.size() < segment.outputs.size()) {
      continue;
    }
    inPlace_.insert(&segment);
    if (!places_.contains(source)) {
      const auto known = placedWith_.find(source);
      const TensorView* owner = known == placedWith_.end() ? source : known->second;
      if (!areForCalls) {
        for (const TensorView* output : segment.outputs) {
          sharers_[owner].push_back(output);
          placedWith_[output] = owner;
        }
        continue;
      }
      hold(owner);
      placeSharers(owner);
    }
    for (size_t i = 0; i < views.size(); ++i) {
      places_[segment.outputs[i]] = {places_.at(source).memory, std::move(views[i].strides),
                                     views[i].offset};
      views_.insert(segment.outputs[i]);
    }
  }
}

void Placement::hold(const TensorView* tv) {
  places_[tv] = {{Memory::Kind::Held, static_cast<int64_t>(parts_.library->held.size())},
                 sizes_.allocation(tv).strides};
  parts_.library->held.push_back(freshSpec(tv));
}

void Placement::placeBetween(const TensorView* tv, size_t launch) {
  const bool isForCalls =
      libraryInputs_.contains(tv) || libraryResults_.contains(tv) || writtenWhereTold_.contains(tv);
  if (!places_.contains(tv) && isForCalls) {
    hold(tv);
  } else if (!places_.contains(tv)) {
    const Allocation allocation = sizes_.allocation(tv);
    places_[tv] = {inWorkspace(bytesOf(tv->dtype(), allocation.elements), launch),
                   allocation.strides};
  }
  placeSharers(tv);
}

void Placement::placeSharers(const TensorView* owner) {
  if (const auto sharers = sharers_.find(owner); sharers != sharers_.end()) {
    for (const TensorView* sharer : sharers->second) {
      places_[sharer] = {places_.at(owner).memory, sizes_.allocation(sharer).strides};
    }
  }
}

Memory Placement::inWorkspace(int64_t bytes, size_t launch) {
  return {Memory::Kind::Workspace, static_cast<int64_t>(workspace_.add(bytes, launch))};
}

void Placement::extend(const Val* tv, size_t launch) {
  const Memory& memory = places_.at(tv).memory;
  if (memory.kind == Memory::Kind::Workspace) {
    workspace_.extend(static_cast<size_t>(memory.position), launch);
  }
}

void Placement::placeWorkspace() {
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

int64_t Placement::alignment(const Place& place) const {
  switch (place.memory.kind) {
    case Memory::Kind::Argument:
      return parts_.signature.alignment(static_cast<size_t>(place.memory.position));
    case Memory::Kind::Output:
      return parts_.outputAlignment;
    case Memory::Kind::Held:
    case Memory::Kind::Workspace:
    case Memory::Kind::Peer:
      break;
  }
  return kVectorBytes;
}

}  // namespace nvfuser
