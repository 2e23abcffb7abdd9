"""Cost of one call, beside the work of its kernel.

    pytest bench/test_call_cost.py --benchmark-columns=min,median --benchmark-sort=min

Question: what does a call cost with 1, 2, 8 and 16 tensors and with scalars, how much of it is the
conversion of arguments, and how does that compare with one call of eager torch?

Takeaway: a call costs half of one eager add up to 2 tensors, less than one up to 16, and one with
given outputs a fifth to a half. Each further tensor adds 15 to 20 ns, a number 6 to 15. Minima in
nanoseconds, of which the loop and the lambda around every call are 40 (2 cores of an AMD EPYC 9005
with other work on them, torch 2.13, CPython 3.11):

    tensors                       1       2       8      16
    convert                      72      79     135     225
    fd.execute                  477     507     587     714
    fd.execute, outputs given   190     214     319     455
    plan                        461     493     595     739
    plan, outputs given         173     196     314     470
    torch: one add              957     962     962     972
    torch: the chain           1062    1954    7578   14980
    torch.compile              9360   10160   12130   15153
    tvm-ffi, doing nothing      228     299     837    1525

As an operator of torch, which is what torch.compile and torch.export record of a call, most is
torch's own way from Python to any operator that takes a list (on a slower machine, where
fd.execute takes 710 to 1080 and an add 1240):

    nvfuser::execute           3890    4070    5070    6100
    aten::stack                2560    2740    3730    4920

Every tensor is 4x4 fp32: all that is measured is the way to the kernel and back. n inputs are added
up and go through a relu, one output. Peers: eager torch (one `add` as well as the same chain of
operations), torch.compile of that chain where it is usable, and a tvm-ffi function that does
nothing with its arguments, where apache-tvm-ffi is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import torch

from nvfuser import _C, DataType, FusionDefinition
from nvfuser.cli.peers import compile_or_none, why_not_compile

if TYPE_CHECKING:
    from conftest import Measure

COUNTS = [1, 2, 8, 16]
SCALARS = {"bool": True, "int": 3, "float": 2.5, "complex": 1.0 + 2.0j}


def tensors(count: int, device: str) -> list[torch.Tensor]:
    return [torch.randn(4, 4, device=device) for _ in range(count)]


def calling(
    function: Callable[..., Any], inputs: list[Any], keywords: str = "", **names: Any
) -> Any:
    """Return a function that calls another one with its inputs written out, as a program does."""
    places = {f"x{i}": value for i, value in enumerate(inputs)}
    call = ", ".join([*places, keywords] if keywords else places)
    return eval(f"lambda: function({call})", {"function": function, **places, **names})


def sum_relu(*inputs: torch.Tensor) -> torch.Tensor:
    """The chain of operations, in eager torch."""
    total = inputs[0]
    for value in inputs[1:]:
        total = total + value
    return torch.relu(total)


@cache
def sum_relu_fusion(count: int) -> FusionDefinition:
    """The same as a fusion."""
    with FusionDefinition() as fd:
        values = [fd.define_tensor(shape=[-1, -1], contiguity=True) for _ in range(count)]
        total = values[0]
        for value in values[1:]:
            total = fd.ops.add(total, value)
        fd.add_output(fd.ops.relu(total))
    return fd


# ---------------------------------------------------------------- conversion alone


@pytest.mark.parametrize("count", [0, *COUNTS])
def test_convert_tensors(count: int, device: str, measure: Measure) -> None:
    inputs = tensors(count, device)
    convert = _C.count_arguments
    assert measure("convert arguments", lambda: convert(inputs)) == count


@pytest.mark.parametrize("kind", SCALARS)
def test_convert_8_scalars(kind: str, measure: Measure) -> None:
    inputs = [SCALARS[kind]] * 8
    convert = _C.count_arguments
    assert measure("convert arguments", lambda: convert(inputs)) == 8


def test_nothing(measure: Measure) -> None:
    measure("the loop around every call", lambda: None)


# ---------------------------------------------------------------- n tensors


def check(outputs: list[torch.Tensor], inputs: list[torch.Tensor]) -> None:
    torch.testing.assert_close(outputs[0], sum_relu(*inputs))


@pytest.mark.parametrize("count", COUNTS)
def test_execute(count: int, device: str, measure: Measure) -> None:
    fd, inputs = sum_relu_fusion(count), tensors(count, device)
    check(measure(f"{count:2} tensors", lambda: fd.execute(inputs)), inputs)


@pytest.mark.parametrize("count", COUNTS)
def test_execute_outputs(count: int, device: str, measure: Measure) -> None:
    fd, inputs, outputs = sum_relu_fusion(count), tensors(count, device), tensors(1, device)
    check(measure(f"{count:2} tensors", lambda: fd.execute(inputs, outputs=outputs)), inputs)


@pytest.mark.parametrize("count", COUNTS)
def test_plan(count: int, device: str, measure: Measure) -> None:
    inputs = tensors(count, device)
    plan = sum_relu_fusion(count).bind(inputs)
    check(measure(f"{count:2} tensors", calling(plan, inputs)), inputs)


@pytest.mark.parametrize("count", COUNTS)
def test_plan_outputs(count: int, device: str, measure: Measure) -> None:
    inputs, outputs = tensors(count, device), tensors(1, device)
    plan = sum_relu_fusion(count).bind(inputs)
    call = calling(plan, inputs, "outputs=outputs", outputs=outputs)
    check(measure(f"{count:2} tensors", call), inputs)


@pytest.mark.parametrize("count", COUNTS)
def test_torch_one_add(count: int, device: str, measure: Measure) -> None:
    a, b = tensors(2, device)
    measure(f"{count:2} tensors", lambda: torch.add(a, b))


@pytest.mark.parametrize("count", COUNTS)
def test_torch_one_add_out(count: int, device: str, measure: Measure) -> None:
    a, b, out = tensors(3, device)
    measure(f"{count:2} tensors", lambda: torch.add(a, b, out=out))


@pytest.mark.parametrize("count", COUNTS)
def test_torch_chain(count: int, device: str, measure: Measure) -> None:
    measure(f"{count:2} tensors", calling(sum_relu, tensors(count, device)))


# ---------------------------------------------------------------- as an operator of torch


@pytest.mark.parametrize("count", COUNTS)
def test_operator(count: int, device: str, measure: Measure) -> None:
    """The call as what torch.compile and torch.export record of it."""
    fd, inputs = sum_relu_fusion(count), tensors(count, device)
    fd.execute(inputs)
    definition = _describe(fd)
    operator = torch.ops.nvfuser.execute.default
    check(measure(f"{count:2} tensors", lambda: operator(inputs, [], [], definition)), inputs)


def _describe(fd: FusionDefinition) -> str:
    from nvfuser.torch_operator import description_of

    definition, *_ = description_of(fd.fec)
    return definition


@pytest.mark.parametrize("count", COUNTS)
def test_torch_operator_of_a_list(count: int, device: str, measure: Measure) -> None:
    inputs, operator = tensors(count, device), torch.ops.aten.stack.default
    measure(f"{count:2} tensors", lambda: operator(inputs))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torch_compile(count: int, device: str, measure: Measure) -> None:
    inputs = tensors(count, device)
    compiled = None
    reason: Any = why_not_compile(device)
    if reason is None:
        torch.compiler.reset()
        compiled, reason = compile_or_none(sum_relu, [tuple(inputs)])
    if compiled is None:
        pytest.skip(f"torch.compile is not usable here: {reason}")
    check([measure(f"{count:2} tensors", calling(compiled, inputs))], inputs)


@pytest.mark.parametrize("count", COUNTS)
def test_tvm_ffi_nothing(count: int, device: str, measure: Measure) -> None:
    measure(f"{count:2} tensors", calling(tvm_ffi_nothing(), tensors(count, device)))


def tvm_ffi_nothing() -> Callable[..., None]:
    tvm_ffi = pytest.importorskip("tvm_ffi", reason="apache-tvm-ffi is not installed")
    pytest.importorskip("tvm_ffi.testing")
    return tvm_ffi.get_global_func("testing.nop")


# ---------------------------------------------------------------- scalars


def multiply(x: torch.Tensor, *factors: float) -> torch.Tensor:
    for factor in factors:
        x = x * factor
    return x


@cache
def multiply_fusion(count: int) -> FusionDefinition:
    with FusionDefinition() as fd:
        product = fd.define_tensor(shape=[-1, -1], contiguity=True)
        for _ in range(count):
            product = fd.ops.mul(product, fd.define_scalar(dtype=DataType.Double))
        fd.add_output(product)
    return fd


@pytest.mark.parametrize("count", [1, 8])
def test_scalars_execute(count: int, device: str, measure: Measure) -> None:
    fd, inputs = multiply_fusion(count), [*tensors(1, device), *[1.5] * count]
    (output,) = measure(f" 1 tensor, {count} floats", lambda: fd.execute(inputs))
    torch.testing.assert_close(output, multiply(*inputs))


@pytest.mark.parametrize("count", [1, 8])
def test_scalars_plan_outputs(count: int, device: str, measure: Measure) -> None:
    inputs, outputs = [*tensors(1, device), *[1.5] * count], tensors(1, device)
    plan = multiply_fusion(count).bind(inputs)
    call = calling(plan, inputs, "outputs=outputs", outputs=outputs)
    (output,) = measure(f" 1 tensor, {count} floats", call)
    torch.testing.assert_close(output, multiply(*inputs))


@pytest.mark.parametrize("count", [1, 8])
def test_scalars_torch_chain(count: int, device: str, measure: Measure) -> None:
    inputs = [*tensors(1, device), *[1.5] * count]
    measure(f" 1 tensor, {count} floats", calling(multiply, inputs))


@pytest.mark.parametrize("count", [1, 8])
def test_scalars_tvm_ffi_nothing(count: int, device: str, measure: Measure) -> None:
    inputs = [*tensors(1, device), *[1.5] * count]
    measure(f" 1 tensor, {count} floats", calling(tvm_ffi_nothing(), inputs))
