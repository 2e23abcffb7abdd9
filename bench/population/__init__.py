"""A population of fusions of real programs: families, and what draws cases from them."""

from collections.abc import Iterator

from population import (
    composed,
    decisions,
    generative,
    images,
    lookups,
    loss,
    movement,
    norms,
    pointwise,
    reductions,
    science,
    sequences,
    signals,
    training,
    vision,
)
from population.draw import FAMILIES, Case, Draw

__all__ = ["FAMILIES", "Case", "Draw", "draw"]

# Importing them registers their families.
_MODULES = (
    *(images, lookups, loss, movement, norms, pointwise, reductions),
    *(science, sequences, training, vision, decisions, generative, signals, composed),
)


def draw(
    seed: int,
    count: int,
    device: str,
    elements: int,
    only: list[str] | None = None,
    part: tuple[int, int] = (0, 1),
) -> Iterator[tuple[str, Case]]:
    """Draw cases of all families in turn.

    Parameters
    ----------
    seed : int
    count : int
        How many.
    device : str
    elements : int
        Of the largest tensor of a case, about.
    only : list of str, optional
        The families to draw from.
    part : tuple of int
        `(i, n)` for the i-th of n parts: every n-th case, which is what the whole has there.

    Yields
    ------
    tuple of str and Case
        The family, and the case.
    """
    names = only or list(FAMILIES)
    for number in range(part[0], count, part[1]):
        name = names[number % len(names)]
        yield name, FAMILIES[name](Draw(f"{seed} {number} {name}", device, elements))
