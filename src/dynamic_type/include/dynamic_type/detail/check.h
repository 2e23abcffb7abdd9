// Errors: the hook that clients may define, and the throwing functions behind every operator.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

// Define it before the first include to raise an error of your own. The first piece of the message
// is fixed for each kind of error; further pieces name operators and types.
#ifndef DYNAMIC_TYPE_CHECK
#define DYNAMIC_TYPE_CHECK(condition, first_message, ...) \
  do {                                                    \
    if (!(condition)) {                                   \
      throw std::runtime_error(first_message);            \
    }                                                     \
  } while (false)
#endif

namespace dynamic_type::detail {

// The name as it is written in C++ where the platform can tell it.
inline std::string typeName(const std::type_info& type) {
#if __has_include(<cxxabi.h>)
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  if (status == 0) {
    return name.get();
  }
#endif
  return type.name();
}

// The functions below are templates on the DynamicType so that programs whose files define
// different hooks for different types do not break the one-definition rule. std::abort() is for
// hooks that return.

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failBinary([[maybe_unused]] const char* symbol,
                                                       [[maybe_unused]] const std::type_info& lhs,
                                                       [[maybe_unused]] const std::type_info& rhs) {
  DYNAMIC_TYPE_CHECK(false, "Result is dynamic but not convertible to result type", ": ",
                     typeName(lhs), " ", symbol, " ", typeName(rhs));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failResult(
    [[maybe_unused]] const char* operation, [[maybe_unused]] const std::type_info& operand) {
  DYNAMIC_TYPE_CHECK(false, "Result is dynamic but not convertible to result type", ": ", operation,
                     " ", typeName(operand));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failCast([[maybe_unused]] const std::type_info& from,
                                                     [[maybe_unused]] const std::type_info& to) {
  DYNAMIC_TYPE_CHECK(false, "Result is dynamic but not convertible to result type", ": ",
                     typeName(from), " to ", typeName(to));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failContainerCast(
    [[maybe_unused]] const std::type_info& from, [[maybe_unused]] const std::type_info& to) {
  DYNAMIC_TYPE_CHECK(false, "Cannot cast from ", typeName(from), " to ", typeName(to));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failIndex(
    [[maybe_unused]] const std::type_info& container,
    [[maybe_unused]] const std::type_info& index) {
  DYNAMIC_TYPE_CHECK(false, "Cannot index ", typeName(container), " with ", typeName(index));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failMember(
    [[maybe_unused]] const std::type_info& object, [[maybe_unused]] const std::type_info& member) {
  DYNAMIC_TYPE_CHECK(false, "Cannot access member with type ", typeName(member), " of ",
                     typeName(object));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failDereference(
    [[maybe_unused]] const std::type_info& operand) {
  DYNAMIC_TYPE_CHECK(false, "Cannot dereference ", typeName(operand));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failIncrement(
    [[maybe_unused]] const char* symbol, [[maybe_unused]] const std::type_info& operand) {
  DYNAMIC_TYPE_CHECK(false, "Cannot compute ", symbol, " of ", typeName(operand));
  std::abort();
}

template <typename DT>
[[noreturn, gnu::cold, gnu::noinline]] void failPrint(
    [[maybe_unused]] const std::type_info& operand) {
  DYNAMIC_TYPE_CHECK(false, "Can not print ", typeName(operand),
                     ": null or a type without stream insertion");
  std::abort();
}

}  // namespace dynamic_type::detail
