// Types and helpers that several tests use.
#pragma once

#include <dynamic_type/dynamic_type.h>
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace dynamic_type_tests {

using dynamic_type::Containers;
using dynamic_type::DynamicType;
using dynamic_type::NoContainers;

// Cannot be constructed at all: the library must never try to make a value of an alternative.
struct Unconstructible {
  Unconstructible() = delete;
};

struct Empty {};

using Scalar = DynamicType<NoContainers, double, int64_t, bool>;
using ScalarOrOpaque = DynamicType<NoContainers, double, int64_t, bool, Empty, Unconstructible>;
using IntOrFloat = DynamicType<NoContainers, int, float>;
using Nested = DynamicType<Containers<std::vector>, double, int64_t, bool, Unconstructible>;

constexpr const char* notConvertible = "Result is dynamic but not convertible to result type";

// Expects std::runtime_error with `fragment` in its message.
template <typename Fun>
void expectError(Fun&& fun, const std::string& fragment) {
  try {
    fun();
    ADD_FAILURE() << "expected an error with \"" << fragment << "\"";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

}  // namespace dynamic_type_tests
