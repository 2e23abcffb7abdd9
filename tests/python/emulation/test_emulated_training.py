"""Graphs of models in training become kernels that read and write each tensor once."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import torch
from test_emulated_plans import whole_tensors
from thread_work import statements_of_a_thread
from torch import Tensor, nn
from torch.nn import functional

import nvfuser
from nvfuser import _C

sys.path.append(str(Path(__file__).parents[3] / "bench"))
from models.lstm import Layer

# How a kernel accesses whole vectors, and stores single elements.
_VECTORS = re.compile(r"(?:load_vector\w*|copy)<(\d+)>")
_SINGLE_STORES = re.compile(r"^ +T\d+\[i\d+\] = T\d+(?:\[i\d+\])?;$", re.MULTILINE)


def phases(kernels: list[str]) -> int:
    """Return how many launches kernels take."""
    return sum(text.count("__global__") for text in kernels)


def test_embeddings_with_positions_are_normalized_by_one_kernel(kernels: list[str]) -> None:
    """Each row was computed by one thread behind the statistics."""
    words, places = torch.randn(512, 256), torch.randn(64, 256)
    weight, bias = torch.ones(256), torch.zeros(256)

    def function(tokens: Tensor, words: Tensor, places: Tensor, *norm: Tensor) -> Tensor:
        positions = torch.arange(tokens.shape[1])
        x = functional.embedding(tokens, words) + functional.embedding(positions, places)
        return functional.layer_norm(x, (256,), *norm)

    tokens = torch.zeros(2, 64, dtype=torch.int64)
    nvfuser.jit(function)(tokens, words, places, weight, bias)
    assert phases(kernels) == 1
    assert not whole_tensors(kernels)
    assert max(statements_of_a_thread(kernels[0]).values()) < 400


def test_the_gradient_of_a_cross_entropy_reads_the_logits_once(kernels: list[str]) -> None:
    logits = torch.randn(64, 8192, requires_grad=True)
    target = torch.zeros(64, dtype=torch.int64)
    loss = nvfuser.jit(functional.cross_entropy)(logits, target)
    kernels.clear()
    loss.backward()
    assert not any("scatter" in text for text in kernels)
    (kernel,) = (text for text in kernels if "exp" in text)
    assert phases([kernel]) == 1
    # All threads of a block share the row.
    assert max(statements_of_a_thread(kernel).values()) < 2000


class Layers(nn.Module):
    """Many alike: their gradients are planned piece by piece."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64, 64) for _ in range(count))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = x + functional.gelu(layer(x))
        return x.sum()


def step(model: nn.Module, *inputs: Any) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        loss = nvfuser.jit(model)(*inputs)
    loss.backward()


def test_pieces_of_large_graphs_end_between_layers(kernels: list[str]) -> None:
    """A layer's sums and transposes are beside what computes them, wherever it stands."""
    # Of so few elements, threads would have one each whatever lies across memory.
    _C._override_tuning({"gpu.singleElementShare": 1 << 20})
    try:
        step(Layers(8), torch.randn(128, 64))
        few = len(kernels)
        kernels.clear()
        step(Layers(24), torch.randn(128, 64))
    finally:
        _C._override_tuning({})
    # Beside those of the first and last layer there are some where pieces end.
    assert len(kernels) <= few + 6
    pointwise = [text for text in kernels if "_pointwise_" in text]
    assert not any(_SINGLE_STORES.search(text) for text in pointwise)


def test_what_is_needed_elsewhere_is_not_computed_for_every_pad(kernels: list[str]) -> None:
    """Slopes of gates are concatenated, multiplied, and concatenated with those of other steps.

    Were they computed for each pad of the one in the other, that would be too many copies.
    """
    torch._dynamo.reset()
    with torch.autocast("cpu", torch.bfloat16):
        states = torch.compile(Layer(1024), backend="nvfuser")(torch.randn(128, 32, 1024))
    states.square().mean().backward()
    concatenations = [text for text in kernels if "_cat_" in text]
    assert concatenations
    assert not any("__launch_bounds__(1)" in text for text in concatenations)


def test_what_is_cut_off_a_transposed_tensor_is_padded_by_one_kernel(kernels: list[str]) -> None:
    """As the gradient of what a convolution has computed beyond the end: it is 0 there."""

    def function(y: Tensor, slope: Tensor) -> Tensor:
        x = y[..., :512].transpose(1, 2).float()
        sigmoid = x.sigmoid()
        slopes = (slope * sigmoid * (1 + x * (1 - sigmoid))).bfloat16()
        return functional.pad(slopes.transpose(1, 2), (0, 3))

    y = torch.randn(4, 256, 515).bfloat16()
    nvfuser.jit(function)(y, torch.randn(4, 256, 512).transpose(1, 2))
    assert phases(kernels) == 1
    assert not whole_tensors(kernels)


def test_converted_weights_are_written_once(kernels: list[str]) -> None:
    """Transposed for the product, and back for its gradient, they are one tensor."""
    step(Layers(2), torch.randn(128, 64, requires_grad=True))
    casts = [text for text in kernels if "_pointwise_cast_" in text]
    assert casts
    for text in casts:
        read = len(re.findall(r"const [\w:]+\* __restrict__", text))
        assert text.count("* __restrict__") == 2 * read


def test_repeated_heads_are_copied_in_vectors(kernels: list[str]) -> None:
    """In front of the heads a reshape divides rows: elements were computed one by one."""

    def function(x: Tensor) -> Tensor:
        heads = x.view(4, 128, 512).view(4, 128, 8, 64).transpose(1, 2)
        return heads[:, :, None].expand(4, 8, 4, 128, 64).reshape(4, 32, 128, 64)

    nvfuser.jit(function)(torch.randn(512, 512, dtype=torch.float32).bfloat16())
    assert phases(kernels) == 1
    assert _VECTORS.findall(kernels[0]) == ["8", "8"]


def test_saved_statistics_take_no_launch(kernels: list[str]) -> None:
    """What is broadcast of an input is computed where it is used."""
    x, gradient = torch.randn(2, 32, 8, 64, 64).unbind()
    statistics = [torch.rand(8) for _ in range(5)]

    def function(gradient: Tensor, x: Tensor, *of: Tensor) -> Any:
        return torch.ops.aten.native_batch_norm_backward(
            gradient, x, of[0], of[1], of[2], of[3], of[4], True, 1e-5, [True, True, True]
        )

    nvfuser.jit(function)(gradient, x, *statistics)
    assert phases(kernels) <= 3


def test_rows_that_are_looked_up_have_the_narrower_elements(kernels: list[str]) -> None:
    """Also where they were wider before, and reshaped: what is passed on is what was rounded."""

    def function(x: Tensor, weight: Tensor, index: Tensor) -> Tensor:
        heads = (x * weight).bfloat16().view(x.shape[0], 8, 32)
        places = index[:, None, None].expand(index.shape[0], 8, 32)
        return heads.gather(0, places).float().sum(-1)

    nvfuser.jit(function)(
        torch.randn(4000, 256), torch.randn(256), torch.randint(0, 4000, (64000,))
    )
    (reader,) = (text for text in kernels if "lookup" in text)
    assert re.search(r"const nvf::bfloat16\* __restrict__ T0,", reader)
