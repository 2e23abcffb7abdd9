"""NVFUSER_DISABLE=torch_internals: the same results by what torch promises to keep alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# Views, updates in place, marked views, recorded calls, plans, and what torch counts and refuses.
CALLS = """
import torch
from nvfuser import FusionDefinition, _C

assert not any(_C.configure_torch_interop().values()), _C.configure_torch_interop()

def define(build, *tensors):
    with FusionDefinition() as fd:
        build(fd, *(fd.from_pytorch(tensor) for tensor in tensors))
    return fd

x = torch.randn(5, 8)
fd = define(lambda fd, t: [fd.add_output(fd.ops.mul(t, 2.0)),
                           fd.add_output(fd.ops.permute(t, [1, 0]))], x)
plan = fd.bind([x])
for given in (x, x[1:4], torch.randn(16, 8), torch._neg_view(x), torch.randn(0, 8)):
    for out, view in (fd.execute([given]), plan(given)):
        assert torch.equal(out, given * 2)
        assert torch.equal(view, given.mT)
        assert view.data_ptr() == given.data_ptr() or given.is_neg() or not given.numel()
traced = torch.jit.trace(lambda t: fd.execute([t])[0], x)
assert torch.equal(traced(x + 1), (x + 1) * 2)
assert torch.equal(torch.compile(lambda t: fd.execute([t])[0], backend="eager")(x), x * 2)

out = torch.empty(5, 8)
before = out._version
assert fd.execute([x], outputs=[out, None])[0] is out
assert torch.equal(out, x * 2) and out._version == before + 1

y = torch.zeros(3)
update = define(lambda fd, t: fd.add_output(fd.ops.add(t, 1.0), t), y)
update.execute([y])
assert y.tolist() == [1.0, 1.0, 1.0] and y._version == 1

try:
    fd.execute([x.clone().requires_grad_()])
except RuntimeError as error:
    assert "grad" in str(error)
else:
    raise AssertionError("expected an error")
with torch.no_grad():
    assert torch.equal(fd.execute([x.clone().requires_grad_()])[0], x * 2)
"""


def run(*command: str) -> None:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NVFUSER_DISABLE": "torch_internals"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_calls() -> None:
    run("-c", CALLS)


def test_values() -> None:
    """Smoke tests, and values of all dtypes and of memory that is shared."""
    tests = ["smoke", "values/test_values_cast.py", "values/test_values_aliasing.py"]
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/python/{test}" for test in tests))
