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

// A dtype is its kind, bits per lane, and lanes per element.
enum class TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8_e4m3fn = 10,
  Float8_e5m2 = 12,
  Float8_e8m0fnu = 14,
  Float4_e2m1fn = 17
};

struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
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

// The DataType with this representation, Null where there is none.
constexpr DataType toDataType(ElementType type) {
  const auto key = [](TypeCode code, uint32_t bits, uint32_t lanes) {
    return static_cast<uint32_t>(code) << 24 | bits << 16 | lanes;
  };
  switch (key(static_cast<TypeCode>(type.code), type.bits, type.lanes)) {
    case key(TypeCode::Float, 32, 1):
      return DataType::Float;
    case key(TypeCode::Float, 64, 1):
      return DataType::Double;
    case key(TypeCode::Float, 16, 1):
      return DataType::Half;
    case key(TypeCode::BFloat, 16, 1):
      return DataType::BFloat16;
    case key(TypeCode::Int, 64, 1):
      return DataType::Int;
    case key(TypeCode::Int, 32, 1):
      return DataType::Int32;
    case key(TypeCode::UInt, 64, 1):
      return DataType::UInt64;
    case key(TypeCode::Bool, 8, 1):
      return DataType::Bool;
    case key(TypeCode::Complex, 64, 1):
      return DataType::ComplexFloat;
    case key(TypeCode::Complex, 128, 1):
      return DataType::ComplexDouble;
    case key(TypeCode::Float8_e4m3fn, 8, 1):
      return DataType::Float8_e4m3fn;
    case key(TypeCode::Float8_e5m2, 8, 1):
      return DataType::Float8_e5m2;
    case key(TypeCode::Float8_e8m0fnu, 8, 1):
      return DataType::Float8_e8m0fnu;
    case key(TypeCode::Float4_e2m1fn, 4, 2):
      return DataType::Float4_e2m1fn_x2;
    default:
      return DataType::Null;
  }
}

}  // namespace nvfuser::dlpack
