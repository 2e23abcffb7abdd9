"""The interface of nvFuser's direct bindings: names, parameters and defaults, as tables.

Parameters are written as in a ``def``, without types; ``/`` ends those without a name. ``...``
stands for a default that has no literal.
"""

from __future__ import annotations


def _names(text: str) -> list[str]:
    return text.split()


UNARY = _names("""
abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf erfc erfcinv erfinv exp exp2
expm1 floor frac imag isfinite isinf isnan isneginf isposinf isreal lgamma log log10 log1p log2
logical_not neg rand_like randn_like real reciprocal relu round rsqrt segment_set set sigmoid sign
signbit silu
sin sinh sqrt tan tanh trunc
""")

BINARY = _names("""
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor complex div eq
fmod gcd ge gt le logical_and logical_or logical_right_shift lt maximum minimum mod mul ne nextafter
pow remainder sub truediv
""")

TERNARY = _names("lerp where clamp threshold addcmul")

_EXTREMUM = ["arg, dtype=Null", "arg, dim, keepdim=False, dtype=Null"]
_SCALED = (
    "alpha=None, bias=None, beta=None, dtype=BFloat16, output_block_scale_size=0, "
    "output_block_scale_dtype=BFloat16, output_gamma=False"
)
_RANDOM = "shape, *, rng_seed=None, rng_offset=None, dtype=Float"

# Name and overloads of the operations that are not element-wise.
OPS: dict[str, list[str]] = {
    **{
        name: [*_EXTREMUM, "arg, dims, keepdim=False, dtype=Null"]
        for name in ("sum", "prod", "max", "min")
    },
    "var": ["arg, dims, correction=1, keepdim=False"],
    "var_mean": ["arg, dims, correction=1, keepdim=False"],
    "welford": ["arg, dims"],
    **{name: ["arg, dim, init=None"] for name in ("cumsum", "cumprod", "cummin", "cummax")},
    "cast": ["arg, dtype"],
    "triu": ["arg, diagonal=0"],
    "broadcast": ["arg, is_broadcast_dim"],
    "broadcast_in_dim": ["arg, shape, broadcast_dims"],
    "expand": ["arg, shape"],
    "reshape": ["arg, new_shape"],
    "permute": ["arg, dims"],
    "squeeze": ["arg, dims, squeeze_expanded=False"],
    "slice": ["arg, start_indices, end_indices, strides=None, manual_normalization=False"],
    "size": ["arg, dim"],
    "shape": ["arg, /"],
    "stride_order": ["arg, stride_order"],
    "index_select": ["arg, index, dim"],
    "select": ["arg, index, dim"],
    "gather": ["arg, index, dim"],
    "take_along_axis": ["arg, index, dim"],
    "scatter": ["arg, index, src, dim"],
    "pad": ["arg, pad_widths, value=None"],
    "cat": ["tensors, dim=0, manual_padding=False"],
    "embedding_fwd": [
        "input, weight, padding_idx=None, max_norm=None, norm_type=None, "
        "scale_grad_by_freq=None, sparse=None"
    ],
    "preprocess_grouped_matmul_input_sf": ["input, input_offsets, output_offsets"],
    "full": ["shape, fill_value, dtype"],
    "iota": ["length, start=None, step=None, dtype=Int"],
    "topk": ["arg, k, dim=-1, largest=True, sorted=False"],
    "argsort": ["arg, dim, descending=False, stable=False"],
    "normal": [f"mean, std, {_RANDOM}"],
    "uniform": [f"minval, maxval, {_RANDOM}"],
    "matmul": ["arg1, arg2"],
    "linear": ["arg1, arg2, bias=None"],
    "grouped_mm": ["mat1, mat2, offsets", f"mat1, mat2, offsets, scale1, scale2, {_SCALED}"],
    "scaled_mm": [f"mat1, mat2, scale1, scale2, {_SCALED}"],
    "cutlass_nvfp4_grouped_mm": [
        "mat1, mat2, scale1, scale2, alpha, problem_sizes, expert_offsets, sf_offsets, "
        "dtype=BFloat16"
    ],
    "sdpfa_fwd": [
        "query, key, value, bias=None, mask=None, dropout_p=None, is_causal=None, scale=None"
    ],
    "torch_call": ["target, arguments, tensors, scalars=[], *, results"],
    "sdpfa_bwd": [
        "grad_output, query, key, value, output, logsumexp, dropout_p, is_causal, philox_seed, "
        "philox_offset, scale"
    ],
    "nv_block_quantize": [
        "input, global_scale=None, swizzle_block_scales=False, block_size=16, dtype=Float4_e2m1fn"
    ],
    "nv_grouped_block_quantize": [
        "input, input_offsets, output_offsets, global_scale=None, block_size=16, "
        "dtype=Float4_e2m1fn"
    ],
}

FUNCTIONS: dict[str, list[str]] = {
    "define_tensor": [
        "shape, contiguity, dtype=Float, is_cpu=False, stride_order=[]",
        "shape, contiguity=False, dtype=Float, is_cpu=False, stride_order=[]",
        "sizes, strides, dtype=Float, static_sizes=False, is_cpu=False",
    ],
    "define_scalar": ["dtype=Double", "value, dtype=None"],
    "translate_fusion": ["fusion, /"],
    "compute_tensor_descriptor": ["sizes, strides"],
    "get_val_tolerances": ["fusion, inputs"],
    "validate_with_auto_inferred_outputs": ["fusion, fusion_outputs, args"],
    "get_fusion_profile": [""],
    "reset_profiler": [""],
    "version": [""],
    "execute_with_dtensors": ["fd, in_dtensors"],
}

_OPTIONS = "_enable_options=[], _disable_options=[]"
_PARAMS = "launch_constraints=None, compile_params=..."

# Methods of classes, and constructors as ``__init__``.
METHODS: dict[str, dict[str, str]] = {
    "FusionDefinition": {
        "__init__": "",
        "define_tensor": "shape, contiguity=False, dtype=Float, is_cpu=False, stride_order=()",
        "define_scalar": "*args, **kwargs",
        "define_vector": "size",
        "from_pytorch": "tensor, static_sizes=False",
        "add_output": "output, alias_input=None",
        "validate_definition": "",
        "execute": f"inputs, *, device=None, save_repro_inputs=False, {_OPTIONS}",
        "manual_execute": "inputs, heuristic_params=None",
        "validate": "inputs, reference_outputs=None, device=None, **kwargs",
        "manual_validate": "inputs, reference_outputs=None",
        "repro_script_for": "inputs=None",
        "last_repro_script": "",
    },
    "FusionExecutorCache": {
        "__init__": "fusion, fusion_id=0, auto_schedule=True",
        "execute": f"inputs, *, device=None, {_OPTIONS}",
        "is_compiled": "inputs, device=0",
        "fusion": "",
        "get_cuda_kernel": "inputs, intrinsic_code=False, device=0",
        "get_scheduled_ir": "inputs, tensor_transforms=False, device=0",
        "get_most_recent_scheduled_ir": "tensor_transforms=False",
        "get_output_shardings": "",
    },
    "KernelExecutor": {
        "__init__": "fusion_id=0, concrete_id=0, runtime_id=0, group_id=0",
        "compile": f"fusion, args=[], {_PARAMS}, scheduler_type=...",
        "run": f"args, {_PARAMS}",
        "is_compiled": "",
        "is_programmatic_dependent_launch_enabled": "",
    },
    "Fusion": {
        "inputs": "",
        "outputs": "",
        "vals": "",
        "add_input": "input, /",
        "add_output": "output, /",
        "print_math": "from_outputs_only=True",
        "print_kernel": "compile_params=...",
    },
    "LRUCache": {"cache_compile": "fusion, /", "num_fusions": "", "stats": ""},
    "LruFusionCache": {"__init__": "max_fusions=16384"},
    "PythonProfiler": {"__init__": "auto_scheduled=True"},
    "Val": {"is_symbolic": "", "is_tensor": "", "definition": "", "uses": ""},
    "Expr": {"input": "index", "output": "index"},
    "IterDomain": {
        "is_reduction": "",
        "is_expanded": "",
        "extent": "",
        "parallelize": "parallel_type",
    },
    "Split": {"outer": "", "inner": ""},
    "Merge": {"outer": "", "inner": ""},
    "TensorView": {
        "size": "dim",
        "shape": "",
        "dtype": "",
        "domain": "",
        "get_root_domain": "",
        "get_logical_domain": "",
        "get_loop_domain": "",
        "has_root": "",
        "axis": "index",
        "cache_after": (
            "op_type=set, cache_op=unspecified, propagate_allocation_domain=True, cached_uses=[]"
        ),
        "cache_before": "op_type=set",
        "set_memory_type": "memory_type",
        "split": "axis, factor, inner_split=True",
        "inner_split": "axis, factor",
        "outer_split": "axis, factor",
        "merge": "axis_o, axis_i",
        "reorder": "old2new={}",
        "swizzle": "x, y",
        "swizzle1d": "x, parallel_type",
        "rfactor": "axes",
        "set_allocation_domain": "new_allocation_domain, new_contiguity",
        "set_device_mesh": "mesh",
    },
    "idm.IdModel": {
        "__init__": "fusion, build_graphs=False, allow_self_mapping=True, validate=False",
        "maybe_build_graph": "mode",
    },
    "idm.ValGraph": {"disjoint_val_sets": "", "map_vals": "val0, val1"},
    "idm.DisjointValSets": {"strict_are_mapped": "entry0, entry1"},
}

PROPERTIES: dict[str, str] = {
    "TensorView": "ndim",
    "LaunchParams": "bdimx bdimy bdimz gdimx gdimy gdimz",
    "CompileParams": (
        "index_type maxrregcount enable_magic_zero enable_ptxas_verbose device include_paths"
    ),
    "HeuristicParams": "lparams cparams scheduler_type",
    "PointwiseParams": (
        "break_point split_block split_grid_y_dim flip_grid_binding vectorization_factor "
        "unroll_factor_inner unroll_factor_outer"
    ),
    "ReductionParams": """
        fastest_dim persistent_kernel project_persistent_buffers schedule_3d flip_grid
        cross_block_inner_reduction cross_grid_inner_reduction unroll_factor_inner_reduction
        unroll_factor_top_of_vectorization vectorize_inner_reduction
        split_grid_dim_inner_reduction pad_inner_reduction_to_warp
        batches_per_block_inner_reduction block_dim_inner_reduction grid_dim_inner_reduction
        multiple_reds_per_blk unroll_factor_iter_dom vectorize_iter_dom
        split_grid_dim_iter_dom_inner split_grid_dim_iter_dom_outer block_dim_iter_dom
        grid_dim_iter_dom cross_block_outer_reduction cross_grid_outer_reduction
        batches_per_block_outer_reduction unroll_factor_outer_reduction
        block_dim_outer_reduction grid_dim_outer_reduction
        compute_persistent_buffer_with_first_consumer static_bdimx static_bdimy
        combined_inner_outer tidx_for_outer_reduction pad_outer_reduction_to_warp
        combined_split_grid_inner_dim vectorization_factor_outer
        vectorization_factor_tmp_gmem_write block_dim_inner_reduction_extra
    """,
    "MatmulParams": """
        tile_sizes circular_buffer_options supported_vec_size async_gmem_load_operands
        grid_traversal_factor use_smem_epilogue use_ldst_matrix promote_prologue_smem_reuse
        splitk_factor tiling_strategy buffering_loop_level circular_buffering_strategy cta_order
        cluster_dims mma_macro
    """,
    "MmaMacro": "arch m n k",
    "FusionProfile": """
        verbose fusion_id segments cuda_evt_time_ms host_time_ms compile_time_ms kernel_time_ms
        effective_bandwidth_gbs percentage_peak_bandwith input_bytes output_bytes kernel_profiles
    """,
    "KernelProfile": """
        name segment_id device stream correlation_id compile_time_ms time_ms
        effective_bandwidth_gbs percentage_peak_bandwidth grid_str block_str cluster_str
        shared_mem_str registers input_bytes output_bytes scheduler
    """,
}

SCHEDULE: dict[str, list[str]] = {
    "bounded_transform_backward": ["from, pos, to, propagate_parallel_type=False"],
    "transform_like": ["reference_tv, selected_tensors=[]"],
    "parallelize_like": [
        "reference_tv, pos=-1, selected_tensors=[], selected_parallel_types=set(), "
        "propagate_padding=True"
    ],
    "inline_most": ["selected_tensors=[]"],
    "inline_at": ["reference_tv, pos=-1, best_effort=False, selected_tensors=[]"],
    "can_schedule": ["fusion, scheduler_type, inputs"],
    "find_compatible_schedulers": ["fusion, inputs"],
    "compute_heuristics": ["fusion, scheduler_type, inputs"],
    "schedule": ["fusion, scheduler_type, inputs", "fusion, scheduler_type, heuristic_params"],
    "warp_specialize": [
        "tv, number_of_stages, prefetch_distance, parallel_type, num_registers=None"
    ],
}

# Classes of which only the existence is stated, or which are in the tables above.
CLASSES = _names("""
FusionDefinition LruFusionCache Fusion FusionGuard FusionExecutorCache KernelExecutor LRUCache
PythonProfiler FusionProfile KernelProfile Statement Val Expr IterDomain TensorDomain TensorView
Split Merge BroadcastOp ReshapeOp SqueezeOp LaunchParams CompileParams HeuristicParams
PointwiseParams ReductionParams MatmulParams GemmTile MatMulTileOptions CircularBufferOptions
SupportedVectorization ClusterDims MmaMacro MmaMacroEncode
""")

ENUMS: dict[str, str] = {
    "DataType": """
        Double Float Half Int Int32 Int16 Int8 UInt8 UInt16 UInt32 UInt64 Index Bool BFloat16
        Float8_e4m3fn Float8_e5m2 Float8_e8m0fnu Float4_e2m1fn Float4_e2m1fn_x2 ComplexFloat
        ComplexDouble Null
    """,
    "ParallelType": """
        mesh_x mesh_y mesh_z grid_x grid_y grid_z block_x block_y block_z mma serial tma unroll
        unswitch vectorize stream
    """,
    "CommunicatorBackend": "nccl ucc cuda",
    "SchedulerType": """
        none no_op pointwise matmul reduction inner_persistent inner_outer_persistent
        outer_persistent transpose expr_eval resize
    """,
    "LoadStoreOpType": "set load_matrix cp_async tma",
    "MemoryType": "tensor local shared global symmetric",
    "CacheOp": "unspecified all_levels streaming global",
    "IdMappingMode": "exact almost_exact broadcast permissive loop",
    "MatmulTilingStrategy": """
        one_tile_per_cta distribute_tiles_across_sms distribute_stages_across_sms
    """,
    "MatmulBufferingLoopLevel": "cta_tiles warp_tiles",
    "MatmulCircularBufferingStrategy": "pipelined warp_specialized",
    "MatmulTileRasterizationOrder": "column_major row_major",
    "MmaMacroArch": "no_mma volta turing ampere hopper blackwell_1cta blackwell_2cta",
}

SUBMODULES = _names("""
ops schedule multidevice idm nvf_cutlass pytorch_utils nvfuser_direct_version benchmark_utils
""")

OPTIONS: dict[str, str] = {
    "NVFUSER_ENABLE": """
        cutlass_scheduler fuse_matmul fuse_multiple_matmuls id_model_extra_validation
        io_to_lower_precision kernel_db kernel_debug kernel_lineinfo kernel_profile
        memory_promotion reuse_zeroed_memory static_fusion_count wait_debugger
        warn_register_spill tma_pointwise tma_inner_persistent tma_reduction ws_normalization
        host_ir_lowering host_ir_jit insert_resharding_after fast_math p2p_protocol p2p_transport
        multicast_protocol
        nvtx verify_kernels cuda_graphs products_in_steps assume_sizes
    """,  # the last five are ours
    "NVFUSER_DISABLE": """
        compile_to_sass contig_indexing expr_simplify fallback fma greedy_scheduler
        grouped_grid_welford_outer_opt index_hoist magic_zero matmul_expr_eval nvrtc_caching nvtx
        parallel_compile predicate_elimination python_inline_definitions kernel_reuse
        var_name_remapping welford_vectorization resize_scheduler
        reuse_mismatched_type_registers multidevice infer_contiguity exchange_in_kernels
        torch_internals products_in_steps
    """,
    "NVFUSER_DUMP": """
        bank_conflict buffer_reuse_verbose ca_map cubin cuda_full cuda_kernel cuda_to_file
        cutlass_compile draw_segmented_fusion expr_simplify expr_sort expr_sort_verbose ftrace
        fusion_args fusion_ir fusion_ir_concretized fusion_ir_graph fusion_ir_math
        fusion_ir_original fusion_ir_presched fusion_ir_preseg global_zeroed_memory
        host_ir_lowering host_ir host_ir_jit index_type indexing_verbose inlining kernel_args
        kernel_ir launch_param lower_verbose occupancy parallel_dimensions perf_debug_verbose
        pre_segmenter_logging predicate_elimination ptx ptxas_verbose python_definition sass
        sass_to_file segmented_fusion segmenter_logging scheduler_params dynamic_shared_memory
        scheduler_verbose sync_map transform_propagator communication compile_params
        kernel_ir_passes
    """,  # the last one is ours
    "NVFUSER_DEBUG": "check strict",  # ours
    "NVFUSER_PROF": "enable enable.nocupti print print.nocupti print.verbose",
}

PYTORCH_UTILS = _names("""
torch_dtype_to_nvfuser_dtype python_scalar_to_nvfuser_dtype retry_on_oom_or_skip_test
get_device_properties DEVICE_PROPERTIES
""")

BENCHMARK_UTILS = _names("""
Timer CuptiProfiler CuptiTimer FusionProfileTimer demangle_kernel_name cupti_call_safe
""")

MULTIDEVICE = _names("""
Communicator DeviceMesh MultiDeviceExecutor MultiDeviceExecutorParams Sharding shard_tensor
""")

# Not there yet: whoever adds one takes it out here and from docs/differences.md.
NOT_YET: set[str] = set()
