#include "runtime/compiler.h"

#include "core/error.h"

namespace nvfuser {

namespace {

struct Compilers {
  LlvmCompiler llvm;
  CudaCompiler cuda;
};

Compilers& registered() {
  static Compilers compilers;
  return compilers;
}

}  // namespace

void setLlvmCompiler(LlvmCompiler compiler) { registered().llvm = std::move(compiler); }

const LlvmCompiler& llvmCompiler() {
  NVF_CHECK(registered().llvm.compile != nullptr, "No compiler for CPU kernels is registered");
  return registered().llvm;
}

void setCudaCompiler(CudaCompiler compiler) { registered().cuda = std::move(compiler); }

const CudaCompiler& cudaCompiler() {
  NVF_CHECK(registered().cuda.compile != nullptr, "No compiler for CUDA kernels is registered");
  return registered().cuda;
}

}  // namespace nvfuser
