// Options of nvFuser that are accepted without effect, because what they are about does not exist
// here or is always so. X(name)
#pragma once

// clang-format off
// NVFUSER_ENABLE.
#define NVF_ENABLE_OPTIONS_WITHOUT_EFFECT(X)                                                     \
  X(cutlass_scheduler) X(fuse_multiple_matmuls) X(id_model_extra_validation)                     \
  X(io_to_lower_precision) X(kernel_db) X(kernel_profile) X(memory_promotion)                    \
  X(reuse_zeroed_memory) X(static_fusion_count) X(wait_debugger) X(tma_pointwise)                \
  X(tma_inner_persistent) X(tma_reduction) X(ws_normalization) X(host_ir_lowering)               \
  X(host_ir_jit) X(insert_resharding_after) X(p2p_protocol) X(p2p_transport)                     \
  X(multicast_protocol)

// NVFUSER_DISABLE.
#define NVF_DISABLE_OPTIONS_WITHOUT_EFFECT(X)                                                    \
  X(contig_indexing) X(expr_simplify) X(greedy_scheduler) X(grouped_grid_welford_outer_opt)      \
  X(index_hoist) X(magic_zero) X(parallel_compile) X(predicate_elimination)                      \
  X(python_inline_definitions) X(var_name_remapping) X(welford_vectorization)                    \
  X(reuse_mismatched_type_registers) X(multidevice)

// NVFUSER_DUMP.
#define NVF_DUMP_OPTIONS_WITHOUT_EFFECT(X)                                                       \
  X(bank_conflict) X(buffer_reuse_verbose) X(ca_map) X(cutlass_compile) X(expr_simplify)         \
  X(expr_sort) X(expr_sort_verbose) X(ftrace) X(fusion_ir_graph) X(global_zeroed_memory)         \
  X(host_ir_lowering) X(host_ir) X(host_ir_jit) X(indexing_verbose) X(inlining)                  \
  X(lower_verbose) X(occupancy) X(perf_debug_verbose) X(pre_segmenter_logging)                   \
  X(predicate_elimination) X(segmenter_logging) X(dynamic_shared_memory) X(scheduler_verbose)    \
  X(sync_map) X(transform_propagator)
// clang-format on
