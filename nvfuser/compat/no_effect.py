"""What is accepted, because nvFuser has it, and changes nothing here: it is said once."""

from __future__ import annotations

import warnings

from nvfuser import call_sites

__all__ = ["NoEffectWarning", "warn_once"]

_said: set[str] = set()


class NoEffectWarning(UserWarning):
    """An option or a parameter was given that nvfuser accepts and makes no use of."""


def warn_once(what: str) -> None:
    """Warn that `what` changes nothing, where this process has not been told so."""
    if what in _said:
        return
    _said.add(what)
    warnings.warn(
        f"{what} is accepted without effect", NoEffectWarning, stacklevel=call_sites.user_depth()
    )
