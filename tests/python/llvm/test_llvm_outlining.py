"""Functions that huge modules call out of line: when, which, and that values stay the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
from llvm_harness import BASELINE, TYPES, launch, loop

from nvfuser.llvm import CompiledModule, HostTarget, host_target, library, outlining
from nvfuser.llvm.compiler import compile_object, optimize

CASES = {
    "nvf.exp.f32": (["f32"], "f32"),
    "nvf.lgamma.f32": (["f32"], "f32"),
    "nvf.pow.f32": (["f32", "f32"], "f32"),
    "nvf.erfinv.f64": (["f64"], "f64"),
    "nvf.atan2.f64": (["f64", "f64"], "f64"),
    "nvf.remainder.i64": (["i64", "i64"], "i64"),
    "nvf.uniform.f32": (["f32", "f32", "i64", "i64", "i64"], "f32"),
}
TARGETS = pytest.mark.parametrize("target", [None, BASELINE], ids=["host", "baseline"])


def chain(calls: int, function: str = "nvf.erfinv.f32") -> str:
    """Return a kernel that applies `function` so many times."""
    text = loop(function, ["f32"], "f32")
    (call,) = re.findall(r"(?m)^.*call float.*\n", text)
    chained = "".join(
        f"  %{'result' if k == calls - 1 else f'r{k}'} = call float @{function}"
        f"(float %{'in0.raw' if k == 0 else f'r{k - 1}'})\n"
        for k in range(calls)
    )
    return text.replace(call, chained)


def kernel_of(text: str) -> str:
    match = re.search(r"define void @kernel.*?\n}", text, re.DOTALL)
    assert match is not None
    return match[0]


def test_ordinary_modules_stay_as_they_are() -> None:
    assert "nvf.shared" not in library.link(chain(2))
    assert "nvf.shared" not in library.link(chain(60, "nvf.tanh.f32"))


def test_long_functions_are_called_sooner_than_others() -> None:
    # In the loop of a kernel, each place takes LLVM as long as all of a small kernel.
    linked = library.link(chain(3) + chain(3, "nvf.exp.f32").replace("@kernel", "@other"))
    assert linked.count("call float @nvf.shared.erfinv.f32(") == 3
    assert "nvf.shared.exp.f32" not in linked


def test_huge_modules_call_one_copy() -> None:
    linked = library.link(chain(100), host_target().enabled)
    assert linked.count("call float @nvf.shared.erfinv.f32(") == 100
    assert linked.count("call float @nvf.erfinv.f32(") == 1 + len(
        outlining.vector_lanes(host_target().enabled)
    )


def test_their_loops_are_vectorized_and_grow_by_the_calls_only() -> None:
    lengths = []
    for calls in (100, 200):
        kernel = kernel_of(str(optimize(chain(calls), host_target())))
        vectors = re.findall(r"call <(\d+) x float> @nvf\.shared\.erfinv\.f32\.x\1\(", kernel)
        assert len(vectors) >= calls
        lengths.append(kernel.count("\n"))
    assert lengths[1] - lengths[0] <= 4 * 100


@TARGETS
@pytest.mark.parametrize("function", [name for name in CASES if not name.endswith("i64")])
def test_variants_are_vectors(
    function: str, target: HostTarget | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = target or host_target()
    monkeypatch.setattr(outlining, "INLINED_LINES", 0)
    text = str(optimize(loop(function, *CASES[function]), target))
    pattern = rf"define [^\n]*@{function.replace('nvf.', 'nvf.shared.')}\.x\d+\(.*?\n}}"
    variants = re.findall(pattern, text, re.DOTALL)
    assert len(variants) == len(outlining.vector_lanes(target.enabled))
    for variant in variants:
        assert "\n  br " not in variant
        assert "alloca" not in variant
        # Neither is it a copy for each element.
        assert variant.count("\n") < 2 * library.definitions()[function].count("\n")


def test_without_vectorization_there_are_no_variants() -> None:
    text = str(optimize(chain(100), host_target(), fast_compile=True))
    assert "nvf.shared.erfinv.f32(" in text
    assert "nvf.shared.erfinv.f32.x" not in text


def test_functions_of_constants_and_small_ones_stay_inline() -> None:
    power = "call float @nvf.pow.f32(float %x, float %c.1)"
    text = f"  %c.1 = fptrunc double 0x4000000000000000 to float\n  %r = {power}\n"
    small = "  %s = call float @nvf.relu.f32(float %x)\n"
    linked = outlining.call_out_of_line((text + small) * 50, library.definitions(), (8,))
    assert linked.count(power) == 50
    assert "nvf.shared" not in linked


@TARGETS
@pytest.mark.parametrize("function", CASES)
def test_values_are_those_of_inlined_code(
    function: str, target: HostTarget | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    types, result = CASES[function]
    count = 67
    generator = np.random.default_rng(0)
    arrays = [
        generator.integers(1, 1000, count).astype(TYPES[t][1])
        if t == "i64"
        else generator.uniform(-0.99, 0.99, count).astype(TYPES[t][1])
        for t in types
    ]
    outputs = []
    for budget in (outlining.INLINED_LINES, 0):
        monkeypatch.setattr(outlining, "INLINED_LINES", budget)
        text = loop(function, types, result)
        features = (target or host_target()).enabled
        assert ("nvf.shared" in library.link(text, features)) == (budget == 0)
        module = CompiledModule(compile_object(text, target=target), False)
        out = np.empty(count, TYPES[result][1])
        launch(module, [*arrays, out], count)
        outputs.append(out)
    np.testing.assert_array_equal(*outputs)


USUAL = {
    "nvf.sin.f32": 1,
    "nvf.cos.f64": 1,
    "nvf.tan.f32": 1,
    "nvf.fmod.f32": 2,
    "nvf.remainder.f32": 2,
    "nvf.floor_div.f32": 2,
}
# One that is not usual changes nothing for its neighbours.
UNUSUAL = [1e30, -3e20, np.inf, -np.inf, np.nan, -0.0, 3.5e38, 1e-40]


def values_of(text: str, arrays: list[np.ndarray], target: HostTarget | None) -> np.ndarray:
    module = CompiledModule(compile_object(text, target=target), False)
    out = np.empty_like(arrays[0])
    launch(module, [*arrays, out], len(out))
    return out


@TARGETS
@pytest.mark.parametrize("function", USUAL)
def test_values_are_the_same_whatever_is_usual(
    function: str, target: HostTarget | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    suffix = function.rpartition(".")[2]
    generator = np.random.default_rng(0)
    shape = (USUAL[function], 517)
    with np.errstate(over="ignore"):
        arrays = (100 * generator.standard_normal(shape)).astype(TYPES[suffix][1])
        for operand in arrays:
            places = generator.choice(300, 40, replace=False)
            operand[places] = np.resize(np.array(UNUSUAL).astype(operand.dtype), 40)
    text = loop(function, [suffix] * len(arrays), suffix)
    assert "nvf.any" in library.link(text, (target or host_target()).enabled)
    called = values_of(text, list(arrays), target)
    monkeypatch.setattr(library.outlining, "call_out_of_line", lambda ir, *_: ir)
    inlined = values_of(text, list(arrays), target)
    # Not by their text: whether a product and a sum are fused is LLVM's choice for each.
    np.testing.assert_allclose(called, inlined, rtol=4 * np.finfo(called.dtype).eps)
    zero = inlined == 0
    np.testing.assert_array_equal(np.signbit(called[zero]), np.signbit(inlined[zero]))


@pytest.mark.parametrize("function", USUAL)
def test_usual_operands_take_vectors_without_a_loop(function: str) -> None:
    suffix = function.rpartition(".")[2]
    text = str(optimize(loop(function, [suffix] * USUAL[function], suffix), host_target()))
    variants = re.findall(r"define [^\n]*@nvf\.shared\.[^\n]*\.x\d+\(.*?\n}", text, re.DOTALL)
    assert len(variants) == len(outlining.vector_lanes(host_target().enabled))
    for variant in variants:
        usual, others = variant.split("\nany:")
        # One branch, to the end or to what follows.
        assert usual.count("\n  br ") == 1
        assert "  store " not in usual
        assert "= load " not in usual
        assert "call fastcc void @nvf.any." in others


def test_remainders_of_known_divisors_are_those_of_usual_ones() -> None:
    call = "call float @nvf.fmod.f32(float %x, float %c.1)"
    text = f"  %c.1 = fptrunc double 0x4000000000000000 to float\n  %r = {call}\n"
    linked = outlining.call_out_of_line(text, library.definitions(), (8,))
    assert call not in linked
    assert "nvf.fmod_usual.f32" in linked
