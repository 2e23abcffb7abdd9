"""Results that interleave a few runs on the CPU: a loop over the row around one over the runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import nvfuser
from nvfuser.llvm import compiler


def upsample(x: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x, scale_factor=2, mode="nearest") * 0.5


def rotate_pairs(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    across = torch.stack([-pairs[..., 1], pairs[..., 0]], -1).reshape(x.shape)
    return x * cosine[None, None] + across * sine[None, None]


CASES = {
    "upsample": (upsample, [(1, 6, 20, 24)]),
    "rotate_pairs": (rotate_pairs, [(1, 3, 11, 26), (11, 26), (11, 26)]),
}


@pytest.mark.parametrize("name", CASES)
def test_no_index_of_a_row_is_divided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    compile_ir = compiler.compile_ir

    def keep(ir: str, *args: Any, **options: Any) -> Any:
        texts.append(ir)
        return compile_ir(ir, *args, **options)

    monkeypatch.setattr(compiler, "compile_ir", keep)
    function, shapes = CASES[name]
    inputs = [torch.randn(shape) for shape in shapes]
    torch.testing.assert_close(nvfuser.jit(function)(*inputs), function(*inputs))
    (text,) = texts
    # What follows the header of the loop over a row, which is the second one.
    row = re.split(r"^loop\.\d+:\n", text, flags=re.MULTILINE)[2:]
    assert len(row) >= 2, "no loop over runs in one over a row"
    assert not re.search(r"= [su](?:div|rem) i64", "".join(row))
