"""Registers the operator with torch when a program comes to use Dynamo, however late that is.

Programs that ``torch.export`` saved name the operator, so it must be known before one is loaded,
which imports ``torch._dynamo``. That takes a second, which programs without ``torch.compile`` and
``torch.export`` do not spend. So :mod:`nvfuser.torch_operator` is imported behind it, and not with
this package.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

__all__ = ["install"]

_NAME = "torch._dynamo"


def install() -> None:
    """Register the operator at once if Dynamo is there, else when it is imported."""
    if _NAME in sys.modules:
        _register()
    else:
        sys.meta_path.insert(0, _Finder())


def _register() -> None:
    importlib.import_module("nvfuser.torch_operator")


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for one import, and leaves the import itself to others."""

    def __init__(self) -> None:
        self._is_asking = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _NAME or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # From here on, the module is as it would be without this hook.
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        self._loader.exec_module(module)
        _register()
