"""Long rows: blocks have them in shared memory, those of a cluster parts of a row each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import emulation
import pytest
import torch
from test_emulated_positions import plan
from torch.nn import functional

import nvfuser
from nvfuser import _C
from nvfuser.cuda import compiler as nvrtc_compiler

Function = Callable[..., Any]


@pytest.fixture(params=[3 << 10, 5 << 10])
def clusters(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give blocks so little memory that rows which can be emulated are those of clusters."""
    _C._override_tuning(
        {
            "gpu.persistentBytes": 8,
            "gpu.persistentBytesOfLargeBlock": 8,
            "gpu.sharedRowWaves": 0,
        }
    )
    _C._override_target(
        {"sharedBytesPerBlock": request.param, "sharedBytesPerMultiprocessor": request.param + 1024}
    )
    yield
    _C._override_tuning({})
    _C._override_target({})


def cross_entropy(x: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(x.float(), torch.arange(x.shape[0]) % x.shape[1])


FUNCTIONS: dict[str, Function] = {
    "softmax": lambda x: torch.softmax(x, -1),
    "layer_norm": lambda x: functional.layer_norm(x, x.shape[-1:], x[0], x[1]),
    "rms_norm": lambda x: functional.rms_norm(x, x.shape[-1:], x[0], 1e-5),
    "cross_entropy": cross_entropy,
    "divergence": lambda x: functional.kl_div(
        torch.log_softmax(x.float(), -1), torch.softmax(-x.float(), -1), reduction="none"
    ),
    "groups": lambda x: functional.group_norm(x[None].expand(2, -1, -1), 1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3, 256), (5, 1024), (2, 777), (4, 3000), (8, 4001), (61, 512)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_of_rows_of_several_blocks(
    clusters: None, name: str, shape: tuple[int, int], dtype: torch.dtype
) -> None:
    function = FUNCTIONS[name]
    x = torch.randn(shape).to(dtype)
    with emulation.emulated_device(), torch.no_grad():
        output = nvfuser.jit(function, dynamic=False)(x)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(output, function(x), atol=tolerance, rtol=tolerance)


def test_clusters_share_no_launch_with_others(clusters: None, kernels: list[str]) -> None:
    """Blocks of a group have no cluster."""

    def function(x: torch.Tensor, y: torch.Tensor) -> Any:
        return torch.softmax(x, -1), torch.softmax(y, -1), x * 2 + 1, y[:2] * 3 + 2

    plan(kernels, function, torch.randn(3, 3000), torch.randn(5, 3000))
    text = "".join(kernels)
    assert text.count("__cluster_dims__(") == 2
    for member in text.split("__device__ inline void member")[1:]:
        assert "cluster" not in member.partition('extern "C"')[0]


def test_long_rows_are_those_of_clusters(kernels: list[str]) -> None:
    softmax = FUNCTIONS["softmax"]
    for columns, blocks in ((16384, 1), (32768, 1), (50257, 1), (65536, 2), (262144, 8)):
        x = torch.zeros(150, columns, dtype=torch.bfloat16)
        (text,) = plan(kernels, softmax, x)
        assert (f"__cluster_dims__(1, {blocks}, 1)" in text) == (blocks > 1), columns
        # Maxima and sums of exponentials at once.
        assert text.count("nvf::cluster_reduce<") == (1 if blocks > 1 else 0)
        assert ("nvf::copy_async" in text) == (columns > 16384)
        # Each thread reads what it copied: it waits for that only.
        assert "__syncthreads" not in text


def test_few_rows_have_parts_for_all_of_the_device(kernels: list[str]) -> None:
    """Also those of which a multiprocessor has memory for several."""
    for rows, blocks in ((200, 1), (100, 2), (40, 4)):
        x = torch.zeros(rows, 40960, dtype=torch.bfloat16)
        (text,) = plan(kernels, FUNCTIONS["softmax"], x)
        assert (f"__cluster_dims__(1, {blocks}, 1)" in text) == (blocks > 1), rows


@pytest.fixture
def rows_copied_ahead(clusters: None) -> None:
    """Let few blocks go from row to row, which copy the next one meanwhile."""
    _C._override_tuning(
        {
            "gpu.persistentBytes": 8,
            "gpu.persistentBytesOfLargeBlock": 8,
            "gpu.aheadRowBytes": 0,
            "gpu.aheadRows": 1,
        }
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(300, 512), (301, 776), (150, 1024), (129, 1528)])
@pytest.mark.parametrize(
    "name", ["layer_norm", "rms_norm", "scaled_rows", "statistics", "weighted_softmax"]
)
def test_values_of_rows_copied_ahead(
    rows_copied_ahead: None, device: str, name: str, shape: tuple[int, int], dtype: torch.dtype
) -> None:
    """More and fewer rows than all clusters have in turns, and rows that are no whole blocks."""
    x = torch.randn(shape).to(dtype)
    w, b = torch.randn(2, shape[1]).to(dtype)
    scale = torch.rand(shape[0], 1).to(dtype)
    functions: dict[str, Function] = {
        "layer_norm": lambda x, w, b, s: functional.layer_norm(x, x.shape[-1:], w, b),
        "rms_norm": lambda x, w, b, s: functional.rms_norm(x, x.shape[-1:], w, 1e-5),
        "scaled_rows": lambda x, w, b, s: functional.rms_norm(x * s, x.shape[-1:], w, 1e-5),
        "statistics": lambda x, w, b, s: torch.native_layer_norm(x, x.shape[-1:], w, b, 1e-5),
        "weighted_softmax": lambda x, w, b, s: torch.softmax((x * w + b) * s, -1),
    }
    with torch.no_grad():
        results = nvfuser.jit(functions[name], dynamic=False)(x, w, b, scale)
        expected = functions[name](*(tensor.double() for tensor in (x, w, b, scale)))
    tolerance = 2e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(
        [result.double() for result in torch.utils._pytree.tree_leaves(results)],
        torch.utils._pytree.tree_leaves(expected),
        atol=tolerance,
        rtol=tolerance,
    )


def test_rows_of_open_length_have_a_block_each(kernels: list[str]) -> None:
    """What threads have of weights in registers has a known size."""
    x, w = torch.zeros(2048, 65536), torch.ones(65536)

    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, x.shape[-1:], w, 1e-5)

    with torch.no_grad():
        nvfuser.jit(function, dynamic=True)(x, w)
    text = "".join(kernels)
    assert text.count("__global__") == 1
    assert "nvf::modulo(" not in text.partition('extern "C"')[2]


def test_what_rows_have_one_of_is_loaded_for_each(kernels: list[str]) -> None:
    x, w, s = torch.zeros(2048, 65536), torch.ones(65536), torch.ones(2048, 1)
    (text,) = plan(kernels, lambda x, w, s: functional.rms_norm(x * s, [65536], w, 1e-5), x, w, s)
    assert "nvf::copy_async<4>(" in text
    assert not re.search(r"float T\d+\[46\]", text), "46 rows for each cluster"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_blocks_go_from_row_to_row_with_their_weights(
    kernels: list[str], dtype: torch.dtype
) -> None:
    """Which are loaded once; the next row is copied while one is computed."""
    columns = (256 << 10) // dtype.itemsize
    x, w = torch.zeros(2048, columns, dtype=dtype), torch.ones(columns, dtype=dtype)
    (text,) = plan(kernels, lambda x, w: functional.rms_norm(x, x.shape[-1:], w, 1e-5), x, w)
    assert "__cluster_dims__(1, 8, 1)" in text
    before, _, rows = text.partition("nvf::await_copies();")
    first = before.rindex("  for (int")
    assert "&T1[" in before[:first]
    assert "&T1[" not in rows
    assert rows.index("nvf::copy_async") < rows.index("nvf::block_reduce<")
    # They stay as they are, and are not widened once for all rows.
    assert ("nvf::hold(" in rows) == (dtype == torch.bfloat16)


def test_moments_under_a_condition_of_all_are_merged_at_once(kernels: list[str]) -> None:
    x = torch.zeros(150, 65528, dtype=torch.bfloat16)
    (text,) = plan(kernels, lambda x: functional.layer_norm(x, x.shape[-1:]), x)
    assert "nvf::merge_moments_of<8>(" in text
    assert "nvf::merge_moments(T" not in text


def test_blocks_of_a_cluster_wait_once_for_a_variance(kernels: list[str]) -> None:
    """Of its moments, which those of a vector are merged into at once."""
    x = torch.zeros(150, 65536, dtype=torch.bfloat16)
    (text,) = plan(kernels, lambda x: functional.layer_norm(x, x.shape[-1:]), x)
    assert text.count("nvf::cluster_reduce<") == 1
    assert "nvf::merge_moments_of<8>(" in text


def test_what_is_copied_asynchronously_is_waited_for(kernels: list[str]) -> None:
    x = torch.zeros(150, 32768, dtype=torch.bfloat16)
    (text,) = plan(kernels, FUNCTIONS["softmax"], x)
    copied, waited = text.index("nvf::copy_async"), text.index("nvf::await_copies();")
    assert copied < waited < text.index("nvf::block_reduce<")
    assert text.count("nvf::await_copies();") == 1


def norm_gradient(x: torch.Tensor, w: torch.Tensor, g: torch.Tensor, mean: Any, rstd: Any) -> Any:
    normalized = (x.float() - mean) * rstd
    wide = g.float() * w.float()
    share = (wide * normalized).mean(-1, keepdim=True)
    dx = rstd * (wide - wide.mean(-1, keepdim=True) - normalized * share)
    return dx.to(x.dtype), (g.float() * normalized).sum(0), g.float().sum(0)


def gradient_operands(shape: tuple[int, int], dtype: torch.dtype) -> list[torch.Tensor]:
    x, g = torch.randn(2, *shape).to(dtype)
    return [x, torch.randn(shape[1]).to(dtype), g, *torch.randn(2, shape[0], 1)]


@pytest.mark.parametrize(
    ("shape", "dtype", "registers"),
    [
        ((300, 1024), torch.bfloat16, 16000),
        ((300, 4096), torch.float32, 20000),
        ((300, 4096), torch.bfloat16, 12000),
        ((9, 20480), torch.float32, 1 << 16),
    ],
)
def test_values_of_rows_that_are_copied_ahead(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], dtype: torch.dtype, registers: int
) -> None:
    texts: list[str] = []

    def keep(kernel: str, compute_capability: int, **options: Any) -> bytes:
        texts.append(kernel)
        return emulation.compile_kernel(kernel, compute_capability, **options)

    operands = gradient_operands(shape, dtype)
    _C._override_tuning({"gpu.aheadRows": 1})
    _C._override_target({"registersPerMultiprocessor": registers})
    try:
        with emulation.emulated_device(), torch.no_grad():
            monkeypatch.setattr(nvrtc_compiler, "compile_kernel", keep)
            outputs = nvfuser.jit(norm_gradient, dynamic=False)(*operands)
    finally:
        _C._override_tuning({})
        _C._override_target({})
    assert texts[0].count("nvf::copy_async") >= 4
    tolerance = 1e-4 if dtype == torch.float32 else 3e-2
    for output, expected in zip(outputs, norm_gradient(*operands), strict=True):
        torch.testing.assert_close(output, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize(
    ("shape", "dtype", "blocks"),
    [((8192, 12288), torch.float32, 1), ((4096, 16384), torch.float32, 2)],
)
def test_the_next_row_is_copied_while_one_is_computed(
    kernels: list[str], shape: tuple[int, int], dtype: torch.dtype, blocks: int
) -> None:
    _C._override_target({"multiprocessors": 132})
    try:
        first, *_ = plan(kernels, norm_gradient, *gradient_operands(shape, dtype))
    finally:
        _C._override_target({})
    assert (f"__cluster_dims__(1, {blocks}, 1)" in first) == (blocks > 1)
    before, loop = first.split("nvf::await_copies();")
    assert before.count("nvf::copy_async") == loop.count("nvf::copy_async") == 2
    assert loop.index("nvf::copy_async") < loop.index("nvf::block_reduce<")
    # Values of a row, too, and what is the same for all rows once.
    assert before.index("&T1[") < before.index("for (int", before.rindex("nvf::copy_async"))
