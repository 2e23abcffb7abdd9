"""A variational autoencoder of images, with its loss."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    image: int
    widths: tuple[int, ...]
    latent: int


SIZES = {
    "tiny": Size(2, 16, (8, 16), 4),
    "cpu": Size(16, 32, (16, 32, 64), 32),
    "gpu": Size(256, 64, (64, 128, 256, 512), 256),
}


class Vae(nn.Module):
    """Returns the loss and the image again."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.side, self.width = size.image >> len(size.widths), size.widths[-1]
        pairs = list(zip((3, *size.widths), size.widths, strict=False))
        down = [
            layer
            for a, b in pairs
            for layer in (nn.Conv2d(a, b, 3, 2, 1), nn.BatchNorm2d(b), nn.LeakyReLU())
        ]
        up = [
            layer
            for a, b in pairs[:0:-1]
            for layer in (
                nn.ConvTranspose2d(b, a, 3, 2, 1, output_padding=1),
                nn.BatchNorm2d(a),
                nn.LeakyReLU(),
            )
        ]
        self.encoder = nn.Sequential(*down, nn.Flatten())
        self.moments = nn.Linear(self.width * self.side**2, 2 * size.latent)
        self.unfold = nn.Linear(size.latent, self.width * self.side**2)
        self.decoder = nn.Sequential(
            *up, nn.ConvTranspose2d(size.widths[0], 3, 3, 2, 1, output_padding=1), nn.Tanh()
        )

    def forward(self, images: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.moments(self.encoder(images)).float().chunk(2, dim=1)
        latent = mean + noise * (0.5 * log_variance).exp()
        x = self.unfold(latent).view(-1, self.width, self.side, self.side)
        again = self.decoder(x)
        divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1)
        return F.mse_loss(again.float(), images) + 1e-3 * divergence.mean(), again


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    images = torch.rand(size.batch, 3, size.image, size.image) * 2 - 1
    return Vae(size), (images, torch.randn(size.batch, size.latent))
