// The free operators of DynamicType, found by argument-dependent lookup. Included by decl.h.
#pragma once

#include <ios>
#include <ostream>
#include <type_traits>
#include <utility>

#include "dynamic_type/detail/operations.h"
#include "dynamic_type/detail/switch.h"
#include "dynamic_type/detail/traits.h"

namespace dynamic_type {

namespace detail {

// The DynamicType whose operator is meant: of two different ones, the one that can hold the other.
template <typename L, typename R>
struct OperandsDynamicType {};
template <typename L, typename R>
  requires(is_dynamic_type_v<L> && !is_dynamic_type_v<R>)
struct OperandsDynamicType<L, R> {
  using type = L;
};
template <typename L, typename R>
  requires(!is_dynamic_type_v<L> && is_dynamic_type_v<R>)
struct OperandsDynamicType<L, R> {
  using type = R;
};
template <typename L, typename R>
  requires(is_dynamic_type_v<L> && is_dynamic_type_v<R>)
struct OperandsDynamicType<L, R> {
  using type = std::conditional_t<R::template is_candidate_type<L>, R, L>;
};

template <typename L, typename R>
using OperandsDynamicTypeOf = typename OperandsDynamicType<L, R>::type;

template <typename L, typename R>
concept HasDynamicOperand = is_dynamic_type_v<L> || is_dynamic_type_v<R>;

// A static operand of a class that converts to DT takes part as DT.
template <typename DT, typename T>
using OperandAs =
    std::conditional_t<!std::is_same_v<T, DT> && has_explicit_conversion_v<T, DT>, DT, T>;

template <typename DT, typename T>
constexpr decltype(auto) asOperand(const T& operand) {
  if constexpr (std::is_same_v<OperandAs<DT, T>, T>) {
    return (operand);
  } else {
    return static_cast<DT>(operand);
  }
}

template <typename Op, typename Result, typename DT, typename L, typename R>
inline constexpr bool isBinarySupported =
    binaryCases<Op, Result, DT, OperandAs<DT, L>, OperandAs<DT, R>>.count != 0;

template <typename Op, typename L, typename R>
concept BinaryDefined =
    HasDynamicOperand<L, R> &&
    isBinarySupported<Op, OperandsDynamicTypeOf<L, R>, OperandsDynamicTypeOf<L, R>, L, R>;

// `os << x` prints; a stream is never shifted.
template <typename T>
concept NotStream = !std::is_convertible_v<std::add_pointer_t<T>, const std::ios_base*>;

template <typename Op, typename Result, typename DT, typename L, typename R>
constexpr Result evaluate(const L& lhs, const R& rhs) {
  using Left = OperandAs<DT, L>;
  using Right = OperandAs<DT, R>;
  if constexpr (std::is_same_v<Left, DT> && std::is_same_v<Right, DT> &&
                DT::has_out_of_line_operators) {
    return Op::template callOutOfLine<Result, DT>(detail::asOperand<DT>(lhs),
                                                  detail::asOperand<DT>(rhs));
  } else {
    return detail::applyBinary<Op, Result, DT>(detail::asOperand<DT>(lhs),
                                               detail::asOperand<DT>(rhs));
  }
}

template <typename Operation, typename DT>
concept UnaryDefined = is_dynamic_type_v<DT> && isSupported<Operation, const DT>;

}  // namespace detail

// ---- Arithmetic, bitwise, logical, shifts. && and || evaluate both sides. ----

#define DYNAMIC_TYPE_DEFINE(Name, op)                                                     \
  template <typename L, typename R>                                                       \
    requires(detail::NotStream<L> && detail::BinaryDefined<detail::Name, L, R>)           \
  constexpr detail::OperandsDynamicTypeOf<L, R> operator op(const L& lhs, const R& rhs) { \
    using DT = detail::OperandsDynamicTypeOf<L, R>;                                       \
    return detail::evaluate<detail::Name, DT, DT>(lhs, rhs);                              \
  }
DYNAMIC_TYPE_FOR_EACH_ARITHMETIC(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

// The result may be another alternative than the left operand was.
#define DYNAMIC_TYPE_DEFINE(op)                                                                  \
  template <typename DT, typename R>                                                             \
    requires(is_dynamic_type_v<DT> && requires(const DT& lhs, const R& rhs) { DT(lhs op rhs); }) \
  constexpr DT& operator op## = (DT & lhs, const R& rhs) {                                       \
    return lhs = lhs op rhs;                                                                     \
  }
DYNAMIC_TYPE_DEFINE(+)
DYNAMIC_TYPE_DEFINE(-)
DYNAMIC_TYPE_DEFINE(*)
DYNAMIC_TYPE_DEFINE(/)
DYNAMIC_TYPE_DEFINE(%)
DYNAMIC_TYPE_DEFINE(&)
DYNAMIC_TYPE_DEFINE(|)
DYNAMIC_TYPE_DEFINE(^)
DYNAMIC_TYPE_DEFINE(<<)
DYNAMIC_TYPE_DEFINE(>>)
#undef DYNAMIC_TYPE_DEFINE

// ---- Comparisons: operators return bool, functions what the held types return. ----

#define DYNAMIC_TYPE_DEFINE(Name, op, function)                                                 \
  template <typename L, typename R>                                                             \
    requires detail::HasDynamicOperand<L, R>                                                    \
  constexpr bool operator op(const L& lhs, const R& rhs) {                                      \
    return detail::evaluate<detail::Name, bool, detail::OperandsDynamicTypeOf<L, R>>(lhs, rhs); \
  }                                                                                             \
  template <typename L, typename R>                                                             \
    requires detail::BinaryDefined<detail::Name, L, R>                                          \
  constexpr detail::OperandsDynamicTypeOf<L, R> function(const L& lhs, const R& rhs) {          \
    using DT = detail::OperandsDynamicTypeOf<L, R>;                                             \
    return detail::evaluate<detail::Name, DT, DT>(lhs, rhs);                                    \
  }
DYNAMIC_TYPE_FOR_EACH_COMPARISON(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

// ---- Unary ----

#define DYNAMIC_TYPE_DEFINE(Name, op)                                                              \
  template <typename DT>                                                                           \
    requires detail::UnaryDefined<detail::Name##Of, DT>                                            \
  constexpr detail::OperationResultOf<detail::Name##Of, const DT> operator op(const DT& operand) { \
    if constexpr (DT::has_out_of_line_operators) {                                                 \
      return detail::Name##Of::callOutOfLine(operand);                                             \
    } else {                                                                                       \
      return detail::applyUnary(detail::Name##Of{}, operand);                                      \
    }                                                                                              \
  }
DYNAMIC_TYPE_FOR_EACH_UNARY(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

#define DYNAMIC_TYPE_DEFINE(Name, op)                                                      \
  template <typename DT>                                                                   \
    requires(is_dynamic_type_v<DT> && detail::isSupported<detail::Pre##Name, DT>)          \
  constexpr DT& operator op(DT& operand) {                                                 \
    detail::visitHeld<void>(detail::Pre##Name{}, operand);                                 \
    return operand;                                                                        \
  }                                                                                        \
  template <typename DT>                                                                   \
    requires(is_dynamic_type_v<DT> &&                                                      \
             detail::isSupported<detail::Post##Name<typename DT::VariantType>, DT>)        \
  constexpr DT operator op(DT& operand, int) {                                             \
    return detail::visitHeld<DT>(detail::Post##Name<typename DT::VariantType>{}, operand); \
  }
DYNAMIC_TYPE_FOR_EACH_INCREMENT(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

// ---- Printing, swapping ----

template <typename DT>
  requires(is_dynamic_type_v<DT> && detail::isSupported<detail::PrintTo, const DT>)
std::ostream& operator<<(std::ostream& stream, const DT& operand) {
  return DT::OutOfLine::print(stream, operand);
}

// Exchanges the held values by moving them; std::variant's own swap would be compiled for every
// pair of alternatives.
template <typename ContainersT, typename... Ts>
  requires std::is_move_constructible_v<DynamicType<ContainersT, Ts...>> &&
           std::is_move_assignable_v<DynamicType<ContainersT, Ts...>>
constexpr void
swap(DynamicType<ContainersT, Ts...>& a, DynamicType<ContainersT, Ts...>& b) noexcept(
    std::is_nothrow_move_constructible_v<DynamicType<ContainersT, Ts...>> &&
    std::is_nothrow_move_assignable_v<DynamicType<ContainersT, Ts...>>) {
  auto held = std::move(a.value);
  a.value = std::move(b.value);
  b.value = std::move(held);
}

namespace detail {

template <typename T, typename... Us>
inline constexpr bool equalsAnother =
    (... || (!std::is_same_v<T, Us> && requires(const T& t, const Us& u) { t == u; }));

template <typename... Ts>
constexpr bool anyCrossTypeEquality(ForAllTypes<Ts...>) {
  return (equalsAnother<Ts, Ts...> || ...);
}

}  // namespace detail

// True if values of two different alternatives can be equal: then equal values may have different
// hashes, and std::hash needs a specialization of the client.
template <typename DT>
inline constexpr bool has_cross_type_equality =
    detail::anyCrossTypeEquality(typename DT::ForAllTypes{});

}  // namespace dynamic_type

template <typename ContainersT, typename... Ts>
struct std::hash<dynamic_type::DynamicType<ContainersT, Ts...>> {
  using DT = dynamic_type::DynamicType<ContainersT, Ts...>;
  static_assert(
      !dynamic_type::has_cross_type_equality<DT>,
      "Values of different alternatives can be equal, so the hash of the held value is no "
      "hash of the DynamicType: specialize std::hash for it.");

  std::size_t operator()(const DT& operand) const {
    return std::hash<typename DT::VariantType>{}(operand.value);
  }
};
