"""Comparing a compiled call with the function itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

__all__ = ["check_call"]


def check_call(
    function: Callable[..., Any],
    run: Callable[[Sequence[Any]], Any],
    inputs: Sequence[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Return the result of a compiled call, after comparing it with the function's.

    Parameters
    ----------
    function : callable
    run : callable
        The compiled function, of `inputs`.
    inputs : sequence
        The tensors among the arguments, and those of modules; any of them may be updated in place.
    args, kwargs
        Of the call.

    Raises
    ------
    AssertionError
        Where results, or updated inputs, differ by more than ``torch.testing.assert_close`` allows.
    """
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    before = [tensor.detach().clone() for tensor in tensors]
    state = torch.random.get_rng_state()
    with torch.random.fork_rng(enabled=True):
        torch.random.set_rng_state(state)
        result = run(inputs)
    updated = [tensor.detach().clone() for tensor in tensors]
    with torch.no_grad():
        for tensor, original, new in zip(tensors, before, updated, strict=True):
            if not torch.equal(original, new):
                tensor.copy_(original)
    expected = function(*args, **kwargs)
    _compare("result", pytree.tree_leaves(result), pytree.tree_leaves(expected))
    _compare("input", updated, tensors)
    return result


def _compare(what: str, actual: Sequence[Any], expected: Sequence[Any]) -> None:
    if len(actual) != len(expected):
        raise AssertionError(f"{len(actual)} {what}s came, but the function has {len(expected)}")
    for i, (value, right) in enumerate(zip(actual, expected, strict=True)):
        if isinstance(right, torch.Tensor):
            torch.testing.assert_close(
                value,
                right,
                equal_nan=True,
                check_stride=False,
                msg=lambda text, i=i: f"{what} {i} of the compiled function is wrong: {text}",
            )
        elif value != right:
            raise AssertionError(f"{what} {i} of the compiled function is {value}, not {right}")
