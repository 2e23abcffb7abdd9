// Dimensions of few elements, along which smaller tensors are repeated, like the coordinates of all
// pairs of points.
#pragma once

#include <utility>
#include <vector>

#include "device/target.h"
#include "ir/fusion.h"

namespace nvfuser {

// What is computed in place of tensors, with these.
using InPlaceOf = std::vector<std::pair<const TensorView*, const TensorView*>>;

// Writes out sums, products and extremes over a dimension of a few elements, which only tensors
// with fewer dimensions have, whose elements are stacked, or whose result is reduced again, and
// what is taken of one such element: element by element, so that what is computed of the result may
// lie along other dimensions, and be reduced along these in the same kernel. On the CPU also where
// functions are evaluated of rows or their results: of one row after the other they take longer.
InPlaceOf writeOutShortDimensions(Fusion* fusion, const Target& target);

}  // namespace nvfuser
