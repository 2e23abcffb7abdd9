"""Random arguments for every operation: a result or an error of the documented kinds."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

from nvfuser import DataType, FusionDefinition, ParallelType, ops

# What the checks of operations raise; others are defects.
DOCUMENTED = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, OverflowError)

OPERATIONS = sorted(name for name in dir(ops) if not name.startswith("_"))
TENSORS = [
    ((4, 6), torch.float32),
    ((4, 6), torch.bfloat16),
    ((2, 3, 4), torch.float64),
    ((6,), torch.int64),
    ((4, 6), torch.bool),
    ((), torch.float32),
    ((0, 5), torch.float32),
    ((1, 6), torch.complex64),
    ((3,), torch.int32),
]
DEFINITIONS, RUNS = 30, 4


INTEGERS = [0, 1, 2, -1, 5, -7, 2**31, 2**62, 2**64, -(2**63), 10**30]
FLOATS = [True, 0.5, -0.0, 1e300, float("nan"), float("inf"), 1 + 2j, complex("nan")]


def number(rng: random.Random) -> Any:
    return rng.choice([*INTEGERS, *FLOATS])


def sequence(rng: random.Random, values: list[Any]) -> Any:
    kind = rng.choice([list, tuple])
    pool = [lambda: rng.randint(-3, 6), lambda: rng.choice(values), lambda: number(rng)]
    pool += [lambda: rng.choice([True, False, None, "a", 1.5])]
    # Mostly numbers that could be dimensions.
    chosen = rng.choices(pool, [12, 2, 1, 2])[0]
    return kind(chosen() for _ in range(rng.randint(0, 4)))


def argument(rng: random.Random, values: list[Any]) -> Any:
    makers: list[Callable[[], Any]] = [
        lambda: rng.choice(values),
        lambda: number(rng),
        lambda: rng.randint(-2, 3),
        lambda: sequence(rng, values),
        lambda: rng.choice(list(DataType.__members__.values())),
        lambda: rng.choice([None, "", "text", b"bytes", object(), ParallelType.grid_x, {}, int]),
        lambda: torch.zeros(2),
    ]
    return rng.choices(makers, [12, 4, 6, 6, 2, 2, 1])[0]()


def call(function: Callable[..., Any], arguments: list[Any]) -> list[Any]:
    returned = function(*arguments)
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def attempt(action: Callable[[], list[Any]]) -> tuple[list[Any] | None, str | None]:
    """Return what the call returns, or the message of what it raised."""
    try:
        return action(), None
    except DOCUMENTED as error:
        return None, str(error)


def run_with_bad_input(fd: FusionDefinition, inputs: list[Any], rng: random.Random) -> None:
    """One of the inputs is another thing: an error that says so, or a result."""
    good = inputs[0]
    others = [
        torch.empty(good.shape, dtype=good.dtype, device="meta"),
        good.unsqueeze(0),
        good.to(torch.float64 if good.dtype is not torch.float64 else torch.int64),
        good.to_sparse() if good.dim() else None,
        *[None, "text", b"bytes", object(), [good, good], 10**30, float("nan"), 2 + 1j, DataType],
    ]
    position = rng.randrange(len(inputs))
    bad = [*inputs[:position], rng.choice(others), *inputs[position + 1 :]]
    _, message = attempt(functools.partial(fd.execute, bad))
    assert message != ""
    # The definition is as usable as before.
    assert fd.execute(inputs)[-1].shape == good.shape


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("name", OPERATIONS)
def test_random_arguments(name: str, device: str) -> None:
    rng = random.Random(name)
    function = getattr(ops, name)
    runs = 0
    for _ in range(DEFINITIONS):
        chosen = rng.choices(TENSORS, k=3)
        inputs = [make_tensor(shape, dtype, device, 0, 3) for shape, dtype in chosen]
        with FusionDefinition() as fd:
            values = [fd.from_pytorch(x) for x in inputs]
            values += [fd.define_scalar(DataType.Int), fd.define_scalar(2.5)]
            arguments = [argument(rng, values) for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 6]))]
            returned, message = attempt(functools.partial(call, function, arguments))
            assert message != "", arguments
            outputs = [r for r in returned or [] if hasattr(r, "ndim")]
            for output in outputs:
                fd.add_output(output)
            # Whatever was raised, the definition can be used.
            fd.add_output(fd.ops.neg(values[0]) if chosen[0][1] is not torch.bool else values[0])
        if runs == RUNS and outputs:
            continue
        runs += bool(outputs)
        returned, message = attempt(functools.partial(fd.execute, [*inputs, 3]))
        if returned is None:
            assert outputs, message
            assert message
        else:
            assert returned[-1].shape == inputs[0].shape
            run_with_bad_input(fd, [*inputs, 3], rng)
