"""Operators of PyTorch that are built for fusions, in CUDA kernels: the values of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_modules import (
    test_group_norm,
    test_group_norm_backward,
    test_group_norm_backward_of_rows_copied_from_channels_last,
    test_group_norm_of_rows_copied_from_channels_last,
    test_nearest_upsampling,
)

import nvfuser

__all__ = [
    "test_group_norm",
    "test_group_norm_backward",
    "test_group_norm_backward_of_rows_copied_from_channels_last",
    "test_group_norm_of_rows_copied_from_channels_last",
    "test_nearest_upsampling",
]


@pytest.fixture
def compiled() -> Callable[..., Any]:
    """Compile without Dynamo."""
    return lambda function, **_: nvfuser.jit(function)
