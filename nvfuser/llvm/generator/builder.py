"""A small builder of textual LLVM IR functions: values with operators, one instruction a line."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

INTEGER_OF = {"float": "i32", "double": "i64", "half": "i16"}
FLOAT_TYPES = ("half", "float", "double")

# Suffix of the function's name -> LLVM type.
TYPES = {
    "f32": "float",
    "f64": "double",
    "i8": "i8",
    "u8": "i8",
    "i16": "i16",
    "u16": "i16",
    "i32": "i32",
    "u32": "i32",
    "i64": "i64",
    "u64": "i64",
    "i1": "i1",
    "c64": "{ float, float }",
    "c128": "{ double, double }",
    "m32": "{ float, float, float }",
}

_ATTRIBUTES = "alwaysinline nounwind willreturn"
_coefficients = json.loads(Path(__file__).with_name("coefficients.json").read_text())


def coefficients(name: str) -> list[float]:
    """Coefficients of one fit, lowest power first."""
    return [float.fromhex(c) for c in _coefficients[name]["coefficients"]]


def literal(value: float | int | bool, type_: str) -> str:
    """A constant in LLVM's notation; floats as the bits of the nearest value of their type."""
    if type_ in FLOAT_TYPES:
        number = float(value)
        if type_ == "float":
            number = struct.unpack("<f", struct.pack("<f", number))[0]
        if type_ == "half":
            number = struct.unpack("<e", struct.pack("<e", number))[0]
            return f"0xH{struct.unpack('<H', struct.pack('<e', number))[0]:04X}"
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    if type_ == "i1":
        return "true" if value else "false"
    bits = int(type_[1:])
    wrapped = int(value) & ((1 << bits) - 1)
    return str(wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped)


@dataclass(frozen=True)
class Value:
    """An SSA value or a constant of the function being built."""

    function: Function
    type: str
    text: str

    def _binary(self, other: Value | float, opcode: str, swapped: bool = False) -> Value:
        right = self.function.value(other, self.type)
        left, right = (right, self) if swapped else (self, right)
        prefix = "f" if self.type in FLOAT_TYPES else ""
        return self.function.emit(
            opcode, self.type, f"{prefix}{opcode} {self.type} {left.text}, {right.text}"
        )

    def __add__(self, other: Value | float) -> Value:
        return self._binary(other, "add")

    def __radd__(self, other: float) -> Value:
        return self._binary(other, "add", True)

    def __sub__(self, other: Value | float) -> Value:
        return self._binary(other, "sub")

    def __rsub__(self, other: float) -> Value:
        return self._binary(other, "sub", True)

    def __mul__(self, other: Value | float) -> Value:
        return self._binary(other, "mul")

    def __rmul__(self, other: float) -> Value:
        return self._binary(other, "mul", True)

    def __truediv__(self, other: Value | float) -> Value:
        return self._binary(other, "div")

    def __rtruediv__(self, other: float) -> Value:
        return self._binary(other, "div", True)

    def __neg__(self) -> Value:
        if self.type in FLOAT_TYPES:
            return self.function.emit("neg", self.type, f"fneg {self.type} {self.text}")
        return 0 - self

    def _integer(self, other: Value | int, opcode: str) -> Value:
        right = self.function.value(other, self.type)
        return self.function.emit(
            opcode, self.type, f"{opcode} {self.type} {self.text}, {right.text}"
        )

    def __and__(self, other: Value | int) -> Value:
        return self._integer(other, "and")

    def __or__(self, other: Value | int) -> Value:
        return self._integer(other, "or")

    def __xor__(self, other: Value | int) -> Value:
        return self._integer(other, "xor")

    def __invert__(self) -> Value:
        return self._integer(1 if self.type == "i1" else -1, "xor")

    def __lshift__(self, other: Value | int) -> Value:
        return self._integer(other, "shl")

    def lshr(self, other: Value | int) -> Value:
        """Zero-filling right shift."""
        return self._integer(other, "lshr")

    def ashr(self, other: Value | int) -> Value:
        """Sign-filling right shift."""
        return self._integer(other, "ashr")

    def opcode(self, opcode: str, other: Value | int) -> Value:
        """Any other binary instruction of this type, for example ``udiv``."""
        return self._integer(other, opcode)

    def compare(self, predicate: str, other: Value | float) -> Value:
        """``fcmp``/``icmp`` with LLVM's predicate name."""
        right = self.function.value(other, self.type)
        kind = "fcmp" if self.type in FLOAT_TYPES else "icmp"
        return self.function.emit(
            "is", "i1", f"{kind} {predicate} {self.type} {self.text}, {right.text}"
        )

    def __lt__(self, other: Value | float) -> Value:
        return self.compare("olt" if self.type in FLOAT_TYPES else "slt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.compare("ogt" if self.type in FLOAT_TYPES else "sgt", other)

    def __le__(self, other: Value | float) -> Value:
        return self.compare("ole" if self.type in FLOAT_TYPES else "sle", other)

    def __ge__(self, other: Value | float) -> Value:
        return self.compare("oge" if self.type in FLOAT_TYPES else "sge", other)

    def equals(self, other: Value | float) -> Value:
        """Ordered equality."""
        return self.compare("oeq" if self.type in FLOAT_TYPES else "eq", other)

    def differs(self, other: Value | float) -> Value:
        """Unordered inequality: true where either is NaN."""
        return self.compare("une" if self.type in FLOAT_TYPES else "ne", other)

    def is_nan(self) -> Value:
        """True for NaN."""
        return self.compare("uno", 0.0)

    def select(self, yes: Value | float, no: Value | float) -> Value:
        """``self ? yes : no``; at least one of them is a Value."""
        type_ = yes.type if isinstance(yes, Value) else no.type  # type: ignore[union-attr]
        yes, no = self.function.value(yes, type_), self.function.value(no, type_)
        return self.function.emit(
            "select", type_, f"select i1 {self.text}, {type_} {yes.text}, {type_} {no.text}"
        )

    def cast(self, opcode: str, type_: str) -> Value:
        """A conversion instruction: ``fpext``, ``trunc``, ``sitofp``..."""
        if type_ == self.type:
            return self
        return self.function.emit(opcode, type_, f"{opcode} {self.type} {self.text} to {type_}")

    def bits(self) -> Value:
        """The bits of a float as an integer."""
        return self.cast("bitcast", INTEGER_OF[self.type])

    def as_float(self) -> Value:
        """The float that these bits are."""
        type_ = {integer: real for real, integer in INTEGER_OF.items()}[self.type]
        return self.cast("bitcast", type_)

    def abs(self) -> Value:
        """Magnitude of a float."""
        return self.function.intrinsic("fabs", self)

    def copysign(self, sign: Value) -> Value:
        """Magnitude of this, sign of the other."""
        return self.function.intrinsic("copysign", self, sign)

    def part(self, index: int) -> Value:
        """Real (0) or imaginary (1) part."""
        element = self.type.strip("{} ").split(",")[0]
        return self.function.emit(
            ("re", "im")[index], element, f"extractvalue {self.type} {self.text}, {index}"
        )


@dataclass(eq=False)
class Function:
    """One function definition under construction."""

    name: str
    parameters: Sequence[tuple[str, str]]  # (type, name)
    result: str
    comment: str = ""
    attributes: str = _ATTRIBUTES
    lines: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    _counters: dict[str, int] = field(default_factory=dict)

    @property
    def arguments(self) -> list[Value]:
        """The parameters as values."""
        return [Value(self, type_, f"%{name}") for type_, name in self.parameters]

    def fresh(self, hint: str) -> str:
        """An unused local name."""
        count = self._counters.get(hint, 0)
        self._counters[hint] = count + 1
        return f"{hint}.{count}" if count else hint

    def emit(self, hint: str, type_: str, text: str) -> Value:
        """Append one instruction that yields a value."""
        taken = {name for _, name in self.parameters}
        name = self.fresh(hint)
        while name in taken:
            name = self.fresh(hint)
        self.lines.append(f"  %{name} = {text}")
        return Value(self, type_, f"%{name}")

    def value(self, value: Value | float | int, type_: str) -> Value:
        """`value` itself, or a constant of the given type."""
        if isinstance(value, Value):
            if value.type != type_:
                raise TypeError(f"{self.name}: {value.text} is {value.type}, expected {type_}")
            return value
        return Value(self, type_, literal(value, type_))

    def intrinsic(self, name: str, *arguments: Value, extra: str = "") -> Value:
        """``llvm.<name>.<type>`` of arguments of one type; `extra` is one more literal."""
        type_ = arguments[0].type
        suffix = {"float": "f32", "double": "f64", "half": "f16"}.get(type_, type_)
        extra_types = ["i1"] if extra else []
        types = ", ".join([a.type for a in arguments] + extra_types)
        self.declarations.add(f"declare {type_} @llvm.{name}.{suffix}({types})")
        text = ", ".join(f"{a.type} {a.text}" for a in arguments) + (f", {extra}" if extra else "")
        return self.emit(name.split(".")[0], type_, f"call {type_} @llvm.{name}.{suffix}({text})")

    def libm(self, name: str, *arguments: Value, result: str | None = None) -> Value:
        """A call of the host's libm."""
        type_ = result or arguments[0].type
        types = ", ".join(a.type for a in arguments)
        self.declarations.add(f"declare {type_} @{name}({types}) nounwind willreturn")
        text = ", ".join(f"{a.type} {a.text}" for a in arguments)
        return self.emit(name, type_, f"call {type_} @{name}({text})")

    def lookup(self, table: str, index: Value, type_: str) -> Value:
        """The element of the library's constant ``@nvf.<table>`` at an i64 index within it."""
        pointer = self.emit(
            "element", "ptr", f"getelementptr {type_}, ptr @nvf.{table}, i64 {index.text}"
        )
        return self.emit("word", type_, f"load {type_}, ptr {pointer.text}, align 8")

    def call(self, name: str, result: str, *arguments: Value) -> Value:
        """A call of another function of the library."""
        text = ", ".join(f"{a.type} {a.text}" for a in arguments)
        return self.emit(name.split(".")[0], result, f"call {result} @nvf.{name}({text})")

    def fma(self, a: Value, b: Value | float, c: Value | float) -> Value:
        """``a * b + c``, fused where the target can: where either rounding will do."""
        return self.intrinsic("fmuladd", a, self.value(b, a.type), self.value(c, a.type))

    def exact_fma(self, a: Value, b: Value | float, c: Value | float) -> Value:
        """``a * b + c`` with one rounding on every target, for error terms."""
        return self.intrinsic("fma", a, self.value(b, a.type), self.value(c, a.type))

    def polynomial(self, x: Value, terms: Sequence[float | Value]) -> Value:
        """Horner's scheme, lowest power first."""
        result = self.value(terms[-1], x.type)
        for term in reversed(terms[:-1]):
            result = self.fma(result, x, term)
        return result

    def complex(self, real: Value | float, imaginary: Value) -> Value:
        """The pair of two parts."""
        element = imaginary.type
        type_ = f"{{ {element}, {element} }}"
        real = self.value(real, element)
        first = self.emit("pair", type_, f"insertvalue {type_} poison, {element} {real.text}, 0")
        return self.emit(
            "pair", type_, f"insertvalue {type_} {first.text}, {element} {imaginary.text}, 1"
        )

    def comment_line(self, text: str) -> None:
        """A comment inside the body."""
        self.lines.append(f"  ; {text}")

    def finish(self, value: Value) -> None:
        """Return the value."""
        if value.type != self.result:
            raise TypeError(f"{self.name}: returns {value.type}, declared {self.result}")
        self.lines.append(f"  ret {value.type} {value.text}")

    def __str__(self) -> str:
        parameters = ", ".join(f"{type_} %{name}" for type_, name in self.parameters)
        head = f"define internal {self.result} @nvf.{self.name}({parameters}) {self.attributes} {{"
        comment = "".join(f"; {line}\n" for line in self.comment.splitlines())
        return comment + "\n".join([head, *self.lines, "}"]) + "\n"


@dataclass
class Family:
    """The functions of one .ll file."""

    name: str
    title: str
    functions: dict[str, Function] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)

    def add(self, function: Function) -> None:
        """Register a finished function."""
        if function.name in self.functions:
            raise ValueError(f"{function.name} is defined twice")
        self.functions[function.name] = function

    def define(
        self,
        name: str,
        parameters: Sequence[tuple[str, str]],
        result: str,
        body: Callable[..., Value],
        comment: str = "",
    ) -> None:
        """Build ``@nvf.<name>`` from a Python function of the builder and its arguments."""
        function = Function(name, parameters, result, comment)
        function.finish(body(function, *function.arguments))
        self.add(function)

    def unary(
        self,
        op: str,
        suffix: str,
        body: Callable[[Function, Value], Value],
        result: str | None = None,
        comment: str = "",
    ) -> None:
        """``@nvf.<op>.<suffix>(x)``."""
        type_ = TYPES[suffix]
        self.define(f"{op}.{suffix}", [(type_, "x")], result or type_, body, comment)

    def binary(
        self,
        op: str,
        suffix: str,
        body: Callable[[Function, Value, Value], Value],
        result: str | None = None,
        comment: str = "",
    ) -> None:
        """``@nvf.<op>.<suffix>(a, b)``."""
        type_ = TYPES[suffix]
        self.define(f"{op}.{suffix}", [(type_, "a"), (type_, "b")], result or type_, body, comment)

    def usual(self, name: str, body: Callable[..., Value], condition: Callable[..., Value]) -> None:
        """``@nvf.<op>_usual``: what is shorter than ``@nvf.<op>``, and not right for all operands.

        ``@nvf.<op>_is_usual`` says for which it is. Loops evaluate the function of all operands
        where any of a vector's are not, see outlining.py.
        """
        whole = self.functions[name]
        op, suffix = name.split(".")
        comment = f"@nvf.{name} where @nvf.{op}_is_usual.{suffix}."
        self.define(f"{op}_usual.{suffix}", whole.parameters, whole.result, body, comment)
        self.define(f"{op}_is_usual.{suffix}", whole.parameters, "i1", condition)

    def __str__(self) -> str:
        declarations = sorted(set().union(*(f.declarations for f in self.functions.values())))
        note = "Written by nvfuser/llvm/generator/generate.py; edit that, not this file."
        head = f"; {self.title}\n; {note}\n"
        parts = [head, "\n".join(declarations) + "\n"]
        if self.constants:
            parts.append("\n".join(self.constants) + "\n")
        return "\n".join(parts + [str(f) for f in self.functions.values()])
