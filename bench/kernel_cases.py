"""The kernels that are measured: what each computes, in torch and as a fusion, and on what.

Sizes for a CPU are those of the usual tables for GPUs divided: 4096 × 4096 elements are 64 MB in
float32, twice the L3 cache of most machines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from nvfuser import DataType, FusionDefinition
from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Several results, or one, as a tuple."""
    return values if isinstance(values, tuple) else (values,)


@dataclass(frozen=True)
class Case:
    """One kernel.

    Attributes
    ----------
    name : str
        What it is called in tables.
    shapes : tuple
        The shapes of its inputs.
    reference : callable
        What torch is asked for.
    body : callable
        What a fusion is asked for: gets the definition and its tensors.
    chain : bool
        Whether it measures latency rather than throughput.
    dtypes : tuple of str
        The dtypes it is measured with; empty for all that are asked for.
    limits : tuple
        For each input that holds positions, what they are below; None for the others.
    permuted : int, optional
        The dimension along which inputs that hold positions have each of them once.
    cast : bool
        Whether the output is cast to the dtype of the first input. Not so where the body says what
        it returns, which may be several tensors.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    reference: Callable[..., Any]
    body: Callable[..., Any]
    chain: bool = field(default=False)
    dtypes: tuple[str, ...] = ()
    limits: tuple[int | None, ...] = field(default=())
    permuted: int | None = None
    cast: bool = True

    def inputs(self, dtype: torch.dtype, device: str = "cpu") -> list[torch.Tensor]:
        """Random inputs, the same in every process."""
        generator = torch.Generator().manual_seed(0)
        limits = self.limits or (None,) * len(self.shapes)
        return [
            torch.randn(shape, generator=generator).to(device=device, dtype=dtype)
            if limit is None
            else self._positions(shape, limit, generator).to(device)
            for shape, limit in zip(self.shapes, limits, strict=True)
        ]

    def _positions(
        self, shape: tuple[int, ...], limit: int, generator: torch.Generator
    ) -> torch.Tensor:
        if self.permuted is None:
            return torch.randint(0, limit, shape, generator=generator)
        return torch.rand(shape, generator=generator).argsort(self.permuted)

    def define(self, inputs: list[torch.Tensor]) -> FusionDefinition:
        """The fusion for tensors like `inputs`."""
        with FusionDefinition() as fd:
            outputs = as_tuple(self.body(fd, *[fd.from_pytorch(tensor) for tensor in inputs]))
            if self.cast:
                # Operations on reduced precision compute and return float32.
                dtype = torch_dtype_to_nvfuser_dtype(inputs[0].dtype)
                outputs = tuple(fd.ops.cast(output, dtype) for output in outputs)
            for output in outputs:
                fd.add_output(output)
        return fd

    def bytes_moved(self, tensors: list[torch.Tensor]) -> int:
        """Inputs read once and outputs written once."""
        return sum(t.numel() * t.element_size() for t in tensors)


def _batch_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.batch_norm(x, None, None, w, b, training=True)


def _fused_batch_norm(fd: FusionDefinition, x: Any, w: Any, b: Any) -> Any:
    x = fd.ops.cast(x, DataType.Float)
    var, mean = fd.ops.var_mean(x, dims=[0], correction=0, keepdim=True)
    return (x - mean) * fd.ops.rsqrt(var + 1e-5) * w + b


def _chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.relu(x * y + x)
    return torch.sigmoid(z - y) * z + 0.5


def _fused_chain(fd: FusionDefinition, x: Any, y: Any) -> Any:
    z = fd.ops.relu(x * y + x)
    return fd.ops.sigmoid(z - y) * z + 0.5


def _shape(rows: int, columns: int) -> str:
    return f"{rows}×{columns}"


def _bias_gelu(rows: int, columns: int) -> Case:
    return Case(
        f"bias+gelu {_shape(rows, columns)}",
        ((rows, columns), (columns,)),
        lambda x, b: F.gelu(x + b),
        lambda fd, x, b: fd.ops.gelu(x + b),
    )


def rms_norm(rows: int, columns: int) -> Case:
    return Case(
        f"rms_norm {_shape(rows, columns)}",
        ((rows, columns), (columns,)),
        lambda x, w: F.rms_norm(x, x.shape[-1:], w, eps=1e-5),
        lambda fd, x, w: fd.ops.rms_norm(x, [columns], w, eps=1e-5),
    )


def _layer_norm(rows: int, columns: int) -> Case:
    return Case(
        f"layer_norm {_shape(rows, columns)}",
        ((rows, columns), (columns,), (columns,)),
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b),
        lambda fd, x, w, b: fd.ops.layer_norm(x, [columns], w, b, eps=1e-5),
    )


def _softmax(rows: int, columns: int) -> Case:
    return Case(
        f"softmax {_shape(rows, columns)}",
        ((rows, columns),),
        lambda x: F.softmax(x, dim=-1),
        lambda fd, x: fd.ops.softmax(x, -1),
    )


def _transpose(rows: int, columns: int) -> Case:
    return Case(
        f"transpose+add+relu {_shape(rows, columns)}",
        ((columns, rows), (rows, columns)),
        lambda x, y: torch.relu(x.t() + y),
        lambda fd, x, y: fd.ops.relu(fd.ops.permute(x, [1, 0]) + y),
    )


def silu_mul(rows: int, columns: int) -> Case:
    return Case(
        f"silu·mul {_shape(rows, columns)}",
        ((rows, columns), (rows, columns)),
        lambda x, y: F.silu(x) * y,
        lambda fd, x, y: fd.ops.silu(x) * y,
    )


def _sum(dim: int, rows: int, columns: int) -> Case:
    return Case(
        f"sum dim {dim} {_shape(rows, columns)}",
        ((rows, columns),),
        lambda x: x.sum(dim),
        lambda fd, x: fd.ops.sum(x, [dim]),
    )


def _normalized_batch(rows: int, columns: int) -> Case:
    return Case(
        f"batch_norm {_shape(rows, columns)}",
        ((rows, columns), (columns,), (columns,)),
        _batch_norm,
        _fused_batch_norm,
    )


def _indexing(rows: int, n: int) -> list[Case]:
    shape = _shape(rows, n)
    return [
        Case(
            f"index_select rows {shape}",
            ((rows, n), (rows,)),
            lambda x, i: x.index_select(0, i),
            lambda fd, x, i: fd.ops.index_select(x, i, 0),
            limits=(None, rows),
        ),
        *(
            Case(
                f"gather dim {dim} {shape}",
                ((rows, n), (rows, n)),
                lambda x, i, dim=dim: x.gather(dim, i),
                lambda fd, x, i, dim=dim: fd.ops.gather(x, i, dim),
                limits=(None, (rows, n)[dim]),
            )
            for dim in (0, 1)
        ),
    ]


def _scatter(rows: int, n: int) -> list[Case]:
    shape = _shape(rows, n)
    return [
        Case(
            f"scatter dim {dim} {shape}",
            ((rows, n), (rows, n), (rows, n)),
            lambda x, i, y, dim=dim: x.scatter(dim, i, y),
            lambda fd, x, i, y, dim=dim: fd.ops.scatter(x, i, y, dim),
            limits=(None, (rows, n)[dim], None),
            permuted=dim,  # otherwise any of several elements may be the one that stays
            cast=False,
        )
        for dim in (0, 1)
    ]


def _mxfp8(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Blocks of 32 as fp8 with a power of two each, as small as the largest element allows."""
    blocks = x.float().unflatten(-1, (-1, 32))
    largest = blocks.abs().amax(-1) / 448.0
    exponent = ((largest.view(torch.int32) + 0x7FFFFF) >> 23).clamp(1, 253)
    inverse = ((254 - exponent) << 23).view(torch.float32)
    quantized = (blocks * inverse[..., None]).to(torch.float8_e4m3fn).flatten(-2)
    return quantized, exponent.to(torch.uint8)


def _nvfp4(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Blocks of 16 as fp4, two in a byte, with an fp8 scale each."""
    blocks = x.float().unflatten(-1, (-1, 16))
    scales = (blocks.abs().amax(-1) / 6.0).clamp(max=448.0).to(torch.float8_e4m3fn)
    values = blocks * (1.0 / scales.float())[..., None]
    size = values.abs()
    # Halfway between two values, the one with the even code.
    codes = (size > 0.25).to(torch.uint8) + (size >= 0.75) + (size > 1.25) + (size >= 1.75)
    codes = codes + (size > 2.5) + (size >= 3.5) + (size > 5.0) + (values.signbit() * 8)
    codes = codes.to(torch.uint8).flatten(-2)
    packed = codes[..., ::2] | codes[..., 1::2] << 4
    return packed.view(torch.float4_e2m1fn_x2), scales


def _quantization(rows: int, n: int) -> list[Case]:
    shape = _shape(rows, n)
    return [
        Case(
            f"scale and cast to fp8 {shape}",
            ((rows, n), (n,)),
            lambda x, s: (x.float() * s).to(torch.float8_e4m3fn),
            lambda fd, x, s: fd.ops.cast(fd.ops.mul(x, s), DataType.Float8_e4m3fn),
            cast=False,
        ),
        Case(
            f"quantize to mxfp8 {shape}",
            ((rows, n),),
            _mxfp8,
            lambda fd, x: fd.ops.nv_block_quantize(x, block_size=32, dtype=DataType.Float8_e4m3fn),
            cast=False,
        ),
        Case(
            f"quantize to nvfp4 {shape}",
            ((rows, n),),
            _nvfp4,
            lambda fd, x: fd.ops.nv_block_quantize(x),
            cast=False,
        ),
    ]


def _parts(rows: int, n: int) -> list[Case]:
    shape, half = _shape(rows, n), n // 2
    return [
        Case(
            f"cat of computed halves {shape}",
            ((rows, half), (rows, half)),
            lambda x, y: torch.cat([x.relu(), y * 2.0], 1),
            lambda fd, x, y: fd.ops.cat(
                [fd.ops.relu(fd.ops.cast(x, DataType.Float)), fd.ops.mul(y, 2.0)], 1
            ),
        ),
        Case(
            f"slice and scale {shape}",
            ((rows, n + 3),),
            lambda x: x[:, 3:] * 2.0,
            lambda fd, x: fd.ops.mul(fd.ops.slice(x, [0, 3], [rows, n + 3]), 2.0),
        ),
        *(
            Case(
                f"cumsum dim {dim} {shape}",
                ((rows, n),),
                lambda x, dim=dim: x.cumsum(dim),
                lambda fd, x, dim=dim: fd.ops.cumsum(fd.ops.cast(x, DataType.Float), dim),
            )
            for dim in (0, 1)
        ),
    ]


def _chains() -> list[Case]:
    return [
        Case(f"chain of 6 ops, {size} elements", ((size,),) * 2, _chain, _fused_chain, True)
        for size in (1 << 10, 1 << 16, 1 << 20)
    ]


def medium_kernels(scale: int = 1) -> list[Case]:
    """The kernels for a CPU, with `scale` times fewer rows: 1 for measuring, more to try them."""
    n, rows = 4096, 4096 // scale
    return [
        _bias_gelu(rows, n),
        rms_norm(rows, n),
        _layer_norm(rows, n),
        _layer_norm(rows // 4, 4 * n),
        _softmax(rows, n),
        _softmax(4 * rows, n // 4),
        _softmax(rows // 4, 4 * n),
        _transpose(rows, n),
        silu_mul(rows, n),
        _sum(0, rows, n),
        _sum(1, rows, n),
        _normalized_batch(32768 // scale, 512),
        *_indexing(rows, n),
        *_scatter(rows, n),
        *_parts(rows, n),
        *_quantization(rows, n),
        *_chains(),
    ]


def large_kernels(scale: int = 1) -> list[Case]:
    """The kernels for a GPU: the same, larger, each in the dtype that the usual tables have."""
    n, rows = 8192, 8192 // scale
    half, single = ("bfloat16",), ("float32",)
    return [
        *(
            replace(case, dtypes=half)
            for case in (
                _bias_gelu(rows, n),
                rms_norm(rows, n),
                _layer_norm(rows, n),
                _layer_norm(rows // 4, 4 * n),
                _softmax(2 * rows, n // 2),
                _softmax(rows, n),
                _softmax(4 * rows, n // 8),
                *_quantization(rows, n),
            )
        ),
        *(
            replace(case, dtypes=single)
            for case in (
                _transpose(rows, n),
                silu_mul(rows, n),
                _sum(0, rows, n),
                _sum(1, rows, n),
                _normalized_batch(65536 // scale, 512),
                *_indexing(rows, n),
                *_scatter(rows, n),
                *_parts(rows, n),
            )
        ),
        *_chains(),
    ]


def odd_kernels() -> list[Case]:
    """Small kernels and such whose sizes no vector divides."""
    makers = (_bias_gelu, rms_norm, _layer_norm, _softmax, _transpose, silu_mul)
    shapes = ((1, 4096), (7, 1000), (128, 128), (4095, 4097))
    return [
        case
        for rows, columns in shapes
        for case in (
            *(make(rows, columns) for make in makers),
            _sum(0, rows, columns),
            _sum(1, rows, columns),
        )
    ]


def kernels(sizes: str, scale: int = 1) -> list[Case]:
    """The kernels of ``large``, ``medium`` or ``odd`` sizes; `scale` as of the former two."""
    makers = {"large": large_kernels, "medium": medium_kernels, "odd": lambda _: odd_kernels()}
    return makers[sizes](scale)
