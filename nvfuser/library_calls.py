"""What the runtime calls for operations that torch computes.

Each function has the name of the operation in ``nvfuser.ops`` and takes its arguments by position:
torch tensors, Python numbers, and None for what was not given. It returns a new tensor or a tuple
of them, never one of the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from nvfuser.needs_torch import needs_torch

needs_torch("What torch computes (matrix products, attention, sorting)")

import torch  # noqa: E402
from torch.nn.attention import SDPBackend  # noqa: E402

from nvfuser import torch_calls  # noqa: E402
from nvfuser.interop import view_of_tensor  # noqa: E402
from nvfuser.multidevice.collectives import (  # noqa: E402, F401
    all_gather,
    all_reduce,
    all_to_all,
    broadcast_from,
    reduce_scatter,
    wait,
)

matmul = torch.matmul
linear = torch._C._nn.linear


def matmul_into(a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    """Write a product to `out`."""
    # Of a vector and a matrix torch.matmul makes a matrix of one row, and warns that `out` is none.
    if a.ndim == 1 and b.ndim == 2:
        return torch.mv(b.mT, a, out=out)
    return torch.matmul(a, b, out=out)


def linear_into(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, *, out: torch.Tensor
) -> torch.Tensor:
    """Write a product with a transposed matrix to `out`."""
    # As above.
    if x.ndim == 1 and weight.ndim == 2:
        if bias is None:
            return torch.mv(weight, x, out=out)
        return torch.addmv(bias, weight, x, out=out)
    return linear(x, weight, bias, out=out)


# Makes the function that is called.
torch_call = torch_calls.torch_call


def topk(
    x: torch.Tensor, k: int, dim: int, largest: bool, is_sorted: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the largest or smallest elements along a dimension and their positions."""
    values, indices = torch.topk(x, k, dim, largest, is_sorted)
    return values, indices


def argsort(x: torch.Tensor, dim: int, descending: bool, stable: bool) -> torch.Tensor:
    """Return the positions that sort a dimension."""
    # torch's have the order of the strides of `x`.
    return torch.argsort(x, dim=dim, descending=descending, stable=stable).contiguous()


# ---------------------------------------------------------------- attention


def _has_flash_attention(query: torch.Tensor, value: torch.Tensor, is_causal: bool) -> bool:
    # Where there are more keys than queries or fewer, its mask ends with the last key, that of
    # torch's interface begins with the first.
    return (
        query.is_cuda
        and (not is_causal or query.shape[-2] == value.shape[-2])
        and query.dtype in (torch.float16, torch.bfloat16)
        and query.shape[-1] == value.shape[-1]
        and query.shape[-1] % 8 == 0
        and query.shape[-1] <= 256
        and query.numel() > 0
        and value.numel() > 0
        and torch.cuda.get_device_capability(query.device) >= (8, 0)
    )


def _prefers_cudnn(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
) -> bool:
    # Where both can do it, torch knows which one is faster. Each draws random numbers of its own.
    return (
        dropout_p == 0.0
        and torch._fused_sdp_choice(query, key, value, None, 0.0, is_causal, scale=scale)
        == SDPBackend.CUDNN_ATTENTION.value
    )


def _dense_rows(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose rows are contiguous and begin at multiples of 16 bytes."""
    # Tensors may be views of others.
    *strides, innermost = tensor.stride()
    size = tensor.element_size()
    places = [tensor.data_ptr(), *(stride * size for stride in strides)]
    if innermost == 1 and not any(place % 16 for place in places):
        return tensor
    return tensor.clone(memory_format=torch.contiguous_format)


def _as_batch(*tensors: torch.Tensor, rank: int) -> list[torch.Tensor]:
    """Merge leading dimensions into one."""
    return [t if t.dim() == rank else t.flatten(0, t.dim() - rank) for t in tensors]


def sdpfa_fwd(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bias: torch.Tensor | None,
    mask: torch.Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
) -> tuple[torch.Tensor, ...]:
    """Return output, logsumexp, seed and offset of scaled dot-product attention."""
    if bias is None and mask is None and _has_flash_attention(query, value, is_causal):
        q, k, v = (_dense_rows(t) for t in _as_batch(query, key, value, rank=4))
        if _prefers_cudnn(q, k, v, dropout_p, is_causal, scale):
            output, logsumexp, *_ = torch._scaled_dot_product_cudnn_attention(
                q, k, v, None, True, dropout_p, is_causal, scale=scale
            )
            # Nothing was drawn.
            seed = torch.empty(2, dtype=torch.uint64, device=query.device)
            offset = torch.empty((), dtype=torch.uint64, device=query.device)
        else:
            result = torch._scaled_dot_product_flash_attention(
                q, k, v, dropout_p, is_causal, scale=scale
            )
            output, logsumexp, seed, offset = result[0], result[1], result[6], result[7]
        return output.view(*query.shape), logsumexp.view(query.shape[:-1]), seed, offset
    if dropout_p != 0.0 and (bias is not None or mask is not None):
        raise RuntimeError("with a bias or mask, dropout_p must be 0")
    weights, logsumexp = _attention_weights(query, key, bias, mask, is_causal, scale)
    # As torch's flash attention returns them.
    seed = torch.zeros(2, dtype=torch.int64, device=query.device)
    if dropout_p != 0.0:
        seed = torch.randint(0, 2**63 - 1, (2,), device=query.device)
        weights = weights * _kept(weights, dropout_p, seed)
    output = (weights @ value.to(weights.dtype)).to(query.dtype)
    offset = torch.zeros((), dtype=torch.int64, device=query.device)
    return output, logsumexp.float(), seed.view(torch.uint64), offset.view(torch.uint64)


def sdpfa_bwd(
    grad_output: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    logsumexp: torch.Tensor,
    dropout_p: float,
    is_causal: bool,
    philox_seed: torch.Tensor,
    philox_offset: torch.Tensor,
    scale: float | None,
) -> tuple[torch.Tensor, ...]:
    """Return the gradients of query, key and value."""
    if _has_flash_attention(query, value, is_causal):
        batch = _as_batch(grad_output, query, key, value, output, rank=4)
        tensors = [_dense_rows(t) for t in batch]
        (sums,) = _as_batch(logsumexp, rank=3)
        sizes = (query.shape[-2], key.shape[-2], dropout_p, is_causal)
        _, q, k, v, _ = tensors
        if _prefers_cudnn(q, k, v, dropout_p, is_causal, scale):
            unused = philox_offset.view(torch.int64)
            gradients = torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
                *tensors, sums[..., None], unused, unused, None, None, None, *sizes, scale=scale
            )
        else:
            gradients = torch.ops.aten._scaled_dot_product_flash_attention_backward(
                *tensors, sums, None, None, *sizes, philox_seed, philox_offset, scale=scale
            )
        shapes = (query.shape, key.shape, value.shape)
        return tuple(g.reshape(shape) for g, shape in zip(gradients, shapes, strict=True))
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    factor = _scale_of(query, scale)
    weights, _ = _attention_weights(query, key, None, None, is_causal, scale, logsumexp)
    gradient, q, k, v = (t.to(wide) for t in (grad_output, query, key, value))
    # Of the weights: those that were dropped have none.
    of_weights = gradient @ v.mT
    dropped = weights
    if dropout_p != 0.0:
        kept = _kept(weights, dropout_p, philox_seed.view(torch.int64))
        dropped = weights * kept
        of_weights = of_weights * kept
    total = (gradient * output.to(wide)).sum(-1, keepdim=True)
    of_scores = weights * (of_weights - total) * factor
    return (
        (of_scores @ k).to(query.dtype),
        (of_scores.mT @ q).to(key.dtype),
        (dropped.mT @ gradient).to(value.dtype),
    )


def _scale_of(query: torch.Tensor, scale: float | None) -> float:
    return 1.0 / max(query.shape[-1], 1) ** 0.5 if scale is None else scale


def _attention_weights(
    query: torch.Tensor,
    key: torch.Tensor,
    bias: torch.Tensor | None,
    mask: torch.Tensor | None,
    is_causal: bool,
    scale: float | None,
    logsumexp: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the softmax of the scores and its logsumexp, which may be given."""
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = query.to(wide) @ key.to(wide).mT * _scale_of(query, scale)
    if bias is not None:
        scores = scores + bias.to(wide)
    if is_causal:
        sees = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        mask = sees if mask is None else mask & sees
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    if logsumexp is None or wide == torch.float64:
        logsumexp = scores.logsumexp(-1)
    weights = (scores - logsumexp.unsqueeze(-1)).exp()
    # A query that sees no key has no weights, and 0 as their logsumexp, as torch returns it.
    sees_nothing = logsumexp == float("-inf")
    weights = weights.masked_fill(sees_nothing.unsqueeze(-1), 0.0)
    return weights, logsumexp.masked_fill(sees_nothing, 0.0)


def _kept(weights: torch.Tensor, dropout_p: float, seed: torch.Tensor) -> torch.Tensor:
    """Return the factors of the weights that dropout leaves: 0 or 1 / (1 - p)."""
    if dropout_p >= 1.0:
        return torch.zeros_like(weights)
    generator = torch.Generator(weights.device).manual_seed(int(seed[0].item()))
    kept = torch.rand(weights.shape, generator=generator, device=weights.device) >= dropout_p
    return kept.to(weights.dtype) / (1.0 - dropout_p)


# ---------------------------------------------------------------- groups and scales

# Values of the sixteen codes of fp4.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)


def _groups(ends: torch.Tensor, size: int) -> list[tuple[int, int]]:
    """Return where each group begins and ends; waits for the values."""
    groups = []
    begin = 0
    for end in ends.tolist():
        if not begin <= end <= size:
            raise RuntimeError(
                f"Expected offsets that do not decrease and are at most {size}, but got "
                f"{ends.tolist()}"
            )
        groups.append((begin, end))
        begin = end
    return groups


def _grouped(
    a: torch.Tensor, b: torch.Tensor, offsets: torch.Tensor
) -> Iterator[tuple[int, tuple[Any, ...], torch.Tensor, torch.Tensor]]:
    """Yield the number of each group, its place in the result, and its operands."""
    if a.dim() == 2 and b.dim() == 2:
        for g, (begin, end) in enumerate(_groups(offsets, a.shape[1])):
            yield g, (g,), a[:, begin:end], b[begin:end]
    elif a.dim() == 3:
        for g, (begin, end) in enumerate(_groups(offsets, b.shape[1])):
            yield g, (slice(None), slice(begin, end)), a[g], b[:, begin:end]
    else:
        for g, (begin, end) in enumerate(_groups(offsets, a.shape[0])):
            yield g, (slice(begin, end),), a[begin:end], b[g]


def _grouped_zeros(
    a: torch.Tensor, b: torch.Tensor, offsets: torch.Tensor, dtype: torch.dtype
) -> torch.Tensor:
    groups = offsets.shape if a.dim() == 2 and b.dim() == 2 else ()
    return torch.zeros(*groups, a.shape[-2], b.shape[-1], dtype=dtype, device=a.device)


def grouped_mm(a: torch.Tensor, b: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return the products of groups."""
    out = _grouped_zeros(a, b, offsets, a.dtype)
    for _, place, left, right in _grouped(a, b, offsets):
        out[place] = left @ right
    return out


def scaled_grouped_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    offsets: torch.Tensor,
    scale_a: torch.Tensor | None,
    scale_b: torch.Tensor | None,
    alpha: torch.Tensor | None,
    bias: torch.Tensor | None,
    beta: torch.Tensor | None,
    dtype: torch.dtype,
) -> torch.Tensor:
    """Return the products of groups of scaled operands."""
    a, b = dequantized(a, -1), dequantized(b, -2)
    product = _grouped_zeros(a, b, offsets, torch.float32)
    for g, place, left, right in _grouped(a, b, offsets):
        block = left @ right
        if scale_a is not None and scale_b is not None:
            # Those of the groups, or like the rows or columns that are divided.
            rows = scale_a[g] if scale_a.dim() == 3 else scale_a[place[0]]
            columns = scale_b[g] if scale_b.dim() == 3 else scale_b[:, place[1]]
            block = block * rows.float() * columns.float()
        product[place] = block
    return _epilogue(product, alpha, bias, beta, dtype)


def scaled_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    alpha: torch.Tensor | None,
    bias: torch.Tensor | None,
    beta: torch.Tensor | None,
    dtype: torch.dtype,
) -> torch.Tensor:
    """Return the product of block-scaled matrices."""
    left = scaled_rows(a, -1, scale_a)
    right = scaled_rows(b, -2, scale_b)
    return _epilogue(left @ right, alpha, bias, beta, dtype)


def cutlass_nvfp4_grouped_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    alpha: torch.Tensor,
    problem_sizes: torch.Tensor,
    expert_offsets: torch.Tensor,
    scale_offsets: torch.Tensor,
    dtype: torch.dtype,
) -> torch.Tensor:
    """Return the products of groups of rows in nvfp4 with a matrix each."""
    left, right = dequantized(a, -1), dequantized(b, -2)
    out = torch.zeros(left.shape[0], right.shape[2], dtype=dtype, device=left.device)
    blocks = left.shape[1] // 16
    sizes, offsets = problem_sizes.tolist(), expert_offsets.tolist()
    for g, (rows, begin, first) in enumerate(
        zip((s[0] for s in sizes), offsets, scale_offsets.tolist(), strict=True)
    ):
        if not 0 <= begin <= begin + rows <= left.shape[0]:
            raise RuntimeError(f"group {g} has rows {begin} to {begin + rows} of {left.shape[0]}")
        of_rows = unswizzled(scale_a, rows, blocks, first).repeat_interleave(16, 1)
        of_columns = unswizzled(scale_b[g], right.shape[2], blocks).repeat_interleave(16, 1)
        product = (left[begin : begin + rows] * of_rows) @ (right[g] * of_columns.t())
        out[begin : begin + rows] = (alpha[g] * product).to(dtype)
    return out


def _epilogue(
    product: torch.Tensor,
    alpha: torch.Tensor | None,
    bias: torch.Tensor | None,
    beta: torch.Tensor | None,
    dtype: torch.dtype,
) -> torch.Tensor:
    if alpha is not None:
        product = alpha.float() * product
    if bias is not None:
        product = product + (bias.float() if beta is None else beta.float() * bias.float())
    return product.to(dtype)


def dequantized(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Return the values of a tensor in Float, of packed fp4 along `dim`, or the one of stride 1."""
    if x.dtype != torch.float4_e2m1fn_x2:
        return x.float()
    if x.stride(dim) != 1 and x.shape[dim] > 1:
        dim = x.stride().index(1)
    codes = x.view(torch.uint8).movedim(dim, -1)
    values = torch.tensor(_E2M1, device=x.device)
    pairs = torch.stack([values[(codes & 15).int()], values[(codes >> 4).int()]], -1)
    return pairs.flatten(-2).movedim(-1, dim)


def scaled_rows(x: torch.Tensor, dim: int, scale: torch.Tensor) -> torch.Tensor:
    """Return a matrix times the scales of its blocks along `dim`, or plain factors."""
    values = dequantized(x, dim)
    if scale.dtype not in (torch.float8_e4m3fn, torch.float8_e8m0fnu):
        return values * scale.float()
    rows = values.movedim(dim, -1)
    block = 16 if x.dtype == torch.float4_e2m1fn_x2 else 32
    blocks = unswizzled(scale, rows.shape[0], rows.shape[1] // block)
    return (rows * blocks.repeat_interleave(block, 1)).movedim(-1, dim)


def unswizzled(scale: torch.Tensor, rows: int, columns: int, first: int = 0) -> torch.Tensor:
    """Return scales of [rows, columns] in Float from the layout of 128x4.

    Parameters
    ----------
    scale : torch.Tensor
        Its memory, from its first element on, holds the padded scales.
    rows, columns : int
        Without padding.
    first : int
        The padded row, a multiple of 128, at which they begin.
    """
    tall, wide = -(-rows // 128), -(-columns // 4)
    begin = scale.storage_offset() + first * 4 * wide
    count = 512 * tall * wide
    memory = torch.empty(0, dtype=scale.dtype, device=scale.device).set_(scale.untyped_storage())
    if begin + count > memory.numel():
        raise RuntimeError(
            f"Expected the scales of {rows} rows and {columns} columns, padded to multiples of 128 "
            f"and 4, {count} values, but got a tensor of shape {tuple(scale.shape)}"
        )
    tiles = memory[begin : begin + count].view(tall, wide, 32, 4, 4)
    return tiles.float().transpose(1, 3).reshape(128 * tall, 4 * wide)[:rows, :columns]


def preprocess_grouped_matmul_input_sf(
    x: torch.Tensor, input_offsets: torch.Tensor, output_offsets: torch.Tensor
) -> torch.Tensor:
    """Return block scales in the layout of 128x4, each group padded to whole tiles.

    Without waiting for the offsets: the memory is as large as any groups need.
    """
    rows, columns = x.shape
    wide = -(-columns // 4) * 4
    size = (rows + 127 * input_offsets.numel()) * wide
    row = torch.arange(rows, device=x.device)
    group = torch.searchsorted(input_offsets.long(), row, right=True) - 1
    row = row - input_offsets.long()[group] + output_offsets.long()[group]
    column = torch.arange(columns, device=x.device)
    # Row 128 a + 32 i + j and column 4 b + c lie at (a, b, j, i, c).
    place = row // 128 * (128 * wide) + row % 32 * 16 + row % 128 // 32 * 4
    places = place[:, None] + (column // 4 * 512 + column % 4)[None]
    narrow = torch.uint8 if x.dtype.itemsize == 1 else x.dtype
    memory = torch.zeros(size, dtype=narrow, device=x.device)
    memory[places] = x.contiguous().view(narrow)
    return memory.view(x.dtype).as_strided((rows, columns), (wide, 1))


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
        Of a kind that the caller may handle: it stays the same, with more in its message where
        that is a text. Running out of memory, and what is no `Exception`, stays as it is.
    name : str
        Of the operation.
    definition : str
        How it is printed.
    """
    has_text = isinstance(error, Exception) and not isinstance(error, MemoryError)
    if has_text and error.args and isinstance(error.args[0], str):
        text = f"{name}: {error.args[0]}\nin {definition.rstrip()}"
        error.args = (text, *error.args[1:])
    raise error
