"""A step of a Llama that generates: one token each, keys and values kept in a static cache."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.llama import Layer, Llama, Size

# The length is that of the cache.
SIZES = {
    "tiny": Size(2, 16, 2, 32, 4, 2, 48, 64),
    "cpu": Size(4, 256, 4, 256, 8, 2, 688, 4000),
    "gpu": Size(8, 2048, 8, 2048, 32, 8, 5632, 32000),
}


class CachedLayer(Layer):
    def __init__(self, size: Size) -> None:
        super().__init__(size)
        shape = size.batch, size.key_heads, size.length, size.width // size.heads
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def step(self, x: Tensor, place: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        q, k, v = self.attention.heads(self.norms[0](x), cos, sin)
        self.keys.index_copy_(2, place, k.to(self.keys.dtype))
        self.values.index_copy_(2, place, v.to(self.values.dtype))
        return self.feed_forward(x + self.attention.attend(q, self.keys, self.values, mask))


class Decoder(Llama):
    """Takes one token of each sequence and their place; returns the logits of the next one."""

    def __init__(self, size: Size) -> None:
        super().__init__(size, CachedLayer)
        self.length = size.length

    def forward(self, tokens: Tensor, place: Tensor) -> Tensor:
        cos, sin = self.rotation(place)
        mask = (torch.arange(self.length, device=place.device) <= place)[None, None, None, :]
        x = self.words(tokens)
        for layer in self.layers:
            x = layer.step(x, place, cos, sin, mask)
        return self.head(self.norm(x))[:, -1]


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    tokens = torch.randint(size.words, (size.batch, 1))
    return Decoder(size), (tokens, torch.tensor([size.length // 2]))
