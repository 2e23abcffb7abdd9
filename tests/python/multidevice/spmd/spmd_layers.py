"""Layers of transformers in tensor, sequence and expert parallel, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from helpers import annotate, check, compare, meshes, random_tensors, sent_by

from nvfuser import _C, DataType, FusionDefinition, ParallelType
from nvfuser.multidevice import DeviceMesh, shard_tensor

TOLERANCES = {"rtol": 1e-4, "atol": 1e-4}


def mlp(fd: FusionDefinition, t: list[Any]) -> Any:
    x, up, down = t
    return fd.ops.linear(fd.ops.gelu(fd.ops.linear(x, up)), down)


@pytest.mark.parametrize(
    ("x", "out", "sent"),
    [
        ("-", None, {"all_reduce": 1}),
        ("-", "-", {"all_reduce": 1}),
        # Sequence parallel.
        ("1", "1", {"all_gather": 1, "reduce_scatter": 1}),
        ("1", None, {"all_gather": 1, "all_reduce": 1}),
        ("-", "2", {"reduce_scatter": 1}),
    ],
)
def test_mlp(x: str, out: str | None, sent: dict[str, int], device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = random_tensors(device, (2, 8, 16), (32, 16), (16, 32))
    fd = check(mlp, tensors, mesh, [x, "0", "1"], [out], **TOLERANCES)
    assert sent_by(fd) == sent


def test_linear(device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = random_tensors(device, (3, 8, 16), (24, 16), (24,))

    def linear(fd: FusionDefinition, t: list[Any]) -> Any:
        return fd.ops.linear(*t)

    columns = check(linear, tensors, mesh, ["-", "0", "0"], [None], **TOLERANCES)
    assert sent_by(columns) == {}
    assert columns.get_output_shardings()[0].axis_sharded_on(ParallelType.mesh_x) == 2
    rows = check(linear, tensors[:2], mesh, ["2", "1"], ["-"], **TOLERANCES)
    assert sent_by(rows) == {"all_reduce": 1}
    # The bias of a row-parallel one is added once.
    check(linear, tensors, mesh, ["2", "1", "-"], ["-"], **TOLERANCES)
    check(linear, tensors, mesh, ["1", "0i", "0"], ["0"] if mesh.size == 3 else ["-"], **TOLERANCES)


def mlp_backward(fd: FusionDefinition, t: list[Any]) -> list[Any]:
    x, up, down, grad = t
    h = fd.ops.linear(x, up)
    a = fd.ops.tanh(h)
    grad_a = fd.ops.matmul(grad, down)
    grad_h = fd.ops.mul(grad_a, fd.ops.sub(1.0, fd.ops.mul(a, a)))

    def weight(left: Any, right: Any) -> Any:
        return fd.ops.matmul(fd.ops.permute(left, [1, 0]), right)

    return [fd.ops.matmul(grad_h, up), weight(grad_h, x), weight(grad, a)]


def test_mlp_backward(device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = random_tensors(device, (8, 16), (32, 16), (16, 32), (8, 16))
    specs = ["-", "0", "1", "-"]
    fd = check(mlp_backward, tensors, mesh, specs, ["-", "0", "1"], **TOLERANCES)
    assert sent_by(fd) == {"all_reduce": 1}
    fd = check(mlp_backward, tensors, mesh, ["0", "0", "1", "0"], ["0", "0", "1"], **TOLERANCES)
    assert sent_by(fd) == {"all_gather": 2, "reduce_scatter": 1}
    # Data parallel, with gradients of the weights in parts.
    fd = check(mlp_backward, tensors, mesh, ["0", "-", "-", "0"], ["0", "0", "0"], **TOLERANCES)
    assert sent_by(fd) == {"reduce_scatter": 2}


def heads(fd: FusionDefinition, x: Any, count: int) -> Any:
    batch, sequence, width = x.shape()
    split = fd.ops.reshape(x, [batch, sequence, count, int(str(width)) // count])
    return fd.ops.permute(split, [0, 2, 1, 3])


def joined(fd: FusionDefinition, x: Any, width: int) -> Any:
    batch, _, sequence, _ = x.shape()
    return fd.ops.reshape(fd.ops.permute(x, [0, 2, 1, 3]), [batch, sequence, width])


def attention(fd: FusionDefinition, t: list[Any]) -> Any:
    x, query, key, value, out = t
    q, k, v = (heads(fd, fd.ops.linear(x, weight), 4) for weight in (query, key, value))
    scores = fd.ops.matmul(q, fd.ops.permute(k, [0, 1, 3, 2]))
    weights = fd.ops.exp(fd.ops.sub(scores, fd.ops.max(scores, [3], keepdim=True)))
    weights = fd.ops.div(weights, fd.ops.sum(weights, [3], keepdim=True))
    return fd.ops.linear(joined(fd, fd.ops.matmul(weights, v), 16), out)


def test_attention_by_heads(device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = random_tensors(device, (2, 8, 16), (16, 16), (16, 16), (16, 16), (16, 16))
    fd = check(attention, tensors, mesh, ["-", "0", "0", "0", "1"], ["-"], **TOLERANCES)
    assert sent_by(fd) == {"all_reduce": 1}
    fd = check(attention, tensors, mesh, ["1", "0", "0", "0", "1"], ["1"], **TOLERANCES)
    assert sent_by(fd) == {"all_gather": 1, "reduce_scatter": 1}


def fused_attention(fd: FusionDefinition, t: list[Any]) -> list[Any]:
    q, k, v, grad = t
    out, lse, seed, offset = fd.ops.sdpfa_fwd(q, k, v, dropout_p=0.0, is_causal=True)
    grads = fd.ops.sdpfa_bwd(grad, q, k, v, out, lse, 0.0, True, seed, offset, None)
    return [out, *grads]


@pytest.mark.parametrize("spec", ["0", "1"])
def test_fused_attention(spec: str, device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = [x.bfloat16() for x in random_tensors(device, *[(4, 4, 16, 8)] * 4)]
    fd = check(fused_attention, tensors, mesh, [spec] * 4, [], rtol=2e-2, atol=2e-2)
    assert sent_by(fd) == {}


def layer(fd: FusionDefinition, t: list[Any]) -> list[Any]:
    """A transformer's layer, and its gradients with respect to the input and all weights."""
    x, norm, up, down, grad = t

    def mean(y: Any) -> Any:
        return fd.ops.mean(y, [2], keepdim=True)

    def rows(y: Any) -> Any:
        return fd.ops.reshape(y, [int(str(y.shape()[0])) * int(str(y.shape()[1])), y.shape()[2]])

    def weight(left: Any, right: Any) -> Any:
        return fd.ops.matmul(fd.ops.permute(rows(left), [1, 0]), rows(right))

    scale = fd.ops.rsqrt(fd.ops.add(mean(fd.ops.mul(x, x)), 1e-6))
    normal = fd.ops.mul(x, scale)
    scaled = fd.ops.mul(normal, norm)
    h = fd.ops.linear(scaled, up)
    a = fd.ops.tanh(h)
    out = fd.ops.add(x, fd.ops.linear(a, down))

    grad_h = fd.ops.mul(fd.ops.matmul(grad, down), fd.ops.sub(1.0, fd.ops.mul(a, a)))
    grad_scaled = fd.ops.matmul(grad_h, up)
    grad_normal = fd.ops.mul(grad_scaled, norm)
    inner = mean(fd.ops.mul(grad_normal, normal))
    grad_x = fd.ops.mul(fd.ops.sub(grad_normal, fd.ops.mul(normal, inner)), scale)
    return [
        out,
        fd.ops.add(grad, grad_x),
        fd.ops.sum(fd.ops.mul(grad_scaled, normal), [0, 1]),
        weight(grad_h, scaled),
        weight(grad, a),
    ]


def layer_tensors(device: torch.device) -> list[torch.Tensor]:
    return random_tensors(device, (2, 8, 16), (16,), (32, 16), (16, 32), (2, 8, 16))


def test_layer_in_tensor_parallel(device: torch.device) -> None:
    mesh = meshes()[0]
    specs = ["-", "-", "0", "1", "-"]
    outs = ["-", "-", "-", "0", "1"]
    fd = check(layer, layer_tensors(device), mesh, specs, outs, **TOLERANCES)
    assert sent_by(fd) == {"all_reduce": 2}


def test_layer_in_sequence_parallel(device: torch.device) -> None:
    mesh = meshes()[0]
    specs = ["1", "-", "0", "1", "1"]
    outs = ["1", "1", "-", "0", "1"]
    fd = check(layer, layer_tensors(device), mesh, specs, outs, **TOLERANCES)
    assert sent_by(fd) == {"all_gather": 2, "reduce_scatter": 2, "all_reduce": 1}


def test_layer_on_a_mesh_of_two_dimensions(size: int, device: torch.device) -> None:
    """Data parallel along the first dimension, tensor parallel along the second one."""
    mesh = DeviceMesh(torch.arange(size).view(2, -1))
    specs = ["0 -", "- -", "- 0", "- 1", "0 -"]
    outs = ["0 -", "0 -", "- -", "- 0", "- 1"]
    fd = check(layer, layer_tensors(device), mesh, specs, outs, **TOLERANCES)
    assert set(sent_by(fd)) == {"all_reduce"}


def test_dtype_of_parts(device: torch.device) -> None:
    """What is sent has the dtype of the product, not the one of what is computed of it."""
    mesh = meshes()[0]
    x, w = (t.bfloat16() for t in random_tensors(device, (8, 16), (12, 16)))

    def product(fd: FusionDefinition, t: list[Any]) -> Any:
        y = fd.ops.linear(*t)
        return fd.ops.cast(fd.ops.relu(fd.ops.cast(y, DataType.Float)), DataType.BFloat16)

    fd = check(product, [x, w], mesh, ["1", "1"], rtol=2e-2, atol=2e-2)
    assert sent_by(fd) == {"all_reduce": 1}


@pytest.mark.parametrize("is_narrow_first", [False, True])
def test_what_is_gathered_for_several(
    is_narrow_first: bool, size: int, device: torch.device
) -> None:
    """Rows that a product with a large weight gathers are there for one with a small one, too."""
    mesh = meshes()[0]
    tensors = random_tensors(device, (64 * size, 16), (16, 16), (256, 16))

    def both(fd: FusionDefinition, t: list[Any]) -> list[Any]:
        weights = t[1:] if is_narrow_first else t[:0:-1]
        return [fd.ops.linear(t[0], weight) for weight in weights]

    fd = check(both, tensors, mesh, ["0", "0", "0"], [None, None], **TOLERANCES)
    assert sent_by(fd) == {"all_gather": 1}
    dims = [sharding.axis_sharded_on(ParallelType.mesh_x) for sharding in fd.get_output_shardings()]
    assert dims == [1, 1]


def stream(tv: Any, parts: int) -> Any:
    """Let a product be computed for so many parts of its rows, one after the other."""
    tv.outer_split(0, parts)
    tv.axis(0).parallelize(ParallelType.stream)
    return tv


@pytest.mark.parametrize("is_linear", [False, True])
def test_products_in_steps(is_linear: bool, size: int, device: torch.device) -> None:
    """Rows of each device at a time: gathered before the product, or its sums scattered."""
    mesh = meshes()[0]
    tensors = random_tensors(device, (4 * size, 16), (32, 16), (16, 32))

    def product(fd: FusionDefinition, x: Any, weight: Any) -> Any:
        if is_linear:
            return fd.ops.linear(x, weight)
        return fd.ops.matmul(x, fd.ops.permute(weight, [1, 0]))

    def gathered(fd: FusionDefinition, t: list[Any]) -> Any:
        return product(fd, fd.ops.gelu(stream(product(fd, t[0], t[1]), size)), t[2])

    fd = check(gathered, tensors, mesh, ["0", "0", "1"], ["0"], **TOLERANCES)
    assert sent_by(fd) == {"broadcast_from": size - 1, "reduce_scatter": 1}

    def scattered(fd: FusionDefinition, t: list[Any]) -> Any:
        return fd.ops.relu(stream(product(fd, fd.ops.gelu(product(fd, t[0], t[1])), t[2]), size))

    fd = check(scattered, tensors, mesh, ["-", "0", "1"], ["0"], **TOLERANCES)
    assert sent_by(fd) == {"broadcast_from": size - 1}

    # What comes around the ring serves all products of it.
    def several(fd: FusionDefinition, t: list[Any]) -> Any:
        gate, up = (stream(product(fd, t[0], t[1]), size) for _ in range(2))
        return fd.ops.relu(stream(product(fd, fd.ops.mul(gate, up), t[2]), size))

    fd = check(several, tensors, mesh, ["0", "0", "1"], ["0"], **TOLERANCES)
    assert sent_by(fd) == {"broadcast_from": 2 * (size - 1)}


def test_products_in_steps_beside_another_mesh(size: int, device: torch.device) -> None:
    """Who has an operand sends it, whether or not it takes part in the product."""
    others = DeviceMesh(range(1, size)) if size > 2 else DeviceMesh(range(size))
    x, weight = random_tensors(device, (4 * others.size, 16), (32, 16))
    with FusionDefinition() as fd:
        tensors = [fd.from_pytorch(tensor, static_sizes=True) for tensor in (x, weight)]
        product = stream(fd.ops.linear(*tensors), others.size)
        fd.add_output(product)
        annotate(tensors[0], others, "0")
        annotate(tensors[1], DeviceMesh([0]), "-")
        product.set_device_mesh(others)
    mine = [shard_tensor(tensor, tv) for tensor, tv in zip((x, weight), tensors, strict=True)]
    got = fd.execute(mine)[0]
    if dist.get_rank() in others._ranks:
        compare(got, x @ weight.T, **TOLERANCES)


@pytest.mark.parametrize("spec", ["0", "1"])
def test_a_product_with_itself(spec: str, size: int, device: torch.device) -> None:
    """Both operands are the same tensor, but not divided alike."""
    mesh = meshes()[0]
    (x,) = random_tensors(device, (4 * size, 4 * size))
    for is_in_steps in (False, True):

        def square(fd: FusionDefinition, t: list[Any], is_in_steps: bool = is_in_steps) -> Any:
            result = fd.ops.matmul(t[0], t[0])
            return stream(result, size) if is_in_steps else result

        check(square, [x], mesh, [spec], [None], **TOLERANCES)


# A link and a device on which steps pay for hundreds of rows, and not for a few.
SLOW_LINK = {
    f"{kind}.{name}": value
    for kind in ("cpu", "gpu")
    for name, value in {
        "stepTeraoperations": 1e-3,
        "stepLinkGigabytes": 1e-2,
        "stepMemoryGigabytes": 10,
        "stepMicroseconds": 100,
    }.items()
}
FEW, MANY = 4, 400
# Of weights that are larger than what rows of unknown number are taken for.
FEATURES = 2048


@pytest.fixture
def slow_link() -> Iterator[None]:
    _C._override_tuning(SLOW_LINK)
    yield
    _C._override_tuning({})


Layer = Callable[[FusionDefinition, Any, Any, Any], Any]


def of_any_rows(layer: Layer, out: str, size: int) -> FusionDefinition:
    """Define a layer of two weights, of which the second one is divided by columns."""
    mesh = DeviceMesh(range(size))
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 16], contiguity=True)
        up = fd.define_tensor([FEATURES, 16], contiguity=True)
        down = fd.define_tensor([16, FEATURES], contiguity=True)
        y = layer(fd, x, up, down)
        fd.add_output(y)
        for tv, spec in ((x, "0"), (up, "0"), (down, "1"), (y, out)):
            annotate(tv, mesh, spec)
    return fd


def plain(fd: FusionDefinition, x: Any, up: Any, down: Any) -> Any:
    return fd.ops.linear(fd.ops.gelu(fd.ops.linear(x, up)), down)


def gated(fd: FusionDefinition, x: Any, up: Any, down: Any) -> Any:
    # Two products of what is gathered, and a residual behind the sum.
    both = fd.ops.mul(fd.ops.linear(x, up), fd.ops.tanh(fd.ops.linear(x, up)))
    return fd.ops.add(x, fd.ops.linear(both, down))


def run_rows(
    fd: FusionDefinition, layer: Layer, rows: int, size: int, device: torch.device, **options: Any
) -> dict[str, int]:
    """Compare with one process, for so many rows of each device; return what was sent."""
    tensors = random_tensors(device, (rows * size, 16), (FEATURES, 16), (16, FEATURES))
    with FusionDefinition() as whole:
        whole.add_output(layer(whole, *(whole.from_pytorch(x) for x in tensors)))
    (expected,) = whole.execute(tensors)
    rank = dist.get_rank()
    mine = [
        x.chunk(size, dim)[rank].contiguous() for x, dim in zip(tensors, (0, 0, 1), strict=True)
    ]
    for _ in range(2):
        (got,) = fd.execute(mine, **options)
        part = fd.get_output_shardings()[0].part_of(expected)
        compare(got, part, **TOLERANCES)
    return sent_by(fd)


AT_ONCE = {"all_gather": 1, "reduce_scatter": 1}


@pytest.mark.parametrize("layer", [plain, gated])
def test_steps_are_chosen_by_sizes(
    layer: Layer, slow_link: None, size: int, device: torch.device
) -> None:
    fd = of_any_rows(layer, "0", size)
    in_steps = {"broadcast_from": 2 * (size - 1)}
    assert run_rows(fd, layer, FEW, size, device) == AT_ONCE
    assert run_rows(fd, layer, MANY, size, device) == in_steps
    assert run_rows(fd, layer, FEW, size, device) == AT_ONCE
    # A user may say it.
    disabled = {"_disable_options": ["products_in_steps"]}
    assert run_rows(fd, layer, MANY, size, device, **disabled) == AT_ONCE
    enabled = {"_enable_options": ["products_in_steps"]}
    assert run_rows(fd, layer, FEW, size, device, **enabled) == in_steps


def test_no_steps_by_themselves_on_a_cpu(size: int, device: torch.device) -> None:
    if device.type == "cpu":
        assert run_rows(of_any_rows(plain, "0", size), plain, MANY, size, device) == AT_ONCE


@pytest.mark.parametrize("is_first", [False, True])
def test_what_is_gathered_anyway(
    is_first: bool, slow_link: None, size: int, device: torch.device
) -> None:
    """Something else than a product reads all rows, too: only the sums come in steps."""

    def both(fd: FusionDefinition, t: list[Any]) -> list[Any]:
        before = [fd.ops.relu(t[0])] if is_first else []
        y = plain(fd, *t)
        return [y, *(before or [fd.ops.relu(t[0])])]

    tensors = random_tensors(device, (MANY * size, 16), (FEATURES, 16), (16, FEATURES))
    fd = check(both, tensors, meshes()[0], ["0", "0", "1"], ["0", "-"], **TOLERANCES)
    assert sent_by(fd) == {"all_gather": 1, "broadcast_from": size - 1}


def test_a_sum_that_all_have(slow_link: None, size: int, device: torch.device) -> None:
    """An all-reduce leaves no rows to scatter."""
    fd = of_any_rows(plain, "-", size)
    sent = run_rows(fd, plain, MANY, size, device)
    assert sent == {"broadcast_from": size - 1, "all_reduce": 1}
