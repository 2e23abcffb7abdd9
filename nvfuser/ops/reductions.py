"""Reductions that are formulas in sums and extremes."""

from __future__ import annotations

import math
from typing import Any

from nvfuser import _C
from nvfuser._C import DataType, TensorView
from nvfuser.ops._common import (
    NULL,
    Dims,
    as_dtype,
    dim_of,
    dims_of,
    extents,
    floating,
    like,
    positions,
    wide,
)

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmin", "count_nonzero", "logsumexp",
    "nanmean", "nansum", "norm", "std", "std_mean",
]  # fmt: skip


def _truth(x: TensorView) -> TensorView:
    return _n.cast(_n.ne(x, 0), DataType.Int32)


def _verdict(x: TensorView, truth: TensorView) -> TensorView:
    # Torch's, from before it had Bools.
    return _n.cast(truth, DataType.UInt8) if x.dtype() == DataType.UInt8 else truth


def any(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """Whether an element is not 0.

    Parameters
    ----------
    x : TensorView
    dim : int, sequence of int or None
        What is reduced; None is all.
    keepdim : bool
        Whether reduced dimensions stay with size 1.

    Returns
    -------
    TensorView
        Of dtype Bool, or UInt8 if `x` is; False without elements. NaN counts as not 0.
    """
    dims = dims_of("any", x, dim)
    return _verdict(x, _n.gt(_n.max(_truth(x), dims, keepdim), 0) if dims else _n.ne(x, 0))


def all(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """Whether no element is 0.

    Parameters
    ----------
    x : TensorView
    dim : int, sequence of int or None
        What is reduced; None is all.
    keepdim : bool
        Whether reduced dimensions stay with size 1.

    Returns
    -------
    TensorView
        Of dtype Bool, or UInt8 if `x` is; True without elements.
    """
    dims = dims_of("all", x, dim)
    return _verdict(x, _n.gt(_n.min(_truth(x), dims, keepdim), 0) if dims else _n.ne(x, 0))


def amax(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """The largest value over dimensions, as max; None is all of them."""
    return _n.max(x, dims, keepdim) if (dims := dims_of("amax", x, dim)) else _n.set(x)


def amin(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """The smallest value over dimensions, as min; None is all of them."""
    return _n.min(x, dims, keepdim) if (dims := dims_of("amin", x, dim)) else _n.set(x)


def aminmax(
    x: TensorView, dim: int | None = None, keepdim: bool = False
) -> tuple[TensorView, TensorView]:
    """The smallest and the largest value."""
    return amin(x, dim, keepdim), amax(x, dim, keepdim)


def _index_of_extreme(
    name: str, x: TensorView, dim: int | None, keepdim: bool, largest: bool
) -> TensorView:
    flat = _n.reshape(x, [-1]) if dim is None else x
    if flat.ndim == 0:
        return _n.full([], 0, DataType.Int)
    axis = dim_of(name, flat, 0 if dim is None else dim)
    if flat.dtype() == DataType.Bool:
        flat = _n.cast(flat, DataType.Int32)
    extreme = (_n.max if largest else _n.min)(flat, [axis], True)
    found = _n.eq(flat, extreme)
    if flat.dtype() not in (DataType.Int, DataType.Int32):
        # A NaN is the extreme, and equals nothing.
        found = _n.logical_or(found, _n.isnan(flat))
    # Threads exchange indices: narrow ones, where they are known to be.
    extent = extents(flat)[axis]
    is_narrow = isinstance(extent, int) and extent < 2**31
    dtype = DataType.Int32 if is_narrow else DataType.Int
    # The first of several equal ones.
    index = _n.where(found, positions(flat, axis, dtype), _n.cast(extent, dtype))
    index = _n.cast(_n.min(index, [axis], keepdim and dim is not None), DataType.Int)
    if keepdim and dim is None:
        return _n.reshape(index, [1] * x.ndim)
    return index


def argmax(x: TensorView, dim: int | None = None, keepdim: bool = False) -> TensorView:
    """The index of the largest value, the first one of several.

    Parameters
    ----------
    x : TensorView
        NaN is larger than all numbers.
    dim : int, optional
        What is searched; without one the flattened tensor.
    keepdim : bool
        Whether the dimension stays with size 1.

    Returns
    -------
    TensorView
        Of dtype Int.
    """
    return _index_of_extreme("argmax", x, dim, keepdim, True)


def argmin(x: TensorView, dim: int | None = None, keepdim: bool = False) -> TensorView:
    """The index of the smallest value, the first one of several.

    Parameters
    ----------
    x : TensorView
        NaN is smaller than all numbers.
    dim : int, optional
        What is searched; without one the flattened tensor.
    keepdim : bool
        Whether the dimension stays with size 1.

    Returns
    -------
    TensorView
        Of dtype Int.
    """
    return _index_of_extreme("argmin", x, dim, keepdim, False)


def count_nonzero(x: TensorView, dim: Dims = None) -> TensorView:
    """The number of elements that are not 0, as Int."""
    dims = dims_of("count_nonzero", x, dim)
    nonzero = _n.cast(_n.ne(x, 0), DataType.Int)
    return _n.sum(nonzero, dims) if dims else nonzero


def logsumexp(x: TensorView, dim: Dims, keepdim: bool = False) -> TensorView:
    """The logarithm of the sum of exponentials, computed without overflow.

    Parameters
    ----------
    x : TensorView
        Floating-point.
    dim : int or sequence of int
        What is reduced.
    keepdim : bool
        Whether reduced dimensions stay with size 1.

    Returns
    -------
    TensorView
        Of the dtype of `x`.
    """
    dims = dims_of("logsumexp", floating("logsumexp", x), dim)
    value = wide(x)
    if not dims:
        return _n.set(x)
    largest = _n.max(value, dims, True)
    # Infinite ones would subtract to NaN.
    shift = _n.where(_n.isinf(largest), 0.0, largest)
    total = _n.sum(_n.exp(_n.sub(value, shift)), dims, True)
    result = _n.add(_n.log(total), shift)
    return like(x, result if keepdim else _n.squeeze(result, dims))


def nansum(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """The sum of the elements that are no NaN."""
    dims = dims_of("nansum", x, dim)
    value = like(x, _n.where(_n.isnan(floating("nansum", x)), 0.0, wide(x)))
    return _n.sum(value, dims, keepdim) if dims else value


def nanmean(x: TensorView, dim: Dims = None, keepdim: bool = False) -> TensorView:
    """The mean of the elements that are no NaN."""
    dims = dims_of("nanmean", x, dim)
    if not dims:
        return _n.set(x)
    isnumber = _n.logical_not(_n.isnan(floating("nanmean", x)))
    total = _n.sum(_n.where(isnumber, wide(x), 0.0), dims, keepdim)
    return like(x, _n.truediv(total, _n.sum(_n.cast(isnumber, DataType.Float), dims, keepdim)))


def std(x: TensorView, dim: Dims = None, correction: int = 1, keepdim: bool = False) -> TensorView:
    """Standard deviation: the square root of the variance.

    Parameters
    ----------
    x : TensorView
        Floating-point.
    dim : int, sequence of int or None
        What is reduced; None is all.
    correction : int
        What is subtracted from the number of elements.
    keepdim : bool
        Whether reduced dimensions stay with size 1.

    Returns
    -------
    TensorView
        Of the dtype of `x`.
    """
    dims = dims_of("std", floating("std", x), dim)
    return like(x, _n.sqrt(_n.var(wide(x), dims, correction, keepdim)))


def std_mean(
    x: TensorView, dim: Dims = None, correction: int = 1, keepdim: bool = False
) -> tuple[TensorView, TensorView]:
    """Standard deviation and mean, see :func:`std`."""
    dims = dims_of("std_mean", floating("std_mean", x), dim)
    variance, mean = _n.var_mean(wide(x), dims, correction, keepdim)
    return like(x, _n.sqrt(variance)), like(x, mean)


def norm(
    x: TensorView,
    p: float | str = 2.0,
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DataType = NULL,
) -> TensorView:
    """The p-norm of the elements.

    Parameters
    ----------
    x : TensorView
        Floating-point.
    p : float or "fro"
        The order; "fro" is 2, 0 counts, infinities give the largest and smallest magnitude.
    dim : int, sequence of int or None
        What is reduced; None is all.
    keepdim : bool
        Whether reduced dimensions stay with size 1.
    dtype : DataType
        What `x` is converted to first.

    Returns
    -------
    TensorView
        Of `dtype`, or that of `x`.
    """
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f'norm: p must be a number or "fro", but is "{p}"')
    x = as_dtype(x, dtype)
    dims = dims_of("norm", floating("norm", x), dim)
    magnitude = _n.abs(wide(x))
    if not dims:
        return like(x, magnitude)
    order = 2.0 if isinstance(p, str) else float(p)
    if math.isinf(order):
        return like(x, (_n.max if order > 0 else _n.min)(magnitude, dims, keepdim))
    if order == 0.0:
        nonzero = _n.cast(_n.ne(magnitude, 0), magnitude.dtype())
        return like(x, _n.sum(nonzero, dims, keepdim))
    if order == 1.0:
        return like(x, _n.sum(magnitude, dims, keepdim))
    if order == 2.0:
        return like(x, _n.sqrt(_n.sum(_n.mul(magnitude, magnitude), dims, keepdim)))
    return like(x, _n.pow(_n.sum(_n.pow(magnitude, order), dims, keepdim), 1.0 / order))
