"""Random numbers: the generator's words, distributions, and what they do not depend on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from fusion_testing import FLOATS, NVFUSER_DTYPES, define, dtype_id, make_tensor

from nvfuser import DataType, FusionDefinition

SHAPE = (37, 300)
DTYPES = pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)


def philox(seed: int, offset: int, block: np.ndarray) -> list[np.ndarray]:
    """Philox4x32-10 as its authors define it."""
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    counter = [np.full_like(block, offset & 0xFFFFFFFF), np.full_like(block, offset >> 32)]
    counter += [block & low, block >> high]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = (
            counter[2 * i] * np.uint64(multiplier)
            for i, multiplier in enumerate((0xD2511F53, 0xCD9E8D57))
        )
        counter = [
            (second >> high) ^ counter[1] ^ np.uint64(key[0]),
            second & low,
            (first >> high) ^ counter[3] ^ np.uint64(key[1]),
            first & low,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def fractions(seed: int, offset: int, count: int, double: bool) -> np.ndarray:
    """The uniform numbers of a tensor, and those that are paired with them."""
    index = np.arange(count, dtype=np.uint64)
    if double:
        words = philox(seed, offset, index >> np.uint64(1))
        numbers = [
            ((words[2 * i + 1] << np.uint64(32)) | words[2 * i]) >> np.uint64(11) for i in range(2)
        ]
        return np.stack(numbers) * 2.0**-53
    words = philox(seed, offset, index >> np.uint64(2))
    upper = (index & np.uint64(2)) != 0
    numbers = [np.where(upper, words[2 + i], words[i]) >> np.uint64(8) for i in range(2)]
    return np.stack(numbers) * 2.0**-24


def test_the_reference_is_philox() -> None:
    """The known answers of the authors' tests."""
    words = philox(0, 0, np.zeros(1, np.uint64))
    assert [int(word[0]) for word in words] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def draw(
    kind: str,
    a: float,
    b: float,
    shape: Sequence[int],
    dtype: torch.dtype,
    device: str,
    seed: int | None = None,
    offset: int = 0,
) -> torch.Tensor:
    """Run a fusion of one random operation."""
    state = {} if seed is None else {"rng_seed": seed, "rng_offset": offset}
    with FusionDefinition() as fd:
        operation = getattr(fd.ops, kind)
        fd.add_output(operation(a, b, list(shape), dtype=NVFUSER_DTYPES[dtype], **state))
    return fd.execute([], device=device)[0]


@pytest.mark.parametrize("seed", [0, 17, 2**62 + 12345, -5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
def test_uniform_is_philox(seed: int, dtype: torch.dtype, device: str) -> None:
    offset = 3 + (seed & (2**40 - 1))
    output = draw("uniform", 0.0, 1.0, SHAPE, dtype, device, seed, offset)
    count = math.prod(SHAPE)
    first, second = fractions(seed % 2**64, offset, count, dtype == torch.float64)
    expected = np.where(np.arange(count) % 2 == 0, first, second)
    assert torch.equal(output.cpu().double().flatten(), torch.from_numpy(expected))


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("shape", [SHAPE, (), (5, 1, 7)], ids=str)
def test_a_seed_in_memory_is_that_number(kind: str, shape: tuple[int, ...], device: str) -> None:
    seeds = torch.tensor([17, 2**62 + 12345, -5], device=device)
    with FusionDefinition() as fd:
        given = fd.define_tensor([-1], dtype=DataType.Int, contiguity=True)
        for i in range(3):
            seed = fd.ops.squeeze(fd.ops.slice(given, [i], [i + 1]), [0])
            drawn = getattr(fd.ops, kind)(0.0, 1.0, list(shape), rng_seed=seed, rng_offset=3)
            fd.add_output(drawn)
    for state in (seeds, seeds.flip(0) + 1):
        for seed, drawn in zip(state.tolist(), fd.execute([state]), strict=True):
            expected = draw(kind, 0.0, 1.0, shape, torch.float32, device, seed, 3)
            # Functions of the normal ones may differ in the last place.
            torch.testing.assert_close(drawn, expected, rtol=1e-6, atol=1e-6)


def test_a_seed_in_memory_is_one_integer() -> None:
    with FusionDefinition() as fd:
        seeds = fd.define_tensor([2], dtype=DataType.Int)
        number = fd.define_tensor([], dtype=DataType.Float)
        for wrong in (seeds, number):
            with pytest.raises(RuntimeError, match="rng_seed must be an integer scalar, or an"):
                fd.ops.uniform(0.0, 1.0, [2], rng_seed=wrong, rng_offset=0)
        with pytest.raises(RuntimeError, match="rng_offset must be an integer scalar"):
            fd.ops.uniform(0.0, 1.0, [2], rng_seed=1, rng_offset=fd.define_tensor([]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
def test_normal_is_box_muller(dtype: torch.dtype, device: str) -> None:
    output = draw("normal", 2.0, 3.0, SHAPE, dtype, device, 11, 7)
    count = math.prod(SHAPE)
    double = dtype == torch.float64
    first, second = fractions(11, 7, count, double)
    radius = np.sqrt(-2.0 * np.log(first + 2.0 ** (-53 if double else -24)))
    angle = 2.0 * np.pi * second
    expected = 2.0 + 3.0 * radius * np.where(
        np.arange(count) % 2 == 0, np.cos(angle), np.sin(angle)
    )
    # The angle is rounded to the dtype.
    tolerance = 1e-14 if double else 1e-5
    np.testing.assert_allclose(
        output.cpu().double().numpy().flatten(), expected, rtol=tolerance, atol=tolerance
    )


@DTYPES
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-3.0, 5.0), (1.0, 2.0)], ids=str)
def test_uniform_distribution(bounds: tuple[float, float], dtype: torch.dtype, device: str) -> None:
    low, high = bounds
    output = draw("uniform", low, high, (400, 500), dtype, device, 5, 0)
    assert output.dtype == dtype
    assert output.min() >= low
    assert output.max() < high
    numbers = np.sort((output.cpu().double().numpy().flatten() - low) / (high - low))
    count = len(numbers)
    # Kolmogorov and Smirnov; rounding to the dtype moves numbers by its precision.
    distance = np.abs(numbers - (np.arange(count) + 0.5) / count).max()
    assert distance < 2.0 / math.sqrt(count) + 4 * torch.finfo(dtype).eps


@DTYPES
def test_normal_distribution(dtype: torch.dtype, device: str) -> None:
    output = draw("normal", -1.0, 2.0, (400, 500), dtype, device, 5, 9)
    numbers = np.sort((output.cpu().double().numpy().flatten() + 1.0) / 2.0)
    count = len(numbers)
    for power, moment in enumerate([0.0, 1.0, 0.0, 3.0], start=1):
        deviation = math.sqrt([1, 2, 15, 96][power - 1] / count)
        precision = 8 * torch.finfo(dtype).eps
        assert abs((numbers**power).mean() - moment) < 5 * deviation + precision
    cumulative = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in numbers])
    distance = np.abs(cumulative - (np.arange(count) + 0.5) / count).max()
    assert distance < 2.0 / math.sqrt(count) + 4 * torch.finfo(dtype).eps


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_schedules_do_not_matter(kind: str, device: str) -> None:
    """Shapes of as many elements, layouts, threads, fusions around: an element stays what it is."""
    state = {"rng_seed": 3, "rng_offset": 1}
    x = make_tensor((60, 64), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        operation = getattr(fd.ops, kind)
        numbers = operation(0.0, 1.0, [60, 64], **state)
        return [
            numbers,
            fd.ops.reshape(operation(0.0, 1.0, [3840], **state), [60, 64]),
            fd.ops.stride_order(numbers, [0, 1]),
            fd.ops.sub(fd.ops.add(numbers, t), t),
            fd.ops.permute(numbers, [1, 0]),
            fd.ops.slice(numbers, [3, 5], [9, 64]),
            fd.ops.max(numbers, [1]),
            fd.ops.max(numbers, [0]),
        ]

    fd = define(body, [x])
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = fd.execute([x])
        torch.set_num_threads(4)
        four = fd.execute([x])
    finally:
        torch.set_num_threads(threads)
    alone = draw(kind, 0.0, 1.0, (60, 64), torch.float32, device, 3, 1)
    # Functions of normal numbers may differ in the last bits from kernel to kernel.
    tolerance = {"rtol": 1e-6, "atol": 1e-6} if kind == "normal" else {"rtol": 0, "atol": 0}
    for outputs in (one, four):
        torch.testing.assert_close(outputs[0], alone, **tolerance)
        torch.testing.assert_close(outputs[1], alone, **tolerance)
        torch.testing.assert_close(outputs[2], alone, **tolerance)
        torch.testing.assert_close(outputs[3], alone, atol=2e-6, rtol=0)
        torch.testing.assert_close(outputs[4], alone.t(), **tolerance)
        torch.testing.assert_close(outputs[5], alone[3:9, 5:], **tolerance)
        torch.testing.assert_close(outputs[6], alone.amax(1), **tolerance)
        torch.testing.assert_close(outputs[7], alone.amax(0), **tolerance)


def test_offsets_and_seeds_differ(device: str) -> None:
    draws = [
        draw("uniform", 0.0, 1.0, (1000,), torch.float32, device, seed, offset)
        for seed, offset in [(0, 0), (0, 1), (1, 0), (2**33, 0), (0, 2**33)]
    ]
    for i, first in enumerate(draws):
        for second in draws[:i]:
            assert not torch.equal(first, second)
            # Independent: no more equal elements than by chance.
            assert (first == second).sum() < 5
            assert abs(np.corrcoef(first.cpu().numpy(), second.cpu().numpy())[0, 1]) < 0.15


def test_state_is_that_of_torch(device: str) -> None:
    x = make_tensor((50, 20), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.rand_like(t), fd.ops.randn_like(t)], [x])
    generator_state = torch.random.get_rng_state()
    try:
        torch.manual_seed(42)
        first = fd.execute([x])
        second = fd.execute([x])
        torch.manual_seed(42)
        again = fd.execute([x])
    finally:
        torch.random.set_rng_state(generator_state)
    for a, b, c in zip(first, second, again, strict=True):
        assert torch.equal(a, c)
        assert not torch.equal(a, b)
        assert a.shape == x.shape
    assert not torch.equal(first[0], first[1])


def test_state_on_the_cpu() -> None:
    """One number of 64 bits is drawn a run; operations take the offsets from 0 on."""
    with FusionDefinition() as fd:
        for _ in range(2):
            fd.add_output(fd.ops.uniform(0.0, 1.0, [10, 10]))
    torch.manual_seed(7)
    outputs = fd.execute([], device="cpu")
    rest = torch.rand(3)
    torch.manual_seed(7)
    seed = int(torch.empty((), dtype=torch.int64).random_())
    assert torch.equal(torch.rand(3), rest)
    for offset, output in enumerate(outputs):
        expected = draw("uniform", 0.0, 1.0, (10, 10), torch.float32, "cpu", seed, offset)
        assert torch.equal(output, expected)


def test_seed_and_offset_as_inputs(device: str) -> None:
    with FusionDefinition() as fd:
        seed = fd.define_scalar(dtype=DataType.Int)
        offset = fd.define_scalar(dtype=DataType.Int)
        low = fd.define_scalar(dtype=DataType.Double)
        fd.add_output(fd.ops.uniform(low, 5.0, [12, 5], rng_seed=seed, rng_offset=offset))
    for values in ([3, 4, 1.0], [5, 0, -2.0]):
        (output,) = fd.execute(values, device=device)
        expected = draw("uniform", values[2], 5.0, (12, 5), torch.float32, device, *values[:2])
        assert torch.equal(output, expected)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (5, 1, 3)], ids=str)
def test_shapes(shape: tuple[int, ...], device: str) -> None:
    output = draw("normal", 0.0, 1.0, shape, torch.float32, device, 1, 0)
    assert output.shape == shape
    assert bool(output.isfinite().all())


def test_expanded_tensors_have_a_number_for_each_element(device: str) -> None:
    x = make_tensor((4, 1), torch.float32, device).expand(4, 6)
    (output,) = define(lambda fd, t: fd.ops.rand_like(t), [x]).execute([x])
    assert output.shape == (4, 6)
    assert len(output.unique()) == 24


def test_dropout(device: str) -> None:
    """The random numbers are computed where they are used, twice the same ones."""
    x = make_tensor((100, 100), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        mask = fd.ops.lt(fd.ops.rand_like(t), 0.7)
        return [
            fd.ops.mul(fd.ops.mul(t, mask), 1 / 0.7),
            mask,
            fd.ops.sum(fd.ops.mul(t, mask), [1]),
        ]

    output, mask, sums = define(body, [x]).execute([x])
    torch.testing.assert_close(output, x * mask / 0.7)
    torch.testing.assert_close(sums, (x * mask).sum(1), atol=1e-4, rtol=1e-4)
    assert 0.66 < mask.float().mean() < 0.74
