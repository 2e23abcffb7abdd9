"""Random graphs become CUDA kernels that their schedulers can do, none of which is run.

To write a kernel takes a hundredth of the time that it takes to compile and emulate it: so many
more graphs are tried than the tests of values do.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import random_graphs
import test_mixed_shapes
import test_values_views
import torch
from random_graphs import Graph
from thread_work import statements_of_a_thread

from nvfuser import FusionDefinition, PythonProfiler, TensorView

# Elements of an array that a thread has for what its loops compute at a time. Larger ones are whole
# tensors, which each thread would compute for itself.
ELEMENTS_OF_A_THREAD = 128
_ARRAY = re.compile(r"^  (?:alignas\(\d+\) )?[\w: ]+ (T\d+)\[(\d+)\];", re.MULTILINE)


def whole_tensors(kernels: list[str]) -> list[str]:
    """Name the tensors that each thread of a kernel computes as a whole."""
    arrays = _ARRAY.findall("".join(kernels))
    return [name for name, size in arrays if int(size) > ELEMENTS_OF_A_THREAD]


ANY = (random_graphs.add_any, False)
KEEPING = (random_graphs.add_any, True)
MIXED = (test_mixed_shapes.add_mixed, False)


@pytest.mark.parametrize(("add", "keeps"), [ANY, KEEPING, MIXED])
def test_schedulers_do_what_they_accept(
    add: Callable[[Graph], None],
    keeps: bool,
    seeds: Iterator[int],
    planning_device: str,
    kernels: list[str],
) -> None:
    failed = []
    for seed in seeds:
        kernels.clear()
        graph, _ = random_graphs.build(random_graphs.Seeded(seed), planning_device, keeps, add)
        try:
            random_graphs.run(graph)
        except RuntimeError as error:
            print(f"seed {seed}: {error}", flush=True)
            failed.append(seed)
        for name in whole_tensors(kernels):
            print(f"seed {seed}: each thread computes all of {name}", flush=True)
            failed.append(seed)
    assert not failed


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        pytest.param(1829517690, ANY, id="an output that is a copy of a tile"),
        pytest.param(3025258699, KEEPING, id="outputs that are copies of a tile of words"),
        pytest.param(1129594346, ANY, id="an empty one"),
        pytest.param(3447688024, ANY, id="an output of an expanded input"),
        pytest.param(1109629825, ANY, id="an input beside its broadcasts"),
        pytest.param(1186090863, ANY, id="a view across the memory of another output"),
        pytest.param(1632618994, KEEPING, id="a view of parts across the memory of another output"),
        pytest.param(2744814144, KEEPING, id="a transpose beside what is not"),
        pytest.param(1286970023, ANY, id="pairs of scanned elements"),
        pytest.param(1082467447, KEEPING, id="pairs of scanned elements of a pad"),
        pytest.param(1653446842, ANY, id="pairs of scanned columns"),
        pytest.param(4022702596, KEEPING, id="a scan repeated along a dimension of a mask"),
        pytest.param(4113245513, KEEPING, id="a scan without a dimension of one element"),
        pytest.param(3187337864, ANY, id="scans of scans without a dimension of one element"),
        pytest.param(2819635251, ANY, id="a scan without an expanded dimension"),
        pytest.param(3877641253, KEEPING, id="a scan without two dimensions of one element"),
        pytest.param(1648128206, KEEPING, id="a scatter that is stored in another order"),
        pytest.param(2630743324, ANY, id="a scatter of an expanded input in another order"),
        pytest.param(1849408663, ANY, id="sums of parts of rows"),
        pytest.param(2123976697, KEEPING, id="pairs of elements of a permuted input"),
        pytest.param(907184156, ANY, id="pairs of elements of a slice of columns"),
        pytest.param(2750172466, KEEPING, id="pads of a view beside the view"),
        pytest.param(4217209234, ANY, id="pads of a view beside rows"),
        pytest.param(1820308617, KEEPING, id="pads of a padded input"),
        pytest.param(977101926, ANY, id="a concatenation of a view, padded"),
        pytest.param(3711105730, ANY, id="an input beside a pad of its view"),
        pytest.param(2471675895, KEEPING, id="a slice of a view of columns"),
        pytest.param(933924510, MIXED, id="a view of a concatenation beside its operand"),
        pytest.param(979972587, MIXED, id="a view of an expanded input"),
        pytest.param(4230649994, MIXED, id="a view of an input beside a concatenation"),
        pytest.param(1321113728, MIXED, id="vectors of a view of rows of odd length"),
        pytest.param(3144897217, ANY, id="vectors of columns of three dimensions"),
        pytest.param(1348132956, ANY, id="vectors of a result of three dimensions"),
        pytest.param(3226094156, ANY, id="vectors of a tile of three dimensions"),
        pytest.param(4036545960, ANY, id="a copy that lacks a dimension of its operand"),
        pytest.param(3987560755, ANY, id="a load of which a slice has a copy"),
        pytest.param(2447781366, ANY, id="copies that nothing reads once others are one"),
        pytest.param(126425203, ANY, id="a kernel of nothing but such copies"),
        pytest.param(3018769278, ANY, id="a view of an input beside what it is made of"),
        pytest.param(2432685989, ANY, id="sizes that are known late to be one"),
        pytest.param(809775984, MIXED, id="two broadcasts of a broadcast meet"),
        pytest.param(318429439, MIXED, id="a broadcast beside another one of the same"),
        pytest.param(1435914650, ANY, id="pairs of the elements of an output"),
        pytest.param(3303383979, ANY, id="pairs of what is looked up"),
        pytest.param(1371850906, MIXED, id="pairs of an expanded input"),
    ],
)
def test_schedulers_do_not_accept_what_they_cannot_do(
    seed: int, kind: tuple[Callable[[Graph], None], bool], planning_device: str
) -> None:
    add, keeps = kind
    random_graphs.run(
        random_graphs.build(random_graphs.Seeded(seed), planning_device, keeps, add)[0]
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("is_permuted", [False, True])
@pytest.mark.parametrize("operation", ["neg", "set"])
def test_matrix_beside_its_transpose_is_one_kernel(
    operation: str,
    is_permuted: bool,
    dtype: torch.dtype,
    planning_device: str,
    kernels: list[str],
) -> None:
    x = torch.zeros(200, 300, dtype=dtype, device=planning_device)
    with FusionDefinition() as fd:
        value = fd.from_pytorch(x)
        fd.add_output(fd.ops.neg(fd.ops.permute(value, [1, 0])))
        other = getattr(fd.ops, operation)(value)
        fd.add_output(fd.ops.stride_order(other, [0, 1]) if is_permuted else other)
    fd.execute([x], _disable_options=["fallback"])
    assert [kernel.count("__global__") for kernel in kernels] == [1]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("operation", ["squeeze", "exp"])
@pytest.mark.parametrize(
    ("shape", "view"),
    [
        ((64, 48, 80), (3072, 80)),
        ((64, 48, 80), (64, 3840)),
        ((64, 48, 2), (64, 96)),
        ((2, 3, 64), (6, 64)),
    ],
)
def test_views_beside_outputs_in_another_order(
    shape: tuple[int, ...],
    view: tuple[int, ...],
    operation: str,
    order: tuple[int, ...],
    planning_device: str,
) -> None:
    x = torch.zeros((1, *shape), device=planning_device)
    with FusionDefinition() as fd:
        value = fd.from_pytorch(x)
        if operation == "exp":
            value = fd.ops.exp(value)
        value = fd.ops.squeeze(value, [0])
        fd.add_output(fd.ops.stride_order(value, list(order)))
        fd.add_output(fd.ops.reshape(value, list(view)))
    fd.execute([x], _disable_options=["fallback"])


VIEWS = {
    "one behind the other": lambda ops, x: [ops.reshape(ops.reshape(x, [32, 16, 96]), [512, 96])],
    "one beside the other": lambda ops, x: [
        ops.reshape(x, [512, 12, 8]),
        ops.reshape(x, [32, 16, 96]),
    ],
}


@pytest.mark.parametrize("views", VIEWS.values(), ids=VIEWS)
def test_loops_are_merged_like_views(
    views: Callable[[Any, TensorView], list[TensorView]],
    planning_device: str,
    kernels: list[str],
) -> None:
    x = torch.zeros(32, 16, 12, 8, device=planning_device)
    with FusionDefinition() as fd:
        value = fd.ops.exp(fd.from_pytorch(x))
        fd.add_output(value)
        for view in views(fd.ops, value):
            fd.add_output(fd.ops.neg(view))
    fd.execute([x], _disable_options=["fallback"])
    assert [kernel.count("__global__") for kernel in kernels] == [1]
    assert all(count < 200 for count in statements_of_a_thread(kernels[0]).values())


def test_views_that_merge_parts_of_each_other_are_apart(
    planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(32, 16, 12, 8, device=planning_device)
    with FusionDefinition() as fd:
        value = fd.ops.exp(fd.from_pytorch(x))
        fd.add_output(value)
        for shape in ([512, 12, 8], [32, 192, 8]):
            fd.add_output(fd.ops.neg(fd.ops.reshape(value, shape)))
    fd.execute([x], _disable_options=["fallback"])
    assert len(kernels) > 1
    for kernel in kernels:
        assert all(count < 200 for count in statements_of_a_thread(kernel).values())


@pytest.mark.parametrize(("shape", "dims"), test_values_views.SHORT_SIDES)
def test_short_dimensions_are_a_side_of_a_tile(
    shape: tuple[int, ...], dims: tuple[int, ...], planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(shape, device=planning_device)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.ops.permute(fd.from_pytorch(x), list(dims))))
    fd.execute([x])
    assert ["shared_vectors" in kernel for kernel in kernels] == [True]


@pytest.mark.parametrize(("rows", "phases"), [(3, 1), (128, 1), (1000, 1), (40_000, 5)])
def test_columns_that_fit_registers_are_one_kernel(
    rows: int, phases: int, planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(rows, 256, device=planning_device)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.softmax(fd.from_pytorch(x), 0))
    fd.execute([x])
    assert [kernel.count("__global__") for kernel in kernels] == [phases]


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        pytest.param(371472057, KEEPING, id="a slice beside the minimum of a pad"),
        pytest.param(1684190827, KEEPING, id="a pad beside the sum of what is padded"),
        pytest.param(3075122029, MIXED, id="pairs of elements of a view beside its operand"),
        pytest.param(2480381912, MIXED, id="pairs of elements of a view"),
        pytest.param(329690232, ANY, id="pairs of elements of a view of an output"),
    ],
)
def test_no_thread_computes_whole_tensors(
    seed: int, kind: tuple[Callable[[Graph], None], bool], planning_device: str, kernels: list[str]
) -> None:
    add, keeps = kind
    random_graphs.run(
        random_graphs.build(random_graphs.Seeded(seed), planning_device, keeps, add)[0]
    )
    assert whole_tensors(kernels) == []


@pytest.mark.parametrize("static_sizes", [False, True])
@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
@pytest.mark.parametrize("part", ["slice", "pad"])
def test_parts_beside_sums_are_computed_by_blocks(
    part: str, dims: list[int], static_sizes: bool, planning_device: str, kernels: list[str]
) -> None:
    """The loops of sums run over other elements; one thread would compute the parts."""
    x = torch.zeros(128, 300, device=planning_device)
    with FusionDefinition() as fd:
        value = fd.ops.exp(
            fd.define_tensor(sizes=[128, 300], strides=[300, 1], static_sizes=static_sizes)
        )
        fd.add_output(fd.ops.sum(value, dims))
        is_slice = part == "slice"
        cut = fd.ops.slice(value, [0, 10], [128, 74]) if is_slice else fd.ops.pad(value, [1, 3])
        fd.add_output(cut)
    fd.execute([x], _disable_options=["fallback"])
    assert all("__launch_bounds__(1)" not in kernel for kernel in kernels)


def _softmax_of_pairs(ops: Any, x: TensorView, mask: TensorView) -> TensorView:
    rows = ops.broadcast(mask, [False, True, False])
    columns = ops.broadcast(mask, [False, False, True])
    return ops.softmax(ops.where(ops.logical_and(rows, columns), x, -1e9), 2)


def _distances(ops: Any, x: TensorView, _mask: TensorView) -> TensorView:
    z = ops.sub(
        ops.broadcast(x, [False, True, False, False]), ops.broadcast(x, [True] + 3 * [False])
    )
    return ops.sum(ops.mul(z, z), [2, 3])


def _symmetric(ops: Any, x: TensorView, _mask: TensorView) -> TensorView:
    return ops.mul(ops.add(x, ops.permute(x, [0, 2, 1])), 0.5)


def _neighbours(ops: Any, x: TensorView, _mask: TensorView) -> TensorView:
    padded = ops.pad(x, [1, 1, 1, 1])
    parts = []
    for start in ([0, 0, 1], [0, 2, 1]):
        rows = ops.slice(padded, [0, start[1], 0], [16, start[1] + 64, 66])
        parts.append(ops.slice(rows, [0, 0, start[2]], [16, 64, start[2] + 64]))
    return ops.sub(ops.add(*parts), x)


@pytest.mark.parametrize("function", [_softmax_of_pairs, _distances, _symmetric, _neighbours])
def test_what_meets_itself_is_one_kernel(
    function: Callable[..., TensorView], planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(16, 64, 64, device=planning_device)
    mask = torch.zeros(16, 64, dtype=torch.bool, device=planning_device)
    with FusionDefinition() as fd:
        fd.add_output(function(fd.ops, fd.from_pytorch(x), fd.from_pytorch(mask)))
    with PythonProfiler() as profiler:
        fd.execute([x, mask])
    assert sum(kernel.count("__global__") for kernel in kernels) <= 1 + (function is _distances)
    # It is read under each of its names, and written nowhere.
    (kernel,) = profiler.profile.kernel_profiles
    assert kernel.input_bytes <= 2 * (x.nbytes + mask.nbytes)


def test_transposed_operand_is_read_in_tiles(planning_device: str, kernels: list[str]) -> None:
    x = torch.zeros(512, 512, device=planning_device)
    with FusionDefinition() as fd:
        value = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(value, fd.ops.permute(value, [1, 0])))
    fd.execute([x])
    assert ["shared_vectors" in kernel for kernel in kernels] == [True]
