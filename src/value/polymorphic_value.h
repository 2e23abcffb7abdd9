// PolymorphicValue: the one type of every value that is only known at run time.
#pragma once

#include <any>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

// Failed operations on run-time values are errors of this library like any other.
#include "core/error.h"
#define DYNAMIC_TYPE_CHECK(condition, ...) \
  do {                                     \
    if (!(condition)) [[unlikely]] {       \
      ::nvfuser::fail(__VA_ARGS__);        \
    }                                      \
  } while (false)
#include "dynamic_type/dynamic_type.h"
#include "value/data_type.h"
#include "value/tensor.h"

namespace nvfuser {

// An address with the size of what it points at: `+` and `-` count elements.
class Pointer {
 public:
  Pointer(void* address, int64_t elementSize)
      : address_(static_cast<std::byte*>(address)), elementSize_(elementSize) {}
  void* get() const { return address_; }
  int64_t elementSize() const { return elementSize_; }
  friend Pointer operator+(const Pointer& p, int64_t n) {
    return {p.address_ + n * p.elementSize_, p.elementSize_};
  }
  friend Pointer operator-(const Pointer& p, int64_t n) { return p + -n; }
  friend bool operator==(const Pointer&, const Pointer&) = default;

 private:
  std::byte* address_;
  int64_t elementSize_;
};

// A value this library only passes on. Two opaque values are equal when they are the same object.
class Opaque {
 public:
  explicit Opaque(std::any value) : value_(std::make_shared<const std::any>(std::move(value))) {}
  const std::any& any() const { return *value_; }
  friend bool operator==(const Opaque&, const Opaque&) = default;

 private:
  std::shared_ptr<const std::any> value_;
};

struct StructHandle;

using PolymorphicValue =
    dynamic_type::DynamicType<dynamic_type::Containers<std::vector>, StructHandle, Pointer, Opaque,
                              Tensor, std::complex<double>, double, int64_t, bool>;

// A struct with named fields, shared by reference.
struct StructHandle {
  std::shared_ptr<std::map<std::string, PolymorphicValue>> fields;
  friend bool operator==(const StructHandle&, const StructHandle&) = default;
};

// The dtype of a scalar value as Python literals have it: Bool, Int, Double or ComplexDouble.
DataType scalarTypeOf(const PolymorphicValue& value);
// `value` converted to the precision and range of `dtype`; raises when the kind cannot hold it.
PolymorphicValue castScalar(const PolymorphicValue& value, DataType dtype);
// The same of a value of dtype `from`: integers of UInt64 are held as Int, and are not negative.
PolymorphicValue castScalar(const PolymorphicValue& value, DataType from, DataType to);
// Whether `value`, if it is an integer, is one of `dtype` as well: is not changed by castScalar.
bool isInRange(const PolymorphicValue& value, DataType dtype);
// Scalars as C++ prints them ("2", "0.5", "true", "(2,1)"), tensors by dtype and shape.
std::string toString(const PolymorphicValue& value);
size_t hashValue(const PolymorphicValue& value);
// Same alternative and same bits (NaN equals NaN, 0.0 differs from -0.0): identity of constants.
bool sameValue(const PolymorphicValue& a, const PolymorphicValue& b);

}  // namespace nvfuser

extern template struct dynamic_type::DynamicType<
    dynamic_type::Containers<std::vector>, nvfuser::StructHandle, nvfuser::Pointer, nvfuser::Opaque,
    nvfuser::Tensor, std::complex<double>, double, int64_t, bool>;
