#include "runtime/plan_parts.h"

#include <bit>
#include <complex>
#include <cstring>
#include <unordered_set>

#include "core/options.h"
#include "lower/kernel.h"
#include "value/element.h"

namespace nvfuser {

namespace {

KernelProfile describe(const Launch& launch, bool isCompiledHere) {
  const CompiledKernel& kernel = *launch.kernel;
  KernelProfile profile;
  profile.name = kernel.name;
  profile.label = kernel.label;
  profile.scheduler = kernel.scheduler == SchedulerType::None ? "user" : toString(kernel.scheduler);
  profile.traffic = launch.traffic;
  profile.segments = launch.segments;
  if (isCompiledHere) {
    profile.compileTimeMs = std::chrono::duration<double, std::milli>(kernel.compileTime).count();
  }
  return profile;
}

KernelProfile describe(const LibraryCall& call) {
  KernelProfile profile;
  profile.name = call.info->name;
  profile.scheduler = toString(SchedulerType::ExprEval);
  profile.traffic = call.traffic;
  profile.segments = {call.segment};
  return profile;
}

}  // namespace

std::vector<KernelProfile> describeSteps(
    const LibraryProgram* program, std::span<const Launch> launches, SteadyTime since,
    const std::function<void(size_t number, KernelProfile& profile)>& addDevice) {
  std::vector<KernelProfile> profiles;
  // A kernel that several launches run was compiled for the first of them.
  std::unordered_set<const CompiledKernel*> seen;
  const auto addLaunch = [&](size_t number) {
    const CompiledKernel* kernel = launches[number].kernel.get();
    const bool isFirst = seen.insert(kernel).second;
    profiles.push_back(describe(launches[number], isFirst && kernel->compilingBegan >= since));
    addDevice(number, profiles.back());
  };
  if (program == nullptr) {
    for (size_t i = 0; i < launches.size(); ++i) {
      addLaunch(i);
    }
    return profiles;
  }
  for (const LibraryProgram::Step& step : program->steps) {
    if (step.kind == LibraryProgram::Step::Kind::Launch) {
      addLaunch(step.number);
    } else {
      profiles.push_back(describe(program->calls[step.number]));
    }
  }
  return profiles;
}

void appendExtents(std::string& text, std::initializer_list<int64_t> extents) {
  text += text.empty() ? "[" : " [";
  const char* separator = "";
  for (const int64_t extent : extents) {
    text += separator + std::to_string(extent);
    separator = ", ";
  }
  text += "]";
}

void writeScalar(int64_t* slot, const PolymorphicValue& value, DataType dtype) {
  const PolymorphicValue cast = castScalar(value, dtype);
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      *slot = cast.as<bool>();
      break;
    case TypeKind::Integral:
      *slot = cast.as<int64_t>();
      break;
    case TypeKind::Floating:
      *slot = std::bit_cast<int64_t>(cast.as<double>());
      break;
    default: {
      const auto& z = cast.as<std::complex<double>>();
      slot[0] = std::bit_cast<int64_t>(z.real());
      slot[1] = std::bit_cast<int64_t>(z.imag());
      break;
    }
  }
}

namespace {

// The reverse of writeScalar.
std::string scalarText(const int64_t* slot, DataType dtype) {
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return *slot != 0 ? "true" : "false";
    case TypeKind::Integral:
      return std::to_string(*slot);
    case TypeKind::Floating:
      return toString(PolymorphicValue(std::bit_cast<double>(*slot)));
    default:
      return toString(PolymorphicValue(
          std::complex<double>(std::bit_cast<double>(slot[0]), std::bit_cast<double>(slot[1]))));
  }
}

}  // namespace

namespace {

// Those of a kernel, the first of which is in `slot`.
std::string argumentsText(const kir::Kernel& kernel, const int64_t* slot) {
  std::string text;
  for (const kir::Parameter& parameter : kernel.parameters) {
    const std::string name = parameter.tv == nullptr ? "" : parameter.tv->toString();
    switch (parameter.kind) {
      case kir::Parameter::Kind::Pointer:
        text += concatenate(name, ": address ", reinterpret_cast<const void*>(*slot), "\n");
        break;
      case kir::Parameter::Kind::Stride:
        text += concatenate(name, ": stride ", *slot, " of dimension ", parameter.dimension, "\n");
        break;
      case kir::Parameter::Kind::Scalar:
        text += concatenate(parameter.value->toString(), ": ",
                            scalarText(slot, parameter.value->dtype()), "\n");
        break;
      case kir::Parameter::Kind::Exchange:
        text += concatenate("exchange: ", slot[static_cast<size_t>(kir::ExchangeSlot::Bytes)],
                            " bytes, device ", slot[static_cast<size_t>(kir::ExchangeSlot::Number)],
                            "\n");
        break;
      case kir::Parameter::Kind::Divisor:
      case kir::Parameter::Kind::Misses:
        break;
    }
    slot += slotsOf(parameter);
  }
  return text;
}

}  // namespace

void dumpArguments(const Launch& launch, const RunMemory& memory) {
  if (!contains(environmentOptions(), Option::dump_kernel_args)) {
    return;
  }
  ArgumentBlock block;
  const int64_t* slots = block.fill(launch, memory);
  if (launch.members.empty()) {
    printDump("Arguments of " + launch.kernel->label, argumentsText(*launch.kernel->kernel, slots));
  }
  for (const LaunchMember& member : launch.members) {
    printDump("Arguments of " + member.kernel->label,
              argumentsText(*member.kernel->kernel, slots + member.slot));
  }
}

int64_t* ArgumentBlock::fill(const Launch& launch, const RunMemory& memory) {
  int64_t* slots = inline_;
  if (launch.slots.size() > kInlineSlots) [[unlikely]] {
    heap_.resize(launch.slots.size());
    slots = heap_.data();
  }
  std::memcpy(slots, launch.slots.data(), launch.slots.size() * sizeof(int64_t));
  for (const PointerSlot& pointer : launch.pointers) {
    slots[pointer.slot] = reinterpret_cast<int64_t>(memory.address(pointer.memory));
  }
  for (const ScalarSlot& scalar : launch.scalars) {
    const PolymorphicValue& argument = memory.arguments[static_cast<size_t>(scalar.argument)];
    if (argument.is<Tensor>()) [[unlikely]] {
      writeScalar(slots + scalar.slot, readElement(argument.as<Tensor>()), scalar.dtype);
    } else {
      NVF_CHECK(isInRange(argument, scalar.dtype), "Argument ", scalar.argument, ": Scalar value ",
                toString(argument),
                " is not compatible with the expected data type: ", scalar.dtype, ".");
      writeScalar(slots + scalar.slot, argument, scalar.dtype);
    }
  }
  return slots;
}

}  // namespace nvfuser
