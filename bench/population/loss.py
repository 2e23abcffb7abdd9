"""Losses over classes, forwards and backwards."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def cross_entropy(draw: Draw) -> Case:
    classes = draw.classes()
    rows = draw.within(classes, 8192)
    smoothing = draw.choice((0.0, 0.0, 0.1))

    def function(logits: Any, target: Any) -> Any:
        return F.cross_entropy(logits.float(), target, label_smoothing=smoothing)

    inputs = [draw.tensor(rows, classes), draw.integers(classes, rows)]
    what = "cross_entropy" + " smoothed" * bool(smoothing)
    return Case(name_of(what, draw, rows, classes), function, inputs)


@family
def cross_entropy_backward(draw: Draw) -> Case:
    classes = draw.classes()
    rows = draw.within(classes, 8192)

    def function(logits: Any, target: Any, gradient: Any) -> Any:
        probabilities = F.softmax(logits.float(), -1)
        places = torch.arange(logits.shape[-1], device=logits.device)
        hit = places[None, :] == target[:, None]
        return ((probabilities - hit.float()) * (gradient / logits.shape[0])).to(logits.dtype)

    inputs = [draw.tensor(rows, classes), draw.integers(classes, rows)]
    inputs.append(draw.tensor(1, dtype=torch.float32))
    return Case(name_of("cross_entropy_backward", draw, rows, classes), function, inputs)


@family
def gathered_log_probabilities(draw: Draw) -> Case:
    classes = draw.classes()
    rows = draw.within(classes, 8192)

    def function(logits: Any, target: Any) -> Any:
        chosen = logits.float().gather(-1, target[:, None]).squeeze(-1)
        return chosen - torch.logsumexp(logits.float(), -1)

    inputs = [draw.tensor(rows, classes), draw.integers(classes, rows)]
    return Case(name_of("token_log_probabilities", draw, rows, classes), function, inputs)


@family
def elementwise_loss(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(("mse", "bce", "smooth", "kl"))

    def function(x: Any, y: Any) -> Any:
        x, y = x.float(), y.float()
        if kind == "mse":
            return F.mse_loss(x, y)
        if kind == "bce":
            return F.binary_cross_entropy_with_logits(x, torch.sigmoid(y))
        if kind == "smooth":
            return F.smooth_l1_loss(x, y)
        return F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction="batchmean")

    inputs = [draw.tensor(rows, columns), draw.tensor(rows, columns)]
    return Case(name_of(f"loss {kind}", draw, rows, columns), function, inputs)
