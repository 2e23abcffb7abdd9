"""The command line: ``python -m nvfuser info | cache | bench | demo``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

import nvfuser

__all__ = ["main"]

_COMMANDS = {
    "info": "show versions, devices, threads and the cache of compiled kernels",
    "cache": "show or empty the cache of compiled kernels",
    "bench": "measure the latency of calls beside eager torch and torch.compile",
    "demo": "decode a text with decoder layers whose element-wise parts are fused",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the arguments name.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if not given.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    program = "python -m nvfuser"
    parser = argparse.ArgumentParser(
        prog=program,
        description="Define a graph of tensor operations once, run it as few generated kernels.",
        epilog="commands:\n"
        + "".join(f"  {name:<6} {text}\n" for name, text in _COMMANDS.items())
        + f"\n`{program} COMMAND --help` says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nvfuser {nvfuser.__version__}")
    parser.add_argument("command", choices=_COMMANDS, metavar="command")
    name = parser.parse_args(arguments[:1]).command
    # Only the module of this command is imported: `info` works without torch.
    try:
        module = importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise SystemExit(f"`{program} {name}` needs PyTorch: pip install torch") from None
    command = argparse.ArgumentParser(
        prog=f"{program} {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(command)
    module.run(command.parse_args(arguments[1:]))
