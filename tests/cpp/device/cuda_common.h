// The fake CUDA driver in place of the real one.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "device/cuda/driver.h"
#include "fake_cuda/fake_cuda.h"

namespace nvfuser::testing_support {

// NVFUSER_FAKE_CUDA is the path of the fake library.
inline FakeCuda& fakeCuda() {
  static auto* const find = [] {
    void* library = dlopen(NVFUSER_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<FakeCuda* (*)()>(dlsym(library, "fakeCuda"));
  }();
  return *find();
}

// Every test has a driver of its own.
inline cuda::GpuDevice& freshDevice(int32_t index = 0) {
  cuda::Driver::use(NVFUSER_FAKE_CUDA);
  return cuda::Driver::get().device(index);
}

template <typename Call>
std::string cudaErrorOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace nvfuser::testing_support
