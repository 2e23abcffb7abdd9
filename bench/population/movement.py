"""What moves: rotary embeddings, permutations, concatenations, splits, scans."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def rotary(draw: Draw) -> Case:
    batch, heads, sequence, size = draw.attention()
    kind = draw.choice(("halves", "pairs"))
    is_transposed = draw.chance()

    def function(q: Any, k: Any, cosine: Any, sine: Any) -> Any:
        if is_transposed:
            q, k = q.transpose(1, 2), k.transpose(1, 2)

        def turned(x: Any) -> Any:
            if kind == "halves":
                first, second = x.chunk(2, -1)
                across = torch.cat([-second, first], -1)
            else:
                pairs = x.reshape(*x.shape[:-1], -1, 2)
                across = torch.stack([-pairs[..., 1], pairs[..., 0]], -1).reshape(x.shape)
            return x * cosine[None, None] + across * sine[None, None]

        return turned(q), turned(k)

    sizes = (batch, sequence, heads, size) if is_transposed else (batch, heads, sequence, size)
    inputs = [draw.tensor(*sizes), draw.tensor(*sizes), draw.tensor(sequence, size),
              draw.tensor(sequence, size)]  # fmt: skip
    what = f"rotary {kind}{' transposed' * is_transposed}"
    return Case(name_of(what, draw, *sizes), function, inputs)


@family
def permute(draw: Draw) -> Case:
    batch, heads, sequence, size = draw.attention()
    order = draw.choice(((0, 2, 1, 3), (0, 1, 3, 2), (3, 0, 1, 2), (2, 0, 1, 3), (0, 3, 2, 1)))
    is_contiguous = draw.chance(0.7)

    def function(x: Any, scale: Any) -> Any:
        y = (x * scale).permute(order)
        return y.contiguous() if is_contiguous else F.relu(y) + 1

    inputs = [draw.tensor(batch, heads, sequence, size), draw.tensor(size)]
    what = f"permute {''.join(map(str, order))}{' contiguous' * is_contiguous}"
    return Case(name_of(what, draw, batch, heads, sequence, size), function, inputs)


@family
def split_heads(draw: Draw) -> Case:
    batch, heads, sequence, size = draw.attention()

    def function(packed: Any, bias: Any) -> Any:
        parts = (packed + bias).reshape(*packed.shape[:2], 3, heads, size)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        return (q * size**-0.5).contiguous(), k.contiguous(), v.contiguous()

    width = 3 * heads * size
    inputs = [draw.tensor(batch, sequence, width), draw.tensor(width)]
    return Case(name_of("split heads", draw, batch, sequence, heads, size), function, inputs)


@family
def concatenate(draw: Draw) -> Case:
    rows, columns = draw.rows()
    dim, count = draw.choice((0, 1)), draw.choice((2, 3, 4))

    def function(*parts: Any) -> Any:
        return torch.cat([F.silu(parts[0]), *parts[1:]], dim) * 0.5

    inputs = [draw.tensor(max(1, rows // 2), columns) for _ in range(count)]
    return Case(name_of(f"cat {count} dim {dim}", draw, rows, columns), function, inputs)


@family
def split(draw: Draw) -> Case:
    rows, columns = draw.rows()
    count = draw.choice((2, 3, 4))
    columns = max(count, columns - columns % count)

    def function(x: Any) -> Any:
        parts = torch.chunk(x, count, -1)
        return tuple(F.relu(part) * (i + 1) for i, part in enumerate(parts))

    name = name_of(f"split {count}", draw, rows, columns)
    return Case(name, function, [draw.tensor(rows, columns)])


@family
def shift(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("roll", "pad", "difference", "flip"))

    def function(x: Any, y: Any) -> Any:
        if kind == "roll":
            return torch.roll(x, 1, 0) + y
        if kind == "pad":
            return F.pad(x, (2, 3)) * 2
        if kind == "flip":
            return x.flip(-1) * y
        return x[:, 1:] - x[:, :-1]

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns)]
    return Case(name_of(f"shift {kind}", draw, rows, columns), function, inputs)


@family
def scan(draw: Draw) -> Case:
    rows, columns = draw.rows()
    dim = draw.choice((0, 1))

    def function(x: Any, y: Any) -> Any:
        return torch.cumsum(torch.sigmoid(x.float()) * 0.01, dim) * y.float()

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns)]
    return Case(name_of(f"cumsum dim {dim}", draw, rows, columns), function, inputs)
