"""Evaluating a fusion operation by operation with torch: what its outputs should be."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nvfuser.needs_torch import needs_torch

needs_torch("A comparison without references")

import torch  # noqa: E402

from nvfuser import _C  # noqa: E402
from nvfuser.dtypes import TABLE  # noqa: E402
from nvfuser.pytorch_utils import nvfuser_dtype_to_torch_dtype  # noqa: E402

__all__ = ["evaluate"]

# What torch computes with: not the pairs of fp4.
_DTYPES = {
    nvfuser_dtype_to_torch_dtype(dtype)
    for dtype in _C.DataType.__members__.values()
    if dtype != _C.DataType.Null
} - {torch.float4_e2m1fn_x2}
# Stored narrow, computed in Float.
_NARROW = {
    nvfuser_dtype_to_torch_dtype(dtype)
    for dtype, traits in TABLE.items()
    if traits.compute is not dtype
} & _DTYPES


def evaluate(fusion: _C.Fusion, inputs: Iterable[Any]) -> list[torch.Tensor]:
    """Compute the outputs of a fusion by one call of torch for each operation.

    Parameters
    ----------
    fusion : Fusion
        A finished definition.
    inputs : iterable of torch.Tensor or number
        As of :meth:`nvfuser.FusionDefinition.execute`. They are not changed.

    Returns
    -------
    list of torch.Tensor
        The outputs that `execute` returns, rounded where the fusion rounds. Their strides are
        torch's.

    Raises
    ------
    NotImplementedError
        For operations whose result torch cannot repeat: random numbers, fp4 and quantization.
    """
    arguments: list[Any] = []
    for value in inputs:
        arguments.extend(value if isinstance(value, (list, tuple)) else [value])
    return _Evaluation(arguments).run(fusion)


class _Evaluation:
    def __init__(self, arguments: list[Any]) -> None:
        self._arguments = iter(arguments)
        self._values: dict[_C.Val, Any] = {}
        self._outputs: list[torch.Tensor] = []
        # What each result of a pad has around it, last dimension first.
        self._pad_widths: dict[_C.Val, list[int]] = {}
        devices = [v.device for v in arguments if isinstance(v, torch.Tensor)]
        self._device = next((d for d in devices if d.type != "cpu"), torch.device("cpu"))

    def run(self, fusion: _C.Fusion) -> list[torch.Tensor]:
        for function, results, args, kwargs in _C.definition_calls(fusion):
            self._call(function, results, args, kwargs)
        return self._outputs

    def _call(
        self, function: str, results: list[Any], args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        if function == "define_tensor":
            value = next(self._arguments)
            if value.dtype not in _DTYPES:
                raise NotImplementedError(f"no reference for tensors of dtype {value.dtype}")
            self._values[results[0]] = value.resolve_conj().resolve_neg().detach()
        elif function == "define_scalar":
            constant = args[0] if args else kwargs.get("value")
            self._values[results[0]] = next(self._arguments) if constant is None else constant
        elif function == "add_output":
            # What is written into an input is returned only where it is an output as well.
            if len(args) == 1 and "alias_input" not in kwargs:
                self._outputs.append(self._get(args[0]))
        elif function != "set_allocation_domain":
            name = function.removeprefix("ops.")
            operands = [self._get(argument) for argument in args]
            named = {key: self._get(argument) for key, argument in kwargs.items()}
            if name == "pad":
                self._pad_widths[results[0]] = named["pad_widths"]
            if name == "cat" and named.get("manual_padding"):
                operands[0] = [self._unpadded(v, named.get("dim", 0)) for v in args[0]]
            computed = self._operation(name, results, operands, named)
            values = computed if isinstance(computed, tuple) else (computed,)
            for result, value in zip(results, values, strict=True):
                if result is not None:
                    self._values[result] = self._rounded(value, result)

    def _unpadded(self, padded: _C.Val, dim: int) -> torch.Tensor:
        """Return what a pad made an operand of a concatenation from, in the dimension of that."""
        value: torch.Tensor = self._values[padded]
        dim %= value.dim()
        place = 2 * (value.dim() - 1 - dim)
        before, after = [*self._pad_widths[padded], *[0] * (2 * value.dim())][place : place + 2]
        return value.narrow(dim, before, value.shape[dim] - before - after)

    def _get(self, argument: Any) -> Any:
        if isinstance(argument, _C.Val):
            return self._values[argument]
        if isinstance(argument, list):
            return [self._get(item) for item in argument]
        return argument

    def _operation(self, name: str, results: list[Any], args: list[Any], kwargs: Any) -> Any:
        if name in _ELEMENTWISE:
            return self._elementwise(name, results[0], args)
        if name in _CREATION:
            return _CREATION[name](self._device, *args, **kwargs)
        if name == "torch_call":
            return _torch_call(*args, **kwargs)
        if name not in _OTHERS:
            raise NotImplementedError(f"no reference for the operation {name}")
        dtype = _dtype_of(results[0])
        return _OTHERS[name](*[_wide(a) for a in args], **{"_dtype": dtype, **kwargs})

    def _elementwise(self, name: str, result: Any, args: list[Any]) -> Any:
        dtype = _dtype_of(result)
        tensors = [a if isinstance(a, torch.Tensor) else torch.tensor(a) for a in args]
        tensors = [
            t.to(self._device) if isinstance(a, torch.Tensor) else _number(t)
            for a, t in zip(args, tensors, strict=True)
        ]
        if dtype is None or dtype is torch.bool or name in _OWN_TYPES:
            tensors = [_wide(t) for t in tensors]
        else:
            compute = torch.float32 if dtype in _NARROW else dtype
            tensors = [
                t if t.dtype is torch.bool and name == "where" else t.to(compute) for t in tensors
            ]
        value = _ELEMENTWISE[name](*tensors)
        return value.item() if dtype is None else value

    def _rounded(self, value: Any, result: _C.Val) -> Any:
        dtype = _dtype_of(result)
        if dtype is None or not isinstance(value, torch.Tensor):
            return value
        return (
            value.real.to(dtype) if value.is_complex() and not dtype.is_complex else value.to(dtype)
        )


def _dtype_of(val: Any) -> torch.dtype | None:
    """Return the dtype of a tensor; None for scalars, which Python's numbers stand for."""
    if not isinstance(val, _C.TensorView):
        return None
    return _torch_dtype(val.dtype())


def _torch_dtype(dtype: _C.DataType) -> torch.dtype:
    found = nvfuser_dtype_to_torch_dtype(dtype)
    if found not in _DTYPES:
        raise NotImplementedError(f"no reference for tensors of dtype {dtype.name}")
    return found


def _wide(value: Any) -> Any:
    narrow = isinstance(value, torch.Tensor) and value.dtype in _NARROW
    return value.to(torch.float32) if narrow else value


def _number(value: torch.Tensor) -> torch.Tensor:
    """Return a Python number in the widest type of its kind, which promotes like the number."""
    return value.to(torch.float64) if value.dtype is torch.float32 else value


# ---------------------------------------------------------------- element-wise


def _truncated(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.is_floating_point() or a.is_complex():
        return torch.div(a, b)
    return torch.div(a, torch.where(b == 0, 1, b), rounding_mode="trunc").where(b != 0, -1)


def _modulo(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.fmod(a, torch.where(b == 0, 1, b)).where(b != 0, a)


def _as_bool(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def apply(*args: torch.Tensor) -> torch.Tensor:
        return function(*[a != 0 for a in args])

    return apply


def _logical_right_shift(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    width = 64 if a.dtype is torch.int64 else 32
    mask = (torch.bitwise_left_shift(torch.ones_like(a), width - b) - 1).where(b > 0, -1)
    return torch.where((b >= width) | (b < 0), 0, torch.bitwise_right_shift(a, b) & mask)


_ELEMENTWISE: dict[str, Callable[..., torch.Tensor]] = {
    **{
        name: getattr(torch, name)
        for name in [
            "abs",
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "ceil",
            "cos",
            "cosh",
            "erf",
            "erfc",
            "exp",
            "exp2",
            "expm1",
            "floor",
            "frac",
            "isfinite",
            "isinf",
            "isnan",
            "isneginf",
            "isposinf",
            "isreal",
            "lgamma",
            "log",
            "log10",
            "log1p",
            "log2",
            "neg",
            "reciprocal",
            "relu",
            "rsqrt",
            "sigmoid",
            "sign",
            "signbit",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
            "trunc",
            "add",
            "atan2",
            "bitwise_and",
            "bitwise_left_shift",
            "bitwise_not",
            "bitwise_or",
            "bitwise_right_shift",
            "bitwise_xor",
            "complex",
            "copysign",
            "eq",
            "fmod",
            "gcd",
            "ge",
            "gt",
            "lcm",
            "le",
            "lt",
            "maximum",
            "minimum",
            "mul",
            "ne",
            "nextafter",
            "pow",
            "remainder",
            "sub",
            "where",
        ]
    },
    "round": torch.round,
    "erfinv": torch.erfinv,
    "erfcinv": lambda x: torch.erfinv(1 - x),
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": functools.partial(torch.nn.functional.gelu, approximate="tanh"),
    "real": lambda z: z.real if z.is_complex() else z,
    "imag": lambda z: z.imag,
    "logical_not": _as_bool(torch.logical_not),
    "logical_and": _as_bool(torch.logical_and),
    "logical_or": _as_bool(torch.logical_or),
    "logical_right_shift": _logical_right_shift,
    "div": _truncated,
    "truediv": torch.true_divide,
    "floor_div": functools.partial(torch.div, rounding_mode="floor"),
    "mod": _modulo,
    "lerp": torch.lerp,
    "clamp": lambda x, low, high: torch.minimum(torch.maximum(x, low), high),
    "threshold": lambda x, limit, value: torch.where(x > limit, x, value),
    "addcmul": lambda a, b, c, alpha: a + alpha * b * c,
    "set": lambda x: x.clone(),
    "segment_set": lambda x: x.clone(),
}
# The operands are of another type than the result.
_OWN_TYPES = {"abs", "real", "imag", "complex"}


# ---------------------------------------------------------------- creation


def _iota(
    device: torch.device, length: int, start: Any = None, step: Any = None, dtype: Any = None
) -> torch.Tensor:
    target = torch.int64 if dtype is None else _torch_dtype(dtype)
    wide = torch.float64 if target.is_floating_point else torch.int64
    steps = torch.arange(length, device=device).to(wide)
    return (0 if start is None else start) + steps * (1 if step is None else step)


_CREATION: dict[str, Callable[..., torch.Tensor]] = {
    "full": lambda device, shape, fill_value, dtype: torch.full(
        shape, fill_value, dtype=_torch_dtype(dtype), device=device
    ),
    "iota": _iota,
}


# ---------------------------------------------------------------- shapes, reductions, the rest


def _converted(x: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    """Return what a reduction with a result of `dtype` combines."""
    return x.to(torch.float32 if dtype in _NARROW else dtype) if dtype is not None else x


def _sum(x: torch.Tensor, *, dims: list[int], _dtype: Any, **_: Any) -> torch.Tensor:
    return _converted(x, _dtype).sum(dims)


def _prod(x: torch.Tensor, *, dims: list[int], _dtype: Any, **_: Any) -> torch.Tensor:
    x = _converted(x, _dtype)
    for dim in sorted(_wrapped(dims, x), reverse=True):
        x = x.prod(dim)
    return x


def _wrapped(dims: Sequence[int], x: torch.Tensor) -> list[int]:
    return [dim % x.ndim for dim in dims]


def _extremum(name: str, x: torch.Tensor, *, dims: list[int], **_: Any) -> torch.Tensor:
    if x.dtype is torch.bool:
        return (x.any if name == "amax" else x.all)(dim=tuple(dims))
    reduced = _wrapped(dims, x)
    if any(x.shape[dim] == 0 for dim in reduced):
        # torch refuses: the identity.
        limits = torch.finfo(x.dtype) if x.dtype.is_floating_point else torch.iinfo(x.dtype)
        extreme = limits.min if name == "amax" else limits.max
        if x.dtype.is_floating_point:
            extreme *= math.inf
        return x.new_full([size for dim, size in enumerate(x.shape) if dim not in reduced], extreme)
    function: Callable[..., torch.Tensor] = getattr(torch, name)
    return function(x, dims)


def _squeeze(x: torch.Tensor, *, dims: list[int], **_: Any) -> torch.Tensor:
    index: list[Any] = [slice(None)] * x.ndim
    for dim in _wrapped(dims, x):
        index[dim] = 0
    return x[tuple(index)]


def _broadcast(x: torch.Tensor, *, is_broadcast_dim: list[bool], **_: Any) -> torch.Tensor:
    for position, inserted in enumerate(is_broadcast_dim):
        if inserted:
            x = x.unsqueeze(position)
    return x


def _slice(
    x: torch.Tensor, *, start_indices: list[int], end_indices: list[int], **_: Any
) -> torch.Tensor:
    return x[tuple(slice(a, b) for a, b in zip(start_indices, end_indices, strict=True))]


def _pad(x: torch.Tensor, pad_widths: list[int], value: Any = None, **_: Any) -> torch.Tensor:
    return torch.nn.functional.pad(x, pad_widths, value=0 if value is None else value)


def _scan(name: str, x: torch.Tensor, dim: int, init: Any = None, **_: Any) -> torch.Tensor:
    if name in ("cummin", "cummax"):
        scanned = getattr(torch, name)(x, dim).values
        limit = torch.minimum if name == "cummin" else torch.maximum
        return scanned if init is None else limit(scanned, torch.as_tensor(init).to(x))
    scanned = getattr(torch, name)(x, dim, dtype=x.dtype)
    if init is None:
        return scanned
    return scanned + init if name == "cumsum" else scanned * init


def _lookup(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def apply(x: torch.Tensor, index: torch.Tensor, *, dim: int, **_: Any) -> torch.Tensor:
        return function(x, index.to(torch.int64), dim)

    return apply


def _scatter(
    x: torch.Tensor,
    index: torch.Tensor,
    src: Any,
    *,
    dim: int,
    accumulate: bool = False,
    **_: Any,
) -> Any:
    index = index.to(torch.int64)
    if not accumulate:
        return x.scatter(dim, index, src.to(x) if isinstance(src, torch.Tensor) else src)
    src = src.to(x) if isinstance(src, torch.Tensor) else torch.full_like(index, src, dtype=x.dtype)
    return x.scatter_add(dim, index, src)


def _topk(x: torch.Tensor, k: int, *, dim: int = -1, largest: bool = True, **_: Any) -> Any:
    return tuple(torch.topk(x, k, dim, largest, True))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, _dtype=None, **kwargs: function(*args, **kwargs)


def _torch_call(
    target: str, arguments: str, tensors: list[Any], scalars: list[Any], results: list[Any]
) -> Any:
    from nvfuser.torch_calls import torch_call

    wanted = [result is not None for result in results]
    made = torch_call(target, arguments, len(tensors), len(scalars), wanted)(*tensors, *scalars)
    values = iter(made if isinstance(made, tuple) else (made,))
    return tuple(next(values) if is_wanted else None for is_wanted in wanted)


_OTHERS: dict[str, Callable[..., Any]] = {
    "cast": lambda x, *, dtype, _dtype: x,
    "sum": _sum,
    "prod": _prod,
    "max": functools.partial(_extremum, "amax"),
    "min": functools.partial(_extremum, "amin"),
    "broadcast": _broadcast,
    "expand": lambda x, *, shape, _dtype: x.expand(shape),
    "reshape": lambda x, *, new_shape, _dtype: x.reshape(new_shape),
    "permute": lambda x, *, dims, _dtype: x.permute(dims),
    "squeeze": _squeeze,
    "slice": _slice,
    "pad": _pad,
    "cat": lambda tensors, *, dim=0, **_: torch.cat([_wide(t) for t in tensors], dim),
    "size": lambda x, *, dim, _dtype: x.size(dim),
    "stride_order": lambda x, **_: x,
    "select": lambda x, index, *, dim, _dtype: x.select(dim, index),
    "index_select": _lookup(lambda x, index, dim: x.index_select(dim, index)),
    "gather": _lookup(lambda x, index, dim: x.gather(dim, index)),
    "take_along_axis": _lookup(lambda x, index, dim: x.take_along_dim(index, dim)),
    "scatter": _scatter,
    "embedding_fwd": lambda index, weight, **_: weight[index.to(torch.int64)],
    "cumsum": functools.partial(_scan, "cumsum"),
    "cumprod": functools.partial(_scan, "cumprod"),
    "cummin": functools.partial(_scan, "cummin"),
    "cummax": functools.partial(_scan, "cummax"),
    "topk": _topk,
    "matmul": _plain(torch.matmul),
    "linear": _plain(torch.nn.functional.linear),
}
