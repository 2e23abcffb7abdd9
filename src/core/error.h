// Errors: the one exception type of the core and the checks that raise it.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace nvfuser {

// Raised for every failed check. The bindings translate it to Python's RuntimeError.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// An operation that the interface knows but that this build cannot execute.
class NotSupportedError : public Error {
 public:
  using Error::Error;
};

// A schedule that the lowering cannot follow.
class ScheduleError : public Error {
 public:
  using Error::Error;
};

template <typename... Args>
std::string concatenate(const Args&... args) {
  std::ostringstream stream;
  (stream << ... << args);
  return std::move(stream).str();
}

// The message pieces are only formatted when a check fails: keeping this out of line keeps the
// passing path of a check to one branch.
template <typename... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const Args&... args) {
  throw Error(concatenate(args...));
}

template <typename... Args>
[[noreturn, gnu::cold, gnu::noinline]] void failSchedule(const Args&... args) {
  throw ScheduleError(concatenate(args...));
}

}  // namespace nvfuser

// A condition that bad input can violate.
#define NVF_CHECK(condition, ...)    \
  do {                               \
    if (!(condition)) [[unlikely]] { \
      ::nvfuser::fail(__VA_ARGS__);  \
    }                                \
  } while (false)

// A condition that a schedule can violate.
#define NVF_SCHEDULE_CHECK(condition, ...)  \
  do {                                      \
    if (!(condition)) [[unlikely]] {        \
      ::nvfuser::failSchedule(__VA_ARGS__); \
    }                                       \
  } while (false)

// A condition that only a defect of this library can violate.
#define NVF_INTERNAL_CHECK(condition, ...)                                                 \
  do {                                                                                     \
    if (!(condition)) [[unlikely]] {                                                       \
      ::nvfuser::fail("Internal error at ", __FILE__, ":", __LINE__, ": ", ##__VA_ARGS__); \
    }                                                                                      \
  } while (false)
