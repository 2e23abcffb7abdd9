"""What the sources may use, as docs/design/architecture.md has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_torch

ROOT = Path(__file__).resolve().parents[3]


def sources(folder: str) -> list[Path]:
    """Return the C++ files in a folder of the checkout and below it."""
    return sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp"))


def folders(heading: str, parent: str) -> list[str]:
    """Return the folders of a table of the page, in its order, by their names in `parent`."""
    page = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition(heading)[2].partition("\n|")[2].partition("\n\n")[0]
    return re.findall(rf"^\| `{parent}/(\w+)/` \|", table, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "parent", "prefix"),
    [("\n## Layers\n", "src", ""), ("\n### The rooms of ", "bindings", "bindings/")],
)
def test_folders_use_only_those_above_them(heading: str, parent: str, prefix: str) -> None:
    order = folders(heading, parent)
    assert sorted(order) == sorted(path.name for path in (ROOT / parent).iterdir() if path.is_dir())
    for path in sources(parent):
        folder = path.relative_to(ROOT / parent).parts[0]
        if folder not in order:
            continue  # what registers all of bindings/
        allowed = order[: order.index(folder) + 1]
        for used in re.findall(rf'#include "{prefix}(\w+)/', path.read_text(encoding="utf-8")):
            assert used in allowed or (prefix == "" and used not in order), f"{path}: {used}/"


def code_of(text: str) -> str:
    """Return a text of C++ without comments and without the contents of strings."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


# What may ask which device it is: what implements one, and the table of devices itself.
MAY_ASK = ("src/device/", "src/emit/", "src/value/device.", "src/runtime/backend.cpp")

# Enumerators, predicates and names of devices, and what only code of one device includes.
QUESTION = re.compile(
    r"DeviceType::|DeviceCode::|\bis_?(?:Cuda|Gpu|Cpu|Host)(?:Device|Tensor)?\("
    r"|codeSuffix\(\) [=!]="
    r"|[=!]= ?\"(?:cpu|cuda|gpu)\"|#include \"device/cuda/",
    re.IGNORECASE,
)


def device_questions(text: str) -> list[str]:
    """Return the lines of a text of C++ that ask which device it is."""
    lines = (line.partition("//")[0].strip() for line in text.splitlines())
    return [line for line in lines if QUESTION.search(line)]


@pytest.mark.parametrize(
    "line",
    [
        "if (device.type == DeviceType::CUDA) {",
        "return tensor.device.isCuda() ? 32 : 1;",
        "if (target.isGpu()) {",
        "const bool onHost = !isCpu(device);",
        'if (toString(device) == "cuda") {',
        '#include "device/cuda/driver.h"',
        'if (backend.codeSuffix() == "cu") {',
    ],
)
def test_questions_for_the_identity_of_a_device_are_found(line: str) -> None:
    assert device_questions(f"int a;\n  {line}\n") == [line]


def test_no_question_for_the_identity_of_a_device() -> None:
    """Everything else asks for capabilities and properties."""
    found = []
    for path in sources("src") + sources("bindings"):
        name = path.relative_to(ROOT).as_posix()
        # What fills in the properties of a device is part of its backend.
        is_device = path.stem.endswith("_backend") or path.stem in ("cuda_plan", "cuda")
        if not name.startswith(MAY_ASK) and not is_device:
            found += [f"{name}: {line}" for line in device_questions(path.read_text("utf-8"))]
    assert found == []


def test_files_of_tests_have_names_of_their_own() -> None:
    """The folders of the tests are no packages: two modules of one name cannot both be imported."""
    names = [path.name for path in (ROOT / "tests" / "python").rglob("*.py")]
    assert {name for name in names if names.count(name) > 1} <= {"conftest.py"}


# What no number of tuning is: the first positions of loops and the like, bits of a byte.
PLAIN_NUMBERS = {"0", "1", "2", "8", "0.0"}
# Further positions of loops and dimensions in schedules; bits of a dtype in slices.h.
OTHER_NUMBERS = {
    "src/lower/kernel.h": {"3"},
    "src/schedule/heuristics/references.cpp": {"3"},
    "src/schedule/schedulers/cpu/interleaved.cpp": {"3"},
    "src/schedule/schedulers/cpu/scan.cpp": {"3"},
    "src/schedule/schedulers/cpu/tiles.cpp": {"3"},
    "src/schedule/schedulers/gpu/loops.cpp": {"3"},
    "src/schedule/schedulers/gpu/outer_persistent.cpp": {"3", "4"},
    "src/schedule/schedulers/gpu/outer_reduction.cpp": {"3", "4"},
    "src/schedule/schedulers/gpu/reductions.cpp": {"3"},
    "src/schedule/schedulers/gpu/scan.cpp": {"3", "4", "5", "6"},
    "src/schedule/schedulers/gpu/scatter_in_rows.cpp": {"3"},
    "src/schedule/schedulers/gpu/tiles.cpp": {"3", "4"},
    "src/schedule/slices.h": {"16"},
}
NUMBER = re.compile(r"(?<![\w.])(?:0[xXbB][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?)")
CONSTANT = re.compile(
    r"\b(?:constexpr|static const) [\w:<>, ]*?\b(k[A-Z]\w*)(?:\[\w*\])? ?[={]"
    r"[^;]*?(?<![\w.])\d[^;]*;"
)


def numbers_of(text: str) -> set[str]:
    """Return the numbers in a text of C++, without suffixes and separators."""
    return {number.replace("'", "") for number in NUMBER.findall(code_of(text))}


def constants_of(text: str) -> set[str]:
    """Return the names of constants in a text of C++ that are numbers."""
    return set(CONSTANT.findall(code_of(text)))


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("if (rows > 48) {", "48"),
        ("return 3 * threads;", "3"),
        ("x = std::min<int64_t>(x, 4);", "4"),
        ("while (bytes < 64LL) {", "64"),
        ("params.unroll = 0x40;", "0x40"),
        ("if (bytes > 16'384) {", "16384"),
        ("if (share > 0.75) {", "0.75"),
        ("limit = 1e6;", "1e6"),
    ],
)
def test_planted_numbers_are_found(line: str, number: str) -> None:
    assert number in numbers_of(f'// of 99\nlog("7");\n{line}\n') - PLAIN_NUMBERS
    assert not numbers_of(f"// {line}")
    assert not numbers_of(f'log("{line}");')


@pytest.mark.parametrize(
    "line",
    [
        "constexpr int64_t kRows = 2;",
        "inline constexpr int64_t kRows{8};",
        "static constexpr size_t kRows = size_t{1} << 20;",
        "static const int64_t kRows = 2 * 8;",
        "constexpr double kRows = 0.5;",
        "constexpr std::array<int64_t, 2> kRows = {1, 2};",
    ],
)
def test_planted_constants_are_found(line: str) -> None:
    assert constants_of(f"int a = 1;\n  {line}\n") == {"kRows"}


def test_numbers_stand_in_the_tables_and_among_the_limits() -> None:
    for path in [*sources("src/schedule"), *sources("src/lower")]:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("src/schedule/tuning/") or name == "src/schedule/limits.h":
            continue
        text = path.read_text(encoding="utf-8")
        assert numbers_of(text) - PLAIN_NUMBERS == OTHER_NUMBERS.get(name, set()), name
        # Unknown classes, and positions that are gone.
        constants = constants_of(text) - {"kNone", "kGone"}
        assert not constants, f"{name}: {constants} belong into the tables or among the limits"


# Constants around the compiler that are no tuning of kernels, by what they are.
OTHER_CONSTANTS = {
    # Sizes of caches, of names and of memory that is kept; units.
    "bindings/api/compiler.cpp": {"kBytes", "kBytesPerCharacter"},
    "bindings/call/compiled_function.cpp": {"kMaxVersionPlans"},
    "bindings/call/outputs.cpp": {"kMaxKeptBytes", "kMaxKeptWorkspaces"},
    "bindings/recording/torch_operator.cpp": {"kUnowned", "kAbiVersion"},
    "src/runtime/cuda_plan.cpp": {"kMaxGraphs", "kMaxGraphsOfAll"},
    "src/runtime/executor_cache.cpp": {"kGiga", "kMaxPlans", "kMicro", "kTera"},
    "src/runtime/kernel_name.cpp": {"kMostCharacters"},
    # What single precision rounds away, and sums that double precision has exactly.
    "src/runtime/known_integers.cpp": {"kRounding", "kMostOfInt"},
    "src/runtime/kernel_params.h": {"kUnset"},
    "src/runtime/plan_parts.h": {"kInlineSlots"},
    # The cost of the interpreter's lock, and of comparing ranges pair by pair.
    "bindings/call/run_executor.cpp": {"kNanosecondsWorthUnlocking", "kFew"},
    # Interfaces of Python, NumPy and torch.
    "bindings/call/arguments.cpp": {"kNativeByteOrder", "kWriteable"},
    "bindings/call/executor.h": {"kHaveVectorCall", "kIsMethodDescriptor"},
    "bindings/torch/tensor_layout.cpp": {"kNoIndex"},
    "bindings/torch/tensor_layout.h": {"kKinds", "kInlineRank"},
    "bindings/torch/torch_allocator.cpp": {"kSizes", "kStrides", "kTorchDevices"},
    "bindings/torch/torch_allocator.h": {"kUnknown"},
    # Alignment that accesses need; a size that nothing depends on.
    "src/runtime/planning/memory_plan.h": {"kAlignment"},
    "src/runtime/heuristic_params.cpp": {"kExtent"},
    # Where indices of 32 bits end, and bytes of 64.
    "src/runtime/planning/plan_builder.cpp": {"kLimit"},
    "src/runtime/sizes.cpp": {"kMostElements"},
    # Of the emitters: what keeps the work of compilers in bounds, and pages of memory.
    "src/emit/cuda/memory.cpp": {"kVectorBytes"},
    "src/emit/cuda/scalars.cpp": {"kMaxNesting"},
    "src/emit/llvm.cpp": {"kMost", "kPageBytes"},
    "src/emit/llvm/metadata.h": {"kFirstNode"},
    "src/emit/llvm/scalars.cpp": {"kMostTerms"},
    # Positions, and limits of operations and of layouts.
    "src/multidevice/layout.h": {"kRest"},
    # What is said by number, the layout of memory that devices share, and what its buffers hold.
    "src/multidevice/collectives.h": {"kPrevious"},
    "src/multidevice/exchange.h": {"kHeaderBytes"},
    "src/multidevice/exchange.cpp": {"kMostBytes"},
    "src/multidevice/localize.cpp": {"kMostRecomputed"},
    "src/multidevice/propagate.cpp": {"kAssumedExtent"},
}


def test_constants_around_the_compiler_are_known() -> None:
    found = {}
    for folder in ("src/runtime", "src/emit", "src/multidevice", "bindings"):
        for path in sources(folder):
            if constants := constants_of(path.read_text(encoding="utf-8")):
                found[path.relative_to(ROOT).as_posix()] = constants
    assert found == OTHER_CONSTANTS


# Files whose functions read a fusion once, before schedulers are asked for parameters.
READ_FUSIONS = ("schedulers/common.cpp", "schedulers/library_call.cpp")


def test_schedulers_choose_parameters_from_the_summary() -> None:
    """What they need of expressions is a fact that the summary keeps: `find` gets it as `whole`."""
    for path in sources("src/schedule/schedulers"):
        if not path.as_posix().endswith(READ_FUSIONS):
            code = code_of(path.read_text(encoding="utf-8"))
            assert not re.search(r"\bsummary\.(?:exprs|fusion)\(\)", code), path


def test_lowering_takes_no_decisions_of_speed() -> None:
    """It knows marks, whose numbers are theirs, but neither tuning nor what takes long."""
    for path in sources("src/lower"):
        text = path.read_text(encoding="utf-8")
        assert "schedule/tuning/" not in text, path
        assert not re.search(r"\bevaluatesFunction\b|\bisCheap\b|\btuning\b", code_of(text)), path


def test_every_number_of_tuning_is_read_by_a_schedule() -> None:
    for table in ("cpu", "gpu"):
        text = (ROOT / "src" / "schedule" / "tuning" / f"{table}.h").read_text(encoding="utf-8")
        rows = re.findall(r"^  X\(\w+, (\w+), ", text, re.MULTILINE)
        assert len(rows) == len(set(rows)) > 0
        readers = [*sources("src/schedule"), *sources("src/runtime")]
        users = "".join(code_of(path.read_text(encoding="utf-8")) for path in readers)
        for row in rows:
            assert re.search(rf"tuning(?:_|\.cpu|\.gpu|\(\))?\.{row}\b", users), f"{table}.{row}"
