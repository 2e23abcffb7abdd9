// DynamicType<Containers<Templates...>, Ts...>: a value whose type, one of Ts or a container of
// such values, is known at run time, with the operators of those types.
//
//   using Value = dynamic_type::DynamicType<dynamic_type::Containers<std::vector>, double,
//   int64_t>; Value x = 2;             // holds int64_t Value y = x * 1.5 + x;   // holds
//   double, 5.0 Value list = std::vector<Value>{x, y}; list[0] += 1;
//
// This header declares everything and defines what is cheap to instantiate. The operators of two
// DynamicTypes with containers are defined in impl.h and are not inline, so a program can compile
// them once:
//
//   #include <dynamic_type/decl.h>                        // in a header
//   extern template struct dynamic_type::DynamicType<...>;
//
//   #include <dynamic_type/impl.h>                        // in one source file
//   template struct dynamic_type::DynamicType<...>;
//
// Types without containers are usable in constant expressions, so their operators are inline; they
// need <dynamic_type/dynamic_type.h>, which includes both headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "dynamic_type/detail/casts.h"
#include "dynamic_type/detail/check.h"
#include "dynamic_type/detail/dispatch.h"
#include "dynamic_type/detail/operations.h"
#include "dynamic_type/detail/switch.h"
#include "dynamic_type/detail/traits.h"
#include "dynamic_type/type_traits.h"

namespace dynamic_type {

template <template <typename...> typename... Templates>
struct Containers {
  // `List` of all alternatives in their order: null, values, containers.
  template <template <typename...> typename List, typename DT, typename... Ts>
  using Alternatives = List<std::monostate, Ts..., Templates<DT>...>;

  static constexpr std::size_t size = sizeof...(Templates);
};

template <typename ContainersT, typename... Ts>
struct DynamicType {
  using ContainerTemplates = ContainersT;
  using VariantType = typename ContainersT::template Alternatives<std::variant, DynamicType, Ts...>;
  using ForAllTypes =
      typename ContainersT::template Alternatives<dynamic_type::ForAllTypes, DynamicType, Ts...>;
  static constexpr ForAllTypes for_all_types{};

  template <typename... Alternatives>
  using TupleOfIdentities = std::tuple<std::type_identity<Alternatives>...>;
  using TypeIdentitiesAsTuple =
      typename ContainersT::template Alternatives<TupleOfIdentities, DynamicType, Ts...>;
  static constexpr TypeIdentitiesAsTuple type_identities_as_tuple{};

  static constexpr std::size_t num_types = 1 + sizeof...(Ts) + ContainersT::size;

  template <typename T>
  static constexpr bool is_candidate_type =
      ContainersT::template Alternatives<detail::IsOneOf<T>::template Of, DynamicType,
                                         Ts...>::value;

  // True if at least one alternative can be cast to T, as by a C-style cast.
  template <typename T>
  static constexpr bool can_cast_to = detail::isSupported<detail::CastTo<T>, const DynamicType>;

  // True if an alternative can be indexed with an Index, and gives a DynamicType.
  template <typename Index>
  static constexpr bool has_square_bracket =
      detail::isSupported<detail::IndexWith<DynamicType, Index>, DynamicType>;
  // True if an alternative can be indexed with an alternative, and gives a DynamicType.
  static constexpr bool has_any_square_bracket =
      detail::isSupported<detail::IndexInto<DynamicType, DynamicType>, const DynamicType>;

  // Copies, moves and assignments are the variant's. As with a variant, `x = x[0]` would destroy
  // what it reads: write `x = DynamicType(x[0])`.
  VariantType value;

  constexpr DynamicType() = default;

  // Follows the rules of std::variant's converting constructor: no narrowing, no ambiguity.
  template <typename T>
    requires detail::ValueOf<DynamicType, T>
  constexpr DynamicType(T&& t) : value(std::forward<T>(t)) {}

  // A container of something else, converted element by element.
  template <typename T>
    requires detail::ContainerOfOtherItems<DynamicType, T>
  constexpr DynamicType(T&& container)
      : value(detail::convertContainer<typename detail::MatchContainerOf<DynamicType, T>::type,
                                       typename detail::MatchContainerOf<DynamicType, T>::Item>(
            std::forward<T>(container))) {}

  // A template only because clang 14 instantiates members whose constraints do not hold.
  template <typename Self = DynamicType>
    requires(detail::ListContainer<Self, ContainersT>::found)
  constexpr DynamicType(std::initializer_list<DynamicType> list)
      : value(detail::ListContainerType<Self, ContainersT>(list)) {}

  // ---- Queries ----

  template <typename T>
    requires is_candidate_type<T>
  constexpr bool is() const {
    return std::holds_alternative<T>(value);
  }
  template <template <typename...> typename Template>
    requires is_candidate_type<Template<DynamicType>>
  constexpr bool is() const {
    return std::holds_alternative<Template<DynamicType>>(value);
  }

  constexpr bool isNull() const { return std::holds_alternative<std::monostate>(value); }
  constexpr bool hasValue() const { return !isNull(); }

  // The held value; std::bad_variant_access if another alternative is held.
  template <typename T>
    requires is_candidate_type<T>
  constexpr T& as() {
    return std::get<T>(value);
  }
  template <typename T>
    requires is_candidate_type<T>
  constexpr const T& as() const {
    return std::get<T>(value);
  }
  template <template <typename...> typename Template>
    requires is_candidate_type<Template<DynamicType>>
  constexpr Template<DynamicType>& as() {
    return std::get<Template<DynamicType>>(value);
  }
  template <template <typename...> typename Template>
    requires is_candidate_type<Template<DynamicType>>
  constexpr const Template<DynamicType>& as() const {
    return std::get<Template<DynamicType>>(value);
  }

  const std::type_info& type() const;

  // ---- Casts ----

  // A held value is cast as by a C-style cast; a held container element by element if T is a
  // container of the same kind.
  template <typename T>
    requires detail::CastableTo<DynamicType, T>
  explicit constexpr operator T() const {
    return detail::castTo<T>(*this);
  }

  // ---- Indexing, members ----

  template <typename Index>
    requires(!std::is_same_v<Index, DynamicType> && has_square_bracket<Index>)
  constexpr DynamicType& operator[](const Index& i) {
    return detail::visitHeld<DynamicType&>(detail::IndexWith<DynamicType, Index>{i}, *this);
  }
  template <typename Index>
    requires(!std::is_same_v<Index, DynamicType> && has_square_bracket<Index>)
  constexpr const DynamicType& operator[](const Index& i) const {
    return detail::visitHeld<const DynamicType&>(detail::IndexWith<DynamicType, Index>{i}, *this);
  }
  // Templates, so that an index that is none of the alternatives does not convert.
  template <typename Index>
    requires(std::is_same_v<Index, DynamicType> && has_any_square_bracket)
  constexpr DynamicType& operator[](const Index& i) {
    return detail::visitHeld<DynamicType&>(detail::IndexInto<DynamicType, DynamicType>{*this}, i);
  }
  template <typename Index>
    requires(std::is_same_v<Index, DynamicType> && has_any_square_bracket)
  constexpr const DynamicType& operator[](const Index& i) const {
    return detail::visitHeld<const DynamicType&>(
        detail::IndexInto<DynamicType, const DynamicType>{*this}, i);
  }

  // A pointer to member of an alternative: a reference, or a callable for a member function.
  template <typename Member, typename Class>
    requires is_candidate_type<Class>
  constexpr decltype(auto) operator->*(Member Class::* member) {
    return detail::accessMember(as<Class>(), member);
  }
  template <typename Member, typename Class>
    requires is_candidate_type<Class>
  constexpr decltype(auto) operator->*(Member Class::* member) const {
    return detail::accessMember(as<Class>(), member);
  }

  // What the alternatives' own operator->* accepts.
  template <typename Member>
    requires detail::AccessibleMember<DynamicType, Member>
  constexpr decltype(auto) operator->*(const Member& member) {
    return detail::applyUnary(detail::MemberAccess<Member>{member}, *this);
  }
  template <typename Member>
    requires detail::AccessibleMember<const DynamicType, Member>
  constexpr decltype(auto) operator->*(const Member& member) const {
    return detail::applyUnary(detail::MemberAccess<Member>{member}, *this);
  }

  constexpr decltype(auto) operator->() { return detail::applyUnary(detail::Arrow{}, *this); }

  constexpr DynamicType& operator*() const
    requires detail::isSupported<detail::Dereference<DynamicType>, const DynamicType>
  {
    return detail::visitHeld<DynamicType&>(detail::Dereference<DynamicType>{}, *this);
  }

  // ---- Dispatch ----

  // Calls `fun` once, with the held value in place of every argument that is a DynamicType. `fun`
  // must accept all alternatives, std::monostate included, and may return void for those that do
  // not matter. If it returns one type, so does this; if several, the result is a DynamicType.
  template <typename Fun, typename... Args>
  static constexpr decltype(auto) dispatch(Fun&& fun, Args&&... args) {
    using Result =
        typename detail::DispatchResult<DynamicType, Fun, sizeof...(Args), Args...>::type;
    return detail::dispatchNext<DynamicType, Result, sizeof...(Args)>(std::forward<Fun>(fun),
                                                                      std::forward<Args>(args)...);
  }

  // ---- What an explicit instantiation compiles ----

  // The operators of operands that are both DynamicTypes. The last parameter says which result is
  // meant: `==` has bool, `eq` a DynamicType. Use the operators themselves instead.
  struct OutOfLine {
#define DYNAMIC_TYPE_DECLARE(Name, op) \
  static DynamicType Name(const DynamicType& lhs, const DynamicType& rhs, DynamicType*);
    DYNAMIC_TYPE_FOR_EACH_ARITHMETIC(DYNAMIC_TYPE_DECLARE)
#undef DYNAMIC_TYPE_DECLARE

#define DYNAMIC_TYPE_DECLARE(Name, op, function)                           \
  static bool Name(const DynamicType& lhs, const DynamicType& rhs, bool*); \
  static DynamicType Name(const DynamicType& lhs, const DynamicType& rhs, DynamicType*);
    DYNAMIC_TYPE_FOR_EACH_COMPARISON(DYNAMIC_TYPE_DECLARE)
#undef DYNAMIC_TYPE_DECLARE

#define DYNAMIC_TYPE_DECLARE(Name, op)                                        \
  static detail::OperationResultOf<detail::Name##Of, const DynamicType> Name( \
      const DynamicType& operand);
    DYNAMIC_TYPE_FOR_EACH_UNARY(DYNAMIC_TYPE_DECLARE)
#undef DYNAMIC_TYPE_DECLARE

    static std::ostream& print(std::ostream& stream, const DynamicType& operand);
  };

  // Operators of types without containers stay inline and usable in constant expressions.
  static constexpr bool has_out_of_line_operators = ContainersT::size > 0;
};

}  // namespace dynamic_type

#include "dynamic_type/detail/operators.h"
