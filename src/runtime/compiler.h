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

// Compiles CUDA C++ for devices of a compute capability (10 * major + minor), with what it calls of
// the device library: a cubin, or PTX for devices that the compiler does not know yet.
using CudaCompiler =
    std::function<std::string(const std::string& source, int64_t computeCapability)>;

void setCudaCompiler(CudaCompiler compiler);
const CudaCompiler& cudaCompiler();

}  // namespace nvfuser
