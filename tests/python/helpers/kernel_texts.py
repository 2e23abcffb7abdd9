"""Records the text of every kernel that the tests compile, and compares two recordings.

A change that is not meant to change any kernel is checked with this: the same tests, before and
after it, on both devices.

    pytest tests/python --emulate-all --record-kernels=before.zip
    pytest tests/python --emulate-all --record-kernels=after.zip
    python tests/python/helpers/kernel_texts.py before.zip after.zip

A recording is a zip file: ``index.json`` maps each test to the kernels that it compiled, in the
order in which it did, and a member of each hash holds the text. Kernels begin with a comment that
prints their schedule; where that is meant to be printed otherwise, ``--code-only`` compares the
rest. Tests that draw random programs draw the same ones in both runs, because a recording sets
hypothesis' profile. The heuristics ask for the number of threads and the size of the caches:
compare recordings of one machine.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_INDEX = "index.json"
# A kernel's name ends with a digest that covers how its parameters are printed.
_DIGEST = re.compile(r"(\bnvfuser_\w+?)_[0-9a-f]{8}(?=_phase|\b)")
# What begins a line of a comment in LLVM IR and in CUDA C++.
_COMMENTS = (";", "//")


class Recorder:
    """A pytest plugin that writes what is compiled during each test into a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[str, str] = {}
        self._of_test: dict[str, list[str]] = {}
        self._test = "outside of tests"

    def _recording(self, target: str, compile_text: Callable[..., Any]) -> Callable[..., Any]:
        def record(text: str, *arguments: Any, **options: Any) -> Any:
            plain = _DIGEST.sub(r"\1", text)
            digest = hashlib.sha256(plain.encode()).hexdigest()[:32]
            self._texts[digest] = plain
            self._of_test.setdefault(self._test, []).append(f"{target}-{digest}")
            return compile_text(text, *arguments, **options)

        return record

    def pytest_configure(self) -> None:
        """Put the recording in front of what the extension calls for a kernel."""
        from hypothesis import settings

        from nvfuser.cuda import compiler as nvrtc
        from nvfuser.llvm import compiler as llvm

        settings.register_profile("recording", derandomize=True, database=None)
        settings.load_profile("recording")
        llvm.compile_ir = self._recording("cpu", llvm.compile_ir)
        nvrtc.compile_kernel = self._recording("cuda", nvrtc.compile_kernel)

    def pytest_collection_finish(self) -> None:
        """Record the kernels of the emulated device, which is only imported by its tests."""
        emulation = sys.modules.get("emulation")
        if emulation is not None:
            emulation.compile_kernel = self._recording("cuda", emulation.compile_kernel)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Name the test that kernels are compiled for."""
        self._test = item.nodeid
        return (yield)

    def pytest_sessionfinish(self) -> None:
        """Write the recording."""
        with zipfile.ZipFile(self._path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(_INDEX, json.dumps(self._of_test))
            for digest, text in self._texts.items():
                file.writestr(digest, text)


class _Recording:
    """The kernels of each test in a recording; `code_only` leaves out their comments."""

    def __init__(self, file: zipfile.ZipFile, code_only: bool) -> None:
        self._file = file
        self._code_only = code_only
        # Without the folder of a test, so that tests may move between two recordings.
        index = json.loads(file.read(_INDEX))
        self.of_test: dict[str, list[str]] = {
            test.rpartition("/")[2]: kernels for test, kernels in index.items()
        }

    def lines(self, name: str) -> list[str]:
        """Return the text of a kernel."""
        lines = self._file.read(name.partition("-")[2]).decode().splitlines(keepends=True)
        return [line for line in lines if not (self._code_only and line.startswith(_COMMENTS))]

    def texts(self, test: str) -> list[list[str]]:
        """Return the texts of a test's kernels."""
        return [self.lines(name) for name in self.of_test.get(test, [])]


def compare(before: Path, after: Path, shown: int, code_only: bool = False) -> int:
    """Print in which tests the kernels of two recordings differ; return how many tests that are."""
    with zipfile.ZipFile(before) as first, zipfile.ZipFile(after) as second:
        old, new = (_Recording(file, code_only) for file in (first, second))
        kernels = collections.Counter(
            name.partition("-")[0] for names in old.of_test.values() for name in names
        )
        tests = sorted({*old.of_test, *new.of_test})
        differing = [
            test
            for test in tests
            if old.of_test.get(test) != new.of_test.get(test) and old.texts(test) != new.texts(test)
        ]
        for test in differing[:shown]:
            one, other = old.texts(test), new.texts(test)
            print(f"{test}: {len(one)} kernels before, {len(other)} after")
            for left, right in zip(one, other, strict=False):
                if left != right:
                    print("".join(difflib.unified_diff(left, right, "before", "after", n=2)))
                    break
        of_devices = ", ".join(f"{count} of {device}" for device, count in sorted(kernels.items()))
        print(f"{len(differing)} of {len(tests)} tests differ ({of_devices} compared)")
    return len(differing)


def main() -> int:
    """Compare two recordings."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--show", type=int, default=5, help="differences that are printed")
    parser.add_argument(
        "--code-only", action="store_true", help="leave out comments, which print the schedule"
    )
    arguments = parser.parse_args()
    return int(compare(arguments.before, arguments.after, arguments.show, arguments.code_only) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
