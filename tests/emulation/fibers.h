// Fibers: the threads of a block run on stacks of their own, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulation {

#if defined(__x86_64__)
using Context = void*;  // the stack pointer; everything else is on the stack
#else
using Context = ucontext_t;
#endif

// Saves where it is called and continues where `to` was saved.
void switchContext(Context& from, Context& to);

// Stacks, all in one piece of memory and with a page in between that faults.
class StackPool {
 public:
  // For the threads of a cluster.
  static constexpr int kCount = 8 * 1024;
  static constexpr size_t kBytes = 256 * 1024;

  StackPool();

  // The stack given back last is handed out first: threads that never wait share one.
  int acquire();
  void release(int stack) { free_.push_back(stack); }
  void releaseAll();
  // A context that calls `entry` on this stack.
  void prepare(int stack, Context& context, void (*entry)());

  bool contains(uintptr_t address) const { return address - begin_ < kCount * kBytes; }

 private:
  uintptr_t begin_;
  std::vector<int> free_;
};

}  // namespace emulation
