"""Minimax polynomial coefficients of the CPU's inline math library and CUDA's device library.

Question it answers: which coefficients, rounded to the type they are evaluated in, approximate each
kernel function of `FITS` best, and how well. Run it to rewrite `coefficients.json` (a few minutes);
give names as arguments to refit only those.

The fit is a Remez exchange in mpmath. Coefficients are rounded one at a time, lowest power first,
and the remaining ones fitted again: that makes up for much of the rounding.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp
import numpy as np
from mpmath import mpf

PATH = Path(__file__).with_name("coefficients.json")
mp.mp.dps = 60

Function = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Fit:
    """One polynomial: `weight(x) * (function(x) - p(x))` is minimized over [low, high]."""

    function: Function
    weight: Function
    low: float
    high: float
    degree: int
    type: str  # what coefficients are rounded to: float or double


def round_to(value: mpf, type_: str) -> mpf:
    """Round to the nearest float or double."""
    if type_ == "double":
        return mpf(float(value))
    nearest = np.float32(float(value))
    # Double rounding is avoided by looking at the neighbours too.
    candidates = [np.nextafter(nearest, np.float32(s) * np.float32("inf")) for s in (-1, 1)]
    return min((mpf(float(c)) for c in [nearest, *candidates]), key=lambda c: abs(c - value))


def remez(xs: list[mpf], f: list[mpf], w: list[mpf], powers: list[int]) -> tuple[list[mpf], mpf]:
    """Weighted minimax fit of sum(c_k x**powers[k]) on the grid `xs`; returns (c, max error)."""
    n = len(powers)
    m = len(xs)
    reference = [round(i * (m - 1) / n) for i in range(n + 1)]
    coefficients: list[mpf] = []
    worst = mpf(0)
    for _ in range(30):
        system = mp.matrix(n + 1, n + 1)
        right = mp.matrix(n + 1, 1)
        for row, i in enumerate(reference):
            for column, power in enumerate(powers):
                system[row, column] = xs[i] ** power
            system[row, n] = (-1) ** row / w[i]
            right[row] = f[i]
        solution = mp.lu_solve(system, right)
        coefficients = [solution[k] for k in range(n)]
        errors = [
            w[i] * (f[i] - sum(c * xs[i] ** p for c, p in zip(coefficients, powers, strict=True)))
            for i in range(m)
        ]
        worst = max(abs(e) for e in errors)
        if worst <= abs(solution[n]) * mpf("1.001"):
            break
        # One extremum for each run of equal sign, then the n + 1 consecutive ones that are largest.
        extrema: list[int] = []
        for i in range(m):
            if extrema and (errors[i] > 0) == (errors[extrema[-1]] > 0):
                if abs(errors[i]) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > n + 1:
            if len(extrema) == n + 2:
                extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
                continue
            k = min(range(len(extrema)), key=lambda j: abs(errors[extrema[j]]))
            if k in (0, len(extrema) - 1):
                extrema.pop(k)
            else:
                neighbour = min((k - 1, k + 1), key=lambda j: abs(errors[extrema[j]]))
                for j in sorted((k, neighbour), reverse=True):
                    extrema.pop(j)
        if len(extrema) < n + 1:
            break
        reference = extrema
    return coefficients, worst


def least_squares(xs: list[mpf], f: list[mpf], w: list[mpf], powers: list[int]) -> list[mpf]:
    """Weighted least squares on the grid, which has no trouble where all powers vanish."""
    scaled = mp.matrix([[weight * x**p for p in powers] for x, weight in zip(xs, w, strict=True)])
    right = mp.matrix([weight * value for weight, value in zip(w, f, strict=True)])
    solution = mp.lu_solve(scaled.T * scaled, scaled.T * right)
    return [solution[k] for k in range(len(powers))]


def fit(spec: Fit) -> tuple[list[float], float]:
    """Coefficients, lowest power first, and the maximum weighted error that they leave."""
    points = 24 * (spec.degree + 2)
    low, high = mpf(spec.low), mpf(spec.high)
    middle, half = (low + high) / 2, (high - low) / 2
    xs = [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / points) for i in range(points)]
    f = [spec.function(x) for x in xs]
    w = [spec.weight(x) for x in xs]
    powers = list(range(spec.degree + 1))

    def error(coefficients: list[float]) -> float:
        return float(
            max(
                abs(weight * (value - mp.polyval([mpf(c) for c in reversed(coefficients)], x)))
                for x, value, weight in zip(xs, f, w, strict=True)
            )
        )

    exact, _ = remez(xs, f, w, powers)
    candidates = [[float(round_to(c, spec.type)) for c in exact]]
    rounded: list[float] = []
    rest, remaining = list(f), list(exact)
    for power in powers:
        c = round_to(remaining[0], spec.type)
        rounded.append(float(c))
        rest = [r - c * x**power for r, x in zip(rest, xs, strict=True)]
        if power < spec.degree:
            remaining = least_squares(xs, rest, w, powers[power + 1 :])
    candidates.append(rounded)
    best = min(candidates, key=error)
    return best, error(best)


LN2_HALF = 0.3470
SQRT_HALF = (0.7071 - 1, 1.4143 - 1)
TAN_PI_8 = mp.tan(mp.pi / 8)


def _exp(degree: int, type_: str) -> Fit:
    """exp(r) = 1 + r + r^2 q(r)."""
    return Fit(
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: r**2 / mp.exp(r),
        -LN2_HALF,
        LN2_HALF,
        degree,
        type_,
    )


def _expm1(degree: int, type_: str) -> Fit:
    """expm1(r) = r + r^2 q(r)."""
    return Fit(
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: r**2 / mp.expm1(r),
        -LN2_HALF,
        LN2_HALF,
        degree,
        type_,
    )


def _exp2(degree: int, type_: str) -> Fit:
    """2^r = 1 + r q(r)."""
    return Fit(
        lambda r: mp.expm1(r * mp.ln(2)) / r,
        lambda r: r / mp.power(2, r),
        -0.5,
        0.5,
        degree,
        type_,
    )


def _log(degree: int, type_: str) -> Fit:
    """log(1 + f) = f - f^2/2 + f^3 p(f)."""
    return Fit(
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3,
        lambda f: f**3 / mp.log1p(f),
        *SQRT_HALF,
        degree,
        type_,
    )


def _log_ratio(degree: int) -> Fit:
    """log((1 + s)/(1 - s)) = 2 s + s^3 p(s^2), for |s| <= (sqrt(2) - 1)/(sqrt(2) + 1)."""
    return Fit(
        lambda z: (2 * mp.atanh(mp.sqrt(z)) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: z / 2,
        0,
        0.02945,
        degree,
        "double",
    )


def _log_base(base: int, degree: int, type_: str) -> Fit:
    """log_base(1 + f) = f/ln(base) + f^2 q(f)."""
    return Fit(
        lambda f: (mp.log1p(f) / f - 1) / f / mp.ln(base),
        lambda f: f**2 / mp.log1p(f) * mp.ln(base),
        *SQRT_HALF,
        degree,
        type_,
    )


def _sin(degree: int, type_: str) -> Fit:
    """sin(r) = r + r z p(z), z = r^2."""
    return Fit(
        lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
        lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)),
        0,
        0.6175,
        degree,
        type_,
    )


def _cos(degree: int, type_: str) -> Fit:
    """cos(r) = 1 - z/2 + z^2 p(z), z = r^2."""
    return Fit(
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / mp.cos(mp.sqrt(z)),
        0,
        0.6175,
        degree,
        type_,
    )


def _tanh(degree: int, type_: str) -> Fit:
    """tanh(x) = x + x z p(z), z = x^2, |x| <= 0.6."""
    return Fit(
        lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
        lambda z: z * mp.sqrt(z) / mp.tanh(mp.sqrt(z)),
        0,
        0.36,
        degree,
        type_,
    )


def _atan(degree: int) -> Fit:
    """atan(t) = t + t z p(z), z = t^2, |t| <= tan(pi/8)."""
    return Fit(
        lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
        lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)),
        0,
        0.1716,
        degree,
        "double",
    )


def _asin(degree: int) -> Fit:
    """asin(s) = s + s z p(z), z = s^2 <= 1/4."""
    return Fit(
        lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
        lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)),
        0,
        0.25,
        degree,
        "double",
    )


def _log_erfc(high: float, degree: int, type_: str) -> Fit:
    """-log(erfc(x)) = x t, t = 2/sqrt(pi) + x q(x); erf(x) = -expm1(-x t)."""
    first = 2 / mp.sqrt(mp.pi)

    def weight(x: mpf) -> mpf:
        return x**2 * mp.erfc(x) / mp.erf(x)

    return Fit(lambda x: (-mp.log(mp.erfc(x)) / x - first) / x, weight, 0, high, degree, type_)


def _log_erfc_ratio(center: float, high: float, degree: int) -> Fit:
    """-log(erfc(x)) = x t, t = 2/sqrt(pi) + x p(u), u = (x - center)/(x + center)."""
    first = 2 / mp.sqrt(mp.pi)

    def argument(u: mpf) -> mpf:
        return center * (1 + u) / (1 - u)

    def weight(u: mpf) -> mpf:
        x = argument(u)
        return x**2 * mp.erfc(x) / mp.erf(x)

    def value(u: mpf) -> mpf:
        x = argument(u)
        return (-mp.log(mp.erfc(x)) / x - first) / x

    top = (high - center) / (high + center)
    return Fit(value, weight, -1, top, degree, "double")


def _mills(center: float, high: float, degree: int, type_: str) -> Fit:
    """(a + center) exp(a^2/2) Phi(-a) = p(u), u = 2 a/(a + center) - 1."""

    def value(u: mpf) -> mpf:
        a = center * (1 + u) / (1 - u)
        return (a + center) * mp.exp(a**2 / 2) * mp.erfc(a / mp.sqrt(2)) / 2

    top = (high - center) / (high + center)
    return Fit(value, lambda u: 1 / value(u), -1, top, degree, type_)


def _gelu_exponent(high: float, degree: int, type_: str) -> Fit:
    """Phi(-a) = 2^-(1 + a p(a)); errors may grow with exponents beyond 32."""

    def exponent(a: mpf) -> mpf:
        return -mp.log(mp.erfc(a / mp.sqrt(2)) / 2, 2)

    def weight(a: mpf) -> mpf:
        return a * mp.ln(2) / max(mpf(1), exponent(a) / 32)

    return Fit(lambda a: (exponent(a) - 1) / a, weight, 0, high, degree, type_)


def _erfcx(center: float, high: float, degree: int) -> Fit:
    """(x + center) exp(x^2) erfc(x) = p(u), u = 2 x/(x + center) - 1."""

    def value(u: mpf) -> mpf:
        x = center * (1 + u) / (1 - u)
        return (x + center) * mp.exp(x**2) * mp.erfc(x)

    top = (high - center) / (high + center)
    return Fit(value, lambda u: 1 / value(u), -1, top, degree, "double")


def inverse_erfc(y: mpf) -> mpf:
    """Newton's iteration on log(erfc(x)), for y in (0, 1)."""
    x = mp.sqrt(-mp.log(y)) if y < mpf("0.5") else mpf(0.3)
    for _ in range(200):
        erfc = mp.erfc(x)
        step = (mp.log(erfc) - mp.log(y)) * erfc * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mpf(10) ** (5 - mp.mp.dps) * abs(x):
            return x
    raise ArithmeticError(f"erfcinv({y}) did not converge")


def _erfinv_center(high: float, degree: int) -> Fit:
    """erfinv(x) = x p(w - middle), w = -log(1 - x^2), for w <= high."""
    middle = mpf(high) / 2

    def value(v: mpf) -> mpf:
        x = mp.sqrt(-mp.expm1(-(v + middle)))
        return inverse_erfc(1 - x) / x

    return Fit(value, lambda v: 1 / value(v), -middle, middle, degree, "double")


def _erfinv_tail(center: float, low: float, high: float, degree: int) -> Fit:
    """|erfinv(x)| = s p(u), u = (s - center)/(s + center), s = sqrt(-log(1 - x^2))."""

    def value(u: mpf) -> mpf:
        s = center * (1 + u) / (1 - u)
        rest = mp.exp(-(s**2))  # y (2 - y) for y = 1 - x
        return inverse_erfc(rest / (1 + mp.sqrt(1 - rest))) / s

    bottom, top = ((s - center) / (s + center) for s in (low, high))
    return Fit(value, lambda u: 1 / value(u), bottom, top, degree, "double")


def _lgamma(degree: int) -> Fit:
    """lgamma(x) = (x - 1)(x - 2) p(x - 1.5) on [0.9, 2.2]."""

    def value(v: mpf) -> mpf:
        return mp.loggamma(v + mpf(1.5)) / ((v + mpf(0.5)) * (v - mpf(0.5)))

    return Fit(value, lambda v: 1 / value(v), -0.601, 0.701, degree, "double")


FITS: dict[str, Fit] = {
    "exp_f32": _exp(4, "float"),
    "expm1_f32": _expm1(5, "float"),
    "exp2_f32": _exp2(5, "float"),
    "log_f32": _log(7, "float"),
    "log2_f32": _log_base(2, 8, "float"),
    "log10_f32": _log_base(10, 8, "float"),
    "sin_f32": _sin(2, "float"),
    "cos_f32": _cos(2, "float"),
    "log_erfc_f32": _log_erfc(4.0, 10, "float"),
    # The center is one for which the first coefficient is nearly a float.
    "mills_f32": _mills(3.53125, 14.8, 10, "float"),
    # For results of 16 bits.
    "exp2_narrow_f32": _exp2(3, "float"),
    "gelu_narrow_f32": _gelu_exponent(13.1, 8, "float"),
    # Float functions evaluated in double: as precise as their result needs.
    "exp_f32x": _exp(6, "double"),
    "expm1_f32x": _expm1(6, "double"),
    "exp2_f32x": _exp2(7, "double"),
    "log_f32x": _log_ratio(4),
    "sin_f32x": _sin(4, "double"),
    "cos_f32x": _cos(4, "double"),
    "atan_f32x": _atan(6),
    "asin_f32x": _asin(8),
    "erfcx_f32x": _erfcx(2.0, 10.2, 12),
    "erfinv_center_f32x": _erfinv_center(6.0, 13),
    "erfinv_tail_f32x": _erfinv_tail(2.0, 2.44, 27.4, 17),
    "lgamma_f32x": _lgamma(14),
    "exp_f64": _exp(10, "double"),
    "expm1_f64": _expm1(10, "double"),
    "exp2_f64": _exp2(11, "double"),
    "log_f64": _log_ratio(6),
    "tanh_f32": _tanh(4, "float"),
    "tanh_f64": _tanh(10, "double"),
    "sin_f64": _sin(5, "double"),
    "cos_f64": _cos(5, "double"),
    "atan_f64": _atan(10),
    "asin_f64": _asin(15),
    "erfcx_f64": _erfcx(3.5, 27.6, 23),
    "mills_f64": _mills(5.0, 39.2, 23, "double"),
    "log_erfc_f64": _log_erfc_ratio(3.0, 6.0, 22),
}


def main(names: list[str]) -> None:
    """Fit the named polynomials (all by default) and rewrite the file of coefficients."""
    stored = json.loads(PATH.read_text()) if PATH.exists() else {}
    for name in names or list(FITS):
        coefficients, error = fit(FITS[name])
        stored[name] = {
            "log2_error": round(float(mp.log(error, 2)), 2) if error else None,
            "coefficients": [c.hex() for c in coefficients],
        }
        print(f"{name:16} degree {FITS[name].degree:2} log2(error) {stored[name]['log2_error']}")
    ordered = {name: stored[name] for name in FITS if name in stored}
    PATH.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
