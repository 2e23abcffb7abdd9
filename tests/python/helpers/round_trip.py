"""The promise that every definition can be printed and saved, checked wherever a test defines one.

The fixture `round_trip` of conftest.py lets every `with FusionDefinition()` block end with
`assert_round_trip`: comparing structures costs a fraction of a millisecond, running nothing.
"""

from __future__ import annotations

import threading
import warnings
from typing import Any

from nvfuser import DataType, FusionDefinition


def printed_again(fd: FusionDefinition) -> FusionDefinition:
    """Return the fusion that the printed definition defines."""
    namespace: dict[str, Any] = {"FusionDefinition": FusionDefinition, "DataType": DataType}
    exec(repr(fd), namespace)
    with FusionDefinition() as copy:
        namespace["nvfuser_fusion"](copy)
    return copy


def loaded_again(fd: FusionDefinition) -> FusionDefinition:
    """Return the fusion that the saved definition defines."""
    return FusionDefinition.deserialize(fd.serialize())


def assert_round_trip(fd: FusionDefinition) -> None:
    """Check that the printed definition, and the saved one, define an equal fusion."""
    with warnings.catch_warnings():
        # A cast from complex to real numbers warns whenever it is defined.
        warnings.simplefilter("ignore", UserWarning)
        copies = [printed_again(fd), loaded_again(fd)]
    for copy in copies:
        assert copy.fusion == fd.fusion, f"{copy!r}\nis not equal to\n{fd!r}"
        assert hash(copy.fusion) == hash(fd.fusion)


_leave = FusionDefinition.__exit__
_checking = threading.local()


def leave_and_check(fd: FusionDefinition, *exception: Any) -> None:
    """What stands for `FusionDefinition.__exit__` in tests."""
    _leave(fd, *exception)
    # The copies that the check makes are not checked.
    if exception[0] is None and not getattr(_checking, "now", False) and fd.fusion.outputs():
        _checking.now = True
        try:
            assert_round_trip(fd)
        finally:
            _checking.now = False
