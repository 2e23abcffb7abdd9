"""A radiance field: sines of places, a network, and colors collected along rays."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    samples: int
    octaves: int
    layers: int
    width: int


SIZES = {
    "tiny": Size(4, 8, 3, 2, 16),
    "cpu": Size(128, 32, 8, 4, 64),
    "gpu": Size(4096, 128, 10, 8, 256),
}


class Nerf(nn.Module):
    """Takes rays (origins and directions) and their colors; returns the loss and colors."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.samples = size.samples
        self.register_buffer("octaves", 2.0 ** torch.arange(size.octaves) * torch.pi)
        widths = [3 + 6 * size.octaves, *[size.width] * size.layers]
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in itertools.pairwise(widths)])
        self.density = nn.Linear(size.width, 1)
        self.color = nn.Linear(size.width, 3)

    def forward(self, rays: Tensor, colors: Tensor) -> tuple[Tensor, Tensor]:
        origins, directions = rays.chunk(2, dim=-1)
        depths = torch.linspace(2.0, 6.0, self.samples, device=rays.device)
        places = origins[:, None] + directions[:, None] * depths[:, None]
        angles = (places[..., None] * self.octaves).flatten(2)
        x = torch.cat([places, angles.sin(), angles.cos()], dim=-1)
        for layer in self.layers:
            x = F.relu(layer(x))
        lengths = F.pad(depths.diff(), (0, 1), value=1e3) * directions.norm(dim=-1, keepdim=True)
        opacity = 1 - torch.exp(-F.softplus(self.density(x).squeeze(-1).float()) * lengths)
        free = torch.cumprod(1 - opacity + 1e-6, dim=-1)
        free = torch.cat([torch.ones_like(free[:, :1]), free[:, :-1]], dim=-1)
        seen = (opacity * free)[..., None] * self.color(x).sigmoid()
        found = seen.sum(1)
        return F.mse_loss(found, colors), found


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    directions = F.normalize(torch.randn(size.batch, 3), dim=-1)
    rays = torch.cat([torch.randn(size.batch, 3) * 0.1, directions], dim=-1)
    return Nerf(size), (rays, torch.rand(size.batch, 3))
