"""Cases of a population: what is drawn, and of what it is drawn from."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["FAMILIES", "Case", "Draw", "family", "name_of"]

Function = Callable[..., Any]

# Sizes of hidden states of language and vision models, and odd ones.
_HIDDEN = (64, 192, 384, 768, 1024, 1280, 1600, 2048, 3072, 4096, 5120, 8192, 11008)
_ODD = (1, 7, 31, 65, 127, 257, 333, 511, 1000, 1023, 2049, 3001, 4097, 5000)
_CHANNELS = (3, 16, 24, 32, 48, 64, 96, 128, 256, 320, 512)
_IMAGES = (7, 14, 16, 28, 32, 56, 64, 112)
_HEADS = (4, 8, 12, 16, 32)
_HEAD_SIZES = (32, 64, 80, 96, 128)
_CLASSES = (10, 1000, 21_841, 30_522, 32_000, 50_257, 128_256)


@dataclass(frozen=True)
class Case:
    """A function of torch with its inputs.

    Attributes
    ----------
    name : str
        Of the function, its sizes and its dtype.
    function : callable
    inputs : list of torch.Tensor
    is_random : bool
        Whether each call has other results: only their sizes are compared.
    """

    name: str
    function: Function
    inputs: list[torch.Tensor]
    is_random: bool = False


class Draw:
    """Draws sizes and tensors for cases.

    Parameters
    ----------
    seed : str
        Equal seeds draw equal cases, and on one device equal numbers.
    device : str
    elements : int
        Of the largest tensor of a case, about.
    """

    def __init__(self, seed: str, device: str, elements: int) -> None:
        self._random = random.Random(seed)
        self.device = device
        self._elements = elements
        self.dtype = self.choice((torch.float32, torch.bfloat16, torch.float16, torch.float32))

    def _generator(self) -> torch.Generator:
        return torch.Generator(self.device).manual_seed(self._random.randrange(2**31))

    def choice(self, values: Any) -> Any:
        """Return one of `values`."""
        return self._random.choice(list(values))

    def chance(self, part: float = 0.5) -> bool:
        """Return True for this part of all draws."""
        return self._random.random() < part

    def size(self) -> int:
        """Return the size of a hidden state, or an odd size."""
        return int(self.choice(_ODD if self.chance(0.3) else _HIDDEN))

    def within(self, inner: int, most: int = 65_536) -> int:
        """Return how many rows of `inner` elements there are: few, some, or as many as fit."""
        fitting = max(1, min(most, self._elements // inner))
        exponent = self._random.uniform(0, 1) ** 0.5
        rows = max(1, round(fitting**exponent))
        return rows if self.chance(0.3) else max(1, 1 << (rows.bit_length() - 1))

    def rows(self) -> tuple[int, int]:
        """Return the sizes of a matrix of activations."""
        columns = self.size()
        return self.within(columns), columns

    def image(self) -> tuple[int, int, int, int]:
        """Return batch, channels, height and width."""
        channels, side = int(self.choice(_CHANNELS)), int(self.choice(_IMAGES))
        return self.within(channels * side * side, 256), channels, side, side

    def attention(self) -> tuple[int, int, int, int]:
        """Return batch, heads, sequence and head size."""
        heads, size = int(self.choice(_HEADS)), int(self.choice(_HEAD_SIZES))
        sequence = int(self.choice((17, 128, 197, 512, 1024, 2048)))
        return self.within(heads * size * sequence, 64), heads, sequence, size

    def classes(self) -> int:
        """Return a number of classes, or of words."""
        return int(self.choice(_CLASSES))

    def tensor(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Return numbers of a normal distribution."""
        values = torch.randn(
            shape, generator=self._generator(), dtype=torch.float32, device=self.device
        )
        return values.to(dtype or self.dtype)

    def integers(self, high: int, *shape: int) -> torch.Tensor:
        """Return integers below `high`."""
        return torch.randint(high, shape, generator=self._generator(), device=self.device)

    def mask(self, *shape: int) -> torch.Tensor:
        """Return booleans."""
        return self.integers(4, *shape) > 0

    def laid_out(self, image: torch.Tensor) -> torch.Tensor:
        """Return an image in one of the memory formats."""
        last = self.chance()
        return image.contiguous(
            memory_format=torch.channels_last if last else torch.contiguous_format
        )


def name_of(what: str, draw: Draw, *sizes: int) -> str:
    """Return the name of a case: what it does, its sizes and its dtype."""
    return f"{what} {'x'.join(map(str, sizes))} {str(draw.dtype).removeprefix('torch.')}"


FAMILIES: dict[str, Callable[[Draw], Case]] = {}


def family(function: Callable[[Draw], Case]) -> Callable[[Draw], Case]:
    """Register what draws a case of a family under its name."""
    FAMILIES[function.__name__] = function
    return function
