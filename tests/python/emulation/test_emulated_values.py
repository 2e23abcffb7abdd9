"""The tests of values, once more on the emulated CUDA device."""

from __future__ import annotations

import test_composites
import test_huge
import test_mixed_shapes
import test_profiler
import test_property
import test_property_exact
import test_random_graphs
import test_values_aliasing
import test_values_attention
import test_values_binary
import test_values_cast
import test_values_concatenation
import test_values_grouped_matmul
import test_values_indexing
import test_values_integers
import test_values_layout
import test_values_matmul
import test_values_normalization
import test_values_quantization
import test_values_random
import test_values_reduction
import test_values_scan
import test_values_scatter
import test_values_scatter_add
import test_values_sorting
import test_values_ternary
import test_values_unary
import test_values_views

for _module in (
    test_composites,
    test_huge,
    test_mixed_shapes,
    test_profiler,
    test_property,
    test_property_exact,
    test_random_graphs,
    test_values_aliasing,
    test_values_attention,
    test_values_binary,
    test_values_cast,
    test_values_concatenation,
    test_values_grouped_matmul,
    test_values_indexing,
    test_values_integers,
    test_values_layout,
    test_values_matmul,
    test_values_normalization,
    test_values_quantization,
    test_values_random,
    test_values_reduction,
    test_values_scan,
    test_values_scatter,
    test_values_scatter_add,
    test_values_sorting,
    test_values_ternary,
    test_values_unary,
    test_values_views,
):
    for _name, _test in vars(_module).items():
        # What a module imported from another one is not its own test.
        if _name.startswith("test_") and getattr(_test, "__module__", None) == _module.__name__:
            globals()[f"{_name}_of_{_module.__name__}"] = _test
