// What a thread needs of memory is on its way before threads wait for each other.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Where threads reduce or scan together, moves what only loads inputs into local tensors to the
// front: a thread that waits has all it needs on the way then.
void loadFirst(const PassContext& context);

// What is looked up in inputs behind the first reduction of the threads, and depends on none, is
// looked up before that: in front of its loop, but behind one that loads, where looking up would
// wait for the position first.
void lookUpEarly(const PassContext& context);

}  // namespace nvfuser
