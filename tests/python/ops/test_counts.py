"""Numbers of results and repetitions that are far too large: an error at once, and not for ever."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from nvfuser import DataType, FusionDefinition

HUGE = (10**7, 2**40, 2**62, 2**80)
# The number that is given is one of operations.
OPERATIONS: dict[str, Callable[[Any, Any, int], Any]] = {
    "chunk": lambda ops, x, n: ops.chunk(x, n),
    "diff": lambda ops, x, n: ops.diff(x, n, 0),
    "tensordot": lambda ops, x, n: ops.tensordot(x, x, n),
}
# It is a size, which only the run can refuse.
SIZES: dict[str, Callable[[Any, Any, int], Any]] = {
    "repeat": lambda ops, x, n: ops.repeat(x, n, 1),
    "tile": lambda ops, x, n: ops.tile(x, n, 1),
    "repeat_interleave": lambda ops, x, n: ops.repeat_interleave(x, n, 0),
    "roll": lambda ops, x, n: ops.roll(x, n, 0),
    "unfold": lambda ops, x, n: ops.unfold(x, 0, n, 1),
    "one_hot": lambda ops, x, n: ops.one_hot(ops.cast(x, DataType.Int), n),
    "eye": lambda ops, x, n: ops.eye(n),
    "linspace": lambda ops, x, n: ops.linspace(0.0, 1.0, n),
    "tril": lambda ops, x, n: ops.tril(x, n),
    "zeros": lambda ops, x, n: ops.zeros([n]),
    "pad": lambda ops, x, n: ops.pad(x, [n, 0]),
}


@pytest.fixture(autouse=True)
def _seconds() -> Iterator[None]:
    """End what does not end."""

    def stop(*_: Any) -> None:
        pytest.fail("it goes on and on")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def defined(step: Callable[[Any, Any, int], Any], n: int) -> None:
    with FusionDefinition() as fd:
        step(fd.ops, fd.define_tensor([-1, -1], dtype=DataType.Float), n)
        # Otherwise nothing is wrong.
        raise KeyError(n)


@pytest.mark.parametrize("n", HUGE)
@pytest.mark.parametrize("name", OPERATIONS)
def test_huge_numbers_of_operations_are_errors(name: str, n: int) -> None:
    with pytest.raises((RuntimeError, TypeError), match=str(n)):
        defined(OPERATIONS[name], n)


@pytest.mark.parametrize("name", SIZES)
def test_numbers_of_more_than_64_bits_are_errors_that_say_so(name: str) -> None:
    with pytest.raises(TypeError, match="which 64 bits do not hold"):
        defined(SIZES[name], 2**80)


@pytest.mark.parametrize("name", SIZES)
def test_huge_sizes_are_defined_at_once(name: str) -> None:
    with pytest.raises(KeyError):
        defined(SIZES[name], 2**62)


@pytest.mark.parametrize("name", ["split", "unbind"])
def test_huge_dimensions_have_too_many_pieces(name: str) -> None:
    def define() -> None:
        with FusionDefinition() as fd:
            x = fd.define_tensor([2**40], contiguity=[True], dtype=DataType.Float)
            fd.ops.split(x, 1, 0) if name == "split" else fd.ops.unbind(x, 0)

    with pytest.raises(RuntimeError, match=f"{name}: {2**40} results"):
        define()


def test_more_pieces_than_elements_are_as_many(device: str) -> None:
    x = torch.arange(5.0, device=device)
    for n in (5, 6, 2**80):
        with FusionDefinition() as fd:
            pieces = fd.ops.chunk(fd.define_tensor([5], contiguity=[True], dtype=DataType.Float), n)
            assert len(pieces) == len(x.chunk(min(n, 2**62)))
            fd.add_output(pieces[-1])
        torch.testing.assert_close(fd.execute([x])[0], x[4:])


def test_more_differences_than_elements_are_none(device: str) -> None:
    x = torch.arange(5.0, device=device) ** 2
    for n in (4, 5, 100, 2**62):
        with FusionDefinition() as fd:
            of_it = fd.define_tensor([5], contiguity=[True], dtype=DataType.Float)
            fd.add_output(fd.ops.diff(of_it, n))
        torch.testing.assert_close(fd.execute([x])[0], torch.diff(x, n))
