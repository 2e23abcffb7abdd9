"""A transformer with mixtures of experts: two of them for each token, each with a capacity."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import Attention


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    heads: int
    experts: int
    hidden: int
    words: int


SIZES = {
    "tiny": Size(2, 8, 2, 32, 4, 4, 48, 64),
    "cpu": Size(4, 64, 2, 256, 4, 8, 512, 4000),
    "gpu": Size(8, 1024, 6, 1024, 16, 16, 2816, 32000),
}


class Mixture(nn.Module):
    """Tokens are sent to places of their experts; what finds none is left as it is."""

    def __init__(self, size: Size, chosen: int = 2, slack: float = 1.25) -> None:
        super().__init__()
        self.chosen, self.slack, self.experts = chosen, slack, size.experts
        self.router = nn.Linear(size.width, size.experts, bias=False)
        scale = size.width**-0.5
        self.up = nn.Parameter(torch.randn(size.experts, size.width, size.hidden) * scale)
        self.down = nn.Parameter(torch.randn(size.experts, size.hidden, size.width) * scale)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        tokens = x.flatten(0, 1)
        probabilities = self.router(tokens).float().softmax(-1)
        weights, experts = probabilities.topk(self.chosen, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        # The place of each choice among those of its expert.
        choices = F.one_hot(experts.flatten(), self.experts)
        place = ((choices.cumsum(0) - 1) * choices).sum(-1)
        capacity = int(self.slack * self.chosen * tokens.shape[0]) // self.experts
        fits = place < capacity
        slots = torch.where(fits, experts.flatten() * capacity + place, self.experts * capacity)
        copies = tokens.repeat_interleave(self.chosen, dim=0)
        inputs = tokens.new_zeros(self.experts * capacity + 1, tokens.shape[1])
        inputs = inputs.index_add(0, slots, copies)
        inputs = inputs[:-1].unflatten(0, (self.experts, -1))
        outputs = torch.bmm(F.silu(torch.bmm(inputs, self.up.to(x.dtype))), self.down.to(x.dtype))
        outputs = F.pad(outputs.flatten(0, 1), (0, 0, 0, 1))
        mixed = outputs[slots].unflatten(0, (-1, self.chosen)) * weights[..., None].to(x.dtype)
        share = choices.float().mean(0) * probabilities.mean(0)
        return mixed.sum(1).view_as(x), self.experts * share.sum()


class Moe(nn.Module):
    """Returns the loss of the next word and of the balance of experts, and the logits."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.norms = nn.ModuleList([nn.LayerNorm(size.width) for _ in range(2 * size.layers)])
        self.attentions = nn.ModuleList(
            [Attention(size.width, size.heads) for _ in range(size.layers)]
        )
        self.mixtures = nn.ModuleList([Mixture(size) for _ in range(size.layers)])
        self.head = nn.Linear(size.width, size.words)

    def forward(self, tokens: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        x, balance = self.words(tokens), torch.zeros((), device=tokens.device)
        for i, (attention, mixture) in enumerate(zip(self.attentions, self.mixtures, strict=True)):
            x = x + attention(self.norms[2 * i](x), is_causal=True)
            y, loss = mixture(self.norms[2 * i + 1](x))
            x, balance = x + y, balance + loss
        logits = self.head(x)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return loss + 0.01 * balance, logits


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    text = torch.randint(size.words, (size.batch, size.length + 1))
    return Moe(size), (text[:, :-1].contiguous(), text[:, 1:].contiguous())
