"""What tensors of a definition have of ``torch.Tensor``: methods, indexing, shapes.

The methods are the operations of :mod:`nvfuser.ops` whose first operand is a tensor, and a few of
other names. Python's classes of the native module get them when ``nvfuser`` is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nvfuser import _C, ops
from nvfuser._C import DataType, TensorView, Val
from nvfuser.ops import _common
from nvfuser.signatures import AnyDataType, checked, data_type

__all__ = ["METHODS", "Shape", "install"]

# Operations that are no methods: their first operand is no tensor, or they are functions in torch,
# or the name means something else for a TensorView.
_FUNCTIONS = frozenset(
    [
        "arange",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "cat",
        "complex",
        "concat",
        "cosine_similarity",
        "cross_entropy",
        "cutlass_nvfp4_grouped_mm",
        "einsum",
        "eye",
        "full",
        "grouped_mm",
        "hstack",
        "huber_loss",
        "iota",
        "kl_div",
        "l1_loss",
        "linear",
        "linspace",
        "meshgrid",
        "mse_loss",
        "nll_loss",
        "normal",
        "ones",
        "preprocess_grouped_matmul_input_sf",
        "scaled_mm",
        "sdpfa_bwd",
        "sdpfa_fwd",
        "segment_set",
        "set",
        "shape",
        "size",
        "smooth_l1_loss",
        "stack",
        "torch_call",
        "uniform",
        "vstack",
        "welford",
        "where",
        "zeros",
        "nv_block_quantize",
        "nv_grouped_block_quantize",
        "embedding_fwd",
        "expand",
        "permute",
        "reshape",
    ]
)


class Shape(list[Val]):
    """The extents of a tensor: a list, and what the method ``shape()`` returns, too."""

    def __call__(self) -> list[Val]:
        """Return the extents as a plain list."""
        return list(self)


def _shape(self: TensorView) -> Shape:
    """The extents of all dimensions; ``x.shape[i]`` and ``x.shape()[i]`` are the same."""
    return Shape(_C.ops.shape(self))


def _listed(values: tuple[Any, ...]) -> list[Any]:
    """Return arguments that are given one by one, or as one sequence."""
    return (
        list(values[0])
        if len(values) == 1 and isinstance(values[0], (list, tuple))
        else list(values)
    )


def reshape(self: TensorView, *shape: Any) -> TensorView:
    """The same elements in another shape; one entry may be -1."""
    return _C.ops.reshape(self, _listed(shape))


def permute(self: TensorView, *dims: Any) -> TensorView:
    """Dimensions in another order."""
    return _C.ops.permute(self, _listed(dims))


def expand(self: TensorView, *shape: Any) -> TensorView:
    """Dimensions of size 1 repeated; -1 keeps an extent."""
    return _C.ops.expand(self, _listed(shape))


def size(self: TensorView, dim: int | None = None) -> Val | list[Val]:
    """The extent of a dimension, a negative one counts from the end; without one all extents."""
    return _C.ops.shape(self) if dim is None else _C.ops.size(self, dim)


def to(self: TensorView, dtype: AnyDataType) -> TensorView:
    """Return the tensor in another dtype, as it is if it has that dtype.

    Parameters
    ----------
    dtype : DataType, torch.dtype, str, or type of Python numbers
        A definition is free of devices: they are those of the inputs.
    """
    return _common.as_dtype(self, data_type(dtype))


def _cast_to(name: str, dtype: DataType) -> Any:
    def cast(self: TensorView) -> TensorView:
        return _common.as_dtype(self, dtype)

    cast.__name__ = name
    cast.__doc__ = f"Return the tensor with dtype {dtype.name}."
    return cast


def clone(self: TensorView) -> TensorView:
    """Return a copy."""
    return _C.ops.set(self)


def dim(self: TensorView) -> int:
    """Return the number of dimensions."""
    return self.ndim


def numel(self: TensorView) -> Val | int:
    """Return the number of elements."""
    return _common.product(_common.extents(self))


def _reversed(self: TensorView) -> TensorView:
    """The tensor with its dimensions in reverse order."""
    return _C.ops.permute(self, list(range(self.ndim))[::-1])


def _matrix_transposed(self: TensorView) -> TensorView:
    """The tensor with its last two dimensions exchanged."""
    return _C.ops.transpose(self, -2, -1)


def _iterate(x: TensorView) -> Iterator[TensorView]:
    return iter(ops.unbind(x, 0))


def _matmul(x: TensorView, other: Any) -> Any:
    return _C.ops.matmul(x, other) if isinstance(other, TensorView) else NotImplemented


# ----------------------------------------------------------------------------------- indexing


def _limit(position: Any, extent: Any, default: Any) -> Any:
    """Return a bound of a slice, not negative: those below 0 count from the end."""
    if position is None:
        return default
    if not isinstance(position, Val):
        position = position.__index__()
    if isinstance(position, int) and isinstance(extent, int):
        return min(max(position + extent if position < 0 else position, 0), extent)
    if isinstance(position, int) and position < 0:
        return _C.ops.maximum(_C.ops.add(extent, position), 0)
    return position


def _aligned(x: TensorView, key: Any) -> list[Any]:
    """Return one entry for each dimension of `x`, and None for each new one."""
    entries = list(key) if isinstance(key, tuple) else [key]
    used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if used > x.ndim:
        raise IndexError(f"too many indices for {x}: it has {x.ndim} dimensions, but got {used}")
    dots = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    place = dots[0] if dots else len(entries)
    entries[place : place + 1] = [slice(None)] * (x.ndim - used)
    return entries


def _taken(x: TensorView, dim: int, entry: Any) -> TensorView:
    """Return the result of what no slice of step 1 can say."""
    if isinstance(entry, slice):
        step = entry.step.__index__()
        if step <= 0:
            raise ValueError(f"the step of a slice must be positive, but is {step}; see ops.flip")
        extent = _common.extents(x)[dim]
        start = _limit(entry.start, extent, 0)
        stop = _limit(entry.stop, extent, extent)
        if not isinstance(stop, int) or not isinstance(extent, int):
            stop = _C.ops.minimum(stop, extent)
        length = _common.over(_common.plus(_common.minus(stop, start), step - 1), step)
        length = max(length, 0) if isinstance(length, int) else _C.ops.maximum(length, 0)
        return _C.ops.index_select(x, _C.ops.iota(length, start, step), dim)
    if isinstance(entry, TensorView):
        if entry.ndim != 1 or entry.dtype() not in (DataType.Int, DataType.Int32):
            raise IndexError(
                f"{entry} is no index: a tensor that indexes has one dimension and dtype Int or "
                "Int32; for conditions there are ops.where and ops.masked_fill"
            )
        return _C.ops.index_select(x, entry, dim)
    if isinstance(entry, (bool, float)) or not (
        isinstance(entry, Val) or hasattr(entry, "__index__")
    ):
        raise IndexError(
            f"an index is an int, a Val, a slice, None, ... or a vector of integers, but got "
            f"{type(entry).__name__} {entry!r}"
        )
    return _C.ops.select(x, entry if isinstance(entry, Val) else entry.__index__(), dim)


def _get_item(x: TensorView, key: Any) -> TensorView:
    """Return a part: of integers, slices, None, ``...`` and a vector of integers."""
    entries = _aligned(x, key)
    given = [entry for entry in entries if entry is not None]
    if sum(isinstance(entry, TensorView) for entry in given) > 1:
        raise IndexError("only one dimension can be indexed by a tensor; see ops.gather")
    starts: list[Any] = [0] * x.ndim
    ends = _common.extents(x)
    plain = slice(None)
    for dim, entry in enumerate(given):
        if isinstance(entry, slice) and entry.step in (None, 1) and entry != plain:
            start, stop = (
                _limit(entry.start, ends[dim], 0),
                _limit(entry.stop, ends[dim], ends[dim]),
            )
            if isinstance(start, int) and isinstance(stop, int):
                stop = max(start, stop)
            elif entry.stop is not None and not (isinstance(start, int) and start == 0):
                stop = _C.ops.maximum(start, stop)
            starts[dim], ends[dim] = start, stop
    is_cut = [isinstance(e, slice) and e.step in (None, 1) and e != plain for e in given]
    if any(is_cut):
        x = _C.ops.slice(x, starts, ends)
    for dim in reversed(range(len(given))):
        entry = given[dim]
        if not isinstance(entry, slice) or entry.step not in (None, 1):
            x = _taken(x, dim, entry)
    position = 0
    for entry in entries:
        if entry is None:
            x = _C.ops.unsqueeze(x, position)
        if entry is None or isinstance(entry, (slice, TensorView)):
            position += 1
    return x if entries and any(e != plain for e in entries) else _C.ops.set(x)


# -------------------------------------------------------------------------------------- all


_CASTS = {
    "bfloat16": DataType.BFloat16,
    "bool": DataType.Bool,
    "double": DataType.Double,
    "float": DataType.Float,
    "half": DataType.Half,
    "int": DataType.Int32,
    "long": DataType.Int,
}
_OWN = (clone, dim, expand, numel, permute, reshape, size, to)

METHODS = tuple(
    name for name in ops.__all__ if name not in _FUNCTIONS and not hasattr(TensorView, name)
)


def _is_native_method(value: object) -> bool:
    return type(value).__name__ == "nb_method"


def install() -> None:
    """Give TensorView its methods, and its native ones and operators messages of one sentence."""
    for cls in (Val, TensorView):
        for name, value in list(vars(cls).items()):
            if _is_native_method(value) and name not in ("__init__", "__str__", "__repr__"):
                setattr(cls, name, checked(value, cls.__module__))
    for name in METHODS:
        setattr(TensorView, name, getattr(ops, name))
    for own in _OWN:
        setattr(TensorView, own.__name__, checked(own, __name__))
    for name, dtype in _CASTS.items():
        setattr(TensorView, name, checked(_cast_to(name, dtype), __name__))
    for name, function in {
        "__getitem__": checked(_get_item, __name__),
        "__iter__": _iterate,
        "__matmul__": checked(_matmul, __name__),
        "shape": property(_shape),
        "T": property(checked(_reversed, __name__)),
        "mT": property(checked(_matrix_transposed, __name__)),
    }.items():
        setattr(TensorView, name, function)
