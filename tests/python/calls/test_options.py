"""Options: of the environment, and of single calls."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import interface
import pytest
import torch

import nvfuser
from nvfuser import _C, FusionDefinition, PythonProfiler
from nvfuser.compat import no_effect
from nvfuser.cuda import compiler

ROOT = Path(__file__).resolve().parents[3]
VARIABLES = list(interface.OPTIONS)

# Two kernels around a library call; NumPy would do without torch, but has no library calls.
FUSION = """
import torch
from nvfuser import FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor([-1, -1], True)
    w = fd.define_tensor([-1, -1], True)
    y = fd.ops.relu(fd.ops.add(x, 1.0))
    fd.add_output(fd.ops.sum(fd.ops.matmul(y, w), [1]))
inputs = [torch.ones(4, 8), torch.ones(8, 2)]
(out,) = fd.execute(inputs)
assert out.tolist() == [32.0] * 4
"""

# What needs no torch starts faster.
SMALL = """
import numpy
from nvfuser import FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor([-1], True)
    fd.add_output(fd.ops.add(x, x))
inputs = [numpy.ones(4, numpy.float32)]
fd.execute(inputs)
"""


def run(code: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter that finds the same package."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(nvfuser.__file__).parents[1]),
            **environment,
        },
        cwd=cwd or ROOT / "tests",
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(code: str, **environment: str) -> str:
    done = run(code, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def titles(text: str) -> list[str]:
    return re.findall(r"^======= (.*) =======$", text, re.MULTILINE)


# ------------------------------------------------------------------ the table


def names_of(variable: str) -> list[str]:
    return [name for of, name, _ in _C.option_table() if of == variable]


@pytest.mark.parametrize("variable", VARIABLES)
def test_table_has_the_options_of_the_interface(variable: str) -> None:
    assert sorted(names_of(variable)) == sorted(interface.OPTIONS[variable].split())


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    read = set()
    for folder, patterns in (("src", ("*.cpp", "*.h")), ("bindings", ("*.cpp",))):
        for pattern in patterns:
            for path in (ROOT / folder).rglob(pattern):
                read |= set(re.findall(r"\"(NVFUSER_[A-Z_]+)\"", path.read_text()))
    for path in (ROOT / "nvfuser").rglob("*.py"):
        read |= set(re.findall(r"\"(NVFUSER_[A-Z_]+)\"", path.read_text()))
    page = (ROOT / "docs" / "environment.md").read_text()
    table = page.partition("| variable |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\|([^|]*)\|", table, re.MULTILINE)
    assert set(re.findall(r"`(NVFUSER_[A-Z_]+)`", " ".join(cells))) == read
    assert re.findall(r"option-table:: (\w+)", page) == VARIABLES


# ------------------------------------------------------------------ the environment


@pytest.mark.parametrize("variable", VARIABLES)
def test_unknown_name(variable: str) -> None:
    known = names_of(variable)
    done = run(SMALL, **{variable: f"{known[0]},no_such"})
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    expected = f"Unrecognized option in {variable}: no_such. There are: {', '.join(known)}"
    assert message == f"RuntimeError: {expected}"


def test_importing_reads_no_options() -> None:
    assert run("import nvfuser", NVFUSER_DUMP="no_such").returncode == 0


def test_every_option_without_effect_is_accepted_and_says_so_once() -> None:
    environment = {}
    for variable in VARIABLES:
        environment[variable] = ", ".join(
            name for of, name, effect in _C.option_table() if of == variable and not effect
        )
    done = run(SMALL + "fd.execute([numpy.ones(5, numpy.float32)])", **environment)
    assert done.returncode == 0
    assert done.stdout == ""
    warned = re.findall(r"NoEffectWarning: the option (\S+) of (\S+) is accepted", done.stderr)
    expected = [(name, of) for of, name, effect in _C.option_table() if not effect]
    assert sorted(warned) == sorted(expected)


@pytest.mark.parametrize("variable", VARIABLES)
def test_help(variable: str) -> None:
    """Every option with what it does, when the package is imported; then all goes on."""
    text = output_of(SMALL + "print('done')", **{variable: "help"})
    assert text.startswith(f"{variable} takes a list of options")
    assert text.endswith("done\n")
    for of, name, effect in _C.option_table():
        if of != variable:
            continue
        if effect:
            (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
            assert line.split()[1] == effect.split()[0]
        else:
            assert name in text.partition("Accepted without effect:")[2]


def test_help_beside_options() -> None:
    text = output_of(SMALL, NVFUSER_DUMP="help, python_definition")
    assert text.startswith("NVFUSER_DUMP takes")
    assert "def nvfuser_fusion(fd : FusionDefinition)" in text


# ------------------------------------------------------------------ without effect


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been said in this process."""
    monkeypatch.setattr(no_effect, "_said", set())


def _schedule(change: Callable[[FusionDefinition, nvfuser.TensorView], object]) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.neg(x))
        change(fd, x)


WITHOUT_EFFECT: dict[str, Callable[[], object]] = {
    "CompileParams.maxrregcount": lambda: nvfuser.CompileParams(maxrregcount=64),
    "CompileParams.enable_magic_zero": lambda: nvfuser.CompileParams(enable_magic_zero=False),
    "CompileParams.enable_ptxas_verbose": lambda: setattr(
        nvfuser.CompileParams(), "enable_ptxas_verbose", True
    ),
    "CompileParams.include_paths": lambda: nvfuser.CompileParams(include_paths=["a"]),
    "PointwiseParams.split_block": lambda: setattr(nvfuser.PointwiseParams(), "split_block", True),
    "ReductionParams.schedule_3d": lambda: setattr(nvfuser.ReductionParams(), "schedule_3d", True),
    "op_type of cache_after": lambda: _schedule(
        lambda fd, x: x.cache_after(nvfuser.LoadStoreOpType.cp_async)
    ),
    "propagate_allocation_domain of cache_after": lambda: _schedule(
        lambda fd, x: x.cache_after(propagate_allocation_domain=False)
    ),
    "propagate_padding of parallelize_like": lambda: _schedule(
        lambda fd, x: fd.sched.parallelize_like(x, propagate_padding=False)
    ),
    "validate of IdModel": lambda: _schedule(
        lambda fd, x: nvfuser.idm.IdModel(fd.fusion, validate=True)
    ),
    "the option kernel_db of NVFUSER_ENABLE": lambda: scaled(2.0).execute(
        [torch.ones(3, 4)], _enable_options=["kernel_db"]
    ),
    "the option magic_zero of NVFUSER_DISABLE": lambda: scaled(2.0).execute(
        [torch.ones(3, 4)], _disable_options=["magic_zero"]
    ),
}


@pytest.mark.no_round_trip
@pytest.mark.parametrize("what", WITHOUT_EFFECT)
def test_what_has_no_effect_says_so_once(what: str, said: None) -> None:
    with pytest.warns(nvfuser.NoEffectWarning, match=rf"^{re.escape(what)} is accepted") as caught:
        WITHOUT_EFFECT[what]()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WITHOUT_EFFECT[what]()


@pytest.mark.no_round_trip
def test_defaults_and_what_has_an_effect_say_nothing(said: None) -> None:
    def schedule(fd: FusionDefinition, x: nvfuser.TensorView) -> None:
        nvfuser.idm.IdModel(fd.fusion, validate=False)
        x.cache_after(nvfuser.LoadStoreOpType.set, propagate_allocation_domain=True)
        fd.sched.parallelize_like(x, propagate_padding=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nvfuser.CompileParams(
            index_type=nvfuser.DataType.Int32,
            maxrregcount=255,
            enable_magic_zero=True,
            enable_ptxas_verbose=False,
            include_paths=[],
        )
        pointwise = nvfuser.PointwiseParams()
        pointwise.unroll_factor_outer = 4
        pointwise.split_block = pointwise.split_block
        reduction = nvfuser.ReductionParams()
        reduction.vectorize_inner_reduction = True
        _schedule(schedule)
        scaled(2.0).execute([torch.ones(3, 4)], _disable_options=["fallback"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel_db(true", "Expected a ')' behind the arguments of kernel_db in NVFUSER_ENABLE"),
        ("kernel_db(true) x", "Expected a comma behind the arguments of kernel_db"),
    ],
)
def test_malformed_list(text: str, message: str) -> None:
    done = run(SMALL, NVFUSER_ENABLE=text)
    assert done.returncode == 1
    assert message in done.stderr


def test_arguments_of_options() -> None:
    assert output_of(SMALL, NVFUSER_ENABLE=" kernel_db(true,1) , wait_debugger(3)") == ""


# ------------------------------------------------------------------ dumps

DUMPS = {
    "fusion_ir_original": ("Fusion IR as defined", "matmul("),
    "fusion_ir_concretized": ("Fusion IR without symbolic structure", "matmul("),
    "fusion_ir_preseg": ("Fusion IR before segmentation", "matmul("),
    "segmented_fusion": ("Segments", "segment 1, scheduler expr_eval"),
    "fusion_ir_presched": ("Fusion IR before scheduling of fusion0_0", "%kernel_math {"),
    "fusion_ir_math": ("Fusion math of fusion0_2", "%kernel {"),
    "fusion_ir": ("Fusion IR of fusion0_2", "  loop domain: ["),
    "scheduler_params": ("Scheduler parameters of fusion0_2", "scheduler: reduction"),
    "kernel_ir": ("Kernel IR of fusion0_2", "T2[0] = reduce add("),
    "parallel_dimensions": ("Parallel dimensions of fusion0_0", "fusion0_0_phase0: workers = "),
    "index_type": ("Index type of fusion0_0", "int64_t"),
    "cuda_kernel": ("Code of fusion0_0", "define "),
    "python_definition": ("Python definition", "def nvfuser_fusion(fd : FusionDefinition)"),
    "fusion_args": ("Inputs of fusion 0", "Float tensor of shape [4, 8], strides [8, 1], on cpu"),
    "launch_param": ("Launches of fusion 0", "fusion0_2: grid ["),
    "kernel_args": ("Arguments of fusion0_2", "]: address 0x"),
}


def test_dumps() -> None:
    text = output_of(FUSION, NVFUSER_DUMP=",".join(DUMPS))
    parts = dict(
        part.partition(" =======\n")[::2]
        for part in re.split(r"^======= ", text, flags=re.MULTILINE)[1:]
    )
    for title, content in DUMPS.values():
        assert content in parts[title], title
    assert list(parts).index("Fusion IR as defined") < list(parts).index("Segments")


@pytest.mark.parametrize("option", ["kernel_ir", "segmented_fusion", "launch_param"])
def test_one_dump_prints_nothing_else(option: str) -> None:
    kind = DUMPS[option][0].rpartition(" of ")[0] or DUMPS[option][0]
    found = titles(output_of(FUSION, NVFUSER_DUMP=option))
    assert found
    assert all(title.startswith(kind) for title in found)


def test_dump_of_passes() -> None:
    """The kernel IR of each phase, before the first pass and after each of them."""
    text = output_of(SMALL, NVFUSER_DUMP="kernel_ir_passes")
    found = re.findall(
        r"^======= Kernel IR of (nvfuser_\w+_phase0) (.*) =======$", text, re.MULTILINE
    )
    assert len(titles(text)) == len(found) > 2
    names = {kernel for kernel, _ in found}
    assert len(names) == 1
    assert text.count(f"phase {names.pop()} {{") == len(found)
    moments = [when for _, when in found]
    assert moments[0] == "before the passes"
    assert moments[1] == "after splitPeriods"
    assert all(when.startswith("after ") for when in moments[1:])


def test_dump_of_the_library() -> None:
    text = output_of(SMALL.replace("ops.add(x, x)", "ops.tanh(x)"), NVFUSER_DUMP="cuda_full")
    assert "define internal" in text
    assert "@nvf.tanh" in text


def test_code_in_files(tmp_path: Path) -> None:
    assert run(FUSION, cwd=tmp_path, NVFUSER_DUMP="cuda_to_file").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fusion0_0.ll", "fusion0_2.ll"]
    assert "define " in (tmp_path / "fusion0_0.ll").read_text()


def test_arguments_of_launches() -> None:
    definition = """
import torch
from nvfuser import DataType, FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor(shape=[-1, -1], contiguity=False)
    z = fd.define_scalar(DataType.ComplexDouble)
    y = fd.define_scalar(DataType.Double)
    fd.add_output(fd.ops.mul(fd.ops.add(x, z), y))
fd.execute([torch.ones(4, 12)[:, :10:2], 1 + 2j, 0.5])
"""
    lines = output_of(definition, NVFUSER_DUMP="kernel_args").splitlines()
    assert lines[0] == "======= Arguments of fusion0_0 ======="
    values = {line.partition(": ")[2] for line in lines}
    assert {"stride 12 of dimension 0", "stride 2 of dimension 1", "(1,2)", "0.5", "4"} <= values
    assert sum(value.startswith("address 0x") for value in values) == 2


def test_graph_of_segments(tmp_path: Path) -> None:
    assert run(FUSION, cwd=tmp_path, NVFUSER_DUMP="draw_segmented_fusion").returncode == 0
    (path,) = tmp_path.iterdir()
    text = path.read_text()
    assert path.name == "segmented_fusion0.dot"
    assert text.startswith("digraph segments {")
    assert 'segment1 [label="segment 1, expr_eval' in text
    assert "segment0 -> segment1" in text
    assert "segment2 -> output0" in text


def test_parameters_of_manual_schedules() -> None:
    text = output_of(SMALL.replace(".execute", ".manual_execute"), NVFUSER_DUMP="compile_params")
    assert titles(text) == ["Compile parameters"]
    assert "maxrregcount = 255" in text


# ------------------------------------------------------------------ profiles


@pytest.mark.parametrize("value", ["enable", "enable.nocupti"])
def test_environment_profiles_every_run(value: str) -> None:
    code = FUSION + "import nvfuser; print(nvfuser.get_fusion_profile().segments)"
    assert output_of(code, NVFUSER_PROF=value).strip() == "3"


@pytest.mark.parametrize("value", ["print", "print.nocupti"])
def test_environment_prints_profiles(value: str) -> None:
    text = output_of(FUSION + "fd.execute(inputs)", NVFUSER_PROF=value)
    assert titles(text) == ["Profile", "Profile"]
    assert re.search(
        r"^  matmul \(expr_eval\): [\d.e-]+ ms, 192 bytes read, 32 written", text, re.M
    )


def test_environment_prints_whole_profiles() -> None:
    text = output_of(SMALL, NVFUSER_PROF="print.verbose")
    assert "FusionProfile(fusion_id=0, segments=1" in text
    assert "shared_mem_str=" in text


# ------------------------------------------------------------------ what is compiled


def scaled(factor: float, contiguity: bool = True) -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=contiguity)
        fd.add_output(fd.ops.mul(x, factor))
    return fd


def test_kernel_reuse() -> None:
    fd = scaled(2.0)
    fd.execute([torch.ones(3, 4)])
    for disabled, compiles in (([], False), (["kernel_reuse"], True)):
        with PythonProfiler() as profiler:
            (out,) = fd.execute([torch.ones(5, 6)], _disable_options=disabled)
        assert torch.equal(out, torch.full((5, 6), 2.0))
        assert (profiler.profile.compile_time_ms > 0) == compiles
    with PythonProfiler() as profiler:
        fd.execute([torch.ones(7, 8)], _disable_options=["kernel_reuse"])
    assert profiler.profile.compile_time_ms > 0


def test_assume_sizes() -> None:
    """Kernels are for the sizes that never changed; one that has changed once stays open."""
    fd = scaled(5.0)
    for shape, compiles, extent in (
        ((3, 4), True, "12"),
        ((3, 4), False, "12"),
        ((5, 4), True, r"\( i\d+ \* 4 \)"),
        ((7, 4), False, r"\( i\d+ \* 4 \)"),
        ((7, 6), True, r"\( i\d+ \* i\d+ \)"),
        ((8, 9), False, r"\( i\d+ \* i\d+ \)"),
        ((3, 4), False, "12"),
    ):
        with PythonProfiler() as profiler:
            (out,) = fd.execute([torch.ones(shape)], _enable_options=["assume_sizes"])
        assert torch.equal(out, torch.full(shape, 5.0))
        assert (profiler.profile.compile_time_ms > 0) == compiles
        scheduled = fd.fec.get_most_recent_scheduled_ir()
        assert re.search(rf"T0_g_float\[iS\d+\{{{extent}\}}\]", scheduled), (shape, scheduled)
    # Without the option, all are open.
    fd.execute([torch.ones(3, 4)])
    assert re.search(r"\{\( i\d+ \* i\d+ \)\}", fd.fec.get_most_recent_scheduled_ir())


def test_options_without_effect_compile_nothing_anew() -> None:
    fd = scaled(3.0)
    fd.execute([torch.ones(3, 4)])
    with PythonProfiler() as profiler:
        fd.execute(
            [torch.ones(3, 4)], _disable_options=["magic_zero"], _enable_options=["kernel_db"]
        )
    assert profiler.profile.compile_time_ms == 0


def test_infer_contiguity() -> None:
    fd = scaled(2.0, contiguity=False)
    x = torch.rand(5, 6)
    (inferred,) = fd.execute([x])
    assert "i0 * i2" in fd.fec.get_most_recent_scheduled_ir()
    (declared,) = fd.execute([x], _disable_options=["infer_contiguity"])
    assert "i0 * i2" not in fd.fec.get_most_recent_scheduled_ir()
    assert torch.equal(inferred, declared)
    # The first one's kernel is still there.
    with PythonProfiler() as profiler:
        fd.execute([x])
    assert profiler.profile.compile_time_ms == 0


def test_resize_scheduler() -> None:
    def segments(disabled: list[str]) -> int:
        with FusionDefinition() as fd:
            x = fd.define_tensor(shape=[-1], contiguity=True)
            fd.add_output(fd.ops.relu(fd.ops.slice(fd.ops.neg(x), [1], [3])))
        with PythonProfiler() as profiler:
            (out,) = fd.execute([-torch.arange(5.0)], _disable_options=disabled)
        assert out.tolist() == [1.0, 2.0]
        return profiler.profile.segments

    assert segments([]) == 1
    assert segments(["resize_scheduler"]) == 3


def test_cache_on_disk_can_be_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    scaled(0.123).execute([torch.ones(3, 4)], _disable_options=["nvrtc_caching"])
    assert list(tmp_path.rglob("*.o")) == []
    scaled(0.124).execute([torch.ones(3, 4)])
    assert len(list(tmp_path.rglob("*.o"))) == 1


# ------------------------------------------------------------------ CUDA


def test_variables_of_the_cuda_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(compiler._options_of_environment()) == []
    monkeypatch.setenv("NVFUSER_MAX_REG_COUNT", "64")
    monkeypatch.setenv("NVFUSER_JIT_OPT_LEVEL", "1")
    assert list(compiler._options_of_environment()) == ["--maxrregcount=64", "--ptxas-options=-O1"]


def test_expansions_to_the_same_sizes_are_nothing() -> None:
    """Sizes that are known when the fusion is run say that of those of another tensor."""
    text = output_of(
        """
import torch
from nvfuser import FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor([-1, -1])
    y = fd.define_tensor([-1, -1])
    fd.add_output(fd.ops.neg(fd.ops.expand(fd.ops.exp(x), [y.size(0), y.size(1)])))
x = torch.ones(4, 5)
for other in (torch.ones(4, 5), torch.ones(7, 5)):
    (out,) = fd.execute([x[: 1 if len(other) == 7 else 4], other])
    assert torch.allclose(out, -other.exp())
""",
        NVFUSER_DUMP="fusion_ir_preseg",
    )
    same, larger = text.split("Fusion IR before segmentation")[1:]
    assert "expand(" not in same
    assert "expand(" in larger
