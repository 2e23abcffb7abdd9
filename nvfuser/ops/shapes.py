"""Operations on shapes: views, pieces, repetitions and rearrangements of elements.

A size that is known only when the fusion runs may be a Val in all of them; where a number of
results depends on it, it must be constant, and the error says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nvfuser import _C
from nvfuser._C import DataType, TensorView
from nvfuser.ops._common import (
    NULL,
    Dims,
    Extent,
    Scalar,
    bounded,
    constant,
    dim_of,
    dims_of,
    extents,
    minus,
    over,
    part,
    plus,
    positions,
    product,
    times,
)

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "arange", "broadcast_to", "chunk", "concat", "diagonal", "diff", "expand_as", "eye", "flatten",
    "flip", "full_like", "hstack", "interpolate", "linspace", "meshgrid", "movedim", "narrow",
    "one_hot", "ones", "ones_like", "pixel_shuffle", "pixel_unshuffle", "ravel", "repeat",
    "repeat_interleave", "roll", "split", "squeeze", "stack", "swapaxes", "swapdims", "t", "tile",
    "trace", "tril", "unbind", "unflatten", "unfold", "view", "view_as", "vstack", "zeros",
    "zeros_like",
]  # fmt: skip


# ------------------------------------------------------------------------------------ views


def squeeze(arg: TensorView, dims: Dims = None, squeeze_expanded: bool = False) -> TensorView:
    """Remove dimensions of size 1.

    Parameters
    ----------
    arg : TensorView
    dims : int, sequence of int or None
        Negative ones count from the end. Symbolic dimensions are checked when the fusion runs.
        None is all dimensions whose size is constant and 1.
    squeeze_expanded : bool
        Whether expanded dimensions may be removed.

    Returns
    -------
    TensorView

    Raises
    ------
    RuntimeError
        If a dimension is out of range, not of size 1, or expanded.
    """
    if dims is None:
        dims = [dim for dim, size in enumerate(extents(arg)) if size == 1 and isinstance(size, int)]
    return _n.squeeze(arg, [dims] if isinstance(dims, int) else dims, squeeze_expanded)


def view(x: TensorView, *shape: Extent | Sequence[Extent]) -> TensorView:
    """The same elements in another shape, given as a sequence or as arguments."""
    return _n.reshape(x, _sizes(shape))


def _sizes(shape: tuple[Extent | Sequence[Extent], ...]) -> list[Extent]:
    if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
        return list(shape[0])
    return list(shape)  # type: ignore[arg-type]


def view_as(x: TensorView, other: TensorView) -> TensorView:
    """The same elements in the shape of `other`."""
    return _n.reshape(x, extents(other))


def expand_as(x: TensorView, other: TensorView) -> TensorView:
    """`x` with dimensions of size 1 repeated to the shape of `other`."""
    return _n.expand(x, extents(other))


def broadcast_to(x: TensorView, shape: Sequence[Extent]) -> TensorView:
    """`x` with dimensions of size 1 repeated to `shape`."""
    return _n.expand(x, list(shape))


def ravel(x: TensorView) -> TensorView:
    """All elements in one dimension."""
    return _n.reshape(x, [-1])


def flatten(x: TensorView, start_dim: int = 0, end_dim: int = -1) -> TensorView:
    """The dimensions from `start_dim` to `end_dim`, both included, as one."""
    if x.ndim == 0:
        return _n.reshape(x, [1])
    start, end = dim_of("flatten", x, start_dim), dim_of("flatten", x, end_dim)
    if start > end:
        raise RuntimeError(f"flatten: start_dim {start_dim} is behind end_dim {end_dim}")
    sizes = extents(x)
    middle = product(sizes[start : end + 1])
    return _n.reshape(x, [*sizes[:start], middle, *sizes[end + 1 :]])


def unflatten(x: TensorView, dim: int, sizes: Sequence[Extent]) -> TensorView:
    """One dimension as several of the given sizes, one of which may be -1."""
    dim = dim_of("unflatten", x, dim)
    shape = extents(x)
    inner = list(sizes)
    unknown = [i for i, size in enumerate(inner) if isinstance(size, int) and size == -1]
    if unknown:
        others = product([size for i, size in enumerate(inner) if i != unknown[0]])
        inner[unknown[0]] = over(shape[dim], others)
    return _n.reshape(x, [*shape[:dim], *inner, *shape[dim + 1 :]])


def movedim(
    x: TensorView, source: int | Sequence[int], destination: int | Sequence[int]
) -> TensorView:
    """Put dimensions at other places; the others keep their order."""
    sources, places = dims_of("movedim", x, source), dims_of("movedim", x, destination)
    if len(sources) != len(places) or len(set(sources)) != len(sources):
        raise RuntimeError(
            f"movedim: source {sources} and destination {places} must be distinct and as many"
        )
    order = [dim for dim in range(x.ndim) if dim not in sources]
    for place, dim in sorted(zip(places, sources, strict=True)):
        order.insert(place, dim)
    return _n.permute(x, order)


def swapaxes(x: TensorView, dim0: int, dim1: int) -> TensorView:
    """Exchange two dimensions."""
    return _n.transpose(x, dim0, dim1)


swapdims = swapaxes


def t(x: TensorView) -> TensorView:
    """The transpose of a matrix; vectors and 0-dim tensors stay as they are."""
    if x.ndim > 2:
        raise RuntimeError(f"t needs a tensor of 2 dimensions at most, but {x} has {x.ndim}")
    return _n.transpose(x, 0, 1) if x.ndim == 2 else x


def diagonal(x: TensorView, offset: int = 0, dim1: int = 0, dim2: int = 1) -> TensorView:
    """The elements x[i, i + offset] of two dimensions, as a last dimension."""
    first, second = dim_of("diagonal", x, dim1), dim_of("diagonal", x, dim2)
    if first == second:
        raise RuntimeError(f"diagonal: dim1 and dim2 must differ, but both are {first}")
    x = movedim(x, [first, second], [-2, -1])
    *outer, rows, columns = extents(x)
    height = minus(rows, max(-offset, 0))
    width = minus(columns, max(offset, 0))
    if isinstance(height, int) and isinstance(width, int):
        length: Extent = max(min(height, width), 0)
    else:
        length = _n.maximum(_n.minimum(height, width), 0)
    start = plus(times(columns, max(-offset, 0)), max(offset, 0))
    index = _n.iota(length, start, plus(columns, 1))
    return _n.index_select(_n.reshape(x, [*outer, times(rows, columns)]), index, -1)


# ----------------------------------------------------------------------------------- pieces


def narrow(x: TensorView, dim: int, start: Extent, length: Extent) -> TensorView:
    """`length` elements of a dimension from `start` on."""
    dim = dim_of("narrow", x, dim)
    if isinstance(start, int) and start < 0:
        start = plus(extents(x)[dim], start)
    return part(x, dim, start, plus(start, length))


def _constant_size(name: str, x: TensorView, dim: int) -> int:
    size = constant(extents(x)[dim])
    if size is None:
        raise RuntimeError(
            f"{name}: the number of results depends on the size of dimension {dim} of {x}, which "
            "is not known in the definition; declare the input with that size, or give the sizes "
            "of the pieces to split"
        )
    return size


def split(
    x: TensorView, split_size_or_sections: int | Sequence[Extent], dim: int = 0
) -> list[TensorView]:
    """Pieces of a dimension, one behind another.

    Parameters
    ----------
    x : TensorView
    split_size_or_sections : int, or sequence of int or Val
        The size of each piece but the last, or the sizes of all pieces.
    dim : int

    Returns
    -------
    list of TensorView
    """
    dim = dim_of("split", x, dim)
    sections: list[Extent] = []
    if isinstance(split_size_or_sections, int):
        step, size = split_size_or_sections, _constant_size("split", x, dim)
        if step <= 0:
            raise RuntimeError(f"split: the size of a piece must be positive, but is {step}")
        bounded("split", -(-size // step))
        sections += [min(step, size - at) for at in range(0, max(size, 1), step)]
    else:
        sections += split_size_or_sections
        size_or_none = constant(extents(x)[dim])
        known = [constant(section) for section in sections]
        if size_or_none is not None and None not in known and sum(map(int, known)) != size_or_none:  # type: ignore[arg-type]
            raise RuntimeError(
                f"split: the sizes {sections} must add up to the size of dimension {dim} of {x}, "
                f"{size_or_none}"
            )
    pieces = []
    start: Extent = 0
    for section in sections:
        end = plus(start, section)
        pieces.append(part(x, dim, start, end))
        start = end
    return pieces


def chunk(x: TensorView, chunks: int, dim: int = 0) -> list[TensorView]:
    """At most `chunks` pieces of a dimension, of equal sizes but the last.

    Where the size is not known in the definition there are always `chunks` pieces: those that
    PyTorch leaves out are empty.
    """
    dim = dim_of("chunk", x, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk: the number of pieces must be positive, but is {chunks}")
    size = extents(x)[dim]
    if isinstance(size, int):
        return split(x, max(-(-size // chunks), 1), dim)
    bounded("chunk", chunks)
    each = over(plus(size, chunks - 1), chunks)
    return [part(x, dim, times(i, each), times(i + 1, each)) for i in range(chunks)]


def unbind(x: TensorView, dim: int = 0) -> list[TensorView]:
    """What lies at each position of a dimension."""
    dim = dim_of("unbind", x, dim)
    count = bounded("unbind", _constant_size("unbind", x, dim))
    return [_n.select(x, i, dim) for i in range(count)]


def unfold(x: TensorView, dimension: int, size: int, step: int) -> TensorView:
    """Windows of a dimension, `size` long and `step` apart, as a last dimension."""
    dim = dim_of("unfold", x, dimension)
    sizes = extents(x)
    count = plus(over(minus(sizes[dim], size), step), 1)
    starts = _n.broadcast(_n.iota(count, 0, step), [False, True])
    index = _n.add(starts, _n.broadcast(_n.iota(size), [True, False]))
    windows = _n.index_select(x, _n.reshape(index, [times(count, size)]), dim)
    shape = [*sizes[:dim], count, size, *sizes[dim + 1 :]]
    return movedim(_n.reshape(windows, shape), dim + 1, -1)


def diff(x: TensorView, n: int = 1, dim: int = -1) -> TensorView:
    """The differences of neighbours along a dimension, `n` times."""
    dim = dim_of("diff", x, dim)
    whole = extents(x)[dim]
    # As many as there are elements leave none, and more change nothing.
    for _ in range(bounded("diff", min(n, whole) if isinstance(whole, int) else n)):
        size = extents(x)[dim]
        upper, lower = part(x, dim, 1, size), part(x, dim, 0, minus(size, 1))
        is_bool = x.dtype() == DataType.Bool
        difference = _n.ne(upper, lower) if is_bool else _n.sub(upper, lower)
        x = difference if difference.dtype() == x.dtype() else _n.cast(difference, x.dtype())
    return x


# ------------------------------------------------------------------------- putting together


def stack(tensors: Sequence[TensorView], dim: int = 0) -> TensorView:
    """Tensors of one shape one behind another along a new dimension."""
    if not tensors:
        raise RuntimeError("stack: No input tensor given")
    dim = dim_of("stack", tensors[0], dim, extra=1)
    return _n.cat([_n.unsqueeze(tensor, dim) for tensor in tensors], dim)


def concat(tensors: Sequence[TensorView], dim: int = 0) -> TensorView:
    """Tensors one behind another along a dimension."""
    return _n.cat(list(tensors), dim)


def hstack(tensors: Sequence[TensorView]) -> TensorView:
    """Tensors side by side: along dimension 1, vectors along their only one."""
    return _n.cat(list(tensors), 0 if tensors and tensors[0].ndim == 1 else 1)


def vstack(tensors: Sequence[TensorView]) -> TensorView:
    """Tensors one below another; vectors are rows."""
    return _n.cat([_n.unsqueeze(x, 0) if x.ndim == 1 else x for x in tensors], 0)


def meshgrid(*tensors: TensorView, indexing: str = "ij") -> list[TensorView]:
    """Vectors repeated to one grid.

    Parameters
    ----------
    *tensors : TensorView
        Vectors.
    indexing : str
        ``"ij"``: the first vector lies along the first dimension; ``"xy"``: along the second.
    """
    rank = len(tensors)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    shape: list[Extent] = [0] * rank
    for vector, dim in zip(tensors, order, strict=True):
        shape[dim] = extents(vector)[0]
    return [
        _n.expand(_n.broadcast(vector, [place != dim for place in range(rank)]), shape)
        for vector, dim in zip(tensors, order, strict=True)
    ]


def repeat(x: TensorView, *sizes: Extent | Sequence[Extent]) -> TensorView:
    """Copies of the whole tensor beside each other.

    Parameters
    ----------
    x : TensorView
    *sizes : int or Val, or one sequence of them
        How often along each dimension; additional ones are new leading dimensions.
    """
    counts = _sizes(sizes)
    new = len(counts) - x.ndim
    if new < 0:
        raise RuntimeError(
            f"repeat: {len(counts)} numbers of repetitions are too few for the {x.ndim} "
            f"dimensions of {x}"
        )
    shape = [1] * new + extents(x)
    if x.ndim == 0:
        return _n.expand(_n.reshape(x, shape), counts) if new else _n.set(x)
    flags = [True] * (2 * new) + [True, False] * x.ndim
    for dim in range(new):
        flags[2 * dim : 2 * dim + 2] = [True, True]
    pairs = _n.broadcast(x, flags)
    both = [part for count, size in zip(counts, shape, strict=True) for part in (count, size)]
    merged = [times(count, size) for count, size in zip(counts, shape, strict=True)]
    return _n.reshape(_n.expand(pairs, both), merged)


def tile(x: TensorView, *dims: Extent | Sequence[Extent]) -> TensorView:
    """As :func:`repeat`, with 1 for leading dimensions that no number is given for."""
    counts = _sizes(dims)
    return repeat(x, [1] * (x.ndim - len(counts)) + counts)


def repeat_interleave(x: TensorView, repeats: Extent, dim: int | None = None) -> TensorView:
    """Each element `repeats` times, one behind another; of the flattened tensor without `dim`."""
    x = ravel(x) if dim is None else x
    dim = dim_of("repeat_interleave", x, 0 if dim is None else dim)
    shape = extents(x)
    repeated = _n.expand(_n.unsqueeze(x, dim + 1), [*shape[: dim + 1], repeats, *shape[dim + 1 :]])
    return _n.reshape(repeated, [*shape[:dim], times(shape[dim], repeats), *shape[dim + 1 :]])


# ---------------------------------------------------------------------------- rearrangement


def flip(x: TensorView, dims: int | Sequence[int]) -> TensorView:
    """The elements of dimensions in reverse order."""
    for dim in dims_of("flip", x, dims):
        size = extents(x)[dim]
        x = _n.index_select(x, _n.iota(size, minus(size, 1), -1), dim)
    return x


def roll(x: TensorView, shifts: Extent | Sequence[Extent], dims: Dims = None) -> TensorView:
    """Elements moved along dimensions; what leaves at the end comes in at the front.

    Parameters
    ----------
    x : TensorView
    shifts : int, Val or sequence of them
        By how many places, one for each of `dims`.
    dims : int, sequence of int or None
        None rolls the flattened tensor.
    """
    if dims is None:
        return _n.reshape(roll(ravel(x), shifts, 0), extents(x))
    amounts = list(shifts) if isinstance(shifts, Sequence) else [shifts]
    places = dims_of("roll", x, dims)
    if len(amounts) != len(places):
        raise RuntimeError(f"roll: shifts {amounts} and dims {places} must be as many")
    shape = extents(x)
    moved = [_n.remainder(_n.iota(shape[dim], _n.neg(shift)), shape[dim])
             for shift, dim in zip(amounts, places, strict=True)]  # fmt: skip
    if len(places) == 2 and places[0] + 1 == places[1] < x.ndim - 1:
        # Of rows that lie along two dimensions each is looked up once.
        rows, columns = moved
        height, width = (shape[dim] for dim in places)
        around = shape[: places[0]], shape[places[1] + 1 :]
        place = _n.add(_n.mul(_n.unsqueeze(rows, -1), width), columns)
        place = _n.reshape(place, [times(height, width)])
        flat = _n.reshape(x, [*around[0], times(height, width), *around[1]])
        return _n.reshape(_n.index_select(flat, place, places[0]), shape)
    for place, dim in zip(moved, places, strict=True):
        x = _n.index_select(x, place, dim)
    return x


def pixel_shuffle(x: TensorView, upscale_factor: int) -> TensorView:
    """Channels as pixels: (..., C r r, H, W) to (..., C, H r, W r)."""
    r = upscale_factor
    *outer, channels, height, width = extents(x)
    left = len(outer)
    x = _n.reshape(x, [*outer, over(channels, r * r), r, r, height, width])
    x = _n.permute(x, [*range(left), left, left + 3, left + 1, left + 4, left + 2])
    return _n.reshape(x, [*outer, over(channels, r * r), times(height, r), times(width, r)])


def pixel_unshuffle(x: TensorView, downscale_factor: int) -> TensorView:
    """Pixels as channels: (..., C, H r, W r) to (..., C r r, H, W)."""
    r = downscale_factor
    *outer, channels, height, width = extents(x)
    left = len(outer)
    x = _n.reshape(x, [*outer, channels, over(height, r), r, over(width, r), r])
    x = _n.permute(x, [*range(left), left, left + 2, left + 4, left + 1, left + 3])
    return _n.reshape(x, [*outer, times(channels, r * r), over(height, r), over(width, r)])


def interpolate(
    x: TensorView,
    size: Extent | Sequence[Extent] | None = None,
    scale_factor: int | Sequence[int] | None = None,
    mode: str = "nearest",
) -> TensorView:
    """Resize the dimensions behind batch and channel to the nearest elements.

    Parameters
    ----------
    x : TensorView
        Of shape (batch, channel, ...).
    size : int, Val or sequence of them, optional
        The sizes of the result.
    scale_factor : int or sequence of int, optional
        What sizes are multiplied by, in place of `size`.
    mode : str
        ``"nearest"``.
    """
    if mode != "nearest":
        raise RuntimeError(f'interpolate: mode must be "nearest", but is "{mode}"')
    if (size is None) == (scale_factor is None):
        raise RuntimeError("interpolate: give either size or scale_factor")
    count = x.ndim - 2
    given = size if scale_factor is None else scale_factor
    values: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(values) != count:
        raise RuntimeError(f"interpolate: {len(values)} values are given for {count} dimensions")
    for dim, value in enumerate(values, start=2):
        if scale_factor is not None:
            x = repeat_interleave(x, value, dim)
            continue
        source = extents(x)[dim]
        index = _n.floor_div(_n.mul(_n.iota(value), source), value)
        x = _n.index_select(x, index, dim)
    return x


def tril(x: TensorView, diagonal: int = 0) -> TensorView:
    """Keep the lower triangle of the last two dimensions; elsewhere the result is 0.

    Parameters
    ----------
    x : TensorView
        Of rank 2 or more.
    diagonal : int
        The highest diagonal that is kept; 0 is the main one, positive ones lie above it.
    """
    kept = _n.ge(
        _n.add(positions(_matrix("tril", x), x.ndim - 2), diagonal), positions(x, x.ndim - 1)
    )
    return _n.where(kept, x, _n.cast(0, x.dtype()))


def trace(x: TensorView) -> TensorView:
    """The sum of the main diagonal of a matrix."""
    main = _n.eq(positions(_matrix("trace", x), x.ndim - 2), positions(x, x.ndim - 1))
    return _n.sum(_n.where(main, x, _n.cast(0, x.dtype())), [-2, -1])


def _matrix(name: str, x: TensorView) -> TensorView:
    if x.ndim < 2:
        raise RuntimeError(
            f"input tensor for {name} must have 2 or more dims, but got {x.ndim} dims: {x}"
        )
    return x


# --------------------------------------------------------------------------------- creation


def zeros(shape: Sequence[Extent], dtype: DataType = DataType.Float) -> TensorView:
    """A tensor of zeros."""
    return _n.full(list(shape), 0, dtype)


def ones(shape: Sequence[Extent], dtype: DataType = DataType.Float) -> TensorView:
    """A tensor of ones."""
    return _n.full(list(shape), 1, dtype)


def full_like(x: TensorView, fill_value: Scalar, dtype: DataType = NULL) -> TensorView:
    """A tensor of equal elements in the shape of `x`, and its dtype if none is given."""
    return _n.full(extents(x), fill_value, x.dtype() if dtype == NULL else dtype)


def zeros_like(x: TensorView, dtype: DataType = NULL) -> TensorView:
    """A tensor of zeros in the shape of `x`."""
    return full_like(x, 0, dtype)


def ones_like(x: TensorView, dtype: DataType = NULL) -> TensorView:
    """A tensor of ones in the shape of `x`."""
    return full_like(x, 1, dtype)


def eye(n: Extent, m: Extent | None = None, dtype: DataType = DataType.Float) -> TensorView:
    """A matrix with ones on the main diagonal and zeros elsewhere."""
    rows = _n.broadcast(_n.iota(n), [False, True])
    columns = _n.broadcast(_n.iota(n if m is None else m), [True, False])
    return _n.cast(_n.eq(rows, columns), dtype)


def arange(
    start: int | float, end: int | float | None = None, step: int | float = 1,
    dtype: DataType = NULL,
) -> TensorView:  # fmt: skip
    """Numbers from `start` (0 if one bound is given) to before `end`, `step` apart.

    The dtype is Int if all are integers and Float otherwise. For a length that is a Val there is
    :func:`iota`.
    """
    start, end = (0, start) if end is None else (start, end)
    length = max(-int(-((end - start) / step) // 1), 0)
    if dtype == NULL:
        is_int = all(isinstance(value, int) for value in (start, end, step))
        dtype = DataType.Int if is_int else DataType.Float
    kind = int if dtype in (DataType.Int, DataType.Int32) else float
    return _n.iota(length, kind(start), kind(step), dtype)


def linspace(start: float, end: float, steps: int, dtype: DataType = DataType.Float) -> TensorView:
    """`steps` numbers from `start` to `end`, both included."""
    width = (end - start) / (steps - 1) if steps > 1 else 0.0
    index = _n.iota(steps)
    up = _n.add(_n.mul(_n.cast(index, DataType.Double), width), start)
    down = _n.sub(end, _n.mul(_n.cast(_n.sub(steps - 1, index), DataType.Double), width))
    # From both ends, so that the last number is `end`.
    return _n.cast(_n.where(_n.lt(index, steps // 2 if steps > 1 else 1), up, down), dtype)


def one_hot(x: TensorView, num_classes: Extent) -> TensorView:
    """A last dimension of `num_classes` zeros with a one at the position that `x` holds."""
    classes = _n.broadcast(_n.iota(num_classes), [True] * x.ndim + [False])
    return _n.cast(_n.eq(_n.unsqueeze(x, -1), classes), DataType.Int)
