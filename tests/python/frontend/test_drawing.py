"""Pictures of definitions: as text, by Graphviz where that is installed, and in notebooks."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from nvfuser import DataType, FusionDefinition, PythonProfiler, drawing, drawing_svg


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


def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)


def without_program(monkeypatch: pytest.MonkeyPatch) -> None:
    package(monkeypatch, has_program=False)


MISSING = {"program dot .* is missing": without_program, r"nvfuser\[draw\]": without_package}


@pytest.mark.parametrize("message", MISSING)
def test_text_where_graphviz_is_missing(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MISSING[message](monkeypatch)
    with pytest.warns(UserWarning, match=message):
        path = definition().draw(tmp_path / "fusion.png")
    assert path == tmp_path / "fusion.dot"
    assert path.read_text().startswith("digraph")
    assert not (tmp_path / "fusion.png").exists()


@pytest.mark.parametrize("message", MISSING)
def test_svg_needs_nothing(message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MISSING[message](monkeypatch)
    path = definition().draw(tmp_path / "fusion.svg")
    assert path == tmp_path / "fusion.svg"
    assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"


# ------------------------------------------------------------------ notebooks

SVG = "{http://www.w3.org/2000/svg}"
Rectangle = tuple[float, float, float, float]


def pictured(fd: FusionDefinition) -> tuple[list[Rectangle], list[Rectangle], list[str], int]:
    """Return nodes and frames as (left, top, right, bottom), texts, and the number of edges."""
    text = fd._repr_svg_()
    assert text is not None
    (group,) = ElementTree.fromstring(text).findall(f"{SVG}g")
    nodes, frames = [], []
    for element in group.findall(f"{SVG}rect"):
        x, y, width, height = (float(element.get(k)) for k in ("x", "y", "width", "height"))
        into = nodes if element.get("fill") else frames
        into.append((x, y, x + width, y + height))
    texts = [element.text or "" for element in group.findall(f"{SVG}text")]
    return nodes, frames, texts, len(group.findall(f"{SVG}path"))


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def contains(a: Rectangle, b: Rectangle) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and b[2] <= a[2] and b[3] <= a[3]


def assert_readable(fd: FusionDefinition) -> None:
    """No nodes overlap, and a frame has each node inside or outside of it."""
    nodes, frames, _, _ = pictured(fd)
    for boxes in (nodes, frames):
        for i, box in enumerate(boxes):
            assert box[0] >= 0
            assert box[1] >= 0
            assert not any(overlap(box, other) for other in boxes[:i])
    for frame in frames:
        assert all(contains(frame, node) or not overlap(frame, node) for node in nodes)
        assert any(contains(frame, node) for node in nodes)


def test_notebooks_show_the_definition() -> None:
    fd = definition()
    nodes, frames, texts, edges = pictured(fd)
    assert frames == []
    named = {text.partition("(")[0] for text in texts}
    assert {"mul", "exp", "sum", "add", "matmul", "full", "neg", "output"} <= named
    assert sum(text.startswith("input ") for text in texts) == 2
    assert any(re.fullmatch(r"T\d+: Float \[i\d+, 8\]", text) for text in texts)
    assert len(nodes) == text_nodes(fd)
    assert edges > 8
    assert_readable(fd)


def text_nodes(fd: FusionDefinition) -> int:
    return len(labels(drawing.dot(fd.fusion)))


def test_notebooks_show_kernels_after_a_run() -> None:
    torch = pytest.importorskip("torch")
    fd = definition()
    fd.execute([torch.ones(3, 8), 1.0])
    _, frames, texts, _ = pictured(fd)
    assert len(frames) == 3
    assert "matmul (expr_eval)" in texts
    assert "224 bytes read, 48 written" in texts
    assert_readable(fd)


@pytest.mark.parametrize("seed", range(20))
def test_pictures_of_random_definitions_are_readable(seed: int) -> None:
    torch = pytest.importorskip("torch")
    random = Random(seed)
    with FusionDefinition() as fd:
        values = [fd.define_tensor(shape=[-1, -1], contiguity=True) for _ in range(3)]
        for _ in range(random.randrange(1, 30)):
            a, b = random.choices(values, k=2)
            if random.random() < 0.1:
                # Kernels, a library call and kernels.
                values.append(fd.ops.matmul(a, b))
            elif random.random() < 0.2:
                total = fd.ops.sum(a, 1)
                values.append(fd.ops.add(b, fd.ops.broadcast(total, [False, True])))
            else:
                values.append(fd.ops.add(a, b))
        fd.add_output(values[-1])
        fd.add_output(random.choice(values[3:]))
    assert_readable(fd)
    fd.execute([torch.zeros(4, 4) for _ in range(3)])
    assert_readable(fd)


def test_notebooks_show_text_of_what_cannot_be_drawn() -> None:
    assert FusionDefinition()._repr_svg_() is None
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        assert fd._repr_svg_() is None
        for _ in range(1000):
            x = fd.ops.neg(x)
        fd.add_output(x)
    assert fd._repr_svg_() is None


def test_markup_in_texts_is_escaped() -> None:
    graph = drawing_svg.Graph(
        [drawing_svg.Node(["a<b>&c"], "#fff", []), drawing_svg.Node(["d"], "#fff", ["e"])],
        [(0, 1, "")],
        [],
    )
    root = ElementTree.fromstring(drawing_svg.to_svg(graph))
    assert [element.text for element in root.iter(f"{SVG}text")] == ["a<b>&c", "d", "e"]


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
