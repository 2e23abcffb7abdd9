// The loops over the dimension of a scan.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// A scan runs along its dimension in one serial loop, or in the loops that the dimension was split
// into, one of which may be that of threads. Loops that it shares with consumers of its result run
// one iteration after the other; what is inside is computed as a whole: each thread combines its
// own pieces, then they learn from each other what precedes them.
struct ScanLoops {
  // Those that come from the dimension, outermost first.
  std::vector<int64_t> positions;
  // The one over threads, negative for none.
  int64_t threads = -1;
  // The one over blocks that know what precedes their part, around the others; negative for none.
  int64_t blocks = -1;

  bool contains(int64_t position) const;
};
ScanLoops scanLoops(const ScanOp* scan);

// Raises a ScheduleError unless the loops follow each other in the order of the elements.
void checkScanLoops(const ScanOp* scan);

// Whether a loop divides the scan that computes `tv` among threads.
bool dividesScan(const TensorView* tv, int64_t position);

}  // namespace nvfuser
