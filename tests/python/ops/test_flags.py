"""Boolean parameters take what Python's bool() makes of an integer, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import nvfuser
from nvfuser import CompileParams, DataType, FusionDefinition, idm, ops, schedule


def tensor(fd: FusionDefinition, *shape: int, dtype: DataType = DataType.Float) -> Any:
    return fd.define_tensor(shape=list(shape), contiguity=True, dtype=dtype)


def transformed(fd: FusionDefinition, change: Callable[[Any], Any]) -> Any:
    """What a change of the copy of an input returns."""
    copy = fd.ops.set(tensor(fd, 4, 6))
    fd.add_output(copy)
    return change(copy)


# What takes a flag, by the name of the operation and of its parameter.
CASES: dict[str, Callable[[FusionDefinition, Any], Any]] = {
    "sum.keepdim": lambda fd, f: ops.sum(tensor(fd, 4, 6), [0], f),
    "sum.keepdim of one dim": lambda fd, f: ops.sum(tensor(fd, 4, 6), 0, keepdim=f),
    "max.keepdim": lambda fd, f: ops.max(tensor(fd, 4, 6), [0], f),
    "min.keepdim": lambda fd, f: ops.min(tensor(fd, 4, 6), 0, f),
    "prod.keepdim": lambda fd, f: ops.prod(tensor(fd, 4, 6), [0], keepdim=f),
    "mean.keepdim": lambda fd, f: ops.mean(tensor(fd, 4, 6), [0], f),
    "var.keepdim": lambda fd, f: ops.var(tensor(fd, 4, 6), [0], 1, f),
    "var_mean.keepdim": lambda fd, f: ops.var_mean(tensor(fd, 4, 6), [0], 1, f)[0],
    "squeeze.squeeze_expanded": lambda fd, f: ops.squeeze(tensor(fd, 1, 6), [0], f),
    "slice.manual_normalization": lambda fd, f: ops.slice(
        tensor(fd, 4, 6), [0, 1], [2, 3], [1, 1], manual_normalization=f
    ),
    "cat.manual_padding": lambda fd, f: ops.cat(
        [ops.pad(tensor(fd, 4), [0, 4]), ops.pad(tensor(fd, 4), [4, 0])], 0, manual_padding=f
    ),
    "scatter.accumulate": lambda fd, f: ops.scatter(
        tensor(fd, 4), ops.iota(fd.define_scalar(4)), tensor(fd, 4), 0, f
    ),
    "broadcast.is_broadcast_dim": lambda fd, f: ops.broadcast(tensor(fd, 4), [not f, f]),
    "topk.largest": lambda fd, f: ops.topk(tensor(fd, 4, 6), fd.define_scalar(2), 0, f)[0],
    "topk.sorted": lambda fd, f: ops.topk(tensor(fd, 4, 6), fd.define_scalar(2), sorted=f)[0],
    "argsort.descending": lambda fd, f: ops.argsort(tensor(fd, 4, 6), 0, f),
    "argsort.stable": lambda fd, f: ops.argsort(tensor(fd, 4, 6), 0, stable=f),
    "define_tensor.contiguity": lambda fd, f: fd.define_tensor([4, 6], f),
    "define_tensor.is_cpu": lambda fd, f: fd.define_tensor([], [], is_cpu=f),
    "define_tensor.static_sizes": lambda fd, f: fd.define_tensor(
        sizes=[4, 6], strides=[6, 1], static_sizes=f
    ),
    "split.inner_split": lambda fd, f: transformed(fd, lambda t: t.split(0, 2, f)),
    "set_allocation_domain.new_contiguity": lambda fd, f: transformed(
        fd, lambda t: t.set_allocation_domain([t.axis(1), t.axis(0)], f)
    ),
    "inline_at.best_effort": lambda fd, f: transformed(fd, lambda t: schedule.inline_at(t, 1, f)),
    "IdModel.build_graphs": lambda fd, f: transformed(
        fd, lambda _: idm.IdModel(fd.fusion, build_graphs=f)
    ),
    "CompileParams.enable_magic_zero": lambda fd, f: CompileParams(enable_magic_zero=f),
}


def made(case: str, flag: Any) -> str:
    with FusionDefinition() as fd:
        result = CASES[case](fd, flag)
        if isinstance(result, nvfuser.TensorView) and not fd.fusion.outputs():
            fd.add_output(result)
        text = repr(result) if isinstance(result, CompileParams) else ""
    return text + (repr(fd) + fd.fusion.print_math() if fd.fusion.outputs() else "")


@pytest.mark.no_round_trip
@pytest.mark.parametrize("case", CASES)
def test_integers_are_flags(case: str) -> None:
    assert made(case, 1) == made(case, True)
    # None of the definitions with another flag is wrong, but that of cat is without its pads.
    assert made(case, 0) == made(case, False)


@pytest.mark.no_round_trip
@pytest.mark.parametrize("flag", [1.0, 0.0, "1", None, [True]], ids=repr)
@pytest.mark.parametrize("case", CASES)
def test_nothing_else_is_one(case: str, flag: Any) -> None:
    if case == "broadcast.is_broadcast_dim":
        with pytest.raises(TypeError):
            ops.broadcast(None, [flag])
        return
    if case == "define_tensor.contiguity" and flag == [True]:
        flag = "yes"
    with pytest.raises(TypeError):
        made(case, flag)


@pytest.mark.no_round_trip
def test_attributes() -> None:
    params = nvfuser.ReductionParams()
    params.flip_grid = 1
    assert params.flip_grid is True
    with pytest.raises(TypeError):
        params.flip_grid = 1.0
    params = CompileParams()
    params.enable_ptxas_verbose = 1
    assert params.enable_ptxas_verbose is True


def test_every_flag_of_an_operation_is_tried() -> None:
    """Those of operations that need other inputs take them by the same type."""
    flags = set()
    for name in dir(ops):
        function = getattr(ops, name)
        for signature in getattr(function, "__nb_signature__", ()):
            parameters = re.findall(
                r"(\w+): (?:bool\b|collections.abc.Sequence\[bool\])", signature[0]
            )
            flags |= {f"{name}.{parameter}" for parameter in parameters}
    untried = {
        "grouped_mm.output_gamma",
        "scaled_mm.output_gamma",
        "nv_block_quantize.swizzle_block_scales",
    }
    assert flags - untried <= set(CASES)
    assert len(flags) > 10
