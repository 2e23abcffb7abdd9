// More alternatives than one fold expression over all pairs would allow in clang (depth 256).
#include "common.h"

namespace dynamic_type_tests {
namespace {

template <int id>
struct Tag {
  int number = id;
  friend constexpr Tag operator+(Tag a, Tag b) { return {a.number + b.number}; }
  friend constexpr bool operator==(Tag a, Tag b) { return a.number == b.number; }
  friend constexpr Tag operator-(Tag a) { return {-a.number}; }
};

using Many = DynamicType<NoContainers, Tag<0>, Tag<1>, Tag<2>, Tag<3>, Tag<4>, Tag<5>, Tag<6>,
                         Tag<7>, Tag<8>, Tag<9>, Tag<10>, Tag<11>, Tag<12>, Tag<13>, Tag<14>,
                         Tag<15>, Tag<16>, Tag<17>, Tag<18>, Tag<19>>;
using Numbers = DynamicType<NoContainers, char, signed char, unsigned char, short, unsigned short,
                            int, unsigned, long, unsigned long, long long, unsigned long long,
                            float, double, long double, bool, char16_t, char32_t, wchar_t>;

TEST(ManyAlternatives, TwentyTags) {
  static_assert((Many(Tag<17>{}) + Many(Tag<17>{})).as<Tag<17>>().number == 34);
  static_assert(Many(Tag<19>{}) == Tag<19>{} && (-Many(Tag<19>{})).as<Tag<19>>().number == -19);
  EXPECT_TRUE(Many(Tag<0>{}) == Many(Tag<0>{}));
  expectError([] { return Many(Tag<3>{}) + Many(Tag<4>{}); }, notConvertible);
  EXPECT_EQ(Many::dispatch(
                [](const auto& x) {
                  if constexpr (requires { x.number; }) {
                    return x.number;
                  } else {
                    return -1;
                  }
                },
                Many(Tag<12>{})),
            12);
}

// More supported pairs than one switch holds.
TEST(ManyAlternatives, EighteenArithmeticTypes) {
  static_assert(Numbers(short{2}) + Numbers(2.5) == Numbers(4.5));
  static_assert((Numbers(short{2}) + Numbers(short{3})).is<int>());
  static_assert((Numbers(2.5f) + Numbers(L'\1')).as<float>() == 3.5f);
  EXPECT_TRUE(Numbers(2.5L) > Numbers(2ull));
  EXPECT_TRUE(Numbers(U'a') == Numbers('a'));
  const auto values = std::make_tuple(char{1}, short{2}, 3, 4l, 5ull, 6.5f, 7.5, 8.5L, true, u'a');
  std::apply(
      [](auto... b) {
        const auto check = [](auto a, auto b) {
          EXPECT_EQ((Numbers(a) + Numbers(b)).type(), typeid(a + b));
          EXPECT_EQ(Numbers(a) * Numbers(b), Numbers(a * b));
        };
        const auto checkRow = [&](auto a) { (check(a, b), ...); };
        (checkRow(b), ...);
      },
      values);
}

}  // namespace
}  // namespace dynamic_type_tests
