#include "runtime/kernel_params.h"

#include "core/error.h"

namespace nvfuser {

std::string toString(const LaunchParams& params) {
  return concatenate("Launch Parameters: BlockDim.x = ", params.bdimx,
                     ", BlockDim.y = ", params.bdimy, ", BlockDim.z = ", params.bdimz,
                     ", GridDim.x = ", params.gdimx, ", GridDim.y = ", params.gdimy,
                     ", GridDim.z = ", params.gdimz, ", Smem Size = 0\n");
}

std::string toString(const CompileParams& params) {
  std::string paths;
  for (const std::string& path : params.includePaths) {
    paths += (paths.empty() ? "" : ", ") + path;
  }
  return concatenate(
      "Compile Parameters: index_type = ",
      params.indexType ? toString(*params.indexType) : "NotSet",
      ", maxrregcount = ", params.maxrregcount, ", enable_magic_zero = ", params.enableMagicZero,
      ", enable_ptxas_verbose = ", params.enablePtxasVerbose, ", include_paths = ", paths);
}

}  // namespace nvfuser
