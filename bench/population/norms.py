"""Normalizations of rows, forwards and backwards."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of

aten = torch.ops.aten


@family
def layer_norm(draw: Draw) -> Case:
    rows, columns = draw.rows()
    has_residual, has_dropout = draw.chance(), draw.chance(0.25)
    weight, bias = draw.tensor(columns), draw.tensor(columns)

    def function(x: Any, residual: Any, weight: Any, bias: Any) -> Any:
        if has_dropout:
            x = F.dropout(x, 0.1, True)
        if has_residual:
            x = x + residual
        normalized = F.layer_norm(x, x.shape[-1:], weight, bias)
        return (normalized, x) if has_residual else normalized

    what = "layer_norm" + "+dropout" * has_dropout + "+residual" * has_residual
    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns), weight, bias]
    return Case(name_of(what, draw, rows, columns), function, inputs, is_random=has_dropout)


@family
def layer_norm_backward(draw: Draw) -> Case:
    rows, columns = draw.rows()
    x, weight = draw.tensor(rows, columns), draw.tensor(columns)
    _, mean, rstd = aten.native_layer_norm(x, [columns], weight, weight, 1e-5)
    is_input_only = draw.chance(0.2)

    def function(gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any) -> Any:
        needed = [True, not is_input_only, not is_input_only]
        shape = [x.shape[-1]]
        results = aten.native_layer_norm_backward(
            gradient, x, shape, mean, rstd, weight, weight, needed
        )
        return results[0] if is_input_only else results

    what = "layer_norm_backward" + " dx" * is_input_only
    inputs = [draw.tensor(rows, columns), x, mean, rstd, weight]
    return Case(name_of(what, draw, rows, columns), function, inputs)


@family
def rms_norm(draw: Draw) -> Case:
    rows, columns = draw.rows()
    has_residual = draw.chance()

    def function(x: Any, residual: Any, weight: Any) -> Any:
        if has_residual:
            x = x + residual
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        normalized = weight * (wide * scale).to(x.dtype)
        return (normalized, x) if has_residual else normalized

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns), draw.tensor(columns)]
    return Case(
        name_of("rms_norm" + "+residual" * has_residual, draw, rows, columns), function, inputs
    )


@family
def rms_norm_backward(draw: Draw) -> Case:
    rows, columns = draw.rows()

    def function(gradient: Any, x: Any, weight: Any) -> Any:
        wide, g = x.float(), gradient.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        normalized = wide * scale
        weighted = g * weight.float()
        inner = (weighted * normalized).mean(-1, keepdim=True)
        dx = (weighted - normalized * inner) * scale
        return dx.to(x.dtype), (g * normalized).sum(0).to(weight.dtype)

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns), draw.tensor(columns)]
    return Case(name_of("rms_norm_backward", draw, rows, columns), function, inputs)


@family
def softmax(draw: Draw) -> Case:
    batch, heads, sequence, _ = draw.attention()
    batch = max(1, min(batch, (1 << 25) // (heads * sequence * sequence)))
    kind = draw.choice(("none", "bias", "mask", "causal", "causal", "mask"))
    has_dropout, scale = draw.chance(0.25), 0.125

    def function(scores: Any, bias: Any, mask: Any) -> Any:
        x = scores * scale
        if kind == "bias":
            x = x + bias
        elif kind == "mask":
            x = x.masked_fill(~mask[:, None, None, :], float("-inf"))
        elif kind == "causal":
            length = x.shape[-1]
            place = torch.arange(length, device=x.device)
            x = torch.where(place[:, None] >= place[None, :], x, float("-inf"))
        x = F.softmax(x, -1, dtype=torch.float32).to(scores.dtype)
        return F.dropout(x, 0.1, True) if has_dropout else x

    sizes = (batch, heads, sequence, sequence)
    mask = draw.mask(batch, sequence)
    mask[:, 0] = True
    inputs = [draw.tensor(*sizes), draw.tensor(1, heads, sequence, sequence), mask]
    name = name_of(f"softmax {kind}" + "+dropout" * has_dropout, draw, *sizes)
    return Case(name, function, inputs, is_random=has_dropout)


@family
def softmax_backward(draw: Draw) -> Case:
    rows, columns = draw.rows()
    probabilities = draw.tensor(rows, columns, dtype=torch.float32).softmax(-1).to(draw.dtype)
    has_mask = draw.chance()

    def function(gradient: Any, probabilities: Any, mask: Any) -> Any:
        dtype = gradient.dtype
        if has_mask:
            gradient = gradient * mask * (1 / 0.9)
        wide = gradient.float() * probabilities.float()
        dx = wide - probabilities.float() * wide.sum(-1, keepdim=True)
        return (dx * 0.125).to(dtype)

    inputs = [draw.tensor(rows, columns), probabilities, draw.mask(rows, columns)]
    what = "softmax_backward" + "+dropout" * has_mask
    return Case(name_of(what, draw, rows, columns), function, inputs)


@family
def long_rows(draw: Draw) -> Case:
    columns = draw.choice((16_384, 32_768, 50_257, 65_536, 100_000, 131_072, 262_144))
    rows = draw.within(columns, 4096)
    kind = draw.choice(("softmax", "layer_norm", "log_softmax", "sum"))

    def function(x: Any) -> Any:
        if kind == "softmax":
            return F.softmax(x, -1)
        if kind == "log_softmax":
            return F.log_softmax(x.float(), -1)
        if kind == "layer_norm":
            return F.layer_norm(x, x.shape[-1:])
        return x.float().sum(-1)

    return Case(
        name_of(f"rows {kind}", draw, rows, columns), function, [draw.tensor(rows, columns)]
    )
