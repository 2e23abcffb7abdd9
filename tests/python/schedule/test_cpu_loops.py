"""Loops of kernels on the CPU, by their text: what runs for each element, and what does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from llvm_harness import WITH_MASKS

import nvfuser
from nvfuser.llvm import compiler

Function = Callable[..., Any]


def innermost_loops(text: str) -> list[str]:
    """Return the bodies of the loops that have no loop inside."""
    bodies = re.split(r"^(?:loop|done)\.\d+:\n", text, flags=re.MULTILINE)
    return [body for body in bodies if re.search(r"^latch\.\d+:", body, re.MULTILINE)]


def divisions(text: str) -> int:
    """Return how many divisions of indices the innermost loops have."""
    return sum(len(re.findall(r"= [su](?:div|rem) i64", body)) for body in innermost_loops(text))


def check(function: Function, *inputs: torch.Tensor, dynamic: bool = False) -> None:
    for result, expected in zip(
        torch.utils._pytree.tree_leaves(nvfuser.jit(function, dynamic=dynamic)(*inputs)),
        torch.utils._pytree.tree_leaves(function(*inputs)),
        strict=True,
    ):
        torch.testing.assert_close(result, expected, equal_nan=True)


def dequantize(q: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    wide = q.float().reshape(q.shape[0], scale.shape[1], -1)
    return ((wide - 3) * scale[..., None]).reshape(q.shape)


def shuffle(x: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = x.shape
    cells = x.reshape(batch, channels, height // 2, 2, width // 2, 2).permute(0, 1, 3, 5, 2, 4)
    return cells.reshape(batch, channels * 4, height // 2, width // 2) * 2 + 1


def unshuffle(x: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = x.shape
    cells = x.reshape(batch, channels // 4, 2, 2, height, width).permute(0, 1, 4, 2, 5, 3)
    return cells.reshape(batch, channels // 4, height * 2, width * 2) * 3 - 1


def grouped(x: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    y = x + bias
    y = y.reshape(x.shape[0], scale.shape[0], -1) * scale[:, None]
    return y.reshape(x.shape) - x


def sums(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.sum((0, 2, 3)), (x * 2).sum((0, 2))


CASES: dict[str, tuple[Function, list[tuple[int, ...]]]] = {
    "dequantize": (dequantize, [(7, 24), (7, 3)]),
    "shuffle": (shuffle, [(2, 3, 6, 10)]),
    "unshuffle": (unshuffle, [(2, 8, 5, 7)]),
    "parts of runs": (sums, [(3, 2, 300, 200)]),
    "several runs": (sums, [(9000, 2, 3, 5)]),
    "grouped": (grouped, [(5, 36), (4,), (36,)]),
}


@pytest.mark.parametrize("name", list(CASES))
def test_indices_of_reshapes_are_loops(name: str, texts: list[str]) -> None:
    function, shapes = CASES[name]
    check(function, *[torch.randint(-4, 5, shape).float() for shape in shapes])
    assert [divisions(text) for text in texts] == [0] * len(texts)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_what_keeps_the_digits_of_16_bits_is_not_converted(
    dtype: torch.dtype, texts: list[str]
) -> None:
    def halves(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return torch.where(mask, torch.cat((-second, first.abs()), -1), 0.1)

    check(halves, torch.randn(5, 38).to(dtype), torch.rand(5, 38) < 0.5)
    check(lambda x, y: torch.maximum(-x, y), *torch.randn(2, 57).bfloat16())
    check(lambda x: torch.minimum(x.relu().floor(), x.round()), torch.randn(57).bfloat16())
    check(lambda x: x.clamp(-0.3, 0.7), torch.randn(61).bfloat16())
    # But for constants, which are %c where they are of double precision.
    assert not re.search(r"@nvf\.to_\w+\.f32\(float %(?!c\.)", "".join(texts))


def test_rows_of_reshapes_take_no_remainder(texts: list[str]) -> None:
    # What a run of the reshape allowed is divided exactly wherever it is divided.
    check(dequantize, torch.randn(7, 24), torch.randn(7, 3))
    assert "srem i64" not in texts[-1]


EXTREMES: dict[str, Function] = {
    "loaded": lambda x, mask: x.amax(-1),
    "masked": lambda x, mask: (x * 2).masked_fill(mask, -torch.inf).amax(-1),
    "chosen": lambda x, mask: torch.where(mask, x * 2, torch.inf).amin(-1),
    "rounded": lambda x, mask: (x * 2).bfloat16().amax(-1),
    "log": lambda x, mask: x.abs().log().amax(-1),
    "gelu": lambda x, mask: torch.nn.functional.gelu(x).amin(-1),
    "silu": lambda x, mask: torch.nn.functional.silu(x).amax(-1),
    "integers": lambda x, mask: torch.where(mask, x.int(), -(2**31)).amax(-1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", list(EXTREMES))
def test_extremes_are_found_by_vectors(name: str, dtype: torch.dtype, texts: list[str]) -> None:
    """Also where LLVM knows the extreme of a constant and anything, as NaN is with all others."""
    check(EXTREMES[name], torch.randn(5, 333).to(dtype), torch.rand(5, 333) > 0.5)
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert re.search(r"call .*@llvm\.vector\.reduce\.(f(max|min)imum|smax)", optimized)


@pytest.mark.parametrize("columns", [4, 32, 333])
def test_largest_absolute_values_are_those_of_bits(columns: int, texts: list[str]) -> None:
    # In rows that are written out, too: no other maximum of floats propagates NaN in one step.
    x = torch.randn(5, columns)
    x[1, 2] = torch.nan
    check(lambda x: x.abs().amax(-1), x)
    assert "@llvm.smax.i32" in texts[-1]


@pytest.mark.parametrize("value", [-0.0, torch.nan, torch.inf, -torch.inf, -1.5])
def test_extremes_of_special_values(value: float) -> None:
    x = torch.full((3, 100), value)
    x[1, 50] = -2.0
    x[2, :60] = torch.nan
    check(lambda x: ((x * 2).amax(-1), (x * 2).amin(-1)), x)


def test_a_division_is_seen(texts: list[str]) -> None:
    # Rows of the result end anywhere in those of the transposed matrix.
    def function(x: torch.Tensor) -> torch.Tensor:
        return x.t().reshape(24, 11) + 1

    check(function, torch.randn(8, 33))
    assert divisions(texts[-1]) > 0


def test_functions_of_channels_are_not_repeated_for_pixels(texts: list[str]) -> None:
    def function(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(gate)

    x = torch.randn(4, 24, 32, 16).contiguous(memory_format=torch.channels_last)
    check(function, x, torch.randn(4, 24, 1, 1))
    phases = texts[-1].split("\ndefine ")[1:]
    assert len(phases) == 2
    assert ["@nvf.sigmoid" in phase for phase in phases] == [True, False]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_windows_are_reduced_by_vectors(dtype: torch.dtype, texts: list[str]) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        height, width = x.shape
        return x.reshape(height // 2, 2, width // 2, 2).amax((1, 3))

    check(function, torch.randn(8, 90).to(dtype))
    assert "vector.body" in str(compiler.optimize(texts[-1], compiler.host_target()))


def test_operands_of_scans_are_computed_apart(texts: list[str]) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(torch.sigmoid(x), -1) * y

    check(function, torch.randn(5, 333), torch.randn(5, 333))
    loops = innermost_loops(texts[-1])
    assert [loop for loop in loops if "fadd" in loop]
    assert not [loop for loop in loops if "fadd" in loop and ("sigmoid" in loop or "fmul" in loop)]


def test_merged_dimensions_of_known_sizes_are_one_loop(texts: list[str]) -> None:
    """What has them merged has the same indices as what has not."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(y.reshape(2, 128, 6))

    torch._dynamo.reset()
    x, y = torch.randn(2, 128, 6), torch.randn(256, 6)
    result = torch.compile(function, backend="nvfuser", dynamic=False)(x, y)
    torch.testing.assert_close(result, function(x, y))
    assert divisions(texts[-1]) == 0


def test_gradients_of_squares_take_no_power(texts: list[str]) -> None:
    x = torch.randn(5, 60, requires_grad=True)
    torch._dynamo.reset()
    torch.compile(lambda x: x.pow(2).mean(), backend="nvfuser")(x).backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() / 300)
    assert "@nvf.pow" not in texts[-1]
    check(lambda x: x.pow(1.0) + x.pow(-2.0), x.detach())


def test_a_first_power_is_another_tensor() -> None:
    x = torch.randn(5, 60)
    for function in (nvfuser.jit(torch.pow), torch.compile(torch.pow, backend="nvfuser")):
        result = function(x, 1.0)
        assert torch.equal(result, x)
        assert result.data_ptr() != x.data_ptr()


def scan_of_gates(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.cumsum(torch.sigmoid(x) * y, 0)


@pytest.mark.parametrize(("columns", "phases"), [(2, 2), (7, 2), (40, 1)])
def test_operands_of_narrow_scans_are_computed_by_vectors(
    columns: int, phases: int, texts: list[str]
) -> None:
    """In front of them, where a row has fewer columns than a vector has elements."""
    check(scan_of_gates, *torch.randn(2, 500, columns))
    assert len(texts[-1].split("\ndefine ")[1:]) == phases


def test_what_narrow_scans_share_with_others_is_not_computed_apart() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gate = torch.sigmoid(x) * y
        return torch.cumsum(gate, 0), gate

    check(function, *torch.randn(2, 500, 7))


@pytest.mark.parametrize("columns", [7, 30])
@pytest.mark.parametrize("dynamic", [False, True])
def test_short_rows_are_scanned_at_once(columns: int, dynamic: bool, texts: list[str]) -> None:
    """What is scanned is in no memory that was just written: of functions, all are in front."""

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.cumsum(x * y, 1) + y, torch.cumsum(torch.sigmoid(x), 1) * y

    for number, phases in enumerate((1, 2)):
        x, y = torch.randint(-3, 4, (2, 500, columns)).float()
        check(lambda x, y, number=number: function(x, y)[number], x, y, dynamic=dynamic)
        assert len(texts[-1].split("\ndefine ")[1:]) == phases
        assert not re.search(r"alloca \[(?!1 x )", texts[-1])


def neighbours(x: torch.Tensor) -> torch.Tensor:
    padded = torch.nn.functional.pad(x, (1, 1, 1, 1))
    return padded[..., 2:, 1:-1] + padded[..., :-2, 1:-1] - 2 * x


def test_rows_of_images_are_loops_where_images_are_enough(texts: list[str]) -> None:
    """No index is divided for a row, and none compared with the height."""
    check(neighbours, torch.randn(4, 256, 28, 28))
    assert "= srem i64" not in texts[-1]
    assert "= urem i64" not in texts[-1]


def norm_of_channels(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    centered = x.float() - x.float().mean((0, 2, 3), keepdim=True)
    return (centered * scale[:, None, None]).to(x.dtype)


def gate_and_mean(x: torch.Tensor, gate: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x * gate
    return y, y.mean((2, 3))


FEW_CHANNELS: dict[str, tuple[Function, tuple[int, ...]]] = {
    "gate": (lambda x, gate: x * gate, (8, 3, 1, 1)),
    "scale": (lambda x, scale: torch.relu(x * scale[:, None, None]), (3,)),
    "gate and mean": (gate_and_mean, (8, 3, 1, 1)),
    "norm": (norm_of_channels, (3,)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", list(FEW_CHANNELS))
def test_pixels_of_few_channels_are_computed_together(
    name: str, dtype: torch.dtype, texts: list[str]
) -> None:
    function, sizes = FEW_CHANNELS[name]
    # The last rows of each image are fewer than those that are folded.
    x = torch.randint(-4, 5, (8, 3, 41, 43)).to(dtype).contiguous(memory_format=torch.channels_last)
    # Those of a known number are written out.
    check(function, x, torch.randint(1, 5, sizes).to(dtype))
    check(function, x, torch.randint(1, 5, sizes).to(dtype), dynamic=True)
    assert any(re.search(r"^  %T\d+ = alloca \[256 x ", text, re.MULTILINE) for text in texts)
    # A kernel for these strides takes others, whose rows do not lie one behind the other.
    strided = x.expand(8, 3, 41, 43)[:, :, ::2]
    check(function, strided, torch.randint(1, 5, sizes).to(dtype))
    check(function, strided, torch.randint(1, 5, sizes).to(dtype), dynamic=True)


@pytest.mark.parametrize("channels", [7, 20, 33])
def test_rows_of_known_sizes_gather_nothing(channels: int, texts: list[str]) -> None:
    """LLVM would write short rows out and compute several of them at once."""
    x = torch.randn(4, channels, 16, 16).contiguous(memory_format=torch.channels_last)
    check(lambda x, gate: torch.tanh(x * gate), x, torch.randn(4, channels, 1, 1))
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert "masked.gather" not in optimized


@pytest.mark.parametrize("function", [torch.relu, torch.abs])
def test_what_is_exact_is_not_rounded(function: Function, texts: list[str]) -> None:
    x = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(torch.bfloat16)
    result = nvfuser.jit(lambda x: function(x))(x)
    torch.testing.assert_close(result, function(x), rtol=0, atol=0, equal_nan=True)
    assert "@nvf.to_bfloat16" not in texts[-1].split("\ndefine ")[1]


@pytest.mark.parametrize("dims", [(1, 2, 3), (1, 3), (2,), (3,)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_sums_along_one_element_more_read_memory_once(
    dims: tuple[int, ...], dynamic: bool, texts: list[str]
) -> None:
    """Whichever comes first, in parts or not."""

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        product = x * y
        return product.sum(dims), product.sum((0, *dims)), product.sum(dims, keepdim=True)

    x, y = (torch.randint(-3, 4, (1, 11, 507, 89)).float() for _ in range(2))
    check(function, x, y, dynamic=dynamic)
    check(lambda x, y: function(x, y)[1::-1], x, y, dynamic=dynamic)
    assert len(texts) == 2


def test_sums_along_other_dimensions_of_one_element(texts: list[str]) -> None:
    x = torch.randint(-3, 4, (7, 1, 1, 301)).float()
    check(lambda x: (x.sum((1, 3)), x.sum((2, 3)), x.sum((1, 2, 3)), x.sum(3)), x)


@pytest.fixture
def two_workers() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("sizes", [(1, 500, 12, 32), (2, 197, 3, 48)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_few_heads_are_divided_for_workers_rather_than_merged_with_rows(
    sizes: tuple[int, ...], dynamic: bool, texts: list[str]
) -> None:
    """No index is divided for a row."""
    batch, sequence, heads, size = sizes

    def split_heads(packed: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, ...]:
        parts = (packed + bias).reshape(*packed.shape[:2], 3, heads, size)
        return tuple(x.contiguous() for x in parts.permute(2, 0, 3, 1, 4).unbind(0))

    width = 3 * heads * size
    check(split_heads, torch.randn(batch, sequence, width), torch.randn(width), dynamic=dynamic)
    for phase in texts[-1].split("\ndefine ")[1:4]:
        sections = re.split(r"^(?:loop|body|latch|done)\.\d+:\n", phase, flags=re.MULTILINE)
        in_front = [part for part in sections if re.search(r"br label %loop\.\d+\n$", part)]
        # Of the rows that a worker takes at once, each row, its elements.
        assert len(in_front) >= 3
        assert not re.search(r"= [su](?:div|rem) i64", in_front[-1])


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("columns", [4097, 9000, 11008])
@pytest.mark.parametrize("dynamic", [False, True])
def test_tiles_of_columns_are_as_many_for_each_worker(
    columns: int, dynamic: bool, texts: list[str]
) -> None:
    """And about as wide as each other, but for whole vectors."""

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        product = x * y
        return product, product.sum(0)

    check(function, *torch.randint(-3, 4, (2, 64, columns)).float(), dynamic=dynamic)
    widths = [int(width) for width in re.findall(r"= alloca \[(\d+) x float\]", texts[-1])]
    tiles = -(-columns // max(widths))
    assert tiles % 2 == 0
    assert columns - (tiles - 1) * max(widths) > max(widths) * 15 // 16


def log_probability_of_first(x: torch.Tensor) -> torch.Tensor:
    return x[:, 0].float() - torch.logsumexp(x.float(), -1)


ROWS: dict[str, Function] = {
    "sum": lambda x: x.sum(-1),
    "max": lambda x: (x * 2).amax(-1),
    "softmax": lambda x: torch.softmax(x, -1),
    "layer norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "log probability": log_probability_of_first,
    "rows of rows": lambda x: x.reshape(100, 4, -1).sum((1, 2)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("columns", [8, 10, 16, 20, 32, 49])
@pytest.mark.parametrize("name", list(ROWS))
def test_reductions_of_known_rows_gather_nothing(
    name: str, columns: int, dtype: torch.dtype, texts: list[str]
) -> None:
    """Vectors are of the rows, or of many results whose short rows are shuffled."""
    x = torch.randn(400, columns).to(dtype)
    x[7, 2], x[9, 4] = torch.nan, torch.inf
    check(ROWS[name], x)
    # Beside the vectors of rows of less than 16 elements LLVM leaves nothing: they have masks then.
    optimized = str(compiler.optimize(texts[-1], WITH_MASKS))
    assert "masked.gather" not in optimized
    assert re.search(r"= f(add|mul).*<\d+ x float>", optimized)


def test_functions_of_two_elements_that_are_reduced_have_vectors(texts: list[str]) -> None:
    """LLVM does not write out two iterations that are so long by itself."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        action = torch.tanh(x + torch.exp(y))
        return torch.log(1 - action * action + 1e-6).sum(-1)

    # Small ones: where the tangent is almost one, what is left of it is a few units of rounding.
    check(function, 0.3 * torch.randn(400, 2), torch.rand(400, 2) - 1)
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert re.search(r"= fmul.*<\d+ x float>", optimized)


def test_many_rows_along_columns_are_reduced_by_rows(texts: list[str]) -> None:
    check(lambda x: (x * x).sum((0, 1)), torch.randn(4, 8, 300))
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert "masked.gather" not in optimized
    assert re.search(r"= fadd.*<\d+ x float>", optimized)


def test_windows_of_channels_have_vectors_of_these(texts: list[str]) -> None:
    """Results in registers, rather than a row of them in memory for each element of a window."""
    x = torch.randn(2, 32, 12, 12).contiguous(memory_format=torch.channels_last)
    check(lambda x: torch.nn.functional.max_pool2d(x, 2), x)
    assert not re.search(r"= alloca \[(?!1 )\d+ x float\]", texts[-1])


def test_tiles_of_short_rows_follow_the_output(texts: list[str]) -> None:
    """A few lines of memory are written at a time, by vectors, each from one end to the other."""

    def function(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (x * scale).permute(0, 3, 2, 1).contiguous()

    check(function, torch.randn(2, 8, 300, 64), torch.randn(64))
    # The rows of a worker, one behind the other, are in the dimension of 300.
    assert re.search(r"= urem i64 %i\.\d+, 300\n", texts[-1])
    assert re.search(r"= alloca \[512 x float\]", texts[-1])
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert re.search(r"fmul <8 x float>", optimized)


@pytest.mark.parametrize("columns", [7, 10, 15])
def test_short_rows_that_are_looked_up_are_written_out(columns: int, texts: list[str]) -> None:
    """Their elements are stored one by one: vectors of a row would wait for these.

    Only what is computed of a row at last may be a loop over it.
    """

    def function(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        rows = torch.nn.functional.embedding(index, table)
        return torch.nn.functional.layer_norm(rows, rows.shape[-1:])

    check(function, torch.randn(50, columns), torch.randint(0, 50, (400,)))
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert len(re.findall(r"= (?:tail )?call <\d+ x float> @llvm.masked.load", optimized)) <= 1


def encoded(places: torch.Tensor, octaves: torch.Tensor) -> torch.Tensor:
    start, direction = places.chunk(2, dim=-1)
    at = start[:, None] + direction[:, None] * torch.arange(32, device=places.device)[:, None]
    angles = (at[..., None] * octaves).flatten(2)
    return torch.cat([at, angles.sin(), angles.cos()], dim=-1)


@pytest.mark.parametrize("octaves", [8, 10])
def test_what_rows_repeat_is_put_in_a_row_before(octaves: int, texts: list[str]) -> None:
    """Loops that evaluate functions read one element after the other, also where parts are cut."""
    check(encoded, torch.randn(128, 6), torch.arange(1.0, 1 + octaves))
    loops = [
        body for body in innermost_loops(texts[-1]) if "@nvf.sin" in body or "@nvf.cos" in body
    ]
    assert len(loops) == 2
    assert not any(re.search(r"rem i64|@nvf\.mod", body) for body in loops)
    optimized = str(compiler.optimize(texts[-1], compiler.host_target()))
    assert re.search(r"call <\d+ x float> @llvm\.fabs", optimized)


@pytest.mark.parametrize("columns", [6, 7])
def test_rows_of_cut_pieces_are_loops_of_their_own(columns: int, texts: list[str]) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x[:, :3, None] * y).flatten(1).sin()

    check(function, torch.randn(400, columns), torch.randn(16))
    assert divisions(texts[-1]) == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_windows_are_loaded_where_they_are(dtype: torch.dtype, texts: list[str]) -> None:
    """Neighbours along a row are loads of their own: no vector is shuffled out of the last one."""

    def function(x: torch.Tensor) -> torch.Tensor:
        return x[:, 1:] - x[:, :-1]

    check(function, torch.randn(70, 384).to(dtype))
    optimized = str(compiler.optimize(texts[-1], WITH_MASKS))
    assert "vector.body" in optimized or re.search(r"load <\d+ x", optimized)
    assert "shufflevector" not in optimized


def test_extremes_of_columns_are_stored_whole(texts: list[str]) -> None:
    """What is loaded from memory and stored there again is no operand of a selection: LLVM would
    store it under a mask."""
    check(lambda x: x.amax(0), torch.randn(400, 512))
    call = re.compile(r"@llvm\.maximum\.f32\(float (%[\w.]+), float (%[\w.]+)\)")
    # Workers that share the rows have parts of each column, which are combined.
    loads = dict(re.findall(r"(%[\w.]+) = load float, ptr (%[\w.]+)", texts[-1]))
    stores = set(re.findall(r"store float %[\w.]+, ptr (%[\w.]+)", texts[-1]))
    calls = call.findall(texts[-1])
    assert calls
    assert all(accumulated in loads for _, accumulated in calls)
    assert not {loads.get(element) for element, _ in calls} & stores


def test_heads_are_requested_before_they_are_read(texts: list[str]) -> None:
    def split(packed: torch.Tensor) -> tuple[torch.Tensor, ...]:
        parts = packed.reshape(*packed.shape[:2], 3, 12, 64).permute(2, 0, 3, 1, 4)
        return tuple(part.contiguous() for part in parts.unbind(0))

    check(split, torch.randn(1, 2048, 2304).bfloat16())
    assert "call void @llvm.prefetch.p0(" in texts[-1]


@pytest.mark.parametrize("kind", ["amax", "sum"])
@pytest.mark.parametrize("columns", [32, 196])
def test_short_rows_are_reduced_once(kind: str, columns: int, texts: list[str]) -> None:
    x = torch.randint(-9, 10, (2, 64, 40, columns)).float()
    check(lambda x: getattr(x, kind)((1, 3)), x)
    assert f"= alloca [{columns} x float]" in texts[-1]


def test_rows_of_several_loops_are_accumulated_apart(texts: list[str]) -> None:
    x = torch.randint(-9, 10, (5, 3, 4, 50, 6, 16)).float()
    check(lambda x: (x.sum((1, 3, 5)), x.amax((1, 3, 5))), x)
    assert len(re.findall(r"= alloca \[16 x float\]", texts[-1])) == 2


def softmax_of_channels(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 1)


def norm_of_channels(x: torch.Tensor) -> torch.Tensor:
    return ((x - x.mean(1, keepdim=True)) * torch.rsqrt(x.var(1, keepdim=True) + 1)).contiguous()


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("function", [softmax_of_channels, norm_of_channels])
def test_rows_are_not_written_across_memory(
    function: Function, dtype: torch.dtype, dynamic: bool, texts: list[str]
) -> None:
    """Images with their channels last, whose result has them first, are turned by tiles."""
    x = torch.randn(2, 48, 9, 20).to(dtype).contiguous(memory_format=torch.channels_last)
    check(function, x, dynamic=dynamic)
    assert any("@nvf.transpose" in text for text in texts)


@pytest.mark.parametrize("interleaved", [False, True])
def test_functions_of_several_parts_are_evaluated_once(texts: list[str], interleaved: bool) -> None:
    """Both parts of a rotation need the sine and the cosine."""

    def rotated(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        sine, cosine = angles.sin(), angles.cos()
        if interleaved:
            a, b = x[..., ::2], x[..., 1::2]
            return torch.stack([a * cosine - b * sine, a * sine + b * cosine], -1).flatten(-2)
        a, b = x.chunk(2, -1)
        return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1)

    check(rotated, torch.randn(3, 200, 64), torch.randn(3, 200, 32) * 100)
    calls = re.findall(r"call float @nvf\.(\w+)\.f32", "\n".join(texts))
    assert sorted(calls) == ["cos", "sin"]
