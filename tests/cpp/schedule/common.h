// What the tests of schedules, lowering and emitted code share: defining a small fusion.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/ops.h"

namespace nvfuser::testing_support {

using Sizes = std::vector<int64_t>;

// -1 is a symbolic extent.
class FusionTest : public testing::Test {
 protected:
  TensorView* tensor(const Sizes& shape, DataType dtype = DataType::Float, bool contiguity = true) {
    TensorView* tv = ops::defineTensor(shape, contiguity, dtype);
    fusion_.addInput(tv);
    return tv;
  }
  TensorView* output(TensorView* tv) {
    fusion_.addOutput(tv);
    return tv;
  }
  std::vector<Val*> constants(const Sizes& values) {
    std::vector<Val*> vals;
    for (const int64_t value : values) {
      vals.push_back(scalar::constant(&fusion_, value));
    }
    return vals;
  }
  // Of constant extents.
  static Sizes contiguousStrides(const TensorView* tv) {
    Sizes strides;
    int64_t stride = 1;
    const auto visible = tv->visible();
    for (size_t i = visible.size(); i-- > 0;) {
      strides.insert(strides.begin(), stride);
      stride *= visible[i]->isBroadcast() ? 1 : visible[i]->extent()->constInt();
    }
    return strides;
  }

  static TensorView* add(TensorView* a, TensorView* b) {
    return ops::binary(BinaryOpType::Add, a, b);
  }
  static TensorView* exp(TensorView* x) { return ops::unary(UnaryOpType::Exp, x); }
  static TensorView* neg(TensorView* x) { return ops::unary(UnaryOpType::Neg, x); }
  static TensorView* sum(TensorView* x, const Sizes& dims, bool keepDim = false) {
    return ops::sum(x, dims, keepDim);
  }
  TensorView* layerNorm(TensorView* x, int64_t extent) {
    return ops::layerNorm(x, constants({extent}), nullptr, nullptr,
                          fusion_.create<Val>(DataType::Double, 1e-5));
  }

  // "i4 r8 b?": kind and extent of every loop; "?" for an extent that is not constant.
  static std::string loops(const TensorView* tv) {
    std::string text;
    for (const IterDomain* id : tv->loop()) {
      text += text.empty() ? "" : " ";
      text += id->isBroadcast() ? "b" : id->isReduction() ? "r" : "i";
      text += id->extent()->isConstInt() ? std::to_string(id->extent()->constInt()) : "?";
    }
    return text;
  }
  // The message of the Error that `call` raises, empty when it raises none.
  template <typename Call>
  static std::string errorOf(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

}  // namespace nvfuser::testing_support
