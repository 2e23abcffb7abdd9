// An order of segments in which devices compute while they communicate.
#pragma once

#include <unordered_map>
#include <vector>

#include "schedule/segmentation.h"

namespace nvfuser {

// Operations among devices begin as soon as what they send is there, and are waited for when there
// is nothing else to do; without any, segments stay as they are. What is computed in the memory of
// an input
// (`directUpdates`) still comes behind what reads that.
void overlapCommunication(
    std::vector<Segment>& segments,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates);

}  // namespace nvfuser
