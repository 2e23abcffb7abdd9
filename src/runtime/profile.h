// What is measured of one run of a fusion.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nvfuser {

using SteadyTime = std::chrono::steady_clock::time_point;

// Bytes that are read and written, each tensor once.
struct Traffic {
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;

  int64_t total() const { return inputBytes + outputBytes; }
};

// Of one launch: a generated kernel, with all its phases, or a library call.
struct KernelProfile {
  std::string name;
  // As reports have it; empty for library calls.
  std::string label;
  int64_t segmentId = 0;
  // The numbers of its segments among all, of which those without elements are not run: several
  // for kernels that share a launch.
  std::vector<size_t> segments;
  // The index of the CUDA device, 0 on the CPU.
  int64_t device = 0;
  // The handle of the CUDA stream as a number.
  int64_t stream = 0;
  // Counts what was profiled in this process.
  int64_t correlationId = 0;
  // Zero unless it was compiled in this run.
  double compileTimeMs = 0;
  double timeMs = 0;
  double effectiveBandwidthGbs = 0;
  // 0 where the peak is not known: on the CPU.
  double percentagePeakBandwidth = 0;
  // One [x, y, z] for each phase; empty for library calls.
  std::string gridStr;
  std::string blockStr;
  std::string clusterStr;
  // [static, dynamic] bytes.
  std::string sharedMemStr;
  int64_t registers = 0;
  Traffic traffic;
  // "user" for a schedule by hand.
  std::string scheduler;
};

struct FusionProfile {
  bool verbose = false;
  int64_t fusionId = 0;
  // From before the first kernel to behind the last one.
  double eventTimeMs = 0;
  // The whole call, with compiling, until all kernels were enqueued.
  double hostTimeMs = 0;
  // The sums of those of the kernels.
  double compileTimeMs = 0;
  double kernelTimeMs = 0;
  double effectiveBandwidthGbs = 0;
  double percentagePeakBandwidth = 0;
  Traffic traffic;
  std::vector<KernelProfile> kernels;
};

}  // namespace nvfuser
