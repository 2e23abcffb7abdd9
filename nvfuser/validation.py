"""Comparing a fusion's outputs with references, within what rounding explains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nvfuser import _C
from nvfuser.dtypes import TABLE
from nvfuser.needs_torch import needs_torch

if TYPE_CHECKING:
    import torch

__all__ = ["compare_outputs", "get_val_tolerances", "validate_with_auto_inferred_outputs"]

# Absolute tolerances of a result that adds up the fewest and the most values (of size around 1)
# that the tables distinguish, by the coarsest type on the way; longer sums follow the same law.
_FEWEST, _MOST = 4, 2**21
_SINGLE = (1.7e-6, 3.4e-3)
_HALF = (3.9e-3, 4.0)
_COARSE = (3.9e-2, 40.0)
# What one addition of a long sum in Float adds to its error, of the size of the sum so far.
_ROUNDING = 2.0**-23

_SCANS = {"cumsum", "cumprod"}
# The operands and dimensions that library calls sum over.
_CONTRACTIONS = {
    "matmul": [(0, -1)],
    "linear": [(0, -1)],
    "scaled_mm": [(0, -1)],
    "grouped_mm": [(0, -1)],
    "cutlass_nvfp4_grouped_mm": [(0, -1)],
    "sdpfa_fwd": [(0, -1)],
    "sdpfa_bwd": [(1, -1), (2, -2)],
}

_BOUNDS = {
    dtype: _SINGLE
    if traits.significand_bits >= 24
    else (_HALF if traits.significand_bits >= 11 else _COARSE)
    for dtype, traits in TABLE.items()
    if traits.kind in ("floating", "complex")
}


class _Path(NamedTuple):
    """What happened to the elements of a value on the way to it."""

    reduced: int = 1  # how many values are combined into one, over all reductions on the way
    longest: int = 1  # of them, in one reduction
    bounds: tuple[float, float] | None = None  # of the coarsest type


def get_val_tolerances(fusion: _C.Fusion, inputs: Iterable[Any]) -> list[tuple[float, float]]:
    """Return the tolerances within which each output of `fusion` is right.

    They grow with the number of values that are reduced into one on the way to the output, by
    reductions, scans and matrix products: about as its square root, from 1.7e-6 (4 values) to
    3.4e-3 (2**21 values) where all arithmetic is in Float or wider, from 3.9e-3 to 4 where there is
    Half, ten times as much where there is BFloat16 or a narrower type. Results of integers are
    exact.

    Parameters
    ----------
    fusion : Fusion
        A finished definition.
    inputs : iterable
        The arguments: their sizes give the extents of the reductions.

    Returns
    -------
    list of (float, float)
        Absolute and relative tolerance of each output that is returned, in order. Behind a
        reduction the relative one is a hundredth of the absolute one, since the result may be a
        small difference of large sums, and at most what the roundings on the way explain.
    """
    return [_tolerances(output, path) for output, path in _output_paths(fusion, inputs)]


def _output_paths(fusion: _C.Fusion, inputs: Iterable[Any]) -> list[tuple[_C.TensorView, _Path]]:
    extents = _Extents(fusion, inputs)
    contracted = _contracted_domains(fusion)
    paths: dict[_C.Val, _Path] = {}
    return [
        (output, _path(output, extents, contracted, paths))
        for output in _C.returned_outputs(fusion)
    ]


def _contracted_domains(fusion: _C.Fusion) -> dict[_C.Val, list[_C.IterDomain]]:
    """Return the dimensions of operands that scans and library calls combine, by their results."""
    found: dict[_C.Val, list[_C.IterDomain]] = {}
    for function, results, _, kwargs in _C.definition_calls(fusion):
        name = function.removeprefix("ops.")
        places = [(0, kwargs["dim"])] if name in _SCANS else _CONTRACTIONS.get(name, [])
        for result in results if places else []:
            if isinstance(result, _C.TensorView):
                operands = list(_producers(result))
                found[result] = [operands[at].get_logical_domain()[dim] for at, dim in places]
    return found


def _tolerances(output: _C.TensorView, path: _Path) -> tuple[float, float]:
    if path.bounds is None or output.dtype() not in _BOUNDS:
        return 0.0, 0.0
    fewest, most = path.bounds
    growth = math.log(most / fewest) / math.log(_MOST / _FEWEST)
    atol = fewest * (max(path.reduced, _FEWEST) / _FEWEST) ** growth
    return atol, atol if path.reduced == 1 else min(atol * 0.01, _share_of_size(path))


def _share_of_size(path: _Path) -> float:
    """Return the error of what was reduced as a share of its typical size.

    Elements that happen to be small are differences of values of that size: each of these was
    rounded, and so was every sum on the way.
    """
    if path.bounds is None or path.reduced == 1:
        return 0.0
    return path.bounds[0] + _ROUNDING * math.sqrt(path.longest)


def _path(
    output: _C.TensorView,
    extents: _Extents,
    contracted: dict[_C.Val, list[_C.IterDomain]],
    paths: dict[_C.Val, _Path],
) -> _Path:
    # Producers before their consumers, without recursion: a chain may be long.
    pending = [output]
    while pending:
        tensor = pending[-1]
        producers = [] if tensor in paths else list(_producers(tensor))
        missing = [producer for producer in producers if producer not in paths]
        if missing:
            pending.extend(missing)
            continue
        pending.pop()
        if tensor in paths:
            continue
        known = [paths[producer] for producer in producers]
        bounds = [path.bounds for path in known if path.bounds is not None]
        if tensor.dtype() in _BOUNDS:
            bounds.append(_BOUNDS[tensor.dtype()])
        domains = [domain for domain in tensor.get_logical_domain() if domain.is_reduction()]
        combined = math.prod(
            max(1, extents.of(domain.extent())) for domain in domains + contracted.get(tensor, [])
        )
        paths[tensor] = _Path(
            combined * max((path.reduced for path in known), default=1),
            max([combined, *(path.longest for path in known)]),
            max(bounds, default=None),
        )
    return paths[output]


def _producers(tensor: _C.TensorView) -> Iterator[_C.TensorView]:
    expr = tensor.definition()
    index = 0
    while expr is not None:
        try:
            producer = expr.input(index)
        except IndexError:
            return
        if isinstance(producer, _C.TensorView):
            yield producer
        index += 1


class _Extents:
    """The sizes of domains, as far as they are those of the arguments or constant."""

    def __init__(self, fusion: _C.Fusion, inputs: Iterable[Any]) -> None:
        self._known: dict[str, int] = {}
        # Stands for an extent that is computed from others.
        self._largest = 1
        flat = [
            element
            for value in inputs
            for element in (value if isinstance(value, (list, tuple)) else [value])
        ]
        for declared, given in zip(fusion.inputs(), flat, strict=False):
            if isinstance(declared, _C.TensorView):
                self._largest = max(self._largest, math.prod(given.shape))
                for domain, size in zip(declared.get_logical_domain(), given.shape, strict=False):
                    self._known[str(domain.extent())] = size
            elif isinstance(given, int):
                self._known[str(declared)] = given

    def of(self, extent: _C.Val) -> int:
        text = str(extent)
        if text.isdigit():
            return int(text)
        return self._known.get(text, self._largest)


def validate_with_auto_inferred_outputs(
    fusion: _C.Fusion, fusion_outputs: Sequence[torch.Tensor], args: Iterable[Any]
) -> None:
    """Compare the outputs of a run with what torch computes, operation by operation.

    Parameters
    ----------
    fusion : Fusion
        What was run.
    fusion_outputs : sequence of torch.Tensor
        Its outputs.
    args : iterable
        What it was run with. Inputs that the fusion updates in place must be as they were before.

    Raises
    ------
    AssertionError
        If the number of tensors, a shape or a value differs.
    NotImplementedError
        For operations whose result torch cannot repeat: random numbers, fp4 and quantization.
    """
    from nvfuser import reference

    args = list(args)
    compare_outputs(fusion, args, fusion_outputs, reference.evaluate(fusion, args))


def compare_outputs(
    fusion: _C.Fusion,
    inputs: Sequence[Any],
    outputs: Sequence[torch.Tensor],
    references: Sequence[torch.Tensor],
) -> None:
    """Compare the outputs of a run with the expected ones.

    Parameters
    ----------
    fusion : Fusion
        What was run.
    inputs : sequence
        What it was run with.
    outputs, references : sequence of torch.Tensor
        One entry for each output that is returned.

    Raises
    ------
    AssertionError
        If the number of tensors, a shape or a value differs.
    """
    needs_torch("A comparison of outputs")
    import torch

    if len(outputs) != len(references):
        raise AssertionError(f"Expected {len(references)} outputs, but got {len(outputs)}.")
    paths = _output_paths(fusion, inputs)
    if len(paths) != len(outputs):
        raise AssertionError(f"Expected {len(paths)} outputs, but got {len(outputs)}.")
    for index, (output, reference) in enumerate(zip(outputs, references, strict=True)):
        if output.shape != reference.shape:
            raise AssertionError(
                f"Output {index} has shape {tuple(output.shape)}, expected "
                f"{tuple(reference.shape)}."
            )
        if output.dtype is torch.float4_e2m1fn_x2:  # torch does not compute with it
            output, reference = output.view(torch.uint8), reference.view(torch.uint8)
        if not (output.is_floating_point() or output.is_complex()):
            if not torch.equal(output, reference):
                raise AssertionError(f"Output {index} differs from its reference.")
            continue
        wide = torch.complex128 if output.is_complex() else torch.float64
        # The tolerances are those of values of size around 1: these may have any.
        atol, rtol = _tolerances(*paths[index])
        atol = max(atol, _share_of_size(paths[index][1]) * _typical_size(reference))
        torch.testing.assert_close(
            output.to(wide),
            reference.to(wide),
            atol=atol,
            rtol=rtol,
            equal_nan=True,
            check_device=False,
            msg=lambda text, index=index: f"Output {index} differs from its reference. {text}",
        )


def _typical_size(reference: torch.Tensor) -> float:
    """Return the root mean square of the finite elements."""
    sizes = reference.double() if not reference.is_complex() else reference.abs().double()
    finite = sizes[sizes.isfinite()]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0
