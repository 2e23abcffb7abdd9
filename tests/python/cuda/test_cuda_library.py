"""The CUDA device library: what of it gets into a translation unit, and that NVRTC takes it all."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

import nvfuser
from nvfuser.cuda import compiler, library, nvrtc

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "cuda"
CAPABILITIES = (80, 90, 100)

# The definition that is called; the types and functions that it needs go with it.
CALL = 'extern "C" __global__ void kernel(float* x) {{ x[0] = nvf::{name}(x[0]); }}'


def compile_for(source: str, capability: int, *extra: str) -> nvrtc.Program:
    compiler_ = nvrtc.find()
    architecture = compiler.architecture(capability, compiler_.architectures)
    return compiler_.compile(source, [*compiler.options(architecture), *extra])


def defined(source: str) -> list[str]:
    """The functions and types of the library in a translation unit, in order."""
    body = source[source.index("namespace nvf {") : source.index("}  // namespace nvf")]
    return [name for name in library.names() if re.search(rf"\b{name}\b", body)]


@pytest.mark.no_torch
def test_only_what_is_called_is_included() -> None:
    assert defined(library.source(CALL.format(name="exp_f32"))) == ["exp_f32"]
    assert defined(library.source(CALL.format(name="silu_f32"))) == [
        "exp2_fast",
        "exp_small",
        "maximum_f32",
        "minimum_f32",
        "reciprocal_fast",
        "sigmoid_f32",
        "silu_f32",
    ]


@pytest.mark.no_torch
def test_definitions_stand_before_their_use() -> None:
    source = library.source(CALL.format(name="silu_f32"))
    assert source.index("float exp2_fast(") < source.index("float exp_small(")
    assert source.index("float exp_small(") < source.index("float sigmoid_f32(")
    assert source.index("float sigmoid_f32(") < source.index("float silu_f32(")
    assert source.endswith(CALL.format(name="silu_f32"))


def chain(calls: int) -> str:
    """A kernel that calls a function so many times, and a small one as often."""
    body = "\n".join("  y = nvf::maximum_f32(nvf::sin_f32(y), y);" for _ in range(calls))
    return f'extern "C" __global__ void kernel(float* x) {{\n  float y = *x;\n{body}\n  *x = y;\n}}'


@pytest.mark.no_torch
def test_huge_kernels_call_large_functions() -> None:
    assert "noinline" not in library.source(chain(60))
    source = library.source(chain(61))
    assert "__device__ __attribute__((noinline)) float sin_f32(" in source
    assert source.count("noinline") == 1


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_machine_code_of_huge_kernels_grows_by_the_calls_only(capability: int) -> None:
    few, many, more = (
        len(compile_for(library.source(chain(calls)), capability).image) for calls in (60, 100, 200)
    )
    assert many < few
    assert more < few


@pytest.mark.no_torch
def test_a_kernel_that_calls_nothing_stays_as_it_is() -> None:
    kernel = 'extern "C" __global__ void kernel() {}\n'
    assert library.source(kernel) == kernel


@pytest.mark.no_torch
def test_unknown_names_are_errors() -> None:
    with pytest.raises(RuntimeError, match="no definition of nvf::no_such_function"):
        library.source(CALL.format(name="no_such_function"))


@pytest.mark.no_torch
@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.cu")), ids=lambda path: path.stem)
def test_golden_kernels_compile_without_warnings(path: Path, capability: int) -> None:
    # Optimizing all operations on complex numbers takes seconds; once is enough.
    extra = [] if capability == 90 else ["--device-debug"]
    program = compile_for(library.source(path.read_text()), capability, *extra)
    assert program.image.startswith(b"\x7fELF")
    assert program.log == ""


@pytest.mark.no_torch
def test_golden_kernels_are_there() -> None:
    names = {path.stem for path in GOLDEN.glob("*.cu")}
    assert {"bias_gelu", "block_reductions", "casts", "operations_Float"} <= names


def reductions(block: tuple[int, int, int], constant: bool) -> str:
    """A kernel that reduces along every set of directions."""
    extents = ", ".join(str(extent if constant else 0) for extent in block)
    calls = "".join(
        f"""
  nvf::block_reduce<nvf::Threads<{extents}>, {", ".join(along)}, /*repeated=*/true>(
      (unsigned char*)shared, nvf::reduction(value, [](double a, double b) {{ return a + b; }}),
      nvf::reduction(byte, [](unsigned char a, unsigned char b) -> unsigned char {{
        return a != 0 || b != 0;
      }}));"""
        for along in itertools.product(("true", "false"), repeat=3)
    )
    return f"""
extern "C" __global__ void kernel(double* x, unsigned char* y) {{
  extern __shared__ uint4 shared[];
  double value = x[threadIdx.x];
  unsigned char byte = y[threadIdx.x];{calls}
  x[threadIdx.x] = value;
  y[threadIdx.x] = byte;
}}
"""


BLOCKS = [
    (1, 1, 1),
    (32, 1, 1),
    (256, 1, 1),
    (48, 5, 1),
    (8, 32, 1),
    (2, 64, 1),
    (4, 256, 1),
    (32, 4, 2),
    (3, 5, 7),
]


@pytest.mark.no_torch
@pytest.mark.parametrize("constant", [True, False], ids=["constant", "at-launch"])
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block_reductions_compile(block: tuple[int, int, int], constant: bool) -> None:
    assert compile_for(library.source(reductions(block, constant)), 90).log == ""


COPIES = """
extern "C" __global__ void kernel(const {type}* __restrict__ in, {type}* out) {{
  alignas(16) {type} local[{width}];
  nvf::load_vector_{policy}<{width}>(local, &in[{width} * threadIdx.x]);
  nvf::store_vector_{policy}<{width}>(&out[{width} * threadIdx.x], local);
  nvf::store_{policy}(&out[1000], nvf::load_{policy}(&in[1000]));
  nvf::copy<{width}>(&out[{width} * (32 + threadIdx.x)], &in[{width} * threadIdx.x]);
}}
"""
TYPES = {
    "unsigned char": 1,
    "nvf::half": 2,
    "float": 4,
    "double": 8,
    "nvf::complex_f64": 16,
}


@pytest.mark.no_torch
@pytest.mark.parametrize("policy", ["streaming", "global"])
@pytest.mark.parametrize(
    ("type_", "size"),
    [(name, size) for name, one in TYPES.items() for size in (2, 4, 8, 16, 32) if size >= one],
)
def test_vector_copies_are_wide_accesses(type_: str, size: int, policy: str) -> None:
    width = size // TYPES[type_]
    kernel = COPIES.format(type=type_, width=width, policy=policy)
    compiler_ = nvrtc.find()
    program = compiler_.compile(library.source(kernel), compiler.options("compute_90"))
    assert program.log == ""
    ptx = program.image.decode()
    operation = {"streaming": "cs", "global": "cg"}[policy]
    access = {2: "u16|b16", 4: "u32|b32", 8: "v2.[ub]32", 16: "v4.[ub]32", 32: "v4.[ub]32"}[size]
    for instruction in ("ld", "st"):
        found = re.findall(rf"{instruction}\.global\.{operation}\.(?:{access}) ", ptx)
        assert len(found) >= max(1, size // 16), ptx


PACKED = """
extern "C" __global__ void kernel(const nvf::float4_e2m1fn_x2* in, nvf::float4_e2m1fn_x2* out) {
  alignas(16) nvf::float4_e2m1fn local[8];
  nvf::unpack<8>(local, &in[4 * threadIdx.x]);
  local[0] = nvf::load_packed(in, 17);
  nvf::pack<8>(&out[4 * threadIdx.x], local);
  nvf::store_packed(out, 1001, local[1]);
  nvf::copy_packed<8>(&out[8], &in[8]);
}
"""


@pytest.mark.no_torch
def test_packed_elements_compile() -> None:
    assert compile_for(library.source(PACKED), 90).log == ""


@pytest.mark.no_torch
@pytest.mark.parametrize(
    ("name", "capability", "instruction"),
    [
        ("to_half(x[0])", 80, "cvt.rn.f16.f32"),
        ("to_bfloat16(x[0])", 80, "cvt.rn.bf16.f32"),
        ("to_float8_e4m3fn(x[0])", 90, "cvt.rn.satfinite.e4m3x2.f32"),
        ("to_float8_e5m2(x[0])", 90, "cvt.rn.satfinite.e5m2x2.f32"),
        ("to_float4_e2m1fn(x[0])", 100, "cvt.rn.satfinite.e2m1x2.f32"),
    ],
)
def test_conversions_are_native_where_the_device_has_them(
    name: str, capability: int, instruction: str
) -> None:
    kernel = f"""
extern "C" __global__ void kernel(const float* x, unsigned short* y) {{
  y[0] = nvf::{name}.bits;
}}
"""
    compiler_ = nvrtc.find()
    variant = "a" if capability >= 100 else ""
    options = compiler.options(f"compute_{capability}{variant}")
    assert instruction in compiler_.compile(library.source(kernel), options).image.decode()
    # Older devices compute them.
    older = compiler.options("compute_80")
    program = compiler_.compile(library.source(kernel), older)
    assert capability == 80 or instruction not in program.image.decode()


@pytest.mark.no_torch
@pytest.mark.parametrize(
    ("function", "polynomial"),
    [("gelu_f32", "mills_f32"), ("gelu_narrow_f32", "gelu_narrow_f32")],
)
def test_polynomials_are_those_of_the_generator(function: str, polynomial: str) -> None:
    path = Path(nvfuser.__file__).parent / "llvm" / "generator" / "coefficients.json"
    if not path.exists():
        pytest.skip("the generator is only in the repository")
    fitted = json.loads(path.read_text())[polynomial]["coefficients"]
    kernel = CALL.format(name=function)
    text = library.source(kernel)
    body = text[text.index(f"float {function}(") :]
    body = body[: body.index("\n}")]
    literals = {np.float32(value) for value in re.findall(r"[-+]?\d[\d.]*(?:e-?\d+)?(?=f\b)", body)}
    values = {np.float32(float.fromhex(coefficient)) for coefficient in fitted}
    assert values <= literals | {-value for value in literals}
