"""Symbolic sizes: torch's expressions of symbols, as scalars of a fusion and as Python text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch
from torch.utils._sympy import functions as torch_sympy

from nvfuser import DataType, Val, ops
from nvfuser.frontend.limits import Limit

__all__ = ["Sizes", "expression_of", "hint_of", "is_known"]

# Untyped: what fits is checked where users call.
_ops: Any = ops

Number = Val | int | float | bool


def expression_of(value: Any) -> Any:
    """Return the expression of a symbolic number, and a plain number as it is."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        node = value.node
        constant = node.maybe_as_int() if isinstance(value, torch.SymInt) else None
        return node.expr if constant is None else constant
    return value


def is_known(condition: Any) -> bool:
    """Whether a condition on sizes holds for all of them."""
    if isinstance(condition, bool):
        return condition
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(condition)


def constant_of(value: Any) -> int | None:
    """Return what an expression of sizes is for all of them, where that is one number."""
    expression = expression_of(value)
    if isinstance(expression, int):
        return expression
    return int(expression) if expression.is_Integer else None


def hint_of(value: Any) -> int:
    """Return the size that a symbolic one had when it was traced, to put dimensions in order."""
    if isinstance(value, int):
        return value
    hint = value.node.hint
    if hint is None:
        raise Limit(f"the size {value} is known only when it is computed")
    return int(hint)


# What is called with the scalars of a fusion that stand for the operands.
_FUNCTIONS: dict[type, Callable[..., Any]] = {
    torch_sympy.FloorDiv: _ops.floor_div,
    torch_sympy.CleanDiv: _ops.floor_div,
    torch_sympy.Mod: _ops.remainder,
    torch_sympy.PythonMod: _ops.remainder,
    torch_sympy.ModularIndexing: lambda base, divisor, modulus: _ops.remainder(
        _ops.floor_div(base, divisor), modulus
    ),
    torch_sympy.Max: lambda *x: _fold(_ops.maximum, x),
    torch_sympy.Min: lambda *x: _fold(_ops.minimum, x),
    sympy.Max: lambda *x: _fold(_ops.maximum, x),
    sympy.Min: lambda *x: _fold(_ops.minimum, x),
    sympy.Add: lambda *x: _fold(_ops.add, x),
    sympy.Mul: lambda *x: _fold(_ops.mul, x),
    torch_sympy.ToFloat: lambda x: _ops.cast(x, DataType.Double),
    torch_sympy.CeilToInt: lambda x: _ops.cast(_ops.ceil(_double(x)), DataType.Int),
    torch_sympy.FloorToInt: lambda x: _ops.cast(_ops.floor(_double(x)), DataType.Int),
    torch_sympy.TruncToInt: lambda x: _ops.cast(_ops.trunc(_double(x)), DataType.Int),
    torch_sympy.IntTrueDiv: lambda a, b: _ops.truediv(_double(a), _double(b)),
    torch_sympy.FloatTrueDiv: lambda a, b: _ops.truediv(_double(a), _double(b)),
    torch_sympy.FloatPow: lambda a, b: _ops.pow(_double(a), _double(b)),
    torch_sympy.OpaqueUnaryFn_sqrt: lambda x: _ops.sqrt(_double(x)),
}


def _double(x: Number) -> Any:
    return _ops.cast(x, DataType.Double) if isinstance(x, Val) else float(x)


def _fold(function: Callable[[Any, Any], Any], operands: tuple[Any, ...]) -> Any:
    result = operands[0]
    for operand in operands[1:]:
        result = function(result, operand)
    return result


class Sizes:
    """What symbols stand for in a fusion.

    Each symbol is the size of a dimension of an input where one has it, otherwise a scalar input.
    """

    def __init__(self) -> None:
        self._sources: dict[sympy.Symbol, Val] = {}
        self._texts: dict[sympy.Symbol, str] = {}
        self._known: dict[Any, Any] = {}
        self._guards = 0

    def define(self, value: Any, source: Val, text: str) -> None:
        """Say where the value of a symbol is found: in the fusion, and among its arguments.

        The first one that is said of a symbol stays, but for numbers that are expressions.
        """
        symbol = expression_of(value)
        if isinstance(symbol, sympy.Symbol) and symbol not in self._sources:
            self._sources[symbol] = source
            self._texts[symbol] = text

    def value(self, value: Any) -> Any:
        """Return a size, or another number, as a number or scalar of the fusion."""
        expression = expression_of(value)
        if not isinstance(expression, sympy.Basic):
            return expression
        if isinstance(value, (torch.SymInt, torch.SymFloat)):
            self._assume(value.node.shape_env.guards)
        return self._converted(expression)

    def _assume(self, guards: Sequence[Any]) -> None:
        """Take expressions as the integers that they were found to be.

        What was traced serves calls alone that meet these guards. A dimension that has one element
        then broadcasts.
        """
        for guard in guards[self._guards :]:
            if isinstance(guard.expr, sympy.Eq):
                for found, number in (guard.expr.args, guard.expr.args[::-1]):
                    if isinstance(number, sympy.Integer):
                        self._known[found] = int(number)
        self._guards = len(guards)

    def shape(self, sizes: Any) -> list[Any]:
        """Return a shape with scalars where it is symbolic."""
        return [self.value(size) for size in sizes]

    def _converted(self, expression: Any) -> Any:
        if expression not in self._known:
            self._known[expression] = self._convert(expression)
        return self._known[expression]

    def _convert(self, expression: Any) -> Any:
        if isinstance(expression, sympy.Integer):
            return int(expression)
        if isinstance(expression, (sympy.Float, sympy.Rational)):
            return float(expression)
        if isinstance(expression, sympy.Symbol):
            source = self._sources.get(expression)
            if source is None:
                raise Limit(f"the size {expression} is that of no input")
            return source
        if isinstance(expression, torch_sympy.Identity):
            return self._converted(expression.args[0])
        operands = [self._converted(operand) for operand in expression.args]
        if isinstance(expression, (sympy.Pow, torch_sympy.PowByNatural)):
            base, exponent = operands
            if isinstance(exponent, int) and exponent > 0:
                return _fold(_ops.mul, (base,) * exponent)
        function = _FUNCTIONS.get(type(expression))
        if function is None:
            raise Limit(f"the size {expression} has an operation {type(expression).__name__}")
        if all(not isinstance(operand, Val) for operand in operands):
            number = expression.func(*map(sympy.sympify, operands))
            return int(number) if number.is_integer else float(number)
        return function(*operands)

    def text(self, value: Any) -> str:
        """Return Python that computes a number from the arguments of a call, named ``args``."""
        expression = expression_of(value)
        if not isinstance(expression, sympy.Basic):
            return repr(expression)
        from torch.utils._sympy.printers import PythonPrinter

        texts = self._texts

        class Printer(PythonPrinter):  # type: ignore[misc]
            def _print_Symbol(self, symbol: Any) -> str:  # noqa: N802
                if symbol not in texts:
                    raise Limit(f"the size {symbol} is that of no input")
                return texts[symbol]

        return Printer().doprint(expression)
