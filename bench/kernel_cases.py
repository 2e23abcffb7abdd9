"""The kernels that are measured: what each computes, in torch and as a fusion, and on what.

Sizes are those of the usual tables for GPUs divided for a CPU: 4096 × 4096 elements are 64 MB in
float32, twice the L3 cache of most machines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from nvfuser import DataType, FusionDefinition
from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype


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
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    reference: Callable[..., torch.Tensor]
    body: Callable[..., Any]
    chain: bool = field(default=False)

    def inputs(self, dtype: torch.dtype, device: str = "cpu") -> list[torch.Tensor]:
        """Random inputs, the same in every process."""
        generator = torch.Generator().manual_seed(0)
        return [
            torch.randn(shape, generator=generator).to(device=device, dtype=dtype)
            for shape in self.shapes
        ]

    def define(self, inputs: list[torch.Tensor]) -> FusionDefinition:
        """The fusion for tensors like `inputs`."""
        with FusionDefinition() as fd:
            output = self.body(fd, *[fd.from_pytorch(tensor) for tensor in inputs])
            # Operations on reduced precision compute and return float32.
            fd.add_output(fd.ops.cast(output, torch_dtype_to_nvfuser_dtype(inputs[0].dtype)))
        return fd

    def bytes_moved(self, inputs: list[torch.Tensor], output: torch.Tensor) -> int:
        """Inputs read once and the output written once."""
        return sum(t.numel() * t.element_size() for t in [*inputs, output])


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


def _softmax(rows: int, columns: int) -> Case:
    return Case(
        f"softmax {_shape(rows, columns)}",
        ((rows, columns),),
        lambda x: F.softmax(x, dim=-1),
        lambda fd, x: fd.ops.softmax(x, -1),
    )


def _layer_norm(rows: int, columns: int) -> Case:
    return Case(
        f"layer_norm {_shape(rows, columns)}",
        ((rows, columns), (columns,), (columns,)),
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b),
        lambda fd, x, w, b: fd.ops.layer_norm(x, [columns], w, b, eps=1e-5),
    )


def kernels(scale: int = 1) -> list[Case]:
    """The kernels, with `scale` times fewer rows: 1 for measuring, more to try them out."""
    n, rows = 4096, 4096 // scale
    square = ((rows, n), (rows, n))
    return [
        Case(
            f"bias+gelu {_shape(rows, n)}",
            ((rows, n), (n,)),
            lambda x, b: F.gelu(x + b),
            lambda fd, x, b: fd.ops.gelu(x + b),
        ),
        Case(
            f"rms_norm {_shape(rows, n)}",
            ((rows, n), (n,)),
            lambda x, w: F.rms_norm(x, x.shape[-1:], w, eps=1e-5),
            lambda fd, x, w: fd.ops.rms_norm(x, [n], w, eps=1e-5),
        ),
        _layer_norm(rows, n),
        _layer_norm(rows // 4, 4 * n),
        _softmax(rows, n),
        _softmax(4 * rows, n // 4),
        _softmax(rows // 4, 4 * n),
        Case(
            f"transpose+add+relu {_shape(rows, n)}",
            ((n, rows), (rows, n)),
            lambda x, y: torch.relu(x.t() + y),
            lambda fd, x, y: fd.ops.relu(fd.ops.permute(x, [1, 0]) + y),
        ),
        Case(
            f"silu·mul {_shape(rows, n)}",
            square,
            lambda x, y: F.silu(x) * y,
            lambda fd, x, y: fd.ops.silu(x) * y,
        ),
        Case(
            f"sum dim 0 {_shape(rows, n)}",
            ((rows, n),),
            lambda x: x.sum(0),
            lambda fd, x: fd.ops.sum(x, [0]),
        ),
        Case(
            f"sum dim 1 {_shape(rows, n)}",
            ((rows, n),),
            lambda x: x.sum(1),
            lambda fd, x: fd.ops.sum(x, [1]),
        ),
        Case(
            f"batch_norm {_shape(32768 // scale, 512)}",
            ((32768 // scale, 512), (512,), (512,)),
            _batch_norm,
            _fused_batch_norm,
        ),
        *(
            Case(f"chain of 6 ops, {size} elements", ((size,),) * 2, _chain, _fused_chain, True)
            for size in (1 << 10, 1 << 16, 1 << 20)
        ),
    ]
