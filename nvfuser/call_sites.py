"""Where in a user's program the values of a definition come from, for error messages.

Every operation notes the line that called it: two references, no text. Tensors are numbered in
order of creation, so that a tensor in the midst of a composed operation belongs to the line whose
result is the next one that was noted.
"""

from __future__ import annotations

import bisect
import os
import re
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from nvfuser import _C
from nvfuser.dtypes import TABLE

__all__ = ["CallSites", "current", "explain", "explain_error", "note", "user_depth", "user_line"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_TENSOR = re.compile(r"\bT(\d+)_")
_INPUT = re.compile(r"Expected input (\d+),")
_DTYPE = re.compile(r"(?:dtypes?|type:|got|and|dtype of) (std::complex<\w+>|[a-z_]\w*)")


class CallSites:
    """The lines of one definition."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._calls: list[tuple[CodeType, int] | str] = []
        self._operations: list[str | None] = []
        self._reasons: dict[int, str] = {}
        self._inputs: list[tuple[CodeType, int] | str] = []

    def add(self, number: int, frame: FrameType | None, operation: str | None = None) -> None:
        """Note that the tensors up to `number` come from where `frame` is, by an operation."""
        call = _user_call(frame)
        if call is not None and not (self._numbers and self._numbers[-1] >= number):
            self._numbers.append(number)
            self._calls.append(call)
            self._operations.append(operation)

    def add_line(self, number: int, line: str, operation: str, reason: str | None = None) -> None:
        """Note that the tensors up to `number` come from a ``file:line``, by an operation.

        Of one that is left to torch, `reason` says why.
        """
        if not (self._numbers and self._numbers[-1] >= number):
            if reason is not None:
                self._reasons[len(self._numbers)] = reason
            self._numbers.append(number)
            self._calls.append(line)
            self._operations.append(operation)

    def add_input(self, frame: FrameType | None) -> None:
        """Note the line of the next input."""
        call = _user_call(frame)
        if call is not None:
            self._inputs.append(call)

    def add_input_line(self, line: str) -> None:
        """Note what says where the next input is defined."""
        self._inputs.append(line)

    def of_tensor(self, number: int) -> str | None:
        """Return ``file:line`` of a tensor, or None."""
        place = bisect.bisect_left(self._numbers, number)
        return _line(self._calls[place]) if place < len(self._calls) else None

    def operation_of(self, number: int) -> str | None:
        """Return the name of the operation that made a tensor, or None."""
        place = bisect.bisect_left(self._numbers, number)
        return self._operations[place] if place < len(self._operations) else None

    def reason_of(self, number: int) -> str | None:
        """Return why torch computes what made a tensor, None if nothing was noted."""
        return self._reasons.get(bisect.bisect_left(self._numbers, number))

    def of_input(self, position: int) -> str | None:
        """Return ``file:line`` of an input, or None."""
        return _line(self._inputs[position]) if position < len(self._inputs) else None


class _Current(threading.local):
    sites: CallSites | None = None


# Those of the definition that this thread is in.
current = _Current()


def _user_call(frame: FrameType | None) -> tuple[CodeType, int] | None:
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def user_depth() -> int:
    """Return how many frames up the user's program is, as `warnings.warn` counts them."""
    return _depth(sys._getframe(1))


def user_line() -> tuple[str, int]:
    """Return ``file:line`` of the user's program that is running, and :func:`user_depth`."""
    caller = sys._getframe(1)
    depth = _depth(caller)
    frame = sys._getframe(depth)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}", depth


def _depth(frame: FrameType) -> int:
    depth = 1
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return depth


def _line(call: tuple[CodeType, int] | str) -> str:
    if isinstance(call, str):
        return call
    code, instruction = call
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    return f"{code.co_filename}:{line}"


def note(result: Any, operation: str) -> None:
    """Note the line of the user that the caller of the caller is in as that of `result`.

    Parameters
    ----------
    result : object
        What an operation returned.
    operation : str
        Its name.
    """
    sites = current.sites
    if sites is None:
        return
    if type(result) is _C.TensorView:
        sites.add(result._number, sys._getframe(2), operation)
    elif type(result) in (tuple, list):
        numbers = [item._number for item in result if type(item) is _C.TensorView]
        if numbers:
            sites.add(max(numbers), sys._getframe(2), operation)


def explain(message: str, sites: CallSites | None) -> str:
    """Return an error message with the lines of what it names, and torch's names of dtypes.

    Parameters
    ----------
    message : str
        As the native code has it. It stays as it is, at the front.
    sites : CallSites or None
        Those of the definition.

    Returns
    -------
    str
    """
    if "\nwhere " in message:
        return message
    said = list(_lines_said(message, sites)) if sites is not None else []
    said += _dtypes_said(message)
    return f"{message}\nwhere {', '.join(said)}" if said else message


def explain_error(error: BaseException, sites: CallSites | None) -> None:
    """Explain the message of an error of a run; those of Python's own kinds stay as they are."""
    if isinstance(error, RuntimeError) and error.args:
        error.args = (explain(str(error.args[0]), sites), *error.args[1:])


def _lines_said(message: str, sites: CallSites) -> list[str]:
    said = {}
    for position in _INPUT.findall(message):
        said[f"input {position}"] = sites.of_input(int(position))
    named = [int(number) for number in _TENSOR.findall(message)]
    if not said or len(set(named)) > 1:
        for number in named:
            operation = sites.operation_of(number)
            line = sites.of_tensor(number)
            said[f"T{number}"] = f"{line} by {operation}" if line and operation else line
    return [f"{name} is defined at {line}" for name, line in said.items() if line is not None]


def _dtypes_said(message: str) -> list[str]:
    names = dict.fromkeys(name for name in _DTYPE.findall(message) if name in _TORCH_NAMES)
    return [f"{name} is {_TORCH_NAMES[name]}" for name in names]


# By the names that dtypes have in messages; those that are torch's own need no explanation.
_TORCH_NAMES = {
    traits.printed: f"torch.{traits.torch_name}"
    for traits in TABLE.values()
    if traits.torch_name not in (None, traits.printed)
}
