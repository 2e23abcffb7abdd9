"""Lookups and what surrounds them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def embedding(draw: Draw) -> Case:
    columns = draw.size()
    rows = draw.within(columns, 16_384)
    words = draw.choice((1000, 30_522))
    has_norm = draw.chance()

    def function(tokens: Any, table: Any, places: Any, weight: Any) -> Any:
        x = F.embedding(tokens, table) + places[: tokens.shape[0]]
        return F.layer_norm(x, x.shape[-1:], weight, weight) if has_norm else x

    inputs = [draw.integers(words, rows), draw.tensor(words, columns), draw.tensor(rows, columns),
              draw.tensor(columns)]  # fmt: skip
    what = "embedding" + "+layer_norm" * has_norm
    return Case(name_of(what, draw, rows, columns), function, inputs)


@family
def gather_rows(draw: Draw) -> Case:
    rows, columns = draw.rows()
    count = draw.within(columns, 16_384)

    def function(x: Any, index: Any, weight: Any) -> Any:
        return torch.index_select(x, 0, index) * torch.sigmoid(weight)

    inputs = [draw.tensor(rows, columns), draw.integers(rows, count), draw.tensor(count, 1)]
    return Case(name_of(f"gather of {rows}", draw, count, columns), function, inputs)


@family
def top_k(draw: Draw) -> Case:
    experts = draw.choice((8, 64, 128))
    rows = draw.within(experts, 16_384)
    k = draw.choice((1, 2, 8))

    def function(logits: Any) -> Any:
        values, index = torch.topk(F.softmax(logits.float(), -1), k, -1)
        return values / values.sum(-1, keepdim=True), index

    name = name_of(f"top {k} gate", draw, rows, experts)
    return Case(name, function, [draw.tensor(rows, experts, dtype=torch.float32)])


@family
def scatter_add(draw: Draw) -> Case:
    rows, columns = draw.rows()
    nodes = max(1, rows // 4)

    def function(messages: Any, index: Any) -> Any:
        zeros = torch.zeros(nodes, messages.shape[1], device=messages.device)
        return F.relu(zeros.index_add(0, index, messages.float() * 0.5))

    inputs = [draw.tensor(rows, columns), draw.integers(nodes, rows)]
    return Case(name_of("index_add", draw, rows, columns), function, inputs)
