"""Composed operations and methods of tensors in CUDA kernels: the values of torch."""

from __future__ import annotations

import pytest
import torch
from composed_operations import FAMILIES, Case
from test_composed_operations import check


@pytest.mark.parametrize("case", FAMILIES["activations"] + FAMILIES["arithmetic"], ids=repr)
def test_elementwise(case: Case, device: str) -> None:
    check(case, torch.float32, device)


@pytest.mark.parametrize("case", FAMILIES["reductions"] + FAMILIES["losses"], ids=repr)
def test_reductions(case: Case, device: str) -> None:
    check(case, torch.float32, device)


@pytest.mark.parametrize("case", FAMILIES["normalization"], ids=repr)
def test_normalizations(case: Case, device: str) -> None:
    check(case, torch.float32, device)


@pytest.mark.parametrize("case", FAMILIES["shapes"], ids=repr)
def test_shapes(case: Case, device: str) -> None:
    check(case, torch.float32, device)


@pytest.mark.parametrize("case", FAMILIES["methods"], ids=repr)
def test_methods(case: Case, device: str) -> None:
    check(case, torch.float32, device)
