"""What options mean for the compiler of CUDA kernels."""

from __future__ import annotations

from typing import Any

import emulation
import pytest
import torch

from nvfuser import FusionDefinition
from nvfuser.cuda import compiler

ENABLED = {
    "kernel_debug": {"extra_options": ["--device-debug"]},
    "kernel_lineinfo": {"extra_options": ["--generate-line-info"]},
    "fast_math": {"extra_options": ["--use_fast_math"]},
    "warn_register_spill": {
        "extra_options": ["--ptxas-options=--warn-on-spills"],
        "report": ["log"],
    },
}
DISABLED = {
    "fma": {"extra_options": ["--fmad=false"]},
    "compile_to_sass": {"to_ptx": True},
    "nvrtc_caching": {"cache": False},
}
DEFAULT = {"cache": True, "extra_options": [], "report": [], "to_ptx": False}


@pytest.mark.parametrize(
    ("kind", "option", "expected"),
    [("_enable_options", option, meaning) for option, meaning in ENABLED.items()]
    + [("_disable_options", option, meaning) for option, meaning in DISABLED.items()],
)
def test_options_reach_the_compiler(
    device: str,
    kind: str,
    option: str,
    expected: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[dict[str, Any]] = []

    def compile_kernel(kernel: str, compute_capability: int, **options: Any) -> bytes:
        given.append(options)
        return emulation.compile_kernel(kernel, compute_capability)

    monkeypatch.setattr(compiler, "compile_kernel", compile_kernel)
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.neg(x))
    inputs = [torch.arange(5.0, device=device)]
    for options in ({}, {kind: [option]}):
        (out,) = fd.execute(inputs, **options)
        assert torch.equal(out, -inputs[0])
    assert given == [DEFAULT, DEFAULT | expected]
