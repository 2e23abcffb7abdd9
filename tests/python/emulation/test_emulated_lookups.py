"""Lookups and views that are joined with others or turned, and pairs of rows, for a large GPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import phases_of, planned
from torch.nn.functional import pad

import nvfuser

FEATURES, PLACES = 96, 78
Function = Callable[..., torch.Tensor]


def joined(table: Any, ids: Any, query: Any) -> Any:
    return torch.cat([table[ids].view(ids.shape[0], -1), query], 1) * 0.5


def reflected(image: Any) -> Any:
    return (pad(image.float(), (2, 2, 2, 2), mode="reflect") * 0.5).contiguous()


def upsampled(image: Any) -> Any:
    batch, channels, height, width = image.shape
    cells = image.float()[:, :, :, None, :, None].expand(batch, channels, height, 2, width, 2)
    return (cells.reshape(batch, channels, 2 * height, 2 * width) * 0.25).to(image.dtype)


def picked(x: Any, ids: Any) -> Any:
    return (x[:, ids] * 0.5).transpose(1, 2).contiguous()


def embedded(table: Any, ids: Any) -> Any:
    return table[ids].transpose(1, 2).contiguous()


def picked_and_counted(x: Any, ids: Any) -> Any:
    return (x[:, ids] + ids.float()[None, :, None]).transpose(1, 2).contiguous()


def differences_of_picked(x: Any, ids: Any) -> Any:
    """Return what two slices need of one lookup, across memory: each slice has a lookup."""
    p = x.index_select(2, ids).tanh()
    return (p[:, 1:] - p[:, :-1]).transpose(2, 3).contiguous()


def pairs(x: Any) -> Any:
    few = x.float()[:, :8]
    return (few[:, :, None] * few[:, None]).sum(-1)


def distances(x: Any, y: Any) -> Any:
    return (x[:, None] - y[None]).square().sum(-1)


def states(x: Any, rates: Any, gates: Any) -> Any:
    """Outputs of a state-space layer: states have rates of their own for each channel."""
    return (x[..., None] * gates[:, :, None, :] * rates).sum(-1)


def loads_of(text: str, width: int) -> int:
    """Count the places that load vectors of so many elements from memory."""
    return len(re.findall(rf"nvf::copy<{width}>\(&?T\d+(?:\[\w+\])?, &T\d\[", text))


@pytest.mark.parametrize("rows", [33, 4000])
def test_lookups_that_are_joined_are_one_kernel(kernels: list[str], rows: int) -> None:
    """Positions are read for what a thread looks up with them, in vectors of what is looked up."""
    inputs = [
        torch.empty(5000, 16, dtype=torch.float16),
        torch.empty(rows, 26, dtype=torch.int64),
        torch.empty(rows, 16, dtype=torch.float16),
    ]
    (text,) = planned(kernels, joined, *inputs)
    (phase,) = phases_of(text)
    assert loads_of(phase, 8) == 2
    assert max(int(size) for size in re.findall(r"long long T\d+\[(\d+)\]", phase)) <= 16


def test_pairs_of_rows_are_read_along_them(kernels: list[str]) -> None:
    """Threads have vectors of rows, also where results lie along pairs."""
    (text,) = planned(kernels, pairs, torch.empty(4096, 26, 64))
    assert loads_of(text, 4) == 2


@pytest.mark.parametrize(
    ("function", "shapes"),
    [(distances, [(1000, 16), (900, 16)]), (states, [(6, 63, 1536), (1536, 16), (6, 63, 16)])],
)
def test_threads_read_their_short_rows_in_vectors(
    kernels: list[str], function: Function, shapes: list[tuple[int, ...]]
) -> None:
    """One element of each row at a time would be a line of memory for each thread."""
    (text,) = planned(kernels, function, *(torch.empty(shape) for shape in shapes))
    assert loads_of(text, 4) == 2


@pytest.mark.parametrize(
    "function", [reflected, upsampled, picked, embedded, differences_of_picked]
)
def test_what_is_read_otherwise_is_turned_in_tiles(kernels: list[str], function: Function) -> None:
    """Rows that are looked up or repeated are read along memory, and written across."""
    inputs = {
        reflected: [torch.empty(64, 256, 28, 28).to(memory_format=torch.channels_last)],
        upsampled: [torch.empty(64, 256, 28, 28).to(memory_format=torch.channels_last)],
        picked: [torch.empty(64, 784, 256), torch.empty(1024, dtype=torch.int64)],
        embedded: [torch.empty(5000, 256), torch.empty(64, 1024, dtype=torch.int64)],
        differences_of_picked: [
            torch.empty(16, 4, 784, 256),
            torch.empty(1024, dtype=torch.int64),
        ],
    }[function]
    (text,) = planned(kernels, function, *inputs)
    (phase,) = phases_of(text)
    assert "shared_vectors" in phase
    assert loads_of(phase, 4) >= 1
    assert re.search(r"nvf::copy<4>\(&T\d+\[\w+\], T\d+\);", phase), "results are vectors"


def _cases() -> dict[str, tuple[Function, list[torch.Tensor]]]:
    x, ids = torch.randn(3, PLACES, FEATURES), torch.randint(-PLACES, PLACES, (64,))
    images = {
        f"{function.__name__} {'x'.join(map(str, shape))} {dtype}": (
            function,
            [torch.randn(shape).to(dtype, memory_format=torch.channels_last)],
        )
        for function in (reflected, upsampled)
        for shape, dtype in (
            ((2, 64, 28, 28), torch.float32),
            ((3, 96, 14, 30), torch.float16),
            ((1, 40, 65, 67), torch.float64),
        )
    }
    return {
        **images,
        "joined": (joined, [torch.randn(50, 16), torch.randint(50, (33, 8)), torch.randn(33, 16)]),
        "picked": (picked, [x, ids]),
        "picked and counted": (picked_and_counted, [x, ids]),
        "differences": (differences_of_picked, [torch.randn(2, 4, PLACES, FEATURES), ids.abs()]),
        "embedded": (embedded, [torch.randn(100, FEATURES), torch.randint(100, (3, 128))]),
        "pairs of 20": (pairs, [torch.randn(65, 9, 20)]),
        "distances of 16": (distances, [torch.randn(100, 16), torch.randn(90, 16)]),
        "distances of 12": (distances, [torch.randn(100, 12), torch.randn(90, 12)]),
        "states": (
            states,
            [torch.randn(8, 13, 768), torch.randn(768, 16), torch.randn(8, 13, 16)],
        ),
        "pairs of 64": (pairs, [torch.randn(33, 9, 64)]),
    }


@pytest.mark.parametrize("name", list(_cases()))
def test_values(device: str, name: str) -> None:
    function, inputs = _cases()[name]
    result = nvfuser.jit(function)(*(each.to(device) for each in inputs))
    torch.testing.assert_close(result.cpu(), function(*inputs))
