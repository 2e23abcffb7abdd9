"""Many models in a short time: first calls in parallel processes, then steps one after the other.

Each model has a process, the worker, that stays: it makes the first calls in all modes and ways,
while others do the same, and waits. When nothing is compiled any more, the workers that wait
measure their steps, one after the other. So no step is measured beside other work, and first calls
of all ways are, of all alike. The caches on disk are empty at first, and of each worker alone.

A worker asks before it uses much memory of the device: first for a step of eager mode, which says
how much it needs; then for the rest. What does not fit yet waits; what is compiled and waits holds
its memory, so that where that is full the steps of those are measured before others are compiled.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from model_steps import OURS, Step, build, first_calls, measure, modes_of, runner, warm_up

__all__ = ["Coordinator", "work"]

# Steps of eager mode at the same time, to learn how much memory they need.
_AT_ONCE = 2
# What a process needs on a device before it has a tensor there, and which part of the memory of
# the device is given away.
_CONTEXT_BYTES = 1 << 30
_USED = 0.9
# The parts of a step's memory that the first calls of all ways need: of one that runs, and of what
# a CUDA graph keeps of one that ran.
_STEPS = 2.2
# Inductor would have a pool of processes in each worker.
_COMPILERS = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}


# --------------------------------------------------------------------------------- the worker


def work(options: Any, messages: int) -> None:
    """Make first calls, wait for a word, and measure steps; run in a process of its own.

    Parameters
    ----------
    options : argparse.Namespace
        With one model, and the ways in the order of their first calls.
    messages : int
        The descriptor of the file that the coordinator reads; it answers on the standard input.
    """
    (name,), device = options.models, options.device
    is_cpu = device == "cpu"
    with os.fdopen(messages, "w") as file:

        def say(**message: Any) -> None:
            print(json.dumps(message), file=file, flush=True)

        def ask(what: str, **message: Any) -> None:
            say(kind=what, **message)
            if not sys.stdin.readline():
                raise SystemExit("nobody answers")

        model, inputs = build(name, options.size, device)
        modes = modes_of(name, options.modes)
        ask("eager")
        for mode in modes:
            runner("eager", Step(model, mode == "training"), inputs, device)()
        for parameter in model.parameters():
            parameter.grad = None
        _release(device)
        ask("compile", step_bytes=0 if is_cpu else torch.cuda.max_memory_allocated())
        warm_up(options.ways, device)
        calls = {}
        for mode in modes:
            calls[mode] = first_calls(model, inputs, mode, options.ways, device)
            say(kind="compiled", mode=mode)
        _release(device)
        ask("measure", held_bytes=0 if is_cpu else torch.cuda.memory_reserved())
        for mode in modes:
            model.train(mode == "training")
            steps = measure(calls[mode].functions, device, options.rounds, options.seconds)
            for parameter in model.parameters():
                parameter.grad = None
            _release(device)
            say(kind="row", row=calls[mode].row(name, mode, steps))


def _release(device: str) -> None:
    if device != "cpu":
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.synchronize()


# ------------------------------------------------------------------------------- the coordinator


@dataclass
class Worker:
    """A process, and where it stands: "starts", then what it asked for, and whether it may."""

    name: str
    modes: list[str]
    process: subprocess.Popen[str]
    folder: tempfile.TemporaryDirectory[str]
    deadline: float
    asks: str | None = "start"
    is_compiling: bool = True
    step_bytes: int = 0
    bytes: int = _CONTEXT_BYTES
    done: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def grant(self) -> None:
        assert self.process.stdin is not None
        self.asks = None
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except BrokenPipeError:  # it has died, which the end of its messages tells
            pass

    def last_words(self) -> str:
        text = Path(self.folder.name, "stderr").read_text(errors="replace").strip()
        return text.rpartition("\n")[2] or f"ended with {self.process.poll()}"

    def stop(self) -> None:
        """End the process, and those that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self.folder.cleanup()


class Coordinator:
    """Runs workers, and yields rows.

    Parameters
    ----------
    names : sequence of str
        Of models, in the order in which they are begun.
    options : argparse.Namespace
    ways : sequence of str
        What is compared. Every other model has its first calls by the other compiler first: what
        torch keeps of a model's tracing serves the second.
    capacity : int
        Bytes of the device.
    """

    def __init__(
        self, names: Sequence[str], options: Any, ways: Sequence[str], capacity: int
    ) -> None:
        self._options = options
        self._ways = ways
        self._capacity = _USED * capacity
        self._pending = [(name, modes_of(name, options.modes)) for name in names]
        self._begun = 0
        self._workers: list[Worker] = []
        self._messages: queue.Queue[tuple[Worker, dict[str, Any] | None]] = queue.Queue()
        self._begin = time.monotonic()
        self._seconds_to_measure: list[float] = []

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each model and mode, in the order in which they are done."""
        try:
            while self._pending or self._workers:
                if self._is_late():
                    yield from self._give_up()
                self._start()
                self._grant()
                compiling = [worker for worker in self._workers if worker.is_compiling]
                if self._workers and (not compiling or self._is_stuck(compiling)):
                    yield from self._measure_all()
                    continue
                yield from self._hear(timeout=0.5)
        finally:
            for worker in self._workers:
                worker.stop()

    # ------------------------------------------------------------------------------ to start

    def _start(self) -> None:
        while self._pending and self._options.parallel > sum(
            worker.is_compiling for worker in self._workers
        ):
            if self._bytes() + _CONTEXT_BYTES > self._capacity and self._workers:
                return
            self._workers.append(self._worker(*self._pending.pop(0)))

    def _worker(self, name: str, modes: list[str]) -> Worker:
        options = self._options
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, write = os.pipe()
        ours = [way for way in self._ways if way in OURS]
        peers = [way for way in self._ways if way not in ("eager", *ours)]
        ways = ["eager", *(peers + ours if self._begun % 2 == 0 else ours + peers)]
        self._begun += 1
        command = [sys.executable, str(Path(__file__).with_name("bench_models.py"))]
        command += ["--models", name, "--modes", *modes, "--ways", *ways]
        command += ["--device", options.device, "--size", options.size]
        command += ["--rounds", str(options.rounds), "--seconds", str(options.seconds)]
        command += ["--threads", str(options.threads), "--worker", str(write)]
        with Path(folder.name, "stderr").open("w") as stderr:
            process = subprocess.Popen(
                command,
                env={**os.environ, **environment(folder.name, options.threads), **_COMPILERS},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                text=True,
                pass_fds=[write],
                start_new_session=True,
            )
        os.close(write)
        deadline = time.monotonic() + options.limit
        worker = Worker(name, modes, process, folder, deadline)
        threading.Thread(target=self._listen, args=(worker, read), daemon=True).start()
        return worker

    def _listen(self, worker: Worker, messages: int) -> None:
        with os.fdopen(messages) as file:
            for line in file:
                self._messages.put((worker, json.loads(line)))
        self._messages.put((worker, None))

    # ------------------------------------------------------------------------------- to grant

    def _bytes(self) -> int:
        return sum(worker.bytes for worker in self._workers)

    def _grant(self) -> None:
        asking = [worker for worker in self._workers if worker.asks in ("eager", "compile")]
        eager = sum(worker.asks is None and not worker.step_bytes for worker in self._workers)
        for worker in asking:
            if worker.asks == "eager" and eager < _AT_ONCE:
                eager += 1
                self._begin_to(worker)
            elif worker.asks == "compile":
                needed = int(_STEPS * worker.step_bytes)
                if self._bytes() + needed <= self._capacity or len(self._workers) == 1:
                    worker.bytes = _CONTEXT_BYTES + needed
                    self._begin_to(worker)

    def _begin_to(self, worker: Worker) -> None:
        # What it waited does not count.
        worker.deadline = time.monotonic() + self._options.limit
        worker.grant()

    def _is_stuck(self, compiling: Sequence[Worker]) -> bool:
        """Whether all that is not compiled waits for memory, which others hold."""
        waits = all(worker.asks == "compile" for worker in compiling)
        return waits and len(compiling) < len(self._workers)

    # -------------------------------------------------------------------------------- to hear

    def _hear(self, timeout: float) -> Iterator[dict[str, Any]]:
        for worker in self._workers:
            if worker.asks in (None, "start") and time.monotonic() > worker.deadline:
                yield from self._failed(worker, f"took longer than {self._options.limit:.0f} s")
                return
        try:
            worker, message = self._messages.get(timeout=timeout)
        except queue.Empty:
            return
        if worker not in self._workers:
            return
        if message is None:
            worker.process.wait()
            yield from self._failed(worker, worker.last_words())
        elif message["kind"] == "row":
            worker.rows.append(message["row"])
            yield message["row"]
        elif message["kind"] == "compiled":
            worker.done.append(message["mode"])
        else:
            worker.asks = message["kind"]
            if worker.asks == "compile":
                worker.step_bytes = message["step_bytes"] or 1  # it is known
            elif worker.asks == "measure":
                worker.is_compiling = False
                worker.bytes = _CONTEXT_BYTES + message["held_bytes"]

    def _failed(self, worker: Worker, why: str) -> Iterator[dict[str, Any]]:
        """End a worker; a mode that it had done with is tried again, without the other."""
        self._workers.remove(worker)
        worker.stop()
        measured = [row["mode"] for row in worker.rows]
        left = [mode for mode in worker.modes if mode not in measured]
        again = [mode for mode in left if mode in worker.done and worker.is_compiling]
        if again:
            self._pending.append((worker.name, again))
        for mode in left:
            if mode not in again:
                yield {"model": worker.name, "mode": mode, "failures": {"all": why}}

    # ------------------------------------------------------------------------------ to measure

    def _measure_all(self) -> Iterator[dict[str, Any]]:
        for worker in [worker for worker in self._workers if not worker.is_compiling]:
            begin = time.monotonic()
            worker.deadline = begin + self._options.limit
            worker.grant()
            while worker in self._workers and len(worker.rows) < len(worker.modes):
                yield from self._hear(timeout=0.1)
            if worker in self._workers:
                self._workers.remove(worker)
                worker.stop()
            self._seconds_to_measure.append(time.monotonic() - begin)

    def _is_late(self) -> bool:
        """Whether the time that is left is needed to measure what is compiled."""
        known = self._seconds_to_measure
        each = sum(known) / len(known) if known else 4.0
        left = self._options.budget - (time.monotonic() - self._begin)
        waiting = sum(not worker.is_compiling for worker in self._workers)
        return left < each * waiting and bool(self._pending or waiting < len(self._workers))

    def _give_up(self) -> Iterator[dict[str, Any]]:
        why = f"not compiled within the {self._options.budget:.0f} s of the whole run"
        for worker in [worker for worker in self._workers if worker.is_compiling]:
            worker.done.clear()
            yield from self._failed(worker, why)
        for name, modes in self._pending:
            for mode in modes:
                yield {"model": name, "mode": mode, "failures": {"all": why}}
        self._pending.clear()


def environment(folder: str, threads: int) -> dict[str, str]:
    """Return the variables of a process with caches of its own."""
    return {
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "NVFUSER_CACHE_DIR": f"{folder}/nvfuser",
        "OMP_NUM_THREADS": str(threads),
    }
