"""A value of a fusion has no truth value: what would take the wrong way silently is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from nvfuser import DataType, FusionDefinition

# What Python makes of these asks for a truth value, a number or elements.
QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "bool": lambda a, b: bool(a),
    "not": lambda a, b: not a,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "if": lambda a, b: 1 if a > 0 else 2,
    "chain": lambda a, b: 0 < a < 1,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "sorted": lambda a, b: sorted([a, b]),
    "any": lambda a, b: any([a > 0, b]),
    "all": lambda a, b: all([a > 0, b]),
    "filter": lambda a, b: list(filter(None, [a, b])),
    "while": lambda a, b: next(iter([1 for _ in range(2) if a < b])),
}
NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "float": lambda a, b: float(a),
    "int": lambda a, b: int(a),
    "complex": lambda a, b: complex(a),
    "index": lambda a, b: [1, 2][a],
    "range": lambda a, b: range(a),
    "len": lambda a, b: len(a),
}


def values(kind: str, fd: FusionDefinition) -> tuple[Any, Any]:
    if kind == "tensor":
        return fd.define_tensor([4], True), fd.define_tensor([4], True)
    if kind == "scalar":
        return fd.define_scalar(DataType.Double), fd.define_scalar(DataType.Double)
    return fd.define_scalar(0.0), fd.define_scalar(1.0)


@pytest.mark.no_round_trip
@pytest.mark.parametrize("kind", ["tensor", "scalar", "constant"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_truth_value(question: str, kind: str) -> None:
    with FusionDefinition() as fd:
        a, b = values(kind, fd)
        with pytest.raises(TypeError, match=r"has no truth value.*fd\.ops\.where.*logical_and"):
            QUESTIONS[question](a, b)


@pytest.mark.no_round_trip
@pytest.mark.parametrize("kind", ["tensor", "scalar"])
@pytest.mark.parametrize("question", NUMBERS)
def test_no_number(question: str, kind: str) -> None:
    with FusionDefinition() as fd:
        a, b = values(kind, fd)
        with pytest.raises(TypeError):
            NUMBERS[question](a, b)


@pytest.mark.no_round_trip
def test_equality_is_identity() -> None:
    with FusionDefinition() as fd:
        a, b = values("tensor", fd)
        assert (a == a) is True
        assert (a == b) is False
        assert a in [b, a]
        assert a not in [b]
        assert len({a, b, a}) == 2
        assert a.axis(0)  # a dimension, and no value


def test_what_the_message_says_to_write() -> None:
    with FusionDefinition() as fd:
        a = fd.define_tensor([-1], True)
        inside = fd.ops.logical_and(fd.ops.gt(a, 0.0), fd.ops.lt(a, 1.0))
        fd.add_output(fd.ops.where(inside, a, 0.0))
        fd.add_output(fd.ops.maximum(a, 0.5))
    x = torch.tensor([-1.0, 0.25, 2.0])
    chosen, largest = fd.execute([x])
    assert torch.equal(chosen, torch.tensor([0.0, 0.25, 0.0]))
    assert torch.equal(largest, x.clamp(min=0.5))
