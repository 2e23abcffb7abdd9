"""Functions of the inline math library that a kernel calls instead of containing them.

A function is inlined into the loop that calls it: its constants are loaded once, and independent
chains of instructions overlap. For a few calls of long functions, and for hundreds of calls of any,
that is worth less than it costs: LLVM's time grows faster than the loop, and machine code that is
larger than the instruction cache is read again for every few elements. Such a kernel calls one copy
of each function, whose vector variants the loop vectorizer finds by the attribute
``vector-function-abi-variant``.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

# Instructions that are inlined into one module, before it calls its larger functions: some 60 calls
# of functions like tanh and erf.
INLINED_LINES = 2500
# Functions from this size on, like those of trigonometry, take so long that a call adds a tenth at
# most, and LLVM 50 ms for each place that they are inlined into.
LONG = 64
PLACES_OF_LONG = 2
# Smaller functions are inlined always: calling them would take as long as they do.
_SMALLEST = 16

_CALL = r"call (\w+) @(nvf\.[\w.]+)\(([^()\n]*)\)"
_NUMBER = r"(?m)^ *(%[\w.]+) = fptrunc double 0x"
_HEAD = r"define internal (\w+) @[\w.]+\(([^()\n]*)\)"
_METADATA = r"(?m)^!(\d+) = "
_ELEMENTS = frozenset(["float", "double", "i32", "i64"])


class _Function(NamedTuple):
    """What is called: a function that computes one element from one element of each operand."""

    name: str
    result: str
    operands: tuple[str, ...]

    @property
    def shared(self) -> str:
        return self.name.replace("nvf.", "nvf.shared.", 1)

    def variant(self, lanes: int) -> str:
        return f"{self.shared}.x{lanes}"


def vector_lanes(features: Collection[str]) -> tuple[int, ...]:
    """Return the numbers of elements that loops may be vectorized by on a CPU with `features`.

    A loop of two iterations is none any more when LLVM vectorizes: where two doubles are a vector,
    their functions are called for one at a time.
    """
    if "avx512f" in features:
        return (16, 8, 4)
    return (8, 4) if "avx" in features else (4,)


def _lines(text: str) -> int:
    return text.count("\n") - 1


def _function(name: str, text: str) -> _Function | None:
    """The signature of a definition; None where it stays inline."""
    head = re.match(_HEAD, text)
    if head is None or _lines(text) < _SMALLEST or "\n  br " in text:
        return None
    operands = tuple(operand.split()[0] for operand in head[2].split(", "))
    elements = {head[1], *operands}
    return _Function(name, head[1], operands) if elements <= _ELEMENTS else None


def call_out_of_line(ir: str, known: Mapping[str, str], lanes: Sequence[int]) -> str:
    """Let a module call what it would otherwise inline too much of.

    Parameters
    ----------
    ir : str
        A module that calls functions of the library.
    known : mapping of str to str
        The definitions of the library.
    lanes : sequence of int
        The numbers of elements for which there are to be variants.

    Returns
    -------
    str
        The module itself, where it inlines no more than `INLINED_LINES`, and long functions at no
        more than `PLACES_OF_LONG` each. Otherwise one that calls functions ``@nvf.shared.``, with
        their definitions, which in turn call those of the library.
    """
    calls: list[str] = [name for _, name, _ in re.findall(_CALL, ir) if name in known]
    lines = {name: _lines(known[name]) for name in calls}
    if sum(lines[name] for name in calls) > INLINED_LINES:
        chosen = set(calls)
    else:
        often = [n for n, count in collections.Counter(calls).items() if count > PLACES_OF_LONG]
        chosen = {name for name in often if lines[name] >= LONG}
    functions = {name: _function(name, known[name]) for name in chosen}
    if not any(functions.values()):
        return ir
    # A function of a constant is simplified when it is inlined, like a power.
    numbers = set(re.findall(_NUMBER, ir))
    called: dict[_Function, None] = {}

    def redirect(call: re.Match[str]) -> str:
        function = functions.get(call[2])
        operands = [operand.split()[-1] for operand in call[3].split(", ")]
        if function is None or any(not o.startswith("%") or o in numbers for o in operands):
            return call[0]
        called[function] = None
        return f"call {call[1]} @{function.shared}({call[3]})"

    ir = re.sub(_CALL, redirect, ir)
    first = 1 + max((int(number) for number in re.findall(_METADATA, ir)), default=-1)
    loops = {count: first + 5 * place for place, count in enumerate(lanes)}
    texts = [ir]
    for function in called:
        texts.append(_scalar(function, lanes))
        texts.extend(_vector(function, count, loops[count]) for count in lanes)
    texts.extend(_loop(number, count) for count, number in loops.items())
    if called:
        texts.append(_kept(called, lanes))
    return "\n".join(texts) + "\n"


def _parameters(function: _Function) -> str:
    return ", ".join(f"{element} %x{i}" for i, element in enumerate(function.operands))


def _scalar(function: _Function, lanes: Sequence[int]) -> str:
    """The function itself, which says what its variants are."""
    kinds = "v" * len(function.operands)
    variants = ",".join(
        f"_ZGV_LLVM_N{count}{kinds}_{function.shared}({function.variant(count)})" for count in lanes
    )
    attribute = f'"vector-function-abi-variant"="{variants}" ' if lanes else ""
    return f"""
define internal {function.result} @{function.shared}({_parameters(function)}) \
noinline nounwind willreturn memory(none) {attribute}{{
  %result = call {function.result} @{function.name}({_parameters(function)})
  ret {function.result} %result
}}"""


def _vector(function: _Function, lanes: int, loop: int) -> str:
    """A variant: a loop over as many elements, which the loop vectorizer turns into vectors."""
    result = f"<{lanes} x {function.result}>"
    vectors = [f"<{lanes} x {element}>" for element in function.operands]
    parameters = ", ".join(f"{vector} %v{i}" for i, vector in enumerate(vectors))
    stores = "".join(
        f"  %p{i} = alloca {vector}\n  store {vector} %v{i}, ptr %p{i}\n"
        for i, vector in enumerate(vectors)
    )
    loads = "".join(
        f"  %at{i} = getelementptr inbounds {element}, ptr %p{i}, i64 %i\n"
        f"  %x{i} = load {element}, ptr %at{i}\n"
        for i, element in enumerate(function.operands)
    )
    return f"""
define internal {result} @{function.variant(lanes)}({parameters}) \
noinline nounwind willreturn memory(none) {{
entry:
{stores}  %results = alloca {result}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{loads}  %result = call {function.result} @{function.name}({_parameters(function)})
  %at = getelementptr inbounds {function.result}, ptr %results, i64 %i
  store {function.result} %result, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, {lanes}
  br i1 %more, label %loop, label %done, !llvm.loop !{loop}
done:
  %all = load {result}, ptr %results
  ret {result} %all
}}"""


def _loop(number: int, lanes: int) -> str:
    """Metadata that asks for one vector of all iterations."""
    options = ", ".join(f"!{number + place}" for place in range(5))
    return f"""!{number} = distinct !{{{options}}}
!{number + 1} = !{{!"llvm.loop.vectorize.enable", i1 true}}
!{number + 2} = !{{!"llvm.loop.vectorize.width", i32 {lanes}}}
!{number + 3} = !{{!"llvm.loop.interleave.count", i32 1}}
!{number + 4} = !{{!"llvm.loop.unroll.disable"}}"""


def _kept(functions: Iterable[_Function], lanes: Sequence[int]) -> str:
    """Keeps variants, which nothing calls at first, and the parameters of all."""
    names = [name for f in functions for name in [f.shared, *(f.variant(count) for count in lanes)]]
    elements = ", ".join(f"ptr @{name}" for name in names)
    return (
        f"@llvm.compiler.used = appending global [{len(names)} x ptr] [{elements}], "
        'section "llvm.metadata"'
    )
