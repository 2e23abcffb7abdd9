"""What the composed operations share: dtypes as PyTorch has them, dimensions, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from nvfuser import _C
from nvfuser._C import DataType, TensorView, Val

Scalar: TypeAlias = Val | bool | int | float | complex
Operand: TypeAlias = TensorView | Val | bool | int | float | complex
Dims: TypeAlias = int | Sequence[int] | None
Extent: TypeAlias = Val | int

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

NULL = DataType.Null
_COMPLEX = (DataType.ComplexFloat, DataType.ComplexDouble)
_INTEGERS = (
    *(
        DataType.__members__[name]
        for name in DataType.__members__
        if name.startswith(("Int", "UI"))
    ),
    DataType.Index,
    DataType.Bool,
)
# By rising precision, within a kind; reduced ones of equal width meet in Float.
_FLOATS = (DataType.Half, DataType.BFloat16, DataType.Float, DataType.Double)


def is_integer(x: Val) -> bool:
    """Whether the dtype is an integer or Bool."""
    return x.dtype() in _INTEGERS


def floating(name: str, x: TensorView) -> TensorView:
    """Return `x` if it is real floating-point, which `name` needs."""
    if is_integer(x) or x.dtype() in _COMPLEX:
        raise RuntimeError(
            f"{name} needs a floating-point tensor, but {x} has {x.dtype()}; convert it by "
            "cast(x, DataType.Float)"
        )
    return x


def as_dtype(x: TensorView, dtype: DataType) -> TensorView:
    """Return `x` in a dtype, as it is where it has that dtype or none is given."""
    return x if dtype in (NULL, x.dtype()) else _n.cast(x, dtype)


def like(x: TensorView, result: TensorView) -> TensorView:
    """Return a result that was computed in Float in the dtype of `x`, as PyTorch does."""
    return as_dtype(result, x.dtype())


def wide(x: TensorView) -> TensorView:
    """Return `x` in the dtype that it is computed in: reduced precision in Float."""
    if is_integer(x) or x.dtype() in (*_COMPLEX, DataType.Float, DataType.Double):
        return x
    return _n.cast(x, DataType.Float)


def real(x: TensorView) -> TensorView:
    """Return `x` as floating-point numbers: integers become Float."""
    return _n.cast(x, DataType.Float) if is_integer(x) else x


def promoted(a: TensorView, b: Operand) -> DataType:
    """Return PyTorch's common dtype of floating-point operands; numbers count by their kind."""
    if not isinstance(b, TensorView) or b.dtype() == a.dtype():
        return DataType.Float if is_integer(a) else a.dtype()
    if is_integer(a):
        return DataType.Float if is_integer(b) else b.dtype()
    if is_integer(b) or (b.ndim == 0 and a.ndim > 0):
        return a.dtype()
    if a.ndim == 0 and b.ndim > 0:
        return b.dtype()
    if {a.dtype(), b.dtype()} <= {DataType.Half, DataType.BFloat16}:
        return DataType.Float
    return max(a.dtype(), b.dtype(), key=_FLOATS.index)


def dim_of(name: str, x: TensorView, dim: int, extra: int = 0) -> int:
    """Return a dimension counted from the front; of `extra` more dimensions than `x` has."""
    rank = x.ndim + extra
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise RuntimeError(
            f"Tried to access out of boundary index {dim}: {name} of {x}, which has {x.ndim} "
            "dimensions"
        )
    return dim % rank if rank else 0


def dims_of(name: str, x: TensorView, dims: Dims) -> list[int]:
    """Return dimensions counted from the front; all of them for None."""
    if dims is None:
        return list(range(x.ndim))
    return [dim_of(name, x, dim) for dim in ([dims] if isinstance(dims, int) else dims)]


def constant(extent: Extent) -> int | None:
    """Return the value of an extent; None if it is known only when the fusion runs."""
    if isinstance(extent, int):
        return extent
    return None if extent.is_symbolic() else int(str(extent))


def extents(x: TensorView) -> list[Extent]:
    """Return the shape with ints where it is constant."""
    sizes = _n.shape(x)
    return [size if (value := constant(size)) is None else value for size in sizes]


# Each of them is an operation: a definition of as many takes a second.
MOST_RESULTS = 2**16


def bounded(name: str, count: int) -> int:
    """Return a number of operations that `name` makes, if a definition can have so many."""
    if count > MOST_RESULTS:
        raise RuntimeError(
            f"{name}: {count} results are more than a definition can have, {MOST_RESULTS} each call"
        )
    return count


def times(a: Extent, b: Extent) -> Extent:
    """Return the product of extents."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int) and a in (0, 1):
        return b if a else 0
    return _n.mul(a, b)


def product(factors: Sequence[Extent]) -> Extent:
    """Return the product of extents."""
    result: Extent = 1
    for factor in factors:
        result = times(result, factor)
    return result


def minus(a: Extent, b: Extent) -> Extent:
    """Return the difference of extents."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    return a if isinstance(b, int) and b == 0 else _n.sub(a, b)


def plus(a: Extent, b: Extent) -> Extent:
    """Return the sum of extents."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return a if isinstance(b, int) and b == 0 else _n.add(a, b)


def over(a: Extent, b: Extent) -> Extent:
    """Return the quotient of extents, rounded down."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    return a if isinstance(b, int) and b == 1 else _n.floor_div(a, b)


def part(x: TensorView, dim: int, start: Extent, end: Extent) -> TensorView:
    """Return the elements from `start` to before `end` of one dimension."""
    sizes = extents(x)
    starts: list[Extent] = [0] * x.ndim
    starts[dim] = start
    sizes[dim] = end
    return _n.slice(x, starts, sizes)


def along(vector: TensorView, rank: int, dim: int) -> TensorView:
    """Return a 1-D tensor as one of `rank` dimensions that lies along `dim`."""
    return _n.broadcast(vector, [position != dim for position in range(rank)])


def positions(x: TensorView, dim: int, dtype: DataType = DataType.Int) -> TensorView:
    """Return the index of each element along `dim`, to be broadcast with `x`."""
    return along(_n.iota(extents(x)[dim], 0, 1, dtype), x.ndim, dim)
