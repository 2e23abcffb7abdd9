"""What the tests of whole programs share."""

from __future__ import annotations

import sys
from pathlib import Path

# The models are those that are measured.
sys.path.append(str(Path(__file__).parents[3] / "bench"))
