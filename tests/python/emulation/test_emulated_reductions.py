"""How CUDA kernels of reductions and scans are divided among threads, and their values."""

from __future__ import annotations

import re
from typing import Any

import emulation
import pytest
import torch
from planned_kernels import phases_of
from test_emulated_clusters import norm_gradient
from test_emulated_positions import plan

import nvfuser


def run(function: Any, *inputs: torch.Tensor) -> Any:
    with emulation.emulated_device(), torch.no_grad():
        return nvfuser.jit(function)(*inputs)


def test_parts_of_columns_are_computed_at_once(kernels: list[str]) -> None:
    """As many blocks of few registers as a device runs: others would wait for the first ones."""
    x = torch.empty(21133, 511, dtype=torch.float16)
    (text, _) = plan(kernels, lambda x, y: (x.float() * y.float()).sum(0), x, x)
    threads, blocks = map(int, re.findall(r"__launch_bounds__\((\d+), (\d+)\)", text)[0])
    assert 65536 // (threads * blocks) >= 40


def divergence(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    target = torch.softmax(y, -1)
    return torch.nn.functional.kl_div(torch.log_softmax(x, -1), target, reduction="batchmean")


def test_what_rows_were_normalized_for_is_summed_in_their_kernel(kernels: list[str]) -> None:
    x, y = torch.randn(300, 333), torch.randn(300, 333)
    rows, _ = plan(kernels, divergence, x, y)
    # One number of each row is written.
    assert "store_part" not in rows
    torch.testing.assert_close(run(divergence, x, y), divergence(x, y))


@pytest.mark.parametrize("area", [36, 37])
def test_rows_of_an_image_share_what_was_reduced_along_them(kernels: list[str], area: int) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        variance, mean = torch.var_mean(x.float(), (2, 3), correction=0, keepdim=True)
        return ((x - mean) * torch.rsqrt(variance + 1e-5)).to(x.dtype)

    shape = (32, 512, area, area)
    image = torch.empty(shape, dtype=torch.float16).contiguous(memory_format=torch.channels_last)
    *_, last = plan(kernels, function, image)
    # A thread has four vectors of an image, and one of a mean.
    assert re.search(r"half T\d+\[32\];", last)
    assert len(re.findall(r"float T\d+\[8\];", last)) == 2
    assert not re.search(r"float T\d+\[32\];", last)
    x = torch.randn(2, 64, area, area).contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(run(function, x), function(x), atol=1e-5, rtol=1e-5)


def group_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(torch.nn.functional.group_norm(x, 8, weight, bias))


def test_factors_of_groups_are_computed_with_their_moments(kernels: list[str]) -> None:
    """Where channels are innermost: columns, groups of them, and all elements are three kernels."""
    x = torch.randn(3, 32, 9, 7).contiguous(memory_format=torch.channels_last)
    weight, bias = torch.randn(2, 32)
    texts = plan(kernels, group_norm, x, weight, bias)
    assert len(texts) == 3
    torch.testing.assert_close(
        run(group_norm, x, weight, bias), group_norm(x, weight, bias), atol=1e-5, rtol=1e-5
    )


def test_what_merges_the_same_dimensions_is_in_one_kernel(kernels: list[str]) -> None:
    """Each of the outputs by its own reshape, of tensors that have nothing else in common."""

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        product = x[:, :, None] * y
        return product.reshape(64, 128), (1 - product * x[:, :, None]).reshape(64, 128)

    inputs = torch.randn(64, 32), torch.randn(32, 4)
    assert len(plan(kernels, function, *inputs)) == 1
    torch.testing.assert_close(run(function, *inputs), function(*inputs))


def window_sum(x: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = x.shape
    return x.reshape(batch, channels, height // 2, 2, width // 2, 2).sum((3, 5))


@pytest.mark.parametrize("batch", [2, 200])
def test_blocks_have_windows_of_several_images(kernels: list[str], batch: int) -> None:
    (text,) = plan(kernels, window_sum, torch.empty(batch, 96, 16, 16))
    assert "block_reduce" not in text
    assert int(re.findall(r"__launch_bounds__\((\d+)\)", text)[0]) >= 128
    x = torch.randn(2, 3, 16, 16)
    torch.testing.assert_close(run(window_sum, x), window_sum(x))


def quantize(x: torch.Tensor) -> torch.Tensor:
    scale = x.abs().amax(0).float() / 127
    return (x / scale).round().to(torch.int8)


def test_few_columns_are_divided_among_multiprocessors(kernels: list[str]) -> None:
    (text,) = plan(kernels, quantize, torch.empty(71, 64, dtype=torch.bfloat16))
    # One block would have 128 bytes of each row.
    assert "blockIdx.x" in text
    x = torch.randn(71, 64)
    torch.testing.assert_close(run(quantize, x), quantize(x))


@pytest.mark.parametrize(("rows", "unroll"), [(4096, 16), (1024, 4), (300, 2), (64, 1), (22, 1)])
def test_few_chunks_of_columns_follow_each_other(
    kernels: list[str], rows: int, unroll: int
) -> None:
    """A block that scans a column waits for all of its threads in each of them."""
    (text,) = plan(kernels, lambda x, y: torch.cumsum(x * 0.5, 0) * y, *torch.empty(2, rows, 64))
    found = re.findall(r"#pragma unroll\n\s*for \(int \w+ = 0; \w+ < (\d+);", text)
    assert set(map(int, found)) == ({unroll} if unroll > 1 else set())
    x, y = torch.randn(2, rows, 64)
    output = run(lambda x, y: torch.cumsum(x * 0.5, 0) * y, x, y)
    torch.testing.assert_close(output, torch.cumsum(x * 0.5, 0) * y, rtol=1e-4, atol=1e-4)


def test_quotients_of_zero(kernels: list[str]) -> None:
    """They are as IEEE 754 says, although they are not divided as other numbers are."""
    special = [0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, torch.inf, -torch.inf, torch.nan]
    x, y = (z.flatten() for z in torch.meshgrid(*[torch.tensor(special)] * 2, indexing="ij"))

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x / y

    (text,) = plan(kernels, function, x, y)
    assert "nvf::div_f32" in text
    output, expected = run(function, x, y), x / y
    assert torch.equal(output.isnan(), expected.isnan())
    known = ~expected.isnan()
    assert torch.equal(output[known].view(torch.int32), expected[known].view(torch.int32))


def test_quotients_by_a_shared_divisor(kernels: list[str]) -> None:
    """They are as IEEE 754 says, but for the last digit of subnormal numbers."""
    special = [0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, torch.inf, -torch.inf, torch.nan, 2.0**125]
    exponents = torch.linspace(-149, 127, 1014).round()
    x = torch.cat([torch.tensor(special), torch.randn(1014) * 2**exponents])
    y = torch.cat([torch.tensor(special), x[10:].flip(0)])

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x / y[:, None]

    (text,) = plan(kernels, function, x.expand(1024, 1024).contiguous(), y)
    assert "nvf::div_shared_f32" in text
    x = x.expand(1024, 1024).contiguous()
    output, expected = run(function, x, y), function(x, y)
    assert torch.equal(output.isnan(), expected.isnan())
    smallest = 2.0**-149
    tiny = (expected.abs() < 2.0**-126) & ((output - expected).abs() <= smallest)
    tiny |= (x.abs() < 2.0**-100) & ((output - expected).abs() <= expected.abs() * 2.0**-23)
    known = ~expected.isnan() & ~tiny
    assert known.sum() > known.numel() / 2
    assert torch.equal(output[known].view(torch.int32), expected[known].view(torch.int32))


@pytest.mark.parametrize("columns", [33, 130, 260, 784, 1000, 2000, 2724, 4000])
@pytest.mark.parametrize("rows", [3, 40])
def test_blocks_of_any_number_of_threads_reduce(columns: int, rows: int) -> None:
    """The last warp may have a part of its threads; blocks may have several rows."""
    x = torch.randn(rows, columns, dtype=torch.float64).round()

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x - x.sum(-1, keepdim=True), x * x.amax(-1, keepdim=True), x.argmax(-1)

    for result, expected in zip(run(function, x), function(x), strict=True):
        assert torch.equal(result, expected)


def test_what_is_reduced_is_reduced_further(kernels: list[str]) -> None:
    """A tensor is read once, where one of its sums is a sum of another one."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.sum((0, 3)), x.sum(3)

    kernels.clear()
    with torch.no_grad():
        torch.compile(function, backend="nvfuser", dynamic=False)(torch.empty(32, 32, 512, 32))
    first, second = phases_of("".join(kernels))
    # The distance of what is summed along the first dimension: that of sums, not of elements.
    for text in (first, second):
        assert "524288" not in text
    assert "16384" in second
    x = torch.randn(4, 3, 8, 32)
    for result, expected in zip(run(function, x), function(x), strict=True):
        torch.testing.assert_close(result, expected)


def test_threads_of_windows_read_neighbouring_elements(kernels: list[str]) -> None:
    """A vector of results for each would leave theirs far apart."""

    def function(x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2).sum((3, 5))

    (text,) = plan(kernels, function, torch.empty(64, 256, 32, 32, dtype=torch.float16))
    assert not re.search(r"(copy|load_vector\w*)<", text)
    x = torch.randn(2, 3, 8, 8, dtype=torch.float16)
    torch.testing.assert_close(run(function, x), function(x))


def frames(x: torch.Tensor, window: torch.Tensor) -> torch.Tensor:
    return (x.unfold(1, 64, 32) * window).square().mean(-1)


def turned(x: torch.Tensor, window: torch.Tensor) -> torch.Tensor:
    return (x.roll(3, 1) * window).sum(1)


@pytest.mark.parametrize(("function", "size"), [(frames, 64), (turned, 1600)])
def test_threads_read_along_what_is_looked_up(function: Any, size: int, kernels: list[str]) -> None:
    """Results alone would make neighbours of what lies whole windows or rows apart."""
    (text,) = plan(kernels, function, torch.empty(500, 1600), torch.empty(size))
    assert re.search(r"block_reduce<nvf::Threads<\d+, \d+, 1>, true, false", text)
    x, window = torch.randn(3, 1600), torch.randn(size)
    torch.testing.assert_close(run(function, x, window), function(x, window))


def test_lanes_of_a_scan_have_as_many_pieces_as_they_need(kernels: list[str]) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x.sigmoid(), 1) * y

    kernels.clear()
    with torch.no_grad():
        torch.compile(function, backend="nvfuser", dynamic=False)(*torch.empty(2, 32768, 257))
    (text,) = phases_of("".join(kernels))
    # 3 times 32 of the 65 vectors that a row may have a part of. What is only multiplied with is
    # loaded before threads wait for each other.
    assert "< 3;" in text
    assert "< 4; ++" in text
    assert "< 8;" not in text
    loads = [place.start() for place in re.finditer(r"load_part<4>\(", text)]
    assert loads
    assert max(loads) < text.index("nvf::block_scan")
    x, y = torch.randn(2, 5, 257)
    torch.testing.assert_close(run(function, x, y), function(x, y))


def sums_of_rows_and_columns(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    product = x * y
    return product.sum((0, 1, 2)), product.sum(3)


def test_sums_of_rows_and_columns_read_once(kernels: list[str]) -> None:
    first, second = plan(kernels, sums_of_rows_and_columns, *torch.empty(2, 8, 16, 1024, 32))
    # Parts of the columns are what is left for the other kernel.
    assert len(re.findall(r"load_vector\w*<4>", first)) == 2
    assert "load_vector" not in second
    # Kernels of their own share few rows, and long ones.
    for shape in ((2, 2, 2, 4096), (16, 16, 16, 100_000)):
        apart = plan(kernels, sums_of_rows_and_columns, *torch.empty(2, *shape))
        assert not any("inner_persistent" in text for text in apart)
    # What lies across rows in memory is read along it.
    inputs = torch.empty(2, 32, 12, 128, 128, dtype=torch.float16)
    apart = plan(kernels, lambda x, y: ((x * y).sum(2), (x * y).sum((0, 1, 3))), *inputs)
    assert len(kernels) == 2
    assert not any(re.search(r"= nvf::load_kept\(&T[01]\[", text) for text in apart)
    inputs = torch.randint(-4, 5, (2, 4, 6, 1031, 32)).float()
    for result, expected in zip(
        run(sums_of_rows_and_columns, *inputs), sums_of_rows_and_columns(*inputs), strict=True
    ):
        torch.testing.assert_close(result, expected)


def test_few_whole_columns_are_spread_over_the_device(kernels: list[str]) -> None:
    (text,) = plan(kernels, quantize, torch.empty(8, 1600))
    assert "__launch_bounds__(32)" in text
    # The reciprocal of a column's scale serves all of its rows.
    assert "div_f32" not in text
    assert "div_shared_f32" in text
    x = torch.randn(8, 1600)
    torch.testing.assert_close(run(quantize, x), quantize(x))


def test_windows_leave_few_threads_idle(kernels: list[str]) -> None:
    """Threads go on in the next plane where it has no power of two of them."""
    (text,) = plan(kernels, window_sum, torch.empty(77, 256, 28, 28))
    assert "< 196" not in text
    x = torch.randn(3, 5, 28, 28)
    torch.testing.assert_close(run(window_sum, x), window_sum(x))


def rotated_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    turned = torch.stack((-pairs[..., 1], pairs[..., 0]), -1).reshape(x.shape)
    return x * cos + turned * sin


def rotated_twice(x: torch.Tensor, y: torch.Tensor, *factors: torch.Tensor) -> Any:
    turned = (x.transpose(1, 2), y.transpose(1, 2))
    return tuple(rotated_pairs(t, *(f[None, None] for f in factors)) for t in turned)


def test_elements_of_vectors_are_loaded_once(kernels: list[str]) -> None:
    half = torch.float16
    inputs = torch.empty(2, 32, 2048, 4, 80, dtype=half)
    (text,) = plan(kernels, rotated_twice, *inputs, *torch.empty(2, 2048, 80, dtype=half))
    for name in ("T0", "T3"):
        assert len(re.findall(rf"{name}\[", text)) == 1
    inputs = (*torch.randn(2, 3, 32, 4, 80, dtype=half), *torch.randn(2, 32, 80, dtype=half))
    for result, expected in zip(run(rotated_twice, *inputs), rotated_twice(*inputs), strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("dims", [(1, 2, 3), (1, 3), (2,), (3,)])
def test_sums_along_one_element_more_are_of_one_kernel(
    kernels: list[str], dims: tuple[int, ...]
) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        product = x * y
        return product.sum(dims), product.sum((0, *dims))

    x = torch.empty(1, 11, 507, 89)
    plan(kernels, function, x, x)
    assert len(kernels) == 1
    x, y = (torch.randint(-3, 4, (1, 11, 57, 19)).float() for _ in range(2))
    torch.testing.assert_close(run(function, x, y), function(x, y))


def quantized_blocks(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    blocks = x.reshape(x.shape[0], -1, 32)
    scale = blocks.abs().amax(-1, keepdim=True) / 127
    return torch.round(blocks / scale).to(torch.int8).reshape(x.shape), scale.squeeze(-1)


@pytest.mark.parametrize("columns", [32, 64])
def test_what_was_found_of_sizes_is_structure(kernels: list[str], columns: int) -> None:
    """A single block of a row broadcasts: it is no loop of one iteration that threads divide."""
    plan(kernels, quantized_blocks, torch.empty(99, columns))
    assert sum(text.count("__global__") for text in kernels) == 1
    with emulation.emulated_device(), torch.no_grad():
        function = nvfuser.jit(quantized_blocks)
        for shape in ((99, columns), (40, columns), (40, 128), (17, 32)):
            x = torch.randn(shape)
            torch.testing.assert_close(function(x), quantized_blocks(x))


def smoothed_cross_entropy(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(x, target, label_smoothing=0.1)


@pytest.mark.parametrize("rows", [17, 4096])
def test_means_of_losses_count_in_their_kernel(kernels: list[str], rows: int) -> None:
    """How many there are is another sum, of tensors that have nothing but their size in common."""
    target = torch.randint(0, 100, (rows,))
    target[3] = -100
    texts = plan(kernels, smoothed_cross_entropy, torch.empty(rows, 100), target)
    assert len(texts) == 2
    x = torch.randn(rows, 100)
    torch.testing.assert_close(
        run(smoothed_cross_entropy, x, target), smoothed_cross_entropy(x, target)
    )


@pytest.mark.parametrize("size", [1, 100, 4096, 2_000_001])
def test_a_quotient_of_sums_is_of_one_kernel(kernels: list[str], size: int) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        # With its own constant each is known with its own size.
        return x.sum() / y.abs().sum() - y.amax() + size

    plan(kernels, function, torch.empty(size), torch.empty(size))
    assert len(kernels) == 1
    x, y = torch.randint(-3, 4, (2, min(size, 5000))).float()
    torch.testing.assert_close(run(function, x, y), function(x, y), equal_nan=True)


def test_sums_of_different_sizes_are_of_two_kernels(kernels: list[str]) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.sum() * y.sum()

    plan(kernels, function, torch.empty(300), torch.empty(301))
    assert len(kernels) == 2
    for sizes in ((300, 301), (300, 300), (5, 70000)):
        x, y = (torch.randn(size) for size in sizes)
        torch.testing.assert_close(run(function, x, y), function(x, y), atol=1e-3, rtol=1e-4)


def test_results_beside_parts_of_columns_have_fewer_dimensions(kernels: list[str]) -> None:
    """As gradients of weights of attention: one of each head, beside a sum over all edges."""

    def function(
        weights: torch.Tensor, edges: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        kept = torch.where(weights > 0, weights, weights * 0.2)
        added = shift + (kept[:, :, None] * scale).to(shift.dtype)
        return kept, added, (kept[:, :, None] * edges).sum(0)

    def inputs(count: int) -> tuple[torch.Tensor, ...]:
        edges, shift = torch.randn(2, count, 8, 32).bfloat16()
        return torch.randn(count, 8), edges, torch.randn(8, 32), shift

    plan(kernels, function, *inputs(102400))
    assert len(kernels) == 1
    for count in (3, 30000):
        arguments = inputs(count)
        for result, expected in zip(run(function, *arguments), function(*arguments), strict=True):
            torch.testing.assert_close(result, expected, atol=0.01 * count**0.5, rtol=1e-2)


@pytest.mark.parametrize("rank", [1, 2])
def test_dimensions_of_one_element_are_left_out_by_a_reshape(kernels: list[str], rank: int) -> None:
    """As gradients of an instance norm over one image: the loops merge them with what is left."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        view = x.view(1, x.shape[1], 1, x.shape[2]).float()
        total = view.sum(3)
        squares = (total * total).squeeze(0)
        return view * 2, total, squares.reshape((-1,) if rank == 1 else (1, -1))

    x = torch.randint(-3, 4, (1, 64, 3199)).bfloat16()
    plan(kernels, function, x)
    assert len(kernels) == 1
    for result, expected in zip(run(function, x), function(x), strict=True):
        torch.testing.assert_close(result, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_blocks_read_while_others_reduce_their_rows(kernels: list[str], dtype: Any) -> None:
    """At least two blocks of a multiprocessor go through the rows of a norm's gradient."""
    x, g = torch.empty(2, 8192, 4096, dtype=dtype)
    mean, rstd = torch.empty(2, 8192, 1)
    first, *_ = plan(kernels, norm_gradient, x, torch.empty(4096, dtype=dtype), g, mean, rstd)
    threads, blocks = map(int, re.findall(r"__launch_bounds__\((\d+), (\d+)\)", first)[0])
    vectors = 4096 * x.element_size() // 16 // threads
    assert blocks >= 2
    # What is copied ahead is under way all the time.
    least = (32 if "nvf::copy_async" in first else 48) << 10
    assert threads * blocks * vectors * 2 * 16 >= least


@pytest.mark.parametrize("shape", [(1027, 100), (2048, 33), (5000, 64)])
def test_parts_of_sums_that_are_used_together_are_combined_together(
    kernels: list[str], shape: tuple[int, int]
) -> None:
    """The second one gets its loops from the first, by way of a result that has no parts."""

    def function(x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        return torch.where(wide > 0, wide, torch.sin(wide)).sum(0) - (wide * 0.5).sum(0)

    x = torch.randn(shape).half()
    *_, combining = plan(kernels, function, x)
    assert combining.count("nvf::block_reduce<") == 1
    assert combining.count("nvf::reduction(") == 2
    torch.testing.assert_close(run(function, x), function(x), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(37, 257), (575, 100), (3, 5000)])
def test_first_extremes_are_found_in_one_pass(
    kernels: list[str], dtype: torch.dtype, shape: tuple[int, int]
) -> None:
    """Also those of zeros of either sign, infinities and NaN, and of several equal ones."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.argmax(1), x.argmin(0, keepdim=True), *x.max(0), x.argmax()

    x = torch.randn(shape).to(dtype)
    x[:, 2:5] = x[:, :3].round()
    specials = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan")]).to(dtype)
    x[0, 5:15] = torch.cat([specials, specials])
    x[1, 5:15] = torch.cat([-specials, specials])
    x[:, 20] = -0.0
    x[2, 20] = 0.0
    for text in plan(kernels, function, x):
        assert "nvf::isnan" not in text
    for result, expected in zip(run(function, x), function(x), strict=True):
        torch.testing.assert_close(result, expected, atol=0, rtol=0, equal_nan=True)


def test_integers_and_doubles_are_compared_as_they_are() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.argmax(0), x.argmin(1)

    for x in (torch.randint(2**60, (40, 33)), torch.randn(40, 33, dtype=torch.float64)):
        for result, expected in zip(run(function, x), function(x), strict=True):
            assert torch.equal(result, expected)


@pytest.mark.parametrize("other", [5, 32, 33])
def test_what_is_no_extreme_may_stand_for_a_smaller_position(other: int) -> None:
    x = torch.randn(40, 33)
    x[3, 7] = torch.nan
    with nvfuser.FusionDefinition() as fd:
        t = fd.define_tensor(list(x.shape), contiguity=True)
        positions = fd.ops.broadcast(fd.ops.iota(33, 0, 1, nvfuser.DataType.Int), [True, False])
        largest = fd.ops.broadcast(fd.ops.max(t, [1]), [False, True])
        found = fd.ops.logical_or(fd.ops.eq(t, largest), fd.ops.isnan(t))
        fd.add_output(fd.ops.min(fd.ops.where(found, positions, other), [1]))
    with emulation.emulated_device():
        (result,) = fd.execute([x])
    # torch's argmax is the first NaN where there is one.
    assert torch.equal(result, x.argmax(1).clamp(max=other))


@pytest.mark.parametrize("columns", [5, 333])
def test_scales_of_long_columns(device: str, columns: int) -> None:
    """The scale is an output that a later kernel reads."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scale = x.abs().amax(0, keepdim=True).clamp(min=1e-6) / 4
        return torch.round(x / scale), scale, scale * 2

    x = torch.randint(-64, 65, (5000, columns)).float()
    for result, expected in zip(nvfuser.jit(function)(x), function(x), strict=True):
        torch.testing.assert_close(result, expected)
