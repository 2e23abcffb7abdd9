"""What was fused, and why not: explanations of functions, modules and definitions."""

from __future__ import annotations

import inspect
import os
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

import nvfuser
from nvfuser import Explanation, FusionDefinition


class Model(torch.nn.Module):
    """Two kernels, a library call between them, and an eager operator."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(32, 48)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) + 1  # first kernel
        z = self.linear(y)  # library call
        ordered, _ = torch.sort(z, -1)  # eager operator
        return ordered.softmax(-1)  # second kernel


LINES, START = inspect.getsourcelines(Model)


def place(comment: str) -> str:
    """Return the line of the model with a comment."""
    (number,) = [
        START + i for i, line in enumerate(LINES) if line.rstrip().endswith(f"# {comment}")
    ]
    return f"{__file__}:{number}"


def check_shown(explanation: Explanation) -> ElementTree.Element:
    """Check text and picture: every part with its name and lines."""
    text = str(explanation)
    assert max(map(len, text.splitlines())) <= 100
    svg = explanation._repr_svg_()
    assert svg is not None
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shown = "".join(root.itertext())
    for part in explanation.parts:
        assert part.name[:40] in text
        assert part.name in shown
        for operation in part.operations:
            assert operation.line is not None
            assert os.path.basename(operation.line) in text.replace("\n         ", "")
    return root


def test_module(device: str) -> None:
    model = Model().to(device)
    x = torch.randn(64, 32, device=device)
    with torch.no_grad():
        explanation = nvfuser.explain(model, x)
    (section,) = explanation.sections
    assert torch.device(section.device).type == torch.device(device).type
    first, linear, sort, second = section.parts
    kinds = ["kernel", "library call", "eager operator", "kernel"]
    assert [part.kind for part in section.parts] == kinds
    assert [operation.name for operation in first.operations] == [
        "aten.relu.default",
        "aten.add.Tensor",
    ]
    for part, comment in (
        (first, "first kernel"),
        (linear, "library call"),
        (sort, "eager operator"),
        (second, "second kernel"),
    ):
        assert {operation.line for operation in part.operations} == {place(comment)}
    assert (first.bytes_read, first.bytes_written) == (64 * 32 * 4, 64 * 32 * 4)
    assert second.bytes == 2 * 64 * 48 * 4
    assert first.name.startswith("nvfuser_pointwise_relu_add_")
    assert linear.name == "linear"
    assert "matrix products" in linear.reason
    assert sort.reason == "no kernels are generated for it"
    assert [(cut.producer, cut.reason) for cut in sort.cuts] == [
        (1, "linear is computed by a library")
    ]
    assert [(cut.producer, cut.reason) for cut in second.cuts] == [
        (2, "aten.sort.default is computed by a library")
    ]
    for part in section.parts:
        assert part.time_ms is not None
        assert part.time_ms > 0
        assert part.expected_ms is not None
        assert part.expected_ms > 0
    check_shown(explanation)
    assert str(explanation).startswith("2 kernels, 1 library call, 1 eager operator on ")
    assert "apart from addmm in 1: linear is computed by a library" in str(explanation)


def test_gradients(device: str) -> None:
    model = Model().to(device)
    x = torch.randn(64, 32, device=device)
    explanation = nvfuser.explain(model, x)
    assert [section.name for section in explanation.sections] == ["forward", "backward"]
    lines = {
        operation.line for part in explanation.sections[1].parts for operation in part.operations
    }
    assert {place("second kernel"), place("eager operator"), place("library call")} <= lines
    assert model.linear.weight.grad is None
    check_shown(explanation)


def test_every_door_shows_the_same(device: str) -> None:
    model = Model().to(device)
    x = torch.randn(64, 32, device=device)

    def names_of(door: Any) -> list[str]:
        # Without what tells kernels of the same operations apart.
        return [re.sub("_[0-9a-f]{8}$", "", part.name) for part in nvfuser.explain(door, x).parts]

    with torch.no_grad():
        names = names_of(model)
        for door in (
            nvfuser.jit(model),
            torch.compile(model, backend="eager"),
            model.forward,
            torch.compile(lambda x: model(x), backend="eager"),
        ):
            assert names_of(door) == names


# Of torch, about itself, where a graph follows another one.
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_graphs_of_dynamo(device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.sin() + 1
        torch._dynamo.graph_break()  # the end
        return y.softmax(-1)

    lines, start = inspect.getsourcelines(function)
    (end,) = [start + i for i, line in enumerate(lines) if "# the end" in line]
    x = torch.randn(8, 16, device=device, requires_grad=True)
    compiled = torch.compile(function, backend="nvfuser")
    torch._dynamo.reset()
    for _ in range(2):
        explanation = nvfuser.explain(compiled, x)
        names = [section.name for section in explanation.sections]
        assert names == ["graph 0", "graph 1", "graph 1, backward", "graph 0, backward"]
        assert f"{__file__}:{end}" in explanation.sections[0].end
        assert [section.end for section in explanation.sections[1:]] == ["", "", ""]
        assert x.grad is None
        root = check_shown(explanation)
        assert "graph 0 ends, and Python goes on" in "".join(root.itertext())
    with torch.no_grad():
        assert len(nvfuser.explain(compiled, x).sections) == 2
    torch._dynamo.reset()


def test_methods(device: str) -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(2.0))

        @nvfuser.jit
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.scale

    model = Scaled().to(device)
    x = torch.ones(5, device=device)
    with torch.no_grad():
        (part,) = nvfuser.explain(model.forward, x).parts
    assert [operation.name for operation in part.operations] == ["aten.mul.Tensor"]


def test_updates_and_random_numbers_are_those_of_one_call(device: str) -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x + torch.rand_like(x)

    x = torch.zeros(7, device=device)
    torch.manual_seed(3)
    nvfuser.explain(step, x)
    torch.testing.assert_close(x, torch.ones_like(x))
    after = torch.rand(3, device=device)
    torch.manual_seed(3)
    nvfuser.jit(step)(x)
    torch.testing.assert_close(after, torch.rand(3, device=device))


def test_what_torch_runs_says_why(device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x.to(torch.uint64).to(torch.float32) + 1

    explanation = nvfuser.explain(function, torch.ones(5, device=device))
    (part,) = explanation.parts
    assert part.kind == "eager graph"
    assert "torch.uint64" in part.reason
    assert [operation.name for operation in part.operations] == [
        "aten._to_copy.default",
        "aten.add.Tensor",
    ]
    check_shown(explanation)
    with pytest.raises(nvfuser.TracingError, match=r"depends on the values of a tensor at .*\.py:"):
        nvfuser.explain(lambda x: x if x.sum() > 0 else -x, torch.ones(5, device=device))
    with pytest.raises(TypeError, match="explain takes a function, module or definition"):
        nvfuser.explain(3)


def test_nothing_to_compute(device: str) -> None:
    explanation = nvfuser.explain(lambda x: x, torch.ones(3, device=device))
    assert str(explanation) == "nothing is computed"
    assert explanation._repr_svg_() is None
    with pytest.raises(ValueError, match="nothing is computed"):
        explanation.svg()


def test_compiled_functions_show_themselves(device: str) -> None:
    compiled: Any = nvfuser.jit(Model().to(device))
    assert compiled._repr_svg_() is None
    with torch.no_grad():
        compiled(torch.randn(64, 32, device=device))
    shown = "".join(ElementTree.fromstring(compiled._repr_svg_()).itertext())
    for text in ("relu", "linear", "aten.sort.default", "exp", "kB read"):
        assert text in shown
    assert " us" not in shown
    assert " ms" not in shown


def updating() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        y = fd.ops.softmax(x, -1)
        z = fd.ops.matmul(y, fd.ops.permute(y, [1, 0]))
        fd.add_output(fd.ops.neg(z))
        fd.add_output(fd.ops.add(x, 1.0), x)
    return fd


def test_definition(device: str) -> None:
    fd = updating()
    x = torch.zeros(16, 16, device=device)
    explanation = fd.explain([x])
    assert torch.equal(x, torch.zeros_like(x))
    kinds = [part.kind for part in explanation.parts]
    assert kinds.count("library call") == 1
    assert kinds.count("kernel") >= 2
    names = {operation.name for part in explanation.parts for operation in part.operations}
    assert {"softmax", "matmul", "neg", "add"} <= names
    (call,) = [part for part in explanation.parts if part.kind == "library call"]
    (operation,) = call.operations
    lines, start = inspect.getsourcelines(updating)
    (at,) = [start + i for i, line in enumerate(lines) if "matmul" in line]
    assert operation.line == f"{__file__}:{at}"
    check_shown(explanation)
    again = nvfuser.explain(fd, [x])
    assert [part.name for part in again.parts] == [part.name for part in explanation.parts]


@pytest.mark.usefixtures("device")
def test_arrays() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.exp(x), x)
    array = np.zeros(100, np.float32)
    (part,) = fd.explain([array]).parts
    assert part.bytes == 800
    assert not array.any()
