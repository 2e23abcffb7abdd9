// What other architectures have in place of values of the tables in cpu.h and gpu.h, which are
// those of x86-64 and sm_90.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace nvfuser::tuning {

struct Change {
  // "cpu.smallWork".
  std::string_view name;
  double value;
  // As in the tables.
  const char* evidence;
};

// The cores of servers: 64 KB of L1 cache, 1 MB or more of L2.
inline constexpr std::array kAarch64{
    Change{"cpu.resultRowBytesMost", 42 * 1024,
           "derived: as large a share of 64 KB of L1 cache as 32 KB are of 48 KB; not measured"},
};

// None for the architecture of the tables, and for one that nobody has measured.
inline std::span<const Change> rowOf(std::string_view architecture) {
  if (architecture == "aarch64") {
    return kAarch64;
  }
  return {};
}

}  // namespace nvfuser::tuning
