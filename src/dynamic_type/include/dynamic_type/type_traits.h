// Helpers over types, tuples and reference wrappers, usable without DynamicType. They serve the
// clients of DynamicType; the library itself counts types with fold expressions instead of tuples.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dynamic_type {

// True if a `Fun` can be called with arguments of types `Ts`.
template <typename Fun, typename... Ts>
inline constexpr bool can_use_args = std::is_invocable_v<Fun, Ts...>;

// Stands for void where an object is needed, for example as an element of a tuple.
struct Void {};

// True if T is exactly one of Ts.
template <typename T, typename... Ts>
inline constexpr bool belongs_to = (std::is_same_v<T, Ts> || ...);

namespace detail {

template <typename T>
inline constexpr bool isTuple = false;
template <typename... Ts>
inline constexpr bool isTuple<std::tuple<Ts...>> = true;
template <typename... Ts>
inline constexpr bool isTuple<const std::tuple<Ts...>> = true;

// The call's result, with `Void` for void.
template <typename Fun, typename... Args>
constexpr decltype(auto) callOrVoid(Fun&& fun, Args&&... args) {
  if constexpr (std::is_void_v<decltype(fun(std::forward<Args>(args)...))>) {
    fun(std::forward<Args>(args)...);
    return Void{};
  } else {
    return fun(std::forward<Args>(args)...);
  }
}

}  // namespace detail

// A list of types. Called with `f`, it calls `f(std::type_identity<T>{})` for each T in order and
// returns the tuple of the results.
template <typename... Ts>
struct ForAllTypes {
  template <typename Fun>
  constexpr auto operator()(Fun&& fun) const {
    using Results =
        std::tuple<decltype(detail::callOrVoid(fun, std::declval<std::type_identity<Ts>>()))...>;
    // Braces: elements of a braced list are evaluated from left to right.
    return Results{detail::callOrVoid(fun, std::type_identity<Ts>{})...};
  }
};

template <>
struct ForAllTypes<> {
  template <typename Fun>
  constexpr std::tuple<> operator()(Fun&&) const {
    return {};
  }
};

template <typename... Bools>
  requires(!(detail::isTuple<Bools> || ...))
constexpr bool all(const Bools&... values) {
  return (static_cast<bool>(values) && ...);
}

template <typename... Bools>
constexpr bool all(const std::tuple<Bools...>& values) {
  return std::apply([](const auto&... value) { return (static_cast<bool>(value) && ...); }, values);
}

template <typename... Bools>
  requires(!(detail::isTuple<Bools> || ...))
constexpr bool any(const Bools&... values) {
  return (static_cast<bool>(values) || ...);
}

template <typename... Bools>
constexpr bool any(const std::tuple<Bools...>& values) {
  return std::apply([](const auto&... value) { return (static_cast<bool>(value) || ...); }, values);
}

namespace detail {

template <typename T, typename U>
constexpr auto tupleWithoutVoid(U&& element) {
  if constexpr (std::is_same_v<std::remove_cv_t<T>, Void>) {
    return std::tuple<>{};
  } else {
    return std::tuple<T>(std::forward<U>(element));
  }
}

template <typename... Ts, std::size_t... Is>
constexpr auto removeVoid(const std::tuple<Ts...>& tuple, std::index_sequence<Is...>) {
  return std::tuple_cat(detail::tupleWithoutVoid<Ts>(std::get<Is>(tuple))...);
}

template <typename... Ts, std::size_t... Is>
constexpr auto removeVoid(std::tuple<Ts...>&& tuple, std::index_sequence<Is...>) {
  return std::tuple_cat(detail::tupleWithoutVoid<Ts>(std::get<Is>(std::move(tuple)))...);
}

}  // namespace detail

// The tuple without its `Void` elements, in the same order.
template <typename... Ts>
constexpr auto remove_void_from_tuple(const std::tuple<Ts...>& tuple) {
  return detail::removeVoid(tuple, std::index_sequence_for<Ts...>{});
}

template <typename... Ts>
constexpr auto remove_void_from_tuple(std::tuple<Ts...>&& tuple) {
  return detail::removeVoid(std::move(tuple), std::index_sequence_for<Ts...>{});
}

constexpr std::tuple<std::tuple<>> cartesian_product() { return {}; }

// The tuple of all tuples that take one element of each given tuple; the last varies fastest.
template <typename... Ts, typename... Tuples>
constexpr auto cartesian_product(const std::tuple<Ts...>& first, const Tuples&... others) {
  const auto tails = cartesian_product(others...);
  const auto prepend = [&tails](const auto& head) {
    return std::apply(
        [&head](const auto&... tail) { return std::make_tuple(std::tuple_cat(head, tail)...); },
        tails);
  };
  return std::apply(
      [&prepend](const auto&... head) { return std::tuple_cat(prepend(std::tuple<Ts>(head))...); },
      first);
}

namespace detail {

template <typename Fun, typename... Chosen>
constexpr bool anyCombination(const Fun& fun, const std::tuple<Chosen...>& chosen) {
  return static_cast<bool>(std::apply(fun, chosen));
}

template <typename Fun, typename... Chosen, typename... Ts, typename... Tuples>
constexpr bool anyCombination(const Fun& fun, const std::tuple<Chosen...>& chosen,
                              const std::tuple<Ts...>& first, const Tuples&... others) {
  return std::apply(
      [&](const auto&... element) {
        return (detail::anyCombination(fun, std::tuple_cat(chosen, std::tuple<const Ts&>(element)),
                                       others...) ||
                ...);
      },
      first);
}

}  // namespace detail

// True if `fun` is true for some combination of one element of each tuple.
template <typename Fun, typename... Tuples>
constexpr bool any_check(Fun&& fun, const Tuples&... tuples) {
  return detail::anyCombination(fun, std::tuple<>{}, tuples...);
}

// True for a tuple of one or more elements of one type.
template <typename Tuple>
inline constexpr bool are_all_same = false;
template <typename First, typename... Others>
inline constexpr bool are_all_same<std::tuple<First, Others...>> =
    (std::is_same_v<First, Others> && ...);
template <typename First, typename... Others>
inline constexpr bool are_all_same<const std::tuple<First, Others...>> =
    are_all_same<std::tuple<First, Others...>>;

template <typename Tuple>
constexpr bool all_same_type(const Tuple&) {
  return are_all_same<Tuple>;
}

template <typename Tuple>
struct first_or_void {
  using type = void;
};
template <typename First, typename... Others>
struct first_or_void<std::tuple<First, Others...>> {
  using type = First;
};
template <typename Tuple>
struct first_or_void<const Tuple> : first_or_void<Tuple> {};

// `T&` as std::reference_wrapper<T>, so that it can be stored; other types as they are.
template <typename T>
struct wrap_reference {
  using type = T;
};
template <typename T>
struct wrap_reference<T&> {
  using type = std::reference_wrapper<T>;
};
template <typename T>
using wrap_reference_t = typename wrap_reference<T>::type;

}  // namespace dynamic_type
