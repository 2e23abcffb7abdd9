// A value of ten alternatives, and a function that uses every operator on it. The file that
// includes this has chosen the library by `namespace library = ...`.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

struct StructHandle {
  std::shared_ptr<int> fields;
  bool operator==(const StructHandle&) const = default;
};

struct Pointer {
  char* address;
  int64_t elementSize;
  Pointer operator+(int64_t n) const { return {address + n * elementSize, elementSize}; }
  Pointer operator-(int64_t n) const { return {address - n * elementSize, elementSize}; }
  bool operator==(const Pointer&) const = default;
};

struct Opaque {
  std::shared_ptr<int> value;
  bool operator==(const Opaque&) const = default;
};

struct Tensor {
  std::shared_ptr<double> data;
  int64_t size;
  friend Tensor operator+(const Tensor& a, const Tensor&) { return a; }
  friend Tensor operator*(const Tensor& a, double) { return a; }
  friend Tensor operator-(const Tensor& a) { return a; }
};

using Value = library::DynamicType<library::Containers<std::vector>, StructHandle, Pointer, Opaque,
                                   Tensor, std::complex<double>, double, int64_t, bool>;

// Defined nowhere: a compiler cannot drop what goes there.
void use(const Value&);
void use(bool);

// The operator with two dynamic operands and with a static one on either side.
#define USE(op) \
  use(a op b);  \
  use(a op 2L); \
  use(2L op b)

void useAllOperators(Value& a, Value& b, std::ostream& stream) {
  USE(+);
  USE(-);
  USE(*);
  USE(/);
  USE(%);
  USE(&);
  USE(|);
  USE(^);
  USE(&&);
  USE(||);
  USE(<<);
  USE(>>);
  USE(==);
  USE(!=);
  USE(<);
  USE(>);
  USE(<=);
  USE(>=);
  use(eq(a, b));
  use(ne(a, b));
  use(lt(a, b));
  use(gt(a, b));
  use(le(a, b));
  use(ge(a, b));
  a += b;
  a -= b;
  a *= b;
  a /= b;
  a %= b;
  a &= b;
  a |= b;
  a ^= b;
  a <<= b;
  a >>= b;
  use(+a);
  use(-a);
  use(~a);
  use(!a);
  ++a;
  --a;
  use(a++);
  use(a--);
  stream << a;
  use(a[0]);
  use(a[b]);
  use((bool)a);
  use((int64_t)a);
  use((double)a);
  use((std::complex<double>)a);
  Value::dispatch([](const auto&) {}, a);
}

#undef USE
