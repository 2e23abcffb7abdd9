#include "runtime/compiler.h"

#include "core/error.h"

namespace nvfuser {

namespace {
LlvmCompiler& registered() {
  static LlvmCompiler compiler;
  return compiler;
}
}  // namespace

void setLlvmCompiler(LlvmCompiler compiler) { registered() = std::move(compiler); }

const LlvmCompiler& llvmCompiler() {
  NVF_CHECK(registered() != nullptr, "No compiler for CPU kernels is registered");
  return registered();
}

}  // namespace nvfuser
