"""What draws random numbers beside the distributions."""

from __future__ import annotations

from typing import Any

from nvfuser import _C
from nvfuser._C import DataType, TensorView
from nvfuser.ops._common import Extent, extents, floating, like, wide

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = ["dropout"]


def dropout(
    x: TensorView,
    p: float = 0.5,
    training: bool = True,
    rng_seed: Extent | TensorView | None = None,
    rng_offset: Extent | None = None,
) -> TensorView:
    """Zeros with probability `p`, x / (1 - p) elsewhere.

    Parameters
    ----------
    x : TensorView
        Floating-point.
    p : float
        From 0 to 1.
    training : bool
        Whether anything is dropped; a copy otherwise.
    rng_seed : Val, int or TensorView, optional
    rng_offset : Val or int, optional
        Both or none, as for :func:`uniform`; with them a run draws the same numbers again.

    Returns
    -------
    TensorView
        Of the shape and dtype of `x`.
    """
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"dropout: p must be from 0 to 1, but is {p}")
    if not training or p == 0.0:
        return _n.set(x)
    if p == 1.0:
        return _n.mul(x, 0.0) if x.dtype() == DataType.Float else like(x, _n.mul(wide(x), 0.0))
    value = wide(floating("dropout", x))
    drawn = _n.uniform(
        0.0, 1.0, extents(x), rng_seed=rng_seed, rng_offset=rng_offset, dtype=DataType.Float
    )
    return like(x, _n.where(_n.ge(drawn, p), _n.mul(value, 1.0 / (1.0 - p)), 0.0))
