"""The operator ``torch.ops.nvfuser.execute``: what a call of a fusion is to whoever records it.

A call goes to kernels directly, past torch's dispatcher. While torch records what is called, to
replay it later (``torch.compile``, ``torch.export``, ``make_fx``, ``torch.jit.trace``), that would
make constants of the outputs. Then, and then only, a call is one of this operator instead. It holds
the whole definition, as :mod:`nvfuser.serialization` writes it, so that recorded programs can be
copied, saved and loaded in other processes.

The operator is a function: outputs are tensors of their own, which lie in memory as
:mod:`nvfuser.output_geometry` says. What a fusion updates in place is updated by a copy behind it,
which is recorded as well. Its kernel is native (``bindings/recording/torch_operator.cpp``) where
torch offers what that takes, and what holds the compiled fusions is there.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import torch
from torch.utils._python_dispatch import (
    _disable_current_modes,
    _get_current_dispatch_mode_stack,
)

from nvfuser import _C, serialization
from nvfuser.interop import device_without_arrays
from nvfuser.output_geometry import OutputGeometry
from nvfuser.traced import Description, _describe

__all__ = ["OPERATOR", "description_of", "record", "trace_execute"]

# Lists of numbers of one type each are what all ways of recording know. A bool is an integer, a
# complex number two floats.
_SCHEMA = (
    "execute(Tensor[] tensors, SymInt[] integers, float[] floats, str definition, "
    "Device? device=None) -> Tensor[]"
)


def load(definition: str) -> _C.FusionExecutorCache:
    """Return what runs a fusion that this process does not know, or no longer."""
    from nvfuser.definition import FusionDefinition

    return FusionDefinition.deserialize(definition.encode("ascii"))._prepare()


# ---------------------------------------------------------------- the kernels


def geometry_of(executor: _C.FusionExecutorCache, inputs: list[Any]) -> list[Any]:
    """Return sizes, strides and dtype of the outputs that the operator returns."""
    return OutputGeometry(executor.fusion())(inputs)


def run_by_copies(
    executor: _C.FusionExecutorCache, inputs: list[Any], updated: list[int], device: Any
) -> list[torch.Tensor]:
    """Run a fusion that updates inputs, or on a device: on copies of these, which are returned."""
    own = list(inputs)
    for i in updated:
        own[i] = inputs[i].clone()
    outputs: list[Any] = cast("list[Any]", _C.execute_directly(executor, own, device))
    copies = copies_of(outputs, geometry_of(executor, inputs), own)
    return [*copies, *(own[i] for i in updated)]


def copies_of(
    outputs: list[torch.Tensor], geometry: list[Any], inputs: list[Any]
) -> list[torch.Tensor]:
    """Return the outputs in memory of their own, those that are there already as they are."""
    taken = {v.untyped_storage().data_ptr() for v in inputs if isinstance(v, torch.Tensor)}
    copies = []
    for output, (sizes, strides, dtype) in zip(outputs, geometry, strict=True):
        address = output.untyped_storage().data_ptr()
        if address in taken or list(output.stride()) != strides:
            own = torch.empty_strided(sizes, strides, dtype=dtype, device=output.device)
            output = own.copy_(output)
        taken.add(output.untyped_storage().data_ptr())
        copies.append(output)
    return copies


def _infer(
    tensors: list[torch.Tensor],
    integers: list[int],
    floats: list[float],
    definition: str,
    device: torch.device | None = None,
) -> list[torch.Tensor]:
    """Return tensors without values, of the shapes of the outputs, which may be symbolic."""
    executor = cast("_C.FusionExecutorCache", _C.recorded_executor(definition))
    inputs = _arranged(_C.input_kinds(executor), tensors, integers, floats)
    for i, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
            raise RuntimeError(
                f"Input {i}, {executor.fusion().inputs()[i]}, is to be differentiated: it requires "
                "grad while grad mode is on. Fusions are not differentiated, so that gradients "
                "would be wrong without a word. Run the fusion under torch.no_grad(), or pass "
                "x.detach()"
            )
    if device is None:
        devices = [value.device for value in tensors]
        device = next((d for d in devices if d.type != "cpu"), torch.device("cpu"))
    return [
        *(
            torch.empty_strided(sizes, strides, dtype=dtype, device=device)
            for sizes, strides, dtype in geometry_of(executor, inputs)
        ),
        *(torch.empty_like(inputs[i]) for i in _C.written_inputs(executor)),
    ]


def _arranged(
    kinds: list[str], tensors: Sequence[Any], integers: Iterable[Any], floats: Iterable[Any]
) -> list[Any]:
    """Return the inputs in order."""
    lists = {"tensor": iter(tensors), "int": iter(integers), "float": iter(floats)}
    inputs: list[Any] = []
    for kind in kinds:
        if kind == "bool":
            inputs.append(bool(next(lists["int"])))
        elif kind == "complex":
            inputs.append(complex(next(lists["float"]), next(lists["float"])))
        else:
            inputs.append(next(lists[kind]))
    return inputs


_library = torch.library.Library("nvfuser", "DEF")
_library.define(_SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
if not _C.implement_operator():
    _library.impl(
        "execute",
        lambda tensors, integers, floats, definition, device=None: _C.run_recorded(
            definition, tensors, integers, floats, device
        ),
        "CompositeExplicitAutograd",
    )
torch.library.register_fake("nvfuser::execute", _infer, lib=_library)
atexit.register(_C.forget_recorded)

OPERATOR: Callable[..., list[torch.Tensor]] = torch.ops.nvfuser.execute.default


# ---------------------------------------------------------------- calls that are recorded


def record(
    executor: _C.FusionExecutorCache,
    inputs: Iterable[Any],
    device: Any = None,
    outputs: Sequence[Any] | None = None,
    has_options: bool = False,
) -> list[torch.Tensor]:
    """Execute a fusion by the operator: what `execute` does while torch records.

    Parameters
    ----------
    executor : FusionExecutorCache
        Of the fusion.
    inputs, device, outputs
        As of :meth:`nvfuser.FusionDefinition.execute`.
    has_options : bool
        Whether options were given, which cannot be recorded.
    """
    if has_options:
        raise NotImplementedError(
            "_enable_options and _disable_options cannot be recorded by torch.compile, "
            "torch.export, make_fx and torch.jit.trace: set NVFUSER_ENABLE and NVFUSER_DISABLE"
        )
    flat: list[Any] = []
    for value in inputs:
        flat.extend(value if isinstance(value, (list, tuple)) else [value])
    is_numpy = any(type(value).__module__ == "numpy" for value in flat)
    if not is_numpy and _is_only_watched():
        with _disable_current_modes():
            return cast("list[Any]", _C.execute_directly(executor, flat, device, outputs))
    if is_numpy:
        # Nothing of torch's: there is nothing to record.
        return cast("list[Any]", _C.execute_directly(executor, flat, device, outputs))
    for i, value in enumerate(flat):
        if isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(
            value
        ):
            raise RuntimeError(
                f"Input {i} is a {type(value).__qualname__} inside a transform of torch.func "
                "(vmap, grad...), which cannot see into a fusion"
            )
    return _call(description_of(executor), flat, device, outputs)


def _is_only_watched() -> bool:
    """Whether the modes that are active keep nothing of what is called.

    AOTAutograd watches the first call of what it has compiled, for operators that are no functions.
    """
    modes = _get_current_dispatch_mode_stack()
    return bool(modes) and all(
        type(mode).__name__ == "_AnalyzeCustomOpInputOutputMode" for mode in modes
    )


def description_of(executor: _C.FusionExecutorCache) -> Description:
    """Return all that a recorded call depends on: and where it runs unless the call says so."""
    definition = serialization.dumps(executor.fusion()).decode("ascii")
    _C.keep_recorded(definition, executor)
    kinds = tuple(_C.input_kinds(executor))
    device = None if "tensor" in kinds else device_without_arrays(None)
    return definition, kinds, tuple(_C.written_inputs(executor)), device


def _call(
    description: Description,
    inputs: Sequence[Any],
    device: Any,
    outputs: Sequence[Any] | None,
) -> list[torch.Tensor]:
    """Call the operator, and write what is to be written: Dynamo traces this."""
    definition, kinds, updated, default_device = description
    if device is None:
        device = default_device
    if len(inputs) != len(kinds):
        raise RuntimeError(f"Expected {len(kinds)} inputs, but got {len(inputs)}")
    tensors: list[Any] = []
    integers: list[int] = []
    floats: list[float] = []
    for i, kind in enumerate(kinds):
        value = inputs[i]
        if isinstance(value, torch.Tensor) != (kind == "tensor"):
            raise RuntimeError(
                f"Expected input {i} to be a {kind}, but got a {type(value).__name__}"
            )
        if kind == "tensor":
            tensors.append(value)
        elif kind == "int" or kind == "bool":
            integers.append(value)
        elif kind == "complex":
            floats.extend((value.real, value.imag))
        else:
            floats.append(value)
    results = OPERATOR(tensors, integers, floats, definition, device)
    count = len(results) - len(updated)
    for i, value in zip(updated, results[count:], strict=True):
        inputs[i].copy_(value)
    returned = list(results[:count])
    if outputs is not None:
        for i, given in enumerate(outputs):
            if given is not None:
                given.copy_(returned[i])
                returned[i] = given
    return returned


# ---------------------------------------------------------------- torch.compile


# A method: as an argument, definitions and plans are no constants to Dynamo before torch 2.13.
torch.compiler.assume_constant_result(_describe)


def trace_execute(
    callee: Any,
    inputs: Iterable[Any],
    *,
    device: Any = None,
    outputs: Sequence[Any] | None = None,
    save_repro_inputs: bool = False,
    _enable_options: Sequence[str] = (),
    _disable_options: Sequence[str] = (),
) -> list[torch.Tensor]:
    """Be what Dynamo traces where ``FusionDefinition.execute`` or a bound plan is called."""
    if _enable_options or _disable_options:
        raise NotImplementedError("options cannot be recorded")
    flat: list[Any] = []
    for value in inputs:
        if isinstance(value, (list, tuple)):
            flat.extend(value)
        else:
            flat.append(value)
    description = callee._describe()
    # Dynamo has what it reads here compared at each call: another fusion is traced anew.
    assert callee._identity != ""
    return _call(description, flat, device, outputs)
