"""Element-wise chains: activations, gates, optimizers, quantization."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def gated_activation(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("silu", "gelu", "gelu_tanh", "relu2"))
    is_packed = draw.chance()

    def function(x: Any, y: Any) -> Any:
        if is_packed:
            x, y = x.chunk(2, -1)
        if kind == "silu":
            return F.silu(x) * y
        if kind == "gelu":
            return F.gelu(x) * y
        if kind == "gelu_tanh":
            return F.gelu(x, approximate="tanh") * y
        return F.relu(x).square() * y

    width = 2 * columns if is_packed else columns
    inputs = [draw.tensor(rows, width), draw.tensor(rows, columns)]
    return Case(
        name_of(f"{kind} gate{' packed' * is_packed}", draw, rows, columns), function, inputs
    )


@family
def gated_activation_backward(draw: Draw) -> Case:
    rows, columns = draw.rows()
    is_packed = draw.chance()

    def function(gradient: Any, x: Any, y: Any) -> Any:
        sigmoid = torch.sigmoid(x.float())
        silu = x.float() * sigmoid
        g = gradient.float()
        dx = g * y.float() * (sigmoid + silu * (1 - sigmoid))
        dy = g * silu
        if is_packed:
            return torch.cat([dx, dy], -1).to(x.dtype)
        return dx.to(x.dtype), dy.to(x.dtype)

    inputs = [draw.tensor(rows, columns) for _ in range(3)]
    what = "silu gate backward" + " packed" * is_packed
    return Case(name_of(what, draw, rows, columns), function, inputs)


@family
def bias_activation(draw: Draw) -> Case:
    rows, columns = draw.rows()
    has_dropout = draw.chance(0.4)

    def function(x: Any, bias: Any, residual: Any) -> Any:
        x = F.gelu(x + bias)
        if has_dropout:
            x = F.dropout(x, 0.1, True)
        return x + residual

    inputs = [draw.tensor(rows, columns), draw.tensor(columns), draw.tensor(rows, columns)]
    what = "bias gelu" + "+dropout" * has_dropout + "+residual"
    return Case(name_of(what, draw, rows, columns), function, inputs, is_random=has_dropout)


@family
def bias_gradient(draw: Draw) -> Case:
    rows, columns = draw.rows()

    def function(gradient: Any, x: Any, bias: Any) -> Any:
        y = x.float() + bias.float()
        slope = 0.5 * (1 + torch.erf(y * 0.7071067811865476))
        slope = slope + y * torch.exp(-0.5 * y * y) * 0.3989422804014327
        dx = gradient.float() * slope
        return dx.to(x.dtype), dx.sum(0).to(bias.dtype)

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns), draw.tensor(columns)]
    return Case(name_of("bias gelu backward", draw, rows, columns), function, inputs)


@family
def optimizer(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("adamw", "sgd", "lion"))

    def function(weight: Any, gradient: Any, first: Any, second: Any) -> Any:
        if kind == "sgd":
            first = 0.9 * first + gradient
            return weight - 0.01 * first, first
        if kind == "lion":
            update = torch.sign(0.9 * first + 0.1 * gradient)
            return weight * 0.999 - 1e-4 * update, 0.99 * first + 0.01 * gradient
        first = torch.lerp(first, gradient, 0.1)
        second = second * 0.95 + gradient * gradient * 0.05
        update = (first / 0.1) / (torch.sqrt(second / 0.05) + 1e-8)
        return weight * 0.999 - 1e-3 * update, first, second

    draw.dtype = torch.float32
    inputs = [draw.tensor(rows, columns) for _ in range(3)]
    inputs.append(draw.tensor(rows, columns).square())
    return Case(name_of(kind, draw, rows, columns), function, inputs)


@family
def quantize(draw: Draw) -> Case:
    rows, columns = draw.rows()
    per = draw.choice(("row", "tensor", "column", "block"))
    columns = -(-columns // 32) * 32 if per == "block" else columns

    def function(x: Any) -> Any:
        wide = x.float()
        if per == "block":
            blocks = wide.reshape(wide.shape[0], -1, 32)
            scale = blocks.abs().amax(-1, keepdim=True).clamp(min=1e-6) / 127
            q = torch.round(blocks / scale).clamp(-128, 127).to(torch.int8)
            return q.reshape(wide.shape), scale.squeeze(-1)
        if per == "tensor":
            scale = wide.abs().amax().clamp(min=1e-6) / 127
        else:
            dim = -1 if per == "row" else 0
            scale = wide.abs().amax(dim, keepdim=True).clamp(min=1e-6) / 127
        return torch.round(wide / scale).clamp(-128, 127).to(torch.int8), scale

    return Case(name_of(f"quantize per {per}", draw, rows, columns), function,
                [draw.tensor(rows, columns)])  # fmt: skip


@family
def dequantize(draw: Draw) -> Case:
    rows, columns = draw.rows()
    groups = draw.choice((1, 4))
    columns = -(-columns // groups) * groups

    def function(q: Any, scale: Any, zero: Any) -> Any:
        wide = q.float().reshape(q.shape[0], scale.shape[1], -1)
        return ((wide - zero.float()[..., None]) * scale.float()[..., None]).reshape(q.shape)

    q = (draw.integers(256, rows, columns) - 128).to(torch.int8)
    inputs = [q, draw.tensor(rows, groups), draw.tensor(rows, groups)]
    return Case(name_of("dequantize", draw, rows, columns), function, inputs)


@family
def elementwise(draw: Draw) -> Case:
    rows, columns = draw.rows()
    count = draw.choice((2, 4, 8))
    steps = [
        draw.choice(("add", "mul", "row", "column", "tanh", "where", "clamp")) for _ in range(count)
    ]

    def function(x: Any, y: Any, row: Any, column: Any) -> Any:
        for step in steps:
            if step == "add":
                x = x + y
            elif step == "mul":
                x = x * y
            elif step == "row":
                x = x * row
            elif step == "column":
                x = x + column
            elif step == "tanh":
                x = torch.tanh(x)
            elif step == "where":
                x = torch.where(x > 0, x, 0.1 * y)
            else:
                x = x.clamp(-2, 2)
        return x

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns), draw.tensor(columns),
              draw.tensor(rows, 1)]  # fmt: skip
    return Case(name_of("chain " + ",".join(steps), draw, rows, columns), function, inputs)


@family
def random_numbers(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("dropout", "noise", "uniform"))

    def function(x: Any) -> Any:
        if kind == "dropout":
            return F.dropout(x, 0.5, True)
        if kind == "noise":
            return x + 0.1 * torch.randn_like(x)
        return torch.where(torch.rand_like(x) < 0.3, x, 0)

    inputs = [draw.tensor(rows, columns)]
    return Case(name_of(kind, draw, rows, columns), function, inputs, is_random=True)
