"""What mathematical functions return, computed by others at more bits.

`WIDE` maps arrays of a wider NumPy type (float64 for float32 results, longdouble for float64) to
results of that type. `EXACT` are mpmath functions of one number, for what NumPy lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np

mp.mp.dps = 40

_PI = np.longdouble("3.14159265358979323846264338327950288")
_LN2 = np.longdouble("0.693147180559945309417232121458176568")


def _sigmoid(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def _silu(x: np.ndarray) -> np.ndarray:
    return x * _sigmoid(x)


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.longdouble)
    return x * _sigmoid(2 * np.sqrt(2 / _PI) * (x + np.longdouble("0.044715") * x**3))


def _scalar(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    def guarded(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.inf if function is math.lgamma else math.nan

    return lambda x: np.array([guarded(v) for v in x.tolist()])


def _gelu(x: float) -> float:
    return x * math.erfc(-x / math.sqrt(2)) / 2


# For float32 and float64 alike.
WIDE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "silu": _silu,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
}

# For float32 only: C's functions of double, one element at a time.
DOUBLE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "erf": _scalar(math.erf),
    "erfc": _scalar(math.erfc),
    "lgamma": _scalar(math.lgamma),
    "gelu": _scalar(_gelu),
    "gelu_tanh": _gelu_tanh,
}


def _mp_erfc(x: mp.mpf | float) -> mp.mpf:
    """Complementary error function, also where mpmath's overflows if gmpy2 is not installed."""
    if abs(x) > 1e100:
        return mp.ldexp(1, -(10**6)) if x > 0 else mp.mpf(2)
    return mp.erfc(x)


def _mp_erfcinv(y: float) -> mp.mpf:
    """Newton's iteration on log(erfc(x)) from the asymptotic start."""
    if y > 1:
        return -_mp_erfcinv_small(2 - mp.mpf(y))
    return _mp_erfcinv_small(mp.mpf(y))


def _mp_erfcinv_small(y: mp.mpf) -> mp.mpf:
    if y > mp.mpf("0.3"):
        return mp.erfinv(1 - y)
    x = mp.sqrt(-mp.log(y))
    for _ in range(100):
        tail = mp.erfc(x)
        step = mp.log(tail / y) * tail * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mp.mpf(10) ** -32 * x:
            return x
    raise ArithmeticError(f"erfcinv({y}) did not converge")


def _mp_erfinv(x: float) -> mp.mpf:
    sign = -1 if x < 0 else 1
    a = abs(mp.mpf(x))
    return sign * (mp.erfinv(a) if a < mp.mpf("0.7") else _mp_erfcinv_small(1 - a))


EXACT: dict[str, Callable[[float], mp.mpf]] = {
    "erf": mp.erf,
    "erfc": _mp_erfc,
    "erfinv": _mp_erfinv,
    "erfcinv": _mp_erfcinv,
    "lgamma": lambda x: mp.re(mp.loggamma(x)),
    "gelu": lambda x: mp.mpf(x) * _mp_erfc(-mp.mpf(x) / mp.sqrt(2)) / 2,
    "gelu_tanh": lambda x: (
        mp.mpf(x)
        / (1 + mp.exp(-2 * mp.sqrt(2 / mp.pi) * (mp.mpf(x) + mp.mpf("0.044715") * mp.mpf(x) ** 3)))
    ),
}


def exact(op: str, x: np.ndarray) -> np.ndarray:
    """Apply an mpmath function to finite numbers; the results as longdouble."""
    function = EXACT[op]
    return np.array([_longdouble(function(v)) for v in x.tolist()])


def _longdouble(value: mp.mpf) -> np.longdouble:
    if mp.isinf(value):
        return np.longdouble(math.inf if value > 0 else -math.inf)
    if value == 0 or mp.isnan(value):
        return np.longdouble(float(value))
    if mp.mag(value) < -16000:  # too small even for a longdouble
        return np.longdouble(math.copysign(0.0, value))
    return np.longdouble(mp.nstr(value, 36, min_fixed=0, max_fixed=0))
