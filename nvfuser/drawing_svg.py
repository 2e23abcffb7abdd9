"""A layered drawing of a graph as SVG: rows from top to bottom, kernels as frames.

Each kernel has rows of its own, in the order in which they run, so that frames contain nothing
else. In a row, nodes stand where their neighbours are on average; edges bend around nodes of the
rows between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

__all__ = ["Frame", "Graph", "Node", "to_svg"]

_CHARACTER = 7.0  # width of one of _FONT_SIZE, on average
_FONT_SIZE = 12
_LINE = 15.0
_PADDING = 8.0
_GAP = 18.0  # between neighbours of a row
_ROW_GAP = 26.0
_FRAME_MARGIN = 10.0
_SWEEPS = 8


@dataclass
class Node:
    """An operation, input or output; `results` are what it computes, one a line."""

    lines: list[str]
    color: str
    results: list[str]
    frame: int | None = None


@dataclass
class Frame:
    """A kernel or library call, and what is known of it."""

    lines: list[str]
    nodes: list[int] = field(default_factory=list)


@dataclass
class Graph:
    """What a picture shows: edges are pairs of positions in `nodes` with a text."""

    nodes: list[Node]
    edges: list[tuple[int, int, str]]
    frames: list[Frame]


# A row of the drawing: the kernel, whether above (0), in (1) or below (2) it, and the depth there.
_Row = tuple[int, int, int]


@dataclass
class _Box:
    """A node, or a point at which an edge crosses a row."""

    row: _Row
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0
    neighbours: list[_Box] = field(default_factory=list)


def to_svg(graph: Graph) -> str:
    """Return the drawing."""
    rows = _rows(graph)
    boxes = [_box_of(node, row) for node, row in zip(graph.nodes, rows, strict=True)]
    order: dict[_Row, list[_Box]] = {row: [] for row in sorted(set(rows))}
    for box in boxes:
        order[box.row].append(box)
    paths = [
        _path(boxes[source], boxes[target], order)
        for source, target in dict.fromkeys((a, b) for a, b, _ in graph.edges)
    ]
    _arrange(list(order.values()))
    _stack(order, graph)
    return _write(graph, boxes, paths)


def _rows(graph: Graph) -> list[_Row]:
    """Return the row of each node; nodes are in an order in which they can be computed."""
    sources: list[list[int]] = [[] for _ in graph.nodes]
    targets: list[list[int]] = [[] for _ in graph.nodes]
    for source, target, _ in graph.edges:
        sources[target].append(source)
        targets[source].append(target)
    has_frames = any(node.frame is not None for node in graph.nodes)
    # Of each node the kernel that it belongs to, and what it is to that.
    zones: list[tuple[int, int]] = []
    for place, node in enumerate(graph.nodes):
        if node.frame is not None:
            zones.append((node.frame, 1))
        elif not has_frames:
            zones.append((0, 1) if sources[place] else (-1, 0))
        else:
            # Below the last kernel that it reads from.
            last = max((zones[source] for source in sources[place]), default=(-1, 0))
            zones.append((last[0], 2) if last[1] > 0 else (-1, 0))
    for place in reversed(range(len(zones))):
        if zones[place][0] < 0:
            # What reads from no kernel stands above the first that reads from it.
            first = min((zones[target][0] for target in targets[place]), default=0)
            zones[place] = (max(first, 0), 0)
    depths: list[int] = []
    for place, zone in enumerate(zones):
        inside = [depths[source] + 1 for source in sources[place] if zones[source] == zone]
        depths.append(max(inside, default=0))
    return [(*zone, depth) for zone, depth in zip(zones, depths, strict=True)]


def _texts(node: Node) -> list[str]:
    return [*node.lines, *node.results]


def _box_of(node: Node, row: _Row) -> _Box:
    texts = _texts(node)
    width = max(len(text) for text in texts) * _CHARACTER + 2 * _PADDING
    return _Box(row, width, len(texts) * _LINE + _PADDING)


def _path(source: _Box, target: _Box, order: dict[_Row, list[_Box]]) -> list[_Box]:
    """Return the boxes that an edge passes, with a point in each row between."""
    path = [source]
    for row in order:
        if source.row < row < target.row:
            point = _Box(row)
            order[row].append(point)
            path.append(point)
    path.append(target)
    for above, below in pairwise(path):
        above.neighbours.append(below)
        below.neighbours.append(above)
    return path


def _arrange(rows: list[list[_Box]]) -> None:
    """Choose the order in each row and all x."""
    for row in rows:
        _pack(row, [0.0] * len(row))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=_wanted_x)
            _pack(row, [_wanted_x(box) for box in row])
    left = min(box.x - box.width / 2 for row in rows for box in row)
    for row in rows:
        for box in row:
            box.x -= left - 2 * _FRAME_MARGIN


def _wanted_x(box: _Box) -> float:
    if not box.neighbours:
        return box.x
    return sum(other.x for other in box.neighbours) / len(box.neighbours)


def _pack(row: list[_Box], wanted: list[float]) -> None:
    """Put a row's boxes near where they are wanted, in their order and without overlaps."""
    edge = float("-inf")
    for box, x in zip(row, wanted, strict=True):
        box.x = max(x, edge + box.width / 2)
        edge = box.x + box.width / 2 + _GAP
    # All were pushed to the right only.
    shift = sum(box.x - x for box, x in zip(row, wanted, strict=True)) / max(len(row), 1)
    for box in row:
        box.x -= shift


def _stack(order: dict[_Row, list[_Box]], graph: Graph) -> None:
    """Choose all y, with room for the titles of frames."""
    y = _ROW_GAP
    previous: tuple[int, int] | None = None
    for row, boxes in order.items():
        zone = row[:2]
        if zone != previous and zone[1] == 1 and graph.frames:
            y += len(graph.frames[zone[0]].lines) * _LINE + _FRAME_MARGIN
        elif previous is not None and zone != previous:
            y += _FRAME_MARGIN
        previous = zone
        height = max(box.height for box in boxes)
        for box in boxes:
            box.y = y + height / 2
        y += height + _ROW_GAP


def _write(graph: Graph, boxes: list[_Box], paths: list[list[_Box]]) -> str:
    body: list[str] = []
    titles: list[str] = []
    right = max(box.x + box.width / 2 for box in boxes)
    bottom = max(box.y + box.height / 2 for box in boxes)
    for frame in graph.frames:
        inside = [boxes[place] for place in frame.nodes]
        if not inside:
            # Copies a result into the input that it updates.
            bottom += _ROW_GAP
            titles += _text(frame.lines, 2 * _FRAME_MARGIN, bottom, "start")
            bottom += len(frame.lines) * _LINE
            continue
        x = min(box.x - box.width / 2 for box in inside) - _FRAME_MARGIN
        y = min(box.y - box.height / 2 for box in inside) - _FRAME_MARGIN
        y -= len(frame.lines) * _LINE
        title = max(len(line) for line in frame.lines) * _CHARACTER + 2 * _PADDING
        width = max(max(box.x + box.width / 2 for box in inside) + _FRAME_MARGIN - x, title)
        height = max(box.y + box.height / 2 for box in inside) + _FRAME_MARGIN - y
        right = max(right, x + width)
        body.append(
            f'<rect stroke-dasharray="5 4" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="8"/>'
        )
        titles += _text(frame.lines, x + _PADDING, y + _LINE, "start")
    body += [f'<path d="{_curve(path)}" marker-end="url(#arrow)"/>' for path in paths]
    body += titles
    for node, box in zip(graph.nodes, boxes, strict=True):
        x, y = box.x - box.width / 2, box.y - box.height / 2
        body.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
            f'rx="5" fill="{node.color}"/>'
        )
        body += _text(_texts(node), box.x, y + _PADDING / 2 + _FONT_SIZE, "middle")
    width, height = right + 2 * _FRAME_MARGIN, bottom + 2 * _FRAME_MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="Fusion">',
            "<defs>",
            '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444" '
            'stroke="none"/></marker>',
            "</defs>",
            '<rect width="100%" height="100%" fill="#fff"/>',
            '<g fill="none" stroke="#444">',
            *body,
            "</g>",
            "</svg>\n",
        ]
    )


def _text(lines: list[str], x: float, y: float, anchor: str) -> list[str]:
    # Titles stand where edges may pass, and keep them at a distance.
    halo = "#fff" if anchor == "start" else "none"
    return [
        f'<text x="{x:.1f}" y="{y + number * _LINE:.1f}" text-anchor="{anchor}" '
        f'font-family="Helvetica,Arial,sans-serif" font-size="{_FONT_SIZE}" fill="#222" '
        f'stroke="{halo}" stroke-width="3" paint-order="stroke">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]


def _curve(path: list[_Box]) -> str:
    x, y = path[0].x, path[0].y + path[0].height / 2
    commands = [f"M{x:.1f} {y:.1f}"]
    for box in path[1:]:
        end = box.y - box.height / 2
        middle = (y + end) / 2
        commands.append(f"C{x:.1f} {middle:.1f} {box.x:.1f} {middle:.1f} {box.x:.1f} {end:.1f}")
        x, y = box.x, box.y + box.height / 2
    return "".join(commands)
