// Emitted LLVM IR: its functions, argument slots, memory accesses and calls. What the code computes
// is tested where it is compiled and run.

#include <regex>
#include <set>
#include <sstream>

#include "emit/llvm.h"
#include "lower/common.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;

class EmitTest : public testing_support::KernelTest {
 protected:
  static std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
    return lines;
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
  // Without the comments.
  static std::string codeOf(const kir::Kernel& kernel) {
    std::string code;
    for (const std::string& line : linesOf(emitLlvm(kernel))) {
      if (!line.starts_with(";")) {
        code += line + "\n";
      }
    }
    return code;
  }
  std::string pointwise() { return codeOf(*scheduleAndLower(SchedulerType::Pointwise)); }

  // Every name and every metadata node is defined exactly once and only defined ones are used.
  static void expectConsistentNames(const std::string& code) {
    std::set<std::string> defined;
    std::set<std::string> used;
    const auto check = [&] {
      for (const std::string& name : used) {
        EXPECT_TRUE(defined.contains(name)) << name << " in\n" << code;
      }
      defined.clear();
      used.clear();
    };
    for (const std::string& line : linesOf(code)) {
      if (line.starts_with("!")) {
        continue;
      }
      if (line.starts_with("define")) {
        check();
        defined = {"arguments", "begin", "end", "scratch"};
        continue;
      }
      for (const std::string& name : matches(line, "^  %([\\w.]+) =")) {
        if (!name.empty()) {
          EXPECT_TRUE(defined.insert(name).second) << name << " in\n" << code;
        }
      }
      for (const std::string& name : matches(line, "^([\\w.]+):$")) {
        EXPECT_TRUE(defined.insert(name).second) << name << " in\n" << code;
      }
      for (const std::string& name : matches(line, "%([\\w.]+)")) {
        used.insert(name);
      }
    }
    check();
    std::set<std::string> nodes;
    for (const std::string& line : linesOf(code)) {
      for (const std::string& node : matches(line, "^!(\\d+) =")) {
        EXPECT_TRUE(nodes.insert(node).second) << node;
      }
    }
    for (const std::string& node : matches(code, "!(\\d+)")) {
      EXPECT_TRUE(nodes.contains(node)) << node << " in\n" << code;
    }
  }
};

TEST_F(EmitTest, OneFunctionAPhase) {
  TensorView* a = exp(tensor({6, 100}));
  output(neg(a));
  const auto kernel = lower();
  ASSERT_EQ(kernel->phases.size(), 2u);
  EXPECT_EQ(phaseName(*kernel, 0), "kernel_phase0");
  EXPECT_EQ(phaseName(*kernel, 1), "kernel_phase1");
  EXPECT_EQ(matches(codeOf(*kernel), "define void @(\\w+)\\("),
            (std::vector<std::string>{phaseName(*kernel, 0), phaseName(*kernel, 1)}));
}

TEST_F(EmitTest, TheDefinitionIsTheHeaderComment) {
  output(exp(tensor({6})));
  const std::string text = emitLlvm(*lower());
  EXPECT_TRUE(text.starts_with("; "));
  EXPECT_TRUE(contains(text.substr(0, text.find("define")), "exp"));
}

TEST_F(EmitTest, SlotsFollowTheParameters) {
  TensorView* x = tensor({-1, -1}, DataType::ComplexFloat, false);
  Val* z = fusion_.create<Val>(DataType::ComplexDouble);
  Val* s = fusion_.create<Val>(DataType::Double);
  fusion_.addInput(z);
  fusion_.addInput(s);
  TensorView* scaled = ops::binary(BinaryOpType::Mul, x, z);
  output(ops::binary(BinaryOpType::Mul, scaled, s));
  const auto kernel = lower();
  std::vector<std::string> expected;
  int64_t slot = 0;
  bool hasComplex = false;
  for (const kir::Parameter& parameter : kernel->parameters) {
    EXPECT_EQ(slotsOf(parameter), parameter.value == z ? 2 : 1);
    hasComplex = hasComplex || parameter.value == z;
    expected.push_back(std::to_string(slot));
    slot += slotsOf(parameter);
  }
  EXPECT_TRUE(hasComplex);
  const std::string code = codeOf(*kernel);
  const std::string first = code.substr(0, code.find("ret void"));
  EXPECT_EQ(matches(first, "getelementptr inbounds i64, ptr %arguments, i64 (\\d+)"), expected);
}

TEST_F(EmitTest, TheParallelLoopRunsOverThePartThatIsGiven) {
  output(exp(tensor({6, 100})));
  const std::string code = pointwise();
  EXPECT_EQ(matches(code, "phi i64 \\[ (%begin),").size(), 1u);
  EXPECT_EQ(matches(code, "icmp slt i64 [^,]+, (%end)").size(), 1u);
}

TEST_F(EmitTest, MemoryAccessesSayWhatTheyDoNotAlias) {
  TensorView* x = tensor({6, 100});
  output(add(exp(x), tensor({6, 100})));
  const std::string code = pointwise();
  const auto scopes = matches(code, "!alias\\.scope !(\\d+), !noalias !\\d+\n");
  // Three tensors in memory, each with its own scope.
  EXPECT_EQ(std::set<std::string>(scopes.begin(), scopes.end()).size(), 3u);
  size_t accesses = 0;
  for (const std::string& line : linesOf(code)) {
    const bool isAccess = (contains(line, "load float") || contains(line, "store float"));
    accesses += isAccess;
    EXPECT_TRUE(!isAccess || contains(line, "!noalias !")) << line;
  }
  EXPECT_GE(accesses, 3u);
}

TEST_F(EmitTest, InPlaceOutputsShareThePointerAndTheScope) {
  TensorView* x = tensor({6, 100});
  fusion_.addOutput(exp(x), x);
  const auto kernel = lower();
  const std::string code = codeOf(*kernel);
  const auto pointers = matches(code, "(%T\\d+) = load ptr");
  ASSERT_EQ(pointers.size(), 1u);
  EXPECT_EQ(pointers[0], "%T" + std::to_string(x->name()));
  // The line that both run along.
  EXPECT_EQ(matches(code, "getelementptr inbounds float, ptr (%T\\d+),"), pointers);
  const auto lines = matches(code, "getelementptr inbounds float, ptr (%line\\.\\d+),");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], lines[1]);
  const auto loads = matches(code, "load float, ptr [^\n]*!alias\\.scope !(\\d+)");
  const auto stores = matches(code, "store float [^\n]*!alias\\.scope !(\\d+)");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads, stores);
}

// Otherwise LLVM analyses at length how the addresses of one loop differ.
TEST_F(EmitTest, LoopsOverSlicesBeginAtAddressesOfTheirOwn) {
  TensorView* x = tensor({-1, -1});
  TensorView* total = nullptr;
  for (int64_t i = 0; i < 3; ++i) {
    TensorView* part = exp(ops::slice(x, constants({0, i}), constants({4, i + 8})));
    part = ops::pad(part, constants({0, 0, i, 3 - i}));
    total = total == nullptr ? part : add(total, part);
  }
  output(total);
  const std::string code = pointwise();
  size_t reads = 0;
  for (const std::string& at : matches(code, "load float, ptr (%at\\.\\d+), !alias\\.scope")) {
    ++reads;
    EXPECT_TRUE(std::regex_search(
        code, std::regex(at + " = getelementptr (inbounds )?float, ptr %line\\.\\d+, i64 %i\\.")))
        << at << " in\n"
        << code;
  }
  EXPECT_GE(reads, 3u);
}

TEST_F(EmitTest, FunctionsAndConversionsAreCallsOfTheLibrary) {
  output(ops::cast(exp(tensor({6}, DataType::Half)), DataType::BFloat16));
  output(ops::cast(tensor({6}), DataType::Int));
  output(ops::cast(tensor({6}, DataType::Double), DataType::Int32));
  output(ops::cast(tensor({6}, DataType::Float8_e4m3fn), DataType::Double));
  const auto calls = matches(codeOf(*lower()), "call \\w+ @nvf\\.([\\w.]+)\\(");
  const std::multiset<std::string> names(calls.begin(), calls.end());
  // The exponential is rounded to 16 bits.
  for (const char* name : {"from_half.f32", "exp_narrow.f32", "to_bfloat16.f32", "to_i64.f32",
                           "to_i32.f64", "from_float8_e4m3fn.f32"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

TEST_F(EmitTest, OnlyResultsThatAreRoundedHaveCheaperFunctions) {
  TensorView* x = exp(tensor({6}, DataType::BFloat16));
  output(ops::cast(x, DataType::BFloat16));
  output(exp(x));
  const auto calls = matches(codeOf(*lower()), "call \\w+ @nvf\\.(exp[\\w.]*)\\(");
  EXPECT_EQ(calls, (std::vector<std::string>{"exp.f32", "exp.f32"}));
}

TEST_F(EmitTest, ConversionsThatLlvmHasAreInstructions) {
  output(ops::cast(tensor({6}), DataType::Double));
  output(ops::cast(tensor({6}, DataType::Double), DataType::Float));
  output(ops::cast(tensor({6}, DataType::Int32), DataType::Int));
  output(ops::cast(tensor({6}, DataType::Int), DataType::Float));
  output(ops::cast(tensor({6}), DataType::Bool));
  const std::string code = codeOf(*lower());
  for (const char* text :
       {"fpext float", "fptrunc double", "sext i32", "sitofp i64", "fcmp une float"}) {
    EXPECT_TRUE(contains(code, text)) << text;
  }
  EXPECT_FALSE(contains(code, "@nvf."));
}

TEST_F(EmitTest, SumsMayBeReordered) {
  TensorView* x = tensor({6, 100});
  output(sum(x, {1}));
  output(ops::reduce(ops::ReductionKind::Max, x, Sizes{1}));
  const std::string code = codeOf(*scheduleAndLower(SchedulerType::Reduction));
  EXPECT_EQ(matches(code, "(fadd reassoc float)").size(), 1u);
  EXPECT_EQ(matches(code, "(@llvm\\.maximum\\.f32)").size(), 1u);
}

TEST_F(EmitTest, LoopsThatEvaluateFunctionsAreInterleaved) {
  output(exp(tensor({6, 100})));
  EXPECT_EQ(matches(pointwise(), "br label [^\n]*(!llvm\\.loop)").size(), 1u);
}

TEST_F(EmitTest, PlainLoopsAreNotInterleaved) {
  output(neg(tensor({6, 100})));
  EXPECT_EQ(matches(pointwise(), "br label [^\n]*(!llvm\\.loop)").size(), 0u);
}

TEST_F(EmitTest, TheNextPageOfWhatIsStreamedIsRequestedOncePerPage) {
  output(ops::unary(UnaryOpType::Neg, tensor({7000})));
  CpuPointwiseParams params;
  params.stream = {64, 4096};
  const std::string code = codeOf(*scheduleAndLower(params));
  expectConsistentNames(code);
  // A group of 64 elements has 256 bytes.
  const std::vector<std::string> requests =
      matches(code, R"(%place\.\d+ = and i64 %number\.\d+, 4095\n)"
                    R"(  %begins\.\d+ = icmp ult i64 %place\.\d+, 256\n)"
                    R"(  br i1 %begins\.\d+, label %(request[.\d]*), label %done[.\d]*\n)"
                    R"(request[.\d]*:\n  %next\.\d+ = getelementptr i8, ptr %at\.\d+, i64 4096\n)"
                    R"(  call void @llvm.prefetch.p0\(ptr %next)");
  EXPECT_EQ(requests.size(), 1u) << code;
}

TEST_F(EmitTest, DivisorsOfIndicesAreNeverZero) {
  TensorView* y = output(exp(tensor({-1, -1}, DataType::Float, false)));
  y->merge(0, 1);
  const std::string code = codeOf(*lower());
  const auto divisors = matches(code, "(?:udiv|urem) i64 [^,]+, (%[\\w.]+)");
  ASSERT_FALSE(divisors.empty());
  const auto guarded = matches(code, "(%[\\w.]+) = call i64 @llvm\\.umax\\.i64\\([^)]*, i64 1\\)");
  for (const std::string& divisor : divisors) {
    EXPECT_NE(std::ranges::find(guarded, divisor), guarded.end()) << divisor;
  }
}

TEST_F(EmitTest, NamesAreConsistent) {
  TensorView* x = tensor({-1, 100});
  TensorView* half = tensor({-1, 100}, DataType::Half, false);
  output(layerNorm(add(x, ops::cast(half, DataType::Float)), 100));
  expectConsistentNames(codeOf(*scheduleAndLower(SchedulerType::InnerPersistent)));
}

TEST_F(EmitTest, NamesAreConsistentWithBranches) {
  TensorView* y = output(exp(ops::pad(tensor({-1, -1}), constants({1, 2, 3, 0}))));
  y->merge(0, 1)->split(0, 8)->reorder({{0, 1}});
  propagateTransforms(y);
  inlineMost(&fusion_);
  expectConsistentNames(codeOf(*lower()));
}

TEST_F(EmitTest, NamesAreConsistentInSeveralPhases) {
  output(exp(sum(exp(tensor({-1, -1})), {1})));
  CpuReductionParams params;
  params.part = 16;
  expectConsistentNames(codeOf(*scheduleAndLower(params)));
}

}  // namespace
}  // namespace nvfuser
