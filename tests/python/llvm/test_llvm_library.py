"""The library's files: current, valid, linked only as far as needed, and vectorized."""

from __future__ import annotations

import ctypes
import itertools
import platform
import re
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as binding
import numpy as np
import pytest
from llvm_harness import BASELINE, TYPES, loop
from test_llvm_accuracy import TABLE

from nvfuser.llvm import HostTarget, compile_ir, host_target, library
from nvfuser.llvm.compiler import compile_assembly, optimize

GENERATOR = Path(__file__).resolve().parents[3] / "nvfuser" / "llvm" / "generator" / "generate.py"
# Functions that call the C library.
SCALAR = {("tan", "f64"), ("lgamma", "f64"), ("pow", "f64")}
CONVERSIONS = {
    "half": "i16",
    "bfloat16": "i16",
    "float8_e4m3fn": "i8",
    "float8_e5m2": "i8",
    "float8_e8m0fnu": "i8",
    "float4_e2m1fn": "i8",
}


def test_the_files_are_what_the_generator_writes() -> None:
    process = subprocess.run(
        [sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr


def test_every_definition_is_valid() -> None:
    host_target()
    text = "\n".join(library.definitions().values()).replace("define internal", "define")
    module = binding.parse_assembly(text, binding.create_context())
    module.verify()
    names = {function.name for function in module.functions if not function.is_declaration}
    assert names == set(library.symbols())


def test_link_appends_only_what_is_needed() -> None:
    linked = library.link(loop("nvf.relu.f32", ["f32"], "f32"))
    assert re.findall(r"^define \S+ \S+ @(\S+)\(", linked, re.MULTILINE) == ["nvf.relu.f32"]
    text = "define void @f() {\n  ret void\n}\n"
    assert library.link(text) == text


def test_link_follows_references() -> None:
    linked = library.link(loop("nvf.log1p.c64", ["c64"], "c64"))
    for name in ("nvf.log1p.c64", "nvf.log1p.f64", "nvf.log.f64", "nvf.atan2.f64"):
        assert linked.count(f"@{name}(") >= 2
        assert len(re.findall(rf"^define .*@{re.escape(name)}\(", linked, re.MULTILINE)) == 1
    assert linked.count("declare double @hypot(") == 1


def test_declarations_are_allowed() -> None:
    kernel = loop("nvf.exp.f32", ["f32"], "f32")
    declared = (
        "declare float @nvf.exp.f32(float)\ndeclare float @llvm.fmuladd.f32(float, float, float)\n"
    )
    assert compile_ir(declared + kernel, cache=False).address("kernel")


def test_a_definition_in_the_module_wins() -> None:
    own = "define internal float @nvf.exp.f32(float %x) {\n  ret float %x\n}\n"
    linked = library.link(own + loop("nvf.exp.f32", ["f32"], "f32"))
    assert len(re.findall(r"^define .*@nvf\.exp\.f32\(", linked, re.MULTILINE)) == 1


def test_half_is_native_where_the_host_can() -> None:
    kernel = loop("nvf.to_half.f32", ["f32"], "i16")
    assert "fptrunc float" in library.link(kernel, ["f16c"])
    assert "fptrunc" not in library.link(kernel, [])


def vector_target() -> HostTarget:
    """AVX2 and FMA whatever the host is, where it is an x86-64; nothing is run."""
    if platform.machine() == "x86_64":
        return HostTarget(host_target().triple, "x86-64-v3", "+f16c,+avx,+avx2,+fma")
    return host_target()


def check_vectorized(kernel: str) -> None:
    """Its loop has a vector body, and nothing is called but what is of vectors, too."""
    text = str(optimize(kernel, vector_target()))
    assert "vector.body" in text.split("\ndefine ")[1]
    # So few doubles are not worth vectors of such long functions to LLVM.
    for function in re.findall(r"(?ms)^define [^\n]*@nvf\.any\.\w+\.f32\(.*?^}", text):
        assert re.search(r"<\d+ x \w+>", function)
    assembly = compile_assembly(kernel, target=vector_target())
    called = re.findall(r"(?m)^\s+(?:call[lq]?|bl)\s+(\S+)", assembly)
    assert all(re.fullmatch(r"nvf\.(any|shared)\..*", name) for name in called)


VECTORIZED = [(op, t) for op in TABLE for t in ("f32", "f64") if (op, t) not in SCALAR]


@pytest.mark.parametrize(("op", "type_"), VECTORIZED)
def test_approximations_are_vectorized(op: str, type_: str) -> None:
    parameters = [type_, type_] if op in ("pow", "atan2") else [type_]
    check_vectorized(loop(f"nvf.{op}.{type_}", parameters, type_))


@pytest.mark.parametrize("name", list(CONVERSIONS))
def test_conversions_are_vectorized(name: str) -> None:
    integer = CONVERSIONS[name]
    check_vectorized(loop(f"nvf.to_{name}.f32", ["f32"], integer))
    check_vectorized(loop(f"nvf.from_{name}.f32", [integer], "f32"))


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_saturating_conversions_are_those_of_vectors(type_: str) -> None:
    # LLVM has saturating ones for vectors, too, which it then divides into elements.
    assembly = compile_assembly(loop(f"nvf.to_i32.{type_}", [type_], "i32"), target=vector_target())
    assert re.search(r"cvttp[sd]2dq|fcvtzs\s+v", assembly)


@pytest.mark.parametrize("op", ["fmod", "remainder", "floor_div"])
def test_float_remainders_are_vectorized(op: str) -> None:
    check_vectorized(loop(f"nvf.{op}.f32", ["f32", "f32"], "f32"))


@pytest.mark.parametrize("type_", ["f32", "f64", "i32", "i64"])
@pytest.mark.parametrize("op", ["add", "mul", "maximum", "relu", "sign", "eq"])
def test_arithmetic_is_vectorized(op: str, type_: str) -> None:
    parameters = [type_] if op in ("relu", "sign") else [type_, type_]
    check_vectorized(loop(f"nvf.{op}.{type_}", parameters, "i1" if op == "eq" else type_))


def test_every_type_of_the_contract_is_there() -> None:
    suffixes = {name.rsplit(".", 1)[1] for name in library.symbols()}
    assert suffixes == set(TYPES) | {"u8", "u16", "u32", "b8", "b16", "b32", "b64", "m32"}


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("target", [host_target(), BASELINE], ids=["host", "baseline"])
def test_transposed_copies(bits: int, target: HostTarget) -> None:
    """Rectangles of whole tiles, of parts of tiles and of nothing; nothing else is written."""
    arguments = ["ptr", "i64", "ptr", "i64", "i64", "i64"]
    names = [f"{type_} %a{k}" for k, type_ in enumerate(arguments)]
    kernel = (
        f"define void @kernel({', '.join(names)}) {{\n"
        f"  call void @nvf.transpose.b{bits}({', '.join(names)})\n  ret void\n}}\n"
    )
    module = compile_ir(kernel, cache=False, target=target)
    types = [ctypes.c_void_p if type_ == "ptr" else ctypes.c_int64 for type_ in arguments]
    function = ctypes.CFUNCTYPE(None, *types)(module.address("kernel"))
    random = np.random.default_rng(0)
    sides = (0, 1, 3, 4, 5, 8, 12, 15, 16, 17, 33, 64)
    for rows, columns in itertools.product(sides, sides):
        source = random.integers(0, 1 << 7, (columns + 1, rows + 3)).astype(f"u{bits // 8}")
        result = np.zeros((rows + 2, columns + 5), source.dtype)
        strides = [array.shape[1] for array in (result, source)]
        function(result.ctypes.data, strides[0], source.ctypes.data, strides[1], rows, columns)
        expected = np.zeros_like(result)
        expected[:rows, :columns] = source[:columns, :rows].T
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("target", [host_target(), BASELINE], ids=["host", "baseline"])
def test_streamed_copies(target: HostTarget) -> None:
    """Whole lines and parts of lines, at any address; nothing else is written."""
    kernel = (
        "define void @kernel(ptr %out, ptr %in, i64 %bytes) {\n"
        "  call void @nvf.stream.b8(ptr %out, ptr %in, i64 %bytes)\n"
        "  fence seq_cst\n  ret void\n}\n"
    )
    module = compile_ir(kernel, cache=False, target=target)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        module.address("kernel")
    )
    source = np.random.default_rng(0).integers(1, 256, 1500).astype(np.uint8)
    for out_offset in (0, 1, 4, 63):
        for in_offset in (0, 3):
            for count in (0, 1, 60, 64, 65, 127, 128, 200, 1024, 1030):
                result = np.zeros(1500, np.uint8)
                start = -result.ctypes.data % 64 + out_offset
                function(result.ctypes.data + start, source.ctypes.data + in_offset, count)
                expected = np.zeros_like(result)
                expected[start : start + count] = source[in_offset : in_offset + count]
                assert np.array_equal(result, expected)
