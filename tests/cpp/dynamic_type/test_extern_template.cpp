// A client that sees declarations only: what it calls was compiled in
// extern_template_definition.cpp.
#include <gtest/gtest.h>

#include <sstream>

#include "extern_template.h"

namespace dynamic_type_tests {
namespace {

TEST(ExternTemplate, OperatorsOfTwoValues) {
  const Instantiated two = 2;
  const Instantiated half = 0.5;
  EXPECT_EQ(two + half, Instantiated(2.5));
  EXPECT_EQ(two - half, Instantiated(1.5));
  EXPECT_EQ(two * half, Instantiated(1.0));
  EXPECT_EQ(two / half, Instantiated(4.0));
  EXPECT_EQ(two % two, Instantiated(0));
  EXPECT_EQ((two & two) | (two ^ two), two);
  EXPECT_EQ((two << two) >> two, two);
  EXPECT_EQ((two && half) || half, Instantiated(true));
  EXPECT_TRUE(half < two && two > half && half <= two && two >= half && half != two);
  EXPECT_EQ(eq(two, two), Instantiated(true));
  EXPECT_EQ(ne(lt(two, half), gt(two, half)), le(half, two));
  EXPECT_EQ(ge(two, two), Instantiated(true));
  EXPECT_EQ(-two, Instantiated(-2));
  EXPECT_EQ(+two, two);
  EXPECT_EQ(~two, Instantiated(-3));
  EXPECT_FALSE(!two);
}

TEST(ExternTemplate, TheRest) {
  Instantiated x = std::vector<int>{1, 2};
  x[0] += 0.5;
  EXPECT_EQ(x[0], 1.5);
  EXPECT_EQ((std::vector<double>)x, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(x.type(), typeid(std::vector<Instantiated>));
  std::ostringstream stream;
  stream << ++x[1];
  EXPECT_EQ(stream.str(), "3");
  EXPECT_EQ(x[1] * 2, 6);
  EXPECT_THROW(x + x, std::runtime_error);
  EXPECT_EQ(Instantiated(Handle{}), Handle{});
}

}  // namespace
}  // namespace dynamic_type_tests
