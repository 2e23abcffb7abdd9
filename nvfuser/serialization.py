"""Saved definitions: fusions as bytes.

What is saved are the calls that define the fusion, the same that :func:`nvfuser.translate_fusion`
writes as Python. So a saved definition depends on the public interface alone, not on how a version
of nvfuser represents fusions, and all that the operations check is checked when it is loaded.

The bytes are a line that names the format and the SHA-256 of the rest, and JSON: a list of calls

    {"call": "ops.sum", "results": [2], "args": [{"value": 1}], "kwargs": {"dims": [0]}}

in which values are numbered. A dtype is ``{"dtype": "Float"}``, a complex number ``{"complex":
[1.0, 2.0]}``, what JSON has no number for ``{"float": "nan"}``. Whoever changes what the calls mean
(not: adds operations or parameters) raises ``FORMAT`` and converts the calls of older formats in
:func:`loads`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nvfuser import _C
from nvfuser.nvfuser_direct_version import __version__

if TYPE_CHECKING:
    from nvfuser.definition import FusionDefinition

__all__ = ["FORMAT", "dumps", "loads", "replay"]

FORMAT = 1

_HEADER = re.compile(rb"nvfuser fusion definition, format ([0-9]{1,9}), sha256 ([0-9a-f]{64})\n")
_FORMAT = re.compile(rb"nvfuser fusion definition, format ([0-9]{1,9})[^0-9]")

_METHODS = ("define_tensor", "define_scalar", "add_output")
_OPERATIONS = frozenset(name for name in dir(_C.ops) if not name.startswith("_"))


def dumps(fusion: _C.Fusion) -> bytes:
    """Return a fusion as bytes."""
    numbers: dict[_C.Val, int] = {}
    calls = []
    for function, results, args, kwargs in _C.definition_calls(fusion):
        for result in results:
            if result is not None:
                numbers[result] = len(numbers)
        calls.append(
            {
                "call": function,
                "results": [None if result is None else numbers[result] for result in results],
                "args": [_encode(argument, numbers) for argument in args],
                "kwargs": {name: _encode(argument, numbers) for name, argument in kwargs.items()},
            }
        )
    body = json.dumps(calls, allow_nan=False, separators=(",", ":")).encode("ascii")
    digest = hashlib.sha256(body).hexdigest()
    return f"nvfuser fusion definition, format {FORMAT}, sha256 {digest}\n".encode("ascii") + body


def loads(data: bytes | bytearray | memoryview) -> list[Any]:
    """Return the calls in the bytes, after checking that these are complete and unchanged."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"Expected a serialized FusionDefinition as bytes, but got {type(data)}")
    data = bytes(data)
    header = _HEADER.match(data)
    version = header or _FORMAT.match(data)
    if version is not None and int(version[1]) > FORMAT:
        raise RuntimeError(
            f"The serialized FusionDefinition has format {int(version[1])}, made by a later "
            f"version of nvfuser; this version, {__version__}, reads formats up to {FORMAT}"
        )
    if header is None:
        raise RuntimeError(
            "Expected a serialized FusionDefinition, but the data does not begin like one: "
            f"{data[:40]!r}"
        )
    body = data[header.end() :]
    if hashlib.sha256(body).hexdigest().encode("ascii") != header[2]:
        raise RuntimeError(
            "The serialized FusionDefinition is damaged or incomplete: the checksum of its "
            f"{len(body)} bytes is not the one that it was saved with"
        )
    try:
        calls = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RuntimeError(f"The serialized FusionDefinition is invalid: {error}") from error
    if not isinstance(calls, list):
        raise RuntimeError("The serialized FusionDefinition is invalid: it is no list of calls")
    return calls


def replay(calls: list[Any], fd: FusionDefinition) -> None:
    """Make the calls in the ``with`` block of `fd`."""
    values: list[Any] = []
    for position, call in enumerate(calls):
        try:
            _replay_one(call, fd, values)
        except (RuntimeError, TypeError, ValueError, LookupError, AttributeError) as error:
            raise RuntimeError(
                f"The serialized FusionDefinition is invalid: call {position}, {call}: {error}"
            ) from error


def _replay_one(call: Any, fd: FusionDefinition, values: list[Any]) -> None:
    args = [_decode(argument, values) for argument in call["args"]]
    kwargs = {name: _decode(argument, values) for name, argument in call["kwargs"].items()}
    returned = _function(call["call"], fd)(*args, **kwargs)
    results = call["results"]
    if not isinstance(returned, tuple):
        returned = [returned]
    for number, value in zip(results, returned if results else [], strict=True):
        if number is None:
            continue
        if number != len(values):
            raise ValueError(f"value {number} follows value {len(values) - 1}")
        values.append(value)


def _function(name: str, fd: FusionDefinition) -> Callable[..., Any]:
    operation = name.removeprefix("ops.")
    if operation != name and operation in _OPERATIONS:
        function: Callable[..., Any] = getattr(_C.ops, operation)
        return function
    if name in _OF_TENSORS:
        return _OF_TENSORS[name]
    if name in _METHODS:
        method: Callable[..., Any] = getattr(fd, name)
        return method
    raise ValueError("this version of nvfuser has no operation of this name")


def _set_allocation_domain(tensor: _C.TensorView, order: list[int], is_contiguous: bool) -> None:
    tensor.set_allocation_domain([tensor.axis(position) for position in order], is_contiguous)


def _set_device_mesh(tensor: _C.TensorView, ranks: list[Any]) -> None:
    shape = []
    while isinstance(ranks[0], list):
        shape.append(len(ranks))
        ranks = [rank for row in ranks for rank in row]
    inner = len(ranks) // math.prod(shape)
    tensor.set_device_mesh(_C.DeviceMesh(ranks, [*shape, inner]))


def _parallelize(tensor: _C.TensorView, axis: int, kind: str) -> None:
    tensor.axis(axis).parallelize(_C.ParallelType[kind])


_OF_TENSORS: dict[str, Callable[..., Any]] = {
    "set_allocation_domain": _set_allocation_domain,
    "set_device_mesh": _set_device_mesh,
    "split": _C.TensorView.split,
    "parallelize": _parallelize,
}


def _encode(argument: Any, numbers: dict[_C.Val, int]) -> Any:
    if isinstance(argument, _C.Val):
        return {"value": numbers[argument]}
    if isinstance(argument, _C.DataType):
        return {"dtype": argument.name}
    if isinstance(argument, list):
        return [_encode(item, numbers) for item in argument]
    if isinstance(argument, complex):
        return {"complex": [_encode(part, numbers) for part in (argument.real, argument.imag)]}
    if isinstance(argument, float) and not math.isfinite(argument):
        sign = "-" if math.copysign(1.0, argument) < 0.0 else ""
        return {"float": f"{sign}{abs(argument)}"}
    return argument


def _decode(argument: Any, values: list[Any]) -> Any:
    if isinstance(argument, list):
        return [_decode(item, values) for item in argument]
    if not isinstance(argument, dict):
        return argument
    ((tag, content),) = argument.items()
    if tag == "value" and type(content) is int and 0 <= content < len(values):
        return values[content]
    if tag == "dtype":
        return _C.DataType[content]
    if tag == "complex":
        return complex(*_decode(content, values))
    if tag == "float" and content in ("nan", "-nan", "inf", "-inf"):
        return float(content)
    raise ValueError(f"{argument} is no argument")
