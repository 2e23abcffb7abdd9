"""Functions of the inline math library that a kernel calls instead of containing them.

A function is inlined into the loop that calls it: its constants are loaded once, and independent
chains of instructions overlap. For a few calls of long functions, and for hundreds of calls of any,
that is worth less than it costs: LLVM's time grows faster than the loop, and machine code that is
larger than the instruction cache is read again for every few elements. Such a kernel calls one copy
of each function, whose vector variants the loop vectorizer finds by the attribute
``vector-function-abi-variant``.

Functions that the library has for usual operands, too, like those of angles that are not large, are
called always: only a function of its own can branch where any element of a vector is not usual.
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
# Vectors that are kept on the stack then do not span cache lines.
_ALIGNED = '"frame-pointer"="all"'
# Of `_loop`.
_NODES = 6
_ELEMENTS = frozenset(["float", "double", "i32", "i64"])


class _Function(NamedTuple):
    """What is called: a function that computes one element from one element of each operand."""

    name: str
    result: str
    operands: tuple[str, ...]
    has_usual: bool

    @property
    def usual(self) -> str:
        """The function of usual operands."""
        return _of_usual(self.name)

    @property
    def condition(self) -> str:
        """Whether operands are usual."""
        return _of_usual(self.name, "_is_usual")

    @property
    def of_any(self) -> str:
        """Evaluates the function for a few elements in memory, whatever they are."""
        return self.name.replace("nvf.", "nvf.any.", 1)

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


def _of_usual(name: str, ending: str = "_usual") -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}{ending}{dot}{suffix}"


def _lines(text: str) -> int:
    return text.count("\n") - 1


def _function(name: str, known: Mapping[str, str]) -> _Function | None:
    """The signature of a definition; None where it stays inline."""
    text = known[name]
    head = re.match(_HEAD, text)
    if head is None or _lines(text) < _SMALLEST or "\n  br " in text:
        return None
    operands = tuple(operand.split()[0] for operand in head[2].split(", "))
    elements = {head[1], *operands}
    has_usual = _of_usual(name) in known
    return _Function(name, head[1], operands, has_usual) if elements <= _ELEMENTS else None


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
        The module itself, where it inlines no more than `INLINED_LINES`, long functions at no more
        than `PLACES_OF_LONG` each, and none that there are for usual operands. Otherwise one that
        calls functions ``@nvf.shared.``, with their definitions, which call the library's.
    """
    calls: list[str] = [name for _, name, _ in re.findall(_CALL, ir) if name in known]
    lines = {name: _lines(known[name]) for name in calls}
    if sum(lines[name] for name in calls) > INLINED_LINES:
        chosen = set(calls)
    else:
        often = [n for n, count in collections.Counter(calls).items() if count > PLACES_OF_LONG]
        chosen = {name for name in often if lines[name] >= LONG}
        if lanes:
            chosen |= {name for name in lines if _of_usual(name) in known}
    functions = {name: _function(name, known) for name in chosen}
    if not any(functions.values()):
        return ir
    # A function of a constant is simplified when it is inlined, like a power; but the remainder of
    # a division by one is as long.
    numbers = set(re.findall(_NUMBER, ir))
    called: dict[_Function, None] = {}

    def redirect(call: re.Match[str]) -> str:
        function = functions.get(call[2])
        operands = [operand.split()[-1] for operand in call[3].split(", ")]
        if function is None:
            return call[0]
        known_operand = any(not o.startswith("%") or o in numbers for o in operands)
        if known_operand and not function.has_usual:
            return call[0]
        called[function] = None
        return f"call {call[1]} @{function.shared}({call[3]})"

    ir = re.sub(_CALL, redirect, ir)
    first = 1 + max((int(number) for number in re.findall(_METADATA, ir)), default=-1)
    loops = {count: first + _NODES * place for place, count in enumerate(lanes)}
    texts = [ir]
    for function in called:
        texts.append(_scalar(function, lanes))
        if function.has_usual:
            texts.append(_of_any(function))
        variant = _vector_of_usual if function.has_usual else _vector
        texts.extend(variant(function, count, loops[count]) for count in lanes)
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
    if function.has_usual:
        return _scalar_of_usual(function, attribute)
    return f"""
define internal {function.result} @{function.shared}({_parameters(function)}) \
noinline nounwind willreturn memory(none) {attribute}{{
  %result = call {function.result} @{function.name}({_parameters(function)})
  ret {function.result} %result
}}"""


def _scalar_of_usual(function: _Function, attribute: str) -> str:
    operands = _parameters(function)
    return f"""
define internal {function.result} @{function.shared}({operands}) \
noinline nounwind willreturn memory(none) {attribute}{{
entry:
  %others = alloca {function.result}
{_allocate(function.operands, "q")}  %is = call i1 @{function.condition}({operands})
  br i1 %is, label %usual, label %any
usual:
  %result = call {function.result} @{function.usual}({operands})
  ret {function.result} %result
any:
{_spill(function.operands, "x", "q")}\
  call void @{function.of_any}(i64 1, ptr %others{_pointers(function, "ptr %q")})
  %whole = load {function.result}, ptr %others
  ret {function.result} %whole
}}"""


def _loads(function: _Function, places: str) -> str:
    """Load element `%i` of each operand from memory."""
    return "".join(
        f"  %at{i} = getelementptr inbounds {element}, ptr %{places}{i}, i64 %i\n"
        f"  %x{i} = load {element}, ptr %at{i}\n"
        for i, element in enumerate(function.operands)
    )


def _store(function: _Function) -> str:
    """Store element `%i` of the results."""
    return f"""  %at = getelementptr inbounds {function.result}, ptr %results, i64 %i
  store {function.result} %result, ptr %at
  %next = add nuw nsw i64 %i, 1"""


def _vectors(function: _Function, lanes: int) -> list[str]:
    return [f"<{lanes} x {element}>" for element in function.operands]


def _allocate(types: Sequence[str], places: str) -> str:
    return "".join(f"  %{places}{i} = alloca {type_}\n" for i, type_ in enumerate(types))


def _spill(types: Sequence[str], values: str, places: str) -> str:
    return "".join(
        f"  store {type_} %{values}{i}, ptr %{places}{i}\n" for i, type_ in enumerate(types)
    )


def _pointers(function: _Function, pointer: str) -> str:
    """Further parameters or arguments: a pointer for each operand."""
    return "".join(f", {pointer}{i}" for i in range(len(function.operands)))


def _vector(function: _Function, lanes: int, loop: int) -> str:
    """A variant: a loop over as many elements, which the loop vectorizer turns into vectors."""
    result = f"<{lanes} x {function.result}>"
    vectors = _vectors(function, lanes)
    parameters = ", ".join(f"{vector} %v{i}" for i, vector in enumerate(vectors))
    return f"""
define internal {result} @{function.variant(lanes)}({parameters}) \
noinline nounwind willreturn memory(none) {_ALIGNED} {{
entry:
{_allocate(vectors, "p")}{_spill(vectors, "v", "p")}  %results = alloca {result}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{_loads(function, "p")}  %result = call {function.result} @{function.name}({_parameters(function)})
{_store(function)}
  %more = icmp ult i64 %next, {lanes}
  br i1 %more, label %loop, label %done, !llvm.loop !{loop}
done:
  %all = load {result}, ptr %results
  ret {result} %all
}}"""


def _vector_of_usual(function: _Function, lanes: int, loop: int) -> str:
    """A variant that leaves vectors with an element that is not usual to `_of_any`."""
    result = f"<{lanes} x {function.result}>"
    vectors = _vectors(function, lanes)
    parameters = ", ".join(f"{vector} %v{i}" for i, vector in enumerate(vectors))
    operands = _parameters(function)
    # Memory of its own is passed on: what the usual way uses is none after LLVM's passes.
    passed = _pointers(function, "ptr %q")
    return f"""
define internal {result} @{function.variant(lanes)}({parameters}) \
noinline nounwind willreturn memory(none) {{
entry:
{_allocate(vectors, "p")}{_allocate(vectors, "q")}{_spill(vectors, "v", "p")}\
  %results = alloca {result}
  %others = alloca {result}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %usual = phi i1 [ true, %entry ], [ %both, %loop ]
{_loads(function, "p")}  %result = call {function.result} @{function.usual}({operands})
  %is = call i1 @{function.condition}({operands})
  %both = and i1 %usual, %is
{_store(function)}
  %more = icmp ult i64 %next, {lanes}
  br i1 %more, label %loop, label %done, !llvm.loop !{loop}
done:
  br i1 %both, label %return, label %any, !prof !{loop + 5}
return:
  %all = load {result}, ptr %results
  ret {result} %all
any:
{_spill(vectors, "v", "q")}  call void @{function.of_any}(i64 {lanes}, ptr %others{passed})
  %whole = load {result}, ptr %others
  ret {result} %whole
}}"""


def _of_any(function: _Function) -> str:
    """The function of any operands, once for vectors of all numbers of elements."""
    pointers = _pointers(function, "ptr noalias %p")
    return f"""
define internal void @{function.of_any}(i64 %count, ptr noalias %results{pointers}) \
noinline nounwind willreturn memory(argmem: readwrite) {_ALIGNED} {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{_loads(function, "p")}  %result = call {function.result} @{function.name}({_parameters(function)})
{_store(function)}
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _loop(number: int, lanes: int) -> str:
    """Metadata: for one vector of all iterations, and for branches that are hardly taken."""
    options = ", ".join(f"!{number + place}" for place in range(5))
    return f"""!{number} = distinct !{{{options}}}
!{number + 1} = !{{!"llvm.loop.vectorize.enable", i1 true}}
!{number + 2} = !{{!"llvm.loop.vectorize.width", i32 {lanes}}}
!{number + 3} = !{{!"llvm.loop.interleave.count", i32 1}}
!{number + 4} = !{{!"llvm.loop.unroll.disable"}}
!{number + 5} = !{{!"branch_weights", i32 1000, i32 1}}"""


def _kept(functions: Iterable[_Function], lanes: Sequence[int]) -> str:
    """Keeps variants, which nothing calls at first, and the parameters of all."""
    names = [name for f in functions for name in [f.shared, *(f.variant(count) for count in lanes)]]
    elements = ", ".join(f"ptr @{name}" for name in names)
    return (
        f"@llvm.compiler.used = appending global [{len(names)} x ptr] [{elements}], "
        'section "llvm.metadata"'
    )
