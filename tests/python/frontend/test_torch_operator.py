"""Calls that torch records: torch.compile, torch.export, make_fx, torch.jit.trace, modes."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from fusion_testing import define
from torch.fx.experimental.proxy_tensor import make_fx

from nvfuser import DataType, FusionDefinition
from nvfuser.torch_operator import OPERATOR

pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.*is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning"),
]

BACKENDS = ["eager", "aot_eager", "inductor"]


@pytest.fixture(autouse=True)
def forget_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def fd() -> FusionDefinition:
    """``relu(x) + s`` and the sums of the rows."""
    return define(
        lambda fd, x, s: [fd.ops.add(fd.ops.relu(x), s), fd.ops.sum(x, [1])],
        [torch.randn(3, 5), 2.0],
    )


def expected(x: torch.Tensor, s: float = 2.0) -> list[torch.Tensor]:
    return [torch.relu(x) + s, x.sum(1)]


def check(outputs: Any, x: torch.Tensor, s: float = 2.0) -> None:
    for output, reference in zip(outputs, expected(x, s), strict=True):
        torch.testing.assert_close(output, reference)


def calls_of(graph: torch.fx.Graph) -> int:
    return sum(node.target is OPERATOR for node in graph.nodes)


@pytest.mark.parametrize("backend", BACKENDS)
def test_compile_without_breaks(backend: str, fd: FusionDefinition) -> None:
    function = torch.compile(
        lambda x: [o * 1.0 for o in fd.execute([x.exp(), 2.0])], backend=backend, fullgraph=True
    )
    for shape in ((3, 5), (4, 6), (7, 2), (1, 1)):
        x = torch.randn(shape)
        check(function(x), x.exp())


def test_compile_with_symbolic_sizes(fd: FusionDefinition) -> None:
    """New sizes need no new graph, and the operator stands in the graph once."""
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        graphs.append(graph.graph)
        return graph.forward

    function = torch.compile(lambda x: fd.execute([x, 2.0]), backend=backend, dynamic=True)
    for rows in range(3, 8):
        x = torch.randn(rows, 2 * rows)
        check(function(x), x)
    assert len(graphs) == 1
    assert calls_of(graphs[0]) == 1


def test_compile_two_fusions_at_one_place() -> None:
    function = torch.compile(lambda fd, x: fd.execute([x])[0], backend="eager", fullgraph=True)
    x = torch.randn(3)
    for factor in (2.0, 3.0):
        fusion = define(lambda fd, t, factor=factor: fd.ops.mul(t, factor), [x])
        assert torch.equal(function(fusion, x), x * factor)


@pytest.mark.parametrize("strict", [False, True])
def test_export_save_and_load(strict: bool, fd: FusionDefinition, tmp_path: Any) -> None:
    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
            return fd.execute([x, 2.0])

    sizes = {"x": {0: torch.export.Dim("rows"), 1: torch.export.Dim("columns")}}
    program = torch.export.export(
        Model(), (torch.randn(3, 5),), dynamic_shapes=sizes, strict=strict
    )
    assert calls_of(program.graph) == 1
    x = torch.randn(7, 4)
    check(program.module()(x), x)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    check(torch.export.load(file).module()(x), x)
    # In a process that has never seen the definition.
    path = tmp_path / "program.pt2"
    path.write_bytes(file.getvalue())
    loaded = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            "import sys, torch, nvfuser\n"
            "module = torch.export.load(sys.argv[1]).module()\n"
            "a, b = module(torch.full((6, 2), 3.0))\n"
            "assert a.shape == (6, 2) and (a == 5).all() and (b == 6).all()",
            str(path),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert loaded.returncode == 0, loaded.stderr[-2000:]


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("caller", ["execute", "plan"])
def test_make_fx(mode: str, caller: str, fd: FusionDefinition) -> None:
    plan = fd.bind([torch.randn(3, 5), 2.0])
    function = plan if caller == "plan" else lambda x, s: fd.execute([x, s])
    graph = make_fx(lambda x: function(x, 2.0), tracing_mode=mode)(torch.randn(3, 5))
    assert calls_of(graph.graph) == 1
    x = torch.randn(3, 5)
    check(graph(x), x)


def test_jit_trace(fd: FusionDefinition) -> None:
    traced = torch.jit.trace(lambda x: tuple(fd.execute([x, 2.0])), (torch.randn(3, 5),))
    assert "nvfuser::execute" in str(traced.graph)
    x = torch.randn(4, 6)
    check(traced(x), x)


def test_numbers_of_each_type() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.ComplexFloat)
        values = [
            fd.define_scalar(dtype)
            for dtype in (DataType.Int, DataType.ComplexDouble, DataType.Bool, DataType.Double)
        ]
        for value in values:
            x = fd.ops.add(x, value)
        fd.add_output(x)
    given = torch.randn(3, dtype=torch.complex64)
    inputs = [given, 3, 1 + 2j, True, 0.5]
    (reference,) = fd.execute(inputs)
    graph = make_fx(lambda x: fd.execute([x, *inputs[1:]])[0])(given)
    assert calls_of(graph.graph) == 1
    assert torch.equal(graph(given), reference)


def test_updates_and_views_are_recorded() -> None:
    x = torch.randn(3, 4)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(t, 1.0), t)
        fd.add_output(fd.ops.mul(t, 2.0))
        u = fd.from_pytorch(x)
        fd.add_output(fd.ops.permute(u, [1, 0]))
    graph = make_fx(lambda x, y: fd.execute([x, y]))(x.clone(), x.clone())
    assert calls_of(graph.graph) == 1
    changed, other = torch.randn(3, 4), torch.randn(3, 4)
    before = changed.clone()
    double, transposed = graph(changed, other)
    torch.testing.assert_close(double, before * 2)
    torch.testing.assert_close(changed, before + 1)
    assert torch.equal(transposed, other.t())
    changed, other = before.clone(), other
    compiled = torch.compile(lambda x, y: fd.execute([x, y]), backend="aot_eager", fullgraph=True)
    double, transposed = compiled(changed, other)
    torch.testing.assert_close(double, before * 2)
    torch.testing.assert_close(changed, before + 1)
    assert torch.equal(transposed, other.t())


def test_outputs_that_are_given(fd: FusionDefinition) -> None:
    def function(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return fd.execute([x, 2.0], outputs=[out, None])[1]

    x, out = torch.randn(3, 5), torch.empty(3, 5)
    graph = make_fx(function)(x, out.clone())
    check([out, graph(x, out)], x)


def test_without_tensors() -> None:
    with FusionDefinition() as fd:
        size = fd.define_scalar(DataType.Int)
        fd.add_output(fd.ops.full([size, 2], 3.0, DataType.Float))
    function = torch.compile(lambda n: fd.execute([n])[0] + 1, backend="eager", fullgraph=True)
    for n in (4, 5, 6):
        assert torch.equal(function(n), torch.full((n, 2), 4.0))


def test_gradients_are_refused(fd: FusionDefinition) -> None:
    x = torch.randn(3, 5, requires_grad=True)
    function = torch.compile(lambda x: fd.execute([x, 2.0])[0], backend="aot_eager")
    with pytest.raises(Exception, match="is to be differentiated"):
        function(x)
    with torch.no_grad():
        check([function(x), x.sum(1)], x)
    with pytest.raises(RuntimeError, match="is to be differentiated"):
        make_fx(lambda x: fd.execute([x, 2.0]))(x)


@pytest.mark.parametrize("transform", [torch.func.vmap, torch.func.grad], ids=["vmap", "grad"])
def test_transforms_of_functions_are_refused(transform: Callable) -> None:
    fd = define(lambda fd, x: fd.ops.sum(fd.ops.mul(x, 2.0), [0]), [torch.randn(3)])
    with pytest.raises(RuntimeError, match=r"transform of torch\.func|is to be differentiated"):
        transform(lambda x: fd.execute([x])[0])(torch.randn(3, 3).squeeze())


def test_no_mode_no_operator(fd: FusionDefinition) -> None:
    """Only while torch records: afterwards, and with other modes, calls are direct."""
    seen = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(function)
            return function(*args, **(kwargs or {}))

    x = torch.randn(3, 5)
    with Watch():
        check(fd.execute([x, 2.0]), x)
    assert OPERATOR in seen
    seen.clear()
    with torch.device("cpu"), torch.autocast("cpu"), torch.inference_mode():
        check(fd.execute([x, 2.0]), x)
    check(fd.execute([x, 2.0]), x)
    assert seen == []


def test_dynamo_is_not_imported() -> None:
    """It takes a second, which only programs that use it spend."""
    program = (
        "import sys, torch, nvfuser\n"
        "fd = nvfuser.FusionDefinition()\n"
        "with fd: fd.add_output(fd.ops.relu(fd.define_tensor([-1], True)))\n"
        "fd.execute([torch.ones(3)])\n"
        "assert 'torch._dynamo' not in sys.modules\n"
        "assert 'nvfuser.torch_operator' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=300)
