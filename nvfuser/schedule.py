"""What schedules a fusion by hand: transforms of many tensors at once, and the schedulers.

The functions are the native module's, with errors of one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nvfuser import _C
from nvfuser.signatures import checked as _checked

if TYPE_CHECKING:
    from nvfuser._C.schedule import *  # noqa: F403

_MADE = {
    name: _checked(getattr(_C.schedule, name), __name__, name)
    for name in dir(_C.schedule)
    if name[0] != "_"
}
globals().update(_MADE)
__all__ = list(_MADE)


def __dir__() -> list[str]:
    return __all__
