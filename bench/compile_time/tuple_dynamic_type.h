// A DynamicType written with tuples, for comparison with src/dynamic_type only.
//
// It has the same operators over the same std::variant, and is built the way that comes to mind
// first: capabilities are asked for every element of a Cartesian product of tuples of types, and
// values are dispatched by walking over the alternatives one by one, one argument after the other,
// with the result types collected in tuples.
#pragma once

#include <dynamic_type/type_traits.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace tuple_dynamic_type {

using dynamic_type::Void;

template <template <typename...> typename... Templates>
struct Containers {
  template <template <typename...> typename List, typename DT, typename... Ts>
  using Alternatives = List<std::monostate, Ts..., Templates<DT>...>;
};

template <typename ContainerTemplates, typename... Ts>
struct DynamicType;

template <typename T>
inline constexpr bool isDynamicType = false;
template <typename ContainerTemplates, typename... Ts>
inline constexpr bool isDynamicType<DynamicType<ContainerTemplates, Ts...>> = true;

// The types that an operand may have at run time.
template <typename T>
constexpr auto typesOf() {
  if constexpr (isDynamicType<T>) {
    return typename T::TypeIdentities{};
  } else {
    return std::tuple<std::type_identity<T>>{};
  }
}

// No result: void; one type: that one; several: the DynamicType.
template <typename DT, typename Results>
struct CombinedResult : std::conditional_t<dynamic_type::are_all_same<Results>,
                                           typename dynamic_type::first_or_void<Results>::type,
                                           std::type_identity<DT>> {};
template <typename DT>
struct CombinedResult<DT, std::tuple<>> {
  using type = void;
};

constexpr const char* notConvertible = "Result is dynamic but not convertible to result type";

template <typename ContainerTemplates, typename... Ts>
struct DynamicType {
  using VariantType =
      typename ContainerTemplates::template Alternatives<std::variant, DynamicType, Ts...>;
  template <typename... Alternatives>
  using TupleOfIdentities = std::tuple<std::type_identity<Alternatives>...>;
  using TypeIdentities =
      typename ContainerTemplates::template Alternatives<TupleOfIdentities, DynamicType, Ts...>;
  using ForAllTypes = typename ContainerTemplates::template Alternatives<dynamic_type::ForAllTypes,
                                                                         DynamicType, Ts...>;

  VariantType value;

  constexpr DynamicType() = default;

  template <typename T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, DynamicType> &&
             std::is_constructible_v<VariantType, T>)
  constexpr DynamicType(T&& t) : value(std::forward<T>(t)) {}

  template <typename T>
  constexpr bool is() const {
    return std::holds_alternative<T>(value);
  }
  template <typename T>
  constexpr const T& as() const {
    return std::get<T>(value);
  }
  template <typename T>
  constexpr T& as() {
    return std::get<T>(value);
  }

  // Replaces the dynamic arguments from the front by their values; `bound` are those done.
  template <typename Fun, typename First, typename... Others>
  static constexpr decltype(auto) dispatch(Fun&& fun, First&& first, Others&&... others) {
    const auto bindFirst = [&](auto&& held) -> decltype(auto) {
      const auto bound = [&](auto&&... rest) -> decltype(auto) {
        return fun(std::forward<decltype(held)>(held), std::forward<decltype(rest)>(rest)...);
      };
      if constexpr (sizeof...(Others) == 0) {
        return bound();
      } else {
        return dispatch(bound, std::forward<Others>(others)...);
      }
    };
    if constexpr (!isDynamicType<std::decay_t<First>>) {
      return bindFirst(std::forward<First>(first));
    } else {
      // The results of all alternatives as a tuple of std::type_identity, without the void ones.
      using Results = decltype(dynamic_type::remove_void_from_tuple(
          ForAllTypes{}([&]<typename T>(std::type_identity<T>) {
            using BranchResult = decltype(bindFirst(std::declval<const T&>()));
            if constexpr (!std::is_void_v<BranchResult>) {
              return std::type_identity<BranchResult>{};
            }
          })));
      using Result = typename CombinedResult<DynamicType, Results>::type;
      if constexpr (std::is_void_v<Result>) {
        ForAllTypes{}([&]<typename T>(std::type_identity<T>) {
          if (first.template is<T>()) {
            bindFirst(first.template as<T>());
          }
        });
      } else {
        std::optional<dynamic_type::wrap_reference_t<Result>> result;
        ForAllTypes{}([&]<typename T>(std::type_identity<T>) {
          using BranchResult = decltype(bindFirst(std::declval<const T&>()));
          if constexpr (std::is_convertible_v<BranchResult, Result>) {
            if (first.template is<T>()) {
              result.emplace(bindFirst(std::as_const(first).template as<T>()));
            }
          }
        });
        if (!result.has_value()) {
          throw std::runtime_error(notConvertible);
        }
        return static_cast<Result>(*std::move(result));
      }
    }
  }

  template <typename T>
  static constexpr bool canCastTo = dynamic_type::any(ForAllTypes{}(
      []<typename Held>(std::type_identity<Held>) { return requires(const Held& h) { (T) h; }; }));

  template <typename T>
    requires(!std::is_same_v<T, DynamicType> && canCastTo<T>)
  explicit constexpr operator T() const {
    std::optional<T> result;
    ForAllTypes{}([&]<typename Held>(std::type_identity<Held>) {
      if constexpr (requires(const Held& h) { (T) h; }) {
        if (is<Held>()) {
          result.emplace((T)as<Held>());
        }
      }
    });
    if (!result.has_value()) {
      throw std::runtime_error(notConvertible);
    }
    return *std::move(result);
  }

  template <typename Index>
  static constexpr bool canIndexWith = dynamic_type::any_check(
      []<typename Held, typename I>(std::type_identity<Held>, std::type_identity<I>) {
        return requires(Held& h, const I& i) {
          requires std::is_same_v<decltype(h[i]), DynamicType&>;
        };
      },
      TypeIdentities{}, typesOf<Index>());

  template <typename Index>
    requires(canIndexWith<Index>)
  constexpr DynamicType& operator[](const Index& index) {
    DynamicType* result = nullptr;
    dispatch(
        [&](auto& held, const auto& i) {
          if constexpr (requires { requires std::is_same_v<decltype(held[i]), DynamicType&>; }) {
            result = &held[i];
          }
        },
        *this, index);
    if (result == nullptr) {
      throw std::runtime_error("Cannot index ");
    }
    return *result;
  }
};

template <typename L, typename R>
using OperandsDynamicType = std::conditional_t<isDynamicType<L>, L, R>;

#define TUPLE_DYNAMIC_TYPE_BINARY(function, op, Result)                                           \
  template <typename L, typename R>                                                               \
  constexpr bool can_##function() {                                                               \
    using DT [[maybe_unused]] = OperandsDynamicType<L, R>;                                        \
    return dynamic_type::any_check(                                                               \
        []<typename A, typename B>(std::type_identity<A>, std::type_identity<B>) {                \
          return requires(const A& a, const B& b) {                                               \
            requires std::is_convertible_v<decltype(a op b), Result>;                             \
          };                                                                                      \
        },                                                                                        \
        typesOf<L>(), typesOf<R>());                                                              \
  }                                                                                               \
  template <typename L, typename R>                                                               \
  constexpr auto do_##function(const L& lhs, const R& rhs) {                                      \
    using DT [[maybe_unused]] = OperandsDynamicType<L, R>;                                        \
    return DT::dispatch(                                                                          \
        [](const auto& a, const auto& b) {                                                        \
          if constexpr (requires { requires std::is_convertible_v<decltype(a op b), Result>; }) { \
            return Result(a op b);                                                                \
          }                                                                                       \
        },                                                                                        \
        lhs, rhs);                                                                                \
  }

#define TUPLE_DYNAMIC_TYPE_ARITHMETIC(function, op)                                        \
  TUPLE_DYNAMIC_TYPE_BINARY(function, op, DT)                                              \
  template <typename L, typename R>                                                        \
    requires((isDynamicType<L> || isDynamicType<R>) && !std::is_same_v<L, std::ostream> && \
             can_##function<L, R>())                                                       \
  constexpr OperandsDynamicType<L, R> operator op(const L& lhs, const R& rhs) {            \
    return do_##function(lhs, rhs);                                                        \
  }
TUPLE_DYNAMIC_TYPE_ARITHMETIC(add, +)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(subtract, -)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(multiply, *)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(divide, /)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(modulo, %)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(bitAnd, &)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(bitOr, |)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(bitXor, ^)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(logicalAnd, &&)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(logicalOr, ||)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(shiftLeft, <<)
TUPLE_DYNAMIC_TYPE_ARITHMETIC(shiftRight, >>)

#define TUPLE_DYNAMIC_TYPE_COMPOUND(op)                                          \
  template <typename DT, typename R>                                             \
    requires(isDynamicType<DT> && requires(const DT& a, const R& b) { a op b; }) \
  constexpr DT& operator op## = (DT & lhs, const R& rhs) {                       \
    return lhs = lhs op rhs;                                                     \
  }
TUPLE_DYNAMIC_TYPE_COMPOUND(+)
TUPLE_DYNAMIC_TYPE_COMPOUND(-)
TUPLE_DYNAMIC_TYPE_COMPOUND(*)
TUPLE_DYNAMIC_TYPE_COMPOUND(/)
TUPLE_DYNAMIC_TYPE_COMPOUND(%)
TUPLE_DYNAMIC_TYPE_COMPOUND(&)
TUPLE_DYNAMIC_TYPE_COMPOUND(|)
TUPLE_DYNAMIC_TYPE_COMPOUND(^)
TUPLE_DYNAMIC_TYPE_COMPOUND(<<)
TUPLE_DYNAMIC_TYPE_COMPOUND(>>)

#define TUPLE_DYNAMIC_TYPE_COMPARISON(function, op)                            \
  TUPLE_DYNAMIC_TYPE_BINARY(as_bool_##function, op, bool)                      \
  TUPLE_DYNAMIC_TYPE_BINARY(function, op, DT)                                  \
  template <typename L, typename R>                                            \
    requires(isDynamicType<L> || isDynamicType<R>)                             \
  constexpr bool operator op(const L& lhs, const R& rhs) {                     \
    return do_as_bool_##function(lhs, rhs);                                    \
  }                                                                            \
  template <typename L, typename R>                                            \
    requires((isDynamicType<L> || isDynamicType<R>) && can_##function<L, R>()) \
  constexpr OperandsDynamicType<L, R> function(const L& lhs, const R& rhs) {   \
    return do_##function(lhs, rhs);                                            \
  }
TUPLE_DYNAMIC_TYPE_COMPARISON(eq, ==)
TUPLE_DYNAMIC_TYPE_COMPARISON(ne, !=)
TUPLE_DYNAMIC_TYPE_COMPARISON(lt, <)
TUPLE_DYNAMIC_TYPE_COMPARISON(gt, >)
TUPLE_DYNAMIC_TYPE_COMPARISON(le, <=)
TUPLE_DYNAMIC_TYPE_COMPARISON(ge, >=)

#define TUPLE_DYNAMIC_TYPE_UNARY(op)                                                               \
  template <typename DT>                                                                           \
    requires(isDynamicType<DT> &&                                                                  \
             dynamic_type::any_check(                                                              \
                 []<typename A>(std::type_identity<A>) { return requires(const A& a) { op a; }; }, \
                 typesOf<DT>()))                                                                   \
  constexpr decltype(auto) operator op(const DT& operand) {                                        \
    return DT::dispatch(                                                                           \
        [](const auto& a) {                                                                        \
          if constexpr (requires { op a; }) {                                                      \
            return op a;                                                                           \
          }                                                                                        \
        },                                                                                         \
        operand);                                                                                  \
  }
TUPLE_DYNAMIC_TYPE_UNARY(+)
TUPLE_DYNAMIC_TYPE_UNARY(-)
TUPLE_DYNAMIC_TYPE_UNARY(~)
TUPLE_DYNAMIC_TYPE_UNARY(!)

#define TUPLE_DYNAMIC_TYPE_INCREMENT(op)                                                      \
  template <typename DT>                                                                      \
    requires(isDynamicType<DT>)                                                               \
  constexpr DT& operator op(DT& operand) {                                                    \
    bool done = false;                                                                        \
    DT::dispatch(                                                                             \
        [&](auto& a) {                                                                        \
          if constexpr (!std::is_same_v<decltype(a), bool&> &&                                \
                        requires { requires std::is_same_v<decltype(op a), decltype(a)>; }) { \
            op a;                                                                             \
            done = true;                                                                      \
          }                                                                                   \
        },                                                                                    \
        operand);                                                                             \
    if (!done) {                                                                              \
      throw std::runtime_error("Cannot compute ");                                            \
    }                                                                                         \
    return operand;                                                                           \
  }                                                                                           \
  template <typename DT>                                                                      \
    requires(isDynamicType<DT>)                                                               \
  constexpr DT operator op(DT& operand, int) {                                                \
    DT old = operand;                                                                         \
    op operand;                                                                               \
    return old;                                                                               \
  }
TUPLE_DYNAMIC_TYPE_INCREMENT(++)
TUPLE_DYNAMIC_TYPE_INCREMENT(--)

template <typename DT>
  requires(isDynamicType<DT>)
std::ostream& operator<<(std::ostream& stream, const DT& operand) {
  bool done = false;
  DT::dispatch(
      [&](const auto& a) {
        if constexpr (requires { requires std::is_same_v<decltype(stream << a), std::ostream&>; }) {
          stream << a;
          done = true;
        }
      },
      operand);
  if (!done) {
    throw std::runtime_error("Can not print ");
  }
  return stream;
}

}  // namespace tuple_dynamic_type
