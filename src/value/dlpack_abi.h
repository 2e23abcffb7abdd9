// DLPack's C ABI, version 1.x: declarations of our own of what producers and consumers agree on.
//
// Names and layouts are those of the public specification (https://dmlc.github.io/dlpack); they
// cannot change without a new major version. Declaring them here, instead of including a
// framework's copy of the header, keeps the build free of that framework.
#pragma once

#include <cstdint>

#include "value/data_type.h"

namespace nvfuser::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 3;

struct Version {
  uint32_t major;
  uint32_t minor;
};

enum class DeviceCode : int32_t { CPU = 1, CUDA = 2, CUDAHost = 3, CUDAManaged = 13 };

struct Device {
  int32_t type;
  int32_t id;
};

// Shape and strides are counted in elements; null strides mean compact row-major (until
// DLPack 1.2).
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  ElementType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byteOffset;
};

// What a capsule named "dltensor" holds: DLPack before 1.0.
struct ManagedTensor {
  Tensor tensor;
  void* managerContext;
  void (*deleter)(ManagedTensor* self);
};

inline constexpr uint64_t kFlagReadOnly = 1;

// What a capsule named "dltensor_versioned" holds.
struct ManagedTensorVersioned {
  Version version;
  void* managerContext;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

// The C exchange API of a Python tensor type, behind its attribute `__dlpack_c_exchange_api__` (a
// capsule named "dlpack_exchange_api", alive as long as the process). All functions need the
// interpreter's lock, none synchronizes a stream, and all return 0 or -1 with a Python error set.
struct ExchangeApiHeader {
  Version version;
  // The same type's API of an earlier major version, or null.
  const ExchangeApiHeader* previousApi;
};

struct ExchangeApi {
  ExchangeApiHeader header;
  int (*managedTensorAllocator)(Tensor* prototype, ManagedTensorVersioned** out, void* errorContext,
                                void (*setError)(void* errorContext, const char* kind,
                                                 const char* message));
  int (*managedTensorFromPyObjectNoSync)(void* object, ManagedTensorVersioned** out);
  int (*managedTensorToPyObjectNoSync)(ManagedTensorVersioned* tensor, void** outObject);
  // May be null. The result borrows everything from `object`.
  int (*dltensorFromPyObjectNoSync)(void* object, Tensor* out);
  int (*currentWorkStream)(int32_t deviceType, int32_t deviceId, void** outStream);
};

static_assert(sizeof(Tensor) == 48 && sizeof(ManagedTensorVersioned) == 80 &&
              sizeof(ExchangeApi) == 56);

}  // namespace nvfuser::dlpack
