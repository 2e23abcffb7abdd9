#include "runtime/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"

namespace nvfuser {

namespace {

constexpr std::array<std::string_view, 25> kEnable{"cutlass_scheduler",
                                                   "fuse_matmul",
                                                   "fuse_multiple_matmuls",
                                                   "id_model_extra_validation",
                                                   "io_to_lower_precision",
                                                   "kernel_db",
                                                   "kernel_debug",
                                                   "kernel_lineinfo",
                                                   "kernel_profile",
                                                   "memory_promotion",
                                                   "reuse_zeroed_memory",
                                                   "static_fusion_count",
                                                   "wait_debugger",
                                                   "warn_register_spill",
                                                   "tma_pointwise",
                                                   "tma_inner_persistent",
                                                   "tma_reduction",
                                                   "ws_normalization",
                                                   "host_ir_lowering",
                                                   "host_ir_jit",
                                                   "insert_resharding_after",
                                                   "fast_math",
                                                   "p2p_protocol",
                                                   "p2p_transport",
                                                   "multicast_protocol"};

constexpr std::array<std::string_view, 22> kDisable{"compile_to_sass",
                                                    "contig_indexing",
                                                    "expr_simplify",
                                                    "fallback",
                                                    "fma",
                                                    "greedy_scheduler",
                                                    "grouped_grid_welford_outer_opt",
                                                    "index_hoist",
                                                    "magic_zero",
                                                    "matmul_expr_eval",
                                                    "nvrtc_caching",
                                                    "nvtx",
                                                    "parallel_compile",
                                                    "predicate_elimination",
                                                    "python_inline_definitions",
                                                    "kernel_reuse",
                                                    "var_name_remapping",
                                                    "welford_vectorization",
                                                    "resize_scheduler",
                                                    "reuse_mismatched_type_registers",
                                                    "multidevice",
                                                    "infer_contiguity"};

template <typename Table>
void check(const std::vector<std::string>& names, const Table& known, const char* what) {
  for (const std::string& name : names) {
    NVF_CHECK(std::ranges::find(known, std::string_view(name)) != known.end(), "Unrecognized ",
              what, ": ", name);
  }
}

}  // namespace

void checkEnableOptions(const std::vector<std::string>& names) {
  check(names, kEnable, "enable_option");
}

void checkDisableOptions(const std::vector<std::string>& names) {
  check(names, kDisable, "disable_option");
}

}  // namespace nvfuser
