"""What each number of the tuning tables is worth: kernels with others in its place.

    python bench/bench_tuning.py [NAME...] [--device cpu] [--factors 0.5,2] [--threads 1]
    python bench/bench_tuning.py --device cuda --scale 1 --population 48 --processes 15

Each number is multiplied by each factor, one at a time. Of the cases of `bench_kernels.py`, and of
fusions drawn from the population of `bench_population.py`, those whose code changes are measured
beside the same kernel with the number of the table, alternating between the two. A ratio is the
time with the other number over that with the table's: above 1 the table's is faster. A number that
changes no kernel here needs another case to say anything of it.

`--processes` lets as many processes find what changes and fill the cache on disk before anything is
measured, since compiling is most of the time that this takes on a GPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import graphs
import population
import torch
from kernel_cases import Case, large_kernels, medium_kernels, odd_kernels
from side_by_side import keep_freed_memory, machine, markdown_table, measure

from nvfuser import _C
from nvfuser.frontend.conversion import Conversion

# The function that compiles the text of a kernel, by device.
_COMPILERS = {
    "cpu": ("nvfuser.llvm.compiler", "compile_ir"),
    "cuda": ("nvfuser.cuda.compiler", "compile_kernel"),
}


@dataclass
class Effect:
    """What another number does to the kernels that it changes.

    Attributes
    ----------
    name : str
        Of the number.
    value, other : float
        That of the table, and what is put in its place.
    ratios : dict
        By case, the time with the other number over that with the table's.
    """

    name: str
    value: float
    other: float
    ratios: dict[str, float] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """The geometric mean of the ratios."""
        return statistics.geometric_mean(self.ratios.values())

    def cells(self) -> list[str]:
        """A row of the table."""
        start = [self.name, f"{self.value:g}", f"{self.other:g}", str(len(self.ratios))]
        if not self.ratios:
            return [*start, "–", "–", "–"]
        (best, slowest), (worst, fastest) = (
            choose(self.ratios.items(), key=lambda entry: entry[1]) for choose in (max, min)
        )
        return [*start, f"{self.mean:.2f}", f"{slowest:.2f} {best}", f"{fastest:.2f} {worst}"]


class Recorder:
    """Notes the texts of kernels that are compiled."""

    def __init__(self, device: str) -> None:
        module, self._name = _COMPILERS[torch.device(device).type]
        self._module = importlib.import_module(module)
        self._compile = getattr(self._module, self._name)
        self.texts: list[str] = []

    def __enter__(self) -> Recorder:
        def noted(text: str, *args: Any, **options: Any) -> Any:
            # Without the comments, which print the schedule, and names, which are made of it.
            code = [line for line in text.splitlines() if not line.startswith((";", "//"))]
            self.texts.append(re.sub(r"nvfuser_\w+", "name", "\n".join(code)))
            return self._compile(text, *args, **options)

        setattr(self._module, self._name, noted)
        return self

    def __exit__(self, *_: object) -> None:
        setattr(self._module, self._name, self._compile)


Plan = Callable[[], Any]


@dataclass
class Subject:
    """What is planned again and again.

    Attributes
    ----------
    name : str
        Of the case, with its dtype.
    make : callable
        Returns what plans it anew: its inputs live as long as that.
    """

    name: str
    make: Callable[[], Callable[[], Plan]]


def subject_of_case(case: Case, dtype: torch.dtype, device: str) -> Subject:
    """A case of `bench_kernels.py`."""

    def make() -> Callable[[], Plan]:
        inputs = case.inputs(dtype, device)

        def plan() -> Plan:
            bound = case.define(inputs).bind(inputs)
            return lambda: bound(*inputs)

        return plan

    return Subject(f"{case.name} {str(dtype).removeprefix('torch.')}", make)


def subject_of_fusion(case: population.Case) -> Subject:
    """A fusion of a population, captured when it is planned."""

    def make() -> Callable[[], Plan]:
        torch._dynamo.reset()
        compiled: list[Callable[..., Any]] = []
        # Those of the case: an index must be within what it is of.
        inputs: list[list[Any]] = []
        with torch.no_grad():
            (graph,) = graphs.capture(
                lambda: compiled[0](*case.inputs),
                lambda backend: compiled.append(
                    torch.compile(case.function, backend=backend, dynamic=False)
                ),
                inputs,
            )

        def plan() -> Plan:
            call = Conversion(graph).run()
            return lambda: call(list(inputs[0]))

        return plan

    return Subject(case.name, make)


def subjects_of(options: argparse.Namespace) -> Iterator[Subject]:
    """All that is planned, in an order that is the same in every process."""
    cases = [*large_kernels(options.scale), *medium_kernels(options.scale), *odd_kernels()]
    for name in options.dtypes.split(","):
        for case in cases:
            if not case.dtypes or name in case.dtypes:
                yield subject_of_case(case, getattr(torch, name), options.device)
    elements = 1 << (20 if options.device == "cpu" else 25)
    for _, case in population.draw(options.seed, options.population, options.device, elements):
        yield subject_of_fusion(case)


def planned(
    plan: Callable[[], Plan], device: str, numbers: dict[str, float]
) -> tuple[Plan, list[str]]:
    """Return a plan made with other numbers than the tables', and the texts of its kernels."""
    _C._override_tuning(numbers)
    try:
        with Recorder(device) as recorder:
            made = plan()
            made()
    finally:
        _C._override_tuning({})
    return made, recorder.texts


def changed_by(subject: Subject, effects: Sequence[Effect], device: str) -> list[int]:
    """Return the positions of the numbers that change the code of a subject."""
    plan = subject.make()
    _, texts = planned(plan, device, {})
    changed = []
    for position, effect in enumerate(effects):
        try:
            _, others = planned(plan, device, {effect.name: effect.other})
        except RuntimeError as error:
            reason = str(error).partition("\n")[0]
            print(f"{subject.name}: {effect.name} = {effect.other}: {reason}", file=sys.stderr)
            continue
        if others != texts:
            changed.append(position)
    return changed


def survey(
    options: argparse.Namespace, effects: Sequence[Effect], part: int = 0, parts: int = 1
) -> dict[int, list[int]]:
    """Return what changes every `parts`-th subject, by the position of the subject."""
    return {
        number: changed_by(subject, effects, options.device)
        for number, subject in enumerate(subjects_of(options))
        if number % parts == part
    }


def survey_in_processes(count: int) -> dict[int, list[int]]:
    """Run `survey` in as many processes, with the arguments of this one."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{part}.json") for part in range(count)]
        processes = [
            subprocess.Popen(
                [sys.executable, *sys.argv, "--part", str(part), str(count), str(file)]
            )
            for part, file in enumerate(files)
        ]
        statuses = [process.wait() for process in processes]
        if any(statuses):
            raise SystemExit("a process failed that looked for what changes")
        return {
            int(number): changed
            for file in files
            for number, changed in json.loads(file.read_text()).items()
        }


def measure_subject(
    subject: Subject, effects: Sequence[Effect], options: argparse.Namespace
) -> None:
    """Note the times of a subject with each number that changes it."""
    if not effects:
        return
    plan = subject.make()
    ours, _ = planned(plan, options.device, {})
    for effect in effects:
        other, _ = planned(plan, options.device, {effect.name: effect.other})
        functions = {"table": ours, "other": other}
        samples = measure(functions, options.device, options.rounds, seconds=options.seconds)
        effect.ratios[subject.name] = samples["other"].ratio_to(samples["table"])


def times(value: float, factor: float) -> float:
    """Return a number multiplied, an integer as one of 1 or more."""
    return max(1.0, round(value * factor)) if value.is_integer() else value * factor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="as `python -m nvfuser info` has")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--factors", default="0.5,2")
    parser.add_argument("--dtypes", default="float32,bfloat16")
    parser.add_argument(
        "--scale", type=int, default=4, help="rows of large cases are divided by it"
    )
    parser.add_argument("--population", type=int, default=0, help="fusions drawn beside the cases")
    parser.add_argument("--seed", type=int, default=1, help="of the population")
    parser.add_argument("--processes", type=int, default=0, help="that find what changes")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.02, help="of a round of one plan")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", type=Path, help="write all that was measured here")
    options = parser.parse_args()
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    if options.device == "cpu":
        keep_freed_memory()
    prefix = "cpu." if options.device == "cpu" else "gpu."
    described = _C._describe_tuning(options.device)
    table = {name: value for name, value, *_ in described if name.startswith(prefix)}
    unknown = set(options.names) - set(table)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(table)}")
    effects = [
        Effect(name, table[name], other)
        for name in options.names or table
        for factor in map(float, options.factors.split(","))
        if (other := times(table[name], factor)) != table[name]
    ]
    if options.part:
        part, parts, file = options.part
        found = survey(options, effects, int(part), int(parts))
        Path(file).write_text(json.dumps(found))
        return
    changed = (
        survey_in_processes(options.processes) if options.processes else survey(options, effects)
    )
    print(machine(options.device), flush=True)
    for number, subject in enumerate(subjects_of(options)):
        measure_subject(subject, [effects[i] for i in changed[number]], options)
        print(f"{len(changed[number])} of {subject.name}", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps([asdict(effect) for effect in effects], indent=1))
    heading = ["number", "table", "other", "kernels", "other / table", "most", "least"]
    print("\n" + markdown_table(heading, [effect.cells() for effect in effects]))


if __name__ == "__main__":
    main()
