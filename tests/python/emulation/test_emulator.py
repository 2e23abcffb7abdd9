"""The emulator of CUDA itself: kernels written by hand, through the driver's interface."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import emulation
import numpy as np
import pytest
from emulated_driver import Driver

WARP = 32
SHARED_OPT_IN = 97
MAX_DYNAMIC_SHARED = 8

Run = Callable[..., None]


@pytest.fixture
def run(driver: Driver) -> Run:
    def run(
        source: str, grid: Sequence[int], block: Sequence[int], *arguments: object, shared: int = 0
    ) -> None:
        driver.launch(driver.function(source), grid, block, arguments, shared)

    return run


def test_device_is_like_an_h200(driver: Driver) -> None:
    def attribute(number: int) -> int:
        value = ctypes.c_int()
        driver.check("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
        return value.value

    assert [attribute(75), attribute(76)] == [9, 0]
    assert attribute(16) == 132
    assert attribute(SHARED_OPT_IN) == 227 * 1024
    # But for its L2 cache: small tensors are on both sides of 512 bytes.
    assert attribute(38) == 512
    assert attribute(10) == 32


VECTOR_ADD = """
extern "C" __global__ void kernel(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) {
    c[i] = a[i] + b[i];
  }
}
"""


def test_vector_add(run: Run) -> None:
    a, b = np.random.default_rng(0).random((2, 1000), dtype=np.float32)
    c = np.zeros_like(a)
    run(VECTOR_ADD, [4], [256], a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)


def test_blocks_and_threads_have_three_dimensions(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread;
}
"""
    out = np.zeros(2 * 3 * 4 * 5 * 6 * 7, np.int32)
    run(source, [2, 3, 4], [5, 6, 7], out)
    expected = np.arange(24)[:, None] * 1000 + np.arange(210)
    np.testing.assert_array_equal(out, expected.ravel())


BLOCK_SUM = """
extern "C" __global__ void kernel(const float* x, float* sum, long long n) {
  extern __shared__ __align__(16) unsigned char shared[];
  float* partial = (float*)shared;
  float value = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
  const int lane = threadIdx.x % 32;
  const int warps = (blockDim.x + 31) / 32;
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_down_sync(0xffffffffu, value, distance);
    value += threadIdx.x + distance < blockDim.x && lane + distance < 32 ? other : 0.0f;
  }
  if (lane == 0) {
    partial[threadIdx.x / 32] = value;
  }
  BARRIER
  if (threadIdx.x < 32) {
    const unsigned mask = __ballot_sync(blockDim.x < 32 ? (1u << blockDim.x) - 1 : ~0u, 1);
    value = threadIdx.x < warps ? partial[threadIdx.x] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(mask, value, distance);
      value += (threadIdx.x ^ distance) < blockDim.x ? other : 0.0f;
    }
    if (threadIdx.x == 0) {
      *sum = value;
    }
  }
}
"""


@pytest.mark.parametrize("threads", [1, 7, 31, 32, 33, 64, 100, 257, 1000, 1024])
def test_block_reduction(run: Run, threads: int) -> None:
    """Through shuffles and shared memory, also where the last warp is not a whole one."""
    x = np.random.default_rng(0).integers(-9, 9, threads).astype(np.float32)
    total = np.zeros(1, np.float32)
    source = BLOCK_SUM.replace("BARRIER", "__syncthreads();")
    run(source, [1], [threads], x, total, threads, shared=32 * 4)
    assert total[0] == x.sum()


def test_missing_barrier_is_a_race(run: Run) -> None:
    x = np.ones(256, np.float32)
    total = np.zeros(1, np.float32)
    with pytest.raises(
        RuntimeError, match=r"no thread of the block wrote|what another thread wrote"
    ):
        run(BLOCK_SUM.replace("BARRIER", ""), [1], [256], x, total, 256, shared=32 * 4)


TRANSPOSE = """
extern "C" __global__ void kernel(const int* in, int* out, long long rows, long long columns) {
  extern __shared__ int tile[];
  for (int pass = 0; pass < 2; ++pass) {
    const long long x = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
      const long long y = (blockIdx.y * 2 + pass) * 32 + threadIdx.y + k;
      if (x < columns && y < rows) {
        tile[(threadIdx.y + k) * 33 + threadIdx.x] = in[y * columns + x];
      }
    }
    __syncthreads();
    const long long y = (blockIdx.y * 2 + pass) * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
      const long long x = blockIdx.x * 32 + threadIdx.y + k;
      if (x < columns && y < rows) {
        out[x * rows + y] = tile[threadIdx.x * 33 + threadIdx.y + k];
      }
    }
    BARRIER
  }
}
"""


def test_transpose_through_shared_memory(run: Run) -> None:
    x = np.arange(100 * 70, dtype=np.int32).reshape(100, 70)
    y = np.zeros((70, 100), np.int32)
    source = TRANSPOSE.replace("BARRIER", "__syncthreads();")
    run(source, [3, 2], [32, 8], x, y, *x.shape, shared=32 * 33 * 4)
    np.testing.assert_array_equal(y, x.T)


def test_writing_again_what_may_still_be_read_is_a_race(run: Run) -> None:
    x = np.zeros((100, 70), np.int32)
    with pytest.raises(RuntimeError, match="with nothing that orders them"):
        run(
            TRANSPOSE.replace("BARRIER", ""),
            [3, 2], [32, 8], x, np.zeros_like(x), *x.shape, shared=32 * 33 * 4,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("__shfl_sync(~0u, lane, 5)", lambda lane: 5),
        ("__shfl_sync(~0u, lane, 5, 8)", lambda lane: lane // 8 * 8 + 5),
        ("__shfl_sync(~0u, lane, lane + 1)", lambda lane: (lane + 1) % 32),
        ("__shfl_up_sync(~0u, lane, 3)", lambda lane: lane - 3 if lane >= 3 else lane),
        ("__shfl_up_sync(~0u, lane, 3, 8)", lambda lane: lane - 3 if lane % 8 >= 3 else lane),
        ("__shfl_down_sync(~0u, lane, 3)", lambda lane: lane + 3 if lane < 29 else lane),
        ("__shfl_down_sync(~0u, lane, 3, 8)", lambda lane: lane + 3 if lane % 8 < 5 else lane),
        ("__shfl_xor_sync(~0u, lane, 5)", lambda lane: lane ^ 5),
        ("__shfl_xor_sync(~0u, lane, 17, 16)", lambda lane: lane ^ 17 if lane >= 16 else lane),
        ("(int)__shfl_xor_sync(~0u, lane * (1ll << 40), 1) + (int)(__shfl_xor_sync(~0u, "
         "lane * (1ll << 40), 1) >> 40)", lambda lane: lane ^ 1),
        ("(int)(__shfl_xor_sync(~0u, lane * 0.5, 1) * 2)", lambda lane: lane ^ 1),
        ("(int)__ballot_sync(~0u, lane % 3 == 0)", lambda lane: 0b01001001001001001001001001001001),
        ("__any_sync(~0u, lane == 7)", lambda lane: 1),
        ("__all_sync(~0u, lane == 7)", lambda lane: 0),
        ("__all_sync(~0u, lane < 32)", lambda lane: 1),
        ("__syncthreads_count(threadIdx.x % 4 == 0)", lambda lane: 16),
        ("__syncthreads_and(threadIdx.x < 64)", lambda lane: 1),
        ("__syncthreads_or(threadIdx.x == 64)", lambda lane: 0),
    ],
)  # fmt: skip
def test_lanes_exchange(run: Run, call: str, expected: Callable[[int], int]) -> None:
    source = f"""
extern "C" __global__ void kernel(int* out) {{
  const int lane = threadIdx.x % 32;
  out[threadIdx.x] = {call};
}}
"""
    out = np.zeros(64, np.int32)
    run(source, [1], [64], out)
    np.testing.assert_array_equal(out, [expected(i % 32) for i in range(64)])


def test_lanes_that_do_not_take_part_have_no_value(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(float* out) {
  const float value = __shfl_down_sync(0xffffffffu, 1.0f, 4);
  float half = 0.0f;
  if (threadIdx.x < 4) {
    half = __shfl_down_sync(0xfu, 1.0f, 2);
  }
  out[threadIdx.x] = value + half;
}
"""
    out = np.zeros(10, np.float32)
    run(source, [1], [10], out)
    np.testing.assert_array_equal(np.isnan(out), [0, 0, 1, 1, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(out[[0, 1, 4, 5]], [2, 2, 1, 1])


def test_active_lanes(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(unsigned* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = __activemask();
  } else {
    out[threadIdx.x] = __activemask();
  }
}
"""
    out = np.zeros(40, np.uint32)
    run(source.replace("} else {", "}\nelse {\n"), [1], [40], out)
    even, odd = 0x55555555, 0xAAAAAAAA
    np.testing.assert_array_equal(out, [even, odd] * 16 + [even & 255, odd & 255] * 4)


def test_threads_that_exit_are_not_waited_for(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x >= 40) {
    return;
  }
  __syncthreads();
  const int count = __popc(__ballot_sync(0xffffffffu, 1));
  __syncthreads();
  out[threadIdx.x] = count;
}
"""
    out = np.zeros(40, np.int32)
    run(source, [1], [100], out)
    np.testing.assert_array_equal(out, [32] * 32 + [8] * 8)


@pytest.mark.parametrize(
    "body",
    [
        "if (threadIdx.x < 16) { __syncthreads(); }\n __syncthreads();",
        "if (threadIdx.x < 32) { __syncthreads(); }\n else {\n __syncthreads(); }",
        "if (threadIdx.x % 2) { __syncwarp(); }\n else {\n __syncthreads(); }",
        "if (threadIdx.x % 2) { __shfl_sync(~0u, 1, 0); }\n else {\n __shfl_sync(~0u, 2, 0); }",
    ],
)
def test_barriers_that_not_all_threads_reach(run: Run, body: str) -> None:
    source = f'extern "C" __global__ void kernel() {{\n{body}\n}}'
    with pytest.raises(RuntimeError, match="not all threads reach the same barrier: threads 0 to"):
        run(source, [1], [64])


def test_mask_without_the_lane_itself(run: Run) -> None:
    source = 'extern "C" __global__ void kernel() { __shfl_sync(0xffffu, 1, 0); }'
    with pytest.raises(RuntimeError, match="not in the mask"):
        run(source, [1], [32])


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("x[threadIdx.x + 1] = 0;", "writes out of bounds.* at offset 128 of an argument's memory"),
        ("x[0] = x[(int)threadIdx.x - 1];", "reads out of bounds.* at offset -4 of an argument's"),
        ("shared[threadIdx.x * 8] = 0;", "writes out of bounds.* offset 64 of shared memory of 64"),
        ("*(long long*)(x + 1) = 0;", "accesses 8 bytes at an address that is not aligned"),
        ("*(uint4*)(x + 2) = {};", "address that is not aligned|writes out of bounds"),
        ("x[threadIdx.x / 2] = 1;", "writes what another thread wrote"),
        ("x[threadIdx.x ^ 1] = x[threadIdx.x];", "with nothing that orders them"),
        ("x[0] = shared[0];", "reads what no thread of the block wrote"),
        ("atomicAdd(x + 32, 1);", "out of bounds"),
        ("shared[0] = 0; __syncwarp(); x[threadIdx.x] = shared[0];", "writes what another thread"),
        ("__trap();", "executes a trap"),
    ],
)
def test_accesses_are_checked(run: Run, body: str, match: str) -> None:
    source = f"""
extern "C" __global__ void kernel(int* x) {{
  extern __shared__ int shared[];
  {body}
}}
"""
    x = np.zeros(32, np.int32)
    with pytest.raises(RuntimeError, match=match) as error:
        run(source, [1], [32], x, shared=64)
    assert "kernel: thread (" in str(error.value)
    assert re.search(r"kernel\.cu:4\b", str(error.value))


def test_launches_go_on_after_errors(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Threads that failed, and those that were waiting for them, leave neither stacks nor files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    source = f"""
extern "C" __global__ void kernel(int* x, long long offset) {{
  extern __shared__ int shared[];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < {WARP}) {{
    __shfl_sync(offset == 1 ? 1u : ~0u, 1, 0);
  }}
  x[threadIdx.x + (offset == 2)] = shared[(threadIdx.x + 1) % blockDim.x];
}}
"""
    for turn in range(12):
        x = np.zeros(1000, np.int32)
        run(source, [1], [1000], x, 0, shared=4000)
        np.testing.assert_array_equal(x, (np.arange(1000) + 1) % 1000)
        match = ["out of bounds", "not in the mask"][turn % 2]
        with pytest.raises(RuntimeError, match=match):
            run(source, [1], [1000], x, 2 - turn % 2, shared=4000)
    assert list(tmp_path.iterdir()) == []


def test_blocks_are_not_ordered(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(int* x) {
  x[blockIdx.x] = 1;
  x[2] = blockIdx.x == 1 ? x[0] : 0;
}
"""
    with pytest.raises(
        RuntimeError, match=r"thread \(0, 0, 0\) of block \(1, 0, 0\) reads what an"
    ):
        run(source, [2], [1], np.zeros(3, np.int32))


def test_last_block_reads_what_the_others_wrote(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(const int* x, int* partial, int* count, int* sum) {
  partial[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicAdd(count, 1) == gridDim.x - 1) {
    for (int i = 0; i < gridDim.x; ++i) {
      *sum += partial[i];
    }
  }
}
"""
    x = np.arange(10, dtype=np.int32)
    total = np.zeros(1, np.int32)
    run(source, [10], [1], x, np.zeros_like(x), np.zeros(1, np.int32), total)
    assert total[0] == x.sum()


def test_what_lanes_exchange_is_ordered_by_their_warp(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(int* x) {
  extern __shared__ int shared[];
  for (int i = 0; i < 3; ++i) {
    shared[threadIdx.x] = threadIdx.x * i;
    __syncwarp();
    x[threadIdx.x] = shared[threadIdx.x ^ 1];
    __syncwarp();
  }
}
"""
    x = np.zeros(64, np.int32)
    run(source, [1], [64], x, shared=64 * 4)
    np.testing.assert_array_equal(x, (np.arange(64) ^ 1) * 2)


def test_only_memory_of_the_arguments_is_accessible(run: Run, driver: Driver) -> None:
    other = np.zeros(4, np.int32)
    driver.register(other)
    x = np.zeros(4, np.int32)
    source = 'extern "C" __global__ void kernel(int* x, long long gap) { x[gap] = 1; }'
    with pytest.raises(RuntimeError, match="memory that it was not given"):
        run(source, [1], [1], x, (other.ctypes.data - x.ctypes.data) // 4)


def test_tables_of_constants_are_readable(run: Run) -> None:
    source = """
__constant__ int squares[] = {0, 1, 4, 9, 16};
extern "C" __global__ void kernel(int* x) { x[threadIdx.x] = squares[threadIdx.x]; }
"""
    x = np.zeros(5, np.int32)
    run(source, [1], [5], x)
    np.testing.assert_array_equal(x, np.arange(5) ** 2)


def test_inline_ptx(run: Run) -> None:
    source = """
extern "C" __global__ void kernel(const float* x, unsigned short* half, unsigned short* bfloat16,
                                  float* back) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half[threadIdx.x]) : "f"(x[threadIdx.x]));
  asm volatile("cvt.rn.bf16.f32 %0, %1;"
               : "=h"(bfloat16[threadIdx.x])
               : "f"(x[threadIdx.x]));
  asm("cvt.f32.f16 %0, %1;" : "=f"(back[threadIdx.x]) : "h"(half[threadIdx.x]));
}
"""
    torch = pytest.importorskip("torch")
    edges = [0, -0.0, 65504, 65519.99, 65520, 65536, 1e-8, 6e-8, 2.0**-25, 3e38, 3.4e38, np.inf]
    below = (2.0 ** np.arange(-20, -10) * (1.0009765625 + 2**-12)).astype(np.float32)
    values = np.concatenate(
        [
            np.random.default_rng(0).integers(0, 2**32, 900, np.uint32).view(np.float32),
            np.float32(edges),
            -np.float32(edges),
            below,
        ]
    )
    values = values[~np.isnan(values)]
    half = np.zeros(values.shape, np.uint16)
    bfloat16 = np.zeros(values.shape, np.uint16)
    back = np.zeros_like(values)
    run(source, [1], [values.size], values, half, bfloat16, back)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(half, values.astype(np.float16).view(np.uint16))
        np.testing.assert_array_equal(back, values.astype(np.float16).astype(np.float32))
    expected = torch.from_numpy(values).to(torch.bfloat16).view(torch.int16).numpy()
    np.testing.assert_array_equal(bfloat16.view(np.int16), expected)


def test_arguments_of_any_size_and_both_ways_to_pass_them(driver: Driver) -> None:
    source = """
extern "C" __global__ void kernel(char a, double b, short c, float* out) {
  out[0] = a + b + c;
}
"""
    function = driver.function(source)
    out = np.zeros(1, np.float32)
    driver.register(out)
    values = [ctypes.c_char(3), ctypes.c_double(0.5), ctypes.c_short(-2),
              ctypes.c_void_p(out.ctypes.data)]  # fmt: skip
    parameters = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
    driver.check("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
    assert out[0] == 1.5
    with pytest.raises(RuntimeError, match="has 16 bytes, the kernel's parameters take 32"):
        driver.launch(function, [1], [1], [out, out])


@pytest.mark.parametrize(
    ("grid", "block", "shared"),
    [([0], [1], 0), ([1], [1025], 0), ([1], [1, 1, 65], 0), ([1, 65536], [1], 0),
     ([1], [65], 0), ([1], [1], 49153)],
)  # fmt: skip
def test_launches_beyond_the_limits(
    run: Run, grid: list[int], block: list[int], shared: int
) -> None:
    source = 'extern "C" __global__ void __launch_bounds__(64) kernel() {}'
    with pytest.raises(RuntimeError, match="invalid argument"):
        run(source, grid, block, shared=shared)


def test_large_shared_memory_must_be_asked_for(driver: Driver) -> None:
    function = driver.function('extern "C" __global__ void kernel() {}')
    driver.check("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, 227 * 1024)
    driver.launch(function, [1], [1], [], shared=227 * 1024)
    assert driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, 227 * 1024 + 1) == 1


def test_unknown_kernel_and_broken_image(driver: Driver) -> None:
    with pytest.raises(RuntimeError, match="named symbol not found"):
        driver.function('extern "C" __global__ void kernel() {}', "colonel")
    module = ctypes.c_void_p()
    assert driver.call("cuModuleLoadData", ctypes.byref(module), b"PTX or so" * 20) == 200


def test_source_that_does_not_compile() -> None:
    with pytest.raises(emulation.EmulationError, match="unknown_function"):
        emulation.compile_source('extern "C" __global__ void kernel() { unknown_function(); }')
