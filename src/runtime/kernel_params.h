// What a user may ask of kernels that are compiled and launched as scheduled by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "value/data_type.h"

namespace nvfuser {

// Blocks and threads of a launch; -1: as the schedule needs.
struct LaunchParams {
  static constexpr int64_t kUnset = -1;
  int64_t gdimx = kUnset;
  int64_t gdimy = kUnset;
  int64_t gdimz = kUnset;
  int64_t bdimx = kUnset;
  int64_t bdimy = kUnset;
  int64_t bdimz = kUnset;

  friend bool operator==(const LaunchParams&, const LaunchParams&) = default;
};
std::string toString(const LaunchParams& params);

struct CompileParams {
  // Int or Int32; none: the narrowest that the sizes allow.
  std::optional<DataType> indexType;
  int64_t maxrregcount = 255;
  bool enableMagicZero = true;
  bool enablePtxasVerbose = false;
  // The index of the CUDA device; none: that of the inputs.
  std::optional<int64_t> device;
  std::vector<std::string> includePaths;

  friend bool operator==(const CompileParams&, const CompileParams&) = default;
};
std::string toString(const CompileParams& params);

}  // namespace nvfuser
