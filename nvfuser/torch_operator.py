"""The operator ``torch.ops.nvfuser.execute``: what a call of a fusion is to whoever records it.

A call goes to kernels directly, past torch's dispatcher. While torch records what is called, to
replay it later (``torch.compile``, ``torch.export``, ``make_fx``, ``torch.jit.trace``), that would
make constants of the outputs. Then, and then only, a call is one of this operator instead. It holds
the whole definition, as :mod:`nvfuser.serialization` writes it, so that recorded programs can be
copied, saved and loaded in other processes.

The operator is a function: outputs are contiguous tensors of their own. What a fusion updates in
place is updated by a copy behind it, which is recorded as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from nvfuser import _C, reference, serialization

__all__ = ["OPERATOR", "record"]

# Lists of numbers of one type each are what all ways of recording know. A bool is an integer, a
# complex number two floats.
_SCHEMA = (
    "execute(Tensor[] tensors, SymInt[] integers, float[] floats, str definition, "
    "Device? device=None) -> Tensor[]"
)
# Results of these may be views of their operand.
_VIEWS = {"permute", "reshape", "slice", "expand", "broadcast", "squeeze", "unsqueeze"} | {
    "transpose", "broadcast_in_dim", "stride_order", "set", "add_output", "pad", "cat",
}  # fmt: skip


def _kind_of(value: _C.Val) -> str:
    """Return which list of the operator an input is in, and as what."""
    dtype = value.dtype()
    if isinstance(value, _C.TensorView):
        return "tensor"
    if dtype == _C.DataType.Bool:
        return "bool"
    if dtype in (_C.DataType.ComplexFloat, _C.DataType.ComplexDouble):
        return "complex"
    integers = (_C.DataType.Int, _C.DataType.Int32, _C.DataType.UInt64, _C.DataType.Index)
    return "int" if dtype in integers else "float"


class _Recorded:
    """A fusion that was recorded, or read from a recorded program."""

    def __init__(self, executor: _C.FusionExecutorCache) -> None:
        self.executor = executor
        fusion: _C.Fusion = executor.fusion()
        self.fusion = fusion
        inputs = fusion.inputs()
        self.kinds = tuple(_kind_of(value) for value in inputs)
        self.has_numbers = any(kind != "tensor" for kind in self.kinds)
        positions = {value: i for i, value in enumerate(inputs)}
        # The positions of inputs that are updated, in the order of their updates.
        self.updated: list[int] = []
        views = set(inputs)
        for function, results, args, kwargs in _C.definition_calls(fusion):
            if function == "add_output" and len(args) + len(kwargs) > 1:
                alias = args[1] if len(args) > 1 else kwargs["alias_input"]
                if positions[alias] not in self.updated:
                    self.updated.append(positions[alias])
            if function.removeprefix("ops.") in _VIEWS and not views.isdisjoint(args):
                views.update(result for result in results if result is not None)
        self.may_alias = not views.isdisjoint(_C.returned_outputs(fusion))

    def arrange(self, tensors: Sequence[Any], integers: Any, floats: Any) -> list[Any]:
        """Return the inputs in order."""
        if not self.has_numbers:
            return list(tensors)
        lists = {"tensor": iter(tensors), "int": iter(integers), "float": iter(floats)}
        inputs: list[Any] = []
        for kind in self.kinds:
            if kind == "bool":
                inputs.append(bool(next(lists["int"])))
            elif kind == "complex":
                inputs.append(complex(next(lists["float"]), next(lists["float"])))
            else:
                inputs.append(next(lists[kind]))
        return inputs


# By their definitions. A recorded program needs what it names for as long as it may run.
_recorded: dict[str, _Recorded] = {}


def _find(definition: str) -> _Recorded:
    known = _recorded.get(definition)
    if known is None:
        from nvfuser.definition import FusionDefinition

        fd = FusionDefinition.deserialize(definition.encode("ascii"))
        known = _recorded.setdefault(definition, _Recorded(fd._prepare()))
    return known


def _definition_of(executor: _C.FusionExecutorCache) -> str:
    definition = serialization.dumps(executor.fusion()).decode("ascii")
    _recorded.setdefault(definition, _Recorded(executor))
    return definition


# ---------------------------------------------------------------- the operator


def _execute(
    tensors: list[torch.Tensor],
    integers: list[int],
    floats: list[float],
    definition: str,
    device: torch.device | None = None,
) -> list[torch.Tensor]:
    recorded = _recorded.get(definition) or _find(definition)
    inputs = recorded.arrange(tensors, integers, floats)
    if not (recorded.updated or recorded.may_alias):
        outputs = recorded.executor.execute(inputs, device=device)
        return [output.contiguous() for output in outputs]
    for i in recorded.updated:
        inputs[i] = inputs[i].clone()
    outputs = recorded.executor.execute(inputs, device=device)
    memory = {tensor.untyped_storage().data_ptr() for tensor in tensors}
    memory |= {inputs[i].untyped_storage().data_ptr() for i in recorded.updated}
    own = [
        output.clone(memory_format=torch.contiguous_format)
        if output.untyped_storage().data_ptr() in memory
        else output.contiguous()
        for output in outputs
    ]
    return [*own, *(inputs[i].contiguous() for i in recorded.updated)]


def _infer(
    tensors: list[torch.Tensor],
    integers: list[int],
    floats: list[float],
    definition: str,
    device: torch.device | None = None,
) -> list[torch.Tensor]:
    """Return tensors without values, of the shapes of the outputs, which may be symbolic."""
    recorded = _find(definition)
    inputs = recorded.arrange(tensors, integers, floats)
    for i, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
            raise RuntimeError(
                f"Input {i}, {recorded.fusion.inputs()[i]}, is to be differentiated: it requires "
                "grad while grad mode is on. Fusions are not differentiated, so that gradients "
                "would be wrong without a word. Run the fusion under torch.no_grad(), or pass "
                "x.detach()"
            )
    shapes = _Shapes(inputs, device)
    outputs = shapes.run(recorded.fusion)
    updated = [inputs[i] for i in recorded.updated]
    return [shapes.empty(value, value.shape, value.dtype) for value in [*outputs, *updated]]


class _Shapes(reference._Evaluation):
    """Evaluates a fusion for the shapes alone, where torch can repeat it or not."""

    def __init__(self, inputs: list[Any], device: torch.device | None) -> None:
        super().__init__(inputs)
        if device is not None:
            self._device = torch.device(device)

    def empty(self, like: Any, shape: Any, dtype: torch.dtype) -> torch.Tensor:
        where = like.device if isinstance(like, torch.Tensor) else self._device
        return torch.empty(tuple(shape), dtype=dtype, device=where)

    def _operation(self, name: str, results: list[Any], args: list[Any], kwargs: Any) -> Any:
        if name in ("uniform", "normal"):
            shape = kwargs["shape"] if "shape" in kwargs else args[2]
            return self.empty(None, shape, reference._torch_dtype(results[0].dtype()))
        return super()._operation(name, results, args, kwargs)


_library = torch.library.Library("nvfuser", "DEF")
_library.define(_SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
_library.impl("execute", _execute, "CompositeExplicitAutograd")
torch.library.register_fake("nvfuser::execute", _infer, lib=_library)

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
    if any(type(value).__module__ == "numpy" for value in flat):
        # Nothing of torch's: there is nothing to record.
        returned: list[torch.Tensor] = executor.execute(flat, device=device, outputs=outputs)
        return returned
    for i, value in enumerate(flat):
        if isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(
            value
        ):
            raise RuntimeError(
                f"Input {i} is a {type(value).__qualname__} inside a transform of torch.func "
                "(vmap, grad...), which cannot see into a fusion"
            )
    definition = _definition_of(executor)
    recorded = _recorded[definition]
    return _call(definition, recorded.kinds, recorded.updated, flat, device, outputs)


def _call(
    definition: str,
    kinds: Sequence[str],
    updated: Sequence[int],
    inputs: Sequence[Any],
    device: Any,
    outputs: Sequence[Any] | None,
) -> list[torch.Tensor]:
    """Call the operator, and write what is to be written: Dynamo traces this."""
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


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _constants_of(fd: Any) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """Return all that a recorded call depends on: Dynamo does not look inside."""
    definition = _definition_of(fd._prepare() if fd._executor is None else fd._executor)
    recorded = _recorded[definition]
    return definition, recorded.kinds, tuple(recorded.updated)


def _teach_dynamo() -> None:
    """Have Dynamo trace calls of fusions as calls of the operator."""
    from nvfuser.definition import FusionDefinition

    def execute(
        self: FusionDefinition,
        inputs: Iterable[Any],
        *,
        device: Any = None,
        outputs: Sequence[Any] | None = None,
        save_repro_inputs: bool = False,
        _enable_options: Sequence[str] = (),
        _disable_options: Sequence[str] = (),
    ) -> list[torch.Tensor]:
        if _enable_options or _disable_options:
            raise NotImplementedError("options cannot be recorded")
        flat: list[Any] = []
        for value in inputs:
            if isinstance(value, (list, tuple)):
                flat.extend(value)
            else:
                flat.append(value)
        definition, kinds, updated = _constants_of(self)
        return _call(definition, kinds, updated, flat, device, outputs)

    torch._dynamo.decorators.substitute_in_graph(
        FusionDefinition.execute, skip_signature_check=True
    )(execute)


if "torch._dynamo" in sys.modules:
    _teach_dynamo()
