"""A step of training of a diffusion transformer: noise of a random amount, and its prediction."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import Attention, FeedForward, embed_time


class Size(NamedTuple):
    batch: int
    image: int
    patch: int
    layers: int
    width: int
    heads: int
    classes: int


SIZES = {
    "tiny": Size(2, 8, 2, 2, 32, 4, 10),
    "cpu": Size(2, 32, 4, 3, 192, 3, 100),
    "gpu": Size(32, 32, 2, 12, 768, 12, 1000),
}


class Block(nn.Module):
    """Shifts, scales and gates come from the time and the class."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width, 4 * width)
        self.modulation = nn.Linear(width, 6 * width)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        parts = self.modulation(F.silu(condition))[:, None].chunk(6, dim=-1)
        shift, scale, gate, shift2, scale2, gate2 = parts
        x = x + gate * self.attention(self.norm(x) * (1 + scale) + shift)
        return x + gate2 * self.feed_forward(self.norm(x) * (1 + scale2) + shift2)


class Diffusion(nn.Module):
    """Returns the loss and the predicted noise."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.patches = nn.Conv2d(4, size.width, size.patch, size.patch)
        count = (size.image // size.patch) ** 2
        self.places = nn.Parameter(torch.randn(1, count, size.width) * 0.02)
        self.classes = nn.Embedding(size.classes, size.width)
        self.time = nn.Sequential(
            nn.Linear(64, size.width), nn.SiLU(), nn.Linear(*[size.width] * 2)
        )
        self.blocks = nn.ModuleList([Block(size.width, size.heads) for _ in range(size.layers)])
        self.head = nn.Linear(size.width, 4 * size.patch**2)
        self.patch, self.side = size.patch, size.image // size.patch
        self.register_buffer("kept", torch.linspace(0.9999, 0.98, 1000).cumprod(0))

    def predict(self, images: Tensor, t: Tensor, kinds: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2) + self.places
        condition = self.time(embed_time(t, 64)) + self.classes(kinds)
        for block in self.blocks:
            x = block(x, condition)
        x = self.head(x).unflatten(2, (4, self.patch, self.patch))
        x = x.unflatten(1, (self.side, self.side)).permute(0, 3, 1, 4, 2, 5)
        return x.flatten(4, 5).flatten(2, 3)

    def forward(self, images: Tensor, noise: Tensor, t: Tensor, kinds: Tensor) -> tuple:
        kept = self.kept[t][:, None, None, None]
        noisy = kept.sqrt() * images + (1 - kept).sqrt() * noise
        predicted = self.predict(noisy, t, kinds)
        return F.mse_loss(predicted.float(), noise), predicted


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    images, noise = torch.randn(2, size.batch, 4, size.image, size.image)
    times = torch.randint(1000, (size.batch,))
    return Diffusion(size), (images, noise, times, torch.randint(size.classes, (size.batch,)))
