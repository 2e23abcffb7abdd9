"""What links nvfuser to PyTorch: dtypes, data-less copies, devices, retries for tests.

Importing this module imports torch; ``import nvfuser`` does not.
"""

from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Callable, Iterable
from numbers import Number
from typing import Any, TypeVar

from nvfuser.needs_torch import needs_torch

needs_torch("nvfuser.pytorch_utils")

import torch  # noqa: E402

from nvfuser import DataType  # noqa: E402
from nvfuser.dtypes import TORCH_NAMES  # noqa: E402

__all__ = [
    "DEVICE_PROPERTIES",
    "get_device_properties",
    "nvfuser_dtype_to_torch_dtype",
    "python_scalar_to_nvfuser_dtype",
    "random_distinct_values",
    "retry_on_oom_or_skip_test",
    "torch_dtype_to_nvfuser_dtype",
    "without_data",
]

_F = TypeVar("_F", bound=Callable[..., Any])

DEVICE_PROPERTIES: dict[str, Any] | None  # computed when it is first asked for

_TO_TORCH: dict[DataType, torch.dtype] = {
    DataType[name]: getattr(torch, torch_name)
    for name, torch_name in TORCH_NAMES.items()
    if hasattr(torch, torch_name)
} | {DataType.Float4_e2m1fn: torch.float4_e2m1fn_x2}

_TO_NVFUSER: dict[Any, DataType] = {
    # Python's number types
    complex: DataType.ComplexDouble,
    float: DataType.Double,
    int: DataType.Int,
    bool: DataType.Bool,
}
_TO_NVFUSER |= {
    dtype: key
    for key, dtype in _TO_TORCH.items()
    # Two have another as their equal in torch; clients expect no uint64.
    if key not in (DataType.Index, DataType.Float4_e2m1fn, DataType.UInt64)
}


def torch_dtype_to_nvfuser_dtype(dtype: torch.dtype | type) -> DataType:
    """Return the :class:`nvfuser.DataType` of a torch dtype or of a type of Python numbers.

    Parameters
    ----------
    dtype : torch.dtype, or one of the types complex, float, int, bool

    Returns
    -------
    DataType

    Raises
    ------
    KeyError
        If there is none: uint64 and others.
    """
    return _TO_NVFUSER[dtype]


def nvfuser_dtype_to_torch_dtype(dtype: DataType) -> torch.dtype:
    """Return the torch dtype in which values of an :class:`nvfuser.DataType` are stored.

    Raises
    ------
    KeyError
        For ``Null``.
    """
    return _TO_TORCH[dtype]


def python_scalar_to_nvfuser_dtype(number: Number | complex) -> DataType:
    """Return the :class:`nvfuser.DataType` of a Python number.

    Raises
    ------
    KeyError
        If it is no bool, int, float or complex.
    """
    return _TO_NVFUSER[type(number)]


def random_distinct_values(
    like: torch.Tensor, low: int = 0, high: int | None = None
) -> torch.Tensor:
    """Return random integers, no two of them equal, as a tensor like another one.

    Positions to scatter to, and values to sort whose order has no ties.

    Parameters
    ----------
    like : torch.Tensor
        Its shape, dtype and device are those of the result.
    low, high : int
        The integers are in [low, high); without `high` they are a permutation of `low` and what
        follows it.

    Returns
    -------
    torch.Tensor

    Raises
    ------
    TypeError
        If `like` is no tensor.
    ValueError
        If there are fewer integers than elements, or the dtype cannot tell them apart.
    """
    if not isinstance(like, torch.Tensor):
        raise TypeError(f"Expected like to be a torch.Tensor, but got a {type(like).__name__}")
    count = like.numel()
    end = low + count if high is None else high
    if end - low < count:
        raise ValueError(
            f"Expected at least {count} integers for a tensor of shape {tuple(like.shape)}, but "
            f"there are {max(end - low, 0)} in [{low}, {end})"
        )
    if like.dtype.is_floating_point:
        largest = int(2 / torch.finfo(like.dtype).eps)
        smallest = -largest
    else:
        smallest, largest = torch.iinfo(like.dtype).min, torch.iinfo(like.dtype).max
    if count > 0 and not smallest <= low < end <= largest + 1:
        raise ValueError(f"Expected integers that {like.dtype} can hold, but got [{low}, {end})")
    chosen = torch.randperm(end - low, device=like.device)[:count] + low
    return chosen.to(like.dtype).reshape(like.shape)


def without_data(inputs: Iterable[Any]) -> list[Any]:
    """Return `inputs` with every tensor replaced by a fake one of the same metadata.

    Of int32 and int64 tensors a script that runs the fusion needs to know more:
    ``nvfuser_integers`` of the fake one is its :func:`nvfuser.reproducer.integers_of`.
    """
    from torch._subclasses.fake_tensor import FakeTensorMode

    from nvfuser.reproducer import integers_of

    mode = FakeTensorMode()

    def fake(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            data_less = mode.from_tensor(value)
            data_less.nvfuser_integers = integers_of(value)
            return data_less
        if isinstance(value, (list, tuple)):
            return [fake(element) for element in value]
        return value

    return [fake(value) for value in inputs]


def retry_on_oom_or_skip_test(function: _F) -> _F:
    """Decorate a test: when the GPU's memory runs out, free what can be and try once more.

    A second failure skips the test.
    """

    @functools.wraps(function)
    def retried(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except torch.OutOfMemoryError:
            pass
        # Outside the handler: the exception's traceback holds the tensors of the failed attempt.
        gc.collect()
        torch.cuda.empty_cache()
        try:
            return function(*args, **kwargs)
        except torch.OutOfMemoryError as error:
            reason = str(error)
        import pytest

        return pytest.skip(f"out of memory: {reason}")

    return retried  # type: ignore[return-value]


# cuDeviceGetAttribute's numbers, from the CUDA driver API reference.
_ATTRIBUTES = {
    "gpu_compute_capability_major": 75,
    "gpu_compute_capability_minor": 76,
    "gpu_sm_count": 16,
    "gpu_max_threads_per_block": 1,
    "gpu_smem_bytes_per_block": 8,
    "gpu_regs_per_block": 12,
    "gpu_clock_rate_khz": 13,
    "gpu_l2_bytes": 38,
    "gpu_mem_clock_khz": 36,
    "gpu_mem_bus_width": 37,
    "gpu_max_threads_per_sm": 39,
}


def get_device_properties() -> dict[str, Any]:
    """Return the properties of the first CUDA device, as benchmarks compute limits from them.

    Returns
    -------
    dict
        ``gpu_name``, ``gpu_gmem_bytes``, ``gpu_peak_bandwidth_gbps`` (both edges of the memory
        clock times the width of the bus) and the driver's attributes
        ``gpu_compute_capability_major``, ``gpu_compute_capability_minor``, ``gpu_sm_count``,
        ``gpu_max_threads_per_block``, ``gpu_smem_bytes_per_block``, ``gpu_regs_per_block``,
        ``gpu_clock_rate_khz``, ``gpu_l2_bytes``, ``gpu_mem_clock_khz``, ``gpu_mem_bus_width``,
        ``gpu_max_threads_per_sm``.

    Raises
    ------
    RuntimeError
        If there is no CUDA device or its driver fails.
    """
    if not torch.cuda.is_available():
        raise RuntimeError("There is no CUDA device.")
    driver = ctypes.CDLL("libcuda.so.1")

    def checked(result: int) -> None:
        if result != 0:
            raise RuntimeError(f"The CUDA driver failed with error {result}.")

    checked(driver.cuInit(0))
    device = ctypes.c_int()
    checked(driver.cuDeviceGet(ctypes.byref(device), 0))
    general = torch.cuda.get_device_properties(0)
    properties: dict[str, Any] = {
        "gpu_name": general.name,
        "gpu_gmem_bytes": general.total_memory,
    }
    for name, number in _ATTRIBUTES.items():
        value = ctypes.c_int()
        checked(driver.cuDeviceGetAttribute(ctypes.byref(value), number, device))
        properties[name] = value.value
    properties["gpu_peak_bandwidth_gbps"] = (
        2 * properties["gpu_mem_clock_khz"] * 1e3 * properties["gpu_mem_bus_width"] / 8 / 1e9
    )
    return properties


def __getattr__(name: str) -> Any:
    if name != "DEVICE_PROPERTIES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    properties = get_device_properties() if torch.cuda.is_available() else None
    globals()[name] = properties
    return properties
