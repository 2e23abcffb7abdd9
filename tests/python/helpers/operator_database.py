"""torch's database of operators: what becomes of each in a graph, compared with eager mode.

As a script it writes docs/torch_operators.md::

    python tests/python/helpers/operator_database.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from functorch.compile import aot_function, min_cut_rematerialization_partition
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
)
from torch.utils import _pytree as pytree

import nvfuser
from nvfuser.frontend.capture import TracingError
from nvfuser.frontend.conversion import Conversion
from nvfuser.frontend.decompositions import decompositions
from nvfuser.frontend.limits import Limit

with warnings.catch_warnings():
    # Of what it imports by itself where it is installed, like Numba.
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch.testing._internal.common_methods_invocations import op_db

OPERATORS = sorted(op_db, key=lambda op: op.formatted_name)

# What two runs of eager mode do not agree on: only shapes, strides and dtypes are compared.
_RANDOM = frozenset(
    [
        "bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided",
        "exponential", "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided",
        "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
        "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout",
        "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d",
        "nn.functional.multi_head_attention_forward", "nn.functional.rrelu",
        "nn.functional.scaled_dot_product_attention", "normal", "pca_lowrank", "rand_like",
        "randint", "randint_like", "randn", "randn_like", "svd_lowrank", "uniform",
        "torch.ops.aten._efficient_attention_forward",
        "torch.ops.aten._flash_attention_forward",
    ]
)  # fmt: skip

# What torch's own graphs, run by torch, have other values of than eager mode.
_OTHER_IN_GRAPHS = frozenset(
    [
        ("nn_functional_interpolate_bicubic", torch.uint8),
        ("nn_functional_interpolate_bilinear", torch.uint8),
        ("nn_functional_upsample_bilinear", torch.uint8),
        ("linalg_pinv", torch.complex64),
        ("linalg_pinv_singular", torch.complex64),
        ("pinverse", torch.complex64),
    ]
)

# Of the largest magnitude: what roundings in another order may change.
_TOLERANCES = {
    torch.float64: 1e-9,
    torch.float32: 2e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}
# What this may be of the error of eager mode beside it.
_TIMES = 4.0


class Outcome:
    """What became of the graphs of an operator.

    Attributes
    ----------
    generated, called : set of str
        Operators of torch in them that kernels were generated for, and that were left to torch.
    eager : set of str
        Why graphs, or what would have been one, were left to torch.
    samples, compared : int
        How many samples eager mode has a result for, and how many were like it.
    """

    def __init__(self) -> None:
        self.generated: set[str] = set()
        self.called: set[str] = set()
        self.eager: set[str] = set()
        self.samples = 0
        self.compared = 0

    def kind(self) -> str:
        """Return the most that was left to torch."""
        if self.called:
            return "library call"
        return "generated" if self.compared else "eager"


def dtypes_of(op: Any, device: str) -> list[torch.dtype]:
    """Return the dtypes that are compared, Float first."""
    order = [
        *(torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16),
        *(torch.float64, torch.float16, torch.int32, torch.uint8, torch.int8),
    ]
    supported = op.supported_dtypes(device)
    return [dtype for dtype in order if dtype in supported]


def compare(
    op: Any,
    device: str,
    dtype: torch.dtype,
    outcome: Outcome,
    *,
    door: str = "compile",
    samples: int | None = None,
    gradients: bool = True,
) -> None:
    """Run samples of an operator as graphs, and compare them with eager mode.

    Parameters
    ----------
    op : torch.testing._internal.opinfo.core.OpInfo
    device : str
    dtype : torch.dtype
    outcome : Outcome
        What became of them is added.
    door : {"compile", "jit"}
        Whether samples are graphs of their sizes, as those of ``torch.compile`` are at first, or
        go through ``nvfuser.jit``, which leaves sizes open.
    samples : int, optional
        How many; all without.
    gradients : bool
        Whether gradients are compared where there are any.

    Raises
    ------
    AssertionError
        For results that differ.
    """
    has_gradients = gradients and op.supports_autograd and dtype.is_floating_point
    torch.manual_seed(0)
    given = op.sample_inputs(device, dtype, requires_grad=has_gradients)
    for number, sample in enumerate(given):
        if number == samples:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _compare_sample(op, sample, has_gradients, outcome, door)
            except AssertionError as error:
                text = f"{op.formatted_name} of {dtype}, sample {number}: {error}\n{sample}"
                raise AssertionError(text) from error


class _Sample:
    """A sample as a function of its tensors."""

    def __init__(self, op: Any, sample: Any) -> None:
        self._op = op.op
        arguments = ((sample.input, *sample.args), sample.kwargs)
        self._leaves, self._spec = pytree.tree_flatten(arguments)
        self._places = [i for i, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]

    def __call__(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self._spec)
        results = pytree.tree_leaves(self._op(*args, **kwargs))
        return tuple(result for result in results if isinstance(result, torch.Tensor))

    def tensors(self, dtype: Callable[[torch.dtype], torch.dtype]) -> list[torch.Tensor]:
        """Return copies of the tensors."""
        given = [self._leaves[place] for place in self._places]
        return [
            x.detach().clone().to(dtype(x.dtype)).requires_grad_(x.requires_grad) for x in given
        ]


# What eager mode can run and no graph of one shape can hold: Dynamo leaves it out of graphs.
_NO_GRAPH = (
    "Please convert all Tensors to FakeTensors",
    "data-dependent",
    "Dynamic shape",
)


def _compare_sample(op: Any, given: Any, gradients: bool, outcome: Outcome, door: str) -> None:
    sample = _Sample(op, given)
    try:
        expected = _results(sample, sample.tensors(lambda dtype: dtype), gradients)
    except (AssertionError, RuntimeError, ValueError, TypeError, IndexError):
        return  # Nor can eager mode.
    outcome.samples += 1
    if any(isinstance(x, FakeTensor) or x.layout is not torch.strided for x in expected):
        outcome.eager.add("sparse tensors")
        return
    compiled = DOORS[door](sample, outcome)
    # The second call of nvfuser.jit is one of native code.
    for _ in range(2 if door == "jit" else 1):
        try:
            results = _results(compiled, sample.tensors(lambda dtype: dtype), gradients)
        except Limit as limit:
            outcome.eager.add(str(limit))
            return
        except (TracingError, DataDependentOutputException, DynamicOutputShapeException):
            outcome.eager.add("the shapes or values of results are data")
            return
        except Exception as error:
            if any(text in str(error) for text in _NO_GRAPH):
                outcome.eager.add("the shapes or values of results are data")
                return
            raise AssertionError(f"{type(error).__name__}: {error}") from error
        _compare_results(op, sample, results, expected, gradients)
    outcome.compared += 1


def _graph_of(sample: _Sample, outcome: Outcome) -> Callable[..., Any]:
    def compile_part(graph: torch.fx.GraphModule, _: Any) -> Any:
        conversion = Conversion(graph, is_strict=True)
        call = conversion.run()
        outcome.generated |= set(conversion.generated)
        outcome.called |= set(conversion.called)
        return call

    compiled: Callable[..., Any] = aot_function(
        sample,
        fw_compiler=compile_part,
        bw_compiler=compile_part,
        partition_fn=min_cut_rematerialization_partition,
        decompositions=decompositions(),
        keep_inference_input_mutations=True,
    )
    return compiled


def _jitted(sample: _Sample, outcome: Outcome) -> Callable[..., Any]:
    return nvfuser.jit(lambda *tensors: sample(*tensors))


DOORS = {"compile": _graph_of, "jit": _jitted}


def _results(
    function: Callable[..., tuple[torch.Tensor, ...]], tensors: list[torch.Tensor], gradients: bool
) -> list[torch.Tensor]:
    """Return results, and gradients behind them."""
    results = function(*tensors)
    found = [result.detach() for result in results]
    inputs = [tensor for tensor in tensors if tensor.requires_grad]
    outputs = [result for result in results if result.requires_grad]
    if not gradients or not inputs or not outputs:
        return found
    torch.manual_seed(1)
    seeds = [torch.randn(x.shape, dtype=torch.float64).to(x.device, x.dtype) for x in outputs]
    grads = torch.autograd.grad(outputs, inputs, seeds, allow_unused=True)
    return found + [grad for grad in grads if grad is not None]


def _compare_results(
    op: Any,
    sample: _Sample,
    results: list[torch.Tensor],
    expected: list[torch.Tensor],
    gradients: bool,
) -> None:
    for ours, theirs in zip(results, expected, strict=True):
        assert (ours.dtype, ours.shape, ours.device) == (theirs.dtype, theirs.shape, theirs.device)
    if op.name in _RANDOM or any(
        (op.formatted_name, x.dtype) in _OTHER_IN_GRAPHS for x in expected
    ):
        return
    try:
        torch.testing.assert_close(results, expected, equal_nan=True)
    except AssertionError:
        if all(_TOLERANCES.get(x.dtype) is None for x in expected):
            raise
        _compare_with_exact(sample, results, expected, gradients)


def _compare_with_exact(
    sample: _Sample,
    results: list[torch.Tensor],
    expected: list[torch.Tensor],
    gradients: bool,
) -> None:
    """Allow errors that eager mode has as well: those of the latter are measured in Double."""
    wide = sample.tensors(lambda dtype: torch.float64 if dtype.is_floating_point else dtype)
    exact = _results(sample, wide, gradients)
    for ours, theirs, right in zip(results, expected, exact, strict=True):
        tolerance = _TOLERANCES.get(theirs.dtype)
        if tolerance is None:
            torch.testing.assert_close(ours, theirs, equal_nan=True)
            continue
        finite = right.isfinite() & theirs.isfinite()
        assert torch.equal(ours.isfinite() | ~finite, torch.ones_like(finite)), "not finite"
        if not finite.any():
            continue
        scale = right[finite].abs().max() + 1.0
        error = (ours.double() - right)[finite].abs().max()
        allowed = _TIMES * (theirs.double() - right)[finite].abs().max() + tolerance * scale
        assert error <= allowed, f"the error is {error:.3g}, not within {allowed:.3g}"


# --------------------------------------------------------------------------------- the table

_PAGE = """\
# Operators of PyTorch

This table shows how each operator is computed in a graph of
[`torch.compile`](guide.md#torch-compile) or in an exported program. The rows come from torch's own
operator database, for samples in Float on the CPU, or in another dtype if there is no Float.
`python tests/python/helpers/operator_database.py` writes this page.

- **generated**: by kernels, fused with the operations before and after.
- **library call**: torch computes at least one of its parts, between the kernels and in the same
  native loop. The last column names these parts.
- **eager**: outside of graphs, or in graphs that torch runs. The last column gives the reason.

| operator | computed | by torch |
|---|---|---|
"""


def rows(device: str) -> Iterator[tuple[str, str, str]]:
    """Yield operator, kind, and what is left to torch."""
    for op in OPERATORS:
        dtypes = dtypes_of(op, device)
        if not dtypes:
            continue
        outcome = Outcome()
        compare(op, device, dtypes[0], outcome, samples=3, gradients=False)
        names = sorted(f"`{name.removesuffix('.default')}`" for name in outcome.called)
        kind = outcome.kind()
        said = sorted(outcome.eager) if kind == "eager" else names
        if kind == "eager" and not said:
            continue  # Eager mode had no sample, either.
        yield f"`{op.formatted_name}`", kind, ", ".join(said)


def write_page(device: str = "cpu") -> None:
    """Write docs/torch_operators.md."""
    page = Path(__file__).resolve().parents[3] / "docs" / "torch_operators.md"
    lines = [f"| {' | '.join(row)} |" for row in rows(device)]
    page.write_text(_PAGE + "\n".join(lines) + "\n")


if __name__ == "__main__":
    write_page()
