"""The operations: functions that append to the fusion being defined, and return the new value.

Those of the native module are primitives and a few formulas; the other files of this package hold
what is composed of them, by family. A fusion contains the primitives only.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from nvfuser import _C
from nvfuser.ops import (
    activations as _activations,
)
from nvfuser.ops import (
    arithmetic as _arithmetic,
)
from nvfuser.ops import (
    linear_algebra as _linear_algebra,
)
from nvfuser.ops import (
    losses as _losses,
)
from nvfuser.ops import (
    normalization as _normalization,
)
from nvfuser.ops import (
    random as _random,
)
from nvfuser.ops import (
    reductions as _reductions,
)
from nvfuser.ops import (
    shapes as _shapes,
)
from nvfuser.signatures import checked as _checked

if TYPE_CHECKING:
    from nvfuser._C.ops import *  # noqa: F403
    from nvfuser.ops.activations import *  # noqa: F403
    from nvfuser.ops.arithmetic import *  # noqa: F403
    from nvfuser.ops.linear_algebra import *  # noqa: F403
    from nvfuser.ops.losses import *  # noqa: F403
    from nvfuser.ops.normalization import *  # noqa: F403
    from nvfuser.ops.random import *  # noqa: F403
    from nvfuser.ops.reductions import *  # noqa: F403
    from nvfuser.ops.shapes import *  # noqa: F403

# By family, in the order of the documentation. Composed ones replace native ones of their name.
_FAMILIES: dict[str, types.ModuleType] = {
    "activations": _activations,
    "arithmetic": _arithmetic,
    "reductions": _reductions,
    "normalization": _normalization,
    "shapes": _shapes,
    "linear_algebra": _linear_algebra,
    "losses": _losses,
    "random": _random,
}


def _operations() -> dict[str, Any]:
    found = {name: getattr(_C.ops, name) for name in dir(_C.ops) if name[0] != "_"}
    for family in _FAMILIES.values():
        found.update({name: getattr(family, name) for name in family.__all__})
    return {name: _checked(function, __name__, name) for name, function in sorted(found.items())}


_MADE = _operations()
globals().update(_MADE)
__all__: list[str] = list(_MADE)


def __dir__() -> list[str]:
    return __all__
