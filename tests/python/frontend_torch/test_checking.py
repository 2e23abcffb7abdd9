"""Options that make sure of results."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from nvfuser.frontend.conversion import convert
from nvfuser.frontend.graph_checking import CheckedGraph, GraphMismatch
from nvfuser.frontend.operators import BUILDERS

Compile = Callable[..., Any]
CHECK = {"check": True}


def test_results_are_those_of_torch(compiled: Compile, device: str) -> None:
    module = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.GELU())
    fast = compiled(module.to(device), options=CHECK)
    for size in (4, 6):
        x = torch.randn(size, 8, device=device, requires_grad=True)
        fast(x).square().sum().backward()
        assert x.grad is not None


def test_first_wrong_node_is_named(
    compiled: Compile, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = BUILDERS["aten.tanh.default"]
    monkeypatch.setitem(BUILDERS, "aten.tanh.default", lambda call, x: right(call, x) + 0.25)

    def function(x: torch.Tensor) -> torch.Tensor:
        y = (x * 2).sigmoid()
        z = y.tanh()  # this line
        return z.softmax(0).sum() + z

    with pytest.raises(GraphMismatch) as caught:
        compiled(function, options=CHECK)(torch.randn(6, device=device))
    message = str(caught.value)
    assert "result 0" in message
    assert (
        "The first node that does is tanh = aten.tanh.default, which differs in 6 of 6" in message
    )
    assert "by at most 0.25" in message
    assert "z = y.tanh()" in message


def test_updates_are_compared(
    compiled: Compile, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BUILDERS, "aten.exp.default", lambda call, x: x + 1.0)

    def function(x: torch.Tensor) -> None:
        x.exp_()

    x = torch.ones(3, device=device)
    with pytest.raises(GraphMismatch, match="the argument arg0_1, which is updated, differs"):
        compiled(function, options=CHECK)(x)


def test_checked_random_numbers(compiled: Compile, device: str) -> None:
    fast = compiled(lambda x: torch.rand_like(x) + torch.randperm(5).sum(), options=CHECK)
    x = torch.zeros(100, device=device)
    assert 10.3 < fast(x).mean() < 10.7


def test_random_numbers_of_the_host_among_those_of_a_device() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.rand_like(x) + torch.randperm(5).sum()

    with FakeTensorMode(), enable_python_dispatcher():
        x = torch.empty(100, device="cuda")
        graph = make_fx(function)(x)
    graph.graph.eliminate_dead_code()
    nodes = {str(node.target): node for node in graph.graph.nodes}
    nodes["output"].args = ([nodes["aten.add.Tensor"]],)
    checked = CheckedGraph(graph, lambda part: convert(part, is_strict=True))
    randperm = nodes["aten.randperm.default"]
    assert randperm.meta["val"].device.type == "cpu"
    assert randperm in checked._random


def test_environment(device: str) -> None:
    script = """
import torch
from nvfuser.frontend.settings import Settings
assert Settings.of(None) == Settings(check=True, strict=True)
assert Settings.of({"check": False}) == Settings(check=False, strict=True)
"""
    environment = {**os.environ, "NVFUSER_DEBUG": "check, strict"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


@pytest.mark.usefixtures("fresh_dynamo")
def test_what_cannot_be_a_fusion_is_run_by_torch(
    device: str, caplog: pytest.LogCaptureFixture
) -> None:
    from nvfuser.frontend.dynamo import nvfuser

    def function(x: torch.Tensor) -> torch.Tensor:
        return x.to(torch.uint64).to(torch.float32) + 1

    x = torch.arange(4.0, device=device)
    fast = torch.compile(function, backend=nvfuser)
    torch.testing.assert_close(fast(x), function(x))
    assert "run by torch: tensors of torch.uint64 are no values of a fusion" in caplog.text
    with pytest.raises(Exception, match=r"torch\.uint64 are no values of a fusion"):
        torch.compile(lambda x: function(x), backend=nvfuser, options={"strict": True})(x)
