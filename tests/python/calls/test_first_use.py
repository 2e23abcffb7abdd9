"""Several threads are the first to use a part of the library, all at once.

Each kind of first use runs in a process of its own, with threads that start at a barrier while the
interpreter changes threads as often as it can. What a thread waits for while another has it, with
the interpreter's lock that the other needs, never ends: then the process is ended here.

For an hour, in an endless loop over all kinds:
``python tests/python/calls/test_first_use.py 3600``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

THREADS = 8
# After which it is asked whether a process still runs: one that is blocked uses no time of the
# processor, and one whose threads wait for the interpreter's lock uses more than the work takes. On
# a busy machine, time alone says nothing.
SECONDS = 60.0
PROCESSOR_SECONDS = 120.0

# Text between threads and their start; each kind defines `use(number)`, which all of them call.
PROGRAM = """
import sys, threading
{setup}
sys.setswitchinterval(1e-6)
barrier = threading.Barrier({threads})
failures = []

def thread(number):
    barrier.wait()
    try:
        use(number)
    except BaseException as error:
        failures.append(error)

threads = [threading.Thread(target=thread, args=(n,)) for n in range({threads})]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not failures, failures
"""

DEFINITIONS = """
from nvfuser import FusionDefinition, DataType

def pointwise():
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True)
        fd.add_output(fd.ops.relu(x) + 1.0)
    return fd

def product():
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True)
        fd.add_output(fd.ops.matmul(fd.ops.relu(x), x))
    return fd

def no_inputs():
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.full([3, 4], 2.0, DataType.Float))
    return fd
"""

KINDS = {
    "library call": """
import torch
x = torch.ones(4, 4)
fd = product()
def use(number):
    assert fd.execute([x])[0].sum() == 64
""",
    "library calls of different fusions": """
import torch
x = torch.ones(4, 4)
fds = [product() for _ in range(8)]
def use(number):
    assert fds[number].execute([x])[0].sum() == 64
""",
    "no inputs": """
fd = no_inputs()
def use(number):
    assert float(fd.execute([])[0].sum()) == 24
""",
    "no inputs, torch imported": """
import torch
fds = [no_inputs() for _ in range(8)]
def use(number):
    assert float(fds[number].execute([])[0].sum()) == 24
""",
    "execute": """
import torch
x = torch.ones(4, 4)
fd = pointwise()
def use(number):
    assert fd.execute([x])[0].sum() == 32
    assert fd.execute([x], outputs=[torch.empty(4, 4)])[0].sum() == 32
""",
    "bind": """
import torch
x = torch.ones(4, 4)
fd = pointwise()
def use(number):
    assert fd.bind([x])(x)[0].sum() == 32
""",
    "import of torch": """
fd = pointwise()
def use(number):
    import torch
    assert fd.execute([torch.ones(4, 4)])[0].sum() == 32
""",
    "import of nvfuser": """
import torch
def use(number):
    from nvfuser import FusionDefinition
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True)
        fd.add_output(fd.ops.relu(x) + 1.0)
    assert fd.execute([torch.ones(4, 4)])[0].sum() == 32
""",
    "NumPy": """
import numpy
fd = pointwise()
def use(number):
    assert fd.execute([numpy.ones((4, 4), "float32")])[0].sum() == 32
""",
    "random numbers": """
import torch
def use(number):
    with FusionDefinition() as fd:
        lo, hi = fd.define_scalar(0.0), fd.define_scalar(1.0)
        fd.add_output(fd.ops.uniform(lo, hi, [5, 6], dtype=DataType.Float))
    fd.execute([])
""",
    "questions while others compile": """
import torch
x = torch.ones(4, 4)
fd = pointwise()
fd.execute([x])
def use(number):
    y = torch.ones(4 + number, 4)
    for size in range(5, 12):
        if number % 2:
            fd.execute([torch.ones(size, 4 + number)])
        else:
            fd.fec.is_compiled([y])
            from nvfuser import _C
            _C.describe_run(fd.fec)
""",
    "inputs that need help": """
import torch
negative = torch._neg_view(torch.ones(4, 4))
parameter = torch.nn.Parameter(torch.ones(4, 4), requires_grad=False)
fd = pointwise()
def use(number):
    assert fd.execute([negative])[0].sum() == 16
    assert fd.execute([parameter])[0].sum() == 32
""",
    "profiler": """
import torch
from nvfuser import PythonProfiler
fd = pointwise()
x = torch.ones(4, 4)
def use(number):
    with PythonProfiler() as profile:
        fd.execute([x])
""",
}


def processor_seconds(process: int) -> float:
    """Return the time that the threads of a process have used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(kind: str, folder: Path) -> str | None:
    """Return what went wrong."""
    definitions = "" if kind == "import of nvfuser" else DEFINITIONS
    program = PROGRAM.format(setup=definitions + KINDS[kind], threads=THREADS)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"NVFUSER_CACHE_DIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    used = 0.0
    while True:
        try:
            _, errors = process.communicate(timeout=SECONDS)
            break
        except subprocess.TimeoutExpired:
            before, used = used, processor_seconds(process.pid)
            if before + 0.05 < used < PROCESSOR_SECONDS:
                continue
            process.kill()
            process.communicate()
            return f"{kind}: no end after {used:.1f} s of the processor, {used - before:.1f} lately"
    return None if process.returncode == 0 else f"{kind}: {errors[-2000:]}"


@pytest.mark.parametrize("kind", KINDS)
def test_threads_at_first_use(kind: str, tmp_path: Path) -> None:
    assert run(kind, tmp_path) is None


def static_variables(source: str) -> list[str]:
    """Return the variables that are static in a function or class and initialized at run time."""
    source = re.sub(r"//.*", "", source)
    found = re.findall(r"^[ \t]+(?:constinit\s+)?static\s[^;{(]*(?:[;{(]|$)", source, re.M)
    return [
        text.strip()
        for text in found
        # A parenthesis first: a function that is a static member.
        if "constinit" not in text
        and "constexpr" not in text
        and ("=" in text or not text.rstrip().endswith("("))
    ]


def test_no_static_variable_waits_for_python() -> None:
    """The second thread at an initializer that runs waits for it, with the interpreter's lock."""
    assert static_variables("  static PyObject* const x = f();") != []
    assert static_variables("  static const bool is = [] { return f(); }();") != []
    assert static_variables("  static std::vector<int> list;") != []
    assert static_variables("  static const Table table{f()};") != []
    assert static_variables("  constinit static PyObject* x = nullptr;") == []
    assert static_variables("  static constexpr int kOne = 1;") == []
    assert static_variables("  static uint64_t wordAt(const std::byte* object) {") == []
    bindings = Path(__file__).parents[3] / "bindings"
    files = [*bindings.rglob("*.cpp"), *bindings.rglob("*.h")]
    assert len(files) > 30
    for path in files:
        found = static_variables(path.read_text(encoding="utf-8"))
        assert found == [], f"{path.name}: constinit, see bindings/support/kept_forever.h"


if __name__ == "__main__":
    import tempfile

    end = time.monotonic() + float(sys.argv[1])
    rounds = 0
    while time.monotonic() < end:
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                if failure := run(kind, Path(folder)):
                    sys.exit(failure)
        rounds += 1
        print(f"{rounds} rounds", flush=True)
