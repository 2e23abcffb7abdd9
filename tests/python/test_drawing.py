"""fd.draw: pictures as text, and what happens where Graphviz is or is not installed."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest

from nvfuser import DataType, FusionDefinition, PythonProfiler, drawing


class ExecutableNotFoundError(RuntimeError):
    """Stands for that of the package."""


def definition() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, 8], contiguity=True, dtype=DataType.Float)
        s = fd.define_scalar(dtype=DataType.Double)
        y = fd.ops.sum(fd.ops.exp(fd.ops.mul(x, s)), 1)
        fd.add_output(fd.ops.add(y, 2.5))
        fd.add_output(fd.ops.matmul(x, fd.ops.full([8, 4], 1.0, DataType.Float)))
        fd.add_output(fd.ops.neg(x), x)
    return fd


def package(monkeypatch: pytest.MonkeyPatch, *, has_program: bool) -> None:
    """Install a stand-in for the package graphviz that echoes the text."""

    class Source:
        def __init__(self, text: str) -> None:
            self.text = text

        def pipe(self, format: str) -> bytes:  # noqa: A002 - the package's name
            if not has_program:
                raise ExecutableNotFoundError
            return f"{format}: {self.text}".encode()

    module = types.ModuleType("graphviz")
    module.Source = Source
    module.FORMATS = {"svg", "png"}
    module.ExecutableNotFound = ExecutableNotFoundError
    monkeypatch.setitem(sys.modules, "graphviz", module)


def labels(text: str) -> dict[str, str]:
    return dict(re.findall(r'^  (n\d+) \[label="(.*?)", fill', text, re.MULTILINE))


def test_text_has_nodes_and_edges(tmp_path: Path) -> None:
    path = definition().draw(tmp_path / "fusion.dot")
    assert path == tmp_path / "fusion.dot"
    text = path.read_text()
    nodes = labels(text)
    named = {label.partition("(")[0] for label in nodes.values()}
    assert {"mul", "exp", "sum", "add", "matmul", "full", "neg", "output"} <= named
    assert sum(label.startswith("input ") for label in nodes.values()) == 2
    edges = re.findall(r'^  (n\d+) -> (n\d+) \[label="(.*)"\];$', text, re.MULTILINE)
    kinds = {
        (nodes[a].partition("(")[0].partition(" ")[0], nodes[b].partition("(")[0])
        for a, b, _ in edges
    }
    assert {("input", "mul"), ("mul", "exp"), ("exp", "sum"), ("sum", "add")} <= kinds
    assert {("add", "output"), ("full", "matmul"), ("neg", "output\\ninto T0")} <= kinds
    types_of_edges = {nodes[a].partition("(")[0]: label for a, _, label in edges}
    assert re.fullmatch(r"T\d+: Float \[i\d+, 8\]", types_of_edges["exp"])
    assert re.fullmatch(r"T\d+: Float \[i\d+\]", types_of_edges["sum"])
    assert any("2.5" in label for label in nodes.values())


def test_library_calls_have_a_color_of_their_own() -> None:
    pytest.importorskip("torch")
    text = drawing.dot(definition().fusion)
    colors = dict(re.findall(r'label="(\w+)\(.*fillcolor="(#\w+)"', text))
    assert colors["matmul"] != colors["exp"] == colors["sum"]


def frames(text: str) -> dict[str, list[str]]:
    """The frames around kernels: their labels, and what they contain."""
    nodes = labels(text)
    found = re.findall(r'subgraph cluster_\d+ \{\n.*\n    label="(.*)";\n    (.*);\n', text)
    inside = {label: [nodes[node] for node in inside.split("; ")] for label, inside in found}
    alone = re.findall(r'^  kernel\d+ \[label="(.*?)", shape', text, re.MULTILINE)
    return inside | {label: [] for label in alone}


def test_kernels_of_a_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    fd = definition()
    path = tmp_path / "fusion.dot"
    assert frames(fd.draw(path).read_text()) == {}
    fd.execute([torch.ones(3, 8), 1.0])
    text = fd.draw(path).read_text()
    kernels = frames(text)
    names = {label.partition(" ")[0] for label in kernels}
    assert "matmul" in names
    assert all(re.search(r"\\n\d+ bytes read, \d+ written$", label) for label in kernels)
    # 3 x 8 and 8 x 4 floats are read, 3 x 4 written.
    assert "matmul (expr_eval)\\n224 bytes read, 48 written" in kernels
    inside = [node.partition("(")[0] for nodes in kernels.values() for node in nodes]
    assert sorted(inside) == ["add", "exp", "full", "matmul", "mul", "neg", "sum"]
    together = next(nodes for nodes in kernels.values() if "exp" in nodes[0] + nodes[1])
    assert {"mul", "exp", "sum"} <= {node.partition("(")[0] for node in together}
    colors = dict(re.findall(r'label="(\w+)\(.*fillcolor="(#\w+)"', text))
    assert colors["mul"] == colors["exp"] == colors["sum"]
    assert colors["full"] != colors["exp"]


def test_times_of_a_profiled_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    fd = definition()
    with PythonProfiler() as profiler:
        fd.execute([torch.ones(3, 8), 1.0])
    # A later run, of other sizes, was not profiled.
    fd.execute([torch.ones(5, 8), 1.0])
    kernels = frames(fd.draw(tmp_path / "fusion.dot").read_text())
    for profile in profiler.profile.kernel_profiles:
        (label,) = (label for label in kernels if label.startswith(f"{profile.name} ("))
        time = f"{1000 * profile.time_ms:.4g} us, {profile.effective_bandwidth_gbs:.4g} GB/s"
        assert label.endswith(time)
        assert f"{profile.input_bytes} bytes read, {profile.output_bytes} written" in label


def test_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(monkeypatch, has_program=True)
    path = definition().draw(str(tmp_path / "fusion.svg"))
    assert path == tmp_path / "fusion.svg"
    assert path.read_text().startswith("svg: digraph fusion {")


def test_text_where_the_program_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(monkeypatch, has_program=False)
    with pytest.warns(UserWarning, match="program dot .* is missing"):
        path = definition().draw(tmp_path / "fusion.svg")
    assert path == tmp_path / "fusion.dot"
    assert path.read_text().startswith("digraph")
    assert not (tmp_path / "fusion.svg").exists()


def test_text_where_the_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.warns(UserWarning, match=r"nvfuser\[draw\]"):
        path = definition().draw(tmp_path / "fusion.svg")
    assert path == tmp_path / "fusion.dot"
    assert path.read_text().startswith("digraph")


def test_formats_that_do_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(monkeypatch, has_program=True)
    with pytest.raises(ValueError, match="ends with a format"):
        definition().draw(tmp_path / "fusion")
    with pytest.raises(ValueError, match="no format 'sgv'"):
        definition().draw(tmp_path / "fusion.sgv")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        FusionDefinition().draw(tmp_path / "fusion.svg")
