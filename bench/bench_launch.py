"""Cost of a call on the host with a GPU, beside a bare launch from C++.

    python bench/bench_launch.py

Question: how much more than `cuLaunchKernel` does it cost to have Python objects converted, outputs
allocated and a kernel launched?

Columns: a bare `cuLaunchKernel` of a kernel that does nothing, from a C++ loop; a fresh 4x4 tensor
by the fastest function that torch has for it, and its release, which no call that allocates its
output can do without; one `torch.add`; the four ways to call a fusion. n tensors of 4x4 are added
up and go through a relu. Microseconds, medians of rounds of 200 calls that begin with an idle
device, interleaved; in brackets the multiple of the bare launch. The targets are 1.5 for `execute`
with 2 tensors, 2 with 16, and 1.25 with `outputs=`.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import timeit
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from side_by_side import Samples, machine, markdown_table, measure

from nvfuser import FusionDefinition

COUNTS = (1, 2, 8, 16)
COLUMNS = {
    "bare": "bare launch",
    "empty": "fresh tensor",
    "add": "torch.add",
    "execute": "`fd.execute`",
    "given": "with `outputs=`",
    "plan": "plan",
    "plan given": "plan with `outputs=`",
}


class BareLaunch:
    """Launches a kernel that does nothing, from C++."""

    def __init__(self, folder: Path) -> None:
        library = folder / "bare_launch.so"
        source = Path(__file__).with_name("bare_launch.cpp")
        command = ["c++", "-std=c++20", "-O2", "-shared", "-fPIC", source, "-o", library, "-ldl"]
        subprocess.run(command, check=True)
        self._function = ctypes.CDLL(str(library)).seconds_per_launch
        self._function.restype = ctypes.c_double
        self._function.argtypes = [ctypes.c_void_p, ctypes.c_int]

    def seconds_per_call(self, calls: int) -> float:
        """Return the mean time of a launch on torch's current stream."""
        seconds = self._function(torch.cuda.current_stream().cuda_stream, calls)
        if seconds < 0:
            raise RuntimeError("a bare launch failed")
        return seconds


class Statement:
    """A statement of Python in a loop of its own, as `timeit` has it."""

    def __init__(self, text: str, names: dict[str, Any]) -> None:
        self._timer = timeit.Timer(text, globals=names)

    def seconds_per_call(self, calls: int) -> float:
        """Return the mean time of the statement."""
        return self._timer.timeit(calls) / calls


def candidates(count: int, device: str) -> dict[str, Statement]:
    """Return the calls on `count` tensors, each checked against eager torch."""
    inputs = [torch.randn(4, 4, device=device) for _ in range(count)]
    with FusionDefinition() as fd:
        values = [fd.define_tensor(shape=[-1, -1], contiguity=True) for _ in inputs]
        fd.add_output(fd.ops.relu(reduce(fd.ops.add, values)))
    plan = fd.bind(inputs)
    outputs = [torch.empty(4, 4, device=device)]
    names = {"fd": fd, "plan": plan, "inputs": inputs, "outputs": outputs, "torch": torch}
    names["empty"] = torch._C._dynamo.guards._empty_strided_cuda
    names |= {f"x{i}": tensor for i, tensor in enumerate(inputs)}
    arguments = ", ".join(f"x{i}" for i in range(count))
    calls = {
        "empty": "empty((4, 4), (4, 1), torch.float32)",
        "add": "torch.add(x0, x0)",
        "execute": "fd.execute(inputs)",
        "given": "fd.execute(inputs, outputs=outputs)",
        "plan": f"plan({arguments})",
        "plan given": f"plan({arguments}, outputs=outputs)",
    }
    expected = torch.relu(reduce(torch.add, inputs))
    for name, call in calls.items():
        if name not in ("empty", "add"):
            torch.testing.assert_close(eval(call, names)[0], expected)
    return {name: Statement(call, names) for name, call in calls.items()}


def row(count: int, samples: dict[str, Samples]) -> list[str]:
    """Return the row for `count` tensors as text."""
    bare = samples["bare"]
    cells = [f"{bare.median * 1e6:.2f}"]
    for name in list(COLUMNS)[1:]:
        cells.append(f"{samples[name].median * 1e6:.2f} ({samples[name].ratio_to(bare):.2f})")
    return [str(count), *cells]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=101)
    options = parser.parse_args()
    torch.zeros(1, device=options.device)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bare = BareLaunch(Path(folder))
        for count in COUNTS:
            functions = {"bare": bare, **candidates(count, options.device)}
            rows.append(
                row(count, measure(functions, options.device, options.rounds, clock="issue"))
            )
    print(machine(options.device))
    print("\n" + markdown_table(["tensors", *COLUMNS.values()], rows))


if __name__ == "__main__":
    main()
