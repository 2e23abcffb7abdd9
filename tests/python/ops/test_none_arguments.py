"""None, as an argument of any bound function or inside of a list, is an error or has a meaning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nvfuser import FusionDefinition


def test_none_everywhere() -> None:
    """In a process of its own: what goes wrong here ends the process."""
    program = Path(__file__).parents[1] / "helpers" / "none_walk.py"
    result = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=600, check=False
    )
    lines = result.stdout.splitlines()
    assert result.returncode == 0, (lines[-1:], result.stderr[-2000:])
    functions, taken = (int(word) for word in lines[-1].split() if word.isdigit())
    # None stands for arguments that are otherwise right, for most functions.
    assert functions > 300
    assert taken > 0.6 * functions, lines[-1]


@pytest.mark.parametrize("position", [0, 1, 2])
def test_none_among_tensors(position: int) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 6], True)
        tensors = [x, x]
        tensors.insert(position, None)
        with pytest.raises(TypeError):
            fd.ops.cat(tensors, 0)
        fd.add_output(fd.ops.cat([x, x], 0))


def test_optional_tensors_may_be_none() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 6], True)
        fd.add_output(fd.ops.linear(x, x, None))
        fd.add_output(fd.ops.layer_norm(x, [6], None, None))
        fd.add_output(fd.ops.rms_norm(x, [6], weight=None))
