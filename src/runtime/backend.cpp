#include "runtime/backend.h"

namespace nvfuser {

const Backend& backendOf(Device device) {
  return device.type == DeviceType::CPU ? cpuBackend() : cudaBackend(device.index);
}

}  // namespace nvfuser
