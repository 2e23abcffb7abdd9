// Results that are larger than the caches.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A processor reads a line of memory before it writes a part of it, and what it writes takes the
// place of something else in the caches. Where the schedule streams a copy to global memory, and it
// runs along memory in an innermost loop, the elements of a few whole lines of memory at a time are
// computed in local variables, which become registers, and stored from there without reading the
// lines, here of a group of 64:
//   for i in n: out[i] = f(i)
// becomes
//   first, last = whole lines of out below n
//   for i in 0 .. first: out[i] = f(i)
//   for g in first .. last by 64: { for i in g .. g + 64: x[i - g] = f(i); out[g ...] = streamed x
//   } for i in last .. n: out[i] = f(i)
// Longer parts in local memory would do as well, but leave less of the rest in registers: what is
// read from the stack right behind such a store, at an address that has its last 12 bits, waits
// until memory has taken the store.
void streamResults(const PassContext& context);

}  // namespace nvfuser
