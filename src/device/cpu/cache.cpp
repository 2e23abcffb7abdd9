#include "device/cpu/cache.h"

#include <fstream>
#include <string>

namespace nvfuser::cpu {

namespace {

// What Linux says about the caches of the first processor. The C library would add up those of all
// chips in a package.
int64_t readCacheBytes() {
  constexpr int kMaxCaches = 8;
  int64_t bytes = 0;
  int64_t last = 0;
  for (int i = 0; i < kMaxCaches; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::ifstream levels(folder + "level");
    std::ifstream sizes(folder + "size");
    int64_t level = 0;
    int64_t size = 0;
    char unit = 0;
    if (levels >> level && sizes >> size && level > last) {
      sizes >> unit;
      last = level;
      bytes = size * (unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1);
    }
  }
  return bytes;
}

}  // namespace

int64_t lastLevelCacheBytes() {
  static const int64_t bytes = readCacheBytes();
  return bytes;
}

}  // namespace nvfuser::cpu
