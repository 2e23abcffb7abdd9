// DynamicType::dispatch: calls a function with held values in place of DynamicTypes.
//
// Arguments are worked off from the front: each is moved, replaced if it is a DynamicType, to the
// back, so that after as many steps as there are arguments they are in their order again.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "dynamic_type/detail/check.h"
#include "dynamic_type/detail/switch.h"
#include "dynamic_type/detail/traits.h"

namespace dynamic_type::detail {

// Stands in a list of argument types for a held value; T is const if the argument is.
template <typename T>
struct Held {};

template <typename T>
struct HeldArgument {
  using AsRvalue = T&&;
  using AsLvalue = T&&;
};
template <typename T>
struct HeldArgument<Held<T>> {
  using AsRvalue = std::remove_const_t<T>&&;
  using AsLvalue = T&;
};

template <typename Fun, typename... Args>
using CallResult = decltype(std::declval<Fun>()(std::declval<Args>()...));

// The result type for one combination of held types: as if they were passed as rvalues. Functions
// that do not take rvalues are asked with lvalues.
template <typename Fun, typename... Args>
constexpr auto callResult() {
  if constexpr (requires { typename CallResult<Fun, typename HeldArgument<Args>::AsRvalue...>; }) {
    return std::type_identity<CallResult<Fun, typename HeldArgument<Args>::AsRvalue...>>{};
  } else {
    return std::type_identity<CallResult<Fun, typename HeldArgument<Args>::AsLvalue...>>{};
  }
}

template <typename DT, typename Fun, std::size_t remaining, typename... Args>
struct DispatchResult;

template <typename DT, typename Fun, typename... Args>
struct DispatchResult<DT, Fun, 0, Args...> {
  using type = typename decltype(callResult<Fun, Args...>())::type;
};

template <typename DT, typename Fun, std::size_t remaining, typename First, typename... Others>
  requires(remaining > 0 && !std::is_same_v<std::decay_t<First>, DT>)
struct DispatchResult<DT, Fun, remaining, First, Others...>
    : DispatchResult<DT, Fun, remaining - 1, Others..., First> {};

template <typename DT, typename Fun, std::size_t remaining, typename First, typename... Others>
  requires(remaining > 0 && std::is_same_v<std::decay_t<First>, DT>)
struct DispatchResult<DT, Fun, remaining, First, Others...> {
  template <typename T>
  using HeldOf =
      Held<std::conditional_t<std::is_const_v<std::remove_reference_t<First>>, const T, T>>;
  template <typename... Ts>
  static CombineResults<
      DT, void, typename DispatchResult<DT, Fun, remaining - 1, Others..., HeldOf<Ts>>::type...>
      overAlternatives(ForAllTypes<Ts...>);
  using type = typename decltype(overAlternatives(AlternativesOf<DT>{}))::type;
};

// A visitor (switch.h) that calls a function object with the alternative, whichever it is.
template <typename DispatchedType, typename Fun>
struct CallWith {
  Fun& fun;

  template <typename A>
  static constexpr bool supports = true;
  template <typename Result, typename A>
  constexpr Result apply(A& a) const {
    return fun(a);
  }
  template <typename DT>
  [[noreturn]] static void fail(const DT& operand) {
    detail::failResult<DispatchedType>("dispatch on", operand.type());
  }
};

template <typename DT, typename Result, typename Fun, typename... Args>
constexpr Result dispatchCall(Fun&& fun, Args&&... args) {
  if constexpr (!requires { typename CallResult<Fun, Args&&...>; }) {
    // Only as an rvalue could this combination be passed, and the value is not ours to move.
    detail::failResult<DT>("dispatch of", typeid(Fun));
  } else {
    using BranchResult = CallResult<Fun, Args&&...>;
    if constexpr (std::is_void_v<Result>) {
      static_cast<void>(std::forward<Fun>(fun)(std::forward<Args>(args)...));
    } else if constexpr (isReturnable<BranchResult, Result>) {
      return std::forward<Fun>(fun)(std::forward<Args>(args)...);
    } else {
      detail::failResult<DT>("dispatch returning", typeid(BranchResult));
    }
  }
}

// `args` are the arguments in turn; the first `remaining` are yet to be replaced.
template <typename DT, typename Result, std::size_t remaining, typename Fun>
constexpr Result dispatchNext(Fun&& fun) {
  return detail::dispatchCall<DT, Result>(std::forward<Fun>(fun));
}

template <typename DT, typename Result, std::size_t remaining, typename Fun, typename First,
          typename... Others>
constexpr Result dispatchNext(Fun&& fun, First&& first, Others&&... others) {
  if constexpr (remaining == 0) {
    return detail::dispatchCall<DT, Result>(std::forward<Fun>(fun), std::forward<First>(first),
                                            std::forward<Others>(others)...);
  } else if constexpr (std::is_same_v<std::decay_t<First>, DT>) {
    // With a result the held value is const, so that the result does not depend on whether the
    // argument is.
    using Operand =
        std::conditional_t<std::is_void_v<Result>, std::remove_reference_t<First>, const DT>;
    auto step = [&](auto& held) -> Result {
      return detail::dispatchNext<DT, Result, remaining - 1>(std::forward<Fun>(fun),
                                                             std::forward<Others>(others)..., held);
    };
    return detail::visitHeld<Result>(CallWith<DT, decltype(step)>{step},
                                     static_cast<Operand&>(first));
  } else {
    return detail::dispatchNext<DT, Result, remaining - 1>(
        std::forward<Fun>(fun), std::forward<Others>(others)..., std::forward<First>(first));
  }
}

}  // namespace dynamic_type::detail
