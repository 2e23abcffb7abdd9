"""Mean and sum of squared deviations in one pass over the values, without cancellation."""

from __future__ import annotations

from builder import TYPES, Family, Function, Value

MOMENTS = TYPES["m32"]


def numbers(b: Function, moments: Value) -> tuple[Value, Value, Value]:
    """Mean, squared deviations and how many values they are of."""
    mean, deviations, count = (
        b.emit(name, "float", f"extractvalue {MOMENTS} {moments.text}, {i}")
        for i, name in enumerate(("mean", "deviations", "count"))
    )
    return mean, deviations, count


def merge(b: Function, x: Value, y: Value) -> Value:
    """Those of all values of both.

    T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for
    Computing Sample Variances", 1979.
    """
    (mean, deviations, count), (other, more, own) = numbers(b, x), numbers(b, y)
    total = count + own
    share = total.equals(0.0).select(0.0, own / total)
    difference = other - mean
    step = difference * share
    merged = b.fma(difference * count, step, deviations + more)
    result = Value(b, MOMENTS, "poison")
    for i, number in enumerate((mean + step, merged, total)):
        text = f"insertvalue {MOMENTS} {result.text}, float {number.text}, {i}"
        result = b.emit("moments", MOMENTS, text)
    return result


def family() -> Family:
    """The file's functions."""
    result = Family("moments", "Mean and sum of squared deviations in one pass over the values.")
    result.binary("merge_moments", "m32", merge)
    return result
