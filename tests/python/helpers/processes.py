"""Processes of one host that work together, as a launcher starts them."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path


def environment(rank: int, size: int, port: int) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return known | {
        "RANK": str(rank),
        "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
    }


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def run_together(
    command: Sequence[str], size: int, logs: Path, seconds: float
) -> list[tuple[int, str]]:
    """Run a command in so many processes; return the status and the output of each."""
    port = free_port()
    processes = []
    for rank in range(size):
        # Where pytest is the command: temporary folders of its own, because one that starts
        # removes the old folders that it finds while others look at them.
        folder = logs / str(rank)
        folder.mkdir()
        with (logs / f"{rank}.log").open("w") as log:
            processes.append(
                subprocess.Popen(
                    command,
                    env=environment(rank, size, port) | {"PYTEST_DEBUG_TEMPROOT": str(folder)},
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )
    try:
        for process in processes:
            process.wait(timeout=seconds)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return [
        (process.returncode, (logs / f"{rank}.log").read_text())
        for rank, process in enumerate(processes)
    ]
