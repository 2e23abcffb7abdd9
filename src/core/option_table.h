// The options that have an effect, and which. Those that are accepted without one are in
// compat/options.h.
#pragma once

// clang-format off

// X(name, effect): NVFUSER_ENABLE and `_enable_options`.
#define NVF_ENABLE_OPTIONS(X)                                                                     \
  X(assume_sizes, "Kernels are compiled for the sizes of the first run. Those that change later "  \
    "are left open from then on. Otherwise all are that the definition leaves open.")             \
  X(cuda_graphs, "CUDA: several kernels of a run are launched as a whole, as a graph that has "   \
    "the addresses and scalars of the run put in place.")                                         \
  X(fuse_matmul, "With matmul_expr_eval disabled, matrix products of Float and Double are an "    \
    "error: no kernel is generated for them.")                                                    \
  X(kernel_debug, "CUDA: kernels are compiled for a debugger, without optimization.")             \
  X(kernel_lineinfo, "CUDA: kernels have line numbers for profilers.")                            \
  X(products_in_steps, "Several devices: every product whose operand is gathered or whose sums " \
    "are scattered is computed in steps beside that, whatever it gains. All processes must say "  \
    "the same.")                                                                                  \
  X(warn_register_spill, "CUDA: prints what the compiler says of kernels whose registers do not " \
    "suffice. Every kernel is compiled again.")                                                   \
  X(fast_math, "CUDA: approximate divisions, roots and functions, and subnormal numbers are 0.")  \
  X(nvtx, "CUDA: a range of NVTX with the name of the kernel around every launch.")               \
  X(verify_kernels, "Kernel IR is checked before the passes over it and after each of them: "    \
    "what is wrong is an error that names kernel and pass. Debug builds always do.")

// X(name, effect): NVFUSER_DISABLE and `_disable_options`.
#define NVF_DISABLE_OPTIONS(X)                                                                    \
  X(compile_to_sass, "CUDA: kernels are compiled to PTX, which the driver translates.")           \
  X(exchange_in_kernels, "CUDA, several devices: small sums over devices are collectives of their " \
    "own, as large ones are, in place of parts of kernels that read them from the peers. All "      \
    "processes must say the same.")                                                               \
  X(fallback, "A segment that its scheduler cannot schedule is an error that says why. "          \
    "Otherwise it runs with every operation in a loop of its own.")                               \
  X(fma, "CUDA: products and sums are not contracted. On the CPU they never are.")                \
  X(matmul_expr_eval, "See fuse_matmul.")                                                         \
  X(nvrtc_caching, "Compiled kernels, also those of the CPU, are neither read from the cache on " \
    "disk nor written to it.")                                                                    \
  X(nvtx, "No such ranges, whatever NVFUSER_ENABLE says.")                                         \
  X(kernel_reuse, "Inputs of other sizes or strides get kernels of their own, even where those "  \
    "that there are would do.")                                                                   \
  X(products_in_steps, "Several devices: no product is computed in steps beside its "            \
    "communication but where the definition says so. All processes must say the same.")           \
  X(resize_scheduler, "slice, pad and cat are kernels of their own, not fused with others.")      \
  X(infer_contiguity, "Kernels take for contiguous only what is declared so, not what inputs "    \
    "turn out to be.")                                                                            \
  X(torch_internals, "Tensors are read by DLPack and made by torch.empty_strided(), and nothing " \
    "that torch does not promise to keep is looked up in its libraries. Only in the environment.")

// X(name, effect): NVFUSER_DUMP. All of it is printed to the standard output.
#define NVF_DUMP_OPTIONS(X)                                                                       \
  X(cubin, "CUDA: writes the machine code of every kernel to a file, NAME.cubin.")                \
  X(cuda_full, "The code of every kernel, with what it calls of the device library.")             \
  X(cuda_kernel, "The code of every kernel: CUDA C++, or LLVM IR on the CPU.")                    \
  X(cuda_to_file, "Writes that code to a file, NAME.cu or NAME.ll.")                              \
  X(communication, "How tensors move between the devices of a mesh.")                              \
  X(draw_segmented_fusion, "Writes the segments and the tensors between them to a file for "      \
    "Graphviz, segmented_fusion0.dot and so on.")                                                 \
  X(fusion_args, "The inputs of every run.")                                                      \
  X(fusion_ir, "Every segment as it is scheduled, with the transforms of its tensors.")           \
  X(fusion_ir_concretized, "The fusion for a class of inputs: without symbolic structure.")       \
  X(fusion_ir_math, "Every segment as it is scheduled, without transforms.")                      \
  X(fusion_ir_original, "The fusion as it was defined.")                                          \
  X(fusion_ir_presched, "Every segment before it is scheduled.")                                  \
  X(fusion_ir_preseg, "The fusion before it is cut into segments.")                               \
  X(index_type, "Whether a kernel computes indices in 32 or 64 bits.")                            \
  X(kernel_args, "The arguments of every launch: addresses, strides, extents, scalars.")          \
  X(kernel_ir, "The kernel IR that the code of every kernel is written from.")                    \
  X(launch_param, "Grid, block and shared memory of every launch.")                               \
  X(parallel_dimensions, "The extents of blocks and threads of every kernel, as of the schedule.") \
  X(ptx, "CUDA: the PTX of every kernel. Every kernel is compiled again.")                        \
  X(ptxas_verbose, "CUDA: what the assembler says of registers and memory. Every kernel is "      \
    "compiled again.")                                                                            \
  X(python_definition, "The Python definition of every fusion that is run.")                      \
  X(sass, "CUDA: the machine code of every kernel in text, by nvdisasm or cuobjdump where there " \
    "is one. Every kernel is compiled again.")                                                    \
  X(sass_to_file, "Writes that text to a file, NAME.sass.")                                       \
  X(segmented_fusion, "The segments: scheduler, inputs, outputs, operations.")                    \
  X(scheduler_params, "The parameters that the scheduler of every segment chose.")                \
  X(compile_params, "The CompileParams of every kernel of a manual schedule.")                    \
  X(kernel_ir_passes, "The kernel IR of every phase of a kernel, before the passes over it and "  \
    "after each of them.")

// X(name, effect): NVFUSER_DEBUG, for graphs that torch.compile captured.
#define NVF_DEBUG_OPTIONS(X)                                                                      \
  X(check, "Every call of a compiled graph of torch is compared with what torch computes node by " \
    "node. A difference is an error that names the first node that differs.")                     \
  X(strict, "A graph of torch, or an operation in it, that cannot be part of a fusion is an "     \
    "error. Otherwise torch runs it.")

// X(name, text, effect): NVFUSER_PROF. Nothing uses CUPTI here.
#define NVF_PROFILE_OPTIONS(X)                                                                    \
  X(enable, "enable", "Every run is profiled, as within a PythonProfiler.")                       \
  X(enable_nocupti, "enable.nocupti", "The same.")                                                \
  X(print, "print", "In addition, a line for each kernel is printed after every run.")            \
  X(print_nocupti, "print.nocupti", "The same as print.")                                         \
  X(print_verbose, "print.verbose", "In addition, all of the profile is printed.")
// clang-format on
