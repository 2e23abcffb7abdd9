#include "runtime/backend.h"

#include "core/error.h"

namespace nvfuser {

const Backend& backendOf(Device device) {
  switch (device.type) {
    case DeviceType::CPU:
      return cpuBackend();
    case DeviceType::CUDA:
      return cudaBackend(device.index);
    case DeviceType::Meta:
      break;
  }
  fail("Fusions run on the CPU and on CUDA devices, but ", toString(device), " was asked for");
}

}  // namespace nvfuser
