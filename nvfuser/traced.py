"""What Dynamo sees of the native callables.

Dynamo looks into functions of Python only. So the native types of ``FusionDefinition.execute`` and
of bound plans inherit from the classes here, whose special methods Dynamo finds and traces. Python
itself does not come by here: it calls objects of these types by their vector calls.

Nothing is imported before Dynamo needs it.
"""

from __future__ import annotations

import sys
from types import MethodType
from typing import Any

__all__ = ["Callable", "Method"]


def _is_traced() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_dynamo_compiling()


# The definition, the kinds of the inputs, the positions of those that are updated, the device.
Description = tuple[str, tuple[str, ...], tuple[int, ...], "str | None"]


def _describe(self: Any) -> Description:
    """Return all that a recorded call depends on; to Dynamo a constant."""
    from nvfuser.torch_operator import description_of

    return description_of(self._prepare() if self._executor is None else self._executor)


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
