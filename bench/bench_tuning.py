"""What each number of the tuning tables is worth: kernels with others in its place.

    python bench/bench_tuning.py [NAME...] [--device cpu] [--factors 0.5,2] [--threads 1]

Each number is multiplied by each factor, one at a time. Of the cases of `bench_kernels.py`, those
whose code changes are measured beside the same kernel with the number of the table, alternating
between the two. A ratio is the time with the other number over that with the table's: above 1 the
table's is faster. A number that changes no kernel here needs another case to say anything of it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from kernel_cases import Case, large_kernels, medium_kernels, odd_kernels
from side_by_side import keep_freed_memory, machine, markdown_table, measure

from nvfuser import _C

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
    ratios: dict[str, float]

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


Plan = Callable[..., list[torch.Tensor]]


def planned(case: Case, inputs: list[torch.Tensor], device: str) -> tuple[Plan, list[str]]:
    """Return a plan made with the numbers that hold now, and the texts of its kernels."""
    with Recorder(device) as recorder:
        plan = case.define(inputs).bind(inputs)
        plan(*inputs)
    return plan, recorder.texts


class Bench:
    """The cases, each planned with the numbers of the tables.

    Parameters
    ----------
    cases : sequence of Case
    dtypes : sequence of torch.dtype
    device : str
    rounds : int
    seconds : float
        Of a round of one plan.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        dtypes: Sequence[torch.dtype],
        device: str,
        rounds: int,
        seconds: float,
    ) -> None:
        self._device, self._rounds, self._seconds = device, rounds, seconds
        self._cases = {}
        for dtype in dtypes:
            name_of_dtype = str(dtype).removeprefix("torch.")
            for case in cases:
                if case.dtypes and name_of_dtype not in case.dtypes:
                    continue
                inputs = case.inputs(dtype, device)
                name = f"{case.name} {name_of_dtype}"
                self._cases[name] = case, inputs, *planned(case, inputs, device)

    def effect(self, name: str, value: float, other: float) -> Effect:
        """Measure what changes with another number."""
        effect = Effect(name, value, other, {})
        for case_name, (case, inputs, plan, texts) in self._cases.items():
            _C._override_tuning({name: other})
            try:
                changed, changed_texts = planned(case, inputs, self._device)
            finally:
                _C._override_tuning({})
            if changed_texts == texts:
                continue
            functions = {"table": lambda: plan(*inputs), "other": lambda: changed(*inputs)}  # noqa: B023
            samples = measure(functions, self._device, self._rounds, seconds=self._seconds)
            effect.ratios[case_name] = samples["other"].ratio_to(samples["table"])
        return effect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="as `python -m nvfuser info` has")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--factors", default="0.5,2")
    parser.add_argument("--dtypes", default="float32,bfloat16")
    parser.add_argument(
        "--scale", type=int, default=4, help="rows of large cases are divided by it"
    )
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
    bench = Bench(
        [*large_kernels(options.scale), *medium_kernels(options.scale), *odd_kernels()],
        [getattr(torch, name) for name in options.dtypes.split(",")],
        options.device,
        options.rounds,
        options.seconds,
    )
    print(machine(options.device), flush=True)
    effects = []
    for name in options.names or table:
        for factor in map(float, options.factors.split(",")):
            value = table[name]
            other = max(1.0, round(value * factor)) if value.is_integer() else value * factor
            if other != value:
                effects.append(bench.effect(name, value, other))
                print(" ".join(effects[-1].cells()), flush=True)
    heading = ["number", "table", "other", "kernels", "other / table", "most", "least"]
    print("\n" + markdown_table(heading, [effect.cells() for effect in effects]))
    if options.json:
        options.json.write_text(json.dumps([asdict(effect) for effect in effects], indent=1))


if __name__ == "__main__":
    main()
