"""What needs PyTorch says so in one sentence where it is not installed; what does not, runs."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("numpy")

START = """\
import sys
sys.modules["torch"] = None  # as if it were not installed
import numpy
import nvfuser
from nvfuser import FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor([-1, -1])
    fd.add_output(x.softplus().sum(0))
with FusionDefinition() as product:
    x = product.define_tensor([-1, -1])
    product.add_output(product.ops.matmul(x, x))
a = numpy.ones((3, 3), dtype=numpy.float32)
"""


def output_of(program: str) -> str:
    """Return what a program writes, or the message of the error that it ends with."""
    source = START + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    lines = (done.stdout + done.stderr).strip().splitlines()
    first = [i for i, line in enumerate(lines) if "Error: " in line]
    return "\n".join(lines[first[-1] if first else 0 :])


def test_definitions_run_on_arrays() -> None:
    assert output_of("print(fd.execute([a])[0].shape, fd.bind([a])(a)[0].shape)") == "(3,) (3,)"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("fd.validate([a])", "A comparison without references needs PyTorch"),
        ("fd.manual_validate([a])", "A comparison without references needs PyTorch"),
        ("fd.validate([a], [a])", "A comparison of outputs needs PyTorch"),
        ("fd.execute([a], save_repro_inputs=True)", "nvfuser.pytorch_utils needs PyTorch"),
        ("fd.repro_script_for([a])", "A script that runs a fusion on inputs needs PyTorch"),
        ("fd.from_pytorch(a)", "from_pytorch needs PyTorch"),
        ("nvfuser.pytorch_utils", "nvfuser.pytorch_utils needs PyTorch"),
        ("nvfuser.multidevice", "nvfuser.multidevice needs PyTorch"),
        ("nvfuser.nvf_cutlass", "nvfuser.nvf_cutlass needs PyTorch"),
        ("nvfuser.execute_with_dtensors", "nvfuser.multidevice needs PyTorch"),
        ("import nvfuser.reference", "A comparison without references needs PyTorch"),
    ],
)
def test_one_sentence(program: str, message: str) -> None:
    expected = f"ModuleNotFoundError: {message}, which is not installed: run `pip install torch`"
    assert output_of(program) == expected


def test_library_calls_say_which_operation() -> None:
    text = output_of("product.execute([a])")
    assert text.startswith("RuntimeError: The operation matmul is computed by torch, which is not")
