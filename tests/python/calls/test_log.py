"""What Python's logging says of compilations, and what profilers are shown."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from fusion_testing import define, make_tensor

from nvfuser import FusionDefinition
from nvfuser.log import logger

HERE = Path(__file__)


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))


@pytest.fixture
def level() -> Iterator[None]:
    yield
    logger.setLevel(logging.NOTSET)


def fusion(x: torch.Tensor, number: float) -> FusionDefinition:
    return define(lambda fd, t: fd.ops.relu(fd.ops.add(fd.ops.mul(t, number), 1.0)), [x])


def messages(caplog: pytest.LogCaptureFixture, severity: int = logging.INFO) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "nvfuser" and r.levelno >= severity]


def test_what_was_compiled(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40,), torch.float32, device)
    fd = fusion(x, 2.125)
    with caplog.at_level(logging.DEBUG, "nvfuser"):
        fd.execute([x])
        first = messages(caplog)
        caplog.clear()
        fd.execute([x])
        assert messages(caplog) == []
        # Of as many whole vectors, roughly: on CUDA other kernels serve other numbers.
        fd.execute([make_tensor((44,), torch.float32, device)])
    assert re.match(
        rf"fusion \d+, run at {re.escape(str(HERE))}:\d+: compiled 1 of 1 kern", first[0]
    )
    assert re.search(r" ms$", first[0])
    kernel = r"kernel nvfuser_pointwise_mul_add_relu_[0-9a-f]{8} \(pointwise\): [\d.]+ ms, by "
    assert re.search(kernel, first[1])
    # Other sizes: nothing is compiled.
    assert messages(caplog, logging.INFO) == []
    assert "made a plan for new sizes" in messages(caplog, logging.DEBUG)[0]


def test_records_are_of_the_line_that_runs(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40,), torch.float32, device)
    fd = fusion(x, 3.125)
    with caplog.at_level(logging.INFO, "nvfuser"):
        line = sys._getframe().f_lineno + 1
        fd.execute([x])
    assert {(record.pathname, record.lineno) for record in caplog.records} == {(str(HERE), line)}


def test_code_from_the_cache(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40,), torch.float32, device)
    fusion(x, 4.125).execute([x])
    with caplog.at_level(logging.INFO, "nvfuser"):
        fusion(x, 4.125).execute([x])
    assert messages(caplog)[1].endswith("the code of an equal kernel")


def test_why_a_fusion_is_cut(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40, 30), torch.float32, device)

    def body(fd, t):
        product = fd.ops.matmul(t, fd.ops.permute(t, [1, 0]))
        return fd.ops.add(fd.ops.segment_set(fd.ops.neg(product)), 1.0)

    with caplog.at_level(logging.INFO, "nvfuser"):
        define(body, [x]).execute([x])
    told = "\n".join(messages(caplog))
    assert "compiled 2 of 3 kernels" in told
    assert "and is apart from it: matmul is computed by a library" in told
    assert "and is apart from it: segment_set asks for it" in told


def test_why_reductions_are_apart(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40, 30), torch.float32, device)

    def body(fd, t):
        return fd.ops.sum(fd.ops.sum(t, [1]), [0]), fd.ops.max(t, [0])

    with caplog.at_level(logging.INFO, "nvfuser"):
        fd = define(body, [x])
        fd.execute([x])
    cuts = [text for text in messages(caplog) if "is apart from it" in text]
    kernels = [text for text in messages(caplog) if ": kernel " in text]
    assert len(cuts) >= 1
    assert len(kernels) >= 2


def test_nothing_is_logged_unless_asked(device: str, caplog: pytest.LogCaptureFixture) -> None:
    x = make_tensor((40,), torch.float32, device)
    with caplog.at_level(logging.WARNING, "nvfuser"):
        fusion(x, 5.125).execute([x])
    assert messages(caplog, logging.DEBUG) == []


def test_programs_without_logging_do_not_import_it() -> None:
    """Where nothing else does, as without torch, it would cost milliseconds."""
    program = (
        "import sys, numpy; before = 'logging' in sys.modules\n"
        "from nvfuser import FusionDefinition, DataType\n"
        "with FusionDefinition() as fd:\n"
        "    x = fd.define_tensor(shape=[-1], dtype=DataType.Float)\n"
        "    fd.add_output(fd.ops.add(x, x))\n"
        "fd.execute([numpy.ones(3, numpy.float32)])\n"
        "assert ('logging' in sys.modules) == before, 'logging was imported'\n"
        "assert 'nvfuser.log' not in sys.modules or before\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# ---------------------------------------------------------------- profilers


def events(profile: torch.profiler.profile) -> dict[str, int]:
    return {event.key: event.count for event in profile.key_averages()}


@pytest.mark.parametrize("size", [40, 300_000], ids=["small", "unlocked"])
def test_kernels_are_events_of_torchs_profiler(size: int, device: str) -> None:
    x = make_tensor((size,), torch.float32, device)
    fd = fusion(x, 6.125)
    plan = fd.bind([x])
    with torch.profiler.profile(acc_events=True) as profile:
        fd.execute([x])
        plan(x)
    (outputs,) = fd.execute([x])
    torch.testing.assert_close(outputs, torch.relu(x * 6.125 + 1))
    # On CUDA the device's own events are there, too, by the names of the functions.
    pattern = re.compile(r"nvfuser_pointwise_mul_add_relu_[0-9a-f]{8}")
    (name,) = filter(pattern.fullmatch, events(profile))
    assert events(profile)[name] == 2


def test_every_kernel_and_call_is_an_event(device: str) -> None:
    x = make_tensor((40, 30), torch.float32, device)

    def body(fd, t):
        product = fd.ops.matmul(t, fd.ops.permute(t, [1, 0]))
        return fd.ops.sum(fd.ops.neg(product), [1])

    fd = define(body, [x])
    (expected,) = fd.execute([x])
    with torch.profiler.profile(acc_events=True) as profile:
        (output,) = fd.execute([x])
    torch.testing.assert_close(output, expected)
    names = [key for key in events(profile) if key.startswith("nvfuser_")]
    assert "nvfuser_matmul" in names
    assert any(name.startswith("nvfuser_reduction_neg_sum_") for name in names)


def test_an_error_closes_its_event(device: str) -> None:
    x = make_tensor((4, 3), torch.float32, device)
    index = torch.tensor([7], device=device)
    fd = define(lambda fd, t, i: fd.ops.index_select(t, i, 0), [x, index])
    with torch.profiler.profile(acc_events=True) as profile:
        try:
            fd.execute([x, index])
        except RuntimeError:
            pass
        with torch.profiler.record_function("after"):
            pass
    by_name = {event.name: event for event in profile.events()}
    after = by_name["after"]
    # It is beside what failed, not in it.
    assert after.cpu_parent is None


NVTX = """
import torch
from nvfuser import FusionDefinition
ranges = []
torch.cuda.nvtx.range_push = ranges.append
torch.cuda.nvtx.range_pop = lambda: ranges.append("end")
with FusionDefinition() as fd:
    x = fd.from_pytorch(torch.ones(5))
    fd.add_output(fd.ops.neg(x))
fd.execute([torch.ones(5)])
print(ranges)
"""


@pytest.mark.parametrize(
    ("enabled", "disabled", "expected"),
    [
        ("nvtx", "", r"\['nvfuser_pointwise_neg_[0-9a-f]{8}', 'end'\]"),
        ("", "", r"\[\]"),
        ("nvtx", "nvtx", r"\[\]"),
    ],
)
def test_ranges_of_nvtx(
    enabled: str, disabled: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NVFUSER_ENABLE", enabled)
    monkeypatch.setenv("NVFUSER_DISABLE", disabled)
    result = subprocess.run(
        [sys.executable, "-c", NVTX], check=True, capture_output=True, text=True
    )
    assert re.fullmatch(expected, result.stdout.strip())
