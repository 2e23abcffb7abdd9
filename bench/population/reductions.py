"""Reductions over every subset of dimensions, several at once, of several kinds."""

from __future__ import annotations

from typing import Any

import torch

from population.draw import Case, Draw, family, name_of

_KINDS = ("sum", "mean", "amax", "var", "norm")


def _reduce(x: Any, kind: str, dims: Any) -> Any:
    if kind == "norm":
        return torch.sqrt(x.square().sum(dims))
    return getattr(x, kind)(dims)


@family
def reduction(draw: Draw) -> Case:
    sizes = draw.attention()
    dims = tuple(d for d in range(4) if draw.chance()) or (draw.choice(range(4)),)
    kind = draw.choice(_KINDS)

    def function(x: Any) -> Any:
        return _reduce(x.float() * 0.5 + 1, kind, dims)

    name = name_of(f"{kind} over {','.join(map(str, dims))}", draw, *sizes)
    return Case(name, function, [draw.tensor(*sizes)])


@family
def reductions_of_one(draw: Draw) -> Case:
    sizes = draw.attention()
    several = [
        tuple(d for d in range(4) if draw.chance()) or (3,) for _ in range(draw.choice((2, 3)))
    ]

    def function(x: Any, y: Any) -> Any:
        product = x.float() * y.float()
        return tuple(product.sum(dims) for dims in several)

    text = " and ".join(",".join(map(str, dims)) for dims in several)
    inputs = [draw.tensor(*sizes), draw.tensor(*sizes)]
    return Case(name_of(f"sums over {text}", draw, *sizes), function, inputs)


@family
def arg_reduction(draw: Draw) -> Case:
    rows, columns = draw.rows()
    dim = draw.choice((0, 1))

    def function(x: Any, bias: Any) -> Any:
        return torch.argmax(x + bias, dim)

    inputs = [draw.tensor(rows, columns), draw.tensor(columns)]
    return Case(name_of(f"argmax dim {dim}", draw, rows, columns), function, inputs)


@family
def column_sums(draw: Draw) -> Case:
    rows, columns = draw.rows()

    def function(x: Any) -> Any:
        wide = x.float()
        return wide.sum(0), wide.square().sum(0)

    return Case(name_of("moments of columns", draw, rows, columns), function,
                [draw.tensor(rows, columns)])  # fmt: skip


@family
def whole_norm(draw: Draw) -> Case:
    rows, columns = draw.rows()

    def function(x: Any) -> Any:
        total = torch.sqrt(x.float().square().sum())
        return x * torch.clamp(1.0 / (total + 1e-6), max=1.0)

    return Case(
        name_of("clip by norm", draw, rows, columns), function, [draw.tensor(rows, columns)]
    )
