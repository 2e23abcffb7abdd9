// findInLibrary: functions of libraries that the process has loaded, by name. Nothing is linked.
#pragma once

#if defined(__linux__)
#include <dlfcn.h>
#endif

#include <string>

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

}  // namespace nvfuser
