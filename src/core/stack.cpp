#include "core/stack.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <limits>

#include "core/error.h"

namespace nvfuser {

namespace {

// That of the main thread grows up to a limit, about which pthread_getattr_np() reads a file that
// has thousands of lines in a large process.
size_t mainStackBytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<size_t>::max();
  }
  return limit.rlim_cur;
}

struct Call {
  const std::function<void()>& fn;
  std::exception_ptr error;
};

void* run(void* argument) {
  auto* call = static_cast<Call*>(argument);
  try {
    call->fn();
  } catch (const std::exception&) {
    call->error = std::current_exception();
  }
  return nullptr;
}

}  // namespace

size_t stackBytesLeft() {
  if (syscall(SYS_gettid) == getpid()) {
    // A caller's frames are small beside it.
    return mainStackBytes();
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  void* lowest = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const char here = 0;
  return reinterpret_cast<uintptr_t>(&here) - reinterpret_cast<uintptr_t>(lowest);
}

void callWithStack(size_t bytes, const std::function<void()>& fn) {
  constexpr size_t kPage = size_t{64} << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (bytes + kPage - 1) / kPage * kPage);
  Call call{fn, nullptr};
  pthread_t thread{};
  const int failure = pthread_create(&thread, &attributes, run, &call);
  pthread_attr_destroy(&attributes);
  NVF_CHECK(failure == 0, "A kernel needs a thread with a stack of ", bytes,
            " bytes to be compiled, but the system refused it with error ", failure);
  pthread_join(thread, nullptr);
  if (call.error != nullptr) {
    std::rethrow_exception(call.error);
  }
}

}  // namespace nvfuser
