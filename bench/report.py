"""Run the kernel, first-call and definition benchmarks, and write their tables as Markdown.

    python bench/report.py > tables.md
    python bench/report.py --write docs/benchmarks.md

`--write` replaces what is between the two lines `<!-- kernels: begin -->` and
`<!-- kernels: end -->` of a document, and appends them if there are none. Each number of threads is
measured in a process of its own, with its own cache of torch.compile: it compiles the number in.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
_HERE = Path(__file__).parent


def run(script: str, *arguments: str, caches: str) -> tuple[str, str]:
    """Run a benchmark; return its first line, which names the machine, and the rest."""
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": caches}
    command = [sys.executable, str(_HERE / script), *arguments]
    output = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    machine, _, rest = output.partition("\n")
    return machine, rest.strip()


def tables(options: argparse.Namespace) -> str:
    """Measure everything."""
    compiling = [] if options.compile else ["--no-compile"]
    parts = []
    with tempfile.TemporaryDirectory() as caches:
        for threads in options.threads:
            clock = options.clock if threads == 1 else "wall"
            machine, text = run(
                "bench_kernels.py",
                *("--device", options.device, "--threads", str(threads), "--clock", clock),
                *("--rounds", str(options.rounds), *compiling),
                caches=os.path.join(caches, str(threads)),
            )
            parts.append(text)
        _, first_call = run(
            "bench_cold_start.py",
            *("--device", options.device, "--repeats", str(options.repeats)),
            *("--clock", options.clock, *compiling),
            caches=caches,
        )
        _, definition = run("bench_definition.py", caches=caches)
    kernels = "\n\n".join(parts)
    return (
        f"Measured on {machine}.\n\n## Kernels\n\n{kernels}\n\n"
        f"## First call\n\n{first_call}\n\n## Definition\n\n{definition}\n"
    )


def replace(document: Path, text: str) -> None:
    """Put `text` between the two marks of `document`."""
    old = document.read_text() if document.exists() else ""
    if BEGIN not in old:
        old = f"{old}\n{BEGIN}\n{END}\n"
    head, _, rest = old.partition(BEGIN)
    tail = rest.partition(END)[2]
    document.write_text(f"{head}{BEGIN}\n{text}{END}{tail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=5, help="processes for each first call")
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu: for one thread, and for first calls",
    )
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--write", type=Path, default=None, help="the document to change")
    options = parser.parse_args()
    text = tables(options)
    if options.write is not None:
        replace(options.write, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
