"""Explanations of what runs on the emulated device."""

from __future__ import annotations

from test_explain import test_definition as test_definition
from test_explain import test_gradients as test_gradients
from test_explain import test_module as test_module
