"""Scripts that define a fusion again and run it on inputs like those that it was run on.

Importing this module imports torch; ``import nvfuser`` does not.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Iterable
from typing import Any

from nvfuser.needs_torch import needs_torch

needs_torch("A script that runs a fusion on inputs")

import torch  # noqa: E402

__all__ = ["Integers", "integers_of", "script"]

# Stored as they are: dtypes that torch has no random numbers of, with a range of bytes. (A scale of
# e8m0 is a power of two; 127 is 1.0.)
_BYTES = {torch.float4_e2m1fn_x2: (0, 256), torch.float8_e8m0fnu: (117, 138)}


# As many values are written out.
_FEW = 64


@dataclasses.dataclass
class Integers:
    """What a script says about the values of an integer tensor.

    Indices, offsets of groups and the like are part of what a fusion does: with others it would not
    run.
    """

    low: int
    high: int
    values: list[Any] | int | None  # nested like the dimensions, where there are few


def integers_of(tensor: torch.Tensor) -> Integers | None:
    """Return what a script says about the values of `tensor`.

    Parameters
    ----------
    tensor : torch.Tensor
        For one without data, what was noted when its data was dropped.

    Returns
    -------
    Integers, optional
        None for other dtypes than int32 and int64, without elements, and while a CUDA graph is
        captured, when nothing can be read.
    """
    known: Integers | None = getattr(tensor, "nvfuser_integers", None)
    is_index = tensor.dtype in (torch.int32, torch.int64)
    if known is not None or not is_index or not tensor.numel() or _is_fake(tensor):
        return known
    if tensor.is_cuda and torch.cuda.is_current_stream_capturing():
        return None
    low, high = (int(bound) for bound in tensor.aminmax())
    return Integers(low, high, tensor.tolist() if tensor.numel() <= _FEW else None)


def script(definition: str, inputs: Iterable[Any] | None = None) -> str:
    """Return a script that defines a fusion and, where there are inputs, runs it.

    Parameters
    ----------
    definition : str
        The source of a function ``nvfuser_fusion(fd)``.
    inputs : iterable, optional
        The inputs to run it on; random tensors of the same shapes, strides, dtypes and devices
        stand for theirs.

    Returns
    -------
    str
    """
    lines = ["# CUDA devices:"]
    lines += [f"#  {i}: {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
    lines += [
        f"# torch version: {torch.__version__}",
        f"# cuda version: {torch.version.cuda}",
        "import torch",
        "from nvfuser import FusionDefinition, DataType",
        "",
        definition,
        "with FusionDefinition() as fd:",
        "    nvfuser_fusion(fd)",
    ]
    if inputs is not None:
        lines += ["", "inputs = ["]
        lines += [f"    {_input(value)}," for value in inputs]
        lines += ["]", "fd.execute(inputs)"]
    return "\n".join(lines) + "\n"


def _is_fake(tensor: torch.Tensor) -> bool:
    from torch._subclasses.fake_tensor import FakeTensor

    return isinstance(tensor, FakeTensor)


def _input(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_input(element) for element in value)}]"
    if hasattr(value, "__dlpack__"):
        return _tensor(torch.from_dlpack(value))
    return _number(value)


def _number(value: Any) -> str:
    # Subclasses (numpy.float64 is one) print themselves differently, and so do NumPy's own numbers.
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, numbers.Integral):
        return repr(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return repr(number) if math.isfinite(number) else f'float("{number}")'
    if not isinstance(value, numbers.Complex):
        raise TypeError(f"Expected inputs to be tensors and numbers, but got {value!r}")
    return f"complex({_number(value.real)}, {_number(value.imag)})"


def _tensor(tensor: torch.Tensor) -> str:
    """Return an expression that makes a tensor like this one."""
    dtype, shape = tensor.dtype, tuple(tensor.shape)
    suffix = f"dtype={dtype}, device='{tensor.device}'"
    if not tensor.is_contiguous():
        strides = tuple(tensor.stride())
        return f"{_elements(tensor, suffix)}.as_strided({shape}, {strides})"
    if dtype in _BYTES:
        return _random_bytes(tensor, shape)
    integers = integers_of(tensor)
    if integers is None:
        return f"torch.testing.make_tensor({shape}, {suffix})"
    if integers.values is not None:
        return f"torch.tensor({integers.values}, {suffix})"
    return f"torch.randint({integers.low}, {integers.high + 1}, {shape}, {suffix})"


def _elements(tensor: torch.Tensor, suffix: str) -> str:
    """Return an expression that makes the memory of a tensor that is not contiguous."""
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in strides)
    dtype = tensor.dtype
    if dtype in _BYTES:
        return _random_bytes(tensor, (count,))
    if dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        return f"torch.randn({count}, device='{tensor.device}').to({dtype})"
    if dtype.is_floating_point or dtype.is_complex:
        return f"torch.randn({count}, {suffix})"
    integers = integers_of(tensor) or Integers(0, 1 if dtype is torch.bool else 9, None)
    return f"torch.randint({integers.low}, {integers.high + 1}, ({count},), {suffix})"


def _random_bytes(tensor: torch.Tensor, shape: tuple[int, ...]) -> str:
    low, high = _BYTES[tensor.dtype]
    random = f"torch.randint({low}, {high}, {shape}, dtype=torch.uint8, device='{tensor.device}')"
    return f"{random}.view({tensor.dtype})"
