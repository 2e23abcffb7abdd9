"""Arguments that are computed from sizes, of one trace for all sizes: nothing is left to torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

import nvfuser


def rotated(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1) * 2


def written(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    y = torch.zeros_like(x)
    y[..., :half] = x[..., -half:]
    y[..., half:] = -x[..., : x.shape[-1] - half]
    return y


def shifted(x: torch.Tensor) -> torch.Tensor:
    first, second = x.shape[-1] // 4, x.shape[-1] // 2
    ahead = functional.pad(x[:, 1:, :first], (0, 0, 0, 1))
    behind = functional.pad(x[:, :-1, first:second], (0, 0, 1, 0))
    return torch.cat([ahead, behind, x[..., second:]], -1) * 2


FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rotated halves": rotated,
    "written halves": written,
    "shifted parts": shifted,
    "from the end": lambda x: x[..., -(x.shape[-1] // 2) :] * 2,
    "part": lambda x: x[..., x.shape[-1] // 4 : x.shape[-1] // 2] * 2,
    "beyond the end": lambda x: x[..., x.shape[0] * 2 :] * 2,
    "narrow": lambda x: x.narrow(-1, x.shape[-1] // 2, x.shape[-1] // 2) * 2,
    "roll": lambda x: torch.roll(x * 2, x.shape[1] // 2, 1) + 1,
    "two rolls": lambda x: torch.roll(x * 2, (x.shape[1] // 2, -1), (1, 2)) + 1,
    "slice of a pad": lambda x: functional.pad(x, (1, 1))[..., x.shape[-1] // 2 :] * 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name: str) -> None:
    function = FUNCTIONS[name]
    compiled = nvfuser.jit(function)
    for shape in ((3, 6, 8), (3, 5, 16), (4, 7, 9), (2, 2, 4)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), function(x))
    assert "by torch" not in str(nvfuser.explain(function, torch.randn(3, 6, 8)))
