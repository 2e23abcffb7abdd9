"""Slices of what is padded: what is left of both is computed, and of sizes of any kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.nn.functional import pad

import nvfuser

Function = Callable[[torch.Tensor], torch.Tensor]

FUNCTIONS: dict[str, Function] = {
    "neighbours": lambda x: (lambda p: p[:, 2:, 1:-1] + p[:, :-2, 1:-1] - 2 * x)(pad(x, [1] * 4)),
    "value": lambda x: pad(x, (1, 2, 3, 0), value=2.5)[:, 1:-1, 2:] * 2,
    "padding alone": lambda x: pad(x, (3, 3))[..., :2] + 1,
    "steps": lambda x: pad(x, (3, 3))[..., ::2] + 1,
    "negative widths": lambda x: pad(x, (-1, 3))[..., 1:4] + 1,
    "from the end": lambda x: pad(x, (1, 1))[..., -3:] + 1,
    "beyond": lambda x: pad(x, (1, 1))[..., 4:] + 1,
    "nothing": lambda x: pad(x, (1, 1))[..., 5:2] + 1,
    "slices of slices": lambda x: pad(x * 2, (0, 0, 1, 1))[:, 1:][:, :-1][:, 1:] + 1,
    "bool": lambda x: pad(x > 0, (1, 1), value=True)[..., 1:],
    "both": lambda x: pad(x, (1, 1))[..., 1:-1] * pad(x, (1, 1)).sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name: str) -> None:
    function = FUNCTIONS[name]
    # One trace for all sizes, as far as that is possible.
    compiled = nvfuser.jit(function)
    for shape in ((3, 6, 8), (3, 2, 3), (4, 1, 9), (2, 7, 2)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), function(x))
        torch._dynamo.reset()
        with torch.no_grad():
            known = torch.compile(function, backend="nvfuser", dynamic=False)(x)
        torch.testing.assert_close(known, function(x))


def test_nothing_is_padded_where_a_slice_takes_it_away() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return pad(x, (1, 1, 1, 1))[:, 1:-1, 1:-1] * 2

    definition = nvfuser.explain(function, torch.randn(3, 6, 8))
    operations = str(definition).replace(__file__, "").replace(Path(__file__).name, "")
    assert "pad" not in operations
