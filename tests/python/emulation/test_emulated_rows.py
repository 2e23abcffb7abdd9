"""Rows that no vector fits: threads have the vectors of memory, where rows follow each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import emulation
import pytest
import torch
from test_emulated_positions import plan

import nvfuser
from nvfuser import _C

Function = Callable[[torch.Tensor], Any]
DTYPES = [torch.float32, torch.bfloat16, torch.int8]


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.float(), -1).to(x.dtype)


@pytest.mark.parametrize(
    ("dtype", "width"), [(torch.float32, 4), (torch.bfloat16, 8), (torch.float16, 8)]
)
def test_rows_of_any_length_are_loaded_and_stored_in_vectors(
    kernels: list[str], dtype: torch.dtype, width: int
) -> None:
    (text,) = plan(kernels, softmax, torch.ones(300, 257, dtype=dtype))
    assert f"nvf::load_part<{width}>" in text
    assert f"nvf::store_part<{width}>" in text
    # Rows of whole vectors need no parts, and neither does the only row: it begins with one.
    for rows, columns in ((300, 256), (1, 257)):
        (text,) = plan(kernels, softmax, torch.ones(rows, columns, dtype=dtype))
        assert "_part<" not in text


def test_rows_with_gaps_between_them_are_read_one_by_one(kernels: list[str]) -> None:
    (text,) = plan(kernels, lambda x: softmax(x[:, :257]), torch.ones(300, 260))
    assert "_part<" not in text


def test_what_is_combined_under_a_condition_is_chosen(kernels: list[str]) -> None:
    """In a branch, each value would be waited for before the next one is computed."""
    (text,) = plan(kernels, softmax, torch.ones(300, 257))
    assert re.search(r"(T\d+) = \w+ \? \1 \+ T\d+ : \1;", text)
    assert not re.search(r"if \([^\n]*\) \{\n\s*(T\d+) = \1 \+ ", text)


FUNCTIONS: dict[str, Function] = {
    "softmax": softmax,
    "sums": lambda x: (x.float().sum(-1), x.float().amax(-1), (x.float() * 2).to(x.dtype)),
    "scaled": lambda x: x * (x.float().pow(2).mean(-1, keepdim=True) + 1).rsqrt() * x[0],
    "column": lambda x: x + x[..., 3:4],
    "bias": lambda x: torch.nn.functional.gelu(x.float() + x.float()[..., :1, :]),
    "positions": lambda x: x * torch.arange(x.shape[-1], device=x.device),
    "causal": lambda x: softmax(x.float().masked_fill(x > 1, -torch.inf)),
    "divergence": lambda x: torch.nn.functional.kl_div(
        torch.log_softmax(x.float(), -1), torch.softmax(-x.float(), -1), reduction="batchmean"
    ),
}


@pytest.mark.parametrize("shape", [(5, 257), (3, 7, 65), (333, 33), (2, 9, 131), (40, 129), (9, 1)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_of_rows_that_begin_anywhere(name: str, shape: tuple[int, ...]) -> None:
    """All rows, those whose vectors neighbours share and the last one of memory included."""
    function = FUNCTIONS[name]
    for dtype in DTYPES:
        x = (torch.randn(shape) * 3).to(dtype)
        with emulation.emulated_device(), torch.no_grad():
            outputs = nvfuser.jit(function)(x)
        expected = function(x)
        tolerance = 1e-5 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(
            outputs, expected, atol=tolerance, rtol=tolerance, equal_nan=True
        )


def test_a_thread_with_several_rows_has_its_own_places_of_what_they_share() -> None:
    """What is the same for all rows begins elsewhere in the vectors of each."""

    def function(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x * (x * x).mean(-1, keepdim=True).add(1).rsqrt() * weight

    x, weight = torch.randn(999, 65), torch.randn(65)
    nvfuser._C._override_target({"multiprocessors": 2})
    try:
        with emulation.emulated_device(), torch.no_grad():
            output = nvfuser.jit(function)(x, weight)
    finally:
        nvfuser._C._override_target({})
    torch.testing.assert_close(output, function(x, weight))


@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_rows_that_are_updated_read_nothing_of_their_neighbours(dtype: torch.dtype) -> None:
    """Others write that at the same time; and what all rows share may be a result, too."""
    x, weight = torch.randn(333, 65).to(dtype), torch.randn(65).to(dtype)

    def function(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.add_(weight), weight * 2

    expected = function(x.clone(), weight)
    with emulation.emulated_device(), torch.no_grad():
        outputs = nvfuser.jit(function)(x, weight)
    torch.testing.assert_close(outputs, expected)
    assert torch.equal(x, expected[0])


def column_and_row(x: torch.Tensor, column: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    return (x + column).tanh() * row


@pytest.mark.parametrize(("rows", "columns"), [(304, 257), (136, 127), (8192, 3)])
def test_rows_that_no_vector_fits_are_merged(kernels: list[str], rows: int, columns: int) -> None:
    """Where all together are whole vectors: smaller tensors are indexed for each element."""
    inputs = [torch.randn(rows, columns), torch.randn(rows, 1), torch.randn(columns)]
    (text,) = plan(kernels, column_and_row, *inputs)
    assert "_part<" not in text
    assert re.search(r"nvf::(copy|load_vector\w*)<4>\(\w+, &T0\[", text)
    with emulation.emulated_device(), torch.no_grad():
        result = nvfuser.jit(column_and_row)(*inputs)
    torch.testing.assert_close(result, column_and_row(*inputs))


def test_rows_that_are_looked_up_are_merged(kernels: list[str]) -> None:
    def function(index: torch.Tensor, table: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding(index, table) + x

    inputs = [torch.randint(0, 7, (40,)), torch.randn(7, 33), torch.randn(40, 33)]
    (text,) = plan(kernels, function, *inputs)
    assert "<4>(" in text
    with emulation.emulated_device(), torch.no_grad():
        result = nvfuser.jit(function)(*inputs)
    assert torch.equal(result, function(*inputs))


def normalized(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def loss(x: torch.Tensor) -> torch.Tensor:
    target = torch.arange(x.shape[0], device=x.device)
    return torch.nn.functional.cross_entropy(x.float(), target, label_smoothing=0.1)


@pytest.mark.parametrize(
    ("columns", "dtype", "width"),
    [(50257, torch.float32, 4), (50304, torch.float32, 4), (65536, torch.bfloat16, 8)],
)
def test_rows_too_long_for_registers_are_shared(
    kernels: list[str], columns: int, dtype: torch.dtype, width: int
) -> None:
    (text,) = plan(kernels, softmax, torch.empty(200, columns, dtype=dtype))
    assert len(re.findall(r"&T0\[", text)) == 1, "memory is read once"
    assert "nvf::copy_async_kept<" in text
    assert len(re.findall(rf"nvf::copy<{width}>\(T\d+, &T\d+\[", text)) == 2, "each stage"
    assert sum(text.count("__global__") for text in kernels) == 1
    # What has no block for each row is shared by blocks, and longer rows fit nowhere, unless blocks
    # of a cluster have parts of one.
    for clusters in (True, False):
        _C._override_target({} if clusters else {"clusterBlocks": 1})
        for shape in ((20, columns), (200, 4 * columns)):
            plan(kernels, softmax, torch.empty(shape, dtype=dtype))
            assert (sum(text.count("__global__") for text in kernels) == 1) == clusters
    _C._override_target({})


@pytest.mark.parametrize("function", [softmax, normalized, loss])
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((70, 20001), torch.float32), ((70, 36000), torch.bfloat16), ((70, 50257), torch.float32)],
)
def test_values_of_shared_rows(
    function: Function, shape: tuple[int, int], dtype: torch.dtype
) -> None:
    x = torch.randn(shape).to(dtype)
    with emulation.emulated_device(), torch.no_grad():
        outputs = nvfuser.jit(function)(x)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(outputs, function(x), atol=tolerance, rtol=tolerance)


def test_what_few_stages_need_of_rows_takes_no_shared_memory(kernels: list[str]) -> None:
    """Weights that only the last stage reads leave the memory to the rows."""

    def function(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, weight.shape, weight, weight)

    (text,) = plan(kernels, function, torch.empty(200, 40000), torch.empty(40000))
    assert "unsigned char* const shared" in text


def softmax_backward(y: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    y, wide = y.float(), gradient.float()
    return (y * (wide - (y * wide).sum(-1, keepdim=True))).to(gradient.dtype)


@pytest.mark.parametrize(
    ("columns", "dtype", "width"),
    [(127, torch.float32, 2), (127, torch.bfloat16, 8), (257, torch.bfloat16, 4)],
)
def test_rows_just_longer_than_a_warp_have_narrower_vectors(
    kernels: list[str], columns: int, dtype: torch.dtype, width: int
) -> None:
    inputs = torch.empty(2, 16384, columns, dtype=dtype)
    (text,) = plan(kernels, softmax_backward, *inputs)
    assert set(re.findall(r"load_part<(\d)>", text)) == {str(width)}


@pytest.mark.parametrize("columns", [7, 9, 21, 31])
def test_threads_of_short_rows_have_several_elements(kernels: list[str], columns: int) -> None:
    (text,) = plan(kernels, normalized, torch.empty(1 << 19, columns))
    (lanes,) = set(re.findall(r"nvf::Threads<(\d+), ", text))
    assert int(lanes) < columns / 2
    # Few rows have a thread for each element.
    (text,) = plan(kernels, normalized, torch.empty(64, columns))
    assert int(re.findall(r"nvf::Threads<(\d+), ", text)[0]) >= columns
    for rows in (20_000, 32 * 640):
        x = torch.randn(rows, columns)
        with emulation.emulated_device(), torch.no_grad():
            torch.testing.assert_close(nvfuser.jit(normalized)(x), normalized(x))


def noisy(x: torch.Tensor) -> torch.Tensor:
    return x + 0.1 * torch.randn_like(x)


@pytest.mark.parametrize(
    ("function", "shape"),
    [(noisy, (133, 257)), (torch.relu, (3, 67, 127)), (torch.relu, (89, 211))],
)
def test_sizes_that_no_vector_divides_have_vectors_in_rows(
    kernels: list[str], function: Callable[..., Any], shape: tuple[int, ...]
) -> None:
    """Of the innermost dimension, whose first and last vectors are taken in part."""
    x = torch.randn(*shape)
    (text,) = plan(kernels, function, x)
    assert "load_part<4>" in text
    assert "store_part<4>" in text
    if function is noisy:
        # Four elements begin where one block of random numbers does.
        assert re.search(r"= nvf::quotient\(i\d+, 4\);", text)
    with emulation.emulated_device(), torch.no_grad():
        torch.manual_seed(1)
        aligned = nvfuser.jit(function)(x)
        torch.manual_seed(1)
        _C._override_tuning({"gpu.alignedVectors": 1 << 20})
        try:
            single = nvfuser.jit(function)(x)
        finally:
            _C._override_tuning({})
    torch.testing.assert_close(aligned, single, rtol=0, atol=0)


def test_few_rows_wait_for_nothing_behind_their_sums(kernels: list[str]) -> None:
    def function(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (1023,), weight, bias)

    for rows, is_early in ((1024, True), (65536, False)):
        inputs = [torch.empty(rows, 1023), torch.empty(1023), torch.empty(1023)]
        (text,) = plan(kernels, function, *inputs)
        assert (text.index("T1[") < text.index("nvf::block_reduce")) == is_early


def squares(x: torch.Tensor) -> torch.Tensor:
    return (x.float() * x.float()).sum(-1).to(x.dtype)


def squares_and_doubles(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return squares(x), x + x


@pytest.mark.parametrize(
    ("function", "columns", "threads"),
    [(squares, 28, 2), (squares, 24, 1), (squares, 32, 2), (squares_and_doubles, 24, 4)],
)
def test_threads_share_short_rows_that_are_runs(
    kernels: list[str], function: Callable[..., Any], columns: int, threads: int
) -> None:
    """Each has several vectors, of rows that are not written, too."""
    (text,) = plan(kernels, function, torch.empty(600000, columns, dtype=torch.float16))
    found = re.search(r"Threads<(\d+), \d+, 1>", text)
    assert (1 if found is None else int(found[1])) == threads
    x = torch.randn(997, columns).half()
    with emulation.emulated_device(), torch.no_grad():
        results = nvfuser.jit(function)(x)
    torch.testing.assert_close(results, function(x), rtol=1e-3, atol=1e-3)


def test_threads_of_little_work_have_an_element_each(kernels: list[str]) -> None:
    for rows, is_single in ((64, True), (4096, False)):
        (text,) = plan(kernels, torch.sigmoid, torch.empty(rows, 8))
        assert ("<4>" not in text) == is_single


def test_columns_of_large_blocks_have_half_of_the_registers(kernels: list[str]) -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scale = (x.abs().amax(0, keepdim=True) / 127).clamp(min=1e-8)
        return torch.round(x / scale).to(torch.int8), scale

    for rows, is_one in ((2048, True), (4096, False)):
        assert (len(plan(kernels, function, torch.empty(rows, 2048))) == 1) == is_one


def norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x.float(), x.shape[-1:]).to(x.dtype)


def normalized_lookup(table: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return norm(table[indices])


def normalized_images(x: torch.Tensor) -> torch.Tensor:
    variance, mean = torch.var_mean(x.float(), (2, 3), correction=0, keepdim=True)
    return ((x - mean) * torch.rsqrt(variance + 1e-5)).to(x.dtype)


def run_and_compare(function: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> None:
    with emulation.emulated_device():
        result = nvfuser.jit(function)(*inputs)
    torch.testing.assert_close(result, function(*inputs), atol=1e-5, rtol=1e-5)


def test_threads_have_several_single_elements_of_a_row(kernels: list[str]) -> None:
    """Rows that begin anywhere and are looked up have no vectors."""
    table, indices = torch.randn(50, 257), torch.randint(50, (1024,))
    (text,) = plan(kernels, normalized_lookup, table, indices)
    (threads,) = re.findall(r"__launch_bounds__\((\d+)", text)
    assert int(threads) <= 128
    run_and_compare(normalized_lookup, table, indices[:9])


@pytest.mark.parametrize(("rows", "width"), [(100, 2), (20_000, 4)])
def test_few_short_rows_have_whole_warps(kernels: list[str], rows: int, width: int) -> None:
    (text,) = plan(kernels, norm, torch.ones(rows, 64))
    assert f"nvf::copy<{width}>(" in text
    run_and_compare(norm, torch.randn(3, 64))


def test_columns_that_do_not_fit_in_whole_lines_do_beside_fewer(kernels: list[str]) -> None:
    """Of images, channels innermost: registers instead of reading the input again."""
    shape = (35, 320, 32, 32)
    image = torch.empty(shape, dtype=torch.float16).contiguous(memory_format=torch.channels_last)
    assert len(plan(kernels, normalized_images, image)) == 1
    x = torch.randn(1, 8, 32, 32).contiguous(memory_format=torch.channels_last)
    run_and_compare(normalized_images, x)


@pytest.mark.parametrize(("rows", "at_once"), [(17_920, 1), (200_000, 2)])
def test_threads_have_two_short_rows_where_blocks_are_many(
    kernels: list[str], rows: int, at_once: int
) -> None:
    (text,) = plan(kernels, softmax, torch.ones(rows, 128))
    assert f"float T0[{4 * at_once}];" in re.sub(r"\bT\d+\[", "T0[", text)
    assert ("float T0[8];" in re.sub(r"\bT\d+\[", "T0[", text)) == (at_once == 2)
