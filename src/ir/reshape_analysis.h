// Which dimensions of a reshape's input make up which dimensions of its output, as Split and Merge
// expressions between the root and the logical domain of the output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/nodes.h"

namespace nvfuser {

// A run of input dimensions with as many elements as a run of output dimensions. Positions are
// those in the root and the logical domain; dimensions of size 1 belong to no group.
struct ReshapeGroup {
  std::vector<size_t> in;
  std::vector<size_t> out;
};

// The minimal groups of a reshape, given the extents. Symbolic extents are compared as products of
// symbols; none if what they are leaves several structures possible. The groups are right for all
// sizes for which the number of elements does not change.
std::optional<std::vector<ReshapeGroup>> reshapeGroups(std::span<Val* const> inExtents,
                                                       std::span<Val* const> outExtents);
std::vector<ReshapeGroup> reshapeGroups(std::span<const int64_t> inSizes,
                                        std::span<const int64_t> outSizes);

// Raises if the numbers of elements differ. Also needed where the structure is known from the
// symbols: that the sizes agree shows at run time.
void checkReshapeSizes(const TensorView* in, std::span<const int64_t> inSizes,
                       std::span<const int64_t> outSizes);
inline void checkReshapeSizes(const ReshapeOp* reshape, std::span<const int64_t> inSizes,
                              std::span<const int64_t> outSizes) {
  checkReshapeSizes(reshape->in(), inSizes, outSizes);
}

// Creates the transforms whose last outputs are the logical domains of the output. A dimension that
// is kept as it is has no transform: there the root domain takes the place of the logical one (in a
// new TensorDomain). Symbolic root and logical domains become iteration domains, or broadcast ones
// where the extent is the constant 1. Domains in no group keep the index 0.
void attachReshapeTransforms(ReshapeOp* reshape, std::span<const ReshapeGroup> groups);
// The same from run-time sizes, which are checked first.
void attachReshapeTransforms(ReshapeOp* reshape, const std::vector<int64_t>& inSizes,
                             const std::vector<int64_t>& outSizes);

// Raises if a symbolic domain of an expand's result is neither expanded nor of its extent already.
void checkExpandSizes(const ExpandOp* expand, const std::vector<int64_t>& inSizes,
                      const std::vector<int64_t>& outSizes);
// Decides for run-time sizes, which are checked first, which of these domains are expanded.
void concretizeExpand(ExpandOp* expand, const std::vector<int64_t>& inSizes,
                      const std::vector<int64_t>& outSizes);

// Gives the symbolic domains of consumers the iteration type of their producers' domains: to be
// called once the reshapes and expands of the fusion are concretized.
void resolveSymbolicDomains(Fusion* fusion);

}  // namespace nvfuser
