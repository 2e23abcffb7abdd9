"""Functions that call any operator of torch: what ``ops.torch_call`` becomes when it is run.

A call is written as text, so that definitions with calls can be compared, printed and saved. The
text is read once for each call of a plan; what is made of it is a Python function without a loop,
since it runs in each execution.
"""

from __future__ import annotations

import ast
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

from nvfuser.needs_torch import needs_torch

needs_torch("Calling operators of torch inside of a fusion")

import torch  # noqa: E402

__all__ = ["register_callable", "torch_call"]

_CALLABLE = "python:"
# Where torch has functions for operators.
_BINDINGS = (torch._C._VariableFunctions, torch._C._nn, torch._C._fft, torch._C._linalg)
_callables: dict[str, Callable[..., Any]] = {}
_numbers = itertools.count()
_lock = threading.Lock()


def register_callable(function: Callable[..., Any]) -> str:
    """Return the `target` under which ``ops.torch_call`` calls a Python function.

    Parameters
    ----------
    function : callable
        Takes what the call's arguments say and returns a tensor or a tuple of tensors, none of
        which shares memory with an argument. It is kept for ever.

    Returns
    -------
    str
        Means something to this process only: such definitions can be saved, but not run elsewhere.
    """
    with _lock:
        target = f"{_CALLABLE}{next(_numbers)}"
        _callables[target] = function
    return target


def torch_call(
    target: str, arguments: str, tensors: int, scalars: int, results: Sequence[bool]
) -> Callable[..., Any]:
    """Return a function of the tensors, then the scalars, that makes a call.

    Parameters
    ----------
    target, arguments
        As of ``ops.torch_call``.
    tensors, scalars : int
        How many there are.
    results : sequence of bool
        Which results the function returns: the tensor if it is one, else a tuple.

    Raises
    ------
    RuntimeError
        For a target that does not exist, or arguments that are not of the form that
        ``ops.torch_call`` describes.
    """
    names = [*(f"t{i}" for i in range(tensors)), *(f"s{i}" for i in range(scalars))]
    call = _parsed(target, arguments, set(names))
    operator = _operator(target)
    called = "operator"
    if isinstance(operator, torch._ops.OpOverload):
        if any(returned.alias_info is not None for returned in operator._schema.returns):
            called = "copied"
        elif operator._can_decompose():
            called = "own"
    body = f"{called}({call})"
    if called == "own":
        # Such an operator may return an argument, though its schema does not say so.
        body = f"own(({', '.join(names[:tensors])},), {call})"
    wanted = [i for i, is_wanted in enumerate(results) if is_wanted]
    if len(results) > 1 or _returns_list(operator):
        picked = ", ".join(f"made[{i}]" for i in wanted)
        picked = picked if len(wanted) == 1 else f"({picked})"
        body = f"(made := {body}) and {picked}"
    scope = {
        # Without tensors a default device would decide for a binding where its result lies.
        "operator": _fast_form(operator) if tensors else operator,
        "copied": lambda *args, **kwargs: _each(_copy, operator(*args, **kwargs)),
        "own": lambda given, *args, **kwargs: _each(
            lambda value: _copy(value) if _shares(value, given) else value,
            operator(*args, **kwargs),
        ),
        "torch": torch,
        "inf": float("inf"),
        "nan": float("nan"),
    }
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {body}", scope)
    return function


def _operator(target: str) -> Callable[..., Any]:
    if target.startswith(_CALLABLE):
        if target not in _callables:
            raise RuntimeError(
                f"{target} is no function of this process: definitions that call Python "
                "functions cannot be run in another one"
            )
        return _callables[target]
    found: Any = torch.ops
    for part in target.split("."):
        # Namespaces make an entry for whatever they are asked for.
        found = getattr(found, part, None) if part.isidentifier() else None
        if found is None:
            break
    if not isinstance(found, torch._ops.OpOverload):
        raise RuntimeError(
            "Expected an operator with its overload, like aten.sort.stable, but torch.ops "
            f"has no {target}"
        )
    if found._schema.is_mutable:
        raise RuntimeError(f"{target} writes to its arguments, which a fusion must not")
    return cast("Callable[..., Any]", found)


def _fast_form(operator: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator as torch's own binding, where that can mean no other overload.

    Its arguments are converted by generated code: a convolution takes 8 us less.
    """
    if not isinstance(operator, torch._ops.OpOverload) or operator.namespace != "aten":
        return operator
    packet = operator.overloadpacket
    name = packet.__name__
    binding: Any = next((getattr(m, name) for m in _BINDINGS if hasattr(m, name)), None)
    if binding is None or set(packet.overloads()) - {"out"} != {"default"}:
        return cast("Callable[..., Any]", operator)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return binding(*args, **kwargs)
        except TypeError:
            # The operator takes it, or says what it expects.
            return operator(*args, **kwargs)

    return call


def _returns_list(operator: Callable[..., Any]) -> bool:
    """Whether an operator returns a list of tensors, be it of one."""
    if not isinstance(operator, torch._ops.OpOverload):
        return False
    returned = operator._schema.returns
    return len(returned) == 1 and isinstance(returned[0].type, torch.ListType)


def _parsed(target: str, arguments: str, names: set[str]) -> str:
    """Return the arguments as they stand between the parentheses of a call, after a check."""
    error = RuntimeError(
        f"Expected arguments like (t0, [s0, 1], dim=1), with {len(names)} "
        f"names of operands, but got {arguments}"
    )
    try:
        expression = ast.parse(f"f{arguments}", mode="eval").body
    except (SyntaxError, ValueError) as cause:
        raise error from cause
    if not (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Name)
        and expression.func.id == "f"
        and all(keyword.arg is not None for keyword in expression.keywords)
    ):
        raise error
    values = [*expression.args, *(keyword.value for keyword in expression.keywords)]
    if not all(_is_argument(value, names) for value in values):
        raise error
    return ast.unparse(expression)[2:-1]


def _is_argument(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id in names or node.id in ("inf", "nan")
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_is_argument(item, names) for item in node.elts)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and _is_argument(node.operand, names)
    if isinstance(node, ast.BinOp):
        # A complex number.
        return isinstance(node.op, (ast.Add, ast.Sub)) and all(
            isinstance(side, (ast.Constant, ast.UnaryOp)) and _is_argument(side, names)
            for side in (node.left, node.right)
        )
    if isinstance(node, ast.Attribute):
        kinds = (torch.dtype, torch.layout, torch.memory_format)
        return _is_torch(node.value) and isinstance(getattr(torch, node.attr, None), kinds)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and _is_torch(node.func.value)
        and node.func.attr == "device"
        and not node.keywords
        and all(isinstance(value, ast.Constant) for value in node.args)
    )


def _is_torch(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "torch"


def _each(function: Callable[[Any], Any], made: Any) -> Any:
    if isinstance(made, torch.Tensor):
        return function(made)
    return tuple(function(value) if isinstance(value, torch.Tensor) else value for value in made)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of its own memory, without the marks that make torch conjugate it later."""
    return tensor.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)


def _shares(tensor: torch.Tensor, given: Sequence[torch.Tensor]) -> bool:
    storage = tensor.untyped_storage()._cdata
    return any(value.untyped_storage()._cdata == storage for value in given)
