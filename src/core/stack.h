// The stack of the calling thread: how much is left of it, and calls that get one of their own.
#pragma once

#include <cstddef>
#include <functional>

namespace nvfuser {

// The bytes that the calling thread may still put on its stack.
size_t stackBytesLeft();

// Calls `fn` on a thread that has a stack of so many bytes, and waits for it. What it throws is
// thrown here.
void callWithStack(size_t bytes, const std::function<void()>& fn);

}  // namespace nvfuser
