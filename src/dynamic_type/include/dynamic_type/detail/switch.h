// One flat switch over the supported alternatives, or pairs of alternatives, of an operation.
//
// An operation that is undefined for most combinations costs one case for each defined one and
// nothing else: the list of cases is computed first, and only these are instantiated.
#pragma once

#include <array>
#include <cstddef>
#include <variant>

#include "dynamic_type/type_traits.h"

namespace dynamic_type::detail {

// The selectors of the supported cases, in `codes[0]` to `codes[count - 1]`.
template <std::size_t capacity>
struct CaseList {
  std::array<std::size_t, capacity == 0 ? 1 : capacity> codes{};
  std::size_t count = 0;

  constexpr void addIf(bool supported, std::size_t code) {
    if (supported) {
      codes[count++] = code;
    }
  }
  // The label of case i. Cases that a switch has in excess get labels that no selector has.
  constexpr std::size_t label(std::size_t i, std::size_t end) const {
    return i < count ? codes[i] : end + i;
  }
};

template <std::size_t I, typename DT>
constexpr auto& alternative(DT& value) {
  // Not std::get_if: g++ rejects the address of a temporary's member in constant expressions. The
  // check of the index is dropped where the switch has made it.
  return std::get<I>(value.value);
}

}  // namespace dynamic_type::detail

#define DYNAMIC_TYPE_CASES_4(CASE, i) CASE(i) CASE(i + 1) CASE(i + 2) CASE(i + 3)
#define DYNAMIC_TYPE_CASES_8(CASE, i) \
  DYNAMIC_TYPE_CASES_4(CASE, i) DYNAMIC_TYPE_CASES_4(CASE, i + 4)
#define DYNAMIC_TYPE_CASES_16(CASE, i) \
  DYNAMIC_TYPE_CASES_8(CASE, i) DYNAMIC_TYPE_CASES_8(CASE, i + 8)
#define DYNAMIC_TYPE_CASES_32(CASE, i) \
  DYNAMIC_TYPE_CASES_16(CASE, i) DYNAMIC_TYPE_CASES_16(CASE, i + 16)
#define DYNAMIC_TYPE_CASES_64(CASE, i) \
  DYNAMIC_TYPE_CASES_32(CASE, i) DYNAMIC_TYPE_CASES_32(CASE, i + 32)

// Switches on `selector` with CASE(0) to CASE(count - 1); CASE must leave the function or break.
// At most 64 cases: the caller handles the others when the switch is left.
#define DYNAMIC_TYPE_SWITCH(count, selector, CASE) \
  if constexpr ((count) == 0) {                    \
  } else if constexpr ((count) <= 4) {             \
    switch (selector) {                            \
      DYNAMIC_TYPE_CASES_4(CASE, 0)                \
      default:                                     \
        break;                                     \
    }                                              \
  } else if constexpr ((count) <= 8) {             \
    switch (selector) {                            \
      DYNAMIC_TYPE_CASES_8(CASE, 0)                \
      default:                                     \
        break;                                     \
    }                                              \
  } else if constexpr ((count) <= 16) {            \
    switch (selector) {                            \
      DYNAMIC_TYPE_CASES_16(CASE, 0)               \
      default:                                     \
        break;                                     \
    }                                              \
  } else if constexpr ((count) <= 32) {            \
    switch (selector) {                            \
      DYNAMIC_TYPE_CASES_32(CASE, 0)               \
      default:                                     \
        break;                                     \
    }                                              \
  } else {                                         \
    switch (selector) {                            \
      DYNAMIC_TYPE_CASES_64(CASE, 0)               \
      default:                                     \
        break;                                     \
    }                                              \
  }

namespace dynamic_type::detail {

template <typename DT>
using AlternativesOf = typename DT::ForAllTypes;

// The alternatives of DT that `Operation` supports; const DT: as const objects.
template <typename Operation, typename DT, typename... Ts>
constexpr auto supportedAlternatives(ForAllTypes<Ts...>) {
  CaseList<sizeof...(Ts)> list;
  std::size_t index = 0;
  if constexpr (std::is_const_v<DT>) {
    (list.addIf(Operation::template supports<const Ts>, index++), ...);
  } else {
    (list.addIf(Operation::template supports<Ts>, index++), ...);
  }
  return list;
}

template <typename Operation, typename DT>
inline constexpr auto visitCases = supportedAlternatives<Operation, DT>(AlternativesOf<DT>{});

// True if some alternative supports the operation.
template <typename Operation, typename DT>
inline constexpr bool isSupported = visitCases<Operation, DT>.count != 0;

#define DYNAMIC_TYPE_VISIT_CASE(i)                              \
  case cases.label(offset + i, end):                            \
    if constexpr (offset + i < cases.count) {                   \
      return operation.template apply<Result>(                  \
          detail::alternative<cases.codes[offset + i]>(value)); \
    } else {                                                    \
      break;                                                    \
    }

// Applies the operation to the held alternative; `operation.fail(value)` if it is unsupported.
// DT is const-qualified for const objects.
template <typename Result, std::size_t offset = 0, typename Operation, typename DT>
constexpr Result visitHeld(const Operation& operation, DT& value) {
  constexpr const auto& cases = visitCases<Operation, DT>;
  [[maybe_unused]] constexpr std::size_t end = DT::num_types;
  DYNAMIC_TYPE_SWITCH(cases.count - offset, value.value.index(), DYNAMIC_TYPE_VISIT_CASE)
  if constexpr (cases.count > offset + 64) {
    return detail::visitHeld<Result, offset + 64>(operation, value);
  } else {
    operation.fail(value);
  }
}

#undef DYNAMIC_TYPE_VISIT_CASE

}  // namespace dynamic_type::detail
