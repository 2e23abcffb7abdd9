"""Exported programs."""

from __future__ import annotations

import io

import pytest
import torch
from torch import nn
from torch.export import Dim, export

import nvfuser

STRICT = {"strict": True}


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("scale", torch.ones(3), persistent=False)

    def forward(self, x: torch.Tensor, options: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        self.calls.add_(1)
        y = self.linear(x).relu() * self.scale + options["shift"]
        return {"y": y, "mean": y.mean(), "x": x}


def test_program(device: str) -> None:
    module = Counter().to(device)
    x, options = torch.randn(5, 4, device=device), {"shift": torch.ones(3, device=device)}
    program = export(module, (x, options), dynamic_shapes=({0: Dim("batch")}, {"shift": None}))
    run = nvfuser.compile_exported(program, options=STRICT)
    for size in (5, 8):
        x = torch.randn(size, 4, device=device)
        result = run(x, options)
        expected = module(x, options)
        assert result["x"] is x
        torch.testing.assert_close(result, expected)
    assert module.calls == 4  # The program has the tensors of the module.
    with pytest.raises(TypeError, match="Expected arguments as the program was exported with"):
        run(x)


# Of torch 2.11, about what torch.export.load does itself.
@pytest.mark.filterwarnings("ignore:The given buffer is not writable:UserWarning")
def test_saved_program(device: str) -> None:
    class Update(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x.mul_(2)
            return x.softmax(-1) + torch.tensor([1.0, 2.0], device=x.device)

    x = torch.randn(3, 2, device=device)
    memory = io.BytesIO()
    torch.export.save(export(Update(), (x.clone(),)), memory)
    memory.seek(0)
    run = nvfuser.compile_exported(torch.export.load(memory), options=STRICT)
    ours, theirs = x.clone(), x.clone()
    torch.testing.assert_close(run(ours), Update()(theirs))
    torch.testing.assert_close(ours, theirs)


def test_what_is_no_program() -> None:
    with pytest.raises(TypeError, match=r"takes a torch\.export\.ExportedProgram, but got Linear"):
        nvfuser.compile_exported(nn.Linear(2, 2))
    program = export(nn.Linear(2, 2), (torch.randn(1, 2),))
    with pytest.raises(ValueError, match=r"no option 'fast' for torch\.compile"):
        nvfuser.compile_exported(program, options={"fast": True})
