"""The compile step: cache on disk, errors, threads, what happens without llvmlite."""

from __future__ import annotations

import collections
import ctypes
import functools
import gc
import math
import threading
from pathlib import Path

import llvmlite
import llvmlite.binding
import new_process
import numpy as np
import pytest
from llvm_harness import BASELINE, launch, loop

from nvfuser import _C
from nvfuser.llvm import (
    CompilationError,
    CompiledModule,
    binding,
    compile_ir,
    compiler,
    host_target,
)
from nvfuser.llvm.compiler import _key, objects


@pytest.fixture(autouse=True)
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is unloaded with its last user, so that what is on disk is read again."""
    monkeypatch.setattr(compiler, "_recent", collections.deque(maxlen=0))


# The comment keeps it apart from modules that other tests hold.
KERNEL = "; compiler tests\n" + loop("nvf.exp.f32", ["f32"], "f32")


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for every test."""
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NVFUSER_DISABLE_CACHE", raising=False)
    return tmp_path / "llvm"


def kernel(number: int) -> str:
    """A kernel unlike those of other numbers: it adds the number to exp."""
    body = "%shifted = fadd float %result, " + f"{number}.0\n  %out.ptr = "
    text = KERNEL.replace("%out.ptr = ", body, 1)
    return text.replace("store float %result", "store float %shifted")


def check(module: CompiledModule, shift: float = 0.0) -> None:
    """Run it."""
    x = np.linspace(-3, 3, 101, dtype=np.float32)
    out = np.empty_like(x)
    launch(module, [x, out], x.size)
    np.testing.assert_allclose(out, np.exp(x) + np.float32(shift), rtol=1e-6)


run_python = functools.partial(new_process.run_python, folder=Path(__file__).parent)


def test_values() -> None:
    check(compile_ir(KERNEL))


def test_fast_compile_gives_the_same_bits() -> None:
    x = np.linspace(-80, 80, 1001, dtype=np.float32)
    results = []
    for fast in (False, True):
        out = np.empty_like(x)
        launch(compile_ir(KERNEL, fast_compile=fast), [x, out], x.size)
        results.append(out.tobytes())
    assert results[0] == results[1]


def test_equal_text_is_compiled_once_while_it_lives() -> None:
    first = compile_ir(KERNEL)
    assert compile_ir(KERNEL) is first
    del first
    gc.collect()
    assert compile_ir(KERNEL).from_cache


def test_a_module_exports_its_functions() -> None:
    helper = "define internal void @helper() {\n  ret void\n}\n"
    module = compile_ir(KERNEL + helper + "define void @other() {\n  ret void\n}\n")
    assert module.symbols == ("kernel", "other")
    assert module.address("kernel") != module.address("other")
    with pytest.raises(KeyError, match=r"no function 'helper' .* exports kernel, other"):
        module.address("helper")


def test_a_new_process_loads_from_disk_without_llvmlite(directory: Path) -> None:
    code = (
        "import ctypes\n"
        "from nvfuser.llvm import compile_ir\n"
        "module = compile_ir('define i32 @seven() {\\n ret i32 7\\n}\\n')\n"
        "seven = ctypes.CFUNCTYPE(ctypes.c_int)(module.address('seven'))\n"
        "assert seven() == 7\n"
        "print(module.from_cache, 'libllvmlite' in open('/proc/self/maps').read())\n"
    )
    outputs = []
    for _ in range(2):
        process = run_python(code)
        assert process.returncode == 0, process.stderr
        outputs.append(process.stdout.strip())
    assert outputs == ["False True", "True False"]
    assert len(list(directory.glob("*.o"))) == 1


def test_no_cache_when_told(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(compile_ir(KERNEL, cache=False))
    monkeypatch.setenv("NVFUSER_DISABLE_CACHE", "1")
    check(compile_ir(kernel(1)), 1)
    assert not directory.exists()


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "header", "exchanged"])
def test_a_damaged_file_is_recompiled(directory: Path, damage: str) -> None:
    check(compile_ir(kernel(1)), 1)
    check(compile_ir(KERNEL))
    gc.collect()
    path = objects.path(_key(KERNEL, None, False))
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "truncated": whole[:-100],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
            "header": whole[:40],
            "exchanged": objects.path(_key(kernel(1), None, False)).read_bytes(),
        }[damage]
    )
    module = compile_ir(KERNEL)
    assert not module.from_cache
    check(module)
    assert path.read_bytes() == whole


def test_an_unusable_directory_is_not_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(blocked))
    check(compile_ir(KERNEL))


def test_the_key_holds_all_that_matters() -> None:
    keys = {
        _key(KERNEL, None, False),
        _key(KERNEL, None, True),
        _key(KERNEL, host_target(), False),
        _key(KERNEL, BASELINE, False),
        _key(kernel(1), None, False),
    }
    assert len(keys) == 5
    assert _key(KERNEL, None, False) in keys


def test_syntax_error_shows_the_line() -> None:
    with pytest.raises(CompilationError, match="expected instruction opcode") as error:
        compile_ir("define void @f() {\n  %x = nonsense\n  ret void\n}\n")
    assert ">     2 |   %x = nonsense" in str(error.value)


def test_invalid_module() -> None:
    text = "define i32 @f() {\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"
    with pytest.raises(CompilationError, match="does not dominate"):
        compile_ir(text)


def test_unknown_library_function() -> None:
    with pytest.raises(CompilationError, match=r"no @nvf\.nothing\.f32"):
        compile_ir(loop("nvf.nothing.f32", ["f32"], "f32"))


def test_unresolved_symbol() -> None:
    text = "declare void @nowhere_to_be_found()\ndefine void @f() {\n"
    text += "  call void @nowhere_to_be_found()\n  ret void\n}\n"
    with pytest.raises(CompilationError, match="unresolved symbols: nowhere_to_be_found"):
        compile_ir(text)
    check(compile_ir(KERNEL))


def test_errors_are_runtime_errors() -> None:
    assert issubclass(CompilationError, RuntimeError)


def test_c_library_functions_resolve() -> None:
    names = ["lgamma", "sin", "cos", "tan", "pow"]
    for name in names:
        types = ["f64", "f64"] if name == "pow" else ["f64"]
        assert compile_ir(loop(f"nvf.{name}.f64", types, "f64"), cache=False).address("kernel")


def test_threads() -> None:
    failures: list[BaseException] = []
    barrier = threading.Barrier(8)

    def work(thread: int) -> None:
        try:
            barrier.wait()
            for number in range(6):
                # Half of the kernels are compiled by every thread, half by one.
                shift = number if number % 2 else 10 * thread + number
                check(compile_ir(kernel(shift)), shift)
        except (AssertionError, RuntimeError, threading.BrokenBarrierError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_import_is_lazy() -> None:
    process = run_python(
        "import sys, nvfuser.llvm\nassert not any(m.startswith('llvmlite') for m in sys.modules)"
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize(
    "breakage",
    [
        "sys.modules['llvmlite'] = None",
        "import llvmlite; llvmlite.__file__ = '/nowhere/llvmlite/__init__.py'",
        "import llvmlite; llvmlite.__version__ = '99.0';sys.modules['llvmlite.binding'] = None",
        "import types; m = types.ModuleType('llvmlite'); m.__version__ = '0.1';"
        "b = types.ModuleType('llvmlite.binding'); m.binding = b;"
        "sys.modules.update({'llvmlite': m, 'llvmlite.binding': b})",
    ],
    ids=["missing", "no library", "broken", "old"],
)
def test_without_llvmlite(breakage: str) -> None:
    process = run_python(
        f"import sys\n{breakage}\nfrom nvfuser.llvm import compile_ir\n"
        "try:\n    compile_ir('define void @f() {\\n  ret void\\n}')\n"
        "except RuntimeError as error:\n    print(error)\n"
    )
    assert process.returncode == 0, process.stderr
    assert "llvmlite" in process.stdout
    assert "pip install" in process.stdout


def kind(declared: type) -> type:
    """What decides how a value is passed: all pointers are alike."""
    if issubclass(declared, (ctypes.c_void_p, ctypes.c_char_p, ctypes._Pointer)):
        return ctypes.c_void_p
    return declared


def test_functions_are_declared_as_llvmlite_does() -> None:
    release = ".".join(llvmlite.__version__.split(".")[:2])
    if release not in binding.RELEASES:
        pytest.skip(f"llvmlite {release} is used through llvmlite.binding")
    for name, (result, parameters) in binding.PROTOTYPES.items():
        theirs = getattr(llvmlite.binding.ffi.lib, f"LLVMPY_{name}")
        if theirs.argtypes is not None:
            assert list(map(kind, parameters)) == list(map(kind, theirs.argtypes)), name
        if result is not None:
            assert kind(result) == kind(theirs.restype), name


def test_other_releases_are_used_through_llvmlite_binding() -> None:
    code = (
        "import sys\n"
        "from nvfuser.llvm import compiler\n"
        f"image = compiler.compile_object({KERNEL!r})\n"
        f"text = str(compiler.optimize({KERNEL!r}, compiler.host_target()))\n"
        "import hashlib; print(hashlib.sha256(image + text.encode()).hexdigest())\n"
        "print(compiler.host_target(), compiler._llvmlite().llvm_version_info)\n"
        "print('llvmlite.binding' in sys.modules, file=sys.stderr)\n"
    )
    known = run_python(code)
    other = run_python("import llvmlite; llvmlite.__version__ = '99.0'\n" + code)
    assert known.returncode == other.returncode == 0, known.stderr + other.stderr
    assert known.stdout == other.stdout
    assert other.stderr.strip() == "True"


def test_code_is_not_loaded_anew_for_each_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_recent", collections.deque(maxlen=2))
    text = "define i32 @kept() {\n ret i32 7\n}\n"
    number = id(compile_ir(text))
    gc.collect()
    assert id(compile_ir(text)) == number
    for other in range(3):
        compile_ir(f"define i32 @other{other}() {{\n ret i32 7\n}}\n")
    assert all("kept" not in module.symbols for module in compiler._recent)


def test_code_is_unloaded_with_its_module() -> None:
    image = compiler.compile_object(KERNEL)

    def mapped() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0])

    _C.ObjectCode(image)
    before = mapped()
    for _ in range(2000):
        _C.ObjectCode(image)
    assert mapped() - before < 100, "pages"


def test_objects_that_cannot_be_loaded() -> None:
    image = compiler.compile_object(KERNEL)
    assert list(_C.ObjectCode(image).functions) == ["kernel"]
    for size in range(0, len(image), 7):  # its last bytes are the table of sections
        with pytest.raises(RuntimeError, match="Machine code cannot be loaded"):
            _C.ObjectCode(image[:size])
    with pytest.raises(RuntimeError, match="not a 64-bit relocatable ELF object"):
        _C.ObjectCode(b"no object" * 20)
    with pytest.raises(RuntimeError, match="is for ELF machine 8, this is"):
        _C.ObjectCode(image[:18] + b"\x08\0" + image[20:])


def test_constants_calls_and_tables() -> None:
    """What relocations are for: data of the object, of other libraries, and jumps by table."""
    cases = "".join(f"    i32 {k}, label %case{k}\n" for k in range(6))
    blocks = "".join(f"case{k}:\n  br label %end\n" for k in range(6))
    results = ", ".join(f"[{k * k + 1000}, %case{k}]" for k in range(6))
    module = compile_ir(
        f"""
@state = internal global i32 40
@table = internal constant [2 x ptr] [ptr @first, ptr @second]
declare double @lgamma(double)
define internal i32 @first() {{
  ret i32 1
}}
define internal i32 @second() {{
  ret i32 2
}}
define i32 @count() {{
  %old = load i32, ptr @state
  %new = add i32 %old, 1
  store i32 %new, ptr @state
  ret i32 %new
}}
define double @library(double %x) {{
  %y = call double @lgamma(double %x)
  %z = fadd double %y, 0.1
  ret double %z
}}
define i32 @indirect(i64 %k) {{
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %k
  %function = load volatile ptr, ptr %slot
  %value = call i32 %function()
  ret i32 %value
}}
define i32 @branch(i32 %k) {{
  switch i32 %k, label %end [
{cases}  ]
{blocks}end:
  %value = phi i32 [0, %0], {results}
  ret i32 %value
}}
"""
    )
    types = {
        "count": ctypes.CFUNCTYPE(ctypes.c_int),
        "library": ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double),
        "indirect": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64),
        "branch": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int),
    }
    function = {name: kind(module.address(name)) for name, kind in types.items()}
    assert [function["count"]() for _ in range(3)] == [41, 42, 43]
    assert function["library"](5.5) == math.lgamma(5.5) + 0.1
    assert [function["indirect"](k) for k in range(2)] == [1, 2]
    assert [function["branch"](k) for k in range(7)] == [1000, 1001, 1004, 1009, 1016, 1025, 0]


def test_exit_with_live_modules() -> None:
    process = run_python(
        "import test_llvm_compiler as t\nfrom nvfuser.llvm import compile_ir\n"
        "modules = [compile_ir(t.kernel(k)) for k in range(3)]\nt.check(modules[2], 2)\n"
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
