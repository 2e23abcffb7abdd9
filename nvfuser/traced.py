"""What Dynamo sees of the native callables.

Dynamo looks into functions of Python only. So the native types of ``FusionDefinition.execute`` and
of bound plans inherit from the classes here, whose special methods Dynamo finds and traces. Python
itself does not come by here: it calls objects of these types by their vector calls.

Nothing is imported before Dynamo needs it.
"""

from __future__ import annotations

import sys
from types import FunctionType, MethodType
from typing import Any

__all__ = ["Callable", "Compiled", "Method"]


def _is_traced() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_dynamo_compiling()


# The definition, the kinds of the inputs, the positions of those that are updated, the device.
Description = tuple[str, tuple[str, ...], tuple[int, ...], "str | None"]


def _describe(self: Any) -> Description:
    """Return all that a recorded call depends on; to Dynamo a constant."""
    from nvfuser.torch_operator import description_of

    return description_of(self._prepare() if self._executor is None else self._executor)


def _compile(function: Any, options: dict[str, Any]) -> Any:
    import nvfuser

    return nvfuser.jit(function, **options)


def _recompiled(compiled: Any) -> tuple[Any, tuple[Any, dict[str, Any]]]:
    """Return what makes another one of a compiled function, and what that is called with."""
    return _compile, (compiled.__wrapped__, compiled._options)


class Method:
    """A function of a class, that calls pass `self` to without binding it first."""

    __slots__ = ()
    __name__ = "execute"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if _is_traced():
            from nvfuser.torch_operator import trace_execute

            return lambda *args, **kwargs: trace_execute(instance, *args, **kwargs)
        return MethodType(self, instance)

    def __call__(self, instance: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the function; what is callable must have this."""
        return self(instance, *args, **kwargs)


class Callable:
    """An object that is called with the inputs of a fusion."""

    __slots__ = ()

    _describe = _describe

    def __call__(self, *inputs: Any, outputs: Any = None) -> Any:
        """Run the fusion."""
        if _is_traced():
            from nvfuser.torch_operator import trace_execute

            return trace_execute(self, inputs, outputs=outputs)
        return self(*inputs, outputs=outputs)


class Compiled:
    """What :func:`nvfuser.jit` returns: Dynamo traces the function itself.

    It has the attributes of what it compiles, the methods of a module for example. A copy, and what
    is pickled, is compiled anew; functions are, as those of Python, copied as themselves, and
    pickled by name where that is the compiled one's.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "__wrapped__" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.__wrapped__, name)

    def __copy__(self) -> Any:
        function, arguments = _recompiled(self)
        return self if isinstance(self.__wrapped__, FunctionType) else function(*arguments)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if isinstance(self.__wrapped__, FunctionType):
            return self
        from copy import deepcopy

        function, arguments = _recompiled(self)
        return function(*deepcopy(arguments, memo))

    def __reduce__(self) -> Any:
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for name in getattr(self, "__qualname__", "").split("."):
            found = getattr(found, name, None)
        return self.__qualname__ if found is self else _recompiled(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        if _is_traced():
            return self.__wrapped__(*args, **kwargs)
        return self(*args, **kwargs)
