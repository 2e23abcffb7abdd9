"""Calls that torch records: torch.compile, torch.export, make_fx, torch.jit.trace, modes."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import random_graphs
import torch
from fusion_testing import define
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from nvfuser import _C, DataType, FusionDefinition, torch_operator
from nvfuser.output_geometry import OutputGeometry
from nvfuser.torch_operator import OPERATOR, description_of

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


@pytest.mark.parametrize("backend", BACKENDS)
def test_compile_a_bound_plan(backend: str, fd: FusionDefinition) -> None:
    plan = fd.bind([torch.randn(3, 5), 2.0])
    function = torch.compile(lambda x: plan(x, 2.0), backend=backend, fullgraph=True)
    for shape in ((3, 5), (4, 6)):
        x = torch.randn(shape)
        check(function(x), x)
    out, x = torch.empty(4, 6), torch.randn(4, 6)
    written = torch.compile(
        lambda x, out: plan(x, 2.0, outputs=[out, None])[1], backend=backend, fullgraph=True
    )
    check([out, written(x, out)], x)
    # Written down, and not by its vector call.
    check(plan.__call__(x, 2.0), x)


@pytest.mark.parametrize("caller", ["execute", "plan"])
def test_compile_two_fusions_of_one_kind_at_one_place(caller: str) -> None:
    """Also one that another replaces in the same definition."""
    function = torch.compile(
        lambda f, x: f(x)[0] if caller == "plan" else f.execute([x])[0],
        backend="eager",
        fullgraph=True,
    )
    x = torch.randn(3)
    for factor in (2.0, 3.0, 2.0):
        fusion = define(lambda fd, t, factor=factor: fd.ops.mul(t, factor), [x])
        assert torch.equal(
            function(fusion.bind([x]) if caller == "plan" else fusion, x), x * factor
        )
    if caller == "execute":
        with fusion:
            fusion.add_output(fusion.ops.mul(fusion.from_pytorch(x), 5.0))
        assert torch.equal(function(fusion, x), x * 5.0)


def test_compile_a_bound_method(fd: FusionDefinition) -> None:
    def function(x: torch.Tensor) -> list[torch.Tensor]:
        execute = fd.execute
        return execute([x], device=None) if x.dim() == 1 else execute(inputs=[x, 2.0])

    x = torch.randn(3, 5)
    check(function(x), x)
    check(torch.compile(function, backend="eager", fullgraph=True)(x), x)
    check(FusionDefinition.execute(fd, [x, 2.0]), x)
    with pytest.raises(TypeError, match="a method of FusionDefinition"):
        FusionDefinition.execute(3, [x, 2.0])


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
@pytest.mark.parametrize("caller", ["execute", "plan", "executor"])
def test_make_fx(mode: str, caller: str, fd: FusionDefinition) -> None:
    plan = fd.bind([torch.randn(3, 5), 2.0])
    callers: dict[str, Callable[..., Any]] = {
        "execute": lambda x, s: fd.execute([x, s]),
        "plan": plan,
        "executor": lambda x, s: fd.fec.execute([x, s]),
    }
    function = callers[caller]
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


def test_first_calls_of_compiled_graphs_are_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """AOTAutograd watches them with a mode that records nothing."""
    recorded = []
    monkeypatch.setattr(torch_operator, "description_of", lambda *args: recorded.append(args))
    module = torch.nn.Linear(3, 4)
    x = torch.randn(2, 3)
    compiled = torch.compile(module, backend="nvfuser")
    for _ in range(2):
        compiled(x).sum().backward()
    assert not recorded


def test_without_tensors(device: str) -> None:
    with FusionDefinition() as fd:
        size = fd.define_scalar(DataType.Int)
        fd.add_output(fd.ops.full([size, 2], 3.0, DataType.Float))
    function = torch.compile(lambda n: fd.execute([n])[0] + 1, backend="eager", fullgraph=True)
    for n in (4, 5, 6):
        assert torch.equal(function(n), torch.full((n, 2), 4.0, device=device))


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


# ---------------------------------------------------------------- the operator itself


def call(fd: FusionDefinition, inputs: list[Any]) -> list[torch.Tensor]:
    """Run the fusion by the operator; the inputs are tensors and floats."""
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    floats = [float(value) for value in inputs if not isinstance(value, torch.Tensor)]
    definition = description_of(fd._prepare())[0]
    return OPERATOR(tensors, [], floats, definition)


def check_fake(fd: FusionDefinition, inputs: list[Any]) -> list[torch.Tensor]:
    """Compare what the fake kernel says with what the kernel returns."""
    real = call(fd, inputs)
    with FakeTensorMode() as mode:
        fake = call(fd, [mode.from_tensor(v) if isinstance(v, torch.Tensor) else v for v in inputs])
    assert len(fake) == len(real)
    for a, b in zip(fake, real, strict=True):
        assert (a.shape, a.stride(), a.dtype) == (b.shape, b.stride(), b.dtype), fd
        assert a.device == b.device
    return real


def test_kernel_is_native(fd: FusionDefinition) -> None:
    """With torch 2.10 and later: all that is needed is found there."""
    assert _C.implement_operator()
    x = torch.randn(3, 5)
    check(check_fake(fd, [x, 2.0]), x)
    torch.library.opcheck(OPERATOR, ([x], [], [2.0], description_of(fd._executor)[0]))


def test_kernel_in_python(fd: FusionDefinition) -> None:
    """The same results where torch lacks what the native one needs."""
    program = (
        "import torch, nvfuser\n"
        "nvfuser._C.implement_operator = lambda: False\n"
        "from nvfuser.torch_operator import OPERATOR, description_of\n"
        "with nvfuser.FusionDefinition() as fd:\n"
        "    x, s = fd.define_tensor([-1], True), fd.define_scalar(nvfuser.DataType.Double)\n"
        "    fd.add_output(fd.ops.mul(x, s))\n"
        "text = description_of(fd._prepare())[0]\n"
        "(y,) = OPERATOR([torch.ones(3)], [], [2.0], text)\n"
        "assert (y == 2).all()\n"
        "f = torch.compile(lambda x: fd.execute([x, 3.0])[0], backend='aot_eager')\n"
        "assert (f(torch.ones(3)) == 3).all()\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=300)


def test_errors_of_the_kernel(fd: FusionDefinition) -> None:
    with pytest.raises(RuntimeError, match="rank 2, but got a tensor of rank 1"):
        call(fd, [torch.randn(3), 2.0])
    with pytest.raises(RuntimeError, match="too few inputs"):
        call(fd, [torch.randn(3, 5)])
    with pytest.raises(RuntimeError, match="does not begin like one"):
        OPERATOR([torch.randn(3)], [], [], "no definition")
    with pytest.raises(RuntimeError, match="is to be differentiated"):
        call(fd, [torch.randn(3, 5, requires_grad=True), 2.0])
    check(call(fd, [x := torch.randn(3, 5), 2.0]), x)


@pytest.mark.parametrize("seed", range(30))
def test_fake_of_random_graphs(seed: int) -> None:
    graph, _ = random_graphs.build(random_graphs.Seeded(7000 + seed), "cpu")
    outputs = graph.fd.execute(graph.inputs)
    for output, result in zip(outputs, check_fake(graph.fd, graph.inputs), strict=False):
        assert torch.equal(output, result)


@pytest.mark.parametrize("dtype", ["nvfp4", "mxfp8"])
def test_fake_of_quantization(dtype: str) -> None:
    options = {"block_size": 32, "dtype": DataType.Float8_e4m3fn} if dtype == "mxfp8" else {}
    x = torch.randn(6, 64)
    fusion = define(lambda fd, t: fd.ops.nv_block_quantize(t, **options), [x])
    expected = fusion.execute([x])
    graph = make_fx(lambda x: fusion.execute([x]), tracing_mode="symbolic")(x)
    assert calls_of(graph.graph) == 1
    for results in (graph(x), check_fake(fusion, [x])):
        for a, b in zip(results, expected, strict=True):
            assert torch.equal(a.view(torch.uint8), b.view(torch.uint8))
    with FusionDefinition() as again:
        again.add_output(again.ops.cast(again.from_pytorch(expected[0]), DataType.Float))
    assert torch.equal(check_fake(again, [expected[0]])[0], again.execute([expected[0]])[0])


def test_fake_of_random_numbers() -> None:
    def numbers(fd: FusionDefinition, t: Any) -> list[Any]:
        zero, one = fd.define_scalar(0.0), fd.define_scalar(1.0)
        return [fd.ops.uniform(zero, one, t.shape(), dtype=DataType.Half), fd.ops.randn_like(t)]

    fusion = define(numbers, [torch.randn(4, 6)])
    results = check_fake(fusion, [torch.randn(5, 7)])
    assert [r.shape for r in results] == [(5, 7), (5, 7)]


def test_symbolic_sizes_stay_symbolic() -> None:
    """Slices, pads, concatenations, reshapes and quotients: one graph for all sizes."""

    def body(fd: FusionDefinition, t: Any, u: Any) -> list[Any]:
        rows, columns = t.shape()
        return [
            fd.ops.cat([t, u], 1),
            fd.ops.pad(t, [1, 2]),
            fd.ops.reshape(t, [fd.ops.mul(rows, columns)]),
            fd.ops.stride_order(fd.ops.add(t, 1.0), [0, 1]),
            fd.ops.broadcast_in_dim(fd.ops.sum(t, [1]), [columns, rows], [1]),
            fd.ops.slice(t, [0, 1], [2, 3]),
        ]

    fusion = define(body, [torch.randn(4, 6), torch.randn(4, 3)])
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    function = torch.compile(
        lambda a, b: fusion.execute([a, b]), backend=backend, dynamic=True, fullgraph=True
    )
    for rows, columns, more in ((4, 6, 3), (5, 8, 2), (7, 9, 4)):
        inputs = [torch.randn(rows, columns), torch.randn(rows, more)]
        for a, b in zip(function(*inputs), check_fake(fusion, inputs), strict=True):
            assert torch.equal(a, b)
    assert len(graphs) == 1


def test_geometry_evaluates_every_operation() -> None:
    """Sizes computed by what torch's symbols do not have: the number of the moment."""
    with FusionDefinition() as fd:
        size = fd.define_scalar(DataType.Int)
        root = fd.ops.cast(fd.ops.ceil(fd.ops.sqrt(size)), DataType.Int)
        fd.add_output(fd.ops.full([root, fd.ops.maximum(size, 3)], 1.0, DataType.Float))
    assert OutputGeometry(fd.fusion)([10])[0][:2] == ([4, 10], [10, 1])
    function = torch.compile(
        lambda n: fd.execute([n])[0] + 1, backend="aot_eager", fullgraph=True, dynamic=True
    )
    for n in (10, 17, 2):
        assert function(n).shape == fd.execute([n])[0].shape


def test_recorded_fusions_are_freed() -> None:
    """All but the last ones whose definition is gone; what is called again is there again."""
    _C.forget_recorded()
    gc.collect()
    before = _C.count_recorded()
    x = torch.randn(3)
    texts = []
    for factor in range(300):
        fusion = define(lambda fd, t, factor=factor: fd.ops.mul(t, float(factor)), [x])
        texts.append(description_of(fusion._prepare())[0])
    kept = [define(lambda fd, t: fd.ops.add(t, 7.0), [x])]
    kept[0].execute([x])
    text = description_of(kept[0]._executor)[0]
    del fusion
    gc.collect()
    assert _C.count_recorded() - before <= 258
    _C.forget_recorded()
    # What other tests recorded may be freed meanwhile.
    count = _C.count_recorded()
    assert count - before <= 1
    assert _C.recorded_executor(text) is kept[0]._executor
    assert torch.equal(OPERATOR([x], [], [], texts[5])[0], x * 5)
    assert _C.count_recorded() == count + 1
