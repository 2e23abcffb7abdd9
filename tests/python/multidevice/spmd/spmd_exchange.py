"""Small sums over devices as parts of kernels: peers' memory is read where there are GPUs.

By NCCL that is symmetric memory of GPUs. By gloo, kernels run on the emulated device, and the
memory is that of files that all processes map.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from helpers import annotate, check, compare, meshes, sent_by
from spmd_layers import layer, layer_tensors
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate

import nvfuser
from nvfuser import DataType, FusionDefinition
from nvfuser.multidevice import peer_memory

sys.path.append(str(Path(__file__).parents[2] / "emulation"))

# The emulated device runs one block after the other: the first one copies for all.
HEADER = nvfuser._C._peer_header_bytes()
CAPACITY = 1 << 16
SECOND = 10**9


class Peers:
    """The memory that processes have of each other, of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = 0
        self.known: dict[tuple[int, ...], Any] = {}
        self.time_limit = 60 * SECOND
        self.register: Callable[[int, int], None] = lambda address, size: None

    def __call__(self, team: int) -> Any:
        ranks = tuple(nvfuser._C._team(team))
        if ranks not in self.known:
            name = "_".join(map(str, ranks))
            memory = []
            for rank in ranks:
                path = self.folder / f"peers_{self.files}_{name}_{rank}"
                memory.append(
                    torch.from_file(
                        str(path), shared=True, size=HEADER + 2 * CAPACITY, dtype=torch.uint8
                    )
                )
            self.files += 1
            dist.barrier(peer_memory.group_of_team(team))
            self.known[ranks] = memory
        memory = self.known[ranks]
        for part in memory:
            self.register(part.data_ptr(), part.numel())
        return peer_memory.PeerMemory(
            [part.data_ptr() for part in memory],
            ranks.index(dist.get_rank()),
            CAPACITY,
            1,
            self.time_limit,
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes have."""
    paths: list[Any] = [str(tmp_path_factory.mktemp("peers"))]
    dist.broadcast_object_list(paths, 0)
    return Path(paths[0])


@pytest.fixture
def peers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peers | None]:
    """Let kernels read peers' memory; None where that is the memory of GPUs."""
    if dist.get_backend() == "nccl":
        yield None
        return
    import emulation

    files = Peers(folder)
    files.files = len([*folder.iterdir()])
    dist.barrier()
    driver = ctypes.CDLL(str(emulation.driver()))
    driver.emulation_register.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    driver.emulation_register.restype = None
    files.register = driver.emulation_register
    monkeypatch.setattr(peer_memory, "peer_memory", files)
    with emulation.emulated_device():
        yield files
    dist.barrier()


@pytest.fixture(scope="module")
def mesh(size: int, device: torch.device) -> DeviceMesh:
    return init_device_mesh(device.type, (size,), mesh_dim_names=("tp",))


def parts_of(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return what each process has of a sum, with the processes in front: the same on all."""
    return torch.randint(-8, 9, (dist.get_world_size(), *shape), device=device).to(dtype)


Define = Callable[[FusionDefinition, Any, Any], list[Any]]
Reference = Callable[[torch.Tensor, torch.Tensor], list[torch.Tensor]]


def define_norm(fd: FusionDefinition, x: Any, residual: Any) -> list[Any]:
    total = fd.ops.add(fd.ops.cast(x, DataType.Float), fd.ops.cast(residual, DataType.Float))
    mean = fd.ops.mean(fd.ops.mul(total, total), [1], keepdim=True)
    return [fd.ops.mul(total, fd.ops.rsqrt(fd.ops.add(mean, 1.0))), total]


def norm(x: torch.Tensor, residual: torch.Tensor) -> list[torch.Tensor]:
    total = x.float() + residual.float()
    return [total * torch.rsqrt((total * total).mean(1, keepdim=True) + 1.0), total]


def define_softmax(fd: FusionDefinition, x: Any, residual: Any) -> list[Any]:
    return [fd.ops.softmax(fd.ops.add(x, residual), 1)]


def softmax(x: torch.Tensor, residual: torch.Tensor) -> list[torch.Tensor]:
    return [(x + residual).softmax(1)]


def define_gelu(fd: FusionDefinition, x: Any, residual: Any) -> list[Any]:
    return [fd.ops.gelu(fd.ops.add(x, residual)), fd.ops.neg(x)]


def gelu(x: torch.Tensor, residual: torch.Tensor) -> list[torch.Tensor]:
    return [torch.nn.functional.gelu(x + residual), -x]


def define_sum(fd: FusionDefinition, x: Any, residual: Any) -> list[Any]:
    return [fd.ops.set(x)]


def plain_sum(x: torch.Tensor, residual: torch.Tensor) -> list[torch.Tensor]:
    return [x]


CASES: dict[str, tuple[Define, Reference]] = {
    "norm": (define_norm, norm),
    "softmax": (define_softmax, softmax),
    "gelu": (define_gelu, gelu),
    "sum": (define_sum, plain_sum),
}


class Sum:
    """A fusion of a sum over all processes, and what torch makes of the whole sum."""

    def __init__(self, case: str, dtype: torch.dtype, mesh: DeviceMesh) -> None:
        self.mesh = mesh
        define, self.reference = CASES[case]
        kind = nvfuser.pytorch_utils.torch_dtype_to_nvfuser_dtype(dtype)
        with FusionDefinition() as self.fd:
            x, residual = (self.fd.define_tensor([-1, -1], True, kind) for _ in range(2))
            for output in define(self.fd, x, residual):
                self.fd.add_output(output)

    def check(self, parts: torch.Tensor, residual: torch.Tensor, **tolerances: float) -> None:
        own = DTensor.from_local(parts[dist.get_rank()].clone(), self.mesh, [Partial()])
        same = DTensor.from_local(residual, self.mesh, [Replicate()])
        got = nvfuser.execute_with_dtensors(self.fd, [own, same])
        expected = self.reference(parts.sum(0).to(parts.dtype), residual)
        for output, value in zip(got, expected, strict=True):
            compare(output.to_local(), value, **({"rtol": 1e-5, "atol": 1e-5} | tolerances))

    @property
    def executor(self) -> Any:
        (executor,) = self.fd.__dict__["_dtensor_executors"].values()
        return executor

    def code(self, parts: torch.Tensor, residual: torch.Tensor) -> str:
        kernel: str = self.executor.get_cuda_kernel([parts[dist.get_rank()], residual])
        return kernel


@pytest.mark.parametrize("case", sorted(CASES))
def test_sums_in_kernels(
    case: str, peers: Peers | None, mesh: DeviceMesh, device: torch.device
) -> None:
    """One kernel does all of it, for one size after the other."""
    torch.manual_seed(1)
    fusion = Sum(case, torch.float32, mesh)
    for shape in [(6, 64), (5, 96), (6, 64), (40, 64), (6, 64)]:
        parts = parts_of(shape, torch.float32, device)
        residual = torch.randn(shape, device=device)
        fusion.check(parts, residual)
        code = fusion.code(parts, residual)
        # One for each schedule that the sizes so far have.
        assert code.count("__global__") == code.count("nvf::exchange(") > 0, code


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64, torch.int32])
def test_dtypes(
    dtype: torch.dtype, peers: Peers | None, mesh: DeviceMesh, device: torch.device
) -> None:
    torch.manual_seed(2)
    fusion = Sum("sum", dtype, mesh)
    # Sizes that no vectors fit, too.
    for shape in [(4, 32), (3, 7)]:
        parts = parts_of(shape, dtype, device)
        fusion.check(parts, torch.ones(shape, dtype=dtype, device=device))


def test_behind_products(peers: Peers | None, size: int, device: torch.device) -> None:
    """Two layers in tensor parallel, each of which ends with a sum and a norm."""
    torch.manual_seed(3)
    first, second = meshes()[:2]
    width = 16 * size
    x = torch.randn(6, 32, device=device)
    weights = [torch.randn(width, 32, device=device), torch.randn(32, width, device=device)] * 2

    def define(fd: FusionDefinition, t: list[Any]) -> Any:
        y = t[0]
        for up, down in ((t[1], t[2]), (t[3], t[4])):
            y = define_norm(fd, fd.ops.linear(fd.ops.relu(fd.ops.linear(y, up)), down), y)[0]
        return y

    def defined(there: Any) -> tuple[FusionDefinition, list[torch.Tensor]]:
        with FusionDefinition() as fd:
            tensors = [fd.from_pytorch(t, static_sizes=True) for t in (x, *weights)]
            fd.add_output(define(fd, tensors))
            own = [x]
            for tv, whole, spec in zip(tensors[1:], weights, "0101", strict=True):
                annotate(tv, there, spec)
                own.append(nvfuser.multidevice.shard_tensor(whole, tv))
            annotate(tensors[0], there, "-")
        return fd, own

    expected = x
    for up, down in (weights[:2], weights[2:]):
        expected = norm((expected @ up.T).relu() @ down.T, expected)[0]
    for there in (first, second):
        fd, own = defined(there)
        for _ in range(3):
            (got,) = fd.execute(own)
            compare(got, expected, rtol=1e-3, atol=1e-3)
        code = fd.fec.get_cuda_kernel(own)
        # Those of equal layers are one.
        assert 1 <= code.count("nvf::exchange(") <= 2


def test_over_a_dimension(peers: Peers | None, size: int, device: torch.device) -> None:
    """What each device has along the dimension that is summed is read where it lies."""
    mesh = meshes()[0]
    torch.manual_seed(4)
    x = torch.randn(size, 6, 32, device=device)
    with FusionDefinition() as fd:
        tv = fd.define_tensor([size, -1, 32], contiguity=True)
        fd.add_output(fd.ops.relu(fd.ops.sum(tv, 0)))
        annotate(tv, mesh, "0")
    own = nvfuser.multidevice.shard_tensor(x, tv)
    for _ in range(3):
        (got,) = fd.execute([own])
        compare(got, x.sum(0).relu(), rtol=1e-5, atol=1e-5)
    code = fd.fec.get_cuda_kernel([own])
    assert code.count("__global__") == code.count("nvf::exchange(") == 1, code


def test_what_is_large_or_apart_is_a_collective(
    peers: Peers | None, mesh: DeviceMesh, device: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    fusion = Sum("gelu", torch.float32, mesh)
    shape = (1024, 2048)
    parts, residual = parts_of(shape, torch.float32, device), torch.ones(shape, device=device)
    fusion.check(parts, residual)
    assert "nvf::exchange(" not in fusion.code(parts, residual)
    # Devices that cannot read each other's memory.
    monkeypatch.setattr(peer_memory, "peer_memory", lambda team: None)
    fusion = Sum("gelu", torch.float32, mesh)
    parts, residual = parts_of((4, 8), torch.float32, device), torch.ones(4, 8, device=device)
    fusion.check(parts, residual)
    assert "nvf::exchange(" not in fusion.code(parts, residual)


def test_the_option(peers: Peers | None, mesh: DeviceMesh, device: torch.device) -> None:
    fusion = Sum("gelu", torch.float32, mesh)
    parts, residual = parts_of((4, 8), torch.float32, device), torch.ones(4, 8, device=device)
    fusion.check(parts, residual)
    own = [parts[dist.get_rank()], residual]
    (got, _) = fusion.executor.execute(own, _disable_options=["exchange_in_kernels"])
    compare(got, torch.nn.functional.gelu(parts.sum(0) + residual), rtol=1e-4, atol=1e-4)


def test_many_calls(peers: Peers | None, mesh: DeviceMesh, device: torch.device) -> None:
    """Calls of several fusions follow each other: none overwrites what a peer still reads."""
    torch.manual_seed(5)
    first, second = Sum("norm", torch.float32, mesh), Sum("gelu", torch.float32, mesh)
    for number in range(8 if peers is not None else 200):
        fusion = first if number % 3 else second
        shape = (6, 64) if number % 2 else (17, 64)
        fusion.check(parts_of(shape, torch.float32, device), torch.randn(shape, device=device))


def test_peers_that_do_not_come(
    peers: Peers | None, mesh: DeviceMesh, size: int, device: torch.device
) -> None:
    """Those who wait give up at the time limit, and others hear that kernels differ."""
    if peers is None:
        pytest.skip("an error in a kernel ends the use of the GPU by this process")
    residual = torch.ones(4, 8)
    parts = parts_of((4, 8), torch.float32, device)
    peers.time_limit = SECOND // 4
    fusion = Sum("gelu", torch.float32, mesh)
    fusion.check(parts, residual)
    if dist.get_rank() == 0:
        with pytest.raises(RuntimeError, match="executes a trap"):
            fusion.check(parts, residual)
    dist.barrier()
    # A new beginning, then another size on one of them.
    peers.known.clear()
    peers.time_limit = 5 * SECOND
    fusion = Sum("gelu", torch.float32, mesh)
    shape = (4, 8) if dist.get_rank() == 0 else (2, 8)
    with pytest.raises(RuntimeError, match="executes a trap"):
        fusion.check(parts_of(shape, torch.float32, device), torch.ones(shape))


def test_capture(peers: Peers | None, mesh: DeviceMesh, device: torch.device) -> None:
    """A CUDA graph of a step runs again and again."""
    if peers is not None:
        pytest.skip("CUDA graphs of torch need a GPU")
    torch.manual_seed(6)
    fusion = Sum("norm", torch.bfloat16, mesh)
    parts = parts_of((6, 512), torch.bfloat16, device)
    residual = torch.randn(6, 512, device=device).bfloat16()
    fusion.check(parts, residual, rtol=1e-2, atol=1e-2)
    own = [parts[dist.get_rank()].clone(), residual]
    fusion.executor.execute(own)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            got = fusion.executor.execute(own)
    for _ in range(20):
        parts = parts_of((6, 512), torch.bfloat16, device)
        own[0].copy_(parts[dist.get_rank()])
        graph.replay()
        expected = norm(parts.sum(0), residual)
        compare(got[0], expected[0], rtol=2e-2, atol=2e-2)


def test_sums_over_rows_beside_a_normalization(peers: Peers | None, device: torch.device) -> None:
    """One kernel would do both on one device; what it sums is then summed over the devices."""
    fd = check(
        layer,
        layer_tensors(device),
        meshes()[0],
        ["1", "-", "0", "1", "1"],
        ["1", "1", "-", "0", "1"],
        rtol=1e-4,
        atol=1e-4,
    )
    assert sent_by(fd) == {"all_gather": 2, "reduce_scatter": 2, "all_reduce": 1}
