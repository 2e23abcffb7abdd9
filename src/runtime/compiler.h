// How the core gets machine code: the embedding language brings the compilers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nvfuser {

// Loaded code; the addresses are valid as long as `owner` lives.
struct LoadedCode {
  std::shared_ptr<void> owner;
  std::vector<void*> addresses;
};

// Compiles a textual LLVM module for the host and returns the addresses of `symbols`.
using LlvmCompiler =
    std::function<LoadedCode(const std::string& module, const std::vector<std::string>& symbols)>;

void setLlvmCompiler(LlvmCompiler compiler);
const LlvmCompiler& llvmCompiler();

}  // namespace nvfuser
