// findInLibrary, findInternal: functions of libraries that the process has loaded, by name. Nothing
// is linked.
#pragma once

#if defined(__linux__)
#include <dlfcn.h>
#endif

#include <string>

#include "core/options.h"

namespace nvfuser {

// The address of a function or variable, null where the library is not loaded or lacks it.
template <typename Pointer>
Pointer findInLibrary([[maybe_unused]] const char* library,
                      [[maybe_unused]] const std::string& name) {
  Pointer pointer = nullptr;
#if defined(__linux__)
  if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
    pointer = reinterpret_cast<Pointer>(dlsym(handle, name.c_str()));
    dlclose(handle);
  }
#endif
  return pointer;
}

// Whether the environment allows the use of what torch does not promise to keep.
inline bool mayUseInternals() {
  return !contains(environmentOptions(), Option::disable_torch_internals);
}

// The same of what torch's libraries export, but do not promise to keep: null, too, where that is
// not to be used.
template <typename Pointer>
Pointer findInternal(const char* library, const std::string& name) {
  return mayUseInternals() ? findInLibrary<Pointer>(library, name) : nullptr;
}

}  // namespace nvfuser
