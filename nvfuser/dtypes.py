"""What is known of each dtype, as the native table says (``src/value/data_type_table.h``)."""

from __future__ import annotations

from typing import NamedTuple

from nvfuser import _C

__all__ = ["TABLE", "TORCH_NAMES", "Traits"]


class Traits(NamedTuple):
    """A row of the native table, as far as Python asks for it."""

    printed: str  # its name in the IR and in messages
    kind: str  # "bool", "integral", "floating", "complex" or "none"
    bits: int  # of an element in memory
    significand_bits: int  # of floating and complex dtypes, otherwise 0
    compute: _C.DataType  # in which its values are computed
    torch_name: str | None  # in torch, NumPy and ml_dtypes


TABLE: dict[_C.DataType, Traits] = {
    dtype: Traits(*_C._dtype_traits(dtype)) for dtype in _C.DataType.__members__.values()
}

# The names of torch, by those of the native dtypes.
TORCH_NAMES: dict[str, str] = {
    dtype.name: traits.torch_name
    for dtype, traits in TABLE.items()
    if traits.torch_name is not None
}
