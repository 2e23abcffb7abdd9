"""Decode a text with the decoder layers of a language model, their element-wise parts fused.

Layers of the dimensions of Llama-3.2-1B (hidden 2048, 32 heads, 8 key-value heads, intermediate
8192) with random weights read the bytes of a text and decode further bytes one by one, with a cache
of keys and values. Matrix products and attention are torch's; root-mean-square norms, residual
additions, rotary embeddings and SwiGLU run three times: by eager torch, compiled by torch.compile
and as fusions. Every variant is fed the bytes that eager decodes, and its logits are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

import nvfuser
from nvfuser.cli.model import (
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--layers", type=int, default=2, help="decoder layers (the model has 16)")
    parser.add_argument("--prompt", type=int, default=192, help="bytes of the text that are read")
    parser.add_argument("--tokens", type=int, default=32, help="bytes that are decoded")
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
        reference = _decode(model, EagerParts(model), prompt, None, options.tokens, "eager")
        results = {"eager": reference}
        parts, note = _compiled(model, device, options.compile, len(prompt))
        if parts is not None:
            results["torch.compile"] = _decode(
                model, parts, prompt, reference, options.tokens, "torch.compile"
            )
        results["nvfuser"] = _decode(
            model, FusedParts(model), prompt, reference, options.tokens, "nvfuser"
        )
    print(f"read:    {bytes(prompt)[-60:].decode(errors='replace')!r}")
    print(f"decoded: {bytes(reference.tokens)!r} (the weights are random)")
    if note:
        print(f"torch.compile: {note}")
    print("\n" + _report(results, reference))
    worst = max(_difference(result, reference) for result in results.values())
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


class _Result:
    """What one variant decoded, and how long it took."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.logits: list[torch.Tensor] = []
        self.seconds: list[float] = []
        self.read_seconds = 0.0
        self.first_seconds = 0.0
        self.part_microseconds = 0.0


def _decode(
    model: Decoder,
    parts: Parts,
    prompt: list[int],
    reference: _Result | None,
    count: int,
    label: str,
) -> _Result:
    """Read `prompt`, then decode: the bytes of `reference`, or the likeliest ones."""
    result = _Result()

    def timed(function: Callable[[], torch.Tensor]) -> tuple[torch.Tensor, float]:
        synchronize(model.device)
        start = time.perf_counter()
        logits = function()
        synchronize(model.device)
        return logits, time.perf_counter() - start

    # Once to compile, for both shapes, then in earnest.
    model.clear()
    _, result.first_seconds = timed(lambda: model.forward(parts, prompt, 0))
    _, seconds = timed(lambda: model.forward(parts, prompt[:1], len(prompt)))
    result.first_seconds += seconds
    model.clear()
    logits, result.read_seconds = timed(lambda: model.forward(parts, prompt, 0))
    for step in progress(range(count), count, label):
        token = int(logits.argmax()) if reference is None else reference.tokens[step]
        result.tokens.append(token)
        result.logits.append(logits)
        position = len(prompt) + step
        logits, seconds = timed(partial(model.forward, parts, [token], position))
        result.seconds.append(seconds)
    result.logits.append(logits)
    result.part_microseconds = element_wise_microseconds(model, parts)
    return result


def _compiled(model: Decoder, device: str, wanted: bool, tokens: int) -> tuple[Parts | None, str]:
    if not wanted:
        return None, ""
    reason = why_not_compile(device)
    if reason is not None:
        return None, f"not usable, {reason}"
    print("compiling with torch.compile ...", file=sys.stderr)
    return compiled_parts(model, tokens)


def _difference(result: _Result, reference: _Result) -> float:
    """Largest difference of the logits of any step, relative to the norm of the step's logits."""
    return max(
        float((ours.double() - theirs.double()).norm() / theirs.double().norm())
        for ours, theirs in zip(result.logits, reference.logits, strict=True)
    )


def _report(results: dict[str, _Result], reference: _Result) -> str:
    rows = []
    for name, result in results.items():
        median = statistics.median(result.seconds)
        same = sum(
            int(ours.argmax()) == int(theirs.argmax())
            for ours, theirs in zip(result.logits, reference.logits, strict=True)
        )
        rows.append(
            [
                name,
                f"{result.first_seconds:.2f} s",
                f"{result.read_seconds * 1e3:.1f} ms",
                f"{median * 1e3:.2f} ms",
                f"{min(result.seconds) * 1e3:.2f} ms",
                f"{result.part_microseconds:.0f} µs",
                f"{_difference(result, reference):.1e}",
                f"{same}/{len(reference.logits)}",
            ]
        )
    heading = [
        *("", "first run", "reading", "per token", "fastest token"),
        *("of it element-wise", "difference", "same byte"),
    ]
    return format_table(heading, rows)
