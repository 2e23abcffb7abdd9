// CPU tensors of torch as memory of the emulated device: the DLPack exchange API of torch, with
// another device in what it says.

#include "value/dlpack_abi.h"

extern "C" void emulation_register(void* data, size_t bytes);

namespace {

using namespace nvfuser::dlpack;

const ExchangeApi* original = nullptr;
ExchangeApi emulated;

// From the first to the last element.
size_t bytesOf(const Tensor& tensor) {
  int64_t last = 0;
  int64_t compact = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0) {
      return 0;
    }
    last += (tensor.shape[i] - 1) * (tensor.strides == nullptr ? compact : tensor.strides[i]);
    compact *= tensor.shape[i];
  }
  return static_cast<size_t>(last + 1) * tensor.dtype.bits * tensor.dtype.lanes / 8;
}

int tensorFromPyObject(void* object, Tensor* out) {
  const int result = original->dltensorFromPyObjectNoSync(object, out);
  if (result == 0 && out->device.type == static_cast<int32_t>(DeviceCode::CPU)) {
    out->device = {static_cast<int32_t>(DeviceCode::CUDA), 0};
    emulation_register(static_cast<char*>(out->data) + out->byteOffset, bytesOf(*out));
  }
  return result;
}

int currentWorkStream(int32_t, int32_t, void** stream) {
  *stream = nullptr;
  return 0;
}

}  // namespace

// Of the API that torch offers, the one that the emulation puts in its place.
extern "C" const void* emulation_exchange_api(const void* api) {
  original = static_cast<const ExchangeApi*>(api);
  while (original->header.version.major > kMajorVersion) {
    original = reinterpret_cast<const ExchangeApi*>(original->header.previousApi);
  }
  emulated = *original;
  emulated.dltensorFromPyObjectNoSync = tensorFromPyObject;
  emulated.currentWorkStream = currentWorkStream;
  return &emulated;
}
