// How arguments become enumerations: nanobind takes the integer of a member for the member, here
// only members are taken, so that ops.cast(x, 0) is an error rather than a cast to Double.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>

namespace nanobind::detail {

// More constrained than nanobind's own caster of enumerations, and otherwise the same.
template <typename T>
  requires std::is_enum_v<T>
struct type_caster<T, enable_if_t<std::is_enum_v<T>>> {
  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    int64_t member = 0;
    const bool isMember =
        NB_CALL(enum_from_python)(NB_CTX_C(cleanup), &typeid(T), source.ptr(), &member,
                                  flags & ~static_cast<uint32_t>(cast_flags::convert));
    if (isMember) {
      value = static_cast<T>(member);
    }
    return isMember;
  }

  static handle from_cpp(T source, rv_policy, cleanup_list* cleanup) noexcept {
    return NB_CALL(enum_from_cpp)(NB_CTX_C(cleanup), &typeid(T), static_cast<int64_t>(source));
  }

  NB_TYPE_CASTER(T, const_name<T>())
};

}  // namespace nanobind::detail
