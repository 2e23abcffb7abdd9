// Structural identity of fusions: what counts and what does not.

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ir/clone.h"
#include "ir/structure.h"
#include "ops/ops.h"

namespace nvfuser {
namespace {

using BinaryOpType::Add, BinaryOpType::Mul;
using UnaryOpType::Exp, UnaryOpType::Sin;
using Definition = std::function<void(Fusion&)>;

std::unique_ptr<Fusion> define(const Definition& definition) {
  auto fusion = std::make_unique<Fusion>();
  FusionGuard guard(fusion.get());
  definition(*fusion);
  return fusion;
}

TensorView* input(Fusion& fusion, const std::vector<int64_t>& shape, bool contiguity = true,
                  DataType dtype = DataType::Float, const std::vector<int64_t>& order = {}) {
  TensorView* tv = ops::defineTensor(shape, contiguity, dtype, false, order);
  fusion.addInput(tv);
  return tv;
}

Val* constant(Fusion& fusion, PolymorphicValue value) {
  return fusion.create<Val>(scalarTypeOf(value), value);
}

void expectEqual(const Definition& a, const Definition& b) {
  const auto first = define(a);
  const auto second = define(b);
  EXPECT_EQ(structuralHash(*first), structuralHash(*second));
  EXPECT_TRUE(structurallyEqual(*first, *second));
}

void expectDifferent(const Definition& a, const Definition& b) {
  const auto first = define(a);
  const auto second = define(b);
  EXPECT_FALSE(structurallyEqual(*first, *second));
  EXPECT_NE(structuralHash(*first), structuralHash(*second));
}

void addExp(Fusion& f) {
  TensorView* x = input(f, {-1, 8});
  f.addOutput(ops::binary(Add, ops::unary(Exp, x), ops::unary(Sin, x)));
}

TEST(Structure, SameDefinitionTwice) { expectEqual(addExp, addExp); }

TEST(Structure, OrderOfIndependentOperationsAndDeadCodeDoNotCount) {
  expectEqual(addExp, [](Fusion& f) {
    TensorView* x = input(f, {-1, 8});
    TensorView* sin = ops::unary(Sin, x);
    ops::unary(UnaryOpType::Cos, x);
    f.addOutput(ops::binary(Add, ops::unary(Exp, x), sin));
  });
}

TEST(Structure, ClonesAreEqual) {
  const auto fusion = define([](Fusion& f) {
    TensorView* x = input(f, {-1, 8}, true, DataType::BFloat16);
    Val* scale = f.create<Val>(DataType::Double);
    f.addInput(scale);
    f.addOutput(ops::binary(Mul, ops::softmax(x, 1), scale));
  });
  const auto copy = cloneFusion(*fusion);
  EXPECT_EQ(structuralHash(*fusion), structuralHash(*copy));
  EXPECT_TRUE(structurallyEqual(*fusion, *copy));
}

TEST(Structure, WhatAnInputIsCounts) {
  const auto with = [](const std::vector<int64_t>& shape, bool contiguity, DataType dtype,
                       const std::vector<int64_t>& order) {
    return
        [=](Fusion& f) { f.addOutput(ops::unary(Exp, input(f, shape, contiguity, dtype, order))); };
  };
  const Definition base = with({-1, 8}, true, DataType::Float, {});
  expectEqual(base, with({-1, 8}, true, DataType::Float, {}));
  expectDifferent(base, with({-1, 8}, false, DataType::Float, {}));
  expectDifferent(base, with({-1, 8}, true, DataType::Double, {}));
  expectDifferent(base, with({-1, 8}, true, DataType::Float, {0, 1}));
  expectDifferent(base, with({-1, 9}, true, DataType::Float, {}));
  expectDifferent(base, with({-1, -1}, true, DataType::Float, {}));
  expectDifferent(base, with({-1, 1}, true, DataType::Float, {}));
  expectDifferent(base, with({-1, 8, 1}, true, DataType::Float, {}));
}

TEST(Structure, OperationsAndConstantsCount) {
  const auto plus = [](PolymorphicValue value) {
    return [value](Fusion& f) { f.addOutput(ops::binary(Add, input(f, {4}), constant(f, value))); };
  };
  expectEqual(plus(2.0), plus(2.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expectEqual(plus(nan), plus(nan));
  expectDifferent(plus(2.0), plus(3.0));
  expectDifferent(plus(0.0), plus(-0.0));
  expectDifferent(
      plus(2.0), [](Fusion& f) { f.addOutput(ops::binary(Mul, input(f, {4}), constant(f, 2.0))); });
}

TEST(Structure, ReducedDimensionsCount) {
  const auto sum = [](int64_t dim) {
    return [dim](Fusion& f) { f.addOutput(ops::sum(input(f, {4, 4}), std::vector<int64_t>{dim})); };
  };
  expectEqual(sum(0), sum(0));
  expectDifferent(sum(0), sum(1));
}

TEST(Structure, PermutationsAndStrideOrdersCount) {
  const auto permute = [](std::vector<int64_t> dims) {
    return [dims](Fusion& f) { f.addOutput(ops::permute(input(f, {4, 4, 4}), dims)); };
  };
  expectDifferent(permute({1, 2, 0}), permute({2, 0, 1}));
  const auto order = [](std::vector<int64_t> dims) {
    return [dims](Fusion& f) { f.addOutput(ops::strideOrder(input(f, {4, 4, 4}), dims)); };
  };
  expectDifferent(order({2, 1, 0}), order({0, 1, 2}));
}

TEST(Structure, EqualityOfSymbolicExtentsCounts) {
  const auto full = [](bool isSquare) {
    return [isSquare](Fusion& f) {
      Val* n = f.create<Val>(DataType::Int);
      Val* m = f.create<Val>(DataType::Int);
      f.addInput(n);
      f.addInput(m);
      f.addOutput(
          ops::full(std::vector<Val*>{n, isSquare ? n : m}, constant(f, 1.0), DataType::Float));
    };
  };
  expectEqual(full(true), full(true));
  expectDifferent(full(true), full(false));
}

TEST(Structure, OrderOfInputsAndOutputsAndAliasesCount) {
  const auto outputs = [](int variant) {
    return [variant](Fusion& f) {
      TensorView* x = input(f, {4});
      TensorView* y = input(f, {4});
      TensorView* sum = ops::binary(Add, x, variant == 1 ? x : y);
      if (variant == 2) {
        f.addOutput(sum, x);
      } else if (variant == 3) {
        f.addOutput(sum, y);
      } else {
        f.addOutput(sum);
      }
      if (variant == 4) {
        f.addOutput(sum);
      }
    };
  };
  expectEqual(outputs(0), outputs(0));
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) {
      expectDifferent(outputs(a), outputs(b));
    }
  }
}

TEST(Structure, UnusedInputsCount) {
  expectDifferent(addExp, [](Fusion& f) {
    addExp(f);
    input(f, {4});
  });
}

TEST(Structure, LongChains) {
  const auto chain = [](int length) {
    return [length](Fusion& f) {
      TensorView* x = input(f, {-1});
      for (int i = 0; i < length; ++i) {
        x = ops::unary(Sin, x);
      }
      f.addOutput(x);
    };
  };
  expectEqual(chain(20000), chain(20000));
  expectDifferent(chain(1000), chain(1001));
}

}  // namespace
}  // namespace nvfuser
