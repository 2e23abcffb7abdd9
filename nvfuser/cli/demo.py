"""Decode a text with the decoder layers of a language model, their element-wise parts fused.

Layers of the dimensions of Llama-3.2-1B (hidden 2048, 32 heads, 8 key-value heads, intermediate
8192) with random weights read the bytes of a text and decode further bytes one by one, with a cache
of keys and values. Matrix products and attention are torch's; root-mean-square norms, residual
additions, rotary embeddings and SwiGLU run three times: by eager torch, compiled by torch.compile
and as fusions. The variants take turns at every byte, all are fed the one that eager decodes, and
their logits are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import torch

import nvfuser
from nvfuser.cli.model import (
    POSITIONS,
    Cache,
    Decoder,
    EagerParts,
    FusedParts,
    Parts,
    compiled_parts,
    element_wise_microseconds,
)
from nvfuser.cli.peers import synchronize, why_not_compile
from nvfuser.cli.progress import progress
from nvfuser.cli.table import format_table

__all__ = ["add_arguments", "run"]

# Largest difference of logits allowed, relative to their norm.
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 3e-2}


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= POSITIONS // 2:
        raise argparse.ArgumentTypeError(f"must be from 1 to {POSITIONS // 2}, but is {count}")
    return count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--layers", type=_count, default=2, help="decoder layers (the model has 16)"
    )
    parser.add_argument(
        "--prompt", type=_count, default=192, help="bytes of the text that are read"
    )
    parser.add_argument("--tokens", type=_count, default=32, help="bytes that are decoded")
    parser.add_argument("--text", type=Path, help="file to read; default: the text shipped with it")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), help="default: float32 on cpu")
    parser.add_argument("--threads", type=int, help="threads of torch and nvfuser")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="run torch.compile too (its compilation takes seconds to minutes on a CPU)",
    )


def run(options: argparse.Namespace) -> None:
    """Run all variants and print the table; exit with 1 if the values differ."""
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = getattr(torch, options.dtype or ("bfloat16" if device == "cuda" else "float32"))
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    prompt = _prompt(options.text, options.prompt)
    print(
        f"nvfuser {nvfuser.__version__}, torch {torch.__version__}, {device}, "
        f"{torch.get_num_threads()} threads, {options.layers} layers, {dtype}, "
        f"{len(prompt)} bytes read, {options.tokens} decoded"
    )
    with torch.inference_mode():
        model = Decoder(options.layers, dtype, device, options.seed)
        variants = [_Variant("eager", model, EagerParts(model))]
        compiled, note = _compiled(model, device, options.compile, len(prompt))
        if compiled is not None:
            variants.append(_Variant("torch.compile", model, compiled))
        variants.append(_Variant("nvfuser", model, FusedParts(model)))
        decoded = _decode(variants, prompt, options.tokens)
    print(f"read:    {bytes(prompt)[-60:].decode(errors='replace')!r}")
    print(f"decoded: {bytes(decoded)!r} (the weights are random)")
    if note:
        print(f"torch.compile: {note}")
    print("\n" + _report(variants))
    worst = max(variant.difference_to(variants[0]) for variant in variants)
    if worst > _TOLERANCE[dtype]:
        raise SystemExit(f"The logits differ by {worst:.1e} of their norm, which is too much.")


def _prompt(file: Path | None, count: int) -> list[int]:
    if file is None:
        from nvfuser.cli.text import TEXT

        return list(TEXT.encode()[:count])
    prompt = list(file.read_bytes()[:count])
    if not prompt:
        raise SystemExit(f"{file} is empty.")
    return prompt


class _Variant:
    """One way to run the parts: what it needs, what it decoded, and how long that took."""

    def __init__(self, name: str, model: Decoder, parts: Parts) -> None:
        self.name = name
        self.logits: list[torch.Tensor] = []
        self.seconds: list[float] = []
        self.read_seconds = 0.0
        self.first_seconds = 0.0
        self._model, self._parts = model, parts
        self._cache = model.new_cache()

    def read(self, prompt: list[int]) -> None:
        """Read the prompt, after a first time in which everything is compiled."""
        spare = self._model.new_cache()
        for tokens, start in ((prompt, 0), (prompt[:1], len(prompt))):
            self.first_seconds += self._forward(spare, tokens, start)[1]
        logits, self.read_seconds = self._forward(self._cache, prompt, 0)
        self.logits.append(logits)

    def decode(self, token: int, position: int) -> None:
        """Take one more byte."""
        logits, seconds = self._forward(self._cache, [token], position)
        self.logits.append(logits)
        self.seconds.append(seconds)

    def _forward(self, cache: Cache, tokens: list[int], start: int) -> tuple[torch.Tensor, float]:
        synchronize(self._model.device)
        begin = time.perf_counter()
        logits = self._model.forward(self._parts, cache, tokens, start)
        synchronize(self._model.device)
        return logits, time.perf_counter() - begin

    def element_wise_microseconds(self) -> float:
        """What the parts take of the decoding of one byte."""
        return element_wise_microseconds(self._model, self._parts)

    def difference_to(self, reference: _Variant) -> float:
        """Largest difference of the logits of any step, relative to the norm of the step's."""
        return max(
            float((ours.double() - theirs.double()).norm() / theirs.double().norm())
            for ours, theirs in zip(self.logits, reference.logits, strict=True)
        )

    def same_bytes_as(self, reference: _Variant) -> int:
        """The number of steps in which the same byte is the likeliest."""
        return sum(
            int(ours.argmax()) == int(theirs.argmax())
            for ours, theirs in zip(self.logits, reference.logits, strict=True)
        )


def _decode(variants: list[_Variant], prompt: list[int], count: int) -> list[int]:
    """Let all variants read, then take in turn the bytes that the first one decodes."""
    for variant in progress(variants, len(variants), "reading"):
        variant.read(prompt)
    decoded = []
    for step in progress(range(count), count, "decoding"):
        token = int(variants[0].logits[-1].argmax())
        decoded.append(token)
        for variant in variants:
            variant.decode(token, len(prompt) + step)
    return decoded


def _compiled(model: Decoder, device: str, wanted: bool, tokens: int) -> tuple[Parts | None, str]:
    if not wanted:
        return None, ""
    reason = why_not_compile(device)
    if reason is not None:
        return None, f"not usable, {reason}"
    print("compiling the parts with torch.compile ...", file=sys.stderr)
    return compiled_parts(model, tokens)


def _report(variants: list[_Variant]) -> str:
    reference = variants[0]
    heading = [
        *("", "first run", "reading", "per token", "fastest token"),
        *("of it element-wise", "difference", "same byte"),
    ]
    rows = [
        [
            variant.name,
            f"{variant.first_seconds:.2f} s",
            f"{variant.read_seconds * 1e3:.1f} ms",
            f"{statistics.median(variant.seconds) * 1e3:.2f} ms",
            f"{min(variant.seconds) * 1e3:.2f} ms",
            f"{variant.element_wise_microseconds():.0f} µs",
            f"{variant.difference_to(reference):.1e}",
            f"{variant.same_bytes_as(reference)}/{len(reference.logits)}",
        ]
        for variant in variants
    ]
    return format_table(heading, rows)
