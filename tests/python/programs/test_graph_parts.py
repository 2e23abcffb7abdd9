"""What graphs are made of before they are converted: for libraries, and as CUDA graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch._inductor import cudagraph_trees
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from nvfuser.frontend import conversion, recording, torch_calls
from nvfuser.frontend.conversion import Conversion
from nvfuser.frontend.decompositions import decompositions

OPERAND = "stride_order=[3, 0, 2, 1]"
RESULT = re.compile(
    r"(\w+)\.set_allocation_domain\(\[\1.axis\(0\), \1.axis\(2\), \1.axis\(3\), \1.axis\(1\)\]"
)


def converted(function: Callable[..., Any], *shapes: Sequence[int], dtype: torch.dtype) -> str:
    """Return the definition of a function of tensors on CUDA, where there need be none."""
    with FakeTensorMode():
        inputs = [torch.empty(*shape, dtype=dtype, device="cuda") for shape in shapes]
        graph = make_fx(function, decomposition_table=decompositions())(*inputs)
    conversion = Conversion(graph, is_strict=True)
    conversion.run()
    return str(conversion.fusion)


def convolve(x: Any, weight: Any, bias: Any) -> Any:
    return [torch.nn.functional.conv2d(x, weight, bias).relu()]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_biases_of_convolutions_are_added_in_kernels(dtype: torch.dtype) -> None:
    text = converted(convolve, (2, 8, 9, 9), (16, 8, 3, 3), (16,), dtype=dtype)
    (call,) = [line for line in text.splitlines() if "aten.convolution" in line]
    assert "(t0, t1, None, " in call
    assert "ops.add(" in text
    # On tensor cores there are no others.
    is_half = dtype is torch.bfloat16
    assert text.count(OPERAND) == (2 if is_half else 0)
    assert len(RESULT.findall(text)) == (1 if is_half else 0)


def test_groups_of_channels_stay_as_they_are() -> None:
    def function(x: Any, weight: Any) -> Any:
        return [torch.nn.functional.conv2d(x, weight, groups=8).relu()]

    text = converted(function, (2, 8, 9, 9), (8, 1, 3, 3), dtype=torch.bfloat16)
    assert OPERAND not in text
    assert not RESULT.search(text)


def test_gradients_of_convolutions_have_channels_last_and_the_bias_a_sum() -> None:
    def function(slope: Any, x: Any, weight: Any) -> Any:
        return torch.ops.aten.convolution_backward(
            *(slope, x, weight, [16], [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
            [True, True, True],
        )

    shapes = (2, 16, 7, 7), (2, 8, 9, 9), (16, 8, 3, 3)
    text = converted(function, *shapes, dtype=torch.bfloat16)
    (call,) = [line for line in text.splitlines() if "aten.convolution_backward" in line]
    assert "[True, True, False]" in call
    assert "ops.sum(" in text
    assert text.count(OPERAND) == 3
    assert len(RESULT.findall(text)) == 2


@pytest.mark.parametrize("columns", [7, 16])
def test_biases_of_attention_begin_rows_where_kernels_load(columns: int) -> None:
    seen: list[Any] = []

    def attention(x: Any, bias: Any) -> Any:
        seen.append(bias)
        return x

    bias = torch.randn(3, 5, columns)
    torch_calls._with_aligned_bias(attention, 1, torch.ones(2), bias)
    (given,) = seen
    assert torch.equal(given, bias)
    assert (given is bias) == (columns == 16)
    assert all(stride % 16 == 0 for stride in given.stride()[:-1])


# -------------------------------------------------------------------------------- CUDA graphs


@pytest.fixture
def recordings(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is recorded, by trees that only run it."""
    torch._dynamo.reset()
    made: list[dict[str, Any]] = []

    def record(call: Any, inputs: Sequence[Any], static: Sequence[int], **options: Any) -> Any:
        made.append({"inputs": len(inputs), "static": list(static), **options})

        def run(args: list[Any]) -> Any:
            results = call(args)
            assert args == []  # the trees ask for that
            return results

        return run

    monkeypatch.setattr(cudagraph_trees, "cudagraphify_impl", record)
    gpu = torch.device("cuda", 0)
    monkeypatch.setattr(recording, "device_of", lambda _: gpu)
    monkeypatch.setattr(recording, "_devices", lambda _: {gpu})
    return made


def step(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    compiled: Any = torch.compile(module, backend="nvfuser", mode="reduce-overhead")
    result: torch.Tensor = compiled(x)
    return result


def test_graphs_with_library_calls_are_recorded(recordings: list[dict[str, Any]]) -> None:
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2))
    x = torch.randn(3, 4)
    with torch.no_grad():
        torch.testing.assert_close(step(module, x), module(x))
    (inference,) = recordings
    assert (inference["is_inference"], inference["is_backward"]) == (True, False)
    # All but x, which moves.
    assert len(inference["static"]) == inference["inputs"] - 1

    recordings.clear()
    torch._dynamo.reset()
    step(module, x).sum().backward()
    _, backward = recordings
    assert [r["is_backward"] for r in recordings] == [False, True]
    assert not any(r["is_inference"] for r in recordings)
    # What forward kept is where it was recorded to be; the gradient of the result is not.
    assert backward["static"] == list(range(backward["inputs"] - 1))


def test_kernels_alone_are_launched_as_a_whole_by_native_code(
    recordings: list[dict[str, Any]],
) -> None:
    with torch.no_grad():
        step(torch.nn.Sequential(torch.nn.GELU(), torch.nn.Softmax(-1)), torch.randn(3, 4))
    assert recordings == []


@pytest.fixture
def torch_calls_made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators that graphs leave to torch."""
    calls: list[str] = []
    kept_as_it_was = conversion.call_torch

    def call_torch(node: torch.fx.Node, *args: Any) -> Any:
        calls.append(str(node.target))
        return kept_as_it_was(node, *args)

    monkeypatch.setattr(conversion, "call_torch", call_torch)
    return calls


class Noisy(torch.nn.Module):
    """Draws numbers in each way that there is."""

    def forward(self, x: torch.Tensor) -> Any:
        noise = torch.rand_like(x), torch.randn(x.shape), torch.bernoulli(x.sigmoid())
        return torch.nn.functional.dropout(x, 0.25), sum(noise)


@pytest.mark.parametrize("is_open", [False, True], ids=["sizes", "open sizes"])
def test_random_numbers_are_drawn_again_where_graphs_are_recorded(
    recordings: list[dict[str, Any]], torch_calls_made: list[str], is_open: bool
) -> None:
    # Of single precision first: torch may make a zero of 16 bits.
    x = torch.randn(64, 1000).bfloat16().requires_grad_()
    compiled: Any = torch.compile(
        Noisy(), backend="nvfuser", mode="reduce-overhead", dynamic=is_open
    )
    torch.manual_seed(1)
    kept, noise = compiled(x)
    _, other = compiled(x)
    # Seeds for dropout, what is of single precision, and what is compared with probabilities.
    selected = ["aten.select.int"] * 3
    assert sorted(torch_calls_made) == ["aten.rand_like.default", "aten.randint.default", *selected]
    assert not torch.equal(noise, other)
    torch.manual_seed(1)
    again, same = compiled(x)
    assert torch.equal(kept, again)
    assert torch.equal(noise, same)
    # As dropout scales and rounds, and its gradient the same places.
    scaled = x.detach() * (1 / 0.75)
    assert torch.equal(kept, torch.where(kept == 0, 0.0, scaled))
    assert abs((kept == 0).float().mean() - 0.25) < 0.01
    kept.sum().backward()
    assert [r["is_backward"] for r in recordings] == [False, True]
    assert torch.equal(x.grad == 0, kept == 0)


class Layers(torch.nn.Module):
    """Drops out twice."""

    def forward(self, x: torch.Tensor) -> Any:
        drop = torch.nn.functional.dropout
        return drop(x, 0.5), drop(x, 0.5), torch.randn(x.shape), torch.randn(x.shape)


def test_each_place_of_a_recorded_graph_has_its_own_seed(
    recordings: list[dict[str, Any]], torch_calls_made: list[str]
) -> None:
    x = torch.randn(64, 1000).requires_grad_()
    compiled: Any = torch.compile(Layers(), backend="nvfuser", mode="reduce-overhead")
    first, second, normal, other = compiled(x)
    assert sorted(torch_calls_made) == ["aten.randint.default"] + ["aten.select.int"] * 4
    assert len(recordings) == 1
    assert abs(((first == 0) == (second == 0)).float().mean() - 0.5) < 0.01
    assert abs(torch.corrcoef(torch.stack([normal.flatten(), other.flatten()]))[0, 1]) < 0.02
    assert abs(normal.std() - 1) < 0.02


def test_random_numbers_are_generated_where_nothing_is_recorded(
    recordings: list[dict[str, Any]],
    torch_calls_made: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    devices = {torch.device("cuda", 0), torch.device("cpu")}
    monkeypatch.setattr(recording, "_devices", lambda _: devices)
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5))
    step(module, torch.randn(3, 4)).sum().backward()
    assert recordings == []
    assert torch_calls_made == []


def test_what_is_on_other_devices_is_not_recorded(
    recordings: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = {torch.device("cuda", 0), torch.device("cpu")}
    monkeypatch.setattr(recording, "_devices", lambda _: devices)
    with torch.no_grad():
        step(torch.nn.Linear(4, 8), torch.randn(3, 4))
    assert recordings == []


def test_updates_are_known_to_recordings(recordings: list[dict[str, Any]]) -> None:
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8))
    step(module, torch.randn(3, 4)).sum().backward()
    forward, _ = recordings
    # The two statistics and the number of batches.
    assert len(forward["mutated_input_idxs"]) == 3
    assert set(forward["mutated_input_idxs"]) <= set(forward["static"])
