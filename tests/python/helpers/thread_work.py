"""How many statements a thread of a CUDA kernel runs, by its text; its sizes must be constants.

The first thread of the first block is followed: it has a part of everything. Loops count as often
as they run, conditions as if they held.
"""

from __future__ import annotations

import math
import re
from typing import Any

__all__ = ["statements_of_a_thread"]

_KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\(\d+[^)]*\) )?(\w+)\(")
# A kernel that shares a launch with others.
_MEMBER = re.compile(r"__device__ inline void (member\d+)\(")
_CONSTANT = re.compile(r"const (?:int|long long|bool) (\w+) = (.*);$")
_LOOP = re.compile(r"for \((?:int|long long) (\w+) = (.*?); \w+ < (.*?); (.*)\) \{")
_STEP = re.compile(r"\+= (.*)")
_FUNCTIONS: dict[str, Any] = {
    "nvf_ceil_quotient": lambda a, b: -(-a // b),
    "nvf_quotient": lambda a, b: a // b,
    "nvf_modulo": lambda a, b: a % b,
    "nvf_larger": max,
    "nvf_smaller": min,
}


def _evaluate(expression: str, values: dict[str, Any]) -> Any:
    text = re.sub(r"\((?:int|long long|unsigned long long|bool)\)", "", expression)
    text = re.sub(r"(\d)(?:ll|u|ull)\b", r"\1", text)
    text = text.replace("&&", " and ").replace("||", " or ").replace("nvf::", "nvf_")
    text = re.sub(r"([^?:]+)\?([^:]+):(.+)", r"((\2) if (\1) else (\3))", text)
    try:
        return eval(text, {"__builtins__": {}}, values)
    except (NameError, SyntaxError, TypeError):
        return 0  # of what was read from memory: no loop depends on it


def _statements(body: str) -> int:
    values = dict(_FUNCTIONS)
    values.update(dict.fromkeys(("threadIdx", "blockIdx", "own_block"), None))
    repeats: list[int] = []
    total = 0
    for line in map(str.strip, body.splitlines()):
        if constant := _CONSTANT.match(line):
            is_index = any(index in line for index in ("threadIdx", "blockIdx", "own_block"))
            values[constant[1]] = 0 if is_index else _evaluate(constant[2], values)
        elif loop := _LOOP.match(line):
            name, first, end, increment = loop.groups()
            step = _STEP.search(increment)
            by = _evaluate(step[1], values) if step else 1
            length = _evaluate(end, values) - _evaluate(first, values)
            repeats.append(max(0, -(-length // max(by, 1))))
            values[name] = 0
        elif line.startswith("}") or line.endswith("{"):
            if line.startswith("}") and repeats:
                repeats.pop()
            if line.endswith("{"):
                repeats.append(1)
        elif line.endswith(";"):
            total += math.prod(repeats)
    return total


def statements_of_a_thread(text: str) -> dict[str, int]:
    """Return the number of statements of each kernel of a text.

    Of kernels that share a launch, that of each: a block runs one of them.
    """
    begins = list(_KERNEL.finditer(text))
    group = ""
    if members := list(_MEMBER.finditer(text)):
        (launch,) = begins
        group = launch[1] + ":"
        begins = members
    ends = [*(match.start() for match in begins[1:]), len(text)]
    return {
        group + match[1]: _statements(text[match.end() : end])
        for match, end in zip(begins, ends, strict=True)
    }
