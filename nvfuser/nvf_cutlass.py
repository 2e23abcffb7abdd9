"""Matrix products of narrow operands on torch tensors, outside of fusions.

The names and parameters are those of nvFuser's module of CUTLASS kernels. These are portable
implementations with the same values, on any device: operands are dequantized and multiplied in
Float. Block scales of a matrix [r, c] are in the layout of 128x4: padded to [128 a, 4 b], seen as
[a, 4, 32, b, 4], and the second and fourth dimensions exchanged.
"""

from __future__ import annotations

from nvfuser.needs_torch import needs_torch

needs_torch("nvfuser.nvf_cutlass")

import torch  # noqa: E402

from nvfuser import library_calls  # noqa: E402

__all__ = [
    "grouped_mm",
    "mxfp8_scaled_mm",
    "nvfp4_scaled_grouped_mm",
    "nvfp4_scaled_mm",
    "nvfp4_scaled_mm_blockscale",
]

_FP4_MAX = 6.0
_FP8_MAX = 448.0


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def _check_matrix(name: str, x: torch.Tensor, dtype: torch.dtype, rank: int = 2) -> None:
    _check(
        x.dtype == dtype and x.dim() == rank,
        f"Expected {name} to have rank {rank} and dtype {dtype}, but got rank {x.dim()} and dtype "
        f"{x.dtype}",
    )
    # In elements: two fp4 values lie in a byte.
    packed = 2 if dtype == torch.float4_e2m1fn_x2 else 1
    alignment = 32 if packed == 2 else 16
    for dim in range(rank - 2, rank):
        if name == "a" and dim == rank - 2:
            continue
        size = x.shape[dim] * (packed if dim == rank - 1 else 1)
        _check(
            size % alignment == 0,
            f"Expected dimension {dim} of {name} to be a multiple of {alignment}, but got {size}",
        )


def _check_out(out_dtype: torch.dtype) -> None:
    _check(
        out_dtype in (torch.float16, torch.bfloat16),
        f"Expected out_dtype to be torch.float16 or torch.bfloat16, but got {out_dtype}",
    )


def _check_scales(*scales: torch.Tensor, dtype: torch.dtype) -> None:
    for scale in scales:
        _check(
            scale.dtype == dtype, f"Expected block scales of dtype {dtype}, but got {scale.dtype}"
        )


def _product(
    a: torch.Tensor,
    b: torch.Tensor,
    scales_a: torch.Tensor,
    scales_b: torch.Tensor,
    alpha: torch.Tensor,
) -> torch.Tensor:
    _check(
        a.shape[1] == b.shape[1],
        f"Expected a and b to have the same number of columns, but got {a.shape[1]} and "
        f"{b.shape[1]}",
    )
    left = library_calls.scaled_rows(a, -1, scales_a)
    right = library_calls.scaled_rows(b, -1, scales_b)
    return alpha.float() * (left @ right.t())


def mxfp8_scaled_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    scales_a: torch.Tensor,
    scales_b: torch.Tensor,
    alpha: torch.Tensor,
    out_dtype: torch.dtype,
    /,
) -> torch.Tensor:
    """Return alpha * a @ b^T of mxfp8 operands.

    Parameters
    ----------
    a, b : torch.Tensor
        [m, k] and [n, k] of ``torch.float8_e4m3fn``; k and n are multiples of 16.
    scales_a, scales_b : torch.Tensor
        Of ``torch.float8_e8m0fnu``, one for 32 elements of k, in the layout of 128x4.
    alpha : torch.Tensor
        One factor.
    out_dtype : torch.dtype
        ``torch.float16`` or ``torch.bfloat16``.

    Returns
    -------
    torch.Tensor
        [m, n].

    Raises
    ------
    RuntimeError
        For other shapes and dtypes.
    """
    _check_matrix("a", a, torch.float8_e4m3fn)
    _check_matrix("b", b, torch.float8_e4m3fn)
    _check_scales(scales_a, scales_b, dtype=torch.float8_e8m0fnu)
    _check_out(out_dtype)
    return _product(a, b, scales_a, scales_b, alpha).to(out_dtype)


def nvfp4_scaled_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    scales_a: torch.Tensor,
    scales_b: torch.Tensor,
    alpha: torch.Tensor,
    out_dtype: torch.dtype,
    /,
) -> torch.Tensor:
    """Return alpha * a @ b^T of nvfp4 operands.

    Parameters
    ----------
    a, b : torch.Tensor
        [m, k / 2] and [n, k / 2] of ``torch.float4_e2m1fn_x2``; k and n are multiples of 32.
    scales_a, scales_b : torch.Tensor
        Of ``torch.float8_e4m3fn``, one for 16 elements of k, in the layout of 128x4.
    alpha : torch.Tensor
        One factor.
    out_dtype : torch.dtype
        ``torch.float16`` or ``torch.bfloat16``.

    Returns
    -------
    torch.Tensor
        [m, n].

    Raises
    ------
    RuntimeError
        For other shapes and dtypes.
    """
    _check_nvfp4(a, b, scales_a, scales_b)
    _check_out(out_dtype)
    return _product(a, b, scales_a, scales_b, alpha).to(out_dtype)


def _check_nvfp4(
    a: torch.Tensor, b: torch.Tensor, scales_a: torch.Tensor, scales_b: torch.Tensor
) -> None:
    _check_matrix("a", a, torch.float4_e2m1fn_x2)
    _check_matrix("b", b, torch.float4_e2m1fn_x2)
    _check_scales(scales_a, scales_b, dtype=torch.float8_e4m3fn)


def nvfp4_scaled_mm_blockscale(
    a: torch.Tensor,
    b: torch.Tensor,
    scales_a: torch.Tensor,
    scales_b: torch.Tensor,
    alpha: torch.Tensor,
    global_normconst: torch.Tensor,
    /,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return alpha * a @ b^T of nvfp4 operands, quantized to nvfp4.

    Parameters
    ----------
    a, b, scales_a, scales_b, alpha : torch.Tensor
        As of :func:`nvfp4_scaled_mm`.
    global_normconst : torch.Tensor
        The global scale of the result.

    Returns
    -------
    quantized, block_scales : torch.Tensor
        [m, n / 2] of ``torch.float4_e2m1fn_x2``, and [m, n / 16] padded to multiples of 128 and 4,
        of ``torch.float8_e4m3fn`` in the layout of 128x4.

    Raises
    ------
    RuntimeError
        For other shapes and dtypes.
    """
    _check_nvfp4(a, b, scales_a, scales_b)
    product = _product(a, b, scales_a, scales_b, alpha)
    rows, columns = product.shape
    blocks = product.view(rows, columns // 16, 16)
    factor = global_normconst.float().reshape(())
    exact = blocks.abs().amax(-1, keepdim=True) / _FP4_MAX * factor
    scales = exact.clamp(max=_FP8_MAX).to(torch.float8_e4m3fn)
    limit = torch.finfo(torch.float32).max
    quantized = _to_fp4(blocks * (factor / scales.float()).clamp(max=limit))
    zero = torch.zeros(1, dtype=torch.int64, device=a.device)
    swizzled = library_calls.preprocess_grouped_matmul_input_sf(scales.squeeze(-1), zero, zero)
    tall, wide = -(-rows // 128) * 128, swizzled.stride(0)
    return quantized.view(rows, columns // 2), swizzled.as_strided((tall, wide), (wide, 1))


def _to_fp4(values: torch.Tensor) -> torch.Tensor:
    """Round to fp4, ties to the even code, and pack pairs along the last dimension."""
    magnitude = values.abs()
    # Halfway to the next value; where that is the even one, from there on.
    codes = torch.zeros(values.shape, dtype=torch.uint8, device=values.device)
    for code, half in enumerate((0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)):
        codes += magnitude >= half if code % 2 == 1 else magnitude > half
    codes |= torch.signbit(values).to(torch.uint8) << 3
    packed = codes[..., ::2] | codes[..., 1::2] << 4
    return packed.contiguous().view(torch.float4_e2m1fn_x2)


def grouped_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    ab_strides: torch.Tensor,
    c_strides: torch.Tensor,
    problem_sizes: torch.Tensor,
    expert_offsets: torch.Tensor,
    /,
) -> torch.Tensor:
    """Return the products of groups of rows with the transpose of a matrix each.

    Parameters
    ----------
    a, b : torch.Tensor
        [m, k] and [g, n, k] of ``torch.float16`` or ``torch.bfloat16``; k and n are multiples of
        16.
    ab_strides, c_strides : torch.Tensor
        Int64, [g], all k and all n.
    problem_sizes : torch.Tensor
        Int32, [g, 3]: rows of each group, n and k.
    expert_offsets : torch.Tensor
        Int32, [g]: the first row of each group.

    Returns
    -------
    torch.Tensor
        [m, n], of the dtype of `a`; 0 in rows of no group.

    Raises
    ------
    RuntimeError
        For other shapes and dtypes.
    """
    _check(
        a.dtype in (torch.float16, torch.bfloat16),
        f"Expected operands of torch.float16 or torch.bfloat16, but got {a.dtype}",
    )
    _check_matrix("a", a, a.dtype)
    _check_matrix("b", b, a.dtype, 3)
    _check_groups(a, b, ab_strides, c_strides, problem_sizes, expert_offsets)
    out = torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
    for g, ((rows, _, _), begin) in enumerate(
        zip(problem_sizes.tolist(), expert_offsets.tolist(), strict=True)
    ):
        _check(
            0 <= begin <= begin + rows <= a.shape[0],
            f"group {g} has rows {begin} to {begin + rows} of {a.shape[0]}",
        )
        out[begin : begin + rows] = a[begin : begin + rows] @ b[g].t()
    return out


def _check_groups(
    a: torch.Tensor,
    b: torch.Tensor,
    ab_strides: torch.Tensor,
    c_strides: torch.Tensor,
    problem_sizes: torch.Tensor,
    offsets: torch.Tensor,
) -> None:
    groups = b.shape[0]
    _check(
        a.shape[1] == b.shape[2],
        f"Expected a and b to have the same number of columns, but got {a.shape[1]} and "
        f"{b.shape[2]}",
    )
    for name, tensor, shape, dtype in (
        ("ab_strides", ab_strides, (groups,), torch.int64),
        ("c_strides", c_strides, (groups,), torch.int64),
        ("problem_sizes", problem_sizes, (groups, 3), torch.int32),
        ("expert_offsets", offsets, (groups,), torch.int32),
    ):
        _check(
            tuple(tensor.shape) == shape and tensor.dtype == dtype,
            f"Expected {name} to have shape {shape} and dtype {dtype}, but got "
            f"{tuple(tensor.shape)} and {tensor.dtype}",
        )


def nvfp4_scaled_grouped_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    a_blockscale: torch.Tensor,
    b_blockscale: torch.Tensor,
    alphas: torch.Tensor,
    ab_strides: torch.Tensor,
    c_strides: torch.Tensor,
    problem_sizes: torch.Tensor,
    expert_offsets: torch.Tensor,
    sf_offsets: torch.Tensor,
    out_dtype: torch.dtype,
    /,
) -> torch.Tensor:
    """Return the products of groups of rows in nvfp4 with the transpose of a matrix each.

    Parameters
    ----------
    a, b : torch.Tensor
        [m, k / 2] and [g, n, k / 2] of ``torch.float4_e2m1fn_x2``; k and n are multiples of 32.
    a_blockscale, b_blockscale : torch.Tensor
        Of ``torch.float8_e4m3fn`` in the layout of 128x4: those of the groups of `a` one behind the
        other, and [g, n, k / 16], padded.
    alphas : torch.Tensor
        [g], a factor for each group.
    ab_strides, c_strides, problem_sizes, expert_offsets : torch.Tensor
        As of :func:`grouped_mm`.
    sf_offsets : torch.Tensor
        Int32, [g]: the first row of each group in `a_blockscale`.
    out_dtype : torch.dtype
        ``torch.float16`` or ``torch.bfloat16``.

    Returns
    -------
    torch.Tensor
        [m, n]; 0 in rows of no group.

    Raises
    ------
    RuntimeError
        For other shapes and dtypes.
    """
    _check_matrix("a", a, torch.float4_e2m1fn_x2)
    _check_matrix("b", b, torch.float4_e2m1fn_x2, 3)
    _check_scales(a_blockscale, b_blockscale, dtype=torch.float8_e4m3fn)
    _check_groups(a, b, ab_strides, c_strides, problem_sizes, expert_offsets)
    _check_out(out_dtype)
    return library_calls.cutlass_nvfp4_grouped_mm(
        a,
        b.transpose(1, 2),
        a_blockscale,
        b_blockscale,
        alphas,
        problem_sizes,
        expert_offsets,
        sf_offsets,
        out_dtype,
    )
