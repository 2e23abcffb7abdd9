"""Products of matrices and vectors; the products themselves are library calls, as matmul."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nvfuser import _C
from nvfuser._C import TensorView
from nvfuser.ops._common import Extent, Scalar, dims_of, extents, floating, like, product, wide

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "addbmm", "addmm", "addmv", "baddbmm", "bmm", "cdist", "dot", "einsum", "inner", "mm", "mv",
    "outer", "tensordot", "vdot",
]  # fmt: skip


def _product(name: str, a: TensorView, b: TensorView, ranks: tuple[int, int]) -> TensorView:
    for x, rank in ((a, ranks[0]), (b, ranks[1])):
        if x.ndim != rank:
            raise RuntimeError(f"{name} needs a tensor of rank {rank}, but got {x}")
    return _n.matmul(a, b)


def mm(a: TensorView, b: TensorView) -> TensorView:
    """The product of two matrices."""
    return _product("mm", a, b, (2, 2))


def bmm(a: TensorView, b: TensorView) -> TensorView:
    """The products of a batch of matrices."""
    return _product("bmm", a, b, (3, 3))


def mv(a: TensorView, b: TensorView) -> TensorView:
    """The product of a matrix and a vector."""
    return _product("mv", a, b, (2, 1))


def dot(a: TensorView, b: TensorView) -> TensorView:
    """The sum of the products of two vectors."""
    return _product("dot", a, b, (1, 1))


vdot = dot


def inner(a: TensorView, b: TensorView) -> TensorView:
    """The sums of products along the last dimensions."""
    return tensordot(a, b, ([-1], [-1])) if a.ndim and b.ndim else like(a, _n.mul(a, b))


def outer(a: TensorView, b: TensorView) -> TensorView:
    """The products of all elements of two vectors."""
    column, row = _n.broadcast(a, [False, True]), _n.broadcast(b, [True, False])
    result = _n.mul(column, row)
    return like(a, result) if a.dtype() == b.dtype() else result


def _scaled_sum(x: TensorView, y: TensorView, beta: Scalar, alpha: Scalar) -> TensorView:
    if isinstance(beta, (int, float)) and beta == 0:  # NaN in x does not count
        return like(x, _n.mul(wide(y), alpha))
    return like(x, _n.add(_n.mul(wide(x), beta), _n.mul(wide(y), alpha)))


def addmm(
    x: TensorView, mat1: TensorView, mat2: TensorView, beta: Scalar = 1, alpha: Scalar = 1
) -> TensorView:
    """Beta * x + alpha * (mat1 @ mat2)."""
    return _scaled_sum(x, mm(mat1, mat2), beta, alpha)


def addmv(
    x: TensorView, mat: TensorView, vec: TensorView, beta: Scalar = 1, alpha: Scalar = 1
) -> TensorView:
    """Beta * x + alpha * (mat @ vec)."""
    return _scaled_sum(x, mv(mat, vec), beta, alpha)


def baddbmm(
    x: TensorView, batch1: TensorView, batch2: TensorView, beta: Scalar = 1, alpha: Scalar = 1
) -> TensorView:
    """Beta * x + alpha * (batch1 @ batch2)."""
    return _scaled_sum(x, bmm(batch1, batch2), beta, alpha)


def addbmm(
    x: TensorView, batch1: TensorView, batch2: TensorView, beta: Scalar = 1, alpha: Scalar = 1
) -> TensorView:
    """Beta * x + alpha * the sum of the products of a batch."""
    return _scaled_sum(x, _n.sum(bmm(batch1, batch2), [0]), beta, alpha)


def tensordot(a: TensorView, b: TensorView, dims: int | Sequence[Sequence[int]] = 2) -> TensorView:
    """The sums of products along dimensions of both operands.

    Parameters
    ----------
    a, b : TensorView
    dims : int or (sequence of int, sequence of int)
        How many: the last ones of `a` with the first ones of `b`; or which ones of each.
    """
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot: {dims} dimensions are not among those of {a}, which has {a.ndim}, "
                f"and {b}, which has {b.ndim}"
            )
        first, second = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        first, second = (dims_of("tensordot", x, d) for x, d in zip((a, b), dims, strict=True))
    letters = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    left = [next(letters) for _ in range(a.ndim)]
    right = [next(letters) for _ in range(b.ndim)]
    for i, j in zip(first, second, strict=True):
        right[j] = left[i]
    kept = [label for i, label in enumerate(left) if i not in first]
    kept += [label for j, label in enumerate(right) if j not in second]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(kept)}", a, b)


def einsum(equation: str, *operands: TensorView) -> TensorView:
    """Sums of products in Einstein's notation.

    Parameters
    ----------
    equation : str
        As of ``torch.einsum``, a letter a dimension. No letter is twice in one operand, and
        there is no ``...``.
    *operands : TensorView
        One or more; they are multiplied from the left to the right.
    """
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    labels = inputs.split(",")
    if not arrow:
        output = "".join(sorted(c for c in set(inputs) - {","} if inputs.count(c) == 1))
    if len(labels) != len(operands) or "." in equation:
        raise RuntimeError(
            f'einsum: "{equation}" has {len(labels)} operands without "...", but got '
            f"{len(operands)}"
        )
    for text, x in zip(labels, operands, strict=True):
        if len(text) != x.ndim or len(set(text)) != len(text):
            raise RuntimeError(
                f'einsum: "{text}" must have {x.ndim} different letters, one a dimension of {x}'
            )
    if not set(output) <= set(inputs) or len(set(output)) != len(output):
        raise RuntimeError(f'einsum: "{output}" must have letters of "{inputs}", each once')
    x, text = operands[0], labels[0]
    for position, y in enumerate(operands[1:], start=1):
        later = set(output).union(*labels[position + 1 :])
        x, text = _contracted(x, text, y, labels[position], later)
    x, text = _summed(x, text, set(output))
    return _n.permute(x, [text.index(c) for c in output])


def _summed(x: TensorView, text: str, kept: set[str]) -> tuple[TensorView, str]:
    """Sum over the dimensions that nothing else needs."""
    dims = [i for i, c in enumerate(text) if c not in kept]
    return (_n.sum(x, dims) if dims else x), "".join(c for c in text if c in kept)


def _contracted(
    a: TensorView, left: str, b: TensorView, right: str, later: set[str]
) -> tuple[TensorView, str]:
    a, left = _summed(a, left, later | set(right))
    b, right = _summed(b, right, later | set(left))
    batch = [c for c in left if c in right and c in later]
    summed = [c for c in left if c in right and c not in later]
    rows = [c for c in left if c not in right]
    columns = [c for c in right if c not in left]
    size: dict[str, Extent] = dict(zip(right, extents(b), strict=True))
    size.update(zip(left, extents(a), strict=True))

    def matrices(x: TensorView, text: str, *groups: list[str]) -> TensorView:
        x = _n.permute(x, [text.index(c) for group in groups for c in group])
        return _n.reshape(x, [product([size[c] for c in group]) for group in groups])

    result = _n.matmul(
        matrices(a, left, batch, rows, summed), matrices(b, right, batch, summed, columns)
    )
    text = "".join([*batch, *rows, *columns])
    return _n.reshape(result, [size[c] for c in text]), text


def cdist(a: TensorView, b: TensorView, p: float = 2.0) -> TensorView:
    """The p-norm distances of all rows of `a` and all rows of `b`."""
    from nvfuser.ops.reductions import norm

    first = _n.unsqueeze(wide(floating("cdist", a)), a.ndim - 1)
    second = _n.unsqueeze(wide(b), b.ndim - 2)
    return like(a, norm(_n.sub(first, second), p, -1))
