"""Quantization in blocks and the layout of scales, against a reference of its own and torchao's."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
import torch
from fusion_testing import assert_matches, define, dtype_id, make_tensor, run

from nvfuser import DataType, FusionDefinition, nvf_cutlass

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
FLOAT_MAX = torch.finfo(torch.float32).max
INPUT_DTYPES = pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16], ids=dtype_id
)


def values_of_fp4(packed: torch.Tensor) -> torch.Tensor:
    codes = packed.view(torch.uint8).cpu()
    pairs = torch.stack([codes & 15, codes >> 4], -1).flatten(-2)
    return E2M1[pairs.int()]


def nearest_fp4(values: torch.Tensor) -> torch.Tensor:
    """Round by looking for the nearest of all values, the one with the even code of two."""
    magnitude = values.abs().clamp(max=6.0)
    distance = (magnitude.double()[..., None] - E2M1[:8].double()).abs()
    # Even codes first: argmin takes the first of equal ones.
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])
    best = order[distance[..., order].argmin(-1)]
    return torch.copysign(E2M1[best], values)


def nvfp4(x: torch.Tensor, global_scale: float | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the fp4 values and the scales of nvfp4."""
    blocks = x.cpu().float().unflatten(-1, (-1, 16))
    factor = torch.tensor(1.0 if global_scale is None else global_scale)
    exact = blocks.abs().amax(-1) / 6.0
    exact = exact if global_scale is None else exact * factor
    scales = exact.clamp(max=448.0).to(torch.float8_e4m3fn)
    inverse = (factor / scales.float()).clamp(max=FLOAT_MAX)
    return nearest_fp4(blocks * inverse[..., None]).flatten(-2), scales


def mxfp8(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the fp8 values and the exponents of mxfp8, which count from -127."""
    blocks = x.cpu().double().unflatten(-1, (-1, 32))
    largest = (blocks.abs().amax(-1).float() / 448.0).double()
    mantissa, exponent = torch.frexp(largest)
    # largest = mantissa * 2 ** exponent with a mantissa from 0.5 to 1.
    rounded_up = torch.where(mantissa == 0.5, exponent - 1, exponent).clamp(min=-127)
    rounded_up = torch.where(largest == 0, -127, rounded_up)
    scaled = blocks * torch.exp2(-rounded_up.double())[..., None]
    return scaled.float().to(torch.float8_e4m3fn).flatten(-2), rounded_up + 127


def swizzle(scale: torch.Tensor) -> torch.Tensor:
    """Return the bytes of scales padded to tiles of 128x4, in the order of those."""
    rows, columns = (-(-scale.shape[0] // 128), -(-scale.shape[1] // 4))
    padded = torch.zeros(128 * rows, 4 * columns, dtype=torch.uint8)
    padded[: scale.shape[0], : scale.shape[1]] = scale.cpu().view(torch.uint8)
    return padded.view(rows, 4, 32, columns, 4).permute(0, 3, 2, 1, 4).flatten()


def memory_of(tensor: torch.Tensor, count: int) -> torch.Tensor:
    """Return the first bytes of what lies at a tensor of bytes, beyond its shape."""
    return tensor.view(torch.uint8).as_strided((count,), (1,)).cpu()


def spread(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> torch.Tensor:
    """Return a tensor whose blocks are of different magnitude, one of them zero."""
    x = make_tensor(shape, torch.float32, "cpu")
    x = x * torch.exp2(make_tensor(shape[:-1], torch.float32, "cpu", -6, 6, 1).floor())[..., None]
    x.view(-1)[:32] = 0.0
    return x.to(dtype).to(device)


@INPUT_DTYPES
@pytest.mark.parametrize("shape", [(32,), (6, 64), (2, 3, 32), (130, 16)], ids=str)
@pytest.mark.parametrize("global_scale", [None, 3.5])
def test_nvfp4(
    global_scale: float | None, shape: tuple[int, ...], dtype: torch.dtype, device: str
) -> None:
    x = spread(shape, dtype, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        g = None if global_scale is None else fd.define_tensor(shape=[], dtype=DataType.Float)
        for output in fd.ops.nv_block_quantize(t, g):
            fd.add_output(output)
    more = [] if global_scale is None else [torch.tensor(global_scale, device=device)]
    quantized, scales = fd.execute([x, *more])
    assert quantized.dtype == torch.float4_e2m1fn_x2
    expected, expected_scales = nvfp4(x, global_scale)
    assert scales.shape == (*shape[:-1], shape[-1] // 16)
    assert torch.equal(scales.cpu().float(), expected_scales.float())
    # An inverse that is rounded otherwise may move what lies halfway: there is none here.
    assert torch.equal(values_of_fp4(quantized), expected)


@INPUT_DTYPES
@pytest.mark.parametrize("shape", [(64,), (6, 64), (2, 3, 32)], ids=str)
def test_mxfp8(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    x = spread(shape, dtype, device)
    quantized, scales = run(
        lambda fd, t: fd.ops.nv_block_quantize(t, block_size=32, dtype=DataType.Float8_e4m3fn), [x]
    )
    expected, exponents = mxfp8(x)
    assert scales.dtype == torch.float8_e8m0fnu
    assert torch.equal(scales.cpu().view(torch.uint8).int(), exponents.int())
    assert quantized.dtype == torch.float8_e4m3fn
    assert torch.equal(quantized.cpu().float(), expected.float())


@pytest.mark.parametrize("size", [16, 32])
def test_one_kernel_reads_and_writes(size: int, device: str) -> None:
    x = spread((40, 96), torch.bfloat16, device)
    dtype = DataType.Float4_e2m1fn if size == 16 else DataType.Float8_e4m3fn

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        return list(fd.ops.nv_block_quantize(t, block_size=size, dtype=dtype))

    fd = define(body, [x])
    values, scales = fd.execute([x])
    expected, expected_scales = nvfp4(x, None) if size == 16 else mxfp8(x)
    if size == 16:
        assert torch.equal(values_of_fp4(values), expected)
        assert torch.equal(scales.cpu().float(), expected_scales.float())
    else:
        assert torch.equal(values.cpu().float(), expected.float())
        assert torch.equal(scales.cpu().view(torch.uint8).long(), expected_scales.long())
    assert fd.fec.get_most_recent_scheduled_ir().count("Outputs:") == 1


def test_powers_of_two_are_their_own_scales(device: str) -> None:
    largest = 448.0 * torch.exp2(torch.arange(-100, 100, dtype=torch.float32, device=device))
    x = largest[:, None] * torch.ones(32, device=device)
    above = x * (1 + 2**-20)
    for values, shift in ((x, 0), (above, 1)):
        scales = run(
            lambda fd, t: fd.ops.nv_block_quantize(t, block_size=32, dtype=DataType.Float8_e4m3fn),
            [values],
        )[1]
        expected = torch.arange(27, 227)[:, None] + shift
        assert torch.equal(scales.cpu().view(torch.uint8).int(), expected.int())


def test_quantized_and_dequantized_in_one_fusion(device: str) -> None:
    x = spread((8, 64), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        quantized, scales = fd.ops.nv_block_quantize(fd.ops.relu(t))
        blocks = fd.ops.reshape(fd.ops.cast(quantized, DataType.Float), [8, 4, 16])
        scales = fd.ops.cast(scales, DataType.Float)
        return fd.ops.mul(blocks, fd.ops.broadcast(scales, [False, False, True]))

    (output,) = run(body, [x], static_sizes=True)
    values, scales = nvfp4(x.relu(), None)
    assert torch.equal(output.cpu(), values.view(8, 4, 16) * scales.float()[..., None])
    assert (output.flatten(1) - x.relu()).abs().max() <= x.abs().max() / 6


@pytest.mark.parametrize("shape", [(128, 64), (256, 128), (100, 48)], ids=str)
def test_swizzled_scales(shape: tuple[int, int], device: str) -> None:
    x = spread(shape, torch.bfloat16, device)
    plain, swizzled = (
        run(
            lambda fd, t, flag=flag: fd.ops.nv_block_quantize(t, swizzle_block_scales=flag)[1], [x]
        )[0]
        for flag in (False, True)
    )
    expected = swizzle(plain)
    assert swizzled.shape == plain.shape
    assert torch.equal(memory_of(swizzled, expected.numel()), expected)


GROUPS = [[128, 256], [3, 130, 0, 20], [0, 7]]


def offsets(rows: list[int], device: str) -> list[torch.Tensor]:
    """Return where groups begin, without padding and with it."""
    starts = [[sum(rows[:g]) for g in range(len(rows))]]
    starts.append([sum(-(-r // 128) * 128 for r in rows[:g]) for g in range(len(rows))])
    return [torch.tensor(s, dtype=torch.int32, device=device) for s in starts]


@pytest.mark.parametrize("columns", [4, 6], ids=str)
@pytest.mark.parametrize("rows", GROUPS, ids=str)
def test_scales_of_groups(rows: list[int], columns: int, device: str) -> None:
    scale = make_tensor((sum(rows), columns), torch.float32, "cpu", 0.1, 4)
    scale = scale.to(torch.float8_e4m3fn).to(device)
    (output,) = run(
        lambda fd, *t: fd.ops.preprocess_grouped_matmul_input_sf(*t),
        [scale, *offsets(rows, device)],
    )
    parts = [swizzle(part) for part in scale.cpu().view(torch.uint8).split(rows)]
    expected = torch.cat(parts)
    assert output.shape == scale.shape
    assert torch.equal(memory_of(output, expected.numel()), expected)


def test_grouped_product_of_what_was_quantized(device: str) -> None:
    """From activations and quantized weights to the result of all experts, in one fusion."""
    rows, k, n = [3, 130, 20], 64, 128
    x = spread((sum(rows), k), torch.bfloat16, device)
    w = make_tensor((3, n, k), torch.bfloat16, device, -1, 1, 5)
    weights, weight_scales = run(
        lambda fd, t: fd.ops.nv_block_quantize(fd.ops.reshape(t, [3 * n, k])), [w]
    )
    swizzled = torch.stack([swizzle(part) for part in weight_scales.split(n)])
    inputs = [
        x,
        weights.view(3, n, k // 2).transpose(1, 2),
        swizzled.view(torch.float8_e4m3fn).view(3, n, k // 16).to(device),
        torch.ones(3, device=device),
        torch.tensor([[r, n, k] for r in rows], dtype=torch.int32, device=device),
        *offsets(rows, device),
    ]
    with FusionDefinition() as fd:
        t = [fd.from_pytorch(i) for i in inputs]
        quantized, scales = fd.ops.nv_grouped_block_quantize(t[0], t[5], t[6])
        product = fd.ops.cutlass_nvfp4_grouped_mm(quantized, t[1], scales, t[2], *t[3:])
        fd.add_output(fd.ops.cast(product, DataType.Float))
    (output,) = fd.execute(inputs)
    values, exact = nvfp4(x, None)
    left = values.double() * exact.double().repeat_interleave(16, 1)
    values, exact = nvfp4(w.view(3 * n, k), None)
    right = (values.double() * exact.double().repeat_interleave(16, 1)).view(3, n, k)
    group = torch.repeat_interleave(torch.arange(3), torch.tensor(rows))
    expected = torch.einsum("mk,mnk->mn", left, right[group]).to(device)
    torch.testing.assert_close(output.double(), expected, rtol=0.01, atol=0.01)


# ------------------------------------------------------------------------- torchao

HAS_TORCHAO = importlib.util.find_spec("torchao") is not None


@pytest.mark.skipif(not HAS_TORCHAO, reason="torchao is not installed")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("per_tensor", [False, True])
def test_nvfp4_is_that_of_torchao(per_tensor: bool, device: str) -> None:
    from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize

    x = make_tensor((64, 128), torch.bfloat16, device)
    scale = torch.tensor(0.25, device=device) if per_tensor else None
    scales, packed = nvfp4_quantize(x, 16, scale)
    inputs = [x] if scale is None else [x, 1.0 / scale]
    quantized, ours = run(lambda fd, *t: fd.ops.nv_block_quantize(*t), inputs)
    assert torch.equal(ours.float(), scales.view(ours.shape).float())
    assert torch.equal(quantized.view(torch.uint8), packed.view(torch.uint8))


@pytest.mark.skipif(not HAS_TORCHAO, reason="torchao is not installed")
@pytest.mark.filterwarnings("ignore")
def test_mxfp8_is_that_of_torchao(device: str) -> None:
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    x = make_tensor((64, 128), torch.bfloat16, device)
    scales, values = to_mx(x, torch.float8_e4m3fn, 32, ScaleCalculationMode.RCEIL)
    quantized, ours = run(
        lambda fd, t: fd.ops.nv_block_quantize(t, block_size=32, dtype=DataType.Float8_e4m3fn), [x]
    )
    assert torch.equal(ours.view(torch.uint8), scales.view(ours.shape).view(torch.uint8))
    assert torch.equal(quantized.float(), values.float())


# ---------------------------------------------------------------------- nvf_cutlass


def quantized_matrix(
    rows: int, columns: int, dtype: torch.dtype, device: str, seed: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a quantized matrix, its swizzled scales, and its values in Double."""
    x = make_tensor((rows, columns), torch.float32, device, seed=seed)
    if dtype == torch.float4_e2m1fn_x2:
        values, scales = nvfp4(x, None)
        quantized = run(lambda fd, t: fd.ops.nv_block_quantize(t)[0], [x])[0]
        wide = values.double() * scales.double().repeat_interleave(16, 1)
        return quantized, swizzle(scales).view(torch.float8_e4m3fn).to(device), wide.to(device)
    values, exponents = mxfp8(x)
    scales = exponents.to(torch.uint8).view(torch.float8_e8m0fnu)
    wide = values.double() * scales.double().repeat_interleave(32, 1)
    swizzled = swizzle(scales).view(torch.float8_e8m0fnu)
    return values.to(device), swizzled.to(device), wide.to(device)


@pytest.mark.parametrize("out_dtype", [torch.float16, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize(
    "dtype", [torch.float4_e2m1fn_x2, torch.float8_e4m3fn], ids=["nvfp4", "mxfp8"]
)
def test_eager_scaled_mm(dtype: torch.dtype, out_dtype: torch.dtype, device: str) -> None:
    a, scales_a, left = quantized_matrix(70, 64, dtype, device, 1)
    b, scales_b, right = quantized_matrix(96, 64, dtype, device, 2)
    alpha = torch.tensor(0.125, device=device)
    is_fp4 = dtype == torch.float4_e2m1fn_x2
    function = nvf_cutlass.nvfp4_scaled_mm if is_fp4 else nvf_cutlass.mxfp8_scaled_mm
    output = function(a, b, scales_a, scales_b, alpha, out_dtype)
    assert_matches(output, left @ right.t() * 0.125, out_dtype, rtol=0.01, atol=0.01)


def test_eager_product_that_is_quantized(device: str) -> None:
    a, scales_a, left = quantized_matrix(70, 64, torch.float4_e2m1fn_x2, device, 1)
    b, scales_b, right = quantized_matrix(96, 64, torch.float4_e2m1fn_x2, device, 2)
    alpha, factor = torch.tensor(0.125, device=device), torch.tensor(2.0, device=device)
    quantized, scales = nvf_cutlass.nvfp4_scaled_mm_blockscale(
        a, b, scales_a, scales_b, alpha, factor
    )
    values, expected = nvfp4((left @ right.t() * 0.125).float(), 2.0)
    assert scales.shape == (128, 8)
    assert torch.equal(scales.cpu().view(torch.uint8).flatten(), swizzle(expected))
    assert torch.equal(values_of_fp4(quantized), values)


def test_eager_grouped_mm(device: str) -> None:
    rows, k, n = [3, 0, 20], 64, 32
    a = make_tensor((23, k), torch.bfloat16, device, -1, 1)
    b = make_tensor((3, n, k), torch.bfloat16, device, -1, 1, 1)
    strides = [torch.full((3,), size, dtype=torch.int64, device=device) for size in (k, n)]
    sizes = torch.tensor([[r, n, k] for r in rows], dtype=torch.int32, device=device)
    starts = offsets(rows, device)
    output = nvf_cutlass.grouped_mm(a, b, *strides, sizes, starts[0])
    expected = torch.cat([a[:3].double() @ b[0].double().t(), a[3:].double() @ b[2].double().t()])
    assert_matches(output, expected, torch.bfloat16, rtol=0.05, atol=0.1)

    quantized, _, wide_a = quantized_matrix(23, k, torch.float4_e2m1fn_x2, device, 3)
    scales = nvfp4(make_tensor((23, k), torch.float32, device, seed=3), None)[1]
    scales = torch.cat([swizzle(part) for part in scales.view(torch.uint8).split(rows)])
    weights, scales_b, wide_b = quantized_matrix(3 * n, k, torch.float4_e2m1fn_x2, device, 4)
    scales_b = nvfp4(make_tensor((3 * n, k), torch.float32, device, seed=4), None)[1]
    scales_b = torch.stack([swizzle(part) for part in scales_b.split(n)])
    output = nvf_cutlass.nvfp4_scaled_grouped_mm(
        quantized,
        weights.view(3, n, k // 2),
        scales.view(torch.float8_e4m3fn).to(device),
        scales_b.view(torch.float8_e4m3fn).to(device),
        torch.ones(3, device=device),
        *strides,
        sizes,
        *starts,
        torch.bfloat16,
    )
    wide_b = wide_b.view(3, n, k)
    expected = torch.cat([wide_a[:3] @ wide_b[0].t(), wide_a[3:] @ wide_b[2].t()])
    assert_matches(output, expected, torch.bfloat16, rtol=0.01, atol=0.01)


def test_eager_products_that_do_not_fit(device: str) -> None:
    a, scales, _ = quantized_matrix(32, 64, torch.float8_e4m3fn, device, 1)
    one = torch.ones((), device=device)
    for arguments, message in (
        ((a.float(), a, scales, scales, one, torch.float16), "Expected a to have rank 2 and dtype"),
        ((a, a, scales, scales, one, torch.float32), "Expected out_dtype to be"),
        ((a, a[:, :48], scales, scales, one, torch.float16), "the same number of columns"),
        ((a, a[:, :40], scales, scales, one, torch.float16), "to be a multiple of 16"),
        ((a, a, scales.float(), scales, one, torch.float16), "Expected block scales of dtype"),
    ):
        with pytest.raises(RuntimeError, match=message):
            nvf_cutlass.mxfp8_scaled_mm(*arguments)


# ----------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": DataType.Half}, "Currently only output data type of Float4_e2m1fn or"),
        ({"block_size": 32}, "Block size must be 16 for Float4_e2m1fn"),
        ({"dtype": DataType.Float8_e4m3fn}, "Block size must be 32 for Float8_e4m3fn"),
        (
            {"dtype": DataType.Float8_e4m3fn, "block_size": 32, "swizzle_block_scales": True},
            "only scales of Float4_e2m1fn are swizzled",
        ),
    ],
    ids=str,
)
def test_quantization_that_is_not_defined(arguments: Any, message: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, 64])
        integers = fd.define_tensor(shape=[-1, 64], dtype=DataType.Int)
        short = fd.define_tensor(shape=[-1, 24])
        with pytest.raises(RuntimeError, match=message):
            fd.ops.nv_block_quantize(t, **arguments)
        with pytest.raises(RuntimeError, match="Block quantization expects floating point input"):
            fd.ops.nv_block_quantize(integers)
        with pytest.raises(RuntimeError, match="to be a multiple of 16"):
            fd.ops.nv_block_quantize(short)
        with pytest.raises(RuntimeError, match="Expected global_scale to be a 0-dim Float"):
            fd.ops.nv_block_quantize(t, t)


def test_size_that_is_no_multiple_of_a_block(device: str) -> None:
    x = torch.zeros(2, 32, device=device)
    fd = define(lambda fd, t: fd.ops.nv_block_quantize(t)[1], [x])
    with pytest.raises(RuntimeError, match="Total element counts across view operation must match"):
        fd.execute([torch.zeros(2, 24, device=device)])
