"""The compile step: cache on disk, errors, threads, what happens without llvmlite."""

from __future__ import annotations

import collections
import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from llvm_harness import BASELINE, launch, loop

import nvfuser
from nvfuser.llvm import CompilationError, CompiledModule, compile_ir, compiler, host_target
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


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter that finds the same package, this folder and the one above."""
    here = Path(__file__).parent
    paths = [str(here), str(here.parent), str(Path(nvfuser.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )


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


def test_a_new_process_loads_from_disk(directory: Path) -> None:
    code = (
        "from nvfuser.llvm import compile_ir\n"
        "import test_llvm_compiler as t\n"
        "module = compile_ir(t.KERNEL)\n"
        "t.check(module)\n"
        "print(module.from_cache)\n"
    )
    outputs = []
    for _ in range(2):
        process = run_python(code)
        assert process.returncode == 0, process.stderr
        outputs.append(process.stdout.strip())
    assert outputs == ["False", "True"]
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
    path = objects.path(_key(KERNEL, host_target(), False))
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "truncated": whole[:-100],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
            "header": whole[:40],
            "exchanged": objects.path(_key(kernel(1), host_target(), False)).read_bytes(),
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
    host = host_target()
    keys = {
        _key(KERNEL, host, False),
        _key(KERNEL, host, True),
        _key(KERNEL, BASELINE, False),
        _key(kernel(1), host, False),
    }
    assert len(keys) == 4
    assert _key(KERNEL, host, False) in keys


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
        "sys.modules['llvmlite.binding'] = None",
        "import types; m = types.ModuleType('llvmlite'); m.__version__ = '0.1';"
        "b = types.ModuleType('llvmlite.binding'); m.binding = b;"
        "sys.modules.update({'llvmlite': m, 'llvmlite.binding': b})",
    ],
    ids=["missing", "broken", "old"],
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


def test_code_is_not_loaded_anew_for_each_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_recent", collections.deque(maxlen=2))
    text = "define i32 @kept() {\n ret i32 7\n}\n"
    number = id(compile_ir(text))
    gc.collect()
    assert id(compile_ir(text)) == number
    for other in range(3):
        compile_ir(f"define i32 @other{other}() {{\n ret i32 7\n}}\n")
    assert all("kept" not in module.symbols for module in compiler._recent)


def test_exit_with_live_modules() -> None:
    process = run_python(
        "import test_llvm_compiler as t\nfrom nvfuser.llvm import compile_ir\n"
        "modules = [compile_ir(t.kernel(k)) for k in range(3)]\nt.check(modules[2], 2)\n"
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
