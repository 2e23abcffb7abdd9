// Explicit casts of a DynamicType: to a type, or to a container of a type.
#pragma once

#include <type_traits>

#include "dynamic_type/detail/check.h"
#include "dynamic_type/detail/operations.h"
#include "dynamic_type/detail/switch.h"
#include "dynamic_type/detail/traits.h"

namespace dynamic_type::detail {

template <typename DT, typename T>
constexpr bool isCastable();

// True if T is Template<Item> of one of DT's container templates and DT can be cast to Item.
template <typename DT, typename T>
constexpr bool isContainerCast() {
  using Match = MatchContainerOf<DT, T>;
  if constexpr (Match::found && !std::is_same_v<typename Match::Item, DT>) {
    return isCastable<DT, typename Match::Item>();
  } else {
    return false;
  }
}

template <typename DT, typename T>
constexpr bool isCastable() {
  if constexpr (isContainerCast<DT, T>()) {
    return true;
  } else {
    return DT::template can_cast_to<T>;
  }
}

template <typename DT, typename T>
concept CastableTo = !std::is_same_v<T, DT> && isCastable<DT, T>();

// The container cast comes first: a vector is also constructible from a number, its size.
template <typename T, typename DT>
constexpr T castTo(const DT& value) {
  if constexpr (isContainerCast<DT, T>()) {
    using Match = MatchContainerOf<DT, T>;
    if constexpr (DT::template is_candidate_type<T>) {
      if (value.template is<T>()) {
        return value.template as<T>();
      }
    }
    if (!value.template is<typename Match::type>()) {
      detail::failContainerCast<DT>(value.type(), typeid(T));
    }
    const auto& source = value.template as<typename Match::type>();
    T result;
    if constexpr (requires { result.reserve(source.size()); }) {
      result.reserve(source.size());
    }
    for (const DT& item : source) {
      detail::append(result, static_cast<typename Match::Item>(item));
    }
    return result;
  } else {
    return detail::visitHeld<T>(CastTo<T>{}, value);
  }
}

}  // namespace dynamic_type::detail
