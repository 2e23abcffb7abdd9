// Fusions as Python definitions: every kind of operation has a form, schedules have none.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>

#include "core/error.h"
#include "ops/ops.h"
#include "translate/definition.h"

namespace nvfuser {
namespace {

TensorView* input(Fusion& fusion, const std::vector<int64_t>& shape,
                  DataType dtype = DataType::Float) {
  TensorView* tv = ops::defineTensor(shape, true, dtype);
  fusion.addInput(tv);
  return tv;
}

std::string translate(const Fusion& fusion) { return pythonFunction(definitionCalls(fusion)); }

constexpr const char* kBegin = "def nvfuser_fusion(fd : FusionDefinition) -> None :\n";

TEST(Translate, EveryKindOfOperationHasARow) {
  // Iteration domains belong to tensors; what transforms them is part of an operation or a
  // schedule.
  const std::vector<ExprKind> transforms{ExprKind::Split,       ExprKind::Merge,   ExprKind::Resize,
                                         ExprKind::BroadcastTo, ExprKind::Swizzle, ExprKind::Align};
  for (const ExprKind kind : kExprKinds) {
    const bool isTransform = std::ranges::find(transforms, kind) != transforms.end();
    EXPECT_EQ(isTranslatable(kind), !isTransform)
        << nameOf(kind) << " needs a row in src/translate/operations.cpp";
  }
}

TEST(Translate, WithoutARowTheErrorNamesTheOperation) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {4, 6});
  // No operation: a transform that claims to make a tensor.
  TensorView* out = ops::defineTensor(std::vector<int64_t>{24}, true);
  fusion.create<Expr>(ExprKind::Merge, std::vector<Val*>{out}, std::vector<Val*>{x});
  fusion.addOutput(out);
  try {
    definitionCalls(fusion);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the operation Merge"), std::string::npos);
  }
}

TEST(Translate, AnEmptyFusion) {
  EXPECT_EQ(translate(Fusion()), std::string(kBegin) + "    pass\n");
}

TEST(Translate, NumbersAreExact) {
  const double third = 1.0 / 3.0;
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<PolymorphicValue, std::string>> cases{
      {3.0, "3.00000"},
      {third, "0.3333333333333333"},
      {1e-5, "1.00000e-05"},
      {1234567.0, "1234567.0"},
      {1e300, "1.00000e+300"},
      {-0.0, "-0.00000"},
      {infinity, "float(\"inf\")"},
      {-infinity, "float(\"-inf\")"},
      {nan, "float(\"nan\")"},
      {-nan, "-float(\"nan\")"},
      {true, "True"},
      {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
      {std::complex<double>(1.0, 0.5), "1.00000+0.500000j"},
      {std::complex<double>(-1.0, -0.5), "-1.00000-0.500000j"},
      {std::complex<double>(-0.0, 1.0), "complex(-0.00000, 1.00000)"},
      {std::complex<double>(1.0, -0.0), "complex(1.00000, -0.00000)"},
      {std::complex<double>(infinity, 1.0), "complex(float(\"inf\"), 1.00000)"},
  };
  for (const auto& [value, text] : cases) {
    Fusion fusion;
    FusionGuard guard(&fusion);
    Val* constant = fusion.create<Val>(scalarTypeOf(value), value);
    ops::where(ops::unary(UnaryOpType::IsFinite, input(fusion, {4})), constant, constant);
    EXPECT_NE(translate(fusion).find(", " + text + ", " + text + ")"), std::string::npos)
        << text << " in\n"
        << translate(fusion);
  }
}

TEST(Translate, OperationsThatNoOutputNeedsAreLeftOut) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {-1});
  TensorView* sine = ops::unary(UnaryOpType::Sin, x);
  ops::unary(UnaryOpType::Cos, x);
  // All of them, as long as nothing is said about outputs.
  EXPECT_NE(translate(fusion).find("fd.ops.cos"), std::string::npos);
  fusion.addOutput(sine);
  EXPECT_EQ(translate(fusion),
            std::string(kBegin) +
                "    tv0 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, "
                "is_cpu=False)\n"
                "    tv1 = fd.ops.sin(tv0)\n"
                "    fd.add_output(tv1)\n");
}

TEST(Translate, TheArithmeticOfSizesIsWrittenOnce) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {-1, -1});
  Val* elements = ops::binary(BinaryOpType::Mul, ops::size(x, 0), ops::size(x, 1));
  fusion.addOutput(ops::reshape(x, std::vector<Val*>{elements}));
  fusion.addOutput(ops::full(std::vector<Val*>{elements}, elements, DataType::Index));
  EXPECT_EQ(translate(fusion),
            std::string(kBegin) +
                "    tv0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], "
                "dtype=DataType.Float, is_cpu=False)\n"
                "    c0 = fd.ops.size(tv0, dim=0)\n"
                "    c2 = fd.ops.size(tv0, dim=1)\n"
                "    c3 = fd.ops.mul(c0, c2)\n"
                "    tv1 = fd.ops.reshape(tv0, new_shape=[c3])\n"
                "    tv2 = fd.ops.full(shape=[c3], fill_value=c3, dtype=DataType.Index)\n"
                "    fd.add_output(tv1)\n"
                "    fd.add_output(tv2)\n");
}

TEST(Translate, SchedulesAreLeftOut) {
  const auto define = [](bool isScheduled) {
    auto fusion = std::make_unique<Fusion>();
    FusionGuard guard(fusion.get());
    TensorView* x = input(*fusion, {-1, -1});
    TensorView* sum = ops::sum(x, std::vector<int64_t>{1});
    fusion->addOutput(sum);
    if (isScheduled) {
      sum->split(1, 32)->split(1, 4);
      sum->rFactor({1});
      sum->rFactor({1});
      sum->axis(0)->parallelize(ParallelType::GridX);
    }
    return fusion;
  };
  const std::string text = translate(*define(true));
  EXPECT_NE(text.find("= fd.ops.sum(tv0, dims=[1], dtype=DataType.Float)"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(translate(*define(false)), '\n'));
}

TEST(Translate, CopiesOfAScheduleAreCopies) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {-1});
  TensorView* sine = ops::unary(UnaryOpType::Sin, x);
  fusion.addOutput(sine);
  x->cacheAfter(LoadStoreOpType::Set, CacheOp::Streaming);
  sine->cacheBefore();
  EXPECT_EQ(translate(fusion),
            std::string(kBegin) +
                "    tv0 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, "
                "is_cpu=False)\n"
                "    tv2 = fd.ops.cast(tv0, dtype=DataType.Float)\n"
                "    tv3 = fd.ops.sin(tv2)\n"
                "    tv1 = fd.ops.cast(tv3, dtype=DataType.Float)\n"
                "    fd.add_output(tv1)\n");
}

TEST(Translate, ValuesOutOfNowhereAreErrors) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {4});
  TensorView* unregistered = ops::defineTensor(std::vector<int64_t>{4}, true);
  fusion.addOutput(ops::binary(BinaryOpType::Add, x, unregistered));
  EXPECT_THROW(definitionCalls(fusion), Error);

  Fusion second;
  FusionGuard secondGuard(&second);
  second.addOutput(
      ops::binary(BinaryOpType::Add, input(second, {4}), ops::defineScalar(DataType::Double)));
  EXPECT_THROW(definitionCalls(second), Error);
}

TEST(Translate, LongChains) {
  Fusion fusion;
  FusionGuard guard(&fusion);
  TensorView* x = input(fusion, {-1});
  Val* size = ops::size(x, 0);
  for (int i = 0; i < 20000; ++i) {
    x = ops::unary(UnaryOpType::Sin, x);
    size = ops::binary(BinaryOpType::Add, size, ops::size(x, 0));
  }
  fusion.addOutput(ops::binary(BinaryOpType::Mul, x, size));
  // One for the input, its size, the size as a real number, the product and the output.
  EXPECT_EQ(definitionCalls(fusion).size(), 2 * 20000 + 5);
}

}  // namespace
}  // namespace nvfuser
