// How IR nodes, and numbers that stand for scalars, cross the boundary to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "bindings/bindings.h"
#include "ir/fusion.h"

namespace nvfuser {

// A handle of a node for Python: it shares the ownership of the node's fusion, so that the node
// lives as long as the Python object. Nodes of fusions that no shared_ptr owns are borrowed.
template <typename T>
std::shared_ptr<T> share(T* node) {
  return node == nullptr ? nullptr
                         : std::shared_ptr<T>(node->fusion()->weak_from_this().lock(), node);
}

template <typename T>
std::vector<std::shared_ptr<T>> share(const std::vector<T*>& nodes) {
  std::vector<std::shared_ptr<T>> handles;
  handles.reserve(nodes.size());
  for (T* node : nodes) {
    handles.push_back(share(node));
  }
  return handles;
}

// A Python bool, int, float or complex.
struct Number {
  PolymorphicValue value;
};

// A number or a Val; numbers become constants of the active fusion.
struct Operand {
  Val* val = nullptr;
  Number number;
  Val* get() const;
};
// Null for an operand that was not given.
inline Val* valOrNull(const std::optional<Operand>& operand) {
  return operand.has_value() ? operand->get() : nullptr;
}

// A list or tuple of ints and Vals.
struct Shape {
  std::vector<Operand> extents;
  std::vector<Val*> get() const;
};

// Null for a tensor that was not given.
using OptionalTensor = std::optional<TensorView*>;
inline TensorView* tensorOrNull(const OptionalTensor& tensor) { return tensor.value_or(nullptr); }

// The transforms of a schedule.
void bindTransforms(nb::class_<TensorView, Val>& tensorView);
void bindMarks(nb::class_<IterDomain, Val>& iterDomain);
void bindMarks(nb::class_<TensorView, Val>& tensorView);
void bindMeshOfTensor(nb::class_<TensorView, Val>& tensorView);

// Whether `src` is a number; false with no error set for other objects and integers beyond int64.
bool loadNumber(nb::handle src, PolymorphicValue& value) noexcept;

}  // namespace nvfuser

namespace nanobind::detail {

// A pointer to a node is never null, wherever it stands: as an argument, in a list, a pair or a
// set. nanobind's own caster takes None for a null pointer, which only the argument itself, and not
// what is inside of it, is protected from. Where None is meant to be taken, the parameter is a
// std::optional.
template <typename T>
  requires std::is_base_of_v<nvfuser::Statement, T>
struct type_caster<T> : type_caster_base<T> {
  bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
    return type_caster_base<T>::from_python(
        src, flags | static_cast<uint32_t>(cast_flags::none_disallowed), cleanup);
  }
};

template <>
struct type_caster<nvfuser::Number> {
  NB_TYPE_CASTER(nvfuser::Number, const_name("bool | int | float | complex"))

  bool from_python(handle src, uint32_t, cleanup_list*) noexcept {
    return nvfuser::loadNumber(src, value.value);
  }
};

template <>
struct type_caster<nvfuser::Operand> {
  NB_TYPE_CASTER(nvfuser::Operand,
                 make_caster<nvfuser::Val>::Name + const_name(" | bool | int | float | complex"))

  bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<nvfuser::Val> caster;
    if (caster.from_python(src, flags & ~static_cast<uint32_t>(cast_flags::convert), cleanup)) {
      value.val = caster.operator nvfuser::Val*();
      return true;
    }
    return nvfuser::loadNumber(src, value.number.value);
  }
};

template <>
struct type_caster<nvfuser::Shape> {
  NB_TYPE_CASTER(nvfuser::Shape, const_name("list[") + make_caster<nvfuser::Val>::Name +
                                     const_name(" | int] | tuple[") +
                                     make_caster<nvfuser::Val>::Name + const_name(" | int, ...]"))

  bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!PyList_Check(src.ptr()) && !PyTuple_Check(src.ptr())) {
      return false;
    }
    const Py_ssize_t size = PySequence_Size(src.ptr());
    value.extents.clear();
    for (Py_ssize_t i = 0; i < size; ++i) {
      const object item = steal(PySequence_GetItem(src.ptr(), i));
      make_caster<nvfuser::Operand> caster;
      if (!item.is_valid() || !caster.from_python(item, flags, cleanup)) {
        PyErr_Clear();
        return false;
      }
      nvfuser::Operand operand = caster.operator nvfuser::Operand&();
      if (operand.val == nullptr && !operand.number.value.is<int64_t>()) {
        return false;
      }
      value.extents.push_back(std::move(operand));
    }
    return true;
  }
};

}  // namespace nanobind::detail
