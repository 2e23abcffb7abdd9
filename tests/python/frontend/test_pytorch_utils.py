"""pytorch_utils: dtypes, data-less copies, device properties, retries."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import NVFUSER_DTYPES

from nvfuser import DataType, pytorch_utils
from nvfuser.pytorch_utils import (
    nvfuser_dtype_to_torch_dtype,
    python_scalar_to_nvfuser_dtype,
    retry_on_oom_or_skip_test,
    torch_dtype_to_nvfuser_dtype,
    without_data,
)

DTYPES = {
    **{dtype: ours for dtype, ours in NVFUSER_DTYPES.items() if dtype is not torch.uint64},
    torch.float4_e2m1fn_x2: DataType.Float4_e2m1fn_x2,
    complex: DataType.ComplexDouble,
    float: DataType.Double,
    int: DataType.Int,
    bool: DataType.Bool,
}
KEYS = {
    *("gpu_name", "gpu_compute_capability_major", "gpu_compute_capability_minor"),
    *("gpu_gmem_bytes", "gpu_sm_count", "gpu_max_threads_per_block", "gpu_smem_bytes_per_block"),
    *("gpu_regs_per_block", "gpu_clock_rate_khz", "gpu_l2_bytes", "gpu_mem_clock_khz"),
    *("gpu_mem_bus_width", "gpu_max_threads_per_sm", "gpu_peak_bandwidth_gbps"),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype | type) -> None:
    assert torch_dtype_to_nvfuser_dtype(dtype) is DTYPES[dtype]
    if isinstance(dtype, torch.dtype):
        assert nvfuser_dtype_to_torch_dtype(DTYPES[dtype]) is dtype


@pytest.mark.parametrize(
    "dtype",
    [torch.uint64, torch.qint8, str],
    ids=str,
)
def test_unsupported_dtypes(dtype: torch.dtype) -> None:
    with pytest.raises(KeyError):
        torch_dtype_to_nvfuser_dtype(dtype)


def test_dtypes_of_the_ir_only() -> None:
    assert nvfuser_dtype_to_torch_dtype(DataType.Index) is torch.int64
    assert nvfuser_dtype_to_torch_dtype(DataType.UInt64) is torch.uint64
    assert nvfuser_dtype_to_torch_dtype(DataType.Float4_e2m1fn) is torch.float4_e2m1fn_x2
    with pytest.raises(KeyError):
        nvfuser_dtype_to_torch_dtype(DataType.Null)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (True, DataType.Bool),
        (3, DataType.Int),
        (2.5, DataType.Double),
        (1j, DataType.ComplexDouble),
    ],
)
def test_scalars(number: complex, dtype: DataType) -> None:
    assert python_scalar_to_nvfuser_dtype(number) is dtype


def test_scalars_of_other_types() -> None:
    with pytest.raises(KeyError):
        python_scalar_to_nvfuser_dtype("2.5")


def test_without_data() -> None:
    x = torch.ones(3, 4).t()
    fake, number, vector = without_data([x, 2.5, [1, 2]])
    assert (fake.shape, fake.stride(), fake.dtype) == (x.shape, x.stride(), x.dtype)
    assert number == 2.5
    assert vector == [1, 2]


def test_retry_after_running_out_of_memory() -> None:
    attempts = []

    @retry_on_oom_or_skip_test
    def once(value: int, *, other: int) -> int:
        attempts.append(value)
        if len(attempts) == 1:
            raise torch.OutOfMemoryError("first")
        return value + other

    assert once(1, other=2) == 3
    assert attempts == [1, 1]
    assert once.__name__ == "once"


def test_skip_after_running_out_of_memory_twice() -> None:
    attempts = []

    @retry_on_oom_or_skip_test
    def never() -> None:
        attempts.append(1)
        raise torch.OutOfMemoryError("no memory left")

    with pytest.raises(pytest.skip.Exception, match="no memory left"):
        never()
    assert attempts == [1, 1]


def test_other_errors_are_not_retried() -> None:
    attempts = []

    @retry_on_oom_or_skip_test
    def wrong() -> None:
        attempts.append(1)
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        wrong()
    assert attempts == [1]


def test_device_properties() -> None:
    if torch.cuda.is_available():
        properties = pytorch_utils.get_device_properties()
        assert set(properties) == KEYS
        assert properties == pytorch_utils.DEVICE_PROPERTIES
        assert properties["gpu_peak_bandwidth_gbps"] > 0
    else:
        assert pytorch_utils.DEVICE_PROPERTIES is None
        with pytest.raises(RuntimeError, match="no CUDA device"):
            pytorch_utils.get_device_properties()


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        pytorch_utils.no_such_name  # noqa: B018


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.float32])
def test_random_distinct_values(dtype: torch.dtype, device: str) -> None:
    like = torch.empty(5, 8, dtype=dtype, device=device)
    values = pytorch_utils.random_distinct_values(like)
    assert values.shape == like.shape
    assert values.dtype == dtype
    assert values.device == like.device
    assert sorted(values.flatten().tolist()) == list(range(40))
    some = pytorch_utils.random_distinct_values(like, -50, 50).flatten().tolist()
    assert len(set(some)) == 40
    assert all(-50 <= value < 50 for value in some)


def test_random_distinct_values_follow_the_device() -> None:
    like = torch.empty(3, device="meta", dtype=torch.int64)
    assert pytorch_utils.random_distinct_values(like).device.type == "meta"


def test_too_few_distinct_values() -> None:
    with pytest.raises(ValueError, match=r"at least 6 integers .* there are 5 in \[0, 5\)"):
        pytorch_utils.random_distinct_values(torch.empty(2, 3), 0, 5)
    with pytest.raises(ValueError, match="can hold"):
        pytorch_utils.random_distinct_values(torch.empty(300, dtype=torch.bfloat16))


@pytest.mark.parametrize("like", [3, b"x", [1, 2]])
def test_random_distinct_values_are_like_a_tensor(like: Any) -> None:
    with pytest.raises(TypeError, match=r"Expected like to be a torch\.Tensor, but got a"):
        pytorch_utils.random_distinct_values(like)
