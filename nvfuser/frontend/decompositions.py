"""What operators are decomposed into, before a graph is converted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

__all__ = ["StatesOfLSTM", "decompositions"]

# It has no result, only an error: before 2.13 torch took it for dead code, in which case singular
# matrices went by without a word.
torch.fx.node.has_side_effect(torch.ops.aten._linalg_check_errors.default)

# Operators that torch computes better than many kernels would: they stay calls.
_KEPT = [
    "_scaled_dot_product_flash_attention_for_cpu",
    "_thnn_differentiable_gru_cell_backward",
    "_thnn_differentiable_lstm_cell_backward",
    "_thnn_fused_lstm_cell_backward",
    "affine_grid_generator",
    "affine_grid_generator_backward",
    "col2im",
    "embedding_bag",
    "embedding_dense_backward",
    "gru",
    "im2col",
    "index_add",
    "index_copy",
    "index_fill",
    "lstm",
    "max_unpool2d",
    "max_unpool3d",
    "reflection_pad1d",
    "reflection_pad1d_backward",
    "reflection_pad2d",
    "reflection_pad2d_backward",
    "reflection_pad3d",
    "reflection_pad3d_backward",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "rnn_relu",
    "rnn_tanh",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_linear1d",
    "upsample_trilinear3d",
    "unfold_backward",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "grid_sampler_2d",
    "grid_sampler",
    # Generated as they are.
    "constant_pad_nd",
    "copy",
    "diagonal_copy",
    "empty_like",
    "eye",
    "fill",
    "linspace",
    "logspace",
    "masked_fill",
    "native_dropout",
    "native_group_norm_backward",
    "ones",
    "ones_like",
    "repeat",
    "roll",
    "select_scatter",
    "silu",
    "slice_scatter",
    "stack",
    "tril",
    "triu",
    "unfold_copy",
    "zeros",
    "zeros_like",
]

# Numbers of reductions of losses, as ATen has them.
_REDUCTION_NONE = 0
_REDUCTION_MEAN = 1

# Beyond torch's list of those that have no operator of core ATen in them.
_FURTHER = [
    "_batch_norm_with_update",
    "_batch_norm_with_update_functional",
    "_log_softmax",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit.no_stats",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_softmax",
    "addcdiv",
    "addcmul",
    "elu",
    "hardsigmoid",
    "hardswish",
    "native_batch_norm",
    "native_layer_norm",
    "native_layer_norm_backward",
    "rsub",
    "softplus",
]


def _nll_loss_gradient(
    gradient: torch.Tensor,
    x: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: torch.Tensor,
) -> torch.Tensor:
    """Return the gradient of ``nll_loss`` as an element-wise operation.

    The loss of sample n with the class c is -weight[c] x[n, c]: the gradient is not 0 where the
    class of an element is the target. A scatter would be a pass through memory of its own.
    """
    dim = min(x.dim() - 1, 1)
    shape = [1 if i == dim else size for i, size in enumerate(x.shape)]
    along_classes = [-1 if i == dim else 1 for i in range(x.dim())]
    if reduction == _REDUCTION_NONE:
        gradient = gradient.reshape(shape)
    elif reduction == _REDUCTION_MEAN:
        gradient = gradient / total_weight
    if weight is not None:
        gradient = gradient * weight.reshape(along_classes)
    target = target.reshape(shape)
    classes = torch.arange(x.shape[dim], device=x.device).reshape(along_classes)
    is_target = (classes == target) & (target != ignore_index)
    return torch.where(is_target, -gradient, 0.0)


def _convolution(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *options: Any
) -> torch.Tensor:
    """Return a convolution whose bias is added element by element.

    Libraries on CUDA add it in a kernel of its own, which would be one more pass through memory.
    """
    if bias is None or x.device.type != "cuda":
        return NotImplemented
    result = torch.ops.aten.convolution.default(x, weight, None, *options)
    return result + bias.reshape([-1 if i == 1 else 1 for i in range(result.dim())])


def _convolution_backward(
    gradient: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias_sizes: Any,
    *options: Any,
) -> Any:
    """Return the gradients of a convolution, that of the bias as a sum."""
    *geometry, wanted = options
    if not wanted[2] or x.device.type != "cuda":
        return NotImplemented
    call = torch.ops.aten.convolution_backward.default
    made = call(gradient, x, weight, bias_sizes, *geometry, [*wanted[:2], False])
    return made[0], made[1], gradient.sum([0, *range(2, gradient.dim())])


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return the table for AOTAutograd."""
    from torch._decomp import core_aten_decompositions, get_decompositions

    table = dict(core_aten_decompositions())
    for name in _KEPT:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            table.pop(getattr(packet, overload), None)
    further: list[Any] = []
    for name in _FURTHER:
        packet_name, _, overload = name.partition(".")
        packet = getattr(torch.ops.aten, packet_name)
        further.append(getattr(packet, overload) if overload else packet)
    table.update(get_decompositions(further))
    table[torch.ops.aten.nll_loss_backward.default] = _nll_loss_gradient
    table[torch.ops.aten.nll_loss2d_backward.default] = _nll_loss_gradient
    table[torch.ops.aten.convolution.default] = _convolution
    table[torch.ops.aten.convolution_backward.default] = _convolution_backward
    return table


class StatesOfLSTM(TorchFunctionMode):  # type: ignore[misc]
    """Gives the states that ``lstm`` returns the shapes of those it was given.

    In the decomposition of torch 2.11 they have a dimension too much.
    """

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of torch."""
        returned = function(*args, **(kwargs or {}))
        if function is not torch.lstm or isinstance(args[1], torch.Tensor):  # packed sequences
            return returned
        out, *states = returned
        for i, given in enumerate(args[1]):
            if states[i].dim() != given.dim():
                states[i] = states[i].reshape(given.shape)
        return (out, *states)
