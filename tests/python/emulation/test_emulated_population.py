"""No fusion of real programs has a slow path: what `bench/bench_population.py` draws, planned.

Kernels are written for the properties of a large GPU and not run; sizes are constants, so that the
text of a kernel says how much each thread does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from thread_work import statements_of_a_thread

from nvfuser import PythonProfiler

sys.path.append(str(Path(__file__).parents[3] / "bench"))
import population
from population import Draw

# Threads that the device holds, and statements for an element or for what is not divided (a
# reduction's tree, a row that a warp has) that are no slow path.
THREADS = 132 * 2048
STATEMENTS_OF_ELEMENT = 600
STATEMENTS_OF_THREAD = 8000
ELEMENTS = 1 << 22


@pytest.mark.parametrize("family", sorted(population.FAMILIES))
def test_no_thread_does_the_work_of_all(
    family: str, kernels: list[str], planning_device: str
) -> None:
    for seed in range(2):
        draw = Draw(f"test {seed} {family}", planning_device, ELEMENTS)
        case = population.FAMILIES[family](draw)
        kernels.clear()
        torch._dynamo.reset()
        with torch.no_grad():
            compiled = torch.compile(case.function, backend="nvfuser", dynamic=False)
            compiled(*case.inputs)
        elements = sum(x.numel() for x in case.inputs)
        most = STATEMENTS_OF_THREAD + STATEMENTS_OF_ELEMENT * elements // THREADS
        for text in kernels:
            for kernel, statements in statements_of_a_thread(text).items():
                assert statements <= most, f"{case.name}: {kernel} of {elements} elements"


@pytest.mark.parametrize("order", [1, 2, 3, float("inf")])
def test_norms_of_rows_are_in_kernels(
    order: float, kernels: list[str], planning_device: str
) -> None:
    def similarity(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x * y).sum(-1) / (x.norm(order, dim=-1) * y.norm(order, dim=-1) + 1e-8)

    x = torch.zeros(512, 384, device=planning_device)
    with torch.no_grad(), PythonProfiler() as profiler:
        torch.compile(similarity, backend="nvfuser", dynamic=False)(x, x.clone())
    assert len(profiler.profile.kernel_profiles) == len(kernels) == 1


def test_a_thread_that_does_all_is_seen() -> None:
    text = """__global__ void __launch_bounds__(32) slow(float* T0) {
  const int thread_x = threadIdx.x;
  const int i0 = nvf::ceil_quotient(1000, 8);
  for (int i1 = 0; i1 < i0; ++i1) {
    for (int i2 = 0; i2 < 8; i2 += 2) {
      if (thread_x == 0) {
        T0[i1] = 1.0f;
      }
    }
  }
}"""
    assert statements_of_a_thread(text) == {"slow": 125 * 4}
