#include "device/cpu/vectors.h"

namespace nvfuser::cpu {

bool hasMaskedVectors() {
#ifdef __x86_64__
  // AVX2 has masks for elements of 32 and 64 bits only.
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

}  // namespace nvfuser::cpu
