"""Kernels of programs are kept on disk: another process compiles none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from new_process import run_python

HERE = Path(__file__).parent

# A step of training and a call, with what the log says of their kernels.
SCRIPT = """
import logging
import sys
import torch
import nvfuser

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
torch.manual_seed(0)
module = torch.nn.Sequential(
    torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Softmax(-1)
).to("{device}")
fast = nvfuser.jit(module) if "{door}" == "jit" else torch.compile(module, backend="nvfuser")
x = torch.randn(4, 8, device="{device}", requires_grad=True)
fast(x).square().sum().backward()
with torch.no_grad():
    print("result", fast(x).sum().item(), x.grad.sum().item())
"""
KERNEL = re.compile(r"fusion \d+: kernel (\S+) \(\w+\): [\d.]+ ms, (.*)")


@pytest.mark.parametrize("door", ["compile", "jit"])
def test_second_process(door: str, device: str, tmp_path: Path) -> None:
    outputs = []
    for _ in range(2):
        script = SCRIPT.format(door=door, device=device)
        done = run_python(
            script,
            HERE,
            NVFUSER_CACHE_DIR=str(tmp_path),
            NVFUSER_DISABLE_CACHE="",
            NVFUSER_ENABLE="",
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    first, second = (KERNEL.findall(output) for output in outputs)
    assert first
    assert not any("disk" in origin for _, origin in first)
    assert [name for name, _ in second] == [name for name, _ in first]
    assert all(origin == "from the cache on disk" for _, origin in second), second
    results = [re.findall(r"^result (.*)$", output, re.MULTILINE) for output in outputs]
    assert results[0] == results[1] != []
