"""Outputs that are inputs, in-place updates, duplicated outputs, unused inputs, `outputs=`."""

from __future__ import annotations

import pytest
import torch
from fusion_testing import assert_matches, declare, define, make_tensor, run, widen

from nvfuser import DataType, FusionDefinition


def test_output_that_is_an_input(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    same, changed = run(lambda fd, t: [t, fd.ops.neg(t)], [x])
    assert same.data_ptr() == x.data_ptr()
    assert torch.equal(same, x)
    assert torch.equal(changed, -x)


def test_only_output_is_an_input(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)[:, ::2]
    (same,) = run(lambda fd, t: [t], [x])
    assert same.data_ptr() == x.data_ptr()
    assert same.stride() == x.stride()


def test_host_scalar_returned_as_it_is(device: str) -> None:
    scalar = torch.tensor(2.5)
    with FusionDefinition() as fd:
        s = fd.define_tensor(shape=[], contiguity=[], dtype=DataType.Float, is_cpu=True)
        fd.add_output(s)
    (same,) = fd.execute([scalar])
    assert same.device.type == "cpu"
    assert same.data_ptr() == scalar.data_ptr()


def test_duplicated_output(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)

    def body(fd, t):
        y = fd.ops.neg(t)
        return [y, fd.ops.exp(t), y]

    first, middle, last = run(body, [x])
    assert torch.equal(first, -x)
    assert torch.equal(last, -x)
    assert_matches(middle, widen(x).exp(), torch.float32)


def test_duplicated_input_as_output(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    outputs = run(lambda fd, t: [t, t], [x])
    assert [output.data_ptr() for output in outputs] == [x.data_ptr()] * 2


def test_unused_inputs(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    unused = make_tensor((7,), torch.int64, device)
    fd = define(lambda fd, a, b, s: fd.ops.neg(a), [x, unused, 2.5])
    (output,) = fd.execute([x, unused, 2.5])
    assert torch.equal(output, -x)
    with pytest.raises(RuntimeError):
        fd.execute([x, unused.float(), 2.5])


def test_intermediate_that_is_also_an_output(device: str) -> None:
    x = make_tensor((3, 5), torch.float64, device)

    def body(fd, t):
        y = fd.ops.exp(t)
        z = fd.ops.sum(y, 1)
        return [z, y, fd.ops.sub(y, fd.ops.broadcast(z, [False, True]))]

    z, y, difference = run(body, [x])
    assert_matches(y, x.exp(), torch.float64)
    assert_matches(z, x.exp().sum(1), torch.float64, rtol=1e-12)
    assert_matches(difference, x.exp() - x.exp().sum(1, keepdim=True), torch.float64, rtol=1e-11)


# ------------------------------------------------------------------ in-place updates


def in_place(inputs, body, static_sizes: bool = False) -> FusionDefinition:
    with FusionDefinition() as fd:
        body(fd, *[declare(fd, value, static_sizes) for value in inputs])
    return fd


def test_update_of_an_input_is_not_returned(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    expected = x + 1
    pointer = x.data_ptr()
    fd = in_place([x], lambda fd, t: fd.add_output(fd.ops.add(t, 1.0), t))
    assert fd.execute([x]) == []
    assert torch.equal(x, expected)
    assert x.data_ptr() == pointer
    fd.execute([x])
    assert torch.equal(x, expected + 1)


def test_update_by_keyword_beside_a_regular_output(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    before = x.clone()

    def body(fd, t):
        fd.add_output(output=fd.ops.add(t, 1.0), alias_input=t)
        fd.add_output(fd.ops.mul(t, 2.0))

    (output,) = in_place([x], body).execute([x])
    assert torch.equal(output, before * 2)
    assert torch.equal(x, before + 1)


def test_update_that_is_also_returned(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    expected = x + 1

    def body(fd, t):
        y = fd.ops.add(t, 1.0)
        fd.add_output(y, t)
        fd.add_output(y)

    (output,) = in_place([x], body).execute([x])
    assert torch.equal(output, expected)
    assert torch.equal(x, expected)
    assert output.data_ptr() == x.data_ptr()


def test_update_of_a_strided_input_follows_its_layout(device: str) -> None:
    base = make_tensor((6, 10), torch.float32, device)
    x = base[::2, 1::3]
    untouched = base.clone()
    expected = x * 2
    fd = in_place([x], lambda fd, t: fd.add_output(fd.ops.mul(t, 2.0), t))
    fd.execute([x])
    assert torch.equal(x, expected)
    untouched[::2, 1::3] = expected
    assert torch.equal(base, untouched)


def test_update_of_one_input_with_another(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    y = make_tensor((3, 5), torch.float32, device, seed=1)
    kept = y.clone()
    fd = in_place([x, y], lambda fd, t, u: fd.add_output(u, t))
    assert fd.execute([x, y]) == []
    assert torch.equal(x, kept)
    assert torch.equal(y, kept)
    assert x.data_ptr() != y.data_ptr()


def test_swap_of_two_inputs(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    y = make_tensor((3, 5), torch.float32, device, seed=1)
    old_x, old_y = x.clone(), y.clone()

    def body(fd, t, u):
        fd.add_output(fd.ops.add(u, 1.0), t)
        fd.add_output(fd.ops.add(t, 1.0), u)

    in_place([x, y], body).execute([x, y])
    assert torch.equal(x, old_y + 1)
    assert torch.equal(y, old_x + 1)


def test_update_with_a_permuted_read_of_the_same_input(device: str) -> None:
    # What is written may still have to be read elsewhere.
    x = make_tensor((40, 40), torch.float32, device)
    expected = x.T + x
    fd = in_place([x], lambda fd, t: fd.add_output(fd.ops.add(fd.ops.permute(t, [1, 0]), t), t))
    fd.execute([x])
    assert torch.equal(x, expected)


def test_update_from_a_reduction_of_the_same_input(device: str) -> None:
    x = make_tensor((33, 65), torch.float64, device)
    expected = x - x.sum(0, keepdim=True)

    def body(fd, t):
        total = fd.ops.broadcast(fd.ops.sum(t, 0), [True, False])
        fd.add_output(fd.ops.sub(t, total), t)

    in_place([x], body).execute([x])
    assert_matches(x, expected, torch.float64, rtol=1e-11, atol=1e-11)


def test_running_statistics(device: str) -> None:
    x = make_tensor((50, 9), torch.float64, device)
    running = torch.zeros(9, dtype=torch.float64, device=device)

    def body(fd, t, r):
        mean = fd.ops.div(fd.ops.sum(t, 0), fd.ops.size(t, 0))
        fd.add_output(fd.ops.add(fd.ops.mul(r, 0.9), fd.ops.mul(mean, 0.1)), r)
        fd.add_output(fd.ops.sub(t, fd.ops.broadcast(mean, [True, False])))

    (output,) = in_place([x, running], body).execute([x, running])
    assert_matches(output, x - x.mean(0), torch.float64, rtol=1e-11, atol=1e-12)
    assert_matches(running, x.mean(0) * 0.1, torch.float64, rtol=1e-11, atol=1e-12)


def test_running_statistics_of_strided_memory(device: str) -> None:
    # Written where they are, although another kernel's loops compute them.
    x = make_tensor((50, 9), torch.float64, device)
    base = torch.ones(27, dtype=torch.float64, device=device)
    running = base[1::3]

    def body(fd, t, r):
        mean = fd.ops.div(fd.ops.sum(t, 0), fd.ops.size(t, 0))
        fd.add_output(fd.ops.add(fd.ops.mul(r, 0.9), mean), r)

    in_place([x, running], body).execute([x, running])
    expected = torch.ones_like(base)
    expected[1::3] = 0.9 + x.mean(0)
    assert_matches(base, expected, torch.float64, rtol=1e-11, atol=1e-12)


def test_updated_input_that_is_read_after_a_reduction(device: str) -> None:
    x = make_tensor((33, 65), torch.float64, device)
    y = make_tensor((33, 65), torch.float64, device, seed=1)
    expected = x * 0.9 + y.sum(1, keepdim=True)
    updated = x * 0.9 + y

    def body(fd, t, u):
        scaled = fd.ops.mul(t, 0.9)
        fd.add_output(fd.ops.add(scaled, u), t)
        total = fd.ops.broadcast(fd.ops.sum(u, 1), [False, True])
        fd.add_output(fd.ops.add(scaled, total))

    (output,) = in_place([x, y], body).execute([x, y])
    assert_matches(output, expected, torch.float64, rtol=1e-11, atol=1e-11)
    assert_matches(x, updated, torch.float64, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.complex64])
def test_update_with_a_view_of_another_input(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((7, 5), dtype, device)[:, ::2]
    y = make_tensor((3, 7), dtype, device, seed=1)
    kept = y.clone()

    def body(fd, t, u):
        turned = fd.ops.permute(u, [1, 0])
        fd.add_output(turned, t)
        fd.add_output(turned)

    (output,) = in_place([x, y], body).execute([x, y])
    assert output.data_ptr() == x.data_ptr()
    assert torch.equal(x, kept.T)
    assert torch.equal(y, kept)


def test_update_with_a_broadcast_value(device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    y = make_tensor((6,), torch.float32, device, seed=1)

    def body(fd, t, u):
        fd.add_output(fd.ops.broadcast_in_dim(u, [4, 6], [1]), t)

    in_place([x, y], body).execute([x, y])
    assert torch.equal(x, y.expand(4, 6))


def test_update_of_an_empty_input(device: str) -> None:
    x = make_tensor((0, 5), torch.float32, device)
    y = make_tensor((5, 0), torch.float32, device)
    fd = in_place([x, y], lambda fd, t, u: fd.add_output(fd.ops.permute(u, [1, 0]), t))
    assert fd.execute([x, y]) == []


def test_one_value_for_two_inputs(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    y = make_tensor((3, 5), torch.float32, device, seed=1)
    expected = x + y

    def body(fd, t, u):
        total = fd.ops.add(t, u)
        fd.add_output(total, t)
        fd.add_output(total, u)

    in_place([x, y], body).execute([x, y])
    assert torch.equal(x, expected)
    assert torch.equal(y, expected)


def test_update_of_an_expanded_input_is_an_error(device: str) -> None:
    x = make_tensor((1, 5), torch.float32, device)
    kept = x.clone()
    fd = in_place([x.expand(3, 5)], lambda fd, t: fd.add_output(fd.ops.mul(t, 2.0), t))
    with pytest.raises(RuntimeError, match="dimension 0 of size 3 is expanded"):
        fd.execute([x.expand(3, 5)])
    assert torch.equal(x, kept)
    fd.execute([x])
    assert torch.equal(x, kept * 2)


def test_update_of_an_input_that_is_another_one_too(device: str) -> None:
    x = make_tensor((4, 4), torch.float32, device)
    expected = x + x
    fd = in_place([x, x], lambda fd, t, u: fd.add_output(fd.ops.add(t, u), t))
    fd.execute([x, x])
    assert torch.equal(x, expected)


@pytest.mark.parametrize(
    "body",
    [
        lambda fd, t, u: fd.add_output(fd.ops.add(t, fd.ops.permute(u, [1, 0])), t),
        lambda fd, t, u: [fd.add_output(fd.ops.neg(t), t), fd.add_output(fd.ops.matmul(u, u))],
        lambda fd, t, u: [fd.add_output(fd.ops.neg(t), t), fd.add_output(fd.ops.exp(u), u)],
    ],
    ids=["read elsewhere", "read later", "updated otherwise"],
)
def test_update_of_memory_that_another_input_needs_is_an_error(body, device: str) -> None:
    x = make_tensor((4, 4), torch.float32, device)
    kept = x.clone()
    fd = in_place([x, x], body)
    fd.execute([x.clone(), x])
    x.copy_(kept)
    with pytest.raises(RuntimeError, match="updated in place, but shares memory with input"):
        fd.execute([x, x])
    assert torch.equal(x, kept)


@pytest.mark.parametrize(
    "views",
    [
        lambda t: [t.select(2, i).transpose(1, 2) for i in range(3)],
        lambda t: t.chunk(3, -1),
        lambda t: [t[:, 1:3, :, 2:4, :2], t[:, 1:3, :, 2:4, 2:], t[:, 3:, :, 2:4, 1:3]],
    ],
    ids=["query, key and value", "columns", "blocks"],
)
def test_update_of_inputs_in_the_gaps_of_others(views, device: str) -> None:
    x, y, z = views(make_tensor((2, 5, 3, 4, 6), torch.float32, device))
    expected = [x * 2, y + z.sum(), z.clone()]

    def body(fd, t, u, v):
        fd.add_output(fd.ops.mul(t, 2.0), t)
        fd.add_output(fd.ops.add(u, fd.ops.sum(v)), u)

    in_place([x, y, z], body).execute([x, y, z])
    for tensor, reference in zip((x, y, z), expected, strict=True):
        torch.testing.assert_close(tensor, reference, rtol=1e-5, atol=1e-4)


def test_update_of_an_input_that_overlaps_another(device: str) -> None:
    storage = make_tensor((8, 4), torch.float32, device)
    kept = storage.clone()
    fd = in_place([storage, storage], lambda fd, t, u: fd.add_output(fd.ops.add(t, u), t))
    with pytest.raises(RuntimeError, match="updated in place, but shares memory with input 1"):
        fd.execute([storage[:-1], storage[1:]])
    assert torch.equal(storage, kept)
    fd.execute([storage[:4], storage[4:]])
    assert torch.equal(storage[:4], kept[:4] + kept[4:])


def test_many_updates_are_compared_with_all_inputs(device: str) -> None:
    storage = make_tensor((41, 4), torch.float32, device)
    rows = [storage[k] for k in range(40)]
    kept = storage.clone()

    def body(fd, *values):
        for value in values[:-1]:
            fd.add_output(fd.ops.add(value, fd.ops.sum(values[-1])), value)

    fd = in_place(rows, body)
    fd.execute(rows)
    expected = kept.clone()
    expected[:39] += kept[39].sum()
    torch.testing.assert_close(storage, expected, rtol=1e-5, atol=1e-4)
    storage.copy_(kept)
    for place, shifted in ((39, storage.view(-1)[2:6]), (20, storage.view(-1)[122:126])):
        with pytest.raises(RuntimeError, match="updated in place, but shares memory with input"):
            fd.execute([*rows[:place], shifted, *rows[place + 1 :]])
        assert torch.equal(storage, kept)


def test_alias_of_something_that_is_no_input_is_an_error() -> None:
    def body(fd, t):
        y = fd.ops.neg(t)
        fd.add_output(fd.ops.neg(y), y)

    with pytest.raises(RuntimeError, match="alias source can only be a fusion input"):
        in_place([torch.ones(3)], body)


# -------------------------------------------------------------------------- outputs=


def test_outputs_are_written_into_given_tensors(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.neg(t), fd.ops.sum(t, 1)], [x])
    given = [torch.empty(3, 5, device=device), torch.empty(3, device=device)]
    for _ in range(3):
        outputs = fd.execute([x], outputs=given)
        assert [output.data_ptr() for output in outputs] == [t.data_ptr() for t in given]
        assert torch.equal(given[0], -x)
        assert_matches(given[1], widen(x).sum(1), torch.float32)
        given[0].fill_(7)


def test_output_may_be_the_input_where_each_element_is_read_first(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    expected = (x + 1).relu()
    fd = define(lambda fd, t: fd.ops.relu(fd.ops.add(t, 1.0)), [x])
    fd.execute([x], outputs=[x])
    assert torch.equal(x, expected)


def test_none_among_the_given_tensors_stands_for_a_new_one(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.neg(t), fd.ops.sum(t, 1)], [x])
    given = torch.empty(3, device=device)
    outputs = fd.execute([x], outputs=[None, given])
    assert torch.equal(outputs[0], -x)
    assert outputs[1].data_ptr() == given.data_ptr()
    assert_matches(given, widen(x).sum(1), torch.float32)


@pytest.mark.parametrize(
    "make",
    [
        lambda device: [],
        lambda device: [torch.empty(3, 5, device=device)] * 2,
        lambda device: [torch.empty(5, 3, device=device)],
        lambda device: [torch.empty(3, 5, 1, device=device)],
        lambda device: [torch.empty(3, 5, device=device, dtype=torch.float64)],
        lambda device: [torch.empty(3, 5, device="meta")],
        lambda device: [2.5],
        lambda device: torch.empty(3, 5, device=device),
    ],
    ids=["too few", "too many", "shape", "rank", "dtype", "device", "number", "no list"],
)
def test_outputs_that_do_not_fit_are_errors(make, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.neg(t), [x])
    plan = fd.bind([x])
    with pytest.raises((RuntimeError, TypeError)):
        fd.execute([x], outputs=make(device))
    with pytest.raises((RuntimeError, TypeError)):
        plan(x, outputs=make(device))
    (output,) = fd.execute([x])
    assert torch.equal(output, -x)


def test_outputs_that_overlap_an_input_are_errors(device: str) -> None:
    storage = make_tensor((20,), torch.float32, device)
    x, shifted = storage[:10], storage[1:11]
    fd = define(lambda fd, t: fd.ops.neg(t), [x])
    with pytest.raises(RuntimeError):
        fd.execute([x], outputs=[shifted])


def test_output_that_is_the_input_of_a_permuting_fusion_is_an_error(device: str) -> None:
    x = make_tensor((6, 6), torch.float32, device)
    kept = x.clone()
    fd = define(lambda fd, t: fd.ops.add(fd.ops.permute(t, [1, 0]), t), [x])
    with pytest.raises(RuntimeError):
        fd.execute([x], outputs=[x])
    assert torch.equal(x, kept)


def test_outputs_that_overlap_each_other_are_errors(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.neg(t), fd.ops.exp(t)], [x])
    given = torch.empty(3, 5, device=device)
    with pytest.raises(RuntimeError):
        fd.execute([x], outputs=[given, given])
