// keptForever: what Python is asked for once, at first need.
//
// Not the initializer of a static variable of a function: while that runs, other threads wait for
// its end. Whatever Python does can hand the interpreter's lock to one of those, which then waits
// for the variable with the lock, and the first one for the lock: for ever. So variables that are
// static in a function are constinit in this folder, which a test sees to, and what Python has to
// say is put into them here, with the lock and not while anybody waits.
#pragma once

#include <nanobind/nanobind.h>

namespace nvfuser {

namespace nb = nanobind;

// The result of `find`, a function or a lambda without captures: something that needs no
// destructor, like a pointer to a Python object that is released to it. Several threads may come to
// run `find`; what the first to end has found stays.
template <auto find>
const auto& keptForever() {
  constinit static decltype(find()) kept{};
  constinit static bool isKnown = false;
  if (!isKnown) [[unlikely]] {
    const auto found = find();
    if (!isKnown) {
      kept = found;
      isKnown = true;
    }
  }
  return kept;
}

// A text of which Python has one copy: names of keywords are compared by address.
class InternedName {
 public:
  explicit constexpr InternedName(const char* text) : text_(text) {}
  PyObject* get() {
    if (object_ == nullptr) [[unlikely]] {
      object_ = PyUnicode_InternFromString(text_);
      if (object_ == nullptr) {
        throw nb::python_error();
      }
    }
    return object_;
  }

 private:
  const char* text_;
  PyObject* object_ = nullptr;
};

}  // namespace nvfuser
