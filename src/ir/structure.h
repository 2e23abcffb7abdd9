// Structural identity of whole fusions: what a cache of compiled fusions is keyed by.
//
// Two fusions are structurally equal if their inputs (in order), outputs and in-place updates
// agree, and the operations that the outputs depend on: kinds, attributes, constants by their bits,
// dtypes, dimensions with constant extents and the pattern in which symbolic extents are equal,
// contiguity, order of strides, and how tensors are divided among devices. The order of creation,
// names, dead code and schedules (other loop domains, parallel types, memory types) do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

size_t structuralHash(const Fusion& fusion);
bool structurallyEqual(const Fusion& a, const Fusion& b);

// The structure as words, which are the same for fusions of equal structure, and the symbols in the
// order in which these mention them: so they correspond.
struct Structure {
  std::vector<uint64_t> words;
  std::vector<const Val*> symbols;
};
Structure structureOf(const Fusion& fusion);

}  // namespace nvfuser
