"""What builds torch's operators from those of a fusion, one file a family."""

from __future__ import annotations

from nvfuser.frontend.operators import (
    creation,
    indexing,
    normalizations,
    pointwise,
    pooling,
    products,
    random,
    reductions,
    views,
    writes,
)
from nvfuser.frontend.operators.registry import BUILDERS, Call, builder_of, cast, data_type

__all__ = [
    "BUILDERS",
    "Call",
    "builder_of",
    "cast",
    "creation",
    "data_type",
    "indexing",
    "normalizations",
    "pointwise",
    "pooling",
    "products",
    "random",
    "reductions",
    "views",
    "writes",
]
