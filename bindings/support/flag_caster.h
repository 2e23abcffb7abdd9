// How arguments become truth values: nanobind takes True and False only, here also integers, which
// mean what bool() makes of them. Older printed definitions have 0 and 1.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>

namespace nvfuser {

// The type of every boolean parameter of the bindings.
struct Flag {
  // NOLINTBEGIN(google-explicit-constructor)
  Flag(bool truth = false) : value(truth) {}
  operator bool() const { return value; }
  // NOLINTEND(google-explicit-constructor)
  bool value;
};

}  // namespace nvfuser

namespace nanobind::detail {

template <>
struct type_caster<nvfuser::Flag> {
  bool from_python(handle source, uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    // True and False are integers, too.
    if (!PyLong_Check(source.ptr())) {
      return false;
    }
    value.value = PyObject_IsTrue(source.ptr()) == 1;
    return true;
  }

  static handle from_cpp(nvfuser::Flag source, rv_policy, cleanup_list*) noexcept {
    return handle(source.value ? Py_True : Py_False).inc_ref();
  }

  NB_TYPE_CASTER(nvfuser::Flag, const_name("bool"))
};

}  // namespace nanobind::detail

namespace nvfuser {

// What is assigned to an attribute of a type.
template <typename Type>
using Assigned = std::conditional_t<std::is_same_v<Type, bool>, Flag, Type>;

// An attribute as of def_rw(), of which those that hold truth values are assigned a Flag.
template <typename Class, typename Type, typename... Extra>
struct Attribute : nanobind::def_visitor<Attribute<Class, Type, Extra...>> {
  Attribute(const char* attributeName, Type Class::* attribute)
      : name(attributeName), member(attribute) {}

  template <typename Bound, typename... Given>
  void execute(Bound& bound, const Given&... given) {
    if constexpr (std::is_same_v<Type, bool>) {
      bound.def_prop_rw(
          name, [m = member](const Class& self) { return self.*m; },
          [m = member](Class& self, Flag value) { self.*m = value; }, given...);
    } else {
      bound.def_rw(name, member, given...);
    }
  }

  const char* name;
  Type Class::* member;
};

}  // namespace nvfuser
