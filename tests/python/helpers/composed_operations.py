"""The composed operations beside torch's: a row is a name, what both are called with, and inputs.

Shapes are odd on purpose: no size is a multiple of a vector or a warp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

import nvfuser


class Case:
    """One call: `ours` of tensors of a definition, `theirs` of tensors of torch."""

    def __init__(
        self, name: str, ours: Callable[..., Any], theirs: Callable[..., Any], *inputs: Any
    ) -> None:
        self.name = name
        self.ours = ours
        self.theirs = theirs
        self.inputs = inputs

    def __repr__(self) -> str:
        return self.name


def _ops() -> Any:
    return nvfuser.ops


# Inputs: a shape of random numbers of the dtype under test, or a function that makes a tensor.
X, V, W = (5, 7), (7,), (3, 5, 7)
IMAGE, SQUARE = (2, 6, 5, 3), (5, 5)


def classes(*shape: int, below: int = 7) -> Callable[[torch.dtype], torch.Tensor]:
    """Return a maker of numbers of classes."""
    return lambda dtype: torch.randint(0, below, shape)


def flags(dtype: torch.dtype) -> torch.Tensor:
    """Return truth values of the shape X."""
    return torch.rand(X) > 0.6


def bytes_(dtype: torch.dtype) -> torch.Tensor:
    """Return bytes of the shape X, some of them 0."""
    return torch.randint(0, 9, X, dtype=torch.uint8)


def positive(*shape: int) -> Callable[[torch.dtype], torch.Tensor]:
    """Return a maker of numbers between 0 and 1."""
    return lambda dtype: (torch.rand(shape) * 0.9 + 0.05).to(dtype)


def specials(dtype: torch.dtype) -> torch.Tensor:
    """Return infinities, NaN and zeros among numbers."""
    nan, inf = float("nan"), float("inf")
    return torch.tensor([[1.0, -inf, 0.0, nan, 2.5], [inf, -0.0, -3.0, 0.5, -0.5]], dtype=dtype)


def same(name: str, *inputs: Any, torch_name: str | None = None, **arguments: Any) -> Case:
    """Return a case of one name on both sides, with the same further arguments."""
    theirs = getattr(F, torch_name or name, None) or getattr(torch, torch_name or name)
    text = ",".join(f"{key}={value}" for key, value in arguments.items())
    return Case(
        f"{name}({text})" if text else name,
        lambda *tensors: getattr(_ops(), name)(*tensors, **arguments),
        lambda *tensors: theirs(*tensors, **arguments),
        *inputs,
    )


def method(name: str, shape: Any, *arguments: Any, **named: Any) -> Case:
    """Return a case of a method of tensors on both sides."""
    text = ",".join(map(str, arguments))
    return Case(
        f"x.{name}({text})",
        lambda x: getattr(x, name)(*arguments, **named),
        lambda x: getattr(x, name)(*arguments, **named),
        shape,
    )


ACTIVATIONS = [
    *(
        same(name, X)
        for name in [
            "celu",
            "elu",
            "hardshrink",
            "hardsigmoid",
            "hardswish",
            "hardtanh",
            "leaky_relu",
            "logsigmoid",
            "mish",
            "relu6",
            "selu",
            "softplus",
            "softshrink",
            "softsign",
            "tanhshrink",
        ]
    ),
    same("softplus", X, beta=2.0, threshold=1.0),
    same("leaky_relu", X, negative_slope=0.2),
    same("elu", X, alpha=0.5),
    same("celu", X, alpha=0.5),
    same("hardtanh", X, min_val=-0.3, max_val=0.4),
    same("hardshrink", X, lambd=0.8),
    same("softshrink", X, lambd=0.2),
    same("leaky_relu", specials),
    same("elu", specials),
    same("hardtanh", specials),
    same("hardshrink", specials),
    same("softplus", specials),
    same("logsigmoid", specials),
    same("prelu", W, (5,)),
    same("prelu", X, (1,)),
    same("glu", (5, 6)),
    same("glu", (6, 5), dim=0),
    same("softmin", X, dim=1),
]

ARITHMETIC = [
    same("square", X),
    same("hypot", X, X),
    same("hypot", X, V),
    same("hypot", specials, specials),
    same("logaddexp", X, X),
    same("xlogy", positive(5, 7), positive(5, 7)),
    same("logit", positive(5, 7)),
    same("logit", X, eps=0.1),
    same("deg2rad", X),
    same("rad2deg", X),
    same("sgn", X),
    same("fmax", specials, (2, 5)),
    same("fmin", specials, (2, 5)),
    same("heaviside", specials, (2, 5)),
    same("nan_to_num", specials),
    same("nan_to_num", specials, nan=2.0, posinf=5.0, neginf=-4.0),
    same("logical_xor", flags, X),
    same("isclose", specials, specials, equal_nan=True),
    Case(
        "masked_fill",
        lambda x, m: _ops().masked_fill(x, m, 2.5),
        lambda x, m: x.masked_fill(m, 2.5),
        X,
        flags,
    ),
    Case("clamp(min)", lambda x: _ops().clamp(x, 0.1), lambda x: x.clamp(0.1), X),
    Case("clamp(max=)", lambda x: _ops().clamp(x, max=0.1), lambda x: x.clamp(max=0.1), X),
    Case("clamp_min", lambda x: _ops().clamp_min(x, 0.1), lambda x: x.clamp_min(0.1), X),
    Case("clamp_max", lambda x: _ops().clamp_max(x, 0.1), lambda x: x.clamp_max(0.1), X),
    Case("rsub", lambda x: _ops().cast(_ops().rsub(x, 2.0), x.dtype()), lambda x: 2.0 - x, X),
    Case(
        "addcdiv",
        lambda a, b, c: _ops().cast(_ops().addcdiv(a, b, c, 0.5), a.dtype()),
        lambda a, b, c: torch.addcdiv(a.float(), b.float(), c.float(), value=0.5).to(a.dtype),
        X,
        X,
        positive(5, 7),
    ),
]

REDUCTIONS = [
    same("any", flags),
    same("any", flags, dim=1),
    same("any", X, dim=0, keepdim=True),
    same("all", flags),
    same("any", bytes_, dim=1),
    same("all", bytes_, dim=1),
    same("all", flags, dim=1),
    same("all", X, dim=0, keepdim=True),
    same("amax", X, dim=1),
    same("amin", W, dim=(0, 2), keepdim=True),
    same("aminmax", X, dim=1),
    same("argmax", X),
    same("argmax", X, dim=1),
    same("argmax", W, dim=-2, keepdim=True),
    same("argmin", X),
    same("argmin", X, dim=0),
    same("argmin", specials, dim=1),
    same("argmax", specials, dim=0),
    same("argmax", classes(9, 11, below=3), dim=1),
    same("count_nonzero", flags),
    same("count_nonzero", flags, dim=1),
    same("logsumexp", X, dim=1),
    same("logsumexp", W, dim=(0, 1), keepdim=True),
    same("logsumexp", specials, dim=1),
    same("nansum", specials, dim=1),
    same("nanmean", specials, dim=0),
    same("std", X),
    same("std", X, dim=1),
    same("std", W, dim=(0, 2), correction=0, keepdim=True),
    same("std_mean", X, dim=0),
    *(same("norm", X, p=p, dim=1) for p in (2, 1, 0, 3.0, float("inf"), float("-inf"))),
    same("norm", X),
    same("norm", W, p=2, dim=(0, 1), keepdim=True),
]

NORMALIZATION = [
    same("group_norm", IMAGE, num_groups=3),
    Case(
        "group_norm(weight,bias)",
        lambda x, w, b: _ops().group_norm(x, 2, w, b),
        lambda x, w, b: F.group_norm(x, 2, w, b),
        IMAGE,
        (6,),
        (6,),
    ),
    same("instance_norm", IMAGE),
    Case(
        "instance_norm(weight,bias)",
        lambda x, w, b: _ops().instance_norm(x, weight=w, bias=b),
        lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
        IMAGE,
        (6,),
        (6,),
    ),
    same("batch_norm", IMAGE, (6,), positive(6)),
    same("batch_norm", IMAGE, (6,), positive(6), (6,), (6,)),
    Case(
        "batch_norm(training)",
        lambda x, w: _ops().batch_norm(x, None, None, w, training=True),
        lambda x, w: F.batch_norm(x, None, None, w, training=True),
        IMAGE,
        (6,),
    ),
    same("normalize", X),
    same("normalize", X, p=1.0, dim=0),
    same("cosine_similarity", X, X),
    same("cosine_similarity", W, W, dim=0),
]


def _with(name: str, *arguments: Any, shape: Any = X, **named: Any) -> Case:
    theirs = getattr(torch, name, None) or getattr(torch.Tensor, name, None) or getattr(F, name)
    text = ",".join([*map(str, arguments), *(f"{k}={v}" for k, v in named.items())])
    return Case(
        f"{name}({text})",
        lambda x: getattr(_ops(), name)(x, *arguments, **named),
        lambda x: theirs(x, *arguments, **named),
        shape,
    )


SHAPES = [
    Case("stack", lambda a, b: _ops().stack([a, b]), lambda a, b: torch.stack([a, b]), X, X),
    Case(
        "stack(-1)",
        lambda a, b: _ops().stack([a, b], dim=-1),
        lambda a, b: torch.stack([a, b], -1),
        X,
        X,
    ),
    Case("hstack", lambda a, b: _ops().hstack([a, b]), lambda a, b: torch.hstack([a, b]), X, X),
    Case("vstack", lambda a, b: _ops().vstack([a, b]), lambda a, b: torch.vstack([a, b]), X, V),
    Case(
        "meshgrid",
        lambda a, b: _ops().meshgrid(a, b),
        lambda a, b: torch.meshgrid(a, b, indexing="ij"),
        V,
        (5,),
    ),
    Case(
        "meshgrid(xy)",
        lambda a, b: _ops().meshgrid(a, b, indexing="xy"),
        lambda a, b: torch.meshgrid(a, b, indexing="xy"),
        V,
        (5,),
    ),
    _with("chunk", 3, 1),
    _with("chunk", 2),
    _with("split", 3, 1),
    _with("split", [2, 3]),
    _with("unbind"),
    _with("unbind", 1),
    _with("flip", [0]),
    _with("flip", [0, 1]),
    _with("roll", 2),
    _with("roll", [2, -3], [0, 1]),
    _with("repeat", 2, 3),
    _with("repeat", 2, 1, 3),
    _with("tile", (2,)),
    _with("tile", (2, 1, 3)),
    _with("repeat_interleave", 3, 1),
    _with("repeat_interleave", 2),
    _with("flatten"),
    _with("flatten", 1, shape=W),
    _with("flatten", 0, 1, shape=W),
    _with("unflatten", 1, (2, 3), shape=(5, 6)),
    _with("unflatten", 0, (-1, 2), shape=(6, 5)),
    _with("movedim", 0, 2, shape=W),
    _with("movedim", (0, 1), (1, 2), shape=W),
    _with("swapaxes", 0, 1),
    _with("swapdims", 0, -1),
    _with("t"),
    _with("ravel"),
    _with("view", -1),
    _with("narrow", 1, 2, 3),
    _with("narrow", 0, -3, 2),
    _with("broadcast_to", (3, 5, 7)),
    _with("squeeze", 1, shape=(5, 1, 7)),
    _with("squeeze", shape=(5, 1, 7)),
    _with("diagonal"),
    _with("diagonal", 1),
    _with("diagonal", -2),
    _with("diagonal", 1, 0, 2, shape=W),
    # torch.trace() has no bfloat16 before 2.13.
    Case("trace()", lambda x: _ops().trace(x), lambda x: x.diagonal().sum(), X),
    _with("tril"),
    _with("tril", 1),
    _with("tril", -2, shape=W),
    _with("diff"),
    _with("diff", 2, 0),
    _with("unfold", 1, 3, 2),
    _with("unfold", 0, 2, 1, shape=W),
    _with("pixel_shuffle", 2, shape=(2, 8, 3, 5)),
    _with("pixel_unshuffle", 2, shape=(2, 3, 4, 6)),
    _with("interpolate", scale_factor=2, shape=IMAGE),
    _with("interpolate", size=(7, 5), shape=IMAGE),
    _with("one_hot", 9, shape=classes(5, 3)),
    _with("zeros_like"),
    _with("ones_like"),
    _with("full_like", 2.5),
    Case("expand_as", lambda a, b: _ops().expand_as(a, b), lambda a, b: a.expand_as(b), (1, 7), X),
    Case("view_as", lambda a, b: _ops().view_as(a, b), lambda a, b: a.view_as(b), (7, 5), X),
    Case("eye", lambda x: _ops().eye(4, 5), lambda x: torch.eye(4, 5), X),
    Case("arange", lambda x: _ops().arange(2, 9, 3), lambda x: torch.arange(2, 9, 3), X),
    Case(
        "arange(float)",
        lambda x: _ops().arange(0.5, 2.0, 0.25),
        lambda x: torch.arange(0.5, 2.0, 0.25),
        X,
    ),
    Case(
        "linspace", lambda x: _ops().linspace(-1.0, 2.0, 7), lambda x: torch.linspace(-1, 2, 7), X
    ),
    Case("zeros", lambda x: _ops().zeros([3, 2]), lambda x: torch.zeros(3, 2), X),
    Case("ones", lambda x: _ops().ones([3], DataType.Int), lambda x: torch.ones(3).long(), X),
]

PRODUCTS = [
    same("mm", X, (7, 3)),
    same("bmm", W, (3, 7, 2)),
    same("mv", X, V),
    same("dot", V, V),
    same("vdot", V, V),
    same("inner", X, (3, 7)),
    same("outer", V, (5,)),
    same("addmm", (5, 3), X, (7, 3)),
    same("addmm", (3,), X, (7, 3), beta=0.5, alpha=2.0),
    same("addmv", (5,), X, V),
    same("baddbmm", (3, 5, 2), W, (3, 7, 2), beta=0.5),
    same("addbmm", (5, 2), W, (3, 7, 2)),
    same("tensordot", W, (5, 7, 2)),
    same("tensordot", W, (7, 3, 4), dims=([2, 0], [0, 1])),
    Case(
        "cdist",
        lambda a, b: _ops().cdist(a, b),
        lambda a, b: torch.cdist(a.double(), b.double()).to(a.dtype),
        (4, 6),
        (3, 6),
    ),
    *(
        Case(
            f"einsum({equation})",
            lambda *x, e=equation: _ops().einsum(e, *x),
            lambda *x, e=equation: torch.einsum(e, *x),
            *shapes,
        )
        for equation, *shapes in (
            ("ij,jk->ik", X, (7, 3)),
            ("bij,bkj->bik", W, (3, 2, 7)),
            ("i,j->ji", V, (5,)),
            ("ij->j", X),
            ("ij->ji", X),
            ("ij,ij->", X, X),
            ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
            ("ij,jk,kl->il", X, (7, 3), (3, 2)),
            ("ij,j", X, V),
        )
    ),
]

LOSSES = [
    *(
        same(name, X, X, reduction=reduction)
        for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss")
        for reduction in ("mean", "sum", "none")
    ),
    same("binary_cross_entropy", positive(5, 7), positive(5, 7)),
    same("binary_cross_entropy_with_logits", X, positive(5, 7), reduction="none"),
    same("kl_div", X, positive(5, 7), reduction="sum"),
    same("kl_div", X, positive(5, 7), reduction="batchmean", log_target=True),
    same("cross_entropy", X, classes(5)),
    same("cross_entropy", W, classes(3, 7, below=5)),
    same("cross_entropy", X, classes(5), reduction="none"),
    same("cross_entropy", X, classes(5), ignore_index=2, reduction="sum"),
    same("nll_loss", X, classes(5), ignore_index=1),
]

METHOD_CASES = [
    method("sum", X),
    method("sum", X, 1),
    method("sum", W, (0, 2)),
    method("mean", X, 0),
    method("softmax", X, 1),
    method("relu", X),
    method("abs", X),
    method("argmax", X, 1),
    method("reshape", X, 7, 5),
    method("reshape", X, (7, 5)),
    method("permute", W, 2, 0, 1),
    method("transpose", X, 0, 1),
    method("unsqueeze", X, 0),
    method("expand", (1, 7), 5, 7),
    method("flatten", W),
    method("float", X),
    method("double", X),
    method("clone", X),
    method("to", X, torch.float64),
    method("bool", flags),
    Case("x@y", lambda a, b: a @ b, lambda a, b: a @ b, X, (7, 3)),
    Case("x.T", lambda x: x.T, lambda x: x.T, X),
    Case("x.mT", lambda x: x.mT, lambda x: x.mT, W),
    Case("for row in x", lambda x: list(x), lambda x: list(x), X),
]

INDEXES = {
    "x[1]": lambda x: x[1],
    "x[-1]": lambda x: x[-1],
    "x[:, 2]": lambda x: x[:, 2],
    "x[1:4]": lambda x: x[1:4],
    "x[:-1, 2:]": lambda x: x[:-1, 2:],
    "x[None]": lambda x: x[None],
    "x[:, None, 1:]": lambda x: x[:, None, 1:],
    "x[..., 0]": lambda x: x[..., 0],
    "x[..., None]": lambda x: x[..., None],
    "x[0, ..., 1:3]": lambda x: x[0, ..., 1:3],
    "x[::2]": lambda x: x[::2],
    "x[1::3, 4:1]": lambda x: x[1::3, 4:1],
    "x[-3:, -2]": lambda x: x[-3:, -2],
    "x[-99:99]": lambda x: x[-99:99],
    "x[...]": lambda x: x[...],
    "x[3:, None, None, 0]": lambda x: x[3:, None, None, 0],
    "x[-4:-1:2, None, ::3]": lambda x: x[-4:-1:2, None, ::3],
}

INDEXING = [Case(text, function, function, W) for text, function in INDEXES.items()]

DataType = nvfuser.DataType

FAMILIES = {
    "activations": ACTIVATIONS,
    "arithmetic": ARITHMETIC,
    "reductions": REDUCTIONS,
    "normalization": NORMALIZATION,
    "shapes": SHAPES,
    "linear_algebra": PRODUCTS,
    "losses": LOSSES,
    "methods": METHOD_CASES + INDEXING,
}
CASES = [case for cases in FAMILIES.values() for case in cases]
