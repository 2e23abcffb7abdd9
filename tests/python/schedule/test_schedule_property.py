"""A schedule never changes values: random legal schedules of random fusions.

What a schedule cannot express may be refused with an error; a result must be right.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nvfuser import FusionDefinition, MemoryType, ParallelType

pytestmark = pytest.mark.no_round_trip

THREADS = ["grid_x", "grid_y", "block_x", "block_y"]
OPERATIONS = ["tanh", "add", "mul", "narrow", "cumsum", "shift", "permute", "sum", "max"]
# What messages of refused schedules say.
REFUSALS = (
    "The schedule is not legal",
    "inlined",
    "reads it inside the same loop",
    "global memory",
    "too many elements for a thread",
    "Cannot inline",
    "Expected a constant extent",
    "parallelized as",
    "which has another parallel type",
    "threads in a block",
    "of shared memory in a block",
    "keeps too many elements",
    "Cannot merge a reduction",
    "Cannot swizzle",
    "threads along z",
    "rfactor does not support the transform",
    # Of scans.
    "runs along",
    "must be those of threads",
    "divide it among threads",
)


@st.composite
def programs(draw: st.DrawFn) -> dict[str, Any]:
    """A fusion as a list of operations on numbered values, and the choices of a schedule."""
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    operations = draw(
        st.lists(
            st.tuples(
                st.sampled_from(OPERATIONS),
                st.integers(0, 7),
                st.integers(0, 7),
                st.integers(0, len(shape) - 1),
            ),
            min_size=1,
            max_size=6,
        )
    )
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["split", "split_outer", "merge", "reorder", "swizzle"]),
                st.integers(0, 3),
                st.integers(0, 3),
                st.integers(2, 8),
            ),
            max_size=4,
        )
    )
    return {
        "shape": shape,
        "static": draw(st.booleans()),
        "operations": operations,
        "steps": steps,
        "outputs": draw(st.lists(st.integers(0, 7), max_size=2)),
        "copies": draw(st.lists(st.integers(0, 1), max_size=2, unique=True)),
        "cache_output": draw(st.booleans()),
        "rfactor": draw(st.booleans()),
        "types": draw(st.lists(st.sampled_from([*THREADS, "serial", "unroll"]), max_size=4)),
        "memory": draw(
            st.lists(st.sampled_from(["local", "shared", "global"]), min_size=8, max_size=8)
        ),
        "inline": draw(st.sampled_from(["none", "most", "at"])),
        "position": draw(st.integers(0, 4)),
    }


def compute(ops: list[tuple[str, int, int, int]], values: list[Any], fd: Any) -> list[Any]:
    """Run the operations on tensors (without `fd`) or values of a fusion, all of one shape.

    The first two values are inputs of that shape, the third one has one element along the first
    dimension.
    """
    narrow = values.pop()
    for name, a, b, dim in ops:
        x, y = values[a % len(values)], values[b % len(values)]
        rank = len(x.size()) if fd is None else x.ndim
        order = [*range(1, rank), 0]
        if name == "tanh":
            result = fd.ops.tanh(x) if fd else x.tanh()
        elif name == "add":
            result = fd.ops.add(x, y) if fd else x + y
        elif name == "mul":
            result = fd.ops.mul(x, y) if fd else x * y
        elif name == "narrow":
            result = fd.ops.add(x, narrow) if fd else x + narrow
        elif name == "cumsum":
            result = fd.ops.cumsum(x, dim) if fd else x.cumsum(dim)
        elif name == "shift":
            # What lies behind an element along the dimension, 0 behind the last one.
            behind = [0, 0] * (rank - 1 - dim)
            if fd:
                bounds = [int(k == dim) for k in range(rank)]
                rest = fd.ops.slice(x, bounds, fd.ops.shape(x))
                result = fd.ops.pad(rest, [*behind, 0, 1])
            else:
                rest = x.narrow(dim, 1, x.size(dim) - 1)
                result = torch.nn.functional.pad(rest, [*behind, 0, 1])
        elif name == "permute":
            # There and back: the values in between are laid out differently.
            back = [rank - 1, *range(rank - 1)]
            result = fd.ops.permute(fd.ops.neg(fd.ops.permute(x, order)), back) if fd else -x
        else:
            if fd:
                reduced = fd.ops.sum(x, [dim]) if name == "sum" else fd.ops.max(x, [dim])
                result = fd.ops.broadcast(reduced, [k == dim for k in range(rank)])
            else:
                result = x.sum(dim, keepdim=True) if name == "sum" else x.amax(dim, keepdim=True)
            # All values keep the shape of the inputs.
            result = fd.ops.add(result, x) if fd else result + x
        values.append(result)
    return values


def transform(tensor: Any, steps: list[tuple[str, int, int, int]]) -> None:
    for name, i, j, factor in steps:
        count = len(tensor.get_loop_domain())
        i, j = i % count, j % count
        if name == "split":
            tensor.split(i, factor)
        elif name == "split_outer":
            tensor.split(i, factor, inner_split=False)
        elif name == "merge" and i != j:
            same = tensor.axis(i).is_reduction() == tensor.axis(j).is_reduction()
            if same:
                tensor.merge(i, j)
        elif name == "reorder":
            tensor.reorder({i: j})
        elif name == "swizzle" and i != j:
            extents = [str(tensor.axis(k).extent()) for k in (i, j)]
            if extents[0] == extents[1] in ("2", "4", "8"):
                tensor.swizzle(i, j)


def run(program: dict[str, Any], device: str) -> bool:
    """Return whether the schedule was accepted."""
    generator = torch.Generator().manual_seed(len(program["operations"]))
    shape = program["shape"]
    inputs = [
        torch.rand(size, generator=generator, dtype=torch.float64).to(device)
        for size in (shape, shape, [1, *shape[1:]])
    ]
    expected = compute(program["operations"], list(inputs), None)[2:]
    chosen = [expected[-1], *(expected[k % len(expected)] for k in program["outputs"])]
    try:
        with FusionDefinition() as fd:
            tensors = [fd.from_pytorch(t, static_sizes=program["static"]) for t in inputs]
            values = compute(program["operations"], list(tensors), fd)[2:]
            results = [values[-1], *(values[k % len(values)] for k in program["outputs"])]
            for result in results:
                fd.add_output(result)
            schedule(program, fd, tensors, values, results[0])
        outputs = fd.manual_execute(inputs)
    except RuntimeError as error:
        if any(text in str(error) for text in REFUSALS):
            return False
        raise
    for output, reference in zip(outputs, chosen, strict=True):
        torch.testing.assert_close(output, reference, rtol=1e-9, atol=1e-9)
    return True


def schedule(
    program: dict[str, Any], fd: Any, tensors: list[Any], values: list[Any], reference: Any
) -> None:
    copies = [tensors[k].cache_after() for k in program["copies"] if tensors[k].uses()]
    if program["cache_output"]:
        reference.cache_before()
    transform(reference, program["steps"])
    fd.sched.transform_like(reference)
    if program["rfactor"]:
        for tensor in [val for val in fd.fusion.vals() if val.is_tensor()]:
            reduced = [k for k, axis in enumerate(tensor.get_loop_domain()) if axis.is_reduction()]
            if len(reduced) > 1:
                tensor.rfactor(reduced[1:])
    for axis, kind in zip(reference.get_loop_domain(), program["types"], strict=False):
        axis.parallelize(ParallelType.__members__[kind])
    fd.sched.parallelize_like(reference)
    outputs = [str(output) for output in fd.fusion.outputs()]
    for tensor, memory in zip([*copies, *values], program["memory"], strict=False):
        if str(tensor) not in outputs:
            tensor.set_memory_type(MemoryType.__members__[memory])
    if program["inline"] == "most":
        fd.sched.inline_most()
    elif program["inline"] == "at":
        position = min(program["position"], len(reference.get_loop_domain()))
        fd.sched.inline_at(reference, position, best_effort=True)


# A swizzle of a sum and what is added to it: the sum has one of the axes reduced.
SWIZZLED_SUM: dict[str, Any] = {
    "shape": [2, 2],
    "static": True,
    "operations": [("sum", 0, 0, 0)],
    "steps": [("swizzle", 0, 1, 2)],
    "outputs": [],
    "copies": [],
    "cache_output": False,
    "rfactor": False,
    "types": [],
    "memory": ["local"] * 8,
    "inline": "none",
    "position": 0,
}


@example(program=SWIZZLED_SUM)
@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=programs())
def test_random_schedules_of_random_fusions(program: dict[str, Any], device: str) -> None:
    run(program, device)
