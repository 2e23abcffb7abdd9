"""What simulations compute: pairs, stencils, prices, rays, small matrices."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def formulas(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("options", "mandelbrot", "polynomial", "erf_mixture", "lorenz", "softplus"))
    a, b, c = (draw.tensor(rows, columns, dtype=torch.float32) for _ in range(3))

    def function(a: Any, b: Any, c: Any) -> Any:
        if kind == "options":
            s, k, v = torch.exp(a * 0.1), torch.exp(b * 0.1), 0.1 + torch.sigmoid(c)
            d = (torch.log(s / k) + 0.5 * v * v) / v
            n1, n2 = 0.5 * torch.erfc(-d * 0.7071), 0.5 * torch.erfc(-(d - v) * 0.7071)
            return s * n1 - k * n2, n1
        if kind == "mandelbrot":
            x, y, steps = torch.zeros_like(a), torch.zeros_like(a), torch.zeros_like(a)
            for _ in range(8):
                x, y = x * x - y * y + a, 2 * x * y + b
                x, y = x.clamp(-4, 4), y.clamp(-4, 4)
                steps = steps + (x * x + y * y < 4)
            return steps.to(torch.int32)
        if kind == "polynomial":
            y = torch.ones_like(a)
            for i in range(10):
                y = y * a * 0.5 + (b if i % 2 else c)
            return y
        if kind == "erf_mixture":
            return torch.logaddexp(-0.5 * (a - b).square(), -0.5 * (a + c).square() - 0.7)
        if kind == "lorenz":
            for _ in range(3):
                a, b, c = (
                    a + 0.01 * 10 * (b - a),
                    b + 0.01 * (a * (28 - c) - b),
                    c + 0.01 * (a * b - 2.6 * c),
                )
            return a, b, c
        return F.softplus(a) * torch.atan2(b, c) + torch.expm1(-c.abs())

    return Case(name_of(f"formula {kind}", draw, rows, columns), function, [a, b, c])


@family
def pairs(draw: Draw) -> Case:
    n = int(draw.choice((64, 333, 1000, 2048)))
    kind = draw.choice(("gravity", "distances", "nearest", "potential", "softmin"))
    x, mass = draw.tensor(n, 3, dtype=torch.float32), draw.tensor(n, dtype=torch.float32)

    def function(x: Any, mass: Any) -> Any:
        d = x[None] - x[:, None]
        square = d.square().sum(-1)
        if kind == "gravity":
            pull = mass[None, :, None] * d * torch.rsqrt(square + 0.01)[..., None] ** 3
            return pull.sum(1)
        if kind == "distances":
            return torch.sqrt(square + 1e-12)
        if kind == "nearest":
            far = square + 1e9 * torch.eye(n, device=x.device)
            return far.amin(1), far.argmin(1)
        if kind == "potential":
            six = (square + 0.1) ** -3
            return (4 * (six * six - six)).sum() / 2
        return -torch.logsumexp(-square, 1)

    return Case(name_of(f"pairs {kind}", draw, n), function, [x, mass])


@family
def stencils(draw: Draw) -> Case:
    height, width = (
        int(draw.choice((64, 257, 512, 1000, 2048))),
        int(draw.choice((64, 255, 512, 1024))),
    )
    kind = draw.choice(("heat", "wave", "upwind", "life", "laplace3", "divergence"))
    batch = draw.within(height * width, 16)
    u, v = (draw.tensor(batch, height, width, dtype=torch.float32) for _ in range(2))

    def function(u: Any, v: Any) -> Any:
        def around(x: Any) -> Any:
            return x.roll(1, 1) + x.roll(-1, 1) + x.roll(1, 2) + x.roll(-1, 2)

        if kind == "heat":
            return u + 0.1 * (around(u) - 4 * u)
        if kind == "wave":
            return 2 * u - v + 0.2 * (around(u) - 4 * u)
        if kind == "upwind":
            inner = u[:, 1:-1, 1:-1]
            dx = torch.where(v[:, 1:-1, 1:-1] > 0, inner - u[:, 1:-1, :-2], u[:, 1:-1, 2:] - inner)
            return F.pad(inner - 0.1 * v[:, 1:-1, 1:-1] * dx, (1, 1, 1, 1))
        if kind == "life":
            alive = u > 0
            p = F.pad(alive.int(), (1, 1, 1, 1))
            n = (
                sum(p[:, i : i + height, j : j + width] for i in range(3) for j in range(3))
                - alive.int()
            )
            return (n == 3) | (alive & (n == 2))
        if kind == "laplace3":
            p = F.pad(u[None], (1, 1, 1, 1, 1, 1))[0]
            c = p[1:-1, 1:-1, 1:-1]
            return (
                p[2:, 1:-1, 1:-1]
                + p[:-2, 1:-1, 1:-1]
                + p[1:-1, 2:, 1:-1]
                + p[1:-1, :-2, 1:-1]
                + p[1:-1, 1:-1, 2:]
                + p[1:-1, 1:-1, :-2]
                - 6 * c
            )
        return (u.roll(-1, 2) - u.roll(1, 2)) / 2 + (v.roll(-1, 1) - v.roll(1, 1)) / 2

    return Case(name_of(f"stencil {kind}", draw, batch, height, width), function, [u, v])


@family
def rays(draw: Draw) -> Case:
    samples = int(draw.choice((32, 64, 100, 192)))
    count = draw.within(samples * 4, 8192)
    kind = draw.choice(("composite", "depth", "places", "encode", "sphere"))
    density, color = (
        draw.tensor(count, samples, dtype=torch.float32),
        draw.tensor(count, samples, 3, dtype=torch.float32),
    )
    origin, way = (
        draw.tensor(count, 3, dtype=torch.float32),
        draw.tensor(count, 3, dtype=torch.float32),
    )

    def function(density: Any, color: Any, origin: Any, way: Any) -> Any:
        t = torch.linspace(2, 6, samples, device=density.device)
        if kind == "places":
            return origin[:, None] + way[:, None] * t[:, None]
        if kind == "encode":
            rates = 2.0 ** torch.arange(6, device=density.device)
            x = color[..., None] * rates
            return torch.cat([torch.sin(x), torch.cos(x)], -1).flatten(-2)
        if kind == "sphere":
            way = F.normalize(way, dim=-1)
            b, c = (origin * way).sum(-1), origin.square().sum(-1) - 1
            inside = b * b - c
            return torch.where(inside > 0, -b - inside.clamp(min=0).sqrt(), float("inf"))
        alpha = 1 - torch.exp(-F.relu(density) * 0.02)
        passed = torch.cumprod(1 - alpha + 1e-10, -1)
        weights = alpha * torch.cat([torch.ones_like(passed[:, :1]), passed[:, :-1]], -1)
        if kind == "depth":
            return (weights * t).sum(-1), weights.sum(-1)
        return (weights[..., None] * torch.sigmoid(color)).sum(1)

    name = name_of(f"rays {kind}", draw, count, samples)
    return Case(name, function, [density, color, origin, way])


@family
def small_matrices(draw: Draw) -> Case:
    count = draw.within(16, 1 << 18)
    kind = draw.choice(("determinant", "inverse", "quaternion", "product", "trace", "rigid"))
    a, b = (
        draw.tensor(count, 3, 3, dtype=torch.float32),
        draw.tensor(count, 3, 3, dtype=torch.float32),
    )
    q, x = draw.tensor(count, 4, dtype=torch.float32), draw.tensor(count, 3, dtype=torch.float32)

    def function(a: Any, b: Any, q: Any, x: Any) -> Any:
        if kind == "product":
            return (a[:, :, :, None] * b[:, None]).sum(2)
        if kind == "trace":
            return a.diagonal(dim1=-2, dim2=-1).sum(-1), (a * b).sum((1, 2))
        if kind == "rigid":
            return (a * x[:, None]).sum(-1) + b[:, 0]
        if kind == "quaternion":
            q = F.normalize(q, dim=-1)
            w, v = q[:, :1], q[:, 1:]
            t = 2 * torch.stack(
                [
                    v[:, 1] * x[:, 2] - v[:, 2] * x[:, 1],
                    v[:, 2] * x[:, 0] - v[:, 0] * x[:, 2],
                    v[:, 0] * x[:, 1] - v[:, 1] * x[:, 0],
                ],
                -1,
            )
            return x + w * t
        r0, r1, r2 = a.unbind(1)

        def cross(u: Any, v: Any) -> Any:
            return torch.stack(
                [
                    u[:, 1] * v[:, 2] - u[:, 2] * v[:, 1],
                    u[:, 2] * v[:, 0] - u[:, 0] * v[:, 2],
                    u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0],
                ],
                -1,
            )

        c = cross(r1, r2)
        determinant = (r0 * c).sum(-1)
        if kind == "determinant":
            return determinant
        return torch.stack([c, cross(r2, r0), cross(r0, r1)], -1) / (
            determinant[:, None, None].abs() + 1
        )

    return Case(name_of(f"matrices {kind}", draw, count), function, [a, b, q, x])


@family
def series(draw: Draw) -> Case:
    length = int(draw.choice((100, 500, 1024, 4000, 16_000)))
    count = draw.within(length, 1024)
    kind = draw.choice(("moving", "ema", "returns", "frames", "power", "drawdown", "lags", "mel"))
    x, y = (
        draw.tensor(count, length, dtype=torch.float32),
        draw.tensor(count, length, dtype=torch.float32),
    )

    def function(x: Any, y: Any) -> Any:
        if kind == "moving":
            w = x.unfold(1, 10, 1)
            return w.mean(-1), w.std(-1)
        if kind == "ema":
            k = 0.9 ** torch.arange(16, device=x.device).float()
            return (F.pad(x, (15, 0)).unfold(1, 16, 1) * k.flip(0)).sum(-1)
        if kind == "returns":
            p = torch.exp(x * 0.01)
            r = torch.log(p[:, 1:] / p[:, :-1])
            return r.mean(1), r.std(1), ((r - r.mean(1, keepdim=True)) ** 3).mean(1)
        if kind == "frames":
            window = torch.hann_window(64, device=x.device)
            return (x.unfold(1, 64, 32) * window).square().mean(-1)
        if kind == "power":
            return 10 * torch.log10(torch.clamp(x * x + y * y, min=1e-10))
        if kind == "drawdown":
            total = x.cumsum(1)
            return (total.cummax(1).values - total).amax(1)
        if kind == "lags":
            c = x - x.mean(1, keepdim=True)
            return torch.stack([(c[:, i:] * c[:, : length - i]).mean(1) for i in range(1, 6)], 1)
        z = (x * x + y * y).clamp(min=1e-10).log()
        return (z - z.mean(0)) / (z.std(0) + 1e-5) if count > 1 else z

    return Case(name_of(f"series {kind}", draw, count, length), function, [x, y])
