// Hash combination used by structural hashes and cache keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvfuser {

// Mixes `value` into `seed` with the 64-bit finalizer of a multiply-xorshift hash.
inline void hashCombine(size_t& seed, size_t value) {
  uint64_t mixed =
      (static_cast<uint64_t>(seed) ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ull;
  mixed ^= mixed >> 32;
  mixed *= 0xD6E8FEB86659FD93ull;
  mixed ^= mixed >> 29;
  seed = static_cast<size_t>(mixed);
}

}  // namespace nvfuser
