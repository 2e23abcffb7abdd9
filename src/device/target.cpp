#include "device/target.h"

#include <utility>

namespace nvfuser {

Target gpuTarget(GpuProperties properties) {
  Target target;
  target.architecture = "sm_" + std::to_string(properties.computeCapability);
  target.capabilities = {.hasThreads = true,
                         .hasSharedMemory = true,
                         .hasVectorAccesses = true,
                         .prefersNarrowIndices = true,
                         .groupsKernels = true,
                         .overlapsKernels = properties.computeCapability >= 90};
  properties.clusterBlocks = properties.computeCapability >= 90 ? 2 * kPortableClusterBlocks : 1;
  target.gpu = std::move(properties);
  return target;
}

Target cpuTarget(CpuProperties properties) {
  Target target;
#ifdef __aarch64__
  target.architecture = "aarch64";
#else
  target.architecture = "x86-64";
#endif
  target.capabilities = {.reportsLookups = true,
                         .hasTransposedCopies = true,
                         .hasPrefetch = true,
                         .hasStreamingStores = true};
  target.cpu = properties;
  return target;
}

Overrides& targetOverrides() {
#define NVF_IS_NAMED(type, field, value, meaning) || name == #field
  static Overrides overrides("NVFUSER_TARGET", [](std::string_view name) {
    return false NVF_GPU_PROPERTIES(NVF_IS_NAMED) NVF_CPU_PROPERTIES(NVF_IS_NAMED)
        NVF_CAPABILITIES(NVF_IS_NAMED);
  });
#undef NVF_IS_NAMED
  return overrides;
}

Target withOverrides(Target target) {
  const Overrides& overrides = targetOverrides();
#define NVF_APPLY(type, field, value, meaning) overrides.apply(#field, NVF_OWNER.field);
#define NVF_OWNER target.gpu
  NVF_GPU_PROPERTIES(NVF_APPLY)
#undef NVF_OWNER
#define NVF_OWNER target.cpu
  NVF_CPU_PROPERTIES(NVF_APPLY)
#undef NVF_OWNER
#define NVF_OWNER target.capabilities
  NVF_CAPABILITIES(NVF_APPLY)
#undef NVF_OWNER
#undef NVF_APPLY
  return target;
}

}  // namespace nvfuser
