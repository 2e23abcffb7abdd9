"""Transposed copies of rectangles, tile by tile in registers: no element is moved on its own.

``@nvf.transpose.b<bits>(out, out_stride, in, in_stride, rows, columns)`` does
``out[r * out_stride + c] = in[c * in_stride + r]``; strides count elements.
"""

from __future__ import annotations

from builder import Family, Function

# Bits of an element -> sides of tiles, from the largest that registers allow to those of rectangles
# that are narrower.
SIDES = {8: (16, 8), 16: (16, 8, 4), 32: (16, 8, 4), 64: (8, 4)}
# Shuffles inside such lanes are cheaper than those across them.
LANE_BITS = 128


_RECTANGLE = [
    ("ptr noalias", "out"),
    ("i64", "out_stride"),
    ("ptr noalias readonly", "in"),
    ("i64", "in_stride"),
    ("i64", "rows"),
    ("i64", "columns"),
]


class Network:
    """The shuffles that transpose `side` vectors of `side` elements.

    Parameters
    ----------
    lines : list of str
        Instructions are appended here.
    bits : int
        Of an element.
    side : int
    """

    def __init__(self, lines: list[str], bits: int, side: int) -> None:
        self.declarations: set[str] = set()
        self.bits = bits
        self.side = side
        self.type = f"<{side} x i{bits}>"
        self.lane = min(side, LANE_BITS // bits)
        self._lines = lines
        self._count = 0

    def transpose(self, rows: list[str]) -> list[str]:
        """The columns of a tile given by its rows."""
        # Lane q of bands[b][j] is the part of column q * lane + j that is in the b-th band of rows.
        if self.side == self.lane:
            return self._transpose_lanes(rows)
        bands = [
            [self._fenced(band) for band in self._transpose_lanes(rows[first : first + self.lane])]
            for first in range(0, self.side, self.lane)
        ]
        columns = [self._gather_lanes([band[j] for band in bands]) for j in range(self.lane)]
        return [columns[c % self.lane][c // self.lane] for c in range(self.side)]

    def _transpose_lanes(self, rows: list[str]) -> list[str]:
        """Transpose the squares that the lanes of these vectors form, all at once."""
        # groups[g][j]: what the g-th group of rows has in the j-th block of columns of each lane.
        groups = [[row] for row in rows]
        unit = 1
        while len(groups) > 1:
            groups = [
                [
                    self._interleave(a, b, unit, half)
                    for a, b in zip(first, second, strict=True)
                    for half in (0, 1)
                ]
                for first, second in zip(groups[::2], groups[1::2], strict=True)
            ]
            unit *= 2
        return groups[0]

    def _gather_lanes(self, vectors: list[str]) -> list[str]:
        """Transpose a square of whole lanes."""
        if len(vectors) == 1:
            return vectors
        pairs = list(zip(vectors[::2], vectors[1::2], strict=True))
        halves = [
            self._gather_lanes([self._every_second_lane(a, b, odd) for a, b in pairs])
            for odd in (0, 1)
        ]
        return [column for both in zip(*halves, strict=True) for column in both]

    def _fenced(self, vector: str) -> str:
        """The same vector; LLVM would take long to look for shuffles that do two steps in one."""
        floats = f"<{self.side * self.bits // 32} x float>"
        suffix = f"v{self.side * self.bits // 32}f32"
        name = f"{vector}.as_float"
        self._lines += [
            f"  {name} = bitcast {self.type} {vector} to {floats}",
            f"  {name}.fence = call {floats} @llvm.arithmetic.fence.{suffix}({floats} {name})",
            f"  {vector}.fence = bitcast {floats} {name}.fence to {self.type}",
        ]
        self.declarations.add(f"declare {floats} @llvm.arithmetic.fence.{suffix}({floats})")
        return f"{vector}.fence"

    def _interleave(self, a: str, b: str, unit: int, half: int) -> str:
        """In each lane, units of `a` and `b` in turn, from the first or second half of the lane."""
        mask = [
            start + half * self.lane // 2 + block * unit + source * self.side + element
            for start in range(0, self.side, self.lane)
            for block in range(self.lane // unit // 2)
            for source in (0, 1)
            for element in range(unit)
        ]
        return self._shuffle(a, b, mask)

    def _every_second_lane(self, a: str, b: str, odd: int) -> str:
        mask = [
            source * self.side + start + element
            for source in (0, 1)
            for start in range(odd * self.lane, self.side, 2 * self.lane)
            for element in range(self.lane)
        ]
        return self._shuffle(a, b, mask)

    def _shuffle(self, a: str, b: str, mask: list[int]) -> str:
        name = f"%s{self._count}"
        self._count += 1
        indices = ", ".join(f"i32 {index}" for index in mask)
        self._lines.append(
            f"  {name} = shufflevector {self.type} {a}, {self.type} {b}, "
            f"<{self.side} x i32> <{indices}>"
        )
        return name


def _lines(pointer: str, name: str, bits: int, side: int) -> list[str]:
    """The addresses of a tile's lines, each from the one before."""
    lines = []
    for k in range(1, side):
        before = f"%{name}{k - 1}" if k > 1 else f"%{pointer}"
        lines.append(
            f"  %{name}{k} = getelementptr inbounds i{bits}, ptr {before}, i64 %{pointer}_stride"
        )
    return lines


def tile(bits: int, side: int) -> Function:
    """One tile. Not inlined: LLVM would take long to think about its addresses inside loops."""
    size = bits // 8
    f = Function(
        f"transpose_tile{side}.b{bits}",
        _RECTANGLE[:4],
        "void",
        attributes="noinline nounwind willreturn",
    )
    network = Network(f.lines, bits, side)
    f.lines += _lines("in", "row", bits, side)
    for k in range(side):
        row = f"%row{k}" if k else "%in"
        f.lines.append(f"  %v{k} = load {network.type}, ptr {row}, align {size}")
    f.lines += _lines("out", "column", bits, side)
    for k, column in enumerate(network.transpose([f"%v{k}" for k in range(side)])):
        to = f"%column{k}" if k else "%out"
        f.lines.append(f"  store {network.type} {column}, ptr {to}, align {size}")
    f.declarations |= network.declarations
    f.lines.append("  ret void")
    return f


def tiles(bits: int, side: int) -> Function:
    """All tiles of a rectangle that is at least as wide and as high as one.

    The last ones of rows and columns lie over those in front of them, so that nothing is left.
    """
    f = Function(
        f"transpose_tiles{side}.b{bits}",
        _RECTANGLE,
        "void",
        attributes="noinline nounwind willreturn",
    )
    f.lines += [
        "entry:",
        f"  %last_row = sub nsw i64 %rows, {side}",
        f"  %last_column = sub nsw i64 %columns, {side}",
        "  br label %columns.head",
        "columns.head:",
        "  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]",
        "  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)",
        "  %start = mul nsw i64 %c.inside, %in_stride",
        f"  %from = getelementptr inbounds i{bits}, ptr %in, i64 %start",
        f"  %to = getelementptr inbounds i{bits}, ptr %out, i64 %c.inside",
        "  br label %rows.head",
        "rows.head:",
        "  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]",
        "  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)",
        f"  %tile.in = getelementptr inbounds i{bits}, ptr %from, i64 %r.inside",
        "  %line = mul nsw i64 %r.inside, %out_stride",
        f"  %tile.out = getelementptr inbounds i{bits}, ptr %to, i64 %line",
        f"  call void @nvf.transpose_tile{side}.b{bits}(ptr %tile.out, i64 %out_stride, "
        "ptr %tile.in, i64 %in_stride)",
        f"  %r.next = add nuw nsw i64 %r, {side}",
        "  %more_rows = icmp slt i64 %r.next, %rows",
        "  br i1 %more_rows, label %rows.head, label %columns.latch",
        "columns.latch:",
        f"  %c.next = add nuw nsw i64 %c, {side}",
        "  %more_columns = icmp slt i64 %c.next, %columns",
        "  br i1 %more_columns, label %columns.head, label %exit",
        "exit:",
        "  ret void",
    ]
    f.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    return f


def elements(bits: int) -> Function:
    """A rectangle that is narrower than all tiles, one element at a time.

    For size: vectors and copies of the loop would not pay, and would take long to compile.
    """
    f = Function(
        f"transpose_elements.b{bits}",
        _RECTANGLE,
        "void",
        attributes="noinline minsize optsize nounwind willreturn",
    )
    f.lines += [
        "entry:",
        "  br label %columns.head",
        "columns.head:",
        "  %x = phi i64 [ 0, %entry ], [ %x.next, %columns.latch ]",
        "  %more_columns = icmp slt i64 %x, %columns",
        "  br i1 %more_columns, label %column, label %exit",
        "column:",
        "  %start = mul nsw i64 %x, %in_stride",
        f"  %from = getelementptr inbounds i{bits}, ptr %in, i64 %start",
        f"  %to = getelementptr inbounds i{bits}, ptr %out, i64 %x",
        "  br label %head",
        "head:",
        "  %y = phi i64 [ 0, %column ], [ %y.next, %element ]",
        "  %more_elements = icmp slt i64 %y, %rows",
        "  br i1 %more_elements, label %element, label %columns.latch",
        "element:",
        f"  %read = getelementptr inbounds i{bits}, ptr %from, i64 %y",
        f"  %value = load i{bits}, ptr %read",
        "  %line = mul nsw i64 %y, %out_stride",
        f"  %write = getelementptr inbounds i{bits}, ptr %to, i64 %line",
        f"  store i{bits} %value, ptr %write",
        "  %y.next = add nuw nsw i64 %y, 1",
        "  br label %head",
        "columns.latch:",
        "  %x.next = add nuw nsw i64 %x, 1",
        "  br label %columns.head",
        "exit:",
        "  ret void",
    ]
    return f


def transpose(bits: int) -> Function:
    """By the largest tiles that the rectangle has room for."""
    f = Function(
        f"transpose.b{bits}", _RECTANGLE, "void", attributes="noinline nounwind willreturn"
    )
    f.lines += ["entry:", "  %least = call i64 @llvm.smin.i64(i64 %rows, i64 %columns)"]
    arguments = ", ".join(f"{kind.partition(' ')[0]} %{name}" for kind, name in _RECTANGLE)
    for side in SIDES[bits]:
        f.lines += [
            f"  %is{side} = icmp sge i64 %least, {side}",
            f"  br i1 %is{side}, label %tiles{side}, label %below{side}",
            f"tiles{side}:",
            f"  call void @nvf.transpose_tiles{side}.b{bits}({arguments})",
            "  ret void",
            f"below{side}:",
        ]
    f.lines += [f"  call void @nvf.transpose_elements.b{bits}({arguments})", "  ret void"]
    f.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    return f


def family() -> Family:
    """The file's functions."""
    result = Family("transposition", "Transposed copies of rectangles.")
    for bits, sides in SIDES.items():
        for side in sides:
            result.add(tile(bits, side))
            result.add(tiles(bits, side))
        result.add(elements(bits))
        result.add(transpose(bits))
    return result
