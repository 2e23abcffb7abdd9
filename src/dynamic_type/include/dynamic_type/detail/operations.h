// The operators as types: what each supports and how it is applied to two held values.
#pragma once

#include <cstddef>
#include <ios>
#include <ostream>
#include <type_traits>
#include <utility>

#include "dynamic_type/detail/check.h"
#include "dynamic_type/detail/switch.h"
#include "dynamic_type/detail/traits.h"

// Name of the operation, operator.
#define DYNAMIC_TYPE_FOR_EACH_ARITHMETIC(X) \
  X(Add, +)                                 \
  X(Subtract, -)                            \
  X(Multiply, *)                            \
  X(Divide, /)                              \
  X(Modulo, %)                              \
  X(BitAnd, &)                              \
  X(BitOr, |)                               \
  X(BitXor, ^)                              \
  X(LogicalAnd, &&)                         \
  X(LogicalOr, ||)                          \
  X(ShiftLeft, <<)                          \
  X(ShiftRight, >>)

// Name, operator, name of the function that returns a DynamicType.
#define DYNAMIC_TYPE_FOR_EACH_COMPARISON(X) \
  X(Equal, ==, eq)                          \
  X(NotEqual, !=, ne)                       \
  X(Less, <, lt)                            \
  X(Greater, >, gt)                         \
  X(LessEqual, <=, le)                      \
  X(GreaterEqual, >=, ge)

#define DYNAMIC_TYPE_FOR_EACH_UNARY(X) \
  X(UnaryPlus, +)                      \
  X(UnaryMinus, -)                     \
  X(BitNot, ~)                         \
  X(LogicalNot, !)

#define DYNAMIC_TYPE_FOR_EACH_INCREMENT(X) \
  X(Increment, ++)                         \
  X(Decrement, --)

// The held types decide what `a < b` means: mixed signs and bools are theirs to judge, and these
// warnings would appear for every client.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wbitwise-instead-of-logical"
#pragma GCC diagnostic ignored "-Wimplicit-int-float-conversion"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#endif
#endif

namespace dynamic_type::detail {

// ---- Binary operators and comparisons ----------------------------------------------------------

#define DYNAMIC_TYPE_BINARY_OPERATION(Name, op)                            \
  struct Name {                                                            \
    static constexpr const char* symbol = #op;                             \
    template <typename Result, typename A, typename B>                     \
    static constexpr bool supports = requires(const A& a, const B& b) {    \
      requires std::is_convertible_v<decltype(a op b), Result>;            \
    };                                                                     \
    template <typename Result, typename A, typename B>                     \
    static constexpr Result apply(const A& a, const B& b) {                \
      return a op b;                                                       \
    }                                                                      \
    template <typename Result, typename DT>                                \
    static Result callOutOfLine(const DT& lhs, const DT& rhs) {            \
      return DT::OutOfLine::Name(lhs, rhs, static_cast<Result*>(nullptr)); \
    }                                                                      \
  };
#define DYNAMIC_TYPE_COMPARISON(Name, op, function) DYNAMIC_TYPE_BINARY_OPERATION(Name, op)
DYNAMIC_TYPE_FOR_EACH_ARITHMETIC(DYNAMIC_TYPE_BINARY_OPERATION)
DYNAMIC_TYPE_FOR_EACH_COMPARISON(DYNAMIC_TYPE_COMPARISON)
#undef DYNAMIC_TYPE_COMPARISON
#undef DYNAMIC_TYPE_BINARY_OPERATION

// An operand is a DT with its alternatives, or a static type that counts as its only alternative.
template <typename DT, typename T>
struct OperandTypes {
  using type = ForAllTypes<T>;
};
template <typename DT>
struct OperandTypes<DT, DT> {
  using type = AlternativesOf<DT>;
};

template <typename DT, typename T>
constexpr std::size_t operandIndex(const T& operand) {
  if constexpr (std::is_same_v<DT, T>) {
    return operand.value.index() + 1;  // 0: valueless by exception
  } else {
    return 1;
  }
}

template <typename DT, std::size_t index, typename T>
constexpr const auto& operandValue(const T& operand) {
  if constexpr (std::is_same_v<DT, T>) {
    return detail::alternative<index - 1>(operand);
  } else {
    return operand;
  }
}

template <typename DT, typename T>
const std::type_info& operandType(const T& operand) {
  if constexpr (std::is_same_v<DT, T>) {
    return operand.type();
  } else {
    return typeid(T);
  }
}

template <typename Op, typename Result, typename A, typename List, typename... Bs>
constexpr void addSupportedRow(List& list, std::size_t code, ForAllTypes<Bs...>) {
  (list.addIf(Op::template supports<Result, A, Bs>, code++), ...);
}

template <typename Op, typename Result, typename... As, typename... Bs>
constexpr auto supportedPairs(ForAllTypes<As...>, ForAllTypes<Bs...> rhs) {
  constexpr std::size_t width = sizeof...(Bs) + 1;
  CaseList<sizeof...(As) * sizeof...(Bs)> list;
  std::size_t row = 0;
  (addSupportedRow<Op, Result, As>(list, ++row * width + 1, rhs), ...);
  return list;
}

template <typename Op, typename Result, typename DT, typename L, typename R>
inline constexpr auto binaryCases = supportedPairs<Op, Result>(
    typename OperandTypes<DT, L>::type{}, typename OperandTypes<DT, R>::type{});

#define DYNAMIC_TYPE_PAIR_CASE(i)                                          \
  case cases.label(offset + i, end):                                       \
    if constexpr (offset + i < cases.count) {                              \
      return Op::template apply<Result>(                                   \
          detail::operandValue<DT, cases.codes[offset + i] / width>(lhs),  \
          detail::operandValue<DT, cases.codes[offset + i] % width>(rhs)); \
    } else {                                                               \
      break;                                                               \
    }

// Selects the pair of held types in one switch and applies the operator.
template <typename Op, typename Result, typename DT, std::size_t offset = 0, typename L, typename R>
constexpr Result applyBinary(const L& lhs, const R& rhs) {
  constexpr const auto& cases = binaryCases<Op, Result, DT, L, R>;
  constexpr std::size_t width = (std::is_same_v<DT, R> ? DT::num_types : 1) + 1;
  [[maybe_unused]] constexpr std::size_t end =
      ((std::is_same_v<DT, L> ? DT::num_types : 1) + 1) * width;
  DYNAMIC_TYPE_SWITCH(cases.count - offset,
                      detail::operandIndex<DT>(lhs) * width + detail::operandIndex<DT>(rhs),
                      DYNAMIC_TYPE_PAIR_CASE)
  if constexpr (cases.count > offset + 64) {
    return detail::applyBinary<Op, Result, DT, offset + 64>(lhs, rhs);
  } else {
    detail::failBinary<DT>(Op::symbol, detail::operandType<DT>(lhs), detail::operandType<DT>(rhs));
  }
}

#undef DYNAMIC_TYPE_PAIR_CASE

// ---- Unary operators ---------------------------------------------------------------------------

#define DYNAMIC_TYPE_UNARY_OPERATION(Name, op)                 \
  struct Name##Of {                                            \
    template <typename A>                                      \
    static constexpr bool supports = requires(A& a) { op a; }; \
    template <typename A>                                      \
    using ResultOf = decltype(op std::declval<A&>());          \
    template <typename Result, typename A>                     \
    static constexpr Result apply(A& a) {                      \
      return op a;                                             \
    }                                                          \
    template <typename DT>                                     \
    [[noreturn]] static void fail(const DT& operand) {         \
      detail::failResult<DT>(#op, operand.type());             \
    }                                                          \
    template <typename DT>                                     \
    static decltype(auto) callOutOfLine(const DT& operand) {   \
      return DT::OutOfLine::Name(operand);                     \
    }                                                          \
  };
DYNAMIC_TYPE_FOR_EACH_UNARY(DYNAMIC_TYPE_UNARY_OPERATION)
#undef DYNAMIC_TYPE_UNARY_OPERATION

// The results of `Operation` over the alternatives of DT, combined.
template <typename Operation, typename A>
constexpr auto resultOrVoid() {
  if constexpr (Operation::template supports<A>) {
    return std::type_identity<typename Operation::template ResultOf<A>>{};
  } else {
    return std::type_identity<void>{};
  }
}

template <typename Operation, typename DT>
struct OperationResult {};

template <typename Operation, typename DT, typename... Ts>
CombineResults<DT, void, typename decltype(resultOrVoid<Operation, Ts>())::type...> combinedResult(
    ForAllTypes<Ts...>);
template <typename Operation, typename DT, typename... Ts>
CombineResults<DT, void, typename decltype(resultOrVoid<Operation, const Ts>())::type...>
    combinedConstResult(ForAllTypes<Ts...>);

template <typename Operation, typename DT>
  requires is_dynamic_type_v<DT>
struct OperationResult<Operation, DT> {
  using type = typename decltype(combinedResult<Operation, DT>(AlternativesOf<DT>{}))::type;
};
template <typename Operation, typename DT>
  requires is_dynamic_type_v<DT>
struct OperationResult<Operation, const DT> {
  using type = typename decltype(combinedConstResult<Operation, DT>(AlternativesOf<DT>{}))::type;
};

template <typename Operation, typename DT>
using OperationResultOf = typename OperationResult<Operation, DT>::type;

// `Operation` limited to the alternatives whose result can be returned as Result.
template <typename Operation, typename Result>
struct Returning : Operation {
  template <typename A>
  static constexpr bool supports = [] {
    if constexpr (Operation::template supports<A>) {
      return isReturnable<typename Operation::template ResultOf<A>, Result>;
    } else {
      return false;
    }
  }();
};

template <typename Operation, typename DT>
constexpr OperationResultOf<Operation, DT> applyUnary(const Operation& operation, DT& operand) {
  using Result = OperationResultOf<Operation, DT>;
  return detail::visitHeld<Result>(Returning<Operation, Result>{operation}, operand);
}

// ---- Increments --------------------------------------------------------------------------------

// bool has no increment since C++17, but clang 14 says so only after it has chosen the operator.
#define DYNAMIC_TYPE_INCREMENT(Name, op)                                          \
  struct Pre##Name {                                                              \
    template <typename A>                                                         \
    static constexpr bool supports = !std::is_same_v<A, bool> && requires(A& a) { \
      requires std::is_same_v<decltype(op a), A&>;                                \
    };                                                                            \
    template <typename Result, typename A>                                        \
    static constexpr Result apply(A& a) {                                         \
      op a;                                                                       \
    }                                                                             \
    template <typename DT>                                                        \
    [[noreturn]] static void fail(const DT& operand) {                            \
      detail::failIncrement<DT>(#op, operand.type());                             \
    }                                                                             \
  };                                                                              \
  template <typename VariantType>                                                 \
  struct Post##Name {                                                             \
    template <typename A>                                                         \
    static constexpr bool supports = !std::is_same_v<A, bool> && requires(A& a) { \
      requires std::is_constructible_v<VariantType, decltype(a op)>;              \
    };                                                                            \
    template <typename Result, typename A>                                        \
    static constexpr Result apply(A& a) {                                         \
      return Result(VariantType(a op));                                           \
    }                                                                             \
    template <typename DT>                                                        \
    [[noreturn]] static void fail(const DT& operand) {                            \
      detail::failIncrement<DT>(#op, operand.type());                             \
    }                                                                             \
  };
DYNAMIC_TYPE_FOR_EACH_INCREMENT(DYNAMIC_TYPE_INCREMENT)
#undef DYNAMIC_TYPE_INCREMENT

// ---- Casts -------------------------------------------------------------------------------------

template <typename T>
struct CastTo {
  template <typename A>
  static constexpr bool supports = requires(A& a) { (T) a; };
  template <typename Result, typename A>
  static constexpr Result apply(A& a) {
    return (T)a;
  }
  template <typename DT>
  [[noreturn]] static void fail(const DT& operand) {
    detail::failCast<DT>(operand.type(), typeid(T));
  }
};

// ---- Everything else that looks at one held value ----------------------------------------------

struct TypeInfoOf {
  template <typename A>
  static constexpr bool supports = true;
  template <typename Result, typename A>
  static constexpr Result apply(A&) {
    return typeid(A);
  }
  template <typename DT>
  [[noreturn]] static void fail(const DT&) {
    throw std::bad_variant_access();  // valueless by exception
  }
};

struct PrintTo {
  std::ostream& stream;

  template <typename A>
  static constexpr bool supports = requires(std::ostream& os, A& a) {
    requires std::is_same_v<decltype(os << a), std::ostream&>;
  };
  template <typename Result, typename A>
  Result apply(A& a) const {
    return stream << a;
  }
  template <typename DT>
  [[noreturn]] static void fail(const DT& operand) {
    detail::failPrint<DT>(operand.type());
  }
};

// `value[index]`, where the result is a DT of the container. The const object of a container that
// only has the non-const operator is indexed all the same: what comes out is const again.
template <typename DT, typename Index>
struct IndexWith {
  const Index& index;

  template <typename A>
  static constexpr bool supports = requires(std::remove_const_t<A>& a, const Index& i) {
    requires std::is_same_v<decltype(a[i]), DT&>;
  };
  template <typename Result, typename A>
  constexpr Result apply(A& a) const {
    if constexpr (requires { requires std::is_convertible_v<decltype(&a[index]), const DT*>; }) {
      return a[index];
    } else {
      return const_cast<std::remove_const_t<A>&>(a)[index];
    }
  }
  template <typename Operand>
  [[noreturn]] static void fail(const Operand& operand) {
    detail::failIndex<DT>(operand.type(), typeid(Index));
  }
};

// `container[value]` of a DT container for the held index.
template <typename DT, typename Container>
struct IndexInto {
  Container& container;

  template <typename A>
  static constexpr bool supports = isSupported<IndexWith<DT, std::remove_const_t<A>>, Container>;
  template <typename Result, typename A>
  constexpr Result apply(A& a) const {
    return detail::visitHeld<Result>(IndexWith<DT, std::remove_const_t<A>>{a}, container);
  }
  template <typename Index>
  [[noreturn]] void fail(const Index& index) const {
    detail::failIndex<DT>(container.type(), index.type());
  }
};

// `*value`, where the result is a DT.
template <typename DT>
struct Dereference {
  template <typename A>
  static constexpr bool supports =
      requires(std::remove_const_t<A>& a) { requires std::is_same_v<decltype(*a), DT&>; };
  template <typename Result, typename A>
  static constexpr Result apply(A& a) {
    if constexpr (requires { requires std::is_same_v<decltype(*a), DT&>; }) {
      return *a;
    } else {
      return *const_cast<std::remove_const_t<A>&>(a);
    }
  }
  template <typename Operand>
  [[noreturn]] static void fail(const Operand& operand) {
    detail::failDereference<DT>(operand.type());
  }
};

// `value->`: a held pointer itself, otherwise what the held class's operator-> returns.
struct Arrow {
  template <typename A>
  static constexpr bool supports =
      std::is_pointer_v<std::remove_const_t<A>> || requires(A& a) { a.operator->(); };
  template <typename Result, typename A>
  static constexpr Result apply(A& a) {
    if constexpr (std::is_pointer_v<std::remove_const_t<A>>) {
      return a;
    } else {
      return a.operator->();
    }
  }
  template <typename A>
  static constexpr auto resultType() {
    if constexpr (std::is_pointer_v<std::remove_const_t<A>>) {
      return std::type_identity<std::remove_const_t<A>>{};
    } else {
      return std::type_identity<decltype(std::declval<A&>().operator->())>{};
    }
  }
  template <typename A>
  using ResultOf = typename decltype(resultType<A>())::type;
  template <typename DT>
  [[noreturn]] static void fail(const DT& operand) {
    detail::failResult<DT>("->", operand.type());
  }
};

// `value->*member` for what is not a pointer to member of an alternative.
template <typename Member>
struct MemberAccess {
  const Member& member;

  template <typename A>
  static constexpr bool supports =
      requires(A& a, const Member& m) { typename std::type_identity<decltype(a->*m)>; };
  template <typename A>
  using ResultOf = decltype(std::declval<A&>()->*std::declval<const Member&>());
  template <typename Result, typename A>
  constexpr Result apply(A& a) const {
    return a->*member;
  }
  template <typename DT>
  [[noreturn]] static void fail(const DT& operand) {
    detail::failMember<DT>(operand.type(), typeid(Member));
  }
};

// True if all alternatives that support the access agree on its result type.
template <typename DT, typename Member, typename... Ts>
constexpr bool memberResultsAgree(ForAllTypes<Ts...>) {
  using Access = MemberAccess<Member>;
  constexpr auto agrees = []<typename A>(std::type_identity<A>) {
    if constexpr (Access::template supports<A>) {
      return std::is_same_v<typename Access::template ResultOf<A>, OperationResultOf<Access, DT>>;
    } else {
      return true;
    }
  };
  return (agrees(std::type_identity<std::conditional_t<std::is_const_v<DT>, const Ts, Ts>>{}) &&
          ...);
}

// What `x->*pm` gives for a member function: callable with the function's arguments.
template <typename Object, typename MemberFunction>
struct BoundMemberFunction {
  Object& object;
  MemberFunction function;

  template <typename... Args>
  constexpr auto operator()(Args&&... args) const
      -> decltype((object.*function)(std::forward<Args>(args)...)) {
    return (object.*function)(std::forward<Args>(args)...);
  }
};

template <typename Object, typename Member, typename Class>
constexpr decltype(auto) accessMember(Object& object, Member Class::* member) {
  if constexpr (std::is_function_v<Member>) {
    return BoundMemberFunction<Object, Member Class::*>{object, member};
  } else {
    return (object.*member);
  }
}

template <typename DT, typename T>
inline constexpr bool isMemberOfAlternative = false;
template <typename DT, typename Member, typename Class>
inline constexpr bool isMemberOfAlternative<DT, Member Class::*> =
    DT::template is_candidate_type<Class>;

// For `value->*member`; DT is const for const objects, and the two are decided separately.
template <typename DT, typename Member>
concept AccessibleMember =
    !isMemberOfAlternative<DT, Member> && isSupported<MemberAccess<Member>, DT> &&
    memberResultsAgree<DT, Member>(AlternativesOf<DT>{});

}  // namespace dynamic_type::detail

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
