"""Minimax polynomial coefficients of the CPU backend's inline math library.

Question it answers: which coefficients, rounded to the type they are evaluated in, approximate each
kernel function of `FITS` best, and how well. Run it to rewrite `coefficients.json` (a few minutes);
give names as arguments to refit only those.

The fit is a Remez exchange in mpmath. Coefficients are rounded one at a time, lowest power first,
and the remaining ones are fitted again, so that rounding errors are compensated where they can be.
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


def fit(spec: Fit) -> tuple[list[float], float]:
    """Coefficients, lowest power first, and the maximum weighted error that they leave."""
    points = 24 * (spec.degree + 2)
    low, high = mpf(spec.low), mpf(spec.high)
    middle, half = (low + high) / 2, (high - low) / 2
    xs = [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / points) for i in range(points)]
    f = [spec.function(x) for x in xs]
    w = [spec.weight(x) for x in xs]
    powers = list(range(spec.degree + 1))
    result: list[float] = []
    rest = list(f)
    while powers:
        coefficients, _ = remez(xs, rest, w, powers)
        rounded = round_to(coefficients[0], spec.type)
        result.append(float(rounded))
        rest = [r - rounded * x ** powers[0] for r, x in zip(rest, xs, strict=True)]
        powers.pop(0)
    return result, float(max(abs(weight * r) for weight, r in zip(w, rest, strict=True)))


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


def _mills(center: float, high: float, degree: int, type_: str) -> Fit:
    """exp(a^2/2) Phi(-a) = p(u), u = (a - center)/(a + center)."""

    def argument(u: mpf) -> mpf:
        return center * (1 + u) / (1 - u)

    def ratio(u: mpf) -> mpf:
        a = argument(u)
        return mp.exp(a**2 / 2) * mp.erfc(a / mp.sqrt(2)) / 2

    return Fit(ratio, lambda u: 1 / ratio(u), -1, (high - center) / (high + center), degree, type_)


def _erfcx(center: float, high: float, degree: int) -> Fit:
    """exp(x^2) erfc(x) = p(u), u = (x - center)/(x + center)."""

    def value(u: mpf) -> mpf:
        x = center * (1 + u) / (1 - u)
        return mp.exp(x**2) * mp.erfc(x)

    top = (high - center) / (high + center)
    return Fit(value, lambda u: 1 / value(u), -1, top, degree, "double")


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
    "mills_f32": _mills(3.0, 14.8, 11, "float"),
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
