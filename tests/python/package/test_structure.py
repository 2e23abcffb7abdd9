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


# What may ask which device it is: what implements one, and the table of devices itself.
MAY_ASK = ("src/device/", "src/emit/", "src/value/device.", "src/runtime/backend.cpp")


def test_no_question_for_the_identity_of_a_device() -> None:
    """Everything else asks for capabilities and properties."""
    question = re.compile(r"DeviceType::|DeviceCode::|\bis(Cuda|Gpu)\b|codeSuffix\(\) [=!]=")
    found = []
    for path in sources("src") + sources("bindings"):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(MAY_ASK) or path.stem.endswith("_backend"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if question.search(line.partition("//")[0]):
                found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


def test_files_of_tests_have_names_of_their_own() -> None:
    """The folders of the tests are no packages: two modules of one name cannot both be imported."""
    names = [path.name for path in (ROOT / "tests" / "python").rglob("*.py")]
    assert {name for name in names if names.count(name) > 1} <= {"conftest.py"}


# Numbers of two digits in schedules and lowering that are neither tuning nor limits.
OTHER_NUMBERS = {"src/schedule/slices.h": {"16"}}  # bits of a dtype


def code_of(path: Path) -> str:
    """Return the text of a file without comments, strings and what they are made of."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    return re.sub(r'"[^"\n]*"', '""', text)


def test_numbers_stand_in_the_tables_and_among_the_limits() -> None:
    for path in [*sources("src/schedule"), *sources("src/lower")]:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("src/schedule/tuning/") or name == "src/schedule/limits.h":
            continue
        code = code_of(path)
        numbers = set(re.findall(r"(?<![\w.])\d{2,}(?![\w.])", code))
        assert numbers <= OTHER_NUMBERS.get(name, set()), name
        constants = re.findall(r"constexpr [\w:]+ (k\w+) = [^;]*?(?<![\w.])[\d.]+[^;]*;", code)
        constants = [constant for constant in constants if constant not in ("kNone", "kGone")]
        assert not constants, f"{name}: {constants} belong into the tables or among the limits"


def test_every_number_of_tuning_is_read_by_a_schedule() -> None:
    for table in ("cpu", "gpu"):
        text = (ROOT / "src" / "schedule" / "tuning" / f"{table}.h").read_text(encoding="utf-8")
        rows = re.findall(r"^  X\(\w+, (\w+), ", text, re.MULTILINE)
        assert len(rows) == len(set(rows)) > 0
        users = "".join(code_of(path) for path in sources("src/schedule"))
        for row in rows:
            assert re.search(rf"tuning(?:_|\.cpu|\.gpu|\(\))?\.{row}\b", users), f"{table}.{row}"
