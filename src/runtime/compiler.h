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

// The text of kernels with what they call of the device library, for people to read.
using WithLibrary = std::function<std::string(const std::string& code)>;

struct LlvmCompiler {
  // Compiles a textual LLVM module for the host and returns the addresses of `symbols`.
  std::function<LoadedCode(const std::string& module, const std::vector<std::string>& symbols)>
      compile;
  WithLibrary withLibrary;
};

void setLlvmCompiler(LlvmCompiler compiler);
const LlvmCompiler& llvmCompiler();

struct CudaCompiler {
  // Compiles CUDA C++ for devices of a compute capability (10 * major + minor), with what it calls
  // of the device library: a cubin, or PTX for devices that the compiler does not know yet.
  std::function<std::string(const std::string& source, int64_t computeCapability)> compile;
  WithLibrary withLibrary;
};

void setCudaCompiler(CudaCompiler compiler);
const CudaCompiler& cudaCompiler();

}  // namespace nvfuser
