"""Nodes that torch computes: calls of its operators between the kernels of the fusion."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import torch
from torch.utils import _pytree as pytree

from nvfuser import TensorView, Val, ops
from nvfuser.frontend.layouts import is_dense, is_row_major, order_of
from nvfuser.frontend.limits import Limit
from nvfuser.frontend.operators import data_type
from nvfuser.frontend.sizes import Sizes, expression_of
from nvfuser.torch_calls import register_callable

__all__ = ["call_torch"]

# Untyped: what fits is checked where users call.
_ops: Any = ops

_CONVOLUTIONS = (torch.ops.aten.convolution.default, torch.ops.aten.convolution_backward.default)
# The rank of each dimension of images by stride, 0 the fastest.
_CHANNELS_LAST = [3, 0, 2, 1]

# Where attention takes a bias, and the elements that rows of it are a multiple of.
_WITH_BIAS = {
    torch.ops.aten._scaled_dot_product_efficient_attention.default: 3,
    torch.ops.aten._scaled_dot_product_efficient_attention_backward.default: 4,
}
_BIAS_ALIGNMENT = 16


class _Arguments:
    """The text of what an operator is called with, and the values that it names."""

    def __init__(self, sizes: Sizes) -> None:
        self.tensors: list[TensorView] = []
        self.scalars: list[Any] = []
        self._sizes = sizes

    def text(self, value: Any) -> str:
        value = expression_of(value)
        if isinstance(value, TensorView):
            if value not in self.tensors:
                self.tensors.append(value)
            return f"t{self.tensors.index(value)}"
        if isinstance(value, Val):
            self.scalars.append(value)
            return f"s{len(self.scalars) - 1}"
        if isinstance(value, tuple):
            inner = ", ".join(self.text(item) for item in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, list):
            return f"[{', '.join(self.text(item) for item in value)}]"
        if isinstance(value, float) and not math.isfinite(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return repr(value)
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        if isinstance(value, torch.device):
            return f"torch.device('{value}')"
        raise Limit(f"an argument is {value}, a {type(value).__name__}")


def call_torch(
    node: torch.fx.Node,
    args: Any,
    kwargs: dict[str, Any],
    sizes: Sizes,
    fakes: dict[TensorView, torch.Tensor],
) -> Any:
    """Add the call of an operator to the fusion, and return its results."""
    arguments = _Arguments(sizes)
    if node.target in _WITH_BIAS:
        function = functools.partial(_with_aligned_bias, node.target, _WITH_BIAS[node.target])
        target, operands = _python_target(function, args, kwargs)
        texts = [arguments.text(operand) for operand in operands]
    elif _is_plain_operator(node.target) and not _has_objects((args, kwargs)):
        target = str(node.target)
        texts = [arguments.text(arg) for arg in args]
        texts += [f"{key}={arguments.text(arg)}" for key, arg in kwargs.items()]
    else:
        target, operands = _python_target(node.target, args, kwargs)
        texts = [arguments.text(operand) for operand in operands]
    text = f"({', '.join(texts)}{',' if len(texts) == 1 and '=' not in texts[0] else ''})"
    result = node.meta["val"]
    results = result if isinstance(result, (tuple, list)) else [result]
    used = _used_results(node, len(results))
    if str(node.target) == "aten._embedding_bag.default" and 1 in used and len(used) > 1:
        # Whether there is an element for each index, fake tensors do not know.
        _check_bag(result)
    is_channels_last = _wants_channels_last(node)
    described = [
        _described(item, sizes, is_channels_last) if i in used else None
        for i, item in enumerate(results)
    ]
    if not any(item is not None for item in described):
        raise Limit(f"{node.target} returns no tensor")
    if "as_strided" in str(node.target) and not all(
        x.definition() is None or is_dense(fakes[x]) for x in arguments.tensors
    ):
        raise Limit(f"{target} depends on how its argument lies in memory")
    tensors = [
        _ops.stride_order(x, _CHANNELS_LAST)
        if is_channels_last and x.ndim == len(_CHANNELS_LAST)
        else _as_in_torch(x, fakes[x])
        for x in arguments.tensors
    ]
    made = _ops.torch_call(target, text, tensors, arguments.scalars, results=described)
    if not isinstance(result, (tuple, list)):
        return made
    return [made] if len(result) == 1 else list(made)


def _wants_channels_last(node: torch.fx.Node) -> bool:
    """Whether an operator is a convolution that libraries compute for channels that lie last.

    On tensor cores there are no others: what lies otherwise is copied before and after.
    """
    if node.target not in _CONVOLUTIONS:
        return False
    *_, groups = [arg for arg in node.args if type(arg) is int]
    given: Any = node.args[0]
    fake = given.meta["val"]
    is_half = fake.dtype in (torch.float16, torch.bfloat16)
    are_images = fake.dim() == len(_CHANNELS_LAST)
    return fake.device.type == "cuda" and is_half and are_images and groups == 1


def _with_aligned_bias(target: Any, place: int, *args: Any, **kwargs: Any) -> Any:
    """Call attention with a bias whose rows begin at multiples of what its kernels load at once."""
    given = list(args)
    bias = given[place]
    if bias is not None and any(stride % _BIAS_ALIGNMENT for stride in bias.stride()[:-1]):
        rest = -bias.shape[-1] % _BIAS_ALIGNMENT
        padded = torch.nn.functional.pad(bias, (0, rest))
        given[place] = padded[..., : bias.shape[-1]]
    return target(*given, **kwargs)


def _check_bag(results: Any) -> None:
    weights = results[0]
    if weights.device.type == "cpu" and weights.dtype in (torch.float16, torch.bfloat16):
        raise Limit("fake results of embedding_bag in reduced precision are not like true ones")


def _used_results(node: torch.fx.Node, count: int) -> set[int]:
    """Return which results are read: what torch says of the others need not be true."""
    if not isinstance(node.meta["val"], (tuple, list)):
        return {0}
    chosen = {user.args[1] for user in node.users if user.target is operator.getitem}
    are_chosen = all(user.target is operator.getitem for user in node.users)
    return chosen if are_chosen else set(range(count))


def _as_in_torch(x: TensorView, fake: torch.Tensor) -> TensorView:
    """Return a tensor that lies in memory as the operator would find it in torch."""
    if x.definition() is None or is_row_major(fake) or not is_dense(fake):
        return x
    return _ops.stride_order(x, order_of(fake))


def _described(result: Any, sizes: Sizes, is_channels_last: bool = False) -> Any:
    if not isinstance(result, torch.Tensor):
        if result is None:
            return None
        raise Limit(f"a result is {result}, a {type(result).__name__}")
    if result.layout is not torch.strided:
        raise Limit(f"a result is a tensor of {result.layout}")
    order = None if is_row_major(result) else order_of(result)
    if is_channels_last and result.dim() == len(_CHANNELS_LAST):
        order = _CHANNELS_LAST
    return sizes.shape(result.shape), data_type(result.dtype), order


def _is_plain_operator(target: Any) -> bool:
    if not isinstance(target, torch._ops.OpOverload):
        return False
    if target._schema.is_mutable:
        raise Limit(f"{target} writes to its arguments")
    return True


def _has_objects(arguments: Any) -> bool:
    """Whether there are modules, generators and the like among arguments."""
    plain = (
        *(TensorView, Val, bool, int, float, complex, str, type(None)),
        *(torch.dtype, torch.layout, torch.memory_format, torch.device),
        *(torch.SymInt, torch.SymFloat, torch.SymBool),
    )
    return not all(isinstance(leaf, plain) for leaf in pytree.tree_leaves(arguments))


def _python_target(target: Any, args: Any, kwargs: dict[str, Any]) -> tuple[str, list[Any]]:
    """Register a function that calls something with what text cannot say, and its operands."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (TensorView, Val))]
    operands = [leaves[i] for i in places]
    for i in places:
        leaves[i] = None

    def call(*values: Any) -> Any:
        filled = list(leaves)
        for i, value in zip(places, values, strict=True):
            filled[i] = value
        given, named = pytree.tree_unflatten(filled, spec)
        made = target(*given, **named)
        results = made if isinstance(made, (tuple, list)) else (made,)
        memory = {v.untyped_storage()._cdata for v in values if isinstance(v, torch.Tensor)}
        own = tuple(_own(result, memory) for result in results)
        return own if len(own) > 1 else own[0]

    return register_callable(call), operands


def _own(value: Any, memory: set[int]) -> Any:
    """Return a tensor that shares no memory with those before."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.untyped_storage()._cdata in memory:
        value = value.clone()
    memory.add(value.untyped_storage()._cdata)
    return value
