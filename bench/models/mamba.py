"""A state-space model as Mamba-2 has it: a recurrence with gates, computed by chunks."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import RMSNorm


class Size(NamedTuple):
    batch: int
    length: int
    chunk: int
    layers: int
    width: int
    heads: int
    states: int
    words: int


SIZES = {
    "tiny": Size(2, 16, 4, 2, 16, 4, 8, 64),
    "cpu": Size(2, 128, 32, 2, 128, 4, 16, 4000),
    "gpu": Size(8, 1024, 64, 12, 768, 24, 64, 50304),
}


def decays(logs: Tensor) -> Tensor:
    """What is left at each step of each earlier one: exp of the sum of logs between them."""
    sums = logs.cumsum(-1)
    between = sums[..., :, None] - sums[..., None, :]
    is_later = torch.ones(between.shape[-2:], dtype=torch.bool, device=logs.device).tril()
    return between.masked_fill(~is_later, float("-inf")).exp()


def scan(x: Tensor, logs: Tensor, b: Tensor, c: Tensor, chunk: int) -> Tensor:
    """The recurrence h = exp(log) h + b x, y = c h, over (batch, length, heads, width)."""
    x, b, c = (y.unflatten(1, (-1, chunk)) for y in (x, b, c))
    logs = logs.unflatten(1, (-1, chunk)).permute(0, 3, 1, 2)
    sums = logs.cumsum(-1)
    inside = torch.einsum("bzln,bzsn,bhzls,bzshp->bzlhp", c, b, decays(logs), x)
    # The state that each chunk leaves, and what of it arrives at the following ones.
    left = torch.einsum("bzln,bhzl,bzlhp->bzhpn", b, (sums[..., -1:] - sums).exp(), x)
    left = torch.cat([torch.zeros_like(left[:, :1]), left], dim=1)
    arriving = decays(F.pad(sums[..., -1], (1, 0)))
    states = torch.einsum("bhzs,bshpn->bzhpn", arriving, left)[:, :-1]
    before = torch.einsum("bzln,bzhpn,bhzl->bzlhp", c, states, sums.exp())
    return (inside + before).flatten(1, 2)


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        inner = 2 * size.width
        self.parts = [inner, inner + 2 * size.states, size.heads]
        self.heads, self.states, self.chunk = size.heads, size.states, size.chunk
        self.project = nn.Linear(size.width, sum(self.parts), bias=False)
        self.conv = nn.Conv1d(self.parts[1], self.parts[1], 4, padding=3, groups=self.parts[1])
        self.step = nn.Parameter(torch.linspace(-4, -1, size.heads))
        self.rate = nn.Parameter(torch.linspace(0, 1, size.heads))
        self.skip = nn.Parameter(torch.ones(size.heads))
        self.norms = nn.ModuleList([RMSNorm(size.width), RMSNorm(inner)])
        self.out = nn.Linear(inner, size.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, y, step = self.project(self.norms[0](x)).split(self.parts, dim=-1)
        y = F.silu(self.conv(y.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        y, b, c = y.split([self.parts[0], self.states, self.states], dim=-1)
        y = y.unflatten(-1, (self.heads, -1))
        step = F.softplus(step.float() + self.step)
        z = scan(y * step[..., None], -step * self.rate.exp(), b, c, self.chunk)
        z = (z + y * self.skip[:, None]).flatten(2)
        return x + self.out(self.norms[1](z * F.silu(gate)))


class Mamba(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.layers = nn.Sequential(*[Layer(size) for _ in range(size.layers)])
        self.norm = RMSNorm(size.width)
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(self.norm(self.layers(self.words(tokens))), self.words.weight)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Mamba(size), (torch.randint(size.words, (size.batch, size.length)),)
