// The threads that CPU kernels share their work over.
//
// Work is cut into the same parts whenever count, grain and the number of threads are the same,
// whoever executes them: results that are combined part by part are reproducible to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nvfuser::cpu {

// Threads that parallelFor uses, the calling one included, when called from this thread. New
// threads take over what was set last anywhere; before that it is the number of CPUs this process
// may use.
void setNumThreads(int n);
int numThreads();

// Runs `work(data)` on `threads` threads at once, the calling one included, and returns when all of
// them have: GOMP_parallel() of an OpenMP runtime, where `flags` is 0.
using TeamFunction = void (*)(void (*work)(void*), void* data, unsigned threads, unsigned flags);
// From now on parts are executed by these threads instead of the pool's own. Threads of an OpenMP
// runtime look for more to do for milliseconds after a parallel region, and meanwhile leave no CPU
// to another pool: with one on every CPU, a kernel right after an operation of torch would take
// twice as long. Null: the pool's own again. A forked process has its own in any case.
void useTeam(TeamFunction team);

// The number of parts parallelFor makes of `count` items when no part may have fewer than `grain`
// (except when there is only one).
int64_t partitionCount(int64_t count, int64_t grain);

// Memory for the part that the calling thread executes: aligned to 64 bytes, uninitialized, valid
// until the part ends or asks again. It grows but never shrinks.
void* scratch(size_t bytes);

namespace detail {
using PartFunction = void (*)(void* context, int64_t begin, int64_t end, int part);
void runParts(int64_t count, int64_t parts, PartFunction function, void* context);
}  // namespace detail

// Calls fn(begin, end, part) for consecutive ranges that cover [0, count), part counting from 0 to
// partitionCount(count, grain) - 1, on the calling thread and the pool's; returns when all are
// done.
//
// May be called from any number of threads at once: they share the pool. A call from within a part
// runs inline, as a single part. When parts throw, all parts still run and one of the exceptions is
// passed on.
template <typename Fn>
void parallelFor(int64_t count, int64_t grain, Fn&& fn) {
  if (count <= 0) {
    return;
  }
  const int64_t parts = partitionCount(count, grain);
  if (parts == 1) {
    fn(int64_t{0}, count, 0);
    return;
  }
  using Function = std::remove_reference_t<Fn>;
  detail::runParts(
      count, parts,
      [](void* context, int64_t begin, int64_t end, int part) {
        (*static_cast<Function*>(context))(begin, end, part);
      },
      const_cast<void*>(static_cast<const void*>(&fn)));
}

}  // namespace nvfuser::cpu
