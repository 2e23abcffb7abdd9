// Every option of the interface, and what it does here. An empty text: it is accepted without
// effect, because what it is about in nvFuser does not exist here or is always so.
#pragma once

// clang-format off

// X(name, effect): NVFUSER_ENABLE and `_enable_options`.
#define NVF_ENABLE_OPTIONS(X)                                                                     \
  X(cutlass_scheduler, "")                                                                        \
  X(fuse_matmul, "With matmul_expr_eval disabled, matrix products of Float and Double are an "    \
    "error: no kernel is generated for them.")                                                    \
  X(fuse_multiple_matmuls, "")                                                                    \
  X(id_model_extra_validation, "")                                                                \
  X(io_to_lower_precision, "")                                                                    \
  X(kernel_db, "")                                                                                \
  X(kernel_debug, "CUDA: kernels are compiled for a debugger, without optimization.")             \
  X(kernel_lineinfo, "CUDA: kernels have line numbers for profilers.")                            \
  X(kernel_profile, "")                                                                           \
  X(memory_promotion, "")                                                                         \
  X(reuse_zeroed_memory, "")                                                                      \
  X(static_fusion_count, "")                                                                      \
  X(wait_debugger, "")                                                                            \
  X(warn_register_spill, "CUDA: prints what the compiler says of kernels whose registers do not " \
    "suffice. Every kernel is compiled again.")                                                   \
  X(tma_pointwise, "")                                                                            \
  X(tma_inner_persistent, "")                                                                     \
  X(tma_reduction, "")                                                                            \
  X(ws_normalization, "")                                                                         \
  X(host_ir_lowering, "")                                                                         \
  X(host_ir_jit, "")                                                                              \
  X(insert_resharding_after, "")                                                                  \
  X(fast_math, "CUDA: approximate divisions, roots and functions, and subnormal numbers are 0.")  \
  X(p2p_protocol, "")                                                                             \
  X(p2p_transport, "")                                                                            \
  X(multicast_protocol, "")                                                                       \
  X(nvtx, "CUDA: a range of NVTX with the name of the kernel around every launch.")               \
  X(verify_kernels, "Kernel IR is checked before the passes over it and after each of them: "    \
    "what is wrong is an error that names kernel and pass. Debug builds always do.")

// X(name, effect): NVFUSER_DISABLE and `_disable_options`.
#define NVF_DISABLE_OPTIONS(X)                                                                    \
  X(compile_to_sass, "CUDA: kernels are compiled to PTX, which the driver translates.")           \
  X(contig_indexing, "")                                                                          \
  X(expr_simplify, "")                                                                            \
  X(fallback, "A segment that its scheduler cannot schedule is an error that says why. "          \
    "Otherwise it runs with every operation in a loop of its own.")                               \
  X(fma, "CUDA: products and sums are not contracted. On the CPU they never are.")                \
  X(greedy_scheduler, "")                                                                         \
  X(grouped_grid_welford_outer_opt, "")                                                           \
  X(index_hoist, "")                                                                              \
  X(magic_zero, "")                                                                               \
  X(matmul_expr_eval, "See fuse_matmul.")                                                         \
  X(nvrtc_caching, "Compiled kernels, also those of the CPU, are neither read from the cache on " \
    "disk nor written to it.")                                                                    \
  X(nvtx, "No such ranges, whatever NVFUSER_ENABLE says.")                                         \
  X(parallel_compile, "")                                                                         \
  X(predicate_elimination, "")                                                                    \
  X(python_inline_definitions, "")                                                                \
  X(kernel_reuse, "Inputs of other sizes or strides get kernels of their own, even where those "  \
    "that there are would do.")                                                                   \
  X(var_name_remapping, "")                                                                       \
  X(welford_vectorization, "")                                                                    \
  X(resize_scheduler, "slice, pad and cat are kernels of their own, not fused with others.")      \
  X(reuse_mismatched_type_registers, "")                                                          \
  X(multidevice, "")                                                                              \
  X(infer_contiguity, "Kernels take for contiguous only what is declared so, not what inputs "    \
    "turn out to be.")

// X(name, effect): NVFUSER_DUMP. All of it is printed to the standard output.
#define NVF_DUMP_OPTIONS(X)                                                                       \
  X(bank_conflict, "")                                                                            \
  X(buffer_reuse_verbose, "")                                                                     \
  X(ca_map, "")                                                                                   \
  X(cubin, "CUDA: writes the machine code of every kernel to a file, NAME.cubin.")                \
  X(cuda_full, "The code of every kernel, with what it calls of the device library.")             \
  X(cuda_kernel, "The code of every kernel: CUDA C++, or LLVM IR on the CPU.")                    \
  X(cuda_to_file, "Writes that code to a file, NAME.cu or NAME.ll.")                              \
  X(cutlass_compile, "")                                                                          \
  X(draw_segmented_fusion, "Writes the segments and the tensors between them to a file for "      \
    "Graphviz, segmented_fusion0.dot and so on.")                                                 \
  X(expr_simplify, "")                                                                            \
  X(expr_sort, "")                                                                                \
  X(expr_sort_verbose, "")                                                                        \
  X(ftrace, "")                                                                                   \
  X(fusion_args, "The inputs of every run.")                                                      \
  X(fusion_ir, "Every segment as it is scheduled, with the transforms of its tensors.")           \
  X(fusion_ir_concretized, "The fusion for a class of inputs: without symbolic structure.")       \
  X(fusion_ir_graph, "")                                                                          \
  X(fusion_ir_math, "Every segment as it is scheduled, without transforms.")                      \
  X(fusion_ir_original, "The fusion as it was defined.")                                          \
  X(fusion_ir_presched, "Every segment before it is scheduled.")                                  \
  X(fusion_ir_preseg, "The fusion before it is cut into segments.")                               \
  X(global_zeroed_memory, "")                                                                     \
  X(host_ir_lowering, "")                                                                         \
  X(host_ir, "")                                                                                  \
  X(host_ir_jit, "")                                                                              \
  X(index_type, "Whether a kernel computes indices in 32 or 64 bits.")                            \
  X(indexing_verbose, "")                                                                         \
  X(inlining, "")                                                                                 \
  X(kernel_args, "The arguments of every launch: addresses, strides, extents, scalars.")          \
  X(kernel_ir, "The kernel IR that the code of every kernel is written from.")                    \
  X(launch_param, "Grid, block and shared memory of every launch.")                               \
  X(lower_verbose, "")                                                                            \
  X(occupancy, "")                                                                                \
  X(parallel_dimensions, "The extents of blocks and threads of every kernel, as of the schedule.") \
  X(perf_debug_verbose, "")                                                                       \
  X(pre_segmenter_logging, "")                                                                    \
  X(predicate_elimination, "")                                                                    \
  X(ptx, "CUDA: the PTX of every kernel. Every kernel is compiled again.")                        \
  X(ptxas_verbose, "CUDA: what the assembler says of registers and memory. Every kernel is "      \
    "compiled again.")                                                                            \
  X(python_definition, "The Python definition of every fusion that is run.")                      \
  X(sass, "CUDA: the machine code of every kernel in text, by nvdisasm or cuobjdump where there " \
    "is one. Every kernel is compiled again.")                                                    \
  X(sass_to_file, "Writes that text to a file, NAME.sass.")                                       \
  X(segmented_fusion, "The segments: scheduler, inputs, outputs, operations.")                    \
  X(segmenter_logging, "")                                                                        \
  X(scheduler_params, "The parameters that the scheduler of every segment chose.")                \
  X(dynamic_shared_memory, "")                                                                    \
  X(scheduler_verbose, "")                                                                        \
  X(sync_map, "")                                                                                 \
  X(transform_propagator, "")                                                                     \
  X(communication, "")                                                                            \
  X(compile_params, "The CompileParams of every kernel of a manual schedule.")                    \
  X(kernel_ir_passes, "The kernel IR of every phase of a kernel, before the passes over it and "  \
    "after each of them.")

// X(name, text, effect): NVFUSER_PROF. Nothing uses CUPTI here.
#define NVF_PROFILE_OPTIONS(X)                                                                    \
  X(enable, "enable", "Every run is profiled, as within a PythonProfiler.")                       \
  X(enable_nocupti, "enable.nocupti", "The same.")                                                \
  X(print, "print", "In addition, a line for each kernel is printed after every run.")            \
  X(print_nocupti, "print.nocupti", "The same as print.")                                         \
  X(print_verbose, "print.verbose", "In addition, all of the profile is printed.")
// clang-format on
