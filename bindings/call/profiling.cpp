#include "bindings/call/profiling.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

#include "bindings/bindings.h"
#include "core/error.h"
#include "core/options.h"

namespace nvfuser {

int activeProfilers = 0;
std::optional<FusionProfile> lastProfile;

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

std::string toString(const KernelProfile& kernel) {
  return concatenate("KernelProfile(name='", kernel.name, "', segment_id=", kernel.segmentId,
                     ", scheduler='", kernel.scheduler, "', time_ms=", number(kernel.timeMs),
                     ", compile_time_ms=", number(kernel.compileTimeMs),
                     ", effective_bandwidth_gbs=", number(kernel.effectiveBandwidthGbs),
                     ", percentage_peak_bandwidth=", number(kernel.percentagePeakBandwidth),
                     ", input_bytes=", kernel.traffic.inputBytes,
                     ", output_bytes=", kernel.traffic.outputBytes, ", grid_str='", kernel.gridStr,
                     "', block_str='", kernel.blockStr, "', shared_mem_str='", kernel.sharedMemStr,
                     "', registers=", kernel.registers, ")");
}

std::string toString(const FusionProfile& fusion) {
  std::string text =
      concatenate("FusionProfile(fusion_id=", fusion.fusionId, ", segments=", fusion.kernels.size(),
                  ", kernel_time_ms=", number(fusion.kernelTimeMs),
                  ", host_time_ms=", number(fusion.hostTimeMs),
                  ", compile_time_ms=", number(fusion.compileTimeMs),
                  ", effective_bandwidth_gbs=", number(fusion.effectiveBandwidthGbs),
                  ", percentage_peak_bandwidth=", number(fusion.percentagePeakBandwidth),
                  ", input_bytes=", fusion.traffic.inputBytes,
                  ", output_bytes=", fusion.traffic.outputBytes, ", kernel_profiles=[");
  const char* separator = "\n  ";
  for (const KernelProfile& kernel : fusion.kernels) {
    text += separator + toString(kernel);
    separator = ",\n  ";
  }
  return text + "])";
}

std::string toString(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (const int64_t number : numbers) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
  }
  return text + "]";
}

std::string describe(std::span<const PolymorphicValue> arguments) {
  std::string text;
  for (const PolymorphicValue& argument : arguments) {
    if (argument.is<Tensor>()) {
      const auto& tensor = argument.as<Tensor>();
      text += concatenate(info(tensor.dtype).name, " tensor of shape ", toString(tensor.shape()),
                          ", strides ", toString(tensor.stride()), ", on ", toString(tensor.device),
                          "\n");
    } else {
      text += nvfuser::toString(argument) + "\n";
    }
  }
  return text;
}

std::string launchesOf(const FusionProfile& profile) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels) {
    text += concatenate(kernel.label.empty() ? kernel.name : kernel.label, ": grid ",
                        kernel.gridStr, ", block ", kernel.blockStr,
                        ", static and dynamic shared memory ", kernel.sharedMemStr, "\n");
  }
  return text;
}

std::string timesOf(const FusionProfile& profile) {
  std::string text = concatenate(
      "fusion ", profile.fusionId, ": kernels ", number(profile.kernelTimeMs), " ms, host ",
      number(profile.hostTimeMs), " ms, compiling ", number(profile.compileTimeMs), " ms\n");
  for (const KernelProfile& kernel : profile.kernels) {
    text +=
        concatenate("  ", kernel.name, " (", kernel.scheduler, "): ", number(kernel.timeMs),
                    " ms, ", kernel.traffic.inputBytes, " bytes read, ", kernel.traffic.outputBytes,
                    " written, ", number(kernel.effectiveBandwidthGbs), " GB/s\n");
  }
  return text;
}

template <typename Profile>
void defineTraffic(nb::class_<Profile>& type) {
  type.def_prop_ro(
          "input_bytes", [](const Profile& self) { return self.traffic.inputBytes; },
          "Bytes of the tensors that are read, each once.")
      .def_prop_ro(
          "output_bytes", [](const Profile& self) { return self.traffic.outputBytes; },
          "Bytes of the tensors that are written, each once.")
      .def_ro("effective_bandwidth_gbs", &Profile::effectiveBandwidthGbs,
              "Those bytes by the time of the kernels, in GB/s.")
      .def_ro(
          "percentage_peak_bandwidth", &Profile::percentagePeakBandwidth,
          "That as a percentage of the bandwidth of the GPU's memory; 0 on the CPU, where it is "
          "not known.")
      .def("__repr__", [](const Profile& self) { return toString(self); });
}

}  // namespace

void profileAsEnvironmentSays() {
  constinit static bool isDecided = false;
  if (isDecided) {
    return;
  }
  isDecided = true;
  const OptionSet& options = environmentOptions();
  for (const Option option :
       {Option::profile_enable, Option::profile_enable_nocupti, Option::profile_print,
        Option::profile_print_nocupti, Option::profile_print_verbose, Option::dump_fusion_args,
        Option::dump_launch_param, Option::dump_kernel_args}) {
    if (contains(options, option)) {
      ++activeProfilers;
      return;
    }
  }
}

void printRun(std::span<const PolymorphicValue> arguments, const FusionProfile& profile) {
  const OptionSet& options = environmentOptions();
  if (contains(options, Option::dump_fusion_args)) {
    printDump("Inputs of fusion " + std::to_string(profile.fusionId), describe(arguments));
  }
  if (contains(options, Option::dump_launch_param)) {
    printDump("Launches of fusion " + std::to_string(profile.fusionId), launchesOf(profile));
  }
  if (contains(options, Option::profile_print_verbose)) {
    printDump("Profile", toString(profile));
  } else if (contains(options, Option::profile_print) ||
             contains(options, Option::profile_print_nocupti)) {
    printDump("Profile", timesOf(profile));
  }
}

void bindProfiling(nb::module_& module) {
  auto kernel = nb::class_<KernelProfile>(
      module, "KernelProfile",
      "What was measured of one segment of a fusion: a generated kernel, or a library call.");
  kernel.def_ro("name", &KernelProfile::name, "Of the kernel, or of the operation of a call.")
      .def_ro("segment_id", &KernelProfile::segmentId, "Its number in the order of the run.")
      .def_ro("device", &KernelProfile::device, "The index of the CUDA device; 0 on the CPU.")
      .def_ro("stream", &KernelProfile::stream,
              "The handle of the CUDA stream; 0 for the default one and on the CPU.")
      .def_ro("correlation_id", &KernelProfile::correlationId,
              "Its number among all that were profiled in this process.")
      .def_ro("compile_time_ms", &KernelProfile::compileTimeMs,
              "What compiling it took in this run: 0 when it had been compiled before.")
      .def_ro("time_ms", &KernelProfile::timeMs,
              "How long it ran: by CUDA events, or the clock of the host on the CPU.")
      .def_ro("grid_str", &KernelProfile::gridStr,
              "Blocks along x, y and z of every phase of the kernel; on the CPU the iterations of "
              "the loop that is shared among threads. Empty for a library call.")
      .def_ro("block_str", &KernelProfile::blockStr, "Threads of a block, likewise.")
      .def_ro("cluster_str", &KernelProfile::clusterStr, "Blocks of a cluster, likewise.")
      .def_ro("shared_mem_str", &KernelProfile::sharedMemStr,
              "Static and dynamic bytes of shared memory, likewise.")
      .def_ro("registers", &KernelProfile::registers,
              "Of a thread, the most of any phase; 0 on the CPU and for a library call.")
      .def_ro("scheduler", &KernelProfile::scheduler,
              "The scheduler's name; ``user`` for a schedule by hand.");
  defineTraffic(kernel);

  auto fusion = nb::class_<FusionProfile>(module, "FusionProfile",
                                          "What was measured of one run of a fusion.");
  fusion.def_ro("verbose", &FusionProfile::verbose, "Always False.")
      .def_ro("fusion_id", &FusionProfile::fusionId, "That of its executor.")
      .def_prop_ro(
          "segments", [](const FusionProfile& self) { return self.kernels.size(); },
          "The number of kernels and library calls that were run.")
      .def_ro("cuda_evt_time_ms", &FusionProfile::eventTimeMs,
              "From the begin of the first kernel to the end of the last one.")
      .def_ro("host_time_ms", &FusionProfile::hostTimeMs,
              "Of the whole call, with compiling; on CUDA until the kernels are enqueued.")
      .def_ro("compile_time_ms", &FusionProfile::compileTimeMs, "The sum of those of the kernels.")
      .def_ro("kernel_time_ms", &FusionProfile::kernelTimeMs,
              "The sum of the times of the kernels.")
      .def_ro("percentage_peak_bandwith", &FusionProfile::percentagePeakBandwidth,
              "The same as ``percentage_peak_bandwidth``, by nvFuser's spelling.")
      .def_ro("kernel_profiles", &FusionProfile::kernels, "One KernelProfile for each segment.");
  defineTraffic(fusion);

  module.def("start_profiling", [] { ++activeProfilers; }, "Profile runs until stop_profiling().");
  module.def(
      "stop_profiling",
      [] {
        NVF_CHECK(activeProfilers > 0, "No profiling was started");
        --activeProfilers;
      },
      "Undo one start_profiling().");
  module.def(
      "get_fusion_profile",
      [] {
        NVF_CHECK(lastProfile.has_value(),
                  "No fusion was profiled: run one within `with PythonProfiler() as profiler:`");
        return *lastProfile;
      },
      R"(Return the profile of the last run that was profiled.

Returns
-------
FusionProfile

Raises
------
RuntimeError
    If there was none since :func:`reset_profiler`.)");
  module.def("reset_profiler", [] { lastProfile.reset(); }, "Forget the profile of the last run.");
}

}  // namespace nvfuser
