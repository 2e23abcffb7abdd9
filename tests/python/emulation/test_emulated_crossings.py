"""What kernels leave to each other and read of it, for the properties of a large GPU."""

from __future__ import annotations

import re
from typing import Any

import torch
from planned_kernels import phases_of, planned

HEADS, WIDTH, ROWS = 8, 32, 4000


def test_conversions_are_computed_again(kernels: list[str]) -> None:
    """Between kernels are the narrow elements, once; with a reshape between them, too."""

    def function(x: Any, weight: Any) -> Any:
        y = (x.float() * 2).bfloat16()
        rows = y.float().view(-1, HEADS, WIDTH).sum((0, 2))
        return torch.mm(y, weight), rows

    x = torch.empty(ROWS, HEADS * WIDTH, dtype=torch.bfloat16)
    weight = torch.empty(HEADS * WIDTH, 16, dtype=torch.bfloat16)
    for text in planned(kernels, function, x, weight):
        for phase in phases_of(text):
            large = re.findall(r"float\* __restrict__ T\d+", phase.split("{")[0])
            assert len(large) <= 2, "partial sums and their result"


def test_what_is_written_is_looked_at_in_another_shape(kernels: list[str]) -> None:
    """One tensor is written, for a product that reads it as rows and for heads that are summed."""

    def function(x: Any, bias: Any, weight: Any) -> Any:
        heads = (x.view(-1, HEADS, WIDTH) + bias).relu()
        rows = heads.view(-1, HEADS * WIDTH)
        return heads, torch.mm(rows, weight), rows.float().sum(0)

    x, bias = torch.empty(ROWS, HEADS * WIDTH), torch.empty(HEADS, WIDTH)
    texts = planned(kernels, function, x, bias, torch.empty(HEADS * WIDTH, 16))
    first, *_ = (phase for text in texts for phase in phases_of(text))
    parameters = first[: first.index("{")]
    written = re.findall(r"(?<!const )float\* __restrict__ T\d+", parameters)
    assert len(written) == 2, "the heads and partial sums"


def test_a_stack_reads_each_operand_once(kernels: list[str]) -> None:
    def function(*x: Any) -> Any:
        return torch.stack([2 * each for each in x], 1)

    (text,) = planned(kernels, function, *torch.empty(5, 1000, 128).unbind(0))
    code = text[text.rindex('extern "C"') :].splitlines()
    loads = [i for i, line in enumerate(code) if re.search(r"nvf::\w+<\d>\(T\d+, &T\d\[", line)]
    assert len(loads) == 5
    assert all(code[i - 1].lstrip().startswith("if (") for i in loads)


def test_elements_of_a_vector_in_a_row_have_one_row(kernels: list[str]) -> None:
    """What has one element for each head is read by the index of the vector's first element."""

    def function(x: Any, scale: Any) -> Any:
        return (x.view(-1, HEADS, WIDTH) * scale[..., None]).view(-1, HEADS * WIDTH).sum(0)

    x, scale = torch.empty(ROWS, HEADS * WIDTH), torch.empty(ROWS, HEADS)
    for text in planned(kernels, function, x, scale):
        for phase in phases_of(text):
            loops = re.findall(r"for \(int (i\d+) = 0; \1 < 4; \+\+\1\) \{([^{}]*)", phase)
            for index, body in loops:
                known = {index}
                for name, value in re.findall(r"const int (i\d+) = ([^;]*);", body):
                    if known & set(re.findall(r"i\d+", value)):
                        known.add(name)
                        assert "quotient" not in value
                        assert "modulo" not in value
