// Definitions of what an explicit instantiation of a DynamicType compiles. See decl.h.
#pragma once

#include "dynamic_type/decl.h"

namespace dynamic_type {

template <typename ContainersT, typename... Ts>
const std::type_info& DynamicType<ContainersT, Ts...>::type() const {
  return detail::visitHeld<const std::type_info&>(detail::TypeInfoOf{}, *this);
}

#define DYNAMIC_TYPE_DEFINE_FOR(Result, Name)                                \
  template <typename ContainersT, typename... Ts>                            \
  auto DynamicType<ContainersT, Ts...>::OutOfLine::Name(                     \
      const DynamicType& lhs, const DynamicType& rhs, Result*) -> Result {   \
    return detail::applyBinary<detail::Name, Result, DynamicType>(lhs, rhs); \
  }

#define DYNAMIC_TYPE_DEFINE(Name, op) DYNAMIC_TYPE_DEFINE_FOR(DynamicType, Name)
DYNAMIC_TYPE_FOR_EACH_ARITHMETIC(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

#define DYNAMIC_TYPE_DEFINE(Name, op, function) \
  DYNAMIC_TYPE_DEFINE_FOR(bool, Name)           \
  DYNAMIC_TYPE_DEFINE_FOR(DynamicType, Name)
DYNAMIC_TYPE_FOR_EACH_COMPARISON(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

#undef DYNAMIC_TYPE_DEFINE_FOR

#define DYNAMIC_TYPE_DEFINE(Name, op)                                               \
  template <typename ContainersT, typename... Ts>                                   \
  auto DynamicType<ContainersT, Ts...>::OutOfLine::Name(const DynamicType& operand) \
      -> detail::OperationResultOf<detail::Name##Of, const DynamicType> {           \
    return detail::applyUnary(detail::Name##Of{}, operand);                         \
  }
DYNAMIC_TYPE_FOR_EACH_UNARY(DYNAMIC_TYPE_DEFINE)
#undef DYNAMIC_TYPE_DEFINE

template <typename ContainersT, typename... Ts>
std::ostream& DynamicType<ContainersT, Ts...>::OutOfLine::print(std::ostream& stream,
                                                                const DynamicType& operand) {
  return detail::visitHeld<std::ostream&>(detail::PrintTo{stream}, operand);
}

}  // namespace dynamic_type
