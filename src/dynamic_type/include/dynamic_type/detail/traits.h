// What the library asks about types: which are DynamicTypes, which convert, which are containers.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <variant>

#include "dynamic_type/type_traits.h"

namespace dynamic_type {

// The container templates of a DynamicType; each takes the DynamicType itself as element.
template <template <typename...> typename... Templates>
struct Containers;

using NoContainers = Containers<>;

template <typename ContainerTemplates, typename... Ts>
struct DynamicType;

template <typename T>
struct is_dynamic_type : std::false_type {};
template <typename ContainerTemplates, typename... Ts>
struct is_dynamic_type<DynamicType<ContainerTemplates, Ts...>> : std::true_type {};

// True for DynamicType<...> without const, volatile or reference.
template <typename T>
inline constexpr bool is_dynamic_type_v = false;
template <typename ContainerTemplates, typename... Ts>
inline constexpr bool is_dynamic_type_v<DynamicType<ContainerTemplates, Ts...>> = true;

// True if From is a class with a member conversion function to To. The casts of a DynamicType are a
// template and do not count: compilers disagree on whether it can be named.
template <typename From, typename To>
inline constexpr bool has_explicit_conversion_v =
    !is_dynamic_type_v<From> && requires { &From::operator To; };

template <typename From, typename To>
struct has_explicit_conversion : std::bool_constant<has_explicit_conversion_v<From, To>> {};

namespace detail {

template <typename T>
struct IsOneOf {
  template <typename... Ts>
  using Of = std::bool_constant<belongs_to<T, Ts...>>;
};

// ---- Containers --------------------------------------------------------------------------------

struct NoItem {};

template <typename T>
struct FirstArgument {
  using type = NoItem;
};
template <template <typename...> typename Template, typename First, typename... Others>
struct FirstArgument<Template<First, Others...>> {
  using type = First;
};

template <typename T>
struct ValueType {
  using type = NoItem;
};
template <typename T>
  requires requires { typename T::value_type; }
struct ValueType<T> {
  using type = typename T::value_type;
};

template <template <typename...> typename Template, typename Item, typename T>
inline constexpr bool isTemplateOf = false;
template <template <typename...> typename Template, typename Item, typename T>
  requires requires { typename Template<Item>; }
inline constexpr bool isTemplateOf<Template, Item, T> = std::is_same_v<Template<Item>, T>;

template <typename Target, typename ItemType>
struct ContainerMatch {
  static constexpr bool found = true;
  using type = Target;
  using Item = ItemType;
};

struct NoContainerMatch {
  static constexpr bool found = false;
  using type = void;
  using Item = NoItem;
};

// For T = Template<Item> of one of the templates, `type` is Template<DT>. Alias templates cannot be
// deduced, so Item is guessed from T and the guess is checked.
template <typename T, typename DT, typename ContainerTemplates>
struct MatchContainer : NoContainerMatch {};

template <typename T, typename DT, template <typename...> typename First,
          template <typename...> typename... Others>
struct MatchContainer<T, DT, Containers<First, Others...>>
    : std::conditional_t<isTemplateOf<First, typename FirstArgument<T>::type, T>,
                         ContainerMatch<First<DT>, typename FirstArgument<T>::type>,
                         std::conditional_t<isTemplateOf<First, typename ValueType<T>::type, T>,
                                            ContainerMatch<First<DT>, typename ValueType<T>::type>,
                                            MatchContainer<T, DT, Containers<Others...>>>> {};

template <typename DT, typename ContainerTemplates>
struct ListContainer;

// The one container that a braced list of DT makes; not `found` if none or several could be meant.
template <typename DT, template <typename...> typename... Templates>
struct ListContainer<DT, Containers<Templates...>> {
  static constexpr bool found =
      (0 + ... + int{std::is_constructible_v<Templates<DT>, std::initializer_list<DT>>}) == 1;

  template <typename First, typename... Others>
  static constexpr auto firstConstructible(std::type_identity<First>, Others... others) {
    if constexpr (std::is_constructible_v<First, std::initializer_list<DT>>) {
      return std::type_identity<First>{};
    } else {
      return firstConstructible(others...);
    }
  }
  static constexpr auto select() {
    return firstConstructible(std::type_identity<Templates<DT>>{}...);
  }
};

template <typename DT, typename ContainerTemplates>
using ListContainerType = typename decltype(ListContainer<DT, ContainerTemplates>::select())::type;

// Appends with push_back, or inserts where there is no order (sets).
template <typename Container, typename Item>
constexpr void append(Container& container, Item&& item) {
  if constexpr (requires { container.push_back(std::forward<Item>(item)); }) {
    container.push_back(std::forward<Item>(item));
  } else {
    container.insert(container.end(), std::forward<Item>(item));
  }
}

// A container of Item as a container of DT, element by element.
template <typename Target, typename Item, typename Source>
constexpr Target convertContainer(Source&& source) {
  using DT = typename Target::value_type;
  Target result;
  if constexpr (requires { result.reserve(source.size()); }) {
    result.reserve(source.size());
  }
  for (auto&& item : source) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(item)>, Item>) {
      detail::append(result, DT(static_cast<Item>(item)));  // the proxies of std::vector<bool>
    } else if constexpr (std::is_lvalue_reference_v<Source> || std::is_const_v<Source> ||
                         std::is_const_v<std::remove_reference_t<decltype(item)>>) {
      detail::append(result, DT(item));
    } else {
      detail::append(result, DT(std::move(item)));
    }
  }
  return result;
}

// ---- Construction ------------------------------------------------------------------------------

// The rules for `DT(T)` other than copies; the cheap questions come first.
template <typename DT, typename T>
concept NotDynamicTypeItself = !std::is_same_v<std::remove_cvref_t<T>, DT>;

template <typename DT, typename T>
concept ValueOf =
    NotDynamicTypeItself<DT, T> && !has_explicit_conversion_v<std::remove_cvref_t<T>, DT> &&
    std::is_constructible_v<typename DT::VariantType, T>;

template <typename DT, typename T>
using MatchContainerOf =
    MatchContainer<std::remove_cvref_t<T>, DT, typename DT::ContainerTemplates>;

template <typename DT, typename T>
concept ContainerOfOtherItems = NotDynamicTypeItself<DT, T> && MatchContainerOf<DT, T>::found &&
                                NotDynamicTypeItself<DT, typename MatchContainerOf<DT, T>::Item> &&
                                !std::is_constructible_v<typename DT::VariantType, T>;

// ---- Results -----------------------------------------------------------------------------------

// The type of an operation whose results differ between alternatives: void is ignored, one distinct
// type stays as it is, several become DT.
template <typename DT, typename Found, typename... Results>
struct CombineResults {
  using type = Found;
};
template <typename DT, typename Found, typename First, typename... Others>
struct CombineResults<DT, Found, First, Others...>
    : CombineResults<
          DT,
          std::conditional_t<std::is_void_v<First> || std::is_same_v<Found, First>, Found,
                             std::conditional_t<std::is_void_v<Found>, First, DT>>,
          Others...> {};

// True if a function that returns Result may `return` an expression of type From without making a
// reference to a temporary.
template <typename From, typename Result>
inline constexpr bool isReturnable = std::is_convertible_v<From, Result>;
template <typename From, typename Result>
inline constexpr bool isReturnable<From, Result&> =
    std::is_lvalue_reference_v<From> &&
    std::is_convertible_v<std::remove_reference_t<From>*, Result*>;
template <typename From, typename Result>
inline constexpr bool isReturnable<From, Result&&> =
    std::is_rvalue_reference_v<From> &&
    std::is_convertible_v<std::remove_reference_t<From>*, Result*>;
// The same prvalue needs no move.
template <typename Same>
inline constexpr bool isReturnable<Same, Same> = true;
template <typename Same>
inline constexpr bool isReturnable<Same&, Same&> = true;
template <typename Same>
inline constexpr bool isReturnable<Same&&, Same&&> = true;

}  // namespace detail

}  // namespace dynamic_type
