"""Layers that several models share."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["Attention", "Block", "FeedForward", "RMSNorm", "embed_time"]


class RMSNorm(nn.Module):
    """Root mean square normalization, computed in single precision as Llama does."""

    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * scale).to(x.dtype) * self.weight


class Attention(nn.Module):
    """Attention of several heads, to the input itself or to another sequence."""

    def __init__(self, width: int, heads: int, *, bias: bool = True) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias)
        self.key_value = nn.Linear(width, 2 * width, bias)
        self.out = nn.Linear(width, width, bias)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        memory = x if memory is None else memory
        q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = self.key_value(memory).unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
        return self.out(y.transpose(1, 2).flatten(2))


class FeedForward(nn.Sequential):
    """Two linear layers and a GELU."""

    def __init__(self, width: int, hidden: int, *, dropout: float = 0.0) -> None:
        super().__init__(
            nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width), nn.Dropout(dropout)
        )


class Block(nn.Module):
    """A transformer's block, normalized before each half."""

    def __init__(
        self, width: int, heads: int, *, is_causal: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.is_causal = is_causal
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention(width, heads)
        self.dropout = nn.Dropout(dropout)
        self.feed_forward = FeedForward(width, 4 * width, dropout=dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        y = self.attention(self.norms[0](x), mask=mask, is_causal=self.is_causal)
        x = x + self.dropout(y)
        return x + self.feed_forward(self.norms[1](x))


def embed_time(t: Tensor, width: int) -> Tensor:
    """Sines and cosines of a time at several frequencies."""
    frequencies = torch.exp(-9.2 * torch.arange(width // 2, device=t.device) / (width // 2))
    angles = t[:, None].float() * frequencies
    return torch.cat([angles.cos(), angles.sin()], dim=-1)
