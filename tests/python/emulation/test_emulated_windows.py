"""How kernels read parts of what is computed together, windows and edges."""

from __future__ import annotations

import re

import torch
from test_emulated_positions import plan
from torch.nn import functional as F  # noqa: N812

import nvfuser
from nvfuser import _C


def test_channels_that_were_computed_together_take_no_kernel_of_their_own(
    kernels: list[str],
) -> None:
    def modulate(x: torch.Tensor, both: torch.Tensor) -> torch.Tensor:
        shift, scale = both.view(4, 2, 1, 256).unbind(1)
        return F.layer_norm(x, (256,)) * (1 + scale) + shift

    texts = plan(kernels, modulate, torch.ones(4, 50, 256), torch.ones(4, 512))
    assert len(texts) == 1


def test_what_is_cut_out_of_concatenated_tensors_is_read_from_them(kernels: list[str]) -> None:
    def corners(x: torch.Tensor) -> torch.Tensor:
        both = torch.cat([x[..., :2], x[..., :2] + x[..., 2:]], -1)
        return (both[..., 2:] - both[..., :2]).abs() * 2

    (text,) = plan(kernels, corners, torch.ones(1000, 4))
    assert "?" not in text.partition("extern")[2]


def test_edges_of_all_dimensions_take_one_kernel(kernels: list[str]) -> None:
    x = torch.ones(4, 32, 28, 28).contiguous(memory_format=torch.channels_last)
    texts = plan(kernels, lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect") * 2, x)
    assert len(texts) == 1


def test_windows_of_channels_are_read_along_these(kernels: list[str]) -> None:
    """Also where the result does not lie like what is read."""
    x = torch.ones(8, 96, 56, 56).contiguous(memory_format=torch.channels_last)
    (text,) = plan(kernels, lambda x: x.view(8, 96, 28, 2, 28, 2).mean((3, 5)), x)
    assert "nvf::copy<4>" in text


def test_many_results_that_lie_across_pass_through_tiles(kernels: list[str]) -> None:
    """A reduction writes as it reads; a few results it writes across itself."""

    def pool(x: torch.Tensor) -> torch.Tensor:
        batch = x.shape[0]
        return x.float().view(batch, 128, 14, 2, 14, 2).mean((3, 5)).half()

    x = torch.ones(64, 128, 28, 28).half().contiguous(memory_format=torch.channels_last)
    _, copy = plan(kernels, pool, x)
    assert "shared_vectors" in copy
    assert len(plan(kernels, pool, x[:8])) == 1


def test_groups_of_rows_are_read_along_rows(kernels: list[str]) -> None:
    def scales(x: torch.Tensor) -> torch.Tensor:
        return x.float().view(1000, 32, 64).abs().amax(-1) / 7

    (text,) = plan(kernels, scales, torch.ones(1000, 2048, dtype=torch.bfloat16))
    assert re.search(r"nvf::(copy|load_vector\w*)<8>", text)


def test_values(device: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 8, 12, 12)
    for image in (x, x.contiguous(memory_format=torch.channels_last)):
        for function in (
            lambda x: F.pad(x * 2, (1, 2, 2, 1), mode="reflect") + 1,
            lambda x: F.pad(x, (0, 0, 2, 1), mode="replicate"),
            lambda x: F.max_pool2d(x, 3, 2, 1),
            lambda x: F.avg_pool2d(x, 2),
            lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False),
            lambda x: x.view(2, 8, 6, 2, 6, 2).mean((3, 5)),
        ):
            torch.testing.assert_close(nvfuser.jit(function)(image), function(image))


def test_long_elements_of_rows_are_loaded_one_by_one(kernels: list[str]) -> None:
    """Threads hide what functions take, which need the registers of loads in flight."""

    def likelihood(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        variance = F.softplus(y) + 1e-6
        return (torch.log(variance) + x.square() / variance).sum(-1)

    inputs = (torch.ones(4096, 8192), torch.ones(4096, 8192))
    (text,) = plan(kernels, likelihood, *inputs)
    _C._override_tuning({"gpu.longReductionUnroll": 4})
    try:
        (wide,) = plan(kernels, likelihood, *inputs)
    finally:
        _C._override_tuning({})
    assert text.count("#pragma unroll") < wide.count("#pragma unroll")
