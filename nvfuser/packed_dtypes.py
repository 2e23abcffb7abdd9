"""Declaring tensors of packed fp4: pairs of values in a byte become single values of the IR.

``torch.float4_e2m1fn_x2`` stores two e2m1 values in each byte and counts bytes in its shape and
strides. The IR has no packed type: it sees the values, so that the dimension whose neighbours share
a byte, the fastest one, is twice as long there. The translation happens here, when the tensor is
declared; a packed torch tensor is later bound to the unpacked declaration by the native code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nvfuser import _C
from nvfuser.signatures import checked, data_type

__all__ = ["define_tensor"]

_native = checked(_C.define_tensor, __name__)

_PACKED = _C.DataType.Float4_e2m1fn_x2
_UNPACKED = _C.DataType.Float4_e2m1fn


def define_tensor(*args: Any, **kwargs: Any) -> _C.TensorView:
    """Create a TensorView in the active fusion, without making it an input.

    The arguments are those of :meth:`nvfuser.FusionDefinition.define_tensor`.
    """
    args, kwargs = _with_data_type(args, kwargs)
    if kwargs.get("dtype") is _PACKED or any(argument is _PACKED for argument in args):
        unpack = _by_strides if _is_strides_form(args, kwargs) else _by_contiguity
        kwargs = unpack(*args, **kwargs)
        args = ()
    return _native(*args, **kwargs)


def _with_data_type(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with the dtype, third in all forms, as a DataType."""
    try:
        if len(args) > 2:
            args = (*args[:2], data_type(args[2]), *args[3:])
        elif "dtype" in kwargs:
            kwargs = {**kwargs, "dtype": data_type(kwargs["dtype"])}
    except TypeError as error:
        raise TypeError(f"define_tensor(): incompatible function arguments. {error}") from None
    return args, kwargs


def _is_strides_form(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether these are arguments of ``define_tensor(sizes, strides, ...)``."""
    if "sizes" in kwargs or "strides" in kwargs:
        return True
    if len(args) < 2 or isinstance(args[1], bool):
        return False
    return isinstance(args[1], Sequence) and any(
        entry is not None and not isinstance(entry, bool) for entry in args[1]
    )


def _by_contiguity(
    shape: Sequence[int],
    contiguity: Sequence[bool | None] | bool = False,
    dtype: _C.DataType = _PACKED,
    is_cpu: bool = False,
    stride_order: Sequence[int] = (),
) -> dict[str, Any]:
    unpacked: dict[str, Any] = {
        "shape": list(shape),
        "contiguity": contiguity if isinstance(contiguity, bool) else list(contiguity),
        "dtype": _UNPACKED,
        "is_cpu": is_cpu,
        "stride_order": list(stride_order),
    }
    rank = len(shape)
    _check_rank(rank)
    order = [entry % rank if isinstance(entry, int) else entry for entry in stride_order]
    if not order:
        order = list(range(rank - 1, -1, -1))
    is_list = not isinstance(contiguity, bool)
    if sorted(order) != list(range(rank)) or (is_list and len(unpacked["contiguity"]) != rank):
        return unpacked  # the native code has the message for it
    fastest = order.index(0)
    if is_list:
        if unpacked["contiguity"][-1] is None and shape[fastest] != 1:
            raise RuntimeError(
                f"Dimension {fastest} of a packed fp4 tensor is its fastest one and cannot be "
                "expanded: repeated pairs are no repeated value."
            )
    else:
        in_memory = sorted(range(rank), key=lambda dim: -order[dim])
        unpacked["contiguity"] = [None if shape[dim] == 1 else contiguity for dim in in_memory]
    # Two values of a byte are always neighbours, so that a fastest dimension with gaps would have
    # two different distances.
    unpacked["contiguity"][-1] = True
    unpacked["shape"][fastest] = _twice(shape[fastest])
    return unpacked


def _by_strides(
    sizes: Sequence[int],
    strides: Sequence[int],
    dtype: _C.DataType = _PACKED,
    static_sizes: bool = False,
    is_cpu: bool = False,
) -> dict[str, Any]:
    unpacked: dict[str, Any] = {
        "sizes": list(sizes),
        "strides": list(strides),
        "dtype": _UNPACKED,
        "static_sizes": static_sizes,
        "is_cpu": is_cpu,
    }
    _check_rank(len(unpacked["sizes"]))
    _, order = _C.compute_tensor_descriptor(unpacked["sizes"], unpacked["strides"])
    fastest = order.index(0)
    if sizes[fastest] > 1 and strides[fastest] != 1:
        raise RuntimeError(
            f"Dimension {fastest} of a packed fp4 tensor is its fastest one and must have stride "
            f"1, but has stride {strides[fastest]}: two values share a byte."
        )
    unpacked["sizes"][fastest] = _twice(sizes[fastest])
    unpacked["strides"] = [
        1 if dim == fastest else stride * 2 for dim, stride in enumerate(strides)
    ]
    return unpacked


def _check_rank(rank: int) -> None:
    if rank == 0:
        raise RuntimeError(
            "A packed fp4 tensor needs at least one dimension: its values come in pairs."
        )


def _twice(extent: int) -> int:
    # Symbolic (-1) and empty (0) stay what they are, and so do values that are errors.
    return extent * 2 if extent > 0 else extent
