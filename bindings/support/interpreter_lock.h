// Taking and releasing the interpreter's lock on threads that may outlive the interpreter.
//
// Daemon threads that run when the interpreter ends never get its lock again. Up to Python 3.13,
// CPython ends them where they ask for it, by unwinding their stack: destructors that need the lock
// then abort the process. Here they wait for the process to end, as they do in later versions.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace nvfuser {

namespace nb = nanobind;

// What unwinds the stack of a thread that ends; other libraries than GNU's have no name for it.
#if defined(__GLIBCXX__)
using EndOfThread = abi::__forced_unwind;
#else
struct EndOfThread {};
#endif

[[noreturn]] inline void waitForTheEnd() {
  while (true) {
    pause();
  }
}

template <typename Fn>
auto unlessEnded(Fn&& fn) {
  try {
    return fn();
  } catch (EndOfThread&) {
    waitForTheEnd();
  }
}

// Does not hold the lock as long as it lives.
class WithoutInterpreter {
 public:
  WithoutInterpreter() : state_(PyEval_SaveThread()) {}
  ~WithoutInterpreter() {
    unlessEnded([&] { PyEval_RestoreThread(state_); });
  }
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the lock as long as it lives. Unlike nanobind's its constructor may end the thread: that of
// a function that is declared not to throw would abort the process.
class WithInterpreter {
 public:
  WithInterpreter() : state_(PyGILState_Ensure()) {}
  ~WithInterpreter() { PyGILState_Release(state_); }
  WithInterpreter(const WithInterpreter&) = delete;
  WithInterpreter& operator=(const WithInterpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

// Calls `fn` with the lock.
template <typename Fn>
auto withInterpreter(Fn&& fn) {
  return unlessEnded([&] {
    const WithInterpreter lock;
    return unlessEnded(fn);
  });
}

}  // namespace nvfuser
