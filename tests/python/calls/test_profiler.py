"""Profiles of runs: what is measured, and what it says of the kernels."""

from __future__ import annotations

import interface
import pytest
import torch

import nvfuser
from nvfuser import FusionDefinition, PythonProfiler

MIB = 1 << 20


def add_and_sums() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1, -1], contiguity=True)
        y = fd.define_tensor(shape=[-1, -1, -1], contiguity=True)
        fd.add_output(fd.ops.sum(fd.ops.sum(fd.ops.add(x, y), [-1]), [-1]))
    return fd


def linear_and_add() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        weight = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.add(fd.ops.linear(x, weight), x))
    return fd


def pointwise() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.mul(x, x))
    return fd


def check_kernel(kernel: nvfuser.KernelProfile, number: int) -> None:
    assert kernel.name
    assert kernel.name in repr(kernel)
    assert kernel.segment_id == number
    assert kernel.device == 0
    assert kernel.time_ms > 0
    traffic = kernel.input_bytes + kernel.output_bytes
    assert kernel.effective_bandwidth_gbs == pytest.approx(traffic / kernel.time_ms * 1e-6)


def check_whole(profile: nvfuser.FusionProfile) -> None:
    kernels = profile.kernel_profiles
    assert profile.segments == len(kernels)
    for number, kernel in enumerate(kernels):
        check_kernel(kernel, number)
    assert profile.kernel_time_ms == pytest.approx(sum(k.time_ms for k in kernels))
    assert profile.compile_time_ms == pytest.approx(sum(k.compile_time_ms for k in kernels))
    assert profile.kernel_time_ms <= profile.cuda_evt_time_ms * 1.001
    assert profile.percentage_peak_bandwith == profile.percentage_peak_bandwidth
    traffic = profile.input_bytes + profile.output_bytes
    assert profile.effective_bandwidth_gbs == pytest.approx(traffic / profile.kernel_time_ms * 1e-6)
    # On the CPU, and the emulated device, the call ends after the kernels.
    assert profile.cuda_evt_time_ms > 0
    assert profile.host_time_ms > 0


def test_two_reductions_are_two_segments(device: str) -> None:
    fd = add_and_sums()
    inputs = [torch.randn(8, 16, 32, device=device) for _ in range(2)]
    with PythonProfiler() as profiler:
        (out,) = fd.execute(inputs)
    torch.testing.assert_close(out, (inputs[0] + inputs[1]).sum(-1).sum(-1), rtol=1e-4, atol=1e-3)
    profile = profiler.profile
    check_whole(profile)
    assert profile.segments == 2
    assert len({kernel.name for kernel in profile.kernel_profiles}) == 2
    assert profile.input_bytes == 2 * 8 * 16 * 32 * 4
    assert profile.output_bytes == 8 * 4
    first, second = profile.kernel_profiles
    assert second.correlation_id == first.correlation_id + 1
    assert first.input_bytes == profile.input_bytes
    assert first.output_bytes == second.input_bytes == 8 * 16 * 4
    assert second.output_bytes == profile.output_bytes


def test_library_calls_are_segments(device: str, backend: str) -> None:
    fd = linear_and_add()
    inputs = [torch.randn(16, 16, device=device) for _ in range(2)]
    with PythonProfiler() as profiler:
        (out,) = fd.execute(inputs)
    x, weight = inputs
    torch.testing.assert_close(out, torch.nn.functional.linear(x, weight) + x)
    check_whole(profiler.profile)
    call, kernel = profiler.profile.kernel_profiles
    assert (call.name, call.scheduler, call.grid_str) == ("linear", "expr_eval", "")
    assert kernel.scheduler == "pointwise"
    assert kernel.grid_str.startswith("[")
    assert (kernel.registers > 0) == (backend == "cuda")
    assert (kernel.percentage_peak_bandwidth > 0) == (backend == "cuda")


def test_compile_time_is_that_of_the_run_that_compiles(device: str) -> None:
    fd = pointwise()
    x = torch.randn(1000, device=device)
    with PythonProfiler() as profiler:
        fd.execute([x])
        first = profiler.profile
        fd.execute([x])
    assert 0 < first.compile_time_ms < first.host_time_ms
    assert profiler.profile.compile_time_ms == 0
    assert profiler.profile.kernel_profiles[0].name == first.kernel_profiles[0].name


def test_time_grows_with_the_work(device: str) -> None:
    fd = pointwise()
    times = []
    for elements in (1024, 4 * MIB if device == "cpu" else 64 * MIB):
        x = torch.ones(elements, device=device)
        fd.execute([x])
        with PythonProfiler() as profiler:
            fd.execute([x])
        assert profiler.profile.input_bytes == profiler.profile.output_bytes == 4 * elements
        times.append(profiler.profile.kernel_time_ms)
    assert times[1] > 2 * times[0]


def test_schedule_by_hand_is_one_segment_of_the_user(device: str) -> None:
    fd = pointwise()
    x = torch.randn(64, device=device)
    with PythonProfiler(auto_scheduled=False) as profiler:
        (out,) = fd.manual_execute([x])
    torch.testing.assert_close(out, x * x)
    assert profiler.profile.segments == 1
    assert profiler.profile.kernel_profiles[0].scheduler == "user"


def test_updates_and_given_outputs(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.add(x, x), x)
    tensor = torch.ones(256, device=device)
    with PythonProfiler() as profiler:
        fd.execute([tensor])
    torch.testing.assert_close(tensor, torch.full_like(tensor, 2))
    assert profiler.profile.input_bytes == profiler.profile.output_bytes == 1024

    squares = pointwise()
    # Less aligned than what torch makes.
    out = torch.zeros(257, device=device)[1:]
    with PythonProfiler():
        (result,) = squares.execute([tensor], outputs=[out])
    assert result is out
    torch.testing.assert_close(out, torch.full_like(out, 4))


def test_bound_plans_and_no_kernels(device: str) -> None:
    fd = pointwise()
    x = torch.randn(64, device=device)
    plan = fd.bind([x])
    with PythonProfiler() as profiler:
        plan(x)
        assert profiler.profile.segments == 1
        plan(x[:0])
    assert profiler.profile.segments == 0
    assert profiler.profile.kernel_time_ms == profiler.profile.effective_bandwidth_gbs == 0


def test_random_numbers_are_those_without_a_profiler(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.add(fd.ops.rand_like(x), x))
    x = torch.zeros(64, device=device)
    torch.manual_seed(1)
    (expected,) = fd.execute([x])
    torch.manual_seed(1)
    with PythonProfiler():
        (out,) = fd.execute([x])
    torch.testing.assert_close(out, expected, rtol=0, atol=0)


def test_only_what_runs_within_is_profiled(device: str) -> None:
    fd = pointwise()
    x = torch.randn(64, device=device)
    nvfuser.reset_profiler()
    fd.execute([x])
    with pytest.raises(RuntimeError, match="No fusion was profiled"):
        nvfuser.get_fusion_profile()
    with PythonProfiler() as empty:
        pass
    with pytest.raises(RuntimeError, match="No fusion was profiled"):
        _ = empty.profile
    with PythonProfiler() as outer:
        with PythonProfiler() as inner:
            fd.execute([x])
        fd.execute([x])
        with pytest.raises(RuntimeError, match="active already"):
            outer.__enter__()
    fd.execute([x])
    (inside,), (last,) = (p.profile.kernel_profiles for p in (inner, outer))
    assert last.correlation_id == inside.correlation_id + 1
    assert nvfuser.get_fusion_profile().kernel_profiles[0].correlation_id == last.correlation_id
    nvfuser.reset_profiler()
    with pytest.raises(RuntimeError, match="No fusion was profiled"):
        nvfuser.get_fusion_profile()
    assert outer.profile.segments == 1


def test_profiles_have_the_properties_of_the_interface() -> None:
    for name in ("FusionProfile", "KernelProfile"):
        for attribute in interface.PROPERTIES[name].split():
            assert isinstance(getattr(getattr(nvfuser, name), attribute), property), attribute
    fd = pointwise()
    with PythonProfiler() as profiler:
        fd.execute([torch.ones(4)])
    for attribute in interface.PROPERTIES["FusionProfile"].split():
        with pytest.raises(AttributeError):
            setattr(profiler.profile, attribute, 0)
    text = repr(profiler.profile)
    assert "segments=1" in text
    assert repr(profiler.profile.kernel_profiles[0]) in text
