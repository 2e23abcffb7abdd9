"""Passes None to every bound function, in each position and inside of each list: run as a program.

Prints the name of each function before it is called, so that the last line of output says what a
crash was in, and at the end how many functions there were and how many of them took the arguments
that None was put in place of.
"""

from __future__ import annotations

import ast
import enum
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import nvfuser
from nvfuser import _C, FusionDefinition

NOT_CALLED = {"BackgroundLoad"}  # starts a thread that loads a library


def define() -> dict[str, Any]:
    """Return a value of each kind, of the fusion that is being defined."""
    x = _C.define_tensor([4, 6], True)
    y = _C.ops.add(x, 1.0)
    return {
        "TensorView": y,
        "Val": _C.define_scalar(2),
        "Expr": y.definition(),
        "IterDomain": y.axis(0),
        "TensorDomain": y.domain(),
        "Statement": y,
    }


def good_value(annotation: str, values: dict[str, Any], fusion: _C.Fusion) -> Any:
    """Return something that is likely to be accepted where `annotation` stands."""
    text = annotation.replace("nvfuser._C.", "").replace("collections.abc.", "")
    if text.startswith(("Sequence[", "list[")) and not text.startswith("list[Val | int]"):
        inner = text[text.index("[") + 1 : text.rindex("]")]
        return [good_value(inner, values, fusion)]
    if text.startswith(("list[Val | int]", "tuple[")):
        return [4, 6]
    if text.startswith(("Set[", "set[")):
        return set()
    first = text.split(" | ")[0]
    if first in values:
        return values[first]
    if first == "Fusion":
        return fusion
    known: dict[str, Any] = {"int": 0, "bool": False, "float": 0.5, "str": "", "bytes": b""}
    if first in known:
        return known[first]
    cls = getattr(_C, first.split(".")[-1], None)
    if isinstance(cls, type) and issubclass(cls, enum.Enum):
        return next(iter(cls))
    return [] if first == "object" else None


def with_none(good: Any) -> Iterator[Any]:
    """Yield what None can be put into, in place of a good value."""
    yield from (None, [None], (None,), [None, good], [good, None], (good, None), {None}, [[None]])
    if isinstance(good, list):
        yield from ([*good, None], [None, *good])


def parameters_of(signature: str) -> list[tuple[str, str, bool]]:
    """Return name, annotation and whether it is passed by name, of each parameter."""
    source = re.sub(r"\\\d+", "...", signature.split("\n")[-1]) + ": pass"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args

    def describe(parameter: ast.arg) -> tuple[str, str]:
        annotation = parameter.annotation
        return parameter.arg, "" if annotation is None else ast.unparse(annotation)

    positional = [(*describe(p), False) for p in (*arguments.posonlyargs, *arguments.args)]
    return [*positional, *((*describe(p), True) for p in arguments.kwonlyargs)]


def attempt(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether the call succeeds."""
    try:
        function(*args, **kwargs)
    except (TypeError, RuntimeError, ValueError, LookupError, AttributeError, OverflowError):
        return False
    return True


def walk(function: Callable[..., Any], name: str, owner: type | None) -> bool:
    """Call every overload; whether one of them took the good arguments."""
    is_taken = False
    for signature, *_ in function.__nb_signature__:  # type: ignore[attr-defined]
        parameters = parameters_of(signature)
        is_constructor = name.endswith(".__init__")
        called = owner if is_constructor and owner is not None else function
        for changed in range(-1, len(parameters)):
            replacements: Iterator[Any] = iter([...])
            if changed >= 0:
                with FusionDefinition() as fd:
                    value = good_value(parameters[changed][1], define(), fd.fusion)
                replacements = with_none(value)
            for count, _ in enumerate(replacements):
                with FusionDefinition() as fd:
                    values = define()
                    args, kwargs = [], {}
                    for i, (parameter, annotation, by_name) in enumerate(parameters):
                        if i == 0 and owner is not None and not annotation:
                            annotation = owner.__name__
                        good = good_value(annotation, values, fd.fusion)
                        if i == changed:
                            good = list(with_none(good))[count : count + 1]
                            if not good:
                                break
                            (good,) = good
                        if by_name:
                            kwargs[parameter] = good
                        else:
                            args.append(good)
                    if is_constructor:
                        args = args[1:]
                    succeeds = attempt(called, args, kwargs)
                    is_taken |= changed < 0 and succeeds
    return is_taken


def bound_functions() -> Iterator[tuple[str, Any, type | None]]:
    for module in (_C, _C.ops, _C.schedule, _C.idm):
        for name, member in vars(module).items():
            if name in NOT_CALLED:
                continue
            if hasattr(member, "__nb_signature__"):
                yield f"{module.__name__}.{name}", member, None
            elif isinstance(member, type) and member.__module__.startswith("nvfuser._C"):
                for method, attribute in vars(member).items():
                    if hasattr(attribute, "__nb_signature__"):
                        yield f"{module.__name__}.{name}.{method}", attribute, member


def set_attributes() -> None:
    """Assign None to the properties of every class that can be made without arguments."""
    for name, cls in vars(_C).items():
        if isinstance(cls, type) and not issubclass(cls, enum.Enum) and name not in NOT_CALLED:
            try:
                instance = cls()
            except TypeError:
                continue
            for attribute, member in vars(cls).items():
                if isinstance(member, property):
                    print(f"{name}.{attribute}", flush=True)
                    attempt(setattr, [instance, attribute, None], {})
                    attempt(setattr, [instance, attribute, [None]], {})


def replace_each(argument: Any) -> Iterator[Any]:
    """Yield copies of a saved argument with one part of it replaced by null."""
    yield None
    if isinstance(argument, list):
        for i, part in enumerate(argument):
            for other in replace_each(part):
                yield [*argument[:i], other, *argument[i + 1 :]]


def load_saved() -> None:
    """Load saved definitions in which null stands for each argument in turn."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 6], True)
        w = fd.define_tensor([6, 6], True)
        y = fd.ops.cat([x, x, fd.ops.relu(x)], 1)
        z = fd.ops.where(fd.ops.gt(x, 0.0), fd.ops.matmul(x, w), fd.ops.linear(x, w, None))
        n = fd.ops.layer_norm(z, [6], None, None)
        fd.add_output(fd.ops.sum(y, [0, 1]))
        fd.add_output(fd.ops.pad(fd.ops.slice(n, [0, 1], [3, 5]), [1, 1]))
        fd.add_output(fd.ops.permute(x, [1, 0]))
    data = fd.serialize()
    calls = nvfuser.serialization.loads(data)
    for i, call in enumerate(calls):
        for kind, keys in (("args", range(len(call["args"]))), ("kwargs", list(call["kwargs"]))):
            for key in keys:
                for other in replace_each(call[kind][key]):
                    changed = json.loads(json.dumps(calls))
                    changed[i][kind][key] = other
                    print("saved", changed[i], flush=True)
                    with FusionDefinition() as loaded:
                        attempt(nvfuser.serialization.replay, [changed, loaded], {})


def main() -> None:
    total = taken = 0
    rejected = []
    for name, function, owner in bound_functions():
        print(name, flush=True)
        total += 1
        is_taken = walk(function, name, owner)
        taken += is_taken
        if not is_taken:
            rejected.append(name)
    set_attributes()
    load_saved()
    if "--verbose" in sys.argv:
        print("\n".join(rejected))
    print(f"{total} functions, {taken} take the arguments that None replaces")


if __name__ == "__main__":
    main()
