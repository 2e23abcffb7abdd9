"""The CUDA device library: finds what a kernel calls in the .cuh files of ``library/``.

A file is a header comment and definitions, separated by blank lines; none holds a blank line
itself. Only the definitions that a kernel refers to, directly or through others, are put in front
of it: NVRTC would spend more time on the whole library than on most kernels.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from nvfuser import object_cache

_DIRECTORY = Path(__file__).parent / "library"

# Files of functions that are large once the compiler has inlined what they call, and how many calls
# of these a kernel may hold. One with more calls them out of line: NVRTC's time grows faster than
# a kernel, and what is larger than the instruction cache is fetched again by every warp.
_LARGE = frozenset(["math_double", "math_float", "random"])
_MOST_INLINED = 60

_COMMENT = re.compile(r"//[^\n]*")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_REFERENCE = re.compile(r"\bnvf::(\w+)")
# What a definition is called: a type, or the function whose parameters follow.
_DEFINED = re.compile(
    r"^struct (?:alignas\(\d+\) )?(\w+)|^(?!template|struct)\w[^\n(=;{]*?(\w+)\(",
    re.MULTILINE,
)


@dataclass(frozen=True)
class _Definition:
    """A piece of the library: its text and every identifier in it."""

    text: str
    identifiers: tuple[str, ...]
    is_large: bool

    @property
    def out_of_line(self) -> str:
        """The text as a function that is called rather than inlined."""
        return self.text.replace("__device__ inline ", "__device__ __attribute__((noinline)) ", 1)


def _files() -> list[Path]:
    return sorted(_DIRECTORY.glob("*.cuh"))


@functools.cache
def version() -> str:
    """Return a digest of the library's text: part of the key of every cached object."""
    return object_cache.digest_of(_files())


@functools.cache
def _definitions() -> dict[str, _Definition]:
    result: dict[str, _Definition] = {}
    for path in _files():
        _header, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
        for text in blocks:
            code = _COMMENT.sub("", text)
            names = {first or second for first, second in _DEFINED.findall(code)}
            if len(names) != 1 or names & result.keys():
                raise RuntimeError(f"{path.name}: not one new definition: {text[:200]}")
            identifiers = tuple(dict.fromkeys(_IDENTIFIER.findall(code)))
            result[names.pop()] = _Definition(text, identifiers, path.stem in _LARGE)
    return result


def names() -> list[str]:
    """Return what a kernel may refer to as ``nvf::name``, sorted."""
    return sorted(_definitions())


def source(kernel: str) -> str:
    """Put the definitions that a kernel needs in front of it.

    Parameters
    ----------
    kernel : str
        CUDA C++ that refers to the library as ``nvf::name``.

    Returns
    -------
    str
        A translation unit.

    Raises
    ------
    RuntimeError
        If the kernel refers to something that the library does not have.
    """
    known = _definitions()
    ordered: dict[str, str] = {}

    def add(name: str) -> None:
        if name in known and name not in ordered:
            ordered[name] = ""  # taken: a definition may mention itself
            for identifier in known[name].identifiers:
                add(identifier)
            # What it refers to stands before it.
            del ordered[name]
            ordered[name] = known[name].text

    calls = _REFERENCE.findall(kernel)
    for name in dict.fromkeys(calls):
        if name not in known:
            raise RuntimeError(f"the CUDA device library has no definition of nvf::{name}")
        add(name)
    if not ordered:
        return kernel
    if sum(known[name].is_large for name in calls) > _MOST_INLINED:
        ordered.update(
            (name, known[name].out_of_line) for name in set(calls) if known[name].is_large
        )
    library = "\n\n".join(ordered.values())
    return f"namespace nvf {{\n\n{library}\n\n}}  // namespace nvf\n\n{kernel}"
