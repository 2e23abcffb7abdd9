// What a launch costs when nothing but cuLaunchKernel is called: the floor of every call on a GPU.
//
// Built by bare_launch.py. Declares what it uses of the driver, so that it needs no CUDA toolkit.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>

namespace {

using Status = int;

template <typename Function>
Function* find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

// Three parameters like those of a kernel with two inputs and an output; does nothing.
constexpr const char* kKernel = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c) { ret; }
)";

void* load() {
  void* module = nullptr;
  void* function = nullptr;
  auto* load = find<Status(void**, const void*)>("cuModuleLoadData");
  auto* get = find<Status(void**, void*, const char*)>("cuModuleGetFunction");
  if (load == nullptr || get == nullptr || load(&module, kKernel) != 0 ||
      get(&function, module, "nothing") != 0) {
    std::fprintf(stderr, "bare_launch: the kernel could not be loaded\n");
    return nullptr;
  }
  return function;
}

}  // namespace

// Seconds per launch on `stream`, in the current context; negative after an error.
extern "C" double seconds_per_launch(void* stream, int launches) {
  using Clock = std::chrono::steady_clock;
  static void* const function = load();
  static auto* const launch =
      find<Status(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**)>("cuLaunchKernel");
  if (function == nullptr || launch == nullptr) {
    return -1;
  }
  unsigned long long values[3] = {};
  void* parameters[3] = {&values[0], &values[1], &values[2]};
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < launches; ++i) {
    if (launch(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr) != 0) {
      return -1;
    }
  }
  return std::chrono::duration<double>(Clock::now() - start).count() / launches;
}
