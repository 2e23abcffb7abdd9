"""Normalizations: computed in Float where the dtype is of reduced precision, returned as `x`."""

from __future__ import annotations

from typing import Any

from nvfuser import _C
from nvfuser._C import TensorView
from nvfuser.ops._common import along, dim_of, extents, floating, like, over, product, wide
from nvfuser.ops.reductions import norm

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = ["batch_norm", "cosine_similarity", "group_norm", "instance_norm", "normalize"]


def _normalized(x: TensorView, mean: TensorView, var: TensorView, eps: float) -> TensorView:
    return _n.mul(_n.sub(x, mean), _n.rsqrt(_n.add(var, eps)))


def _statistics(x: TensorView, dims: list[int]) -> tuple[TensorView, TensorView]:
    var, mean = _n.var_mean(x, dims, 0, True)
    return mean, var


def _affine(
    x: TensorView, weight: TensorView | None, bias: TensorView | None, dim: int = 1
) -> TensorView:
    x = x if weight is None else _n.mul(x, along(weight, x.ndim, dim))
    return x if bias is None else _n.add(x, along(bias, x.ndim, dim))


def batch_norm(
    x: TensorView,
    running_mean: TensorView | None,
    running_var: TensorView | None,
    weight: TensorView | None = None,
    bias: TensorView | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> TensorView:
    """Normalize each channel, dimension 1, over the batch and all positions.

    Parameters
    ----------
    x : TensorView
        Of rank 2 or more.
    running_mean, running_var : TensorView or None
        What is normalized by, one element a channel.
    weight, bias : TensorView, optional
        One element a channel.
    training : bool
        Whether to normalize by the mean and variance of `x`. Running statistics are then None: an
        operation does not write into its arguments (``fd.add_output(new, alias_input=old)`` does).
    momentum : float
        Not used.
    eps : float

    Returns
    -------
    TensorView
        Of the shape and dtype of `x`.
    """
    value = wide(floating("batch_norm", x))
    if training:
        if running_mean is not None or running_var is not None:
            raise RuntimeError(
                "batch_norm does not update running statistics: with training=True give None for "
                "them, compute new ones by var_mean, and write them by "
                "fd.add_output(new, alias_input=running)"
            )
        mean, var = _statistics(value, [dim for dim in range(x.ndim) if dim != 1])
    elif running_mean is None or running_var is None:
        raise RuntimeError(
            "batch_norm needs running_mean and running_var, or training=True to normalize by the "
            "statistics of its input"
        )
    else:
        mean, var = (along(wide(given), x.ndim, 1) for given in (running_mean, running_var))
    return like(x, _affine(_normalized(value, mean, var, eps), weight, bias))


def instance_norm(
    x: TensorView,
    running_mean: TensorView | None = None,
    running_var: TensorView | None = None,
    weight: TensorView | None = None,
    bias: TensorView | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> TensorView:
    """Normalize each channel of each element of the batch over all positions.

    The parameters are those of :func:`batch_norm`; `use_input_stats` stands for `training`.
    """
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None or running_var is not None:
        raise RuntimeError(
            "instance_norm does not update running statistics: give None for them, or "
            "use_input_stats=False to normalize by them"
        )
    value = wide(floating("instance_norm", x))
    mean, var = _statistics(value, list(range(2, x.ndim)))
    return like(x, _affine(_normalized(value, mean, var, eps), weight, bias))


def group_norm(
    x: TensorView,
    num_groups: int,
    weight: TensorView | None = None,
    bias: TensorView | None = None,
    eps: float = 1e-5,
) -> TensorView:
    """Normalize groups of channels, dimension 1, of each element of the batch.

    Parameters
    ----------
    x : TensorView
        Of rank 2 or more.
    num_groups : int
        A divisor of the number of channels.
    weight, bias : TensorView, optional
        One element a channel.
    eps : float

    Returns
    -------
    TensorView
        Of the shape and dtype of `x`.
    """
    shape = extents(floating("group_norm", x))
    if isinstance(shape[1], int) and shape[1] % num_groups:
        raise RuntimeError(
            f"group_norm: the number of channels must be a multiple of num_groups {num_groups}, "
            f"but dimension 1 of {x} is {shape[1]}"
        )
    each = product([over(shape[1], num_groups), *shape[2:]])
    grouped = _n.reshape(wide(x), [shape[0], num_groups, each])
    mean, var = _statistics(grouped, [2])
    return like(x, _affine(_n.reshape(_normalized(grouped, mean, var, eps), shape), weight, bias))


def normalize(x: TensorView, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> TensorView:
    """X over its p-norm along a dimension, which counts as at least `eps`."""
    value = wide(floating("normalize", x))
    length = norm(value, p, dim_of("normalize", x, dim), True)
    return like(x, _n.truediv(value, _n.clamp(length, eps, None)))


def cosine_similarity(
    x1: TensorView, x2: TensorView, dim: int = 1, eps: float = 1e-8
) -> TensorView:
    """The cosine of the angle between vectors along a dimension; lengths are at least `eps`."""
    first, second = wide(floating("cosine_similarity", x1)), wide(x2)
    product = _n.sum(_n.mul(first, second), [dim])
    lengths = [_n.clamp(norm(x, 2.0, dim), eps, None) for x in (first, second)]
    return like(x1, _n.truediv(product, _n.mul(*lengths)))
