"""Random graphs over all operations as hypothesis draws them, which makes failures small."""

from __future__ import annotations

from typing import Any

import random_graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

GRAPHS = settings(
    max_examples=75,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@GRAPHS
@given(data=st.data())
def test_random_graphs_of_whole_numbers(data: Any, device: str) -> None:
    random_graphs.check(random_graphs.Drawn(data), device)


@GRAPHS
@given(data=st.data())
def test_random_graphs_of_integers_that_wrap_around(data: Any, device: str) -> None:
    random_graphs.check(random_graphs.Drawn(data), device, keeps=True)
