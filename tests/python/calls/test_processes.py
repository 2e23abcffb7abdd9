"""Processes that fork while threads compile, and that end while threads run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What the programs have in common: a fusion that is compiled anew for each number.
DEFINITIONS = """
import os, signal, threading, time
import torch
from nvfuser import FusionDefinition

def add_repeatedly(number, count=6):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], [True, True])
        y = x
        for _ in range(count):
            y = fd.ops.sin(y) + number
        fd.add_output(y)
    return fd

def start(function, count=3):
    for _ in range(count):
        threading.Thread(target=function, daemon=True).start()
"""


def run(program: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", DEFINITIONS + program],
        env=os.environ | {"NVFUSER_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_child_compiles_while_threads_of_its_parent_did(tmp_path: Path) -> None:
    result = run(
        """
import itertools, warnings
warnings.simplefilter("ignore", DeprecationWarning)
x = torch.randn(3, 4)
numbers = itertools.count()
compiled = threading.Semaphore(0)

def compile():
    while True:
        add_repeatedly(1.0 + next(numbers)).execute([x])
        compiled.release()

start(compile)
for child in range(4):
    compiled.acquire()
    process = os.fork()
    if process == 0:
        signal.alarm(100)
        (y,) = add_repeatedly(-1.0 - child, count=1).execute([x])
        os._exit(0 if torch.allclose(y, x.sin() - 1 - child, atol=1e-6) else 1)
    _, status = os.waitpid(process, 0)
    assert status == 0, f"child {child} ended with {status}"
os._exit(0)
""",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr


def test_the_interpreter_ends_before_its_daemon_threads(tmp_path: Path) -> None:
    # Memory is not freed meanwhile, during which torch has threads aborted that the interpreter
    # ends.
    result = run(
        """
x = torch.randn(1000, 500)
out = torch.empty_like(x)
fd = add_repeatedly(1.0)
fd.execute([x])
begun = threading.Semaphore(0)

def work():
    while True:
        fd.execute([x], outputs=[out])
        begun.release()

start(work)
for _ in range(4):
    begun.acquire()
""",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("stack", [0, 256 * 1024])
def test_the_interpreter_ends_while_daemon_threads_compile(stack: int, tmp_path: Path) -> None:
    # A thread with a small stack compiles on another one, which the interpreter does not know. As
    # above no memory is freed: torch lets go of the interpreter's lock for that, and takes it again
    # in a destructor, which must not end the thread.
    for delay in (0.0, 0.05, 0.1):
        result = run(
            f"""
import itertools
threading.stack_size({stack})
x = torch.randn(3, 4)
out = torch.empty_like(x)
numbers = itertools.count()
begun = threading.Semaphore(0)

def compile():
    while True:
        begun.release()
        add_repeatedly(1.0 + next(numbers)).execute([x], outputs=[out])

start(compile)
for _ in range(4):
    begun.acquire()
time.sleep({delay})
""",
            tmp_path / str(delay),
        )
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
