"""Matrix products of groups, and of scaled narrow operands, against products in Double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import assert_matches, define, dtype_id, make_tensor, run, run_one, widen

from nvfuser import DataType, FusionDefinition

TOLERANCE = {torch.float32: 2e-5, torch.float16: 1e-2, torch.bfloat16: 5e-2}
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def check(output: torch.Tensor, reference: torch.Tensor, dtype: torch.dtype) -> None:
    assert_matches(output, reference, dtype, rtol=TOLERANCE[dtype], atol=4 * TOLERANCE[dtype])


def offsets(ends: list[int], device: str) -> torch.Tensor:
    return torch.tensor(ends, dtype=torch.int32, device=device)


def split_k(a: torch.Tensor, b: torch.Tensor, ends: list[int]) -> torch.Tensor:
    starts = [0, *ends[:-1]]
    return torch.stack([a[:, i:j] @ b[i:j] for i, j in zip(starts, ends, strict=True)])


def split_n(a: torch.Tensor, b: torch.Tensor, ends: list[int]) -> torch.Tensor:
    starts = [0, *ends[:-1]]
    parts = [x @ b[:, i:j] for x, i, j in zip(a, starts, ends, strict=True)]
    rest = torch.zeros(a.shape[1], b.shape[1] - ends[-1], dtype=a.dtype, device=a.device)
    return torch.cat([*parts, rest], 1)


def split_m(a: torch.Tensor, b: torch.Tensor, ends: list[int]) -> torch.Tensor:
    return split_n(b.mT, a.t(), ends).t()


FORMS: dict[str, tuple[tuple[int, ...], tuple[int, ...], Callable[..., torch.Tensor]]] = {
    "split k": ((5, 16), (16, 6), split_k),
    "split n": ((3, 5, 8), (8, 16), split_n),
    "split m": ((16, 8), (3, 8, 6), split_m),
}


@pytest.mark.parametrize("ends", [[4, 10, 16], [0, 16, 16], [5, 5, 9]], ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=dtype_id)
def test_grouped_mm(dtype: torch.dtype, form: str, ends: list[int], device: str) -> None:
    shape_a, shape_b, reference = FORMS[form]
    a = make_tensor(shape_a, dtype, device, -1, 1)
    b = make_tensor(shape_b, dtype, device, -1, 1, 1)
    plain, fused = run(
        lambda fd, x, y, o: [
            fd.ops.grouped_mm(x, y, o),
            fd.ops.relu(fd.ops.grouped_mm(fd.ops.cast(fd.ops.neg(x), y.dtype()), y, o)),
        ],
        [a, b, offsets(ends, device)],
    )
    expected = reference(widen(a), widen(b), ends)
    check(plain, expected, dtype)
    check(fused, (-expected).relu(), dtype)


SCALES = {
    "split k": ((3, 5, 1), (3, 1, 6)),
    "split n": ((3, 5, 1), (1, 16)),
    "split m": ((16, 1), (3, 1, 6)),
}


@pytest.mark.parametrize("form", FORMS)
def test_scaled_grouped_mm(form: str, device: str) -> None:
    shape_a, shape_b, reference = FORMS[form]
    ends = [4, 10, 16]
    a = make_tensor(shape_a, torch.float32, device, -1, 1).to(torch.float8_e4m3fn)
    b = make_tensor(shape_b, torch.float32, device, -1, 1, 1).to(torch.float8_e4m3fn)
    sa, sb = (make_tensor(s, torch.float32, device, 0.5, 2, i) for i, s in enumerate(SCALES[form]))
    alpha = torch.tensor(1.5, device=device)
    bias = make_tensor((1,), torch.float32, device)
    beta = torch.tensor(0.25, device=device)

    def body(fd: FusionDefinition, *t: Any) -> Any:
        plain = fd.ops.grouped_mm(*t[:5])
        more = fd.ops.grouped_mm(*t[:5], alpha=t[5], bias=t[6], beta=t[7], dtype=DataType.Float)
        assert [*plain[1:], *more[1:]] == [None] * 4
        return [plain[0], more[0]]

    plain, more = run(body, [a, b, offsets(ends, device), sa, sb, alpha, bias, beta])
    wide = [t.double() for t in (a, b, sa, sb)]
    # Rows of a and columns of b times their factors, group by group where those have their own.
    if form == "split k":
        expected = reference(*wide[:2], ends) * wide[2] * wide[3]
    elif form == "split n":
        expected = reference(wide[0] * wide[2], wide[1], ends) * wide[3]
    else:
        expected = reference(wide[0] * wide[2], wide[1] * wide[3], ends)
    check(plain, expected, torch.bfloat16)
    check(more, expected * 1.5 + 0.25 * bias.double(), torch.float32)


def test_offsets_that_are_wrong(device: str) -> None:
    a, b = (make_tensor((8, 8), torch.float32, device) for _ in range(2))
    fd = define(lambda fd, *t: fd.ops.grouped_mm(*t), [a, b, offsets([4, 8], device)])
    for ends in ([5, 3], [4, 9], [-1, 8]):
        with pytest.raises(RuntimeError, match="Expected offsets that do not decrease"):
            fd.execute([a, b, offsets(ends, device)])


def test_grouped_mm_that_is_not_defined() -> None:
    with FusionDefinition() as fd:
        m, t, s, o, x = (
            fd.define_tensor(shape=[-1] * rank, dtype=dtype)
            for rank, dtype in (
                (2, DataType.Float),
                (3, DataType.Float),
                (1, DataType.Float),
                (1, DataType.Int32),
                (2, DataType.Int32),
            )
        )
        grouped = fd.ops.grouped_mm
        for call, message in (
            (lambda: grouped(m, m, x), "offsets needs to be 1-D for grouped mm"),
            (lambda: grouped(t, t, o), "Unexpected operand ranks"),
            (lambda: grouped(s, m, o), "Unexpected operand ranks"),
            (lambda: grouped(m, t, o, m, None), "scale1 and scale2 needs to be non-null"),
            (lambda: grouped(m, t, o, m, t, bias=s), "bias and beta needs to be non-null"),
            (lambda: grouped(m, t, o, t, t), "Expected a scale of rank 2"),
            (
                lambda: grouped(m, t, o, m, t, output_block_scale_size=16),
                "output_block_scale is not yet supported",
            ),
            (lambda: grouped(m, t, o, m, t, output_gamma=True), "output_gamma needs"),
        ):
            with pytest.raises(RuntimeError, match=message):
                call()


# ----------------------------------------------------------------- blocks with scales


def swizzle(scale: torch.Tensor) -> torch.Tensor:
    """Return scales padded to 128x4 tiles, each with row 32 i + j at place (j, i)."""
    rows, columns = (-(-scale.shape[0] // 128), -(-scale.shape[1] // 4))
    padded = torch.zeros(128 * rows, 4 * columns, dtype=scale.dtype, device=scale.device)
    padded.view(torch.uint8)[: scale.shape[0], : scale.shape[1]] = scale.view(torch.uint8)
    tiles = padded.view(torch.uint8).view(rows, 4, 32, columns, 4).permute(0, 3, 2, 1, 4)
    return tiles.contiguous().view(128 * rows, 4 * columns).view(scale.dtype)


def fp4(shape: tuple[int, int], device: str, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random packed values, along the last dimension, and what they are."""
    codes = torch.randint(0, 16, shape, generator=torch.Generator().manual_seed(seed))
    packed = (codes[:, ::2] | codes[:, 1::2] << 4).to(torch.uint8)
    return packed.to(device).view(torch.float4_e2m1fn_x2), E2M1[codes].double().to(device)


def scales(rows: int, columns: int, dtype: torch.dtype, device: str, seed: int) -> torch.Tensor:
    values = make_tensor((rows, columns), torch.float32, "cpu", 0.25, 4, seed)
    return values.to(dtype).to(device)


@pytest.mark.parametrize("shape", [(128, 64, 128), (5, 32, 7), (130, 96, 200)], ids=str)
def test_nvfp4_scaled_mm(shape: tuple[int, int, int], device: str) -> None:
    m, k, n = shape
    (a, wide_a), (b, wide_b) = fp4((m, k), device, 1), fp4((n, k), device, 2)
    sa = scales(m, k // 16, torch.float8_e4m3fn, device, 3)
    sb = scales(n, k // 16, torch.float8_e4m3fn, device, 4)
    alpha = torch.tensor(0.5, device=device)
    bias = make_tensor((n,), torch.bfloat16, device)
    with FusionDefinition() as fd:
        x = fd.from_pytorch(a)
        y = fd.from_pytorch(b.t())
        t = [fd.from_pytorch(s) for s in (swizzle(sa), swizzle(sb), alpha, bias)]
        out, *none = fd.ops.scaled_mm(x, y, *t)
        assert none == [None, None]
        fd.add_output(out)
        fd.add_output(fd.ops.scaled_mm(x, y, *t[:2], dtype=DataType.Float)[0])
    inputs = [a, b.t(), swizzle(sa), swizzle(sb), alpha, bias]
    out, plain = fd.execute(inputs)
    left = wide_a * sa.double().repeat_interleave(16, 1)
    right = wide_b * sb.double().repeat_interleave(16, 1)
    check(plain, left @ right.t(), torch.float32)
    assert_matches(out, 0.5 * left @ right.t() + bias.double(), torch.bfloat16, rtol=0.02)


@pytest.mark.parametrize("swizzled", [True, False], ids=["mxfp8", "rows and columns"])
def test_fp8_scaled_mm(swizzled: bool, device: str) -> None:
    m, k, n = 70, 64, 40
    a = make_tensor((m, k), torch.float32, device, -2, 2).to(torch.float8_e4m3fn)
    b = make_tensor((n, k), torch.float32, device, -2, 2, 1).to(torch.float8_e4m3fn)
    if swizzled:
        sa, sb = (scales(r, k // 32, torch.float8_e8m0fnu, device, r) for r in (m, n))
        given = [swizzle(sa), swizzle(sb)]
        left, right = (s.double().repeat_interleave(32, 1) for s in (sa, sb))
    else:
        left, right = (make_tensor((r, 1), torch.float32, device, 0.5, 2) for r in (m, n))
        given = [left, right.t()]
    output = run_one(
        lambda fd, x, y, *s: fd.ops.scaled_mm(x, y, *s, dtype=DataType.Float)[0],
        [a, b.t(), *given],
    )
    check(output, (a.double() * left) @ (b.double() * right).t(), torch.float32)


def test_scales_that_are_too_few(device: str) -> None:
    a, b = (torch.zeros(200, 64, device=device).to(torch.float8_e4m3fn) for _ in range(2))
    s = torch.ones(200, 2, device=device).to(torch.float8_e8m0fnu)
    with pytest.raises(RuntimeError, match=r"scaled_mm: Expected the scales of 200 rows"):
        run_one(lambda fd, *t: fd.ops.scaled_mm(*t)[0], [a, b.t(), s, s])


def test_scaled_mm_that_is_not_defined() -> None:
    with FusionDefinition() as fd:
        m = fd.define_tensor(shape=[-1, -1], dtype=DataType.Float8_e4m3fn)
        s = fd.define_tensor(shape=[-1, -1], dtype=DataType.Float8_e8m0fnu)
        b = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        for arguments, message in (
            ({"beta": b}, "beta requires a bias"),
            ({"output_block_scale_size": 16}, "output_block_scale is not yet supported"),
            ({"output_gamma": True}, "output_gamma is not yet supported"),
        ):
            with pytest.raises(RuntimeError, match=message):
                fd.ops.scaled_mm(m, m, s, s, **arguments)
        with pytest.raises(RuntimeError, match="Expected matrices"):
            fd.ops.scaled_mm(b, m, s, s)


def test_nvfp4_grouped_mm(device: str) -> None:
    rows, k, n = [3, 130, 0, 20], 64, 48
    m = sum(rows)
    (a, wide_a), (b, wide_b) = fp4((m, k), device, 1), fp4((4 * n, k), device, 2)
    sa = scales(m, k // 16, torch.float8_e4m3fn, device, 3)
    sb = scales(4 * n, k // 16, torch.float8_e4m3fn, device, 4)
    alpha = make_tensor((4,), torch.float32, device, 0.5, 2)
    starts = [sum(rows[:g]) for g in range(4)]
    parts = [swizzle(sa[i : i + r]) for i, r in zip(starts, rows, strict=True)]
    bytes_of_parts = torch.cat([p.view(torch.uint8) for p in parts])
    padded = [sum(p.shape[0] for p in parts[:g]) for g in range(4)]
    weights = [swizzle(sb[n * g : n * g + n]).view(torch.uint8) for g in range(4)]
    inputs = [
        a,
        b.view(4, n, k // 2).transpose(1, 2),
        bytes_of_parts.view(torch.float8_e4m3fn),
        torch.stack(weights).view(torch.float8_e4m3fn),
        alpha,
        torch.tensor([[r, n, k] for r in rows], dtype=torch.int32, device=device),
        offsets(starts, device),
        offsets(padded, device),
    ]
    with FusionDefinition() as fd:
        t = [fd.from_pytorch(x) for x in inputs]
        fd.add_output(fd.ops.cutlass_nvfp4_grouped_mm(*t))
        fd.add_output(fd.ops.cutlass_nvfp4_grouped_mm(*t, dtype=DataType.Float) * 2.0)
    narrow, doubled = fd.execute(inputs)
    left = wide_a * sa.double().repeat_interleave(16, 1)
    right = (wide_b * sb.double().repeat_interleave(16, 1)).view(4, n, k)
    group = torch.repeat_interleave(torch.arange(4), torch.tensor(rows)).to(device)
    expected = torch.einsum("mk,mnk->mn", left, right[group]) * alpha.double()[group, None]
    assert_matches(narrow, expected, torch.bfloat16, rtol=0.01, atol=0.1)
    check(doubled, expected * 2, torch.float32)
