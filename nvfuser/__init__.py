"""Define a graph of tensor operations once, run it as few generated kernels."""

import os
import sys
from importlib.machinery import PathFinder


def _use_installed_package() -> None:
    """Take the submodules from the installed package where this one has no extension.

    ``python -m nvfuser`` in the root of a checkout imports the package from there, where nothing is
    built. One directory for all submodules, so that Python files and extension are of one build.
    """
    own = PathFinder.find_spec("_C", __path__)
    # A folder _C of stubs is found, too, but has no origin.
    if own is not None and own.origin is not None:
        return
    directories = [os.path.join(entry, __name__) for entry in sys.path]
    installed = PathFinder.find_spec("_C", directories)
    if installed is None or installed.origin is None:
        raise ImportError(
            f"nvfuser in {os.path.dirname(__file__)} is a source tree without its extension, and "
            "no installed nvfuser was found: run `pip install .` in the root of the checkout"
        )
    __path__[:] = [os.path.dirname(installed.origin)]


_use_installed_package()

import importlib  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

from nvfuser import (  # noqa: E402
    _C,
    import_hook,
    ops,
    tensor_methods,
)
from nvfuser._C import (  # noqa: E402
    BroadcastOp,
    CacheOp,
    CircularBufferOptions,
    ClusterDims,
    CommunicatorBackend,
    CompileParams,
    DataType,
    Expr,
    Fusion,
    FusionExecutorCache,
    FusionGuard,
    FusionProfile,
    GemmTile,
    HeuristicParams,
    IdMappingMode,
    IterDomain,
    KernelExecutor,
    KernelProfile,
    LaunchParams,
    LoadStoreOpType,
    MatmulBufferingLoopLevel,
    MatmulCircularBufferingStrategy,
    MatmulParams,
    MatMulTileOptions,
    MatmulTileRasterizationOrder,
    MatmulTilingStrategy,
    MemoryType,
    Merge,
    MmaMacro,
    MmaMacroArch,
    MmaMacroEncode,
    ParallelType,
    PointwiseParams,
    ReductionParams,
    ReshapeOp,
    SchedulerType,
    Split,
    SqueezeOp,
    Statement,
    SupportedVectorization,
    TensorDomain,
    TensorView,
    Val,
    compute_tensor_descriptor,
    get_fusion_profile,
    idm,
    reset_profiler,
    translate_fusion,
)
from nvfuser.cache import LRUCache, LruFusionCache  # noqa: E402
from nvfuser.compat.no_effect import NoEffectWarning  # noqa: E402
from nvfuser.definition import FusionDefinition  # noqa: E402
from nvfuser.nvfuser_direct_version import __version__, version  # noqa: E402
from nvfuser.option_help import print_where_asked  # noqa: E402
from nvfuser.packed_dtypes import define_tensor  # noqa: E402
from nvfuser.profiler import PythonProfiler  # noqa: E402
from nvfuser.signatures import checked as _checked  # noqa: E402
from nvfuser.validation import (  # noqa: E402
    get_val_tolerances,
    validate_with_auto_inferred_outputs,
)

if TYPE_CHECKING:
    from nvfuser import benchmark_utils, multidevice, nvf_cutlass, pytorch_utils
    from nvfuser.explanation import Explanation, explain
    from nvfuser.frontend.jit import TracingError, jit
    from nvfuser.multidevice import execute_with_dtensors

__all__ = [
    "BroadcastOp",
    "CacheOp",
    "CircularBufferOptions",
    "ClusterDims",
    "CommunicatorBackend",
    "CompileParams",
    "DataType",
    "Explanation",
    "Expr",
    "Fusion",
    "FusionDefinition",
    "FusionExecutorCache",
    "FusionGuard",
    "FusionProfile",
    "GemmTile",
    "HeuristicParams",
    "IdMappingMode",
    "IterDomain",
    "KernelExecutor",
    "KernelProfile",
    "LRUCache",
    "LaunchParams",
    "LoadStoreOpType",
    "LruFusionCache",
    "MatMulTileOptions",
    "MatmulBufferingLoopLevel",
    "MatmulCircularBufferingStrategy",
    "MatmulParams",
    "MatmulTileRasterizationOrder",
    "MatmulTilingStrategy",
    "MemoryType",
    "Merge",
    "MmaMacro",
    "MmaMacroArch",
    "MmaMacroEncode",
    "NoEffectWarning",
    "ParallelType",
    "PointwiseParams",
    "PythonProfiler",
    "ReductionParams",
    "ReshapeOp",
    "SchedulerType",
    "Split",
    "SqueezeOp",
    "Statement",
    "SupportedVectorization",
    "TensorDomain",
    "TensorView",
    "TracingError",
    "Val",
    "__version__",
    "benchmark_utils",
    "compile_exported",
    "compute_tensor_descriptor",
    "define_scalar",
    "define_tensor",
    "execute_with_dtensors",
    "explain",
    "get_fusion_profile",
    "get_val_tolerances",
    "idm",
    "jit",
    "multidevice",
    "nvf_cutlass",
    "nvfuser_direct_version",
    "ops",
    "pytorch_utils",
    "reset_profiler",
    "schedule",
    "translate_fusion",
    "validate_with_auto_inferred_outputs",
    "version",
]

# Native submodules are attributes; this makes `from nvfuser.ops import add` work as well.
sys.modules[f"{__name__}.idm"] = idm

import_hook.install()

print_where_asked()


tensor_methods.install()
define_scalar = _checked(_C.define_scalar, __name__)


def __getattr__(name: str) -> Any:
    # Importing torch takes a second: only who asks for it pays for it.
    if name in ("benchmark_utils", "multidevice", "nvf_cutlass", "pytorch_utils"):
        return importlib.import_module(f"nvfuser.{name}")
    if name in ("TracingError", "jit"):
        return getattr(importlib.import_module("nvfuser.frontend.jit"), name)
    if name in ("Explanation", "explain"):
        return getattr(importlib.import_module("nvfuser.explanation"), name)
    if name == "compile_exported":
        return importlib.import_module("nvfuser.frontend.exported").compile_exported
    if name == "execute_with_dtensors":
        return importlib.import_module("nvfuser.multidevice").execute_with_dtensors
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
