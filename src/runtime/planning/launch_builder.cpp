#include "runtime/planning/launch_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/error.h"
#include "lower/kernel.h"
#include "multidevice/exchange.h"
#include "runtime/backend.h"

namespace nvfuser {

OuterTensors outerTensors(const Segment& segment, const Fusion& fusion) {
  OuterTensors outer;
  for (size_t i = 0; i < segment.inputs.size(); ++i) {
    outer[fusion.inputs()[i]->asTensor()] = segment.inputs[i];
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) {
    outer[fusion.outputs()[i].tv] = segment.outputs[i];
  }
  return outer;
}

namespace {

void checkAssumptions(const kir::Kernel& program, SegmentValues& values) {
  for (const Fusion::Divisibility& condition : program.divisible) {
    const int64_t size = values.extent(condition.extent);
    NVF_SCHEDULE_CHECK(size % condition.factor == 0, "The schedule of ", program.name, " accesses ",
                       condition.factor, " elements at once along a dimension of size ", size, " (",
                       condition.extent->toString(), "), which is no multiple of it");
  }
  for (const Fusion::Bound& bound : program.fusion->assumedBounds()) {
    const int64_t size = values.extent(bound.extent);
    NVF_CHECK(size <= bound.most, "The schedule of ", program.name, " has ", bound.most,
              " threads for a dimension of size ", size, " (", bound.extent->toString(), ")");
  }
}

}  // namespace

bool LaunchBuilder::fitNarrowIndices(const SegmentKernels::Entry& entry) const {
  SegmentValues values(sizes_, entry.scalars);
  return std::ranges::all_of(entry.compiled->kernel->parameters,
                             [&](const kir::Parameter& parameter) {
                               return parameter.kind != kir::Parameter::Kind::Scalar ||
                                      parameter.value->definition() == nullptr ||
                                      std::in_range<int32_t>(values.extent(parameter.value));
                             });
}

Launch LaunchBuilder::make(const Segment& segment, const SegmentKernels::Entry& entry,
                           size_t number) {
  Launch launch;
  launch.kernel = entry.compiled;
  const kir::Kernel& program = *entry.compiled->kernel;
  SegmentValues values(sizes_, entry.scalars);
  const OuterTensors outer = outerTensors(segment, *program.fusion);
  for (const kir::Parameter& parameter : program.parameters) {
    addParameter(launch, parameter, outer, values, number);
  }
  checkVectors(program, outer);
  checkAssumptions(program, values);
  for (const kir::Lookup& lookup : program.lookups) {
    const auto known = outer.find(lookup.tv);
    const Val* tv = known == outer.end() ? lookup.tv : known->second;
    launch.lookups.push_back(concatenate("Index out of range: ", lookup.name, " along dimension ",
                                         lookup.dim, " of ", tv->toString(), ", which has size ",
                                         values.extent(lookup.extent()),
                                         ", was given an index that is negative or not below it"));
  }
  for (size_t i = 0; i < program.phases.size(); ++i) {
    addPhase(launch, i, values);
  }
  if (!program.peers.empty()) {
    addExchange(launch, outer);
  }
  return launch;
}

void LaunchBuilder::addParameter(Launch& launch, const kir::Parameter& parameter,
                                 const OuterTensors& outer, SegmentValues& values, size_t number) {
  const auto slot = static_cast<int32_t>(launch.slots.size());
  launch.slots.resize(launch.slots.size() + static_cast<size_t>(slotsOf(parameter)), 0);
  switch (parameter.kind) {
    case kir::Parameter::Kind::Pointer: {
      int64_t elements = 1;
      int64_t stored = 1;
      for (const IterDomain* id : parameter.tv->visible()) {
        elements *= values.extent(id->visibleExtent());
        stored *= id->isBroadcast() ? 1 : values.extent(id->extent());
      }
      launch.largestTensor = std::max(launch.largestTensor, elements);
      const auto known = outer.find(parameter.tv);
      launch.pointers.push_back(
          {slot, known != outer.end()
                     ? placement_.at(known->second).memory
                     : placement_.inWorkspace(
                           stored * std::max(info(parameter.tv->dtype()).bits, 8) / 8, number)});
      break;
    }
    case kir::Parameter::Kind::Stride:
      launch.slots[static_cast<size_t>(slot)] =
          placement_.at(outer.at(parameter.tv)).strides[static_cast<size_t>(parameter.dimension)];
      break;
    case kir::Parameter::Kind::Divisor:
      launch.slots[static_cast<size_t>(slot)] =
          std::bit_cast<int64_t>(kir::packedDivisor(values.extent(parameter.value)));
      break;
    case kir::Parameter::Kind::Misses:
      launch.missesSlot = slot;
      break;
    case kir::Parameter::Kind::Exchange:
      // Once it is known how many blocks there are.
      break;
    case kir::Parameter::Kind::Scalar:
      addScalar(launch, slot, parameter.value, values);
      break;
  }
}

void LaunchBuilder::addExchange(Launch& launch, const OuterTensors& outer) const {
  using Slot = kir::ExchangeSlot;
  const kir::Kernel& program = *launch.kernel->kernel;
  const LibraryOp* exchange = multidevice::exchangeOf(outer.at(program.peers.front()));
  const std::optional<multidevice::PeerMemory> memory =
      multidevice::peerMemoryOf(exchange->argument(1).number);
  int32_t first = 0;
  for (const kir::Parameter& parameter : program.parameters) {
    if (parameter.kind == kir::Parameter::Kind::Exchange) {
      break;
    }
    first += static_cast<int32_t>(slotsOf(parameter));
  }
  const auto place = [&](Slot slot) { return first + static_cast<int32_t>(slot); };
  const auto set = [&](Slot slot, int64_t value) {
    launch.slots[static_cast<size_t>(place(slot))] = value;
  };
  const TensorView* part = exchange->tensor(0);
  launch.pointers.push_back({place(Slot::Part), placement_.at(part).memory});
  set(Slot::Bytes, bytesOf(part->dtype(), sizes_.allocation(part).elements));
  set(Slot::Own, memory->addresses[static_cast<size_t>(memory->own)]);
  set(Slot::Capacity, memory->capacity);
  set(Slot::Number, memory->own);
  const std::array<int64_t, 6>& threads = launch.phases.front().threads;
  set(Slot::Blocks, std::min(threads[0] * threads[1] * threads[2], memory->blocks));
  set(Slot::TimeLimit, memory->timeLimit);
}

void LaunchBuilder::addScalar(Launch& launch, int32_t slot, const Val* symbol,
                              SegmentValues& values) const {
  if (const Val* known = values.concrete(symbol)) {
    if (const auto host = class_.hostScalars.find(known); host != class_.hostScalars.end()) {
      launch.scalars.push_back({slot, static_cast<int32_t>(host->second), symbol->dtype()});
      return;
    }
    // A scalar argument is read at every run, unless it is part of the signature.
    const auto argument = static_cast<size_t>(placement_.argumentNumber(known));
    if (argument < class_.concrete.fusion->inputs().size() && !signature_.isFixed(argument)) {
      launch.scalars.push_back({slot, static_cast<int32_t>(argument), symbol->dtype()});
      return;
    }
  }
  writeScalar(&launch.slots[static_cast<size_t>(slot)], values.value(symbol), symbol->dtype());
}

void LaunchBuilder::addPhase(Launch& launch, size_t number, SegmentValues& values) const {
  const kir::Phase& phase = launch.kernel->kernel->phases[number];
  PhaseLaunch result;
  result.phase = number;
  if (phase.parallelExtent != nullptr) {
    result.extent = values.extent(phase.parallelExtent);
  }
  for (const kir::ThreadDimension& dimension : phase.threads) {
    const ParallelType type =
        dimension.type == ParallelType::Cluster ? ParallelType::GridY : dimension.type;
    const auto place = static_cast<size_t>(type) - static_cast<size_t>(ParallelType::GridX);
    result.threads.at(place) = values.extent(dimension.extent);
  }
  if (backendOf(class_.device).target().capabilities.hasThreads) {
    checkLaunch(launch, result);
  }
  result.scratchBytes = values.extent(phase.scratchBytes);
  launch.phases.push_back(result);
}

void LaunchBuilder::checkLaunch(const Launch& launch, const PhaseLaunch& phase) const {
  const LaunchParams& wanted = class_.launchConstraints;
  const std::array constraints{wanted.gdimx, wanted.gdimy, wanted.gdimz,
                               wanted.bdimx, wanted.bdimy, wanted.bdimz};
  constexpr std::array kNames{"gdimx", "gdimy", "gdimz", "bdimx", "bdimy", "bdimz"};
  for (size_t i = 0; i < constraints.size(); ++i) {
    NVF_CHECK(constraints[i] == LaunchParams::kUnset || constraints[i] == phase.threads[i],
              "The launch was constrained to ", kNames[i], " = ", constraints[i],
              ", but as scheduled ", launch.kernel->functionName(phase.phase), " needs ",
              phase.threads[i]);
  }
}

// The automatic schedulers choose widths that fit; a schedule of the user's may not.
void LaunchBuilder::checkVectors(const kir::Kernel& program, const OuterTensors& outer) const {
  for (const kir::VectorCondition& condition : program.vectors) {
    const auto known = outer.find(condition.tv);
    if (known == outer.end()) {
      continue;  // memory of our own
    }
    const Placement::Place& place = placement_.at(known->second);
    const int64_t bits = info(condition.tv->dtype()).bits * condition.width;
    const int64_t alignment = placement_.alignment(place);
    // What is wider than the widest access takes several.
    NVF_SCHEDULE_CHECK(alignment * 8 % std::min<int64_t>(bits, 8 * kVectorBytes) == 0,
                       "The schedule accesses ", condition.width, " elements of ",
                       condition.tv->toString(), " at once, ", bits / 8,
                       " bytes, but its address is only a multiple of ", alignment, " bytes");
    for (const size_t dimension : condition.dimensions) {
      NVF_SCHEDULE_CHECK(place.strides[dimension] % condition.width == 0, "The schedule accesses ",
                         condition.width, " elements of ", condition.tv->toString(),
                         " at once, but its stride in dimension ", dimension, " is ",
                         place.strides[dimension], ", which is no multiple of it");
    }
  }
}

}  // namespace nvfuser
