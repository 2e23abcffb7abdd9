"""Both losses of a step of a generative adversarial network as DCGAN is."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    image: int
    noise: int
    widths: tuple[int, ...]


SIZES = {
    "tiny": Size(2, 16, 8, (8, 16)),
    "cpu": Size(8, 32, 32, (16, 32, 64)),
    "gpu": Size(128, 64, 128, (64, 128, 256, 512)),
}


class Gan(nn.Module):
    """Returns the losses of the generator and of the discriminator."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        side, last = size.image >> len(size.widths), size.widths[-1]
        pairs = list(zip((3, *size.widths), size.widths, strict=False))
        up: list[nn.Module] = [nn.Linear(size.noise, last * side**2)]
        up += [nn.Unflatten(1, (last, side, side)), nn.BatchNorm2d(last), nn.ReLU()]
        down: list[nn.Module] = []
        for a, b in pairs[::-1]:
            up += [nn.ConvTranspose2d(b, a, 4, 2, 1)]
            up += [nn.Tanh()] if a == 3 else [nn.BatchNorm2d(a), nn.ReLU()]
        for a, b in pairs:
            down += [nn.Conv2d(a, b, 4, 2, 1), nn.GroupNorm(1, b), nn.LeakyReLU(0.2)]
        self.generator = nn.Sequential(*up)
        self.discriminator = nn.Sequential(*down, nn.Flatten(), nn.Linear(last * side**2, 1))

    def forward(self, images: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        made = self.generator(noise)
        judged = self.discriminator(made).float()
        both = self.discriminator(torch.cat([images.to(made.dtype), made.detach()])).float()
        real, false = both.chunk(2)
        return F.softplus(-judged).mean(), F.softplus(-real).mean() + F.softplus(false).mean()


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    images = torch.rand(size.batch, 3, size.image, size.image) * 2 - 1
    return Gan(size), (images, torch.randn(size.batch, size.noise))
