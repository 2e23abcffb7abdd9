"""The Python examples of README.md and docs/ run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> str:
    """Return the page with everything but its examples blanked: line numbers stay right."""
    text = page.read_text()
    kept = list(text)
    position = 0
    for block in BLOCK.finditer(text):
        kept[position : block.start(1)] = re.sub(r"[^\n]", " ", text[position : block.start(1)])
        position = block.end(1)
    kept[position:] = re.sub(r"[^\n]", " ", text[position:])
    return "".join(line.rstrip() + "\n" for line in "".join(kept).splitlines())


WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text())]


def test_readme_has_an_example() -> None:
    assert ROOT / "README.md" in WITH_EXAMPLES


@pytest.mark.parametrize(
    "page",
    [
        # What a schedule inserts is not defined anew.
        pytest.param(page, marks=pytest.mark.no_round_trip) if page.stem == "scheduling" else page
        for page in WITH_EXAMPLES
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run(page: Path) -> None:
    """One after the other, with the names of those before."""
    exec(compile(examples(page), str(page), "exec"), {"__name__": "__main__"})


def test_links_between_pages_lead_somewhere() -> None:
    missing = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            if not (page.parent / target).exists():
                missing.append(f"{page.relative_to(ROOT)}: {target}")
    assert missing == []
