"""What the tests of the compile step share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def no_floating_point_warnings() -> Iterator[None]:
    """Infinities, NaN and denormals are what the inputs are about."""
    with np.errstate(all="ignore"):
        yield
