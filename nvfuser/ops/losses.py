"""Losses of ``torch.nn.functional``."""

from __future__ import annotations

from typing import Any

from nvfuser import _C
from nvfuser._C import DataType, TensorView
from nvfuser.ops._common import extents, floating, like, wide
from nvfuser.ops.activations import logsigmoid

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss",
    "kl_div", "l1_loss", "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip


def _reduced(name: str, x: TensorView, loss: TensorView, reduction: str) -> TensorView:
    if reduction == "none":
        return like(x, loss)
    if reduction not in ("mean", "sum"):
        raise RuntimeError(
            f'{name}: reduction must be "none", "mean" or "sum", but is "{reduction}"'
        )
    if loss.ndim == 0:
        return like(x, loss)
    dims = list(range(loss.ndim))
    return like(x, _n.mean(loss, dims) if reduction == "mean" else _n.sum(loss, dims))


def mse_loss(x: TensorView, target: TensorView, reduction: str = "mean") -> TensorView:
    """The square of the difference."""
    difference = _n.sub(wide(floating("mse_loss", x)), wide(target))
    return _reduced("mse_loss", x, _n.mul(difference, difference), reduction)


def l1_loss(x: TensorView, target: TensorView, reduction: str = "mean") -> TensorView:
    """The magnitude of the difference."""
    difference = _n.abs(_n.sub(wide(floating("l1_loss", x)), wide(target)))
    return _reduced("l1_loss", x, difference, reduction)


def huber_loss(
    x: TensorView, target: TensorView, reduction: str = "mean", delta: float = 1.0
) -> TensorView:
    """Half the square of differences below `delta`, delta * (difference - delta / 2) of others."""
    size = _n.abs(_n.sub(wide(floating("huber_loss", x)), wide(target)))
    square = _n.mul(_n.mul(size, size), 0.5)
    linear = _n.mul(_n.sub(size, 0.5 * delta), delta)
    return _reduced("huber_loss", x, _n.where(_n.lt(size, delta), square, linear), reduction)


def smooth_l1_loss(
    x: TensorView, target: TensorView, reduction: str = "mean", beta: float = 1.0
) -> TensorView:
    """:func:`huber_loss` over `beta`; the magnitude of the difference for a beta of 0."""
    if beta == 0:
        return l1_loss(x, target, reduction)
    loss = huber_loss(wide(x), target, "none", beta)
    return _reduced("smooth_l1_loss", x, _n.truediv(loss, beta), reduction)


def kl_div(
    x: TensorView, target: TensorView, reduction: str = "mean", log_target: bool = False
) -> TensorView:
    """target * (log(target) - x), of log-probabilities `x`."""
    value, goal = wide(floating("kl_div", x)), wide(target)
    if log_target:
        loss = _n.mul(_n.exp(goal), _n.sub(goal, value))
    else:
        entropy = _n.where(_n.eq(goal, 0), 0.0, _n.mul(goal, _n.log(goal)))
        loss = _n.sub(entropy, _n.mul(goal, value))
    if reduction != "batchmean":
        return _reduced("kl_div", x, loss, reduction)
    return like(x, _n.truediv(_n.sum(loss, list(range(loss.ndim))), extents(x)[0]))


def binary_cross_entropy(x: TensorView, target: TensorView, reduction: str = "mean") -> TensorView:
    """-(target * log(x) + (1 - target) * log(1 - x)), logarithms at least -100."""
    value, goal = wide(floating("binary_cross_entropy", x)), wide(target)
    yes = _n.clamp(_n.log(value), -100.0, None)
    no = _n.clamp(_n.log1p(_n.neg(value)), -100.0, None)
    loss = _n.sub(_n.mul(_n.sub(goal, 1.0), no), _n.mul(goal, yes))
    return _reduced("binary_cross_entropy", x, loss, reduction)


def binary_cross_entropy_with_logits(
    x: TensorView, target: TensorView, reduction: str = "mean"
) -> TensorView:
    """:func:`binary_cross_entropy` of sigmoid(x), computed without overflow."""
    value, goal = wide(floating("binary_cross_entropy_with_logits", x)), wide(target)
    loss = _n.sub(_n.mul(_n.sub(1.0, goal), value), logsigmoid(value))
    return _reduced("binary_cross_entropy_with_logits", x, loss, reduction)


def nll_loss(
    x: TensorView,
    target: TensorView,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> TensorView:
    """The negative log-probability of the target class.

    Parameters
    ----------
    x : TensorView
        Log-probabilities of shape (classes) or (batch, classes, ...).
    target : TensorView
        Numbers of classes, of the shape of `x` without its classes.
    ignore_index : int
        A target that does not count.
    reduction : str
        ``"none"``, ``"mean"`` over the targets that count, or ``"sum"``.
    """
    dim = 0 if floating("nll_loss", x).ndim == 1 else 1
    counts = _n.ne(target, ignore_index)
    index = _n.where(counts, target, _n.cast(0, target.dtype()))
    chosen = _n.gather(wide(x), _n.unsqueeze(index, dim), dim)
    loss = _n.where(counts, _n.neg(_n.squeeze(chosen, [dim])), 0.0)
    if reduction == "mean" and loss.ndim > 0:
        dims = list(range(loss.ndim))
        number = _n.sum(_n.cast(counts, DataType.Float), dims)
        return like(x, _n.truediv(_n.sum(loss, dims), number))
    return _reduced("nll_loss", x, loss, reduction)


def cross_entropy(
    x: TensorView,
    target: TensorView,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> TensorView:
    """:func:`nll_loss` of log_softmax(x) along the classes."""
    dim = 0 if floating("cross_entropy", x).ndim == 1 else 1
    loss = nll_loss(_n.log_softmax(wide(x), dim), target, ignore_index, reduction)
    return like(x, loss)
