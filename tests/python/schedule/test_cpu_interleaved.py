"""Results that interleave a few runs on the CPU: a loop over the row around one over the runs."""

from __future__ import annotations

import re

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import nvfuser
from nvfuser import DataType, FusionDefinition


def upsample(x: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x, scale_factor=2, mode="nearest") * 0.5


def rotate_pairs(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    across = torch.stack([-pairs[..., 1], pairs[..., 0]], -1).reshape(x.shape)
    return x * cosine[None, None] + across * sine[None, None]


def move_windows_apart(x: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = x.shape
    cells = x.reshape(batch, channels, height // 2, 2, width // 2, 2).permute(0, 1, 3, 5, 2, 4)
    return F.gelu(cells.reshape(batch, channels * 4, height // 2, width // 2))


CASES = {
    "move_windows_apart": (move_windows_apart, [(2, 3, 12, 32)]),
    "upsample": (upsample, [(1, 6, 20, 24)]),
    "rotate_pairs": (rotate_pairs, [(1, 3, 11, 26), (11, 26), (11, 26)]),
}


@pytest.mark.parametrize("name", CASES)
def test_no_index_of_a_row_is_divided(name: str, texts: list[str]) -> None:
    function, shapes = CASES[name]
    inputs = [torch.randn(shape) for shape in shapes]
    torch.testing.assert_close(nvfuser.jit(function)(*inputs), function(*inputs))
    (text,) = texts
    # What follows the header of the loop over a row, which is the second one.
    row = re.split(r"^loop\.\d+:\n", text, flags=re.MULTILINE)[2:]
    assert len(row) >= 2, "no loop over runs in one over a row"
    assert not re.search(r"= [su](?:div|rem) i64", "".join(row))


def normal(elements: int) -> torch.Tensor:
    with FusionDefinition() as fd:
        mean, std = fd.define_scalar(0.0), fd.define_scalar(1.0)
        seed, offset = fd.define_scalar(3, DataType.Int), fd.define_scalar(0, DataType.Int)
        x = fd.define_tensor([-1], True)
        numbers = fd.ops.normal(
            mean, std, x.shape, rng_seed=seed, rng_offset=offset, dtype=DataType.Float
        )
        fd.add_output(fd.ops.add(x, numbers))
    (result,) = fd.execute([torch.zeros(elements)])
    return result


def written_out(text: str) -> int:
    """Return how many loops have the hint to write all of their iterations out."""
    (hint,) = re.findall(r'^(!\d+) = !{!"llvm.loop.unroll.full"}', text, flags=re.MULTILINE)
    return len(re.findall(rf"distinct !{{!\d+, {hint}}}", text))


def test_random_numbers_of_one_counter_are_computed_together(texts: list[str]) -> None:
    results = [normal(elements) for elements in (400, 401)]
    # Four elements in an iteration, where there are no others.
    assert [written_out(text) > 0 for text in texts] == [True, False]
    assert torch.equal(results[0], results[1][:400])
