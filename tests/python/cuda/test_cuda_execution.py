"""Running on a CUDA device: layouts and alignment, streams, graphs, threads, devices, errors.

The values of the operations are those of the other tests, which run there with ``--device=cuda``.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from fusion_testing import NVFUSER_DTYPES, assert_matches, define, make_tensor, widen

from nvfuser import _C, DataType, FusionDefinition
from nvfuser.cuda import CompilationError, nvrtc

pytestmark = pytest.mark.cuda

# Long enough for anything else a test does, short enough to wait for.
CYCLES = 500_000_000


def add(a: torch.Tensor, b: torch.Tensor) -> FusionDefinition:
    dtype = NVFUSER_DTYPES[a.dtype]
    return define(lambda fd, t, u: fd.ops.cast(fd.ops.add(t, u), dtype), [a, b])


def softmax(x: torch.Tensor, dim: int = -1) -> FusionDefinition:
    def body(fd: FusionDefinition, t: Any) -> Any:
        flags = [k == dim % x.ndim for k in range(x.ndim)]
        shifted = fd.ops.sub(t, fd.ops.broadcast(fd.ops.max(t, [dim]), flags))
        exponential = fd.ops.exp(shifted)
        return fd.ops.div(exponential, fd.ops.broadcast(fd.ops.sum(exponential, [dim]), flags))

    return define(body, [x])


def two_kernels(x: torch.Tensor) -> FusionDefinition:
    """Sums of rows, then of columns: what passes between them is in a workspace."""

    def body(fd: FusionDefinition, t: Any) -> Any:
        rows = fd.ops.broadcast(fd.ops.sum(t, [1]), [False, True])
        return fd.ops.sum(fd.ops.sub(t, rows), [0])

    return define(body, [x])


def expected_of_two_kernels(x: torch.Tensor) -> torch.Tensor:
    return (x - x.sum(1, keepdim=True)).sum(0)


@pytest.fixture(autouse=True)
def finish() -> Iterator[None]:
    """Errors of kernels surface in the test that launched them."""
    yield
    torch.cuda.synchronize()


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("shape", [(1, 4096), (7, 1000), (128, 128), (511, 513), (3, 5, 7)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_pointwise(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    a = make_tensor(shape, dtype, device)
    b = make_tensor(shape, dtype, device, seed=1)
    (output,) = add(a, b).execute([a, b])
    assert output.device == a.device
    assert_matches(output, widen(a) + widen(b), dtype)


@pytest.mark.parametrize("shape", [(1, 4096), (7, 1000), (128, 128), (511, 513), (64, 32768)])
@pytest.mark.parametrize("dim", [0, 1])
def test_normalizations(shape: tuple[int, ...], dim: int, device: str) -> None:
    x = make_tensor(shape, torch.float32, device)
    (output,) = softmax(x, dim).execute([x])
    assert_matches(output, widen(x).softmax(dim), torch.float32, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", [(512, 512), (33, 65), (2048, 100)])
def test_two_kernels(shape: tuple[int, ...], device: str) -> None:
    x = make_tensor(shape, torch.float64, device)
    (output,) = two_kernels(x).execute([x])
    assert_matches(output, expected_of_two_kernels(x), torch.float64, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("offset", range(5))
def test_misaligned_inputs(offset: int, device: str) -> None:
    base = make_tensor((4200,), torch.float16, device)
    a, b = base[offset : offset + 4096], base[:4096]
    fd = add(b, b)
    for inputs in ([b, b], [a, b], [b, a], [a, a], [b, b]):
        (output,) = fd.execute(inputs)
        assert_matches(output, widen(inputs[0]) + widen(inputs[1]), torch.float16)


@pytest.mark.parametrize("offset", range(5))
def test_misaligned_outputs(offset: int, device: str) -> None:
    a = make_tensor((4096,), torch.float32, device)
    base = torch.full((4200,), 7.0, device=device)
    out = base[offset : offset + 4096]
    (result,) = add(a, a).execute([a, a], outputs=[out])
    assert result is out
    assert torch.equal(out, a + a)
    assert (base[:offset] == 7).all()
    assert (base[offset + 4096 :] == 7).all()


def test_strided_inputs(device: str) -> None:
    base = make_tensor((64, 3, 130), torch.float32, device)
    views = [base[:, 0, :128], base[::1, 1, 2:], base.transpose(0, 2)[:64, 2, :].T]
    a = views[0]
    for b in (view[:64, :64] for view in views):
        (output,) = add(a[:, :64], b).execute([a[:, :64], b])
        assert torch.equal(output, a[:, :64] + b)


def test_offsets_beyond_32_bits(device: str) -> None:
    if torch.cuda.mem_get_info()[0] < 2**34:
        pytest.skip("needs 16 GiB of free device memory")
    base = torch.zeros(2**32 + 4096, dtype=torch.uint8, device=device).view(torch.bool)
    x = base.as_strided((2, 4096), (2**32, 1))
    x[1] = True
    (output,) = define(lambda fd, t: fd.ops.logical_not(t), [x]).execute([x])
    assert torch.equal(output, ~x)


def test_many_inputs(device: str) -> None:
    inputs = [make_tensor((100, 33), torch.float32, device, seed=k) for k in range(120)]

    def body(fd: FusionDefinition, *tensors: Any) -> Any:
        total = tensors[0]
        for tensor in tensors[1:]:
            total = fd.ops.add(total, tensor)
        return total

    (output,) = define(body, inputs).execute(inputs)
    torch.testing.assert_close(output, sum(inputs))


def test_scalars_and_host_tensors(device: str) -> None:
    x = make_tensor((50, 60), torch.float32, device)
    fd = define(lambda fd, t, u, s: fd.ops.add(fd.ops.mul(t, u), s), [x, torch.tensor(0.0), 1.5])
    for host, scalar in ((2.0, 1.5), (-0.25, 3.0)):
        (output,) = fd.execute([x, torch.tensor(host), scalar])
        torch.testing.assert_close(output, x * host + scalar)
    (output,) = fd.execute([x, torch.tensor(2.0, device=device), 1.5])
    torch.testing.assert_close(output, x * 2 + 1.5)


@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.complex64]
)
def test_host_tensors_of_many_dtypes(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((100,), dtype, device)
    host = make_tensor((), dtype, "cpu", seed=3)
    fd = define(lambda fd, t, u: fd.ops.where(fd.ops.eq(t, u), u, t), [x, host])
    (output,) = fd.execute([x, host])
    assert torch.equal(output, x)
    copies = host.to(device).expand(100).contiguous()
    (output,) = fd.execute([copies, host])
    assert torch.equal(output, copies)


def test_updates_in_place(device: str) -> None:
    x = make_tensor((64, 64), torch.float32, device)
    running = make_tensor((64,), torch.float32, device, seed=1)
    expected = running * 0.9 + x.mean(0)
    turned = x.softmax(1)
    with FusionDefinition() as fd:
        t, r = fd.from_pytorch(x), fd.from_pytorch(running)
        mean = fd.ops.div(fd.ops.sum(t, [0]), 64.0)
        fd.add_output(fd.ops.add(fd.ops.mul(r, 0.9), mean), r)
        exponential = fd.ops.exp(t)
        total = fd.ops.broadcast(fd.ops.sum(exponential, [1]), [False, True])
        fd.add_output(fd.ops.div(exponential, total), t)
    assert fd.execute([x, running]) == []
    torch.testing.assert_close(running, expected)
    torch.testing.assert_close(x, turned)


def test_no_elements(device: str) -> None:
    x = torch.empty(0, 5, device=device)
    (output,) = add(x, x).execute([x, x])
    assert output.shape == (0, 5)
    (total,) = define(lambda fd, t: fd.ops.sum(t, [0]), [x]).execute([x])
    assert torch.equal(total, torch.zeros(5, device=device))


def test_fusions_without_tensors() -> None:
    with FusionDefinition() as fd:
        s = fd.define_scalar(DataType.Double)
        fd.add_output(fd.ops.full([1000], s, DataType.Float))
    for where in ("cuda", torch.device("cuda"), 0, "cuda:0"):
        (output,) = fd.execute([2.5], device=where)
        assert output.device == torch.device("cuda", torch.cuda.current_device())
        assert (output == 2.5).all()
    # As nvFuser: on the current device, if nothing says where.
    assert fd.execute([2.5])[0].device == torch.device("cuda", torch.cuda.current_device())
    assert fd.execute([2.5], device="cpu")[0].device.type == "cpu"


def test_conjugate_views(device: str) -> None:
    x = make_tensor((100,), torch.complex64, device)
    (output,) = add(x, x).execute([x.conj(), x])
    torch.testing.assert_close(output, x.conj() + x)


# ------------------------------------------------------------------ streams and graphs


def test_calls_do_not_wait(device: str) -> None:
    x = make_tensor((512, 512), torch.float64, device)
    fd = two_kernels(x)
    fd.execute([x])
    torch.cuda.synchronize()
    torch.cuda._sleep(CYCLES)
    fd.execute([x])
    assert not torch.cuda.current_stream().query()


def test_the_current_stream_is_used(device: str) -> None:
    x = torch.zeros(512, 512, dtype=torch.float64, device=device)
    y = make_tensor((512, 512), torch.float64, device)
    fd = two_kernels(x)
    fd.execute([x])
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        # Only a kernel behind these on the same stream sees the values.
        torch.cuda._sleep(CYCLES // 5)
        x.copy_(y)
        (output,) = fd.execute([x])
        assert not side.query()
    side.synchronize()
    assert_matches(output, expected_of_two_kernels(y), torch.float64, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("compiled_before", [True, False])
def test_graph_capture(compiled_before: bool, device: str) -> None:
    x = make_tensor((512, 256), torch.float64, device)
    fd = two_kernels(x)
    update = define(lambda fd, t: fd.ops.mul(t, 2.0), [x])
    if compiled_before:
        fd.execute([x])
        update.execute([x])
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (doubled,) = update.execute([x])
        (output,) = fd.execute([doubled])
    # Kernels of a graph stay when what they were compiled for goes.
    del fd, update
    gc.collect()
    for seed in range(3):
        x.copy_(make_tensor((512, 256), torch.float64, device, seed=seed))
        graph.replay()
        expected = expected_of_two_kernels(2 * x)
        assert_matches(output, expected, torch.float64, rtol=1e-9, atol=1e-9)


def test_memory_returns_to_the_allocator(device: str) -> None:
    x = make_tensor((512, 512), torch.float64, device)
    fd = two_kernels(x)
    fd.execute([x])
    gc.collect()
    before = torch.cuda.memory_allocated()
    for _ in range(10):
        fd.execute([x])
    gc.collect()
    assert torch.cuda.memory_allocated() == before


# ------------------------------------------------------------------ threads and devices


def test_no_memory_for_an_output(device: str) -> None:
    with FusionDefinition() as fd:
        size = fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.full([size], fd.define_scalar(1.0), DataType.Float))
    for private in (True, False):
        used = _C.configure_torch_interop(use_private_functions=private)
        try:
            assert used["native_empty_strided_cuda"] is private
            for _ in range(2):
                assert torch.equal(fd.execute([3], device=device)[0], torch.ones(3, device=device))
                with pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
                    fd.execute([2**38], device=device)
        finally:
            _C.configure_torch_interop()


def test_threads(device: str) -> None:
    x = make_tensor((257, 129), torch.float64, device)
    fd = two_kernels(x)
    expected = expected_of_two_kernels(x)
    torch.cuda.synchronize()
    failures: list[BaseException] = []
    barrier = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            own = two_kernels(x) if number % 2 else fd
            stream = torch.cuda.Stream() if number % 3 else torch.cuda.current_stream()
            barrier.wait()
            for _ in range(20):
                with torch.cuda.stream(stream):
                    (output,) = own.execute([x])
                    stream.synchronize()
                assert_matches(output, expected, torch.float64, rtol=1e-9, atol=1e-9)
        except (AssertionError, RuntimeError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_a_thread_that_has_not_used_cuda(device: str) -> None:
    x = make_tensor((64,), torch.float32, device)
    out = torch.empty_like(x)
    fd = add(x, x)
    torch.cuda.synchronize()
    thread = threading.Thread(target=lambda: fd.execute([x, x], outputs=[out]))
    thread.start()
    thread.join()
    torch.cuda.synchronize()
    assert torch.equal(out, x + x)


def test_several_devices() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two devices")
    a = make_tensor((300, 70), torch.float64, "cuda:0")
    b = make_tensor((300, 70), torch.float64, "cuda:1")
    fd = two_kernels(a)
    for x in (a, b, a, b):
        (output,) = fd.execute([x])
        assert output.device == x.device
        assert torch.cuda.current_device() == 0
        assert_matches(output, expected_of_two_kernels(x), torch.float64, rtol=1e-9, atol=1e-9)
    with pytest.raises(RuntimeError, match="to be bound to a CUDA or meta tensor on cuda:0"):
        add(a, a).execute([a, b])
    with pytest.raises(RuntimeError, match="asked to run on cuda:1, but its inputs are on cuda:0"):
        fd.execute([a], device="cuda:1")
    assert fd.execute([b], device="cuda")[0].device == b.device


# ------------------------------------------------------------------ other libraries


class Producer:
    """An array of another library, which wants to know the stream it is used on."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.streams: list[int | None] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream, **options)


def test_producers_are_told_the_stream(device: str) -> None:
    x = make_tensor((1000,), torch.float32, device)
    fd = add(x, x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    producer = Producer(x)
    with torch.cuda.stream(side):
        (output,) = fd.execute([producer, x])
    side.synchronize()
    assert producer.streams == [side.cuda_stream]
    assert torch.equal(output, x + x)


# ------------------------------------------------------------------ errors and inspection


def test_inputs_on_the_cpu_are_an_error(device: str) -> None:
    x = make_tensor((8,), torch.float32, device)
    fd = add(x, x)
    with pytest.raises(RuntimeError, match=r"Expected input 1, T1.* but got a tensor on cpu"):
        fd.execute([x, x.cpu()])
    with pytest.raises(RuntimeError, match=r"Expected input 0, T0.* but got a tensor on cpu"):
        fd.execute([x.cpu(), x])
    assert torch.equal(fd.execute([x, x])[0], x + x)


def test_results_of_host_tensors_alone_are_an_error(device: str) -> None:
    x = make_tensor((8,), torch.float32, device)
    host = torch.tensor(2.0)
    fd = define(lambda fd, t, u: [fd.ops.add(t, u), fd.ops.mul(u, 2.0)], [x, host])
    with pytest.raises(RuntimeError, match="KernelExecutor does not support the Fusion provided"):
        fd.execute([x, host])


def test_a_failed_compilation(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = make_tensor((123, 457), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.mul(t, 123.0), [x])
    compile_program: Callable[..., Any] = nvrtc.Nvrtc.compile

    def broken(self: nvrtc.Nvrtc, source: str, options: list[str]) -> Any:
        return compile_program(self, source + "\nint nonsense = missing;\n", options)

    with monkeypatch.context() as patch:
        patch.setenv("NVFUSER_DISABLE_CACHE", "1")
        patch.setattr(nvrtc.Nvrtc, "compile", broken)
        with pytest.raises(CompilationError, match='identifier "missing" is undefined'):
            fd.execute([x])
    assert torch.equal(fd.execute([x])[0], x * 123)


def test_inspection(device: str) -> None:
    x = make_tensor((64, 64), torch.float32, device)
    fd = add(x, x)
    fd.execute([x, x])
    code = fd.fec.get_cuda_kernel([x, x])
    assert re.search(r'extern "C" __global__ void .*nvfuser_\w+_phase0\(', code)
    whole = fd.fec.get_cuda_kernel([x, x], intrinsic_code=True)
    assert code in whole
    assert fd.fec.is_compiled([x, x])
    assert not fd.fec.is_compiled([x.cpu(), x.cpu()])


def test_description_of_the_devices() -> None:
    info = _C.cuda_info()
    assert info["driver_version"] >= (12, 0)
    assert len(info["devices"]) == torch.cuda.device_count()
    for index, device in enumerate(info["devices"]):
        known = torch.cuda.get_device_properties(index)
        assert device["name"] == known.name
        assert device["compute_capability"] == (known.major, known.minor)
        assert device["multiprocessors"] == known.multi_processor_count
        assert device["l2_bytes"] == known.L2_cache_size
        assert device["shared_bytes_per_block"] >= 48 * 1024


def test_random_numbers_cannot_be_captured() -> None:
    x = torch.randn(8, device="cuda")
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.rand_like(fd.from_pytorch(x)))
    fd.execute([x])
    torch.cuda.synchronize()
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x + 1  # an empty graph would be warned about
        with pytest.raises(RuntimeError, match="cannot be captured in a CUDA graph"):
            fd.execute([x])
    assert fd.execute([x])[0].shape == (8,)


def test_library_calls_are_captured() -> None:
    x, w = (torch.randn(64, 64, device="cuda") for _ in range(2))
    with FusionDefinition() as fd:
        a, b = fd.from_pytorch(x), fd.from_pytorch(w)
        fd.add_output(fd.ops.relu(fd.ops.matmul(fd.ops.mul(a, 2.0), b)))
    expected = fd.execute([x, w])[0]
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (result,) = fd.execute([x, w])
    graph.replay()
    torch.testing.assert_close(result, expected)
