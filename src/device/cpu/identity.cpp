#include "device/cpu/identity.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace nvfuser::cpu {

namespace {

#if defined(__x86_64__) || defined(__aarch64__)
void append(std::string& text, uint64_t value) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "%llx.", static_cast<unsigned long long>(value));
  text += digits;
}
#endif

#if defined(__x86_64__)
// A leaf of the instruction CPUID, and the registers of its answer that say what a processor is and
// offers (bits a, b, c, d), rather than where or how fast it runs.
struct Leaf {
  uint32_t leaf;
  uint32_t subleaf;
  unsigned registers;
};

constexpr unsigned kA = 1;
constexpr unsigned kB = 2;
constexpr unsigned kC = 4;
constexpr unsigned kD = 8;
constexpr unsigned kAll = kA | kB | kC | kD;

constexpr Leaf kLeaves[] = {
    {0, 0, kAll},              // vendor
    {1, 0, kA | kC | kD},      // family and model, features
    {7, 0, kAll},              // features
    {7, 1, kAll},              // features
    {0xd, 1, kA},              // saving of registers
    {0x14, 0, kB},             // tracing
    {0x19, 0, kB},             // key locker
    {0x1e, 1, kA},             // AMX
    {0x24, 0, kB},             // AVX10
    {0x80000001, 0, kC | kD},  // AMD's features
    {0x80000008, 0, kB},       // AMD's features
    {0x80000021, 0, kA},       // AMD's features
};

// Which registers the operating system saves.
uint64_t savedRegisters() {
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}
#endif

}  // namespace

std::string identity() {
  std::string text;
#if defined(__x86_64__)
  for (const Leaf& leaf : kLeaves) {
    uint32_t values[4] = {};
    __get_cpuid_count(leaf.leaf, leaf.subleaf, &values[0], &values[1], &values[2], &values[3]);
    for (int i = 0; i < 4; ++i) {
      if ((leaf.registers >> i & 1) != 0) {
        append(text, values[i]);
      }
    }
  }
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t features = 0;
  uint32_t d = 0;
  __get_cpuid(1, &a, &b, &features, &d);
  if ((features & bit_OSXSAVE) != 0) {
    append(text, savedRegisters());
  }
#elif defined(__aarch64__)
  append(text, getauxval(AT_HWCAP));
  append(text, getauxval(AT_HWCAP2));
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::string model;
  if (!std::getline(file, model)) {
    return {};
  }
  text += model;
#endif
  return text;
}

}  // namespace nvfuser::cpu
