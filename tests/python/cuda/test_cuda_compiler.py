"""NVRTC: finding it, compiling without a device, caches, errors, what is said without it."""

from __future__ import annotations

import functools
import shutil
import sys
import threading
import types
from pathlib import Path

import new_process
import pytest

from nvfuser.cuda import CompilationError, compile_kernel, compiler, nvrtc

KERNEL = """\
// compiler tests
extern "C" __global__ void scale(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) {
    y[i] = 2.0f * x[i];
  }
}
"""


def kernel(number: int) -> str:
    """A kernel unlike those of other numbers."""
    return KERNEL.replace("2.0f", f"{number}.0f")


def libraries() -> list[str]:
    """One NVRTC of each major version that is installed here."""
    found: dict[int, str] = {}
    for path in nvrtc._candidates():
        if Path(path).is_file():
            found.setdefault(nvrtc._major_of(path), path)
    return list(found.values())


def forget() -> None:
    """Let the next use look for NVRTC again."""
    nvrtc.find.cache_clear()
    nvrtc.identity.cache_clear()


@pytest.fixture(params=libraries(), ids=lambda path: Path(path).name)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> nvrtc.Nvrtc:
    """Every installed NVRTC in turn is the one that is found."""
    monkeypatch.setenv("NVFUSER_NVRTC", request.param)
    forget()
    yield nvrtc.find()
    forget()


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Caches of its own for every test."""
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NVFUSER_DISABLE_CACHE", raising=False)
    monkeypatch.setattr(compiler, "_images", type(compiler._images)())
    return tmp_path / "cuda"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The architectures of all compilations from here on."""
    done = []
    compile_program = nvrtc.Nvrtc.compile

    def recorded(self: nvrtc.Nvrtc, source: str, options: list[str]) -> nvrtc.Program:
        done.append(options[0].rpartition("=")[2])
        return compile_program(self, source, options)

    monkeypatch.setattr(nvrtc.Nvrtc, "compile", recorded)
    return done


run_python = functools.partial(new_process.run_python, folder=Path(__file__).parent)


# ------------------------------------------------------------------ compiling


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_machine_code(library: nvrtc.Nvrtc, capability: int, compilations: list[str]) -> None:
    image = compile_kernel(KERNEL, capability)
    assert image[:4] == b"\x7fELF"
    assert int.from_bytes(image[18:20], "little") == 190  # EM_CUDA
    assert b".text.scale" in image
    assert compilations == [f"sm_{capability}{'a' if capability >= 100 else ''}"]


def test_a_device_newer_than_the_compiler_gets_ptx(library: nvrtc.Nvrtc) -> None:
    text = compile_kernel(KERNEL, 9990)
    assert b".visible .entry scale(" in text
    newest = library.architectures[-1]
    assert f".target sm_{newest}".encode() in text


def test_choice_of_the_architecture() -> None:
    known = (75, 80, 90, 100, 120)
    assert compiler.architecture(80, known) == "sm_80"
    assert compiler.architecture(90, known) == "sm_90"
    assert compiler.architecture(120, known) == "sm_120a"
    assert compiler.architecture(86, known) == "compute_80"
    assert compiler.architecture(103, known) == "compute_100"
    assert compiler.architecture(130, known) == "compute_120"
    with pytest.raises(
        RuntimeError, match=r"of compute capability 7\.0, but .* for 7\.5 and newer"
    ):
        compiler.architecture(70, known)


def test_functions_need_no_execution_space(library: nvrtc.Nvrtc) -> None:
    text = "float twice(float x) { return 2 * x; }\n" + KERNEL.replace("2.0f * x[i]", "twice(x[i])")
    assert compile_kernel(text, 90)


# ------------------------------------------------------------------ options


def test_options_and_reports(
    library: nvrtc.Nvrtc,
    compilations: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    text = KERNEL.replace("scale(", "scale_phase0(")
    plain = compile_kernel(text, 90)
    verbose = ["--ptxas-options=--verbose", "--ptxas-options=--warn-on-spills"]
    image = compile_kernel(text, 90, extra_options=verbose, report=["log", "ptx", "cubin"])
    assert capsys.readouterr().out.startswith("======= ")
    assert (tmp_path / "scale.cubin").read_bytes() == image
    lines = compile_kernel(text, 90, extra_options=["--generate-line-info"])
    assert b".debug_line" in lines
    assert b".debug_line" not in plain
    for options in (["--device-debug"], ["--use_fast_math"], ["--fmad=false"]):
        assert compile_kernel(text, 90, extra_options=options)[:4] == b"\x7fELF"
    assert b".visible .entry scale_phase0(" in compile_kernel(text, 90, to_ptx=True)
    count = len(compilations)
    # A report is made every time, what is known of other options is not used.
    compile_kernel(text, 90, report=["ptx"])
    assert len(compilations) == count + 1
    assert ".visible .entry scale_phase0(" in capsys.readouterr().out
    assert compile_kernel(text, 90) == plain


def test_options_of_one_kernel_change_no_other(library: nvrtc.Nvrtc) -> None:
    """NVRTC itself leaves optimizations out once it has compiled for a debugger."""
    text = """
struct Arguments { float* x[2]; long long threads[2]; };
extern "C" __global__ void scale(const __grid_constant__ Arguments arguments) {
  const long long& threads = arguments.threads[blockIdx.x > 0];
  if (threadIdx.x < threads) { arguments.x[blockIdx.x > 0][threadIdx.x] *= 2.0f; }
}
"""
    plain, code = compiler.options("compute_90"), compiler.options("sm_90")
    before = [library.compile(text, options).image for options in (plain, code)]
    for option in (
        "--device-debug",
        "--generate-line-info",
        "--use_fast_math",
        "--fmad=false",
        "--maxrregcount=32",
        "--ptxas-options=-O0",
        "--ptxas-options=--verbose",
        "--ptxas-options=--warn-on-spills",
    ):
        assert library.compile(text, [*code, option]).image[:4] == b"\x7fELF"
        assert [library.compile(text, options).image for options in (plain, code)] == before, option


def test_errors_of_kernels_for_a_debugger(
    library: nvrtc.Nvrtc, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = KERNEL.replace("x[i]", "z[i]")
    messages = []
    for extra in ([], ["--device-debug"]):
        with pytest.raises(CompilationError, match='identifier "z" is undefined') as error:
            compile_kernel(wrong, 90, extra_options=extra)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    monkeypatch.setattr(nvrtc.sys, "executable", shutil.which("false"))
    with pytest.raises(RuntimeError, match=r"false ended with 1 while .* --device-debug"):
        compile_kernel(KERNEL, 90, extra_options=["--device-debug"])


def test_machine_code_as_text(
    library: nvrtc.Nvrtc,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    text = KERNEL.replace("scale(", "scale_phase0(")
    monkeypatch.setattr(compiler.shutil, "which", lambda name, path: None)
    compile_kernel(text, 90, report=["sass"])
    printed = capsys.readouterr().out
    assert printed.startswith("======= SASS of scale =======")
    assert "no nvdisasm or cuobjdump was found" in printed
    program = tmp_path / "cuobjdump"
    program.write_text('#!/bin/sh\nhead -c 4 "$2" | tail -c 3\necho " $1"\n')
    program.chmod(0o755)
    monkeypatch.setattr(
        compiler.shutil, "which", lambda name, path: str(program) if name == program.name else None
    )
    compile_kernel(text, 90, report=["sass_to_file"])
    assert (tmp_path / "scale.sass").read_text() == "ELF --dump-sass\n"
    compile_kernel(text, 90, report=["sass"], to_ptx=True)
    assert "the kernel was compiled to PTX" in capsys.readouterr().out


def test_options_of_the_environment(
    library: nvrtc.Nvrtc, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_kernel(KERNEL, 90)
    monkeypatch.setenv("NVFUSER_MAX_REG_COUNT", "32")
    monkeypatch.setenv("NVFUSER_JIT_OPT_LEVEL", "1")
    compile_kernel(KERNEL, 90)
    assert compilations == ["sm_90", "sm_90"]


# ------------------------------------------------------------------ caches


def test_equal_text_is_compiled_once(compilations: list[str]) -> None:
    first = compile_kernel(KERNEL, 90)
    assert compile_kernel(KERNEL, 90) is first
    assert compilations == ["sm_90"]
    compile_kernel(KERNEL, 80)
    compile_kernel(kernel(3), 90)
    assert compilations == ["sm_90", "sm_80", "sm_90"]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, compilations: list[str]) -> None:
    monkeypatch.setattr(compiler, "_MAX_IMAGES", 2)
    for number in (1, 2, 1, 3, 1, 2):
        compile_kernel(kernel(number), 90, cache=False)
    # 3 took the place of 2, which was not used for longest.
    assert len(compilations) == 4
    assert len(compiler._images) == 2


def test_a_new_process_loads_from_disk(directory: Path) -> None:
    code = (
        "from nvfuser.cuda import compile_kernel, nvrtc\n"
        "import hashlib, test_cuda_compiler as t\n"
        "original = nvrtc.Nvrtc.compile\n"
        "def compile(*arguments):\n    print('compiled')\n    return original(*arguments)\n"
        "nvrtc.Nvrtc.compile = compile\n"
        "print(hashlib.sha256(compile_kernel(t.KERNEL, 90)).hexdigest())\n"
    )
    outputs = []
    for _ in range(2):
        process = run_python(code)
        assert process.returncode == 0, process.stderr
        outputs.append(process.stdout.split())
    assert outputs[0][0] == "compiled"
    assert outputs[1] == outputs[0][1:]
    assert len(list(directory.glob("*.o"))) == 1


def test_no_cache_when_told(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_kernel(KERNEL, 90, cache=False)
    monkeypatch.setenv("NVFUSER_DISABLE_CACHE", "1")
    compile_kernel(kernel(3), 90)
    assert not directory.exists()


def test_a_damaged_file_is_recompiled(directory: Path, compilations: list[str]) -> None:
    image = compile_kernel(KERNEL, 90)
    (file,) = directory.glob("*.o")
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    compiler._images.clear()
    assert compile_kernel(KERNEL, 90) == image
    assert len(compilations) == 2
    assert file.read_bytes() == whole


def test_the_key_holds_all_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {compiler._key(KERNEL, 90), compiler._key(kernel(3), 90), compiler._key(KERNEL, 80)}
    keys.add(compiler._key(KERNEL, 90, ["--fmad=false"]))
    for module, name in ((nvrtc, "identity"), (compiler.library, "version")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, lambda: "another")
            keys.add(compiler._key(KERNEL, 90))
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "options", lambda arch: ["--fmad=false"])
        keys.add(compiler._key(KERNEL, 90))
    assert len(keys) == 7
    assert compiler._key(KERNEL, 90) in keys


def test_a_hit_on_disk_does_not_load_nvrtc() -> None:
    # What is in memory may have been dropped from the disk, where other processes write as well.
    compiler._images.clear()
    compile_kernel(KERNEL, 90)
    process = run_python(
        "from nvfuser.cuda import compile_kernel, nvrtc\n"
        "import test_cuda_compiler as t\n"
        "compile_kernel(t.KERNEL, 90)\n"
        "assert nvrtc.find.cache_info().currsize == 0\n"
    )
    assert process.returncode == 0, process.stderr


def test_what_nvrtc_opens_by_name_is_loaded_with_it() -> None:
    # That of CUDA 13.0 does not look beside itself.
    process = run_python(
        "from nvfuser.cuda import nvrtc\n"
        "name = 'libnvrtc-builtins.so.{}.{}'.format(*nvrtc.find().version)\n"
        "with open('/proc/self/maps', encoding='utf-8') as maps:\n"
        "    assert name in maps.read()\n"
    )
    assert process.returncode == 0, process.stderr


def test_threads(compilations: list[str]) -> None:
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def work(thread: int) -> None:
        try:
            barrier.wait()
            for number in range(3):
                # Some kernels are compiled by every thread, some by one.
                compile_kernel(kernel(number if number else 10 + thread), 90)
        except (RuntimeError, threading.BrokenBarrierError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(compiler._images) == 6


# ------------------------------------------------------------------ errors


def test_an_error_shows_the_line(library: nvrtc.Nvrtc) -> None:
    with pytest.raises(CompilationError, match='identifier "nonsense" is undefined') as error:
        compile_kernel(KERNEL.replace("x[i];", "nonsense;"), 90)
    assert ">     5 |     y[i] = 2.0f * nonsense;" in str(error.value)
    assert "NVRTC_ERROR_COMPILATION" in str(error.value)
    # and the next one compiles
    assert compile_kernel(KERNEL, 90)


def test_an_unknown_library_function() -> None:
    with pytest.raises(RuntimeError, match=r"no definition of nvf::nothing"):
        compile_kernel(KERNEL.replace("2.0f * x[i]", "nvf::nothing(x[i])"), 90)


def test_errors_are_runtime_errors() -> None:
    assert issubclass(CompilationError, RuntimeError)


def test_without_nvrtc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget()
    monkeypatch.setenv("NVFUSER_NVRTC", str(tmp_path / "libnvrtc.so.12"))
    with pytest.raises(RuntimeError, match="pip install nvidia-cuda-nvrtc") as error:
        compile_kernel(KERNEL, 90)
    assert str(tmp_path / "libnvrtc.so.12") in str(error.value)
    monkeypatch.setattr(nvrtc, "_candidates", lambda: iter(()))
    with pytest.raises(RuntimeError, match="Tried: nothing was found"):
        nvrtc.find()
    monkeypatch.undo()
    assert nvrtc.find().version >= (12, 0)


def test_a_library_that_is_not_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setenv("NVFUSER_NVRTC", "libm.so.6")
    with pytest.raises(RuntimeError, match=r"libm\.so\.6 is no usable NVRTC"):
        nvrtc.find()


def test_the_version_of_torch_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NVFUSER_NVRTC", raising=False)
    for major in (11, 12, 13):
        (tmp_path / f"libnvrtc.so.{major}").touch()
    (tmp_path / "libnvrtc-builtins.so.12.8").touch()
    monkeypatch.setattr(nvrtc, "_folders", lambda: iter([tmp_path, tmp_path / "nowhere"]))

    def first_with(cuda: str | None) -> list[str]:
        torch = types.SimpleNamespace(version=types.SimpleNamespace(cuda=cuda))
        monkeypatch.setitem(sys.modules, "torch", torch)
        paths = [path for path in nvrtc._candidates() if str(tmp_path) in path]
        return [Path(path).name.rpartition(".")[2] for path in paths]

    assert first_with("12.8") == ["12", "13", "11"]
    assert first_with("13.0") == ["13", "12", "11"]
    assert first_with(None) == ["13", "12", "11"]


def test_import_is_lazy() -> None:
    process = run_python(
        "import nvfuser.cuda\nfrom nvfuser.cuda import nvrtc\n"
        "assert nvrtc.find.cache_info().currsize == 0\n"
        "assert 'nvrtc' not in open('/proc/self/maps').read()\n"
    )
    assert process.returncode == 0, process.stderr


# ------------------------------------------------------------------ without a driver


@pytest.mark.parametrize("device", ["'cuda'", "'cuda:1'", "0"])
def test_asking_for_cuda_without_a_driver_says_what_is_missing(device: str) -> None:
    code = (
        "import torch\nfrom nvfuser import DataType, FusionDefinition\n"
        "with FusionDefinition() as fd:\n"
        "    s = fd.define_scalar(DataType.Double)\n"
        "    fd.add_output(fd.ops.full([4], s, DataType.Float))\n"
        f"try:\n    fd.execute([2.0], device={device})\n"
        "except RuntimeError as error:\n    print(error)\n"
        "print(fd.execute([2.0], device='cpu')[0].tolist())\n"
    )
    process = run_python(code, NVFUSER_CUDA_DRIVER="libnowhere.so.1")
    assert process.returncode == 0, process.stderr
    message, values = process.stdout.splitlines()
    assert message.startswith("CUDA is not available: the driver's library could not be loaded")
    assert "libnowhere.so.1" in message
    assert "install the NVIDIA driver" in message
    assert values == "[2.0, 2.0, 2.0, 2.0]"
