"""The inline math library: finds what a module of LLVM IR needs from the .ll files beside this.

A definition of the library is one of ``define ... @nvf.name(...) ... {`` to ``}``, a constant
``@nvf.name = ...``, or a ``declare`` of an intrinsic or of a libm function. Only the text of what
is referenced, directly or through other definitions, is appended: parsing the whole library would
cost more than compiling a kernel.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from nvfuser import object_cache
from nvfuser.llvm import outlining

_DIRECTORY = Path(__file__).parent

# Patterns, compiled where they are first used: an object from disk needs none of them.
# What stands before the functions of a file.
_HEAD = (
    r"(?m)^@(?P<constant>[\w.]+) = [^\n]*"
    r"|^declare [^\n@]*@(?P<declaration>[\w.]+)\([^\n]*"
)
_REFERENCE = r"@([\w.$-]+)"
_DEFINED = r"(?m)^(?:define|declare)\b[^\n@]*@([\w.$-]+)|^@([\w.$-]+) ="
_LIBRARY_DECLARATION = r"(?m)^declare [^\n]*@nvf\.[^\n]*\n?"

# Of the compiler and the target together, not one of LLVM's: ldexp of vectors is an instruction.
VECTOR_LDEXP = "vector-ldexp"

# Function -> the one that replaces it where the target has any of the features named.
_NATIVE = {
    "nvf.to_half.f32": ("nvf.to_half_native.f32", ("f16c", "fp-armv8")),
    "nvf.from_half.f32": ("nvf.from_half_native.f32", ("f16c", "fp-armv8")),
    "nvf.scale.f32": ("nvf.scale_native.f32", (VECTOR_LDEXP,)),
    "nvf.scale.f64": ("nvf.scale_native.f64", (VECTOR_LDEXP,)),
}


def _files() -> list[Path]:
    return sorted(_DIRECTORY.glob("*.ll"))


@functools.cache
def version() -> str:
    """Return a digest of the library's text: part of the key of every cached object."""
    return object_cache.digest_of(_files())


@functools.cache
def definitions() -> dict[str, str]:
    """Return the text of every function, constant and declaration of the library by its symbol."""
    result: dict[str, str] = {}
    for path in _files():
        for name, text in _definitions(path.read_text(encoding="utf-8")):
            if name in result and not text.startswith("declare"):
                raise RuntimeError(f"{path.name}: @{name} is defined twice in the library")
            result[name] = text
    return result


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """The symbols of one file and their texts. A regular expression would take milliseconds."""
    start = text.find("\ndefine ")
    for match in re.finditer(_HEAD, text[: start + 1 or None]):
        yield match["constant"] or match["declaration"], match[0]
    while start >= 0:
        end = text.index("\n}", start + 1) + len("\n}")
        function = text[start + 1 : end]
        yield function[function.index("@") + 1 : function.index("(")], function
        start = text.find("\ndefine ", end)


def symbols() -> list[str]:
    """Return the functions that IR may call, such as ``nvf.exp.f32``, sorted."""
    return sorted(name for name, text in definitions().items() if text.startswith("define "))


def missing(ir: str) -> list[str]:
    """Return the ``@nvf.`` symbols of `ir` that neither it nor the library defines, sorted."""
    known = definitions()
    defined = _defined(re.sub(_LIBRARY_DECLARATION, "", ir))
    referenced = {name for name in re.findall(_REFERENCE, ir) if name.startswith("nvf.")}
    return sorted(name for name in referenced if name not in known and name not in defined)


def _defined(ir: str) -> set[str]:
    return {first or second for first, second in re.findall(_DEFINED, ir)}


def link(ir: str, features: Collection[str] = (), vectorize: bool = True) -> str:
    """Append to a module the definitions of the library that it needs.

    A module of a great many calls gets functions to call, see `nvfuser.llvm.outlining`.

    Parameters
    ----------
    ir : str
        A module in textual LLVM IR. Declarations of ``@nvf.`` functions are allowed, not needed.
    features : collection of str
        The target's features, which choose between variants of a function.
    vectorize : bool
        Whether loops will be vectorized.

    Returns
    -------
    str
        The module with every ``@nvf.`` function of the library defined.
    """
    if "@nvf." not in ir:
        return ir
    known = definitions()
    ir = re.sub(_LIBRARY_DECLARATION, "", ir)
    lanes = outlining.vector_lanes(features) if vectorize else ()
    ir = outlining.call_out_of_line(ir, known, lanes)
    done = _defined(ir)
    needed: list[str] = []
    pending = [ir]
    while pending:
        for name in re.findall(_REFERENCE, pending.pop()):
            if name in done or name not in known:
                continue
            done.add(name)
            text = known[name]
            native, wanted = _NATIVE.get(name, ("", ()))
            if native and any(feature in features for feature in wanted):
                text = known[native].replace(f"@{native}(", f"@{name}(")
            needed.append(text)
            pending.append(text)
    return "\n".join([ir, *needed]) + "\n"
