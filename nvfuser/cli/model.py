"""Decoder layers of the dimensions of Llama-3.2-1B, with exchangeable element-wise parts.

`Decoder` holds the weights and the cache, and calls torch for matrix products and attention. What
lies between those is in the four functions of `Parts`: written for eager torch in `EagerParts`, the
same ones compiled by ``torch.compile``, and as fusions in `FusedParts`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn.functional import embedding, linear, rms_norm, scaled_dot_product_attention, silu

from nvfuser import DataType, FusionDefinition
from nvfuser.cli.peers import synchronize
from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype

__all__ = [
    "Decoder",
    "EagerParts",
    "FusedParts",
    "Parts",
    "calls_of_a_token",
    "compiled_parts",
    "seconds_of_one_call_each",
]

HIDDEN = 2048
HEADS = 32
KEY_VALUE_HEADS = 8
HEAD = HIDDEN // HEADS
INTERMEDIATE = 8192
QK = (HEADS + KEY_VALUE_HEADS) * HEAD  # rows of the projection that are rotated
QKV = QK + KEY_VALUE_HEADS * HEAD
VOCABULARY = 256  # bytes
ROPE_BASE = 500_000.0
EPSILON = 1e-5
POSITIONS = 4096

# Keys and values [2, heads, positions, head] of each layer.
Cache = list[Tensor]


class Parts(Protocol):
    """What lies between matrix products and attention; T is the number of tokens."""

    def norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """Normalize [T, hidden] by its root mean square."""

    def add_norm(self, x: Tensor, update: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return x + update and its norm."""

    def rotate(self, heads: Tensor, start: int) -> Tensor:
        """Apply rotary embeddings to [T, n, head], of tokens from position `start` on."""

    def gate(self, gate_up: Tensor) -> Tensor:
        """Return silu(gate) * up of both in one tensor [T, 2 * intermediate]."""


def rotary_tables(model: Decoder) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of the angles of all positions, [positions, head / 2]."""
    exponents = torch.arange(0, HEAD, 2, dtype=torch.float64) / HEAD
    angles = torch.outer(torch.arange(POSITIONS, dtype=torch.float64), ROPE_BASE**-exponents)
    return angles.cos().float().to(model.device), angles.sin().float().to(model.device)


def rotate(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs (i, i + head / 2) of [T, n, head] by angles given as [T, 1, head / 2]."""
    first, second = heads.chunk(2, dim=-1)
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return turned.to(heads.dtype)


class EagerParts:
    """The parts in eager torch, or compiled by ``torch.compile``."""

    def __init__(self, model: Decoder) -> None:
        cos, sin = rotary_tables(model)
        self._cos, self._sin = cos[:, None], sin[:, None]
        self._turn = rotate

    def norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """See `Parts`."""
        return rms_norm(x, (HIDDEN,), weight, EPSILON)

    def add_norm(self, x: Tensor, update: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """See `Parts`."""
        total = x + update
        return total, rms_norm(total, (HIDDEN,), weight, EPSILON)

    def rotate(self, heads: Tensor, start: int) -> Tensor:
        """See `Parts`."""
        end = start + heads.shape[0]
        return self._turn(heads, self._cos[start:end], self._sin[start:end])

    def gate(self, gate_up: Tensor) -> Tensor:
        """See `Parts`."""
        gate, up = gate_up.chunk(2, dim=-1)
        return silu(gate) * up


def compiled_parts(model: Decoder) -> EagerParts:
    """Return the parts as ``torch.compile`` compiles them, at their first calls."""
    parts = EagerParts(model)
    for name in ("norm", "add_norm", "_turn", "gate"):
        setattr(parts, name, torch.compile(getattr(parts, name)))
    return parts


def _examples(model: Decoder, tokens: int) -> dict[str, tuple[Any, ...]]:
    def tensor(*shape: int) -> Tensor:
        return torch.ones(shape, dtype=model.dtype, device=model.device)

    rows, weight = tensor(tokens, HIDDEN), tensor(HIDDEN)
    heads = tensor(tokens, QKV)[:, :QK].unflatten(-1, (-1, HEAD))
    return {
        "norm": (rows, weight),
        "add_norm": (rows, rows, weight),
        "rotate": (heads, 0),
        "gate": (tensor(tokens, 2 * INTERMEDIATE),),
    }


class FusedParts:
    """The parts as fusions: one kernel each, for any number of tokens."""

    def __init__(self, model: Decoder) -> None:
        dtype = torch_dtype_to_nvfuser_dtype(model.dtype)
        cos, sin = rotary_tables(model)
        # What the first and the second half of a head contribute to both halves.
        self._first = torch.stack((cos, sin), dim=1)[:, None]
        self._second = torch.stack((-sin, cos), dim=1)[:, None]
        self._norm = self._define_norm(dtype)
        self._add_norm = self._define_add_norm(dtype)
        self._rotate = self._define_rotate(dtype)
        self._gate = self._define_gate(dtype)

    @staticmethod
    def _rows(fd: FusionDefinition, dtype: DataType, columns: int) -> Any:
        return fd.define_tensor(shape=[-1, columns], contiguity=True, dtype=dtype)

    def _define_norm(self, dtype: DataType) -> FusionDefinition:
        with FusionDefinition() as fd:
            x = self._rows(fd, dtype, HIDDEN)
            weight = fd.define_tensor(shape=[HIDDEN], contiguity=True, dtype=dtype)
            normed = fd.ops.rms_norm(x, [HIDDEN], weight, EPSILON)
            fd.add_output(fd.ops.cast(normed, dtype))
        return fd

    def _define_add_norm(self, dtype: DataType) -> FusionDefinition:
        with FusionDefinition() as fd:
            x = self._rows(fd, dtype, HIDDEN)
            update = self._rows(fd, dtype, HIDDEN)
            weight = fd.define_tensor(shape=[HIDDEN], contiguity=True, dtype=dtype)
            total = fd.ops.cast(x + update, dtype)
            normed = fd.ops.rms_norm(total, [HIDDEN], weight, EPSILON)
            fd.add_output(total)
            fd.add_output(fd.ops.cast(normed, dtype))
        return fd

    def _define_rotate(self, dtype: DataType) -> FusionDefinition:
        half = HEAD // 2
        count = HEADS + KEY_VALUE_HEADS
        with FusionDefinition() as fd:
            # A part of a wider tensor: only the heads themselves are contiguous. The halves of a
            # head are told apart by a dimension of their own, along which each is broadcast.
            heads = fd.define_tensor(
                shape=[-1, count, 2, half], contiguity=[False, True, True, True], dtype=dtype
            )
            factors = [
                fd.define_tensor(shape=[-1, 1, 2, half], contiguity=[True, None, True, True])
                for _ in range(2)
            ]
            tokens = fd.ops.size(heads, 0)
            first = fd.ops.slice(heads, [0, 0, 0, 0], [tokens, count, 1, half])
            second = fd.ops.slice(heads, [0, 0, 1, 0], [tokens, count, 2, half])
            fd.add_output(fd.ops.cast(first * factors[0] + second * factors[1], dtype))
        return fd

    def _define_gate(self, dtype: DataType) -> FusionDefinition:
        with FusionDefinition() as fd:
            gate_up = self._rows(fd, dtype, 2 * INTERMEDIATE)
            tokens = fd.ops.size(gate_up, 0)
            gate = fd.ops.slice(gate_up, [0, 0], [tokens, INTERMEDIATE])
            up = fd.ops.slice(gate_up, [0, INTERMEDIATE], [tokens, 2 * INTERMEDIATE])
            fd.add_output(fd.ops.cast(fd.ops.silu(gate) * up, dtype))
        return fd

    def norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """See `Parts`."""
        return self._norm.execute([x, weight])[0]

    def add_norm(self, x: Tensor, update: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """See `Parts`."""
        total, normed = self._add_norm.execute([x, update, weight])
        return total, normed

    def rotate(self, heads: Tensor, start: int) -> Tensor:
        """See `Parts`."""
        end = start + heads.shape[0]
        halves = heads.unflatten(-1, (2, HEAD // 2))
        factors = self._first[start:end], self._second[start:end]
        return self._rotate.execute([halves, *factors])[0].flatten(-2)

    def gate(self, gate_up: Tensor) -> Tensor:
        """See `Parts`."""
        return self._gate.execute([gate_up])[0]


class _Layer:
    """The weights of one layer."""

    def __init__(self, model: Decoder, generator: torch.Generator) -> None:
        def weight(rows: int, columns: int) -> Tensor:
            values = torch.randn(rows, columns, generator=generator) / math.sqrt(columns)
            return values.to(model.device, model.dtype)

        def scale() -> Tensor:
            values = 1 + torch.randn(HIDDEN, generator=generator) * 0.1
            return values.to(model.device, model.dtype)

        self.input_norm, self.post_norm = scale(), scale()
        self.qkv, self.out = weight(QKV, HIDDEN), weight(HIDDEN, HIDDEN)
        self.gate_up, self.down = weight(2 * INTERMEDIATE, HIDDEN), weight(HIDDEN, INTERMEDIATE)


class Decoder:
    """A language model over bytes: embedding, decoder layers, norm and head, weights random.

    Parameters
    ----------
    layers : int
        Number of decoder layers.
    dtype : torch.dtype
        Of weights and activations, float32 or bfloat16.
    device : str
        "cpu" or "cuda".
    seed : int
        Of the weights.
    """

    def __init__(self, layers: int, dtype: torch.dtype, device: str, seed: int) -> None:
        self.dtype, self.device = dtype, device
        generator = torch.Generator().manual_seed(seed)
        self.embedding, self.head = (
            torch.randn(VOCABULARY, HIDDEN, generator=generator).to(device, dtype) * scale
            for scale in (1.0, 1 / math.sqrt(HIDDEN))
        )
        self.layers = [_Layer(self, generator) for _ in range(layers)]
        self.final_norm = torch.ones(HIDDEN, device=device, dtype=dtype)

    def new_cache(self) -> Cache:
        """Return room for the keys and values of all positions, for each layer."""
        shape = (2, KEY_VALUE_HEADS, POSITIONS, HEAD)
        return [torch.zeros(shape, device=self.device, dtype=self.dtype) for _ in self.layers]

    def forward(self, parts: Parts, cache: Cache, tokens: list[int], start: int) -> Tensor:
        """Return the logits [vocabulary] after `tokens`, which stand from position `start` on."""
        x = embedding(torch.tensor(tokens, device=self.device), self.embedding)
        normed = parts.norm(x, self.layers[0].input_norm)
        following = [*[layer.input_norm for layer in self.layers[1:]], self.final_norm]
        for layer, memory, next_norm in zip(self.layers, cache, following, strict=True):
            attended = self._attend(parts, memory, linear(normed, layer.qkv), start)
            update = linear(attended, layer.out)
            x, normed = parts.add_norm(x, update, layer.post_norm)
            update = linear(parts.gate(linear(normed, layer.gate_up)), layer.down)
            x, normed = parts.add_norm(x, update, next_norm)
        return linear(normed[-1], self.head)

    def _attend(self, parts: Parts, memory: Tensor, qkv: Tensor, start: int) -> Tensor:
        count = qkv.shape[0]
        end = start + count
        rotated = parts.rotate(qkv[:, :QK].unflatten(-1, (-1, HEAD)), start).transpose(0, 1)
        queries, keys = rotated.split((HEADS, KEY_VALUE_HEADS))
        memory[0, :, start:end] = keys
        memory[1, :, start:end] = qkv[:, QK:].unflatten(-1, (-1, HEAD)).transpose(0, 1)
        attended = scaled_dot_product_attention(
            queries[None],
            memory[0, None, :, :end],
            memory[1, None, :, :end],
            is_causal=count > 1,
            enable_gqa=True,
        )
        return attended[0].transpose(0, 1).flatten(-2)


def seconds_of_one_call_each(model: Decoder, parts: Parts, tokens: int) -> float:
    """Call every part once, with inputs for `tokens` tokens; return the seconds that it took."""
    example = _examples(model, tokens)
    synchronize(model.device)
    begin = time.perf_counter()
    for name, inputs in example.items():
        getattr(parts, name)(*inputs)
    synchronize(model.device)
    return time.perf_counter() - begin


def calls_of_a_token(model: Decoder, parts: Parts) -> Callable[[], None]:
    """Return a function that calls the parts as the decoding of one token does."""
    example = _examples(model, 1)

    def all_parts() -> None:
        parts.norm(*example["norm"])
        for _ in model.layers:
            parts.rotate(*example["rotate"])
            parts.gate(*example["gate"])
            parts.add_norm(*example["add_norm"])
            parts.add_norm(*example["add_norm"])

    return all_parts
