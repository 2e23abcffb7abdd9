"""What goes wrong on several devices is an error on every process that can still speak."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from processes import run_together

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch is built without torch.distributed"
)

PROCESS = """
import os, sys, time
from datetime import timedelta
import torch
import torch.distributed as dist
from nvfuser import FusionDefinition, ParallelType
from nvfuser.multidevice import DeviceMesh

rank = int(os.environ["RANK"])


def start(name, seconds=30):
    store = dist.FileStore(os.path.join(sys.argv[1], name), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2,
                            timeout=timedelta(seconds=seconds))


def gathering(shape, operation="neg", ranks=(0, 1)):
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape)
        y = getattr(fd.ops, operation)(x)
        fd.add_output(y)
        mesh = DeviceMesh(ranks)
        for tv in (x, y):
            tv.set_device_mesh(mesh)
        x.outer_split(0, len(ranks))
        x.axis(0).parallelize(ParallelType.mesh_x)
    return fd


def message_of(call):
    try:
        call()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("no error")


# Nobody has made a process group.
text = message_of(lambda: gathering([-1, 3]).execute([torch.ones(2, 3)]))
assert "init_process_group" in text, text

start("missing")
fd = gathering([-1, 3], ranks=(0, 1, 5))
text = message_of(lambda: fd.execute([torch.ones(2, 3)]))
assert "the ranks [0, 1, 5]" in text and "2 processes" in text, text
# The others still work.
(whole,) = gathering([-1, 3]).execute([torch.full((2, 3), float(rank))])
assert whole[:2].eq(0).all() and whole[2:].eq(-1).all(), whole

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
dist.set_debug_level_from_env()
text = message_of(lambda: gathering([-1, 3]).execute([torch.ones(2 + rank, 3)]))
assert "to do the same" in text and "rank 1: all_gather of shape [3, 3]" in text, text
fd = gathering([-1, 3], "neg" if rank == 0 else "abs")
text = message_of(lambda: fd.execute([torch.ones(2, 3)]))
assert "to do the same" in text, text
(whole,) = gathering([-1, 3]).execute([torch.full((2, 3), float(rank))])
assert whole[2:].eq(-1).all()
os.environ["TORCH_DISTRIBUTED_DEBUG"] = "OFF"
dist.set_debug_level_from_env()
dist.destroy_process_group()

# One does something else for longer than the limit.
start("late", seconds=2)
fd = gathering([-1, 3])
fd.execute([torch.ones(2, 3)])
if rank == 0:
    text = message_of(lambda: fd.execute([torch.ones(2, 3)]))
    assert "wait" in text or "all_gather" in text, text
else:
    time.sleep(4)
dist.destroy_process_group()

# One is gone.
start("gone")
fd = gathering([-1, 3])
fd.execute([torch.ones(2, 3)])
if rank == 1:
    os._exit(0)
text = message_of(lambda: fd.execute([torch.ones(2, 3)]))
assert "wait" in text or "all_gather" in text, text
os._exit(0)
"""


def test_every_process_hears_of_it(tmp_path: Path) -> None:
    script = tmp_path / "process.py"
    script.write_text(PROCESS)
    results = run_together([sys.executable, str(script), str(tmp_path)], 2, tmp_path, 100)
    assert [status for status, _ in results] == [0, 0], "\n".join(text for _, text in results)
