"""Communicator, DeviceMesh, and fusions of DTensors of two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import run_together

torch = pytest.importorskip("torch")

import nvfuser  # noqa: E402
from nvfuser import multidevice  # noqa: E402
from nvfuser.multidevice import Communicator, DeviceMesh  # noqa: E402

NO_LAUNCHER = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("OMPI_COMM_WORLD_", "SLURM_"))
    and name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
}


def set_environment(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in os.environ.keys() - NO_LAUNCHER.keys():
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Communicator, "_instance", None)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, (0, 1, 0, 1)),
        ({"RANK": "5"}, (0, 1, 0, 1)),
        (
            {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"},
            (5, 8, 1, 4),
        ),
        (
            {
                "OMPI_COMM_WORLD_RANK": "2",
                "OMPI_COMM_WORLD_SIZE": "6",
                "OMPI_COMM_WORLD_LOCAL_RANK": "0",
                "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
                "RANK": "5",
                "WORLD_SIZE": "8",
                "LOCAL_RANK": "1",
                "LOCAL_WORLD_SIZE": "4",
            },
            (2, 6, 0, 2),
        ),
        (
            {
                "SLURM_PROCID": "3",
                "SLURM_NTASKS": "4",
                "SLURM_LOCALID": "1",
                "SLURM_NTASKS_PER_NODE": "2",
            },
            (3, 4, 1, 2),
        ),
    ],
)
def test_ranks_are_those_of_the_launcher(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    expected: tuple[int, int, int, int],
) -> None:
    set_environment(monkeypatch, variables)
    communicator = Communicator.instance()
    assert communicator is Communicator.instance()
    found = (
        communicator.rank(),
        communicator.size(),
        communicator.local_rank(),
        communicator.local_size(),
    )
    assert found == expected
    if communicator.size() == 1:
        communicator.barrier()
    else:
        with pytest.raises(RuntimeError, match=r"barrier of \d processes needs torch.distributed"):
            communicator.barrier()


def test_meshes() -> None:
    mesh = DeviceMesh([3, 1])
    assert (mesh.size, tuple(mesh.shape), repr(mesh)) == (2, (2,), "DeviceMesh{3 1}")
    square = DeviceMesh(torch.arange(6).view(2, 3))
    assert (square.size, tuple(square.shape)) == (6, (2, 3))
    assert repr(square) == "DeviceMesh{{0 1 2}{3 4 5}}"
    assert repr(DeviceMesh(torch.arange(4).view(2, 1, 2))) == "DeviceMesh{{{0 1}}{{2 3}}}"
    assert mesh == DeviceMesh(torch.tensor([3, 1], dtype=torch.int32))
    assert hash(mesh) == hash(DeviceMesh((3, 1)))
    assert mesh != DeviceMesh([1, 3])
    assert square != DeviceMesh(range(6))


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        ([], "to be integers"),
        ([0.5], "to be integers"),
        ([0, 0], "distinct and not negative"),
        ([0, -1], "distinct and not negative"),
    ],
)
def test_ranks_that_make_no_mesh(devices: list[int], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        DeviceMesh(devices)


@pytest.mark.parametrize(("rank", "chunk"), [(3, 0), (1, 1), (7, 0)])
def test_each_process_has_its_chunk(monkeypatch: pytest.MonkeyPatch, rank: int, chunk: int) -> None:
    set_environment(
        monkeypatch,
        {"RANK": str(rank), "WORLD_SIZE": "8", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "8"},
    )
    mesh = DeviceMesh([3, 1])
    x = torch.arange(24).view(4, 6)
    for axis in (0, 1, -1):
        mine = mesh.shard_tensor(x, axis)
        assert mine.is_contiguous()
        assert torch.equal(mine, x.chunk(2, axis)[chunk])
    with pytest.raises(RuntimeError, match=r"must be evenly divisble by mesh, .* extent 3"):
        mesh.shard_tensor(torch.zeros(4, 3), 1)
    with pytest.raises(RuntimeError, match=r"one dimension, but this one has the shape \[2, 1\]"):
        DeviceMesh(torch.tensor([[0], [1]])).shard_tensor(x, 0)


PROCESS = """
import sys
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

import nvfuser
from nvfuser import DataType, FusionDefinition, execute_with_dtensors
from nvfuser.multidevice import Communicator

us = Communicator.instance()
dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=us.rank(),
                        world_size=us.size())
us.barrier()
mesh = dist.device_mesh.init_device_mesh("cpu", (2,), mesh_dim_names=("x",))
with FusionDefinition() as fd:
    a = fd.define_tensor([-1, -1], [True, True])
    fd.add_output(fd.ops.sum(a * 2.0, 1))
    fd.add_output(fd.ops.relu(a))
x = torch.randn(4, 6)
whole = DTensor.from_local(x.requires_grad_(), mesh, [Replicate()], run_check=False)
try:
    execute_with_dtensors(fd, [whole])
except RuntimeError as error:
    assert "Input 0 is to be differentiated" in str(error), error
else:
    raise AssertionError("not refused")
with torch.no_grad():
    outputs = execute_with_dtensors(fd, [whole])
assert all(type(output) is DTensor for output in outputs)
assert all(output.placements == (Replicate(),) for output in outputs)
assert all(output.device_mesh == mesh for output in outputs)
x = x.detach()
torch.testing.assert_close(outputs[0].to_local(), (x * 2).sum(1))
torch.testing.assert_close(outputs[1].to_local(), x.relu())

split = distribute_tensor(x, mesh, [Shard(0)])
outputs = execute_with_dtensors(fd, [split])
assert all(output.placements == (Shard(0),) for output in outputs)
torch.testing.assert_close(outputs[0].full_tensor(), (split.full_tensor() * 2).sum(1))
gathered = split.redistribute(placements=[Replicate()], async_op=True)
output = execute_with_dtensors(fd, [gathered])[1].to_local()
torch.testing.assert_close(output, gathered.full_tensor().relu())

other = dist.device_mesh.init_device_mesh("cpu", (2,), mesh_dim_names=("y",))
elsewhere = DTensor.from_local(x, other, [Replicate()], run_check=False)
try:
    execute_with_dtensors(fd, [whole.detach(), elsewhere])
except AssertionError as error:
    assert "the names ('x',) of mesh dimensions, but those of input 1 are ('y',)" in str(error)
else:
    raise AssertionError("not refused")
dist.destroy_process_group()
"""


@pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch is built without torch.distributed"
)
def test_dtensors_of_two_processes(tmp_path: Path) -> None:
    processes = []
    for rank in range(2):
        place = {"RANK": str(rank), "WORLD_SIZE": "2"}
        local = {"LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": "2"}
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", PROCESS, str(tmp_path / "store")],
                env=NO_LAUNCHER | place | local | {"GLOO_SOCKET_IFNAME": "lo"},
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], "\n".join(errors)


def test_inputs_say_where_a_fusion_runs() -> None:
    with nvfuser.FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor([-1])))
    with pytest.raises(AssertionError, match="needs an input"):
        nvfuser.execute_with_dtensors(fd, [])
    assert nvfuser.execute_with_dtensors is multidevice.execute_with_dtensors


def test_the_example_of_the_guide(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guide.md").read_text(encoding="utf-8")
    chapter = guide.partition("\n## Several devices\n")[2]
    script = tmp_path / "tensor_parallel_layer.py"
    script.write_text(chapter.partition("```py\n")[2].partition("```")[0])
    results = run_together([sys.executable, str(script)], 2, tmp_path, 120)
    assert [status for status, _ in results] == [0, 0], results
    assert "Sharding(DeviceMesh{0 1}, [-, -])" in results[0][1]
