// Random numbers by Philox4x32-10: what an element is depends on its position, not on how it is
// computed.
#pragma once

#include <span>

#include "ir/fusion.h"

namespace nvfuser::ops {

// Numbers of single precision that Philox4x32 makes of one counter: those of as many elements, one
// behind the other.
inline constexpr int64_t kNumbersOfCounter = 4;

// A tensor of random numbers with the parameters `a` and `b`: from a up to, but not, b; or of mean
// a and standard deviation b. Seed and offset, given together, are integer scalars, or the seed is
// a tensor of one: what a graph of kernels that is replayed reads again. Without them they are
// those of torch's default generator, which every run advances.
TensorView* random(RandomType type, Val* a, Val* b, std::span<Val* const> shape, Val* seed,
                   Val* offset, DataType dtype);
// Uniform from 0 to 1, or standard normal, of the shape and dtype of `x`.
TensorView* randomLike(RandomType type, TensorView* x);

}  // namespace nvfuser::ops
