"""What was fused, and why not: :func:`nvfuser.explain`, as text and as a picture."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nvfuser import _C
from nvfuser.drawing_svg import Graph, Node, to_svg
from nvfuser.needs_torch import needs_torch
from nvfuser.profiler import PythonProfiler

if TYPE_CHECKING:
    from nvfuser.definition import FusionDefinition

__all__ = [
    "RUNS",
    "Copies",
    "Cut",
    "Explanation",
    "Operation",
    "Part",
    "Section",
    "copied",
    "explain",
    "explain_definition",
    "measure",
    "parts_of_last_run",
    "random_state_kept",
]

# Runs of which the fastest counts, of parts and of copies; the one before them compiles.
RUNS = 10
_WIDTH = 100
_NAME_WIDTH = 48
# Of the lines in a picture's boxes.
_BOX_WIDTH = 64
_MOST_PARTS_TO_SHOW = 200

_COLORS = {
    "kernel": "#fff2cc",
    "library call": "#f4cccc",
    "eager operator": "#d9d9d9",
    "eager graph": "#d9d9d9",
}
_END = "#ffffff"
_LIBRARY = "a library computes what no kernel is generated for, such as matrix products"


@dataclass(frozen=True)
class Operation:
    """An operation of a definition, or an operator of torch.

    Attributes
    ----------
    name : str
        As the definition, or torch, calls it.
    line : str or None
        ``file:line`` of the program that it comes from, where that is known.
    """

    name: str
    line: str | None


@dataclass(frozen=True)
class Cut:
    """Why a part is not one with another whose result it reads.

    Attributes
    ----------
    producer : int
        The position of the other part in its section.
    operation : Operation or None
        What computed the result.
    reason : str
    """

    producer: int
    operation: Operation | None
    reason: str


@dataclass(frozen=True)
class Part:
    """One step of a call: a generated kernel, or an operation that torch computes.

    Attributes
    ----------
    kind : {"kernel", "library call", "eager operator", "eager graph"}
        Library calls are operations of definitions, such as ``matmul``. Eager operators are torch's
        operators without a generated kernel. An eager graph cannot be a fusion; torch runs it.
    name : str
        The name of the kernel, as in profilers, or of the called operation.
    scheduler : str
        The scheduler of a kernel; otherwise empty.
    operations : tuple of Operation
        In the order of the definition, each once.
    bytes_read, bytes_written : int
        The sizes of the tensors that are read and written, each counted once.
    time_ms : float or None
        The fastest of several runs; None if nothing was measured.
    expected_ms : float or None
        The fastest of as many copies of the same total number of bytes, measured alternately.
    reason : str
        Why no kernel is generated for it; empty for kernels.
    cuts : tuple of Cut
    """

    kind: str
    name: str
    scheduler: str
    operations: tuple[Operation, ...]
    bytes_read: int
    bytes_written: int
    time_ms: float | None
    expected_ms: float | None
    reason: str
    cuts: tuple[Cut, ...]

    @property
    def bytes(self) -> int:
        """Bytes that are read and written."""
        return self.bytes_read + self.bytes_written

    def _lines(self, directory: str) -> list[str]:
        """Return what is said of it, without numbers."""
        lines = []
        by_line: dict[str | None, list[str]] = {}
        for operation in self.operations:
            by_line.setdefault(operation.line, []).append(_short_name(operation.name))
        for line, names in by_line.items():
            where = f" at {_short_line(line, directory)}" if line is not None else ""
            lines.append(f"{', '.join(dict.fromkeys(names))}{where}")
        if not self.operations:
            lines.append("copies a result into the input that it updates")
        if self.reason:
            lines.append(f"by torch: {self.reason}")
        for cut in self.cuts:
            what = "" if cut.operation is None else f" {_short_name(cut.operation.name)}"
            lines.append(f"apart from{what} in {cut.producer}: {cut.reason}")
        return lines


@dataclass(frozen=True)
class Section:
    """The parts of one graph, in the order in which they run.

    Attributes
    ----------
    name : str
        "forward" or "backward", or the number that a graph of Dynamo has; empty where there is
        only one graph.
    device : str
    parts : tuple of Part
    end : str
        Why Dynamo captured no more than this graph, and where in the program it ends; empty where
        nothing follows.
    """

    name: str
    device: str
    parts: tuple[Part, ...]
    end: str = ""


class Explanation:
    """The parts of a call and their costs: kernels, library calls, and operations of torch.

    ``print`` shows it as a table of at most 100 columns, notebooks as a picture.

    Attributes
    ----------
    sections : list of Section
        One for each graph.
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = list(sections)

    @property
    def parts(self) -> list[Part]:
        """The parts of all sections."""
        return [part for section in self.sections for part in section.parts]

    def __str__(self) -> str:
        if not self.parts:
            return "nothing is computed"
        return "\n\n".join(_table(section) for section in self.sections if section.parts)

    __repr__ = __str__

    def svg(self) -> str:
        """Return the picture: a box for each part, arrows between those that read each other.

        Raises
        ------
        ValueError
            If there is nothing to show.
        """
        if not self.parts:
            raise ValueError("nothing is computed: there is no picture of it")
        graph = Graph([], [], [])
        for section in self.sections:
            first = len(graph.nodes)
            for number, part in enumerate(section.parts):
                graph.nodes.append(_node(section, number, part))
                graph.edges += [(first + cut.producer, first + number, "") for cut in part.cuts]
            if section.end and section.parts:
                graph.nodes.append(Node(_wrapped(_end(section), _BOX_WIDTH), _END, []))
                graph.edges.append((len(graph.nodes) - 2, len(graph.nodes) - 1, ""))
        return to_svg(graph)

    def _repr_svg_(self) -> str | None:
        return self.svg() if 0 < len(self.parts) <= _MOST_PARTS_TO_SHOW else None


def explain(function: Any, *args: Any, **kwargs: Any) -> Explanation:
    """Explain a call: the parts that run, the lines of the program behind them, and their costs.

    Parameters
    ----------
    function : callable, torch.nn.Module or FusionDefinition
        The function is traced and compiled as by :func:`nvfuser.jit`, also if it is already a
        result of it. Dynamo captures functions of ``torch.compile`` instead: each graph has its own
        section, with the reason for its end. For a definition, its method ``explain`` is called.
    *args, **kwargs
        The arguments of the call. If autograd requires gradients, the backward graph of the sum of
        the results is explained, too.

    Returns
    -------
    Explanation
        ``print`` shows the table.

    Raises
    ------
    TracingError
        If the function does something that cannot be traced. The message names it and its line.
    Exception
        Exceptions of the function itself.

    Notes
    -----
    Every part is run several times, and the fastest time counts. For comparison, a kernel that
    copies the same total number of bytes is measured: the memory does not allow less time. Updates
    of arguments and random numbers are those of a single call.

    Examples
    --------
    >>> print(nvfuser.explain(model, x))
    """
    from nvfuser.definition import FusionDefinition

    if isinstance(function, FusionDefinition):
        return function.explain(*args, **kwargs)
    if not callable(function):
        raise TypeError(f"explain takes a function, module or definition, not {type(function)}")
    needs_torch("explain")
    from nvfuser.frontend.explaining import explain_function

    return explain_function(function, args, kwargs)


def explain_definition(definition: FusionDefinition, inputs: Iterable[Any]) -> Explanation:
    """Return what :meth:`FusionDefinition.explain` does."""
    inputs = list(inputs)
    fusion = definition._defined()
    known = list(fusion.inputs())
    updated = {
        known.index(args[1])
        for function, _, args, _ in _C.definition_calls(fusion)
        if function == "add_output" and len(args) == 2
    }

    def run() -> None:
        definition.execute([copied(x) if i in updated else x for i, x in enumerate(inputs)])

    with random_state_kept():
        section = measure(definition, run, _device_of(inputs))
    return Explanation([section])


def measure(
    definition: FusionDefinition,
    run: Callable[[], Any],
    device: Any,
    name: str = "",
    end: str = "",
) -> Section:
    """Run a fusion several times and return its parts.

    Parameters
    ----------
    definition : FusionDefinition
    run : callable
        Runs it once, without effects.
    device : torch.device or None
        Where it runs; without torch None, which is the CPU.
    name, end : str
        Of the section.
    """
    copies = Copies(device)
    times, beside = [], []
    # In turns, so that what else the machine does concerns both.
    for _ in range(1 + RUNS):
        with PythonProfiler() as profiler:
            run()
        kernels = profiler.profile.kernel_profiles
        times.append([kernel.time_ms for kernel in kernels])
        beside.append([copies.milliseconds(k.input_bytes + k.output_bytes) for k in kernels])
    described: Any = _C.describe_run(definition.fec)
    parts = [
        _part(definition, step, min(time), min(copy))
        for step, time, copy in zip(
            described[1],
            zip(*times[1:], strict=True),
            zip(*beside[1:], strict=True),
            strict=True,
        )
    ]
    return Section(name, str(device or "cpu"), tuple(parts), end)


def parts_of_last_run(definition: FusionDefinition) -> Section:
    """Return the parts of the last run of a fusion, without times."""
    described: Any = None if definition._executor is None else _C.describe_run(definition.fec)
    steps = [] if described is None else described[1]
    return Section("", "", tuple(_part(definition, step, None, None) for step in steps))


def _part(
    definition: FusionDefinition, step: Any, time: float | None, expected: float | None
) -> Part:
    profile, tensors, reads = step
    sites = definition._sites
    numbers = sorted(tensor._number for tensor in tensors if isinstance(tensor, _C.TensorView))
    is_call = profile.scheduler == "expr_eval"
    kind, reason = "kernel", ""
    if is_call:
        known = [sites.reason_of(number) for number in numbers] if sites is not None else []
        noted = next((text for text in known if text is not None), None)
        kind = "library call" if noted is None else "eager operator"
        reason = noted or _LIBRARY
    return Part(
        kind=kind,
        name=profile.name,
        scheduler="" if is_call else profile.scheduler,
        operations=tuple(dict.fromkeys(_operation(sites, number) for number in numbers)),
        bytes_read=profile.input_bytes,
        bytes_written=profile.output_bytes,
        time_ms=time,
        expected_ms=expected,
        reason=reason,
        cuts=tuple(
            Cut(producer, None if tensor is None else _operation(sites, tensor._number), why)
            for producer, tensor, why in reads
        ),
    )


def _operation(sites: Any, number: int) -> Operation:
    name = sites.operation_of(number) if sites is not None else None
    return Operation(name or f"T{number}", sites.of_tensor(number) if sites is not None else None)


# ---------------------------------------------------------------- measuring


class Copies:
    """Times of copies, by a fusion that does nothing else."""

    def __init__(self, device: Any) -> None:
        from nvfuser.definition import FusionDefinition

        self._device = device
        self._sources: dict[int, Any] = {}
        with FusionDefinition() as self._definition:
            x = self._definition.define_tensor(shape=[-1], contiguity=True)
            self._definition.add_output(self._definition.ops.set(x))

    def milliseconds(self, count: int) -> float:
        """Return what reading and writing `count` bytes in all takes this time."""
        # Half of the bytes are read, half written, 4 each element.
        elements = max(count // 8, 1)
        if elements not in self._sources:
            self._sources[elements] = self._zeros(elements)
        with PythonProfiler() as profiler:
            self._definition.execute([self._sources[elements]])
        return profiler.profile.kernel_time_ms

    def _zeros(self, elements: int) -> Any:
        if self._device is None:
            import numpy as np

            return np.zeros(elements, np.float32)
        import torch

        return torch.zeros(elements, device=self._device)


def _device_of(inputs: Sequence[Any]) -> Any:
    """Return the device of tensors of torch, None where there are none."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    devices = [x.device for x in inputs if isinstance(x, torch.Tensor)]
    return next((device for device in devices if device.type != "cpu"), *devices[:1] or [None])


def copied(value: Any) -> Any:
    """Return a copy of a tensor or array, with its strides."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return torch.empty_strided(
            value.size(), value.stride(), dtype=value.dtype, device=value.device
        ).copy_(value)
    return value.copy()


@contextlib.contextmanager
def random_state_kept() -> Iterator[None]:
    """Let runs within leave torch's random numbers as they were."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    devices = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(devices=devices):
        yield


# ---------------------------------------------------------------- text and picture


def _table(section: Section) -> str:
    directory = os.getcwd()
    lines = [_heading(section)]
    lines.append(f"{'':5}{'part':<{_NAME_WIDTH}}{'bytes':>11}{'copy':>12}{'measured':>12}")
    for number, part in enumerate(section.parts):
        lines.append(_row(str(number), part.name, part.bytes, part.expected_ms, part.time_ms))
        for text in part._lines(directory):
            lines += [" " * 7 + line for line in _wrapped(text, _WIDTH - 7)]
    if len(section.parts) > 1:
        copies = _sum(part.expected_ms for part in section.parts)
        times = _sum(part.time_ms for part in section.parts)
        lines.append(_row("", "in all", sum(part.bytes for part in section.parts), copies, times))
    if section.end:
        lines += [" " * 5 + line for line in _wrapped(_end(section), _WIDTH - 5)]
    return "\n".join(lines)


def _row(number: str, name: str, count: int, copy: float | None, time: float | None) -> str:
    if len(name) >= _NAME_WIDTH:
        name = name[: _NAME_WIDTH - 4] + "..."
    ratio = f"{time / copy:.1f}x" if time is not None and copy else ""
    text = f"{number:>3}  {name:<{_NAME_WIDTH}}{_bytes(count):>11}"
    return f"{text}{_time(copy):>12}{_time(time):>12}{ratio:>8}".rstrip()


def _sum(times: Iterable[float | None]) -> float | None:
    measured = [time for time in times if time is not None]
    return sum(measured) if measured else None


def _heading(section: Section) -> str:
    counts = {kind: sum(part.kind == kind for part in section.parts) for kind in _COLORS}
    said = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count]
    name = f"{section.name}: " if section.name else ""
    return name + ", ".join(said) + (f" on {section.device}" if section.device else "")


def _node(section: Section, number: int, part: Part) -> Node:
    title = f"{section.name + ', ' if section.name else ''}part {number}: {part.name}"
    numbers = f"{_bytes(part.bytes_read)} read, {_bytes(part.bytes_written)} written"
    if part.time_ms is not None:
        numbers += f"; {_time(part.time_ms)}, a copy {_time(part.expected_ms)}"
    said = [line for text in part._lines(os.getcwd()) for line in _wrapped(text, _BOX_WIDTH)]
    return Node([title, numbers], _COLORS[part.kind], said)


def _end(section: Section) -> str:
    return f"{section.name} ends, and Python goes on: {_short_line(section.end, os.getcwd())}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)


def _short_name(name: str) -> str:
    """Return an operator of ATen as users know it."""
    return name.split(".")[1] if name.startswith("aten.") else name


def _short_line(line: str, directory: str) -> str:
    """Return a text with its files relative to a directory."""
    return line.replace(directory.rstrip(os.sep) + os.sep, "")


def _bytes(count: int) -> str:
    value, units = float(count), ["B", "kB", "MB", "GB"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.3g} {units[0]}" if value < 1000 else f"{value:.0f} {units[0]}"


def _time(milliseconds: float | None) -> str:
    if milliseconds is None:
        return ""
    return f"{1e3 * milliseconds:.3g} us" if milliseconds < 1 else f"{milliseconds:.3g} ms"
