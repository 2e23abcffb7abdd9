// Emitted CUDA C++: its functions, parameters, memory accesses and calls. That it compiles, and
// what it computes, is tested where NVRTC and a device are.

#include <regex>

#include "emit/cuda.h"
#include "lower/common.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;

class EmitCudaTest : public testing_support::KernelTest {
 protected:
  std::unique_ptr<kir::Kernel> lowerCuda() {
    return nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  }
  // Without the comments.
  static std::string codeOf(const kir::Kernel& kernel) {
    return std::regex_replace(emitCuda(kernel), std::regex("(^|\n)//[^\n]*"), "$1");
  }
  // The first group of every match, in order.
  static std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
    std::vector<std::string> found;
    const std::regex regex(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
         it != std::sregex_iterator(); ++it) {
      found.push_back((*it)[1]);
    }
    return found;
  }
};

TEST_F(EmitCudaTest, OneKernelAPhase) {
  TensorView* a = exp(tensor({6, 100}));
  output(sum(a, {0, 1}));
  const auto kernel = lowerCuda();
  std::vector<std::string> expected;
  for (size_t i = 0; i < kernel->phases.size(); ++i) {
    expected.push_back(phaseName(*kernel, i));
  }
  EXPECT_EQ(matches(codeOf(*kernel),
                    "extern \"C\" __global__ void (?:__launch_bounds__\\(\\d+\\) )?(\\w+)\\("),
            expected);
}

TEST_F(EmitCudaTest, TheDefinitionIsTheHeaderComment) {
  output(exp(tensor({6})));
  const std::string text = emitCuda(*lowerCuda());
  EXPECT_TRUE(text.starts_with("// "));
  EXPECT_TRUE(contains(text.substr(0, text.find("extern")), "exp"));
}

TEST_F(EmitCudaTest, ParametersAreSlotsInOrder) {
  TensorView* x = tensor({-1, -1}, DataType::ComplexFloat, false);
  Val* z = fusion_.create<Val>(DataType::ComplexDouble);
  Val* s = fusion_.create<Val>(DataType::Double);
  fusion_.addInput(z);
  fusion_.addInput(s);
  TensorView* scaled = ops::binary(BinaryOpType::Mul, x, z);
  output(ops::binary(BinaryOpType::Mul, scaled, s));
  inlineMost(&fusion_);
  const auto kernel = lowerCuda();
  std::vector<std::string> expected;
  for (const kir::Parameter& parameter : kernel->parameters) {
    if (parameter.kind == kir::Parameter::Kind::Pointer) {
      expected.push_back("nvf::complex_f32* __restrict__");
    } else if (isIntegralType(parameter.value->dtype())) {
      expected.push_back("long long");
    } else {
      expected.resize(expected.size() + static_cast<size_t>(slotsOf(parameter)), "double");
    }
  }
  const std::string code = codeOf(*kernel);
  const std::string signature = code.substr(0, code.find(") {"));
  EXPECT_EQ(matches(signature, "\n    (?:const )?(.*) \\w+"), expected);
  // The input, the complex number and the real one are there.
  EXPECT_EQ(std::ranges::count(expected, "double"), 3);
}

TEST_F(EmitCudaTest, OnlyWhatIsWrittenIsNotConst) {
  TensorView* x = tensor({6, 100});
  TensorView* y = output(exp(x));
  const auto pointers = matches(codeOf(*lowerCuda()), "\n    (\\w.* T\\d+)");
  EXPECT_EQ(pointers,
            (std::vector<std::string>{"const float* __restrict__ T" + std::to_string(x->name()),
                                      "float* __restrict__ T" + std::to_string(y->name())}));
}

TEST_F(EmitCudaTest, InPlaceOutputsShareThePointer) {
  TensorView* x = tensor({6, 100});
  fusion_.addOutput(exp(x), x);
  const std::string code = codeOf(*lowerCuda());
  const std::string name = "T" + std::to_string(x->name());
  EXPECT_EQ(matches(code, "\n    (\\w.*) T\\d+"),
            (std::vector<std::string>{"float* __restrict__"}));
  EXPECT_EQ(matches(code, "(" + name + "\\[\\w+\\] = nvf::exp_f32\\(" + name + "\\[)").size(), 1u);
}

TEST_F(EmitCudaTest, IndicesAreAsWideAsTheKernelSays) {
  TensorView* y = output(exp(tensor({-1, -1}, DataType::Float, false)));
  y->merge(0, 1);
  const auto kernel = lowerCuda();
  EXPECT_TRUE(contains(codeOf(*kernel), "for (long long "));
  kernel->hasWideIndex = false;
  const std::string code = codeOf(*kernel);
  EXPECT_TRUE(contains(code, "for (int "));
  EXPECT_FALSE(contains(code, "const long long i"));
  // Sizes and strides arrive in 64 bits and are narrowed once.
  const auto arguments = matches(code, "\n    long long (arg_\\w+)");
  EXPECT_FALSE(arguments.empty());
  for (const std::string& argument : arguments) {
    EXPECT_EQ(matches(code, "(= \\(int\\)" + argument + ";)").size(), 1u) << argument;
  }
}

TEST_F(EmitCudaTest, DivisionOfIndicesIsThatOfTheLibrary) {
  TensorView* y = output(exp(tensor({-1, -1}, DataType::Float, false)));
  y->merge(0, 1);
  const std::string code = codeOf(*lowerCuda());
  EXPECT_TRUE(contains(code, "nvf::quotient("));
  EXPECT_TRUE(contains(code, "nvf::modulo("));
  EXPECT_TRUE(matches(code, "(i\\d+ [/%])").empty());
}

TEST_F(EmitCudaTest, SizesOfPartsAreIndices) {
  TensorView* x = tensor({-1, -1}, DataType::Float, false);
  TensorView* y = output(ops::slice(x, constants({0, 3}), constants({20, 30})));
  y->merge(0, 1);
  EXPECT_TRUE(matches(codeOf(*lowerCuda()), "(nvf::(?:mod|div)_int)").empty());
}

TEST_F(EmitCudaTest, Float8IsRoundedWhereVectorsAreStored) {
  TensorView* local = ops::cast(exp(tensor({64})), DataType::Float8_e4m3fn);
  TensorView* y = output(ops::set(local));
  for (TensorView* tv : {local, y}) {
    tv->split(0, 4);
  }
  y->axis(1)->parallelize(ParallelType::Vectorize);
  EXPECT_EQ(matches(codeOf(*lowerCuda()), "nvf::(store_rounded<4>|to_float8_e4m3fn)"),
            std::vector<std::string>{"store_rounded<4>"});
}

TEST_F(EmitCudaTest, Float8ThatIsReadIsRoundedBefore) {
  TensorView* local = ops::cast(exp(tensor({64})), DataType::Float8_e4m3fn);
  TensorView* y = output(ops::set(local));
  for (TensorView* tv : {local, y, output(ops::cast(local, DataType::Float))}) {
    tv->split(0, 4);
  }
  y->axis(1)->parallelize(ParallelType::Vectorize);
  EXPECT_EQ(matches(codeOf(*lowerCuda()), "nvf::(store_rounded<4>|to_float8_e4m3fn)"),
            std::vector<std::string>{"to_float8_e4m3fn"});
}

}  // namespace
}  // namespace nvfuser
