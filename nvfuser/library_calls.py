"""What the runtime calls for operations that torch computes.

Each function has the name of the operation in ``nvfuser.ops`` and takes its arguments by position:
torch tensors, Python numbers, and None for what was not given. It returns a new tensor or a tuple
of them, never one of the arguments.
"""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from nvfuser.interop import view_of_tensor

matmul = torch.matmul
linear = torch._C._nn.linear


def tensor_of_array(array: Any) -> torch.Tensor:
    """Return a tensor that shares the memory of a NumPy array."""
    name = array.dtype.name
    if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"):
        # Dtypes from outside NumPy are unknown to torch.
        raw = torch.from_numpy(array.view(f"int{8 * array.itemsize}"))
        return raw.view(getattr(torch, name))
    return torch.from_numpy(array)


def view_of(
    tensor: torch.Tensor, sizes: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> torch.Tensor:
    """Return a view of the memory of a tensor, `offset` elements behind its first one."""
    return view_of_tensor(tensor, sizes, strides, offset, tensor.dtype)


def fail(error: BaseException, name: str, definition: str) -> NoReturn:
    """Raise what torch raised for an operation again, saying which one it was.

    Parameters
    ----------
    error : BaseException
        Running out of memory, and what is no `Exception` of torch's, stays what it is.
    name : str
        Of the operation.
    definition : str
        How it is printed.
    """
    if not isinstance(error, Exception) or isinstance(error, MemoryError):
        raise error
    kept = (torch.OutOfMemoryError, NotImplementedError)
    kind = type(error) if type(error) in kept else RuntimeError
    raise kind(f"{name}: {error}\nin {definition.rstrip()}") from error
