#include "fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace emulation {

#if defined(__x86_64__)

// The registers that a function must leave as they were, and the stack that its caller's caller is
// found on.
asm(R"(
.text
.type emulation_switch_stack,@function
emulation_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulation_switch_stack,.-emulation_switch_stack
)");

extern "C" void emulation_switch_stack(void** saved, void* next) asm("emulation_switch_stack");

void switchContext(Context& from, Context& to) { emulation_switch_stack(&from, to); }

#else

void switchContext(Context& from, Context& to) { swapcontext(&from, &to); }

#endif

StackPool::StackPool() {
  void* memory = mmap(nullptr, kCount * kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("CUDA emulation: no memory for stacks");
    std::abort();
  }
  begin_ = reinterpret_cast<uintptr_t>(memory);
  for (int i = 0; i < kCount; ++i) {
    mprotect(static_cast<char*>(memory) + i * kBytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)),
             PROT_NONE);
  }
  releaseAll();
}

void StackPool::releaseAll() {
  free_.clear();
  for (int i = kCount; i-- > 0;) {
    free_.push_back(i);
  }
}

int StackPool::acquire() {
  const int stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::prepare(int stack, Context& context, void (*entry)()) {
  const uintptr_t top = begin_ + (static_cast<size_t>(stack) + 1) * kBytes;
#if defined(__x86_64__)
  // Six registers, the address to return to, and the return address that `entry` must not use: with
  // it the stack is aligned as at a call.
  auto* words = reinterpret_cast<uint64_t*>(top) - 8;
  for (int i = 0; i < 8; ++i) {
    words[i] = 0;
  }
  words[6] = reinterpret_cast<uint64_t>(entry);
  context = words;
#else
  getcontext(&context);
  context.uc_stack.ss_sp = reinterpret_cast<void*>(top - kBytes);
  context.uc_stack.ss_size = kBytes;
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
#endif
}

}  // namespace emulation
