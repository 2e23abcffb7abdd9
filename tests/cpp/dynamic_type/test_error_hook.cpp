// A client's own error: the first piece is the fixed fragment, the others name operators and types.
#include <stdexcept>
#include <string>

namespace dynamic_type_tests::hook {

struct ClientError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename... Pieces>
void check(bool condition, const std::string& first, const Pieces&... others) {
  if (!condition) {
    throw ClientError((first + ... + std::string(others)));
  }
}

}  // namespace dynamic_type_tests::hook

#define DYNAMIC_TYPE_CHECK(...) ::dynamic_type_tests::hook::check(__VA_ARGS__)

#include <dynamic_type/dynamic_type.h>
#include <gtest/gtest.h>

namespace dynamic_type_tests::hook {
namespace {

// Of this file only, so that other files' errors stay what they are.
struct Local {};
using Value = dynamic_type::DynamicType<dynamic_type::Containers<std::vector>, Local, int, double>;

template <typename Fun>
std::string message(Fun&& fun) {
  try {
    fun();
  } catch (const ClientError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ErrorHook, Messages) {
  EXPECT_EQ(message([] { return Value(1) + Value{}; }),
            "Result is dynamic but not convertible to result type: int + std::monostate");
  EXPECT_EQ(message([] { return Value(1.5) % 2; }),
            "Result is dynamic but not convertible to result type: double % int");
  EXPECT_EQ(message([] { return -Value{}; }),
            "Result is dynamic but not convertible to result type: - std::monostate");
  EXPECT_EQ(message([] { return (std::vector<int>)Value(1.5); }),
            "Cannot cast from double to std::vector<int, std::allocator<int> >");
  EXPECT_EQ(message([] { return Value(1)[2]; }), "Cannot index int with int");
  EXPECT_EQ(message([] {
              Value x;
              ++x;
            }),
            "Cannot compute ++ of std::monostate");
}

}  // namespace
}  // namespace dynamic_type_tests::hook
