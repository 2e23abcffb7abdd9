// How much a worker has to do in an iteration of the loop that workers share.
#pragma once

#include "lower/kernel.h"

namespace nvfuser {

// What an iteration computes besides loads and stores of elements, for an estimate of the time that
// it takes.
struct Work {
  // Of each element.
  int64_t functions = 0;
  // Outside of loops over elements: these loops, and functions of single values.
  int64_t loops = 0;
  int64_t statements = 0;
};

// Of the parallel loop of a phase; of one without such a loop there is nothing to share.
Work workOf(const kir::Phase& phase);

}  // namespace nvfuser
