"""Packed fp4: how declarations are unpacked, and values of all bytes in every layout."""

from __future__ import annotations

import pytest
import torch
from fusion_testing import define, make_tensor

from nvfuser import DataType, FusionDefinition, packed_dtypes

PACKED = DataType.Float4_e2m1fn_x2
MAGNITUDES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
VALUES = torch.tensor(MAGNITUDES + [-value for value in MAGNITUDES])


def unpack(packed: torch.Tensor, fastest: int = -1) -> torch.Tensor:
    """The values of a packed tensor, pairs along dimension `fastest`, low nibble first."""
    codes = packed.view(torch.uint8).long().cpu()
    pairs = torch.stack([codes & 15, codes >> 4], -1)
    fastest = fastest % packed.dim()
    values = VALUES[pairs].movedim(-1, fastest + 1)
    shape = list(packed.shape)
    shape[fastest] *= 2
    return values.reshape(shape).to(packed.device)


def all_bytes(device: str) -> torch.Tensor:
    return torch.arange(256, dtype=torch.uint8, device=device).view(torch.float4_e2m1fn_x2)


def random_packed(shape: tuple[int, ...], device: str) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 256, shape, generator=generator, dtype=torch.uint8)
    return codes.to(device).view(torch.float4_e2m1fn_x2)


# -------------------------------------------------------------------------- declaration

BY_CONTIGUITY = [
    # shape, contiguity, stride_order -> unpacked shape and contiguity
    ([-1], True, [], [-1], [True]),
    ([-1, -1], True, [], [-1, -1], [True, True]),
    ([-1, -1], False, [], [-1, -1], [False, True]),
    ([4, 8], [True, True], [], [4, 16], [True, True]),
    ([4, 8], [False, False], [], [4, 16], [False, True]),
    ([4, 8], True, [0, 1], [8, 8], [True, True]),
    ([4, -1], [False, True], [0, 1], [8, -1], [False, True]),
    ([2, 3, 5], True, [1, 0, 2], [2, 6, 5], [True, True, True]),
    ([2, -1, 5], [False, True, True], [0, 2, 1], [4, -1, 5], [False, True, True]),
    ([4, 1], True, [], [4, 2], [True, True]),
    ([4, 1], [True, None], [], [4, 2], [True, True]),
    ([1, 4], True, [], [1, 8], [None, True]),
    ([1, 4], True, [0, 1], [2, 4], [True, True]),
    ([1, 1], True, [], [1, 2], [None, True]),
    ([0, 4], True, [], [0, 8], [True, True]),
    ([4, 0], True, [], [4, 0], [True, True]),
    ([-1, 3, 8], [None, True, True], [], [-1, 3, 16], [None, True, True]),
    ([2, 1, -1, 4], True, [3, 2, 1, 0], [2, 1, -1, 8], [True, None, True, True]),
    ([1, 2, 3, 4, 5, 6, 7, 8], True, [], [1, 2, 3, 4, 5, 6, 7, 16], [None] + [True] * 7),
]


@pytest.mark.parametrize(
    ("shape", "contiguity", "order", "new_shape", "new_contiguity"), BY_CONTIGUITY
)
@pytest.mark.parametrize("positional", [False, True], ids=["keywords", "positional"])
def test_declaration_by_contiguity(
    shape: list[int],
    contiguity: list[bool | None] | bool,
    order: list[int],
    new_shape: list[int],
    new_contiguity: list[bool | None],
    positional: bool,
) -> None:
    with FusionDefinition() as packed:
        if positional:
            packed.define_tensor(shape, contiguity, PACKED, False, order)
        else:
            packed.define_tensor(
                shape=shape, contiguity=contiguity, dtype=PACKED, stride_order=order
            )
    with FusionDefinition() as unpacked:
        unpacked.define_tensor(
            shape=new_shape,
            contiguity=new_contiguity,
            dtype=DataType.Float4_e2m1fn,
            stride_order=order,
        )
    assert packed.fusion == unpacked.fusion
    (tensor,) = packed.fusion.inputs()
    assert tensor.dtype() == DataType.Float4_e2m1fn


BY_STRIDES = [
    # sizes, strides in bytes -> sizes and strides in values
    ([4, 8], [8, 1], [4, 16], [16, 1]),
    ([4, 8], [1, 4], [8, 8], [1, 8]),
    ([2, 3, 5], [15, 5, 1], [2, 3, 10], [30, 10, 1]),
    ([2, 3, 5], [15, 1, 3], [2, 6, 5], [30, 1, 6]),
    ([2, 3, 5], [100, 10, 1], [2, 3, 10], [200, 20, 1]),
    ([4, 8], [0, 1], [4, 16], [0, 1]),
    ([4, 1], [1, 1], [4, 2], [2, 1]),
    ([1], [1], [2], [1]),
    ([0, 4], [4, 1], [0, 8], [8, 1]),
]


@pytest.mark.parametrize(("sizes", "strides", "new_sizes", "new_strides"), BY_STRIDES)
@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("positional", [False, True], ids=["keywords", "positional"])
def test_declaration_by_strides(
    sizes: list[int],
    strides: list[int],
    new_sizes: list[int],
    new_strides: list[int],
    static: bool,
    positional: bool,
) -> None:
    with FusionDefinition() as packed:
        if positional:
            packed.define_tensor(sizes, strides, PACKED, static)
        else:
            packed.define_tensor(sizes=sizes, strides=strides, dtype=PACKED, static_sizes=static)
    with FusionDefinition() as unpacked:
        unpacked.define_tensor(
            sizes=new_sizes,
            strides=new_strides,
            dtype=DataType.Float4_e2m1fn,
            static_sizes=static,
        )
    assert packed.fusion == unpacked.fusion


def test_declaration_without_a_definition() -> None:
    with FusionDefinition() as fd:
        tensor = packed_dtypes.define_tensor(shape=[-1, 4], contiguity=True, dtype=PACKED)
        assert fd.fusion.inputs() == []
    assert tensor.dtype() == DataType.Float4_e2m1fn
    assert "8" in str(tensor.get_logical_domain()[1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"shape": []}, RuntimeError, "at least one dimension"),
        ({"sizes": [], "strides": []}, RuntimeError, "at least one dimension"),
        ({"shape": [4, -1], "contiguity": [True, None]}, RuntimeError, "cannot be expanded"),
        ({"sizes": [4, 8], "strides": [32, 2]}, RuntimeError, "must have stride 1"),
        ({"sizes": [4, 8], "strides": [1, 0]}, RuntimeError, "must have stride 1"),
        ({"sizes": [4, 8], "strides": [1]}, RuntimeError, ""),
        ({"shape": [4, -2]}, RuntimeError, "The value -2 at index 1 was neither symbolic"),
        ({"shape": [4, 2], "contiguity": [True]}, RuntimeError, "Length of contiguity argument"),
        ({"shape": [4, 2], "stride_order": [0, 0]}, RuntimeError, "duplicated stride_order"),
        ({"shape": [4, 2], "stride_order": [0, 7]}, RuntimeError, "stride_order argument is out"),
        ({"shape": [4, 2.5]}, TypeError, ""),
        ({"shape": [4], "no_such": 1}, TypeError, ""),
        ({}, TypeError, ""),
    ],
)
def test_declarations_that_are_errors(arguments: dict, error: type, message: str) -> None:
    with FusionDefinition() as fd:
        with pytest.raises(error, match=message or None):
            fd.define_tensor(**arguments, dtype=PACKED)
        assert fd.fusion.inputs() == []


# ------------------------------------------------------------------------------- values


def test_all_bytes_unpack_exactly(device: str) -> None:
    x = all_bytes(device)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.cast(fd.from_pytorch(x), DataType.Float))
    (output,) = fd.execute([x])
    assert output.shape == (512,)
    assert torch.equal(output, unpack(x))
    assert torch.equal(torch.signbit(output), torch.signbit(unpack(x)))


def test_unpacking_agrees_with_torchao(device: str) -> None:
    kernels = pytest.importorskip("torchao.prototype.mx_formats.kernels")
    x = all_bytes("cpu")
    codes = x.view(torch.uint8)
    nibbles = torch.stack([codes & 15, codes >> 4], -1).flatten()
    assert torch.equal(kernels.f4_unpacked_to_f32(nibbles), unpack(x))


LAYOUTS = {
    "1-D": lambda d: (random_packed((40,), d), 0),
    "2-D": lambda d: (random_packed((6, 10), d), 1),
    "transposed": lambda d: (random_packed((6, 10), d).t(), 0),
    "3-D permuted": lambda d: (random_packed((3, 5, 8), d).permute(1, 2, 0), 1),
    "window": lambda d: (random_packed((6, 12), d)[1:5, 2:9], 1),
    "every second row": lambda d: (random_packed((6, 12), d)[::2], 1),
    "expanded": lambda d: (random_packed((1, 12), d).expand(4, 12), 1),
    "one byte in each row": lambda d: (random_packed((5, 1), d), 1),
    "one row": lambda d: (random_packed((1, 5), d), 1),
    "empty": lambda d: (random_packed((0, 5), d), 1),
    "empty fastest": lambda d: (random_packed((5, 0), d), 1),
}


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, static: bool, device: str) -> None:
    x, fastest = LAYOUTS[layout](device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x, static_sizes=static)
        fd.add_output(fd.ops.cast(t, DataType.Float))
        fd.add_output(fd.ops.add(t, t))
    plain, doubled = fd.execute([x])
    assert torch.equal(plain, unpack(x, fastest))
    assert doubled.dtype is torch.float32
    assert torch.equal(doubled, unpack(x, fastest) * 2)


def test_declared_in_values(device: str) -> None:
    # As clients do that know the unpacked type: the extents are those of the values.
    x = random_packed((6, 8), device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, 16], contiguity=True, dtype=DataType.Float4_e2m1fn)
        fd.add_output(fd.ops.cast(t, DataType.Float))
    assert torch.equal(fd.execute([x])[0], unpack(x))
    with pytest.raises(RuntimeError):
        fd.execute([random_packed((6, 7), device)])


def test_one_definition_serves_every_size(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=PACKED)
        fd.add_output(fd.ops.cast(t, DataType.Float))
    for shape in [(6, 8), (1, 8), (6, 1), (1, 1), (0, 3), (100, 33)]:
        x = random_packed(shape, device)
        assert torch.equal(fd.execute([x])[0], unpack(x))


def test_pairs_that_are_not_neighbours_are_an_error(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=False, dtype=PACKED)
        fd.add_output(fd.ops.cast(t, DataType.Float))
    x = random_packed((6, 12), device)
    with pytest.raises(RuntimeError):
        fd.execute([x[:, ::2]])
    assert torch.equal(fd.execute([x])[0], unpack(x))


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64], ids=str
)
def test_packing_rounds_to_nearest_even_and_saturates(dtype: torch.dtype, device: str) -> None:
    middles = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0]
    to_even = [0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0]
    values = [
        *MAGNITUDES,
        *middles,
        *(middle * 1.01 for middle in middles),
        *(middle * 0.99 for middle in middles),
        *(6.5, 7.0, 1e4, float("inf"), 1e-3),
    ]
    expected = [*MAGNITUDES, *to_even, *MAGNITUDES[1:], *MAGNITUDES[:-1], 6.0, 6.0, 6.0, 6.0, 0.0]
    x = torch.tensor([values, [-value for value in values]], dtype=dtype, device=device)
    reference = torch.tensor([expected, [-value for value in expected]])
    (output,) = define(lambda fd, t: fd.ops.cast(t, DataType.Float4_e2m1fn), [x]).execute([x])
    assert output.dtype is torch.float4_e2m1fn_x2
    assert output.shape == (2, len(values) // 2)
    assert torch.equal(unpack(output.cpu()), reference)
    assert torch.equal(torch.signbit(unpack(output.cpu())), torch.signbit(reference))


def test_round_trip_of_all_bytes(device: str) -> None:
    x = all_bytes(device)
    with FusionDefinition() as fd:
        wide = fd.ops.cast(fd.from_pytorch(x), DataType.Float)
        fd.add_output(fd.ops.cast(fd.ops.mul(wide, 1.0), DataType.Float4_e2m1fn))
    (output,) = fd.execute([x])
    assert torch.equal(output.view(torch.uint8), x.view(torch.uint8))


def test_packed_output_into_a_given_tensor(device: str) -> None:
    x = make_tensor((4, 8), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.cast(t, DataType.Float4_e2m1fn), [x])
    given = torch.empty(4, 4, dtype=torch.float4_e2m1fn_x2, device=device)
    (output,) = fd.execute([x])
    fd.execute([x], outputs=[given])
    assert torch.equal(given.view(torch.uint8), output.view(torch.uint8))


def test_odd_number_of_values_is_an_error(device: str) -> None:
    x = make_tensor((4, 7), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.cast(t, DataType.Float4_e2m1fn), [x])
    with pytest.raises(RuntimeError):
        fd.execute([x])


def test_blocks_with_scales(device: str) -> None:
    # The dequantization of NVFP4: blocks of 16 values with an e4m3 scale, one scale in all.
    x = random_packed((4, 32), device)
    scales = make_tensor((4, 4), torch.float32, device, 0.1, 4).to(torch.float8_e4m3fn)
    with FusionDefinition() as fd:
        t, s = fd.from_pytorch(x), fd.from_pytorch(scales)
        blocks = fd.ops.reshape(fd.ops.cast(t, DataType.Float), [4, 4, 16])
        wide = fd.ops.broadcast(fd.ops.cast(s, DataType.Float), [False, False, True])
        scaled = fd.ops.mul(fd.ops.mul(blocks, wide), 0.125)
        fd.add_output(fd.ops.reshape(scaled, [4, 64]))
    (output,) = fd.execute([x, scales])
    reference = (unpack(x).reshape(4, 4, 16) * scales.float()[..., None] * 0.125).reshape(4, 64)
    assert torch.equal(output, reference)


def test_other_dtypes_where_packed_is_declared(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=PACKED)
        fd.add_output(fd.ops.cast(t, DataType.Float))
    for wrong in (torch.ones(4, 8), torch.ones(4, 8, dtype=torch.uint8)):
        with pytest.raises(RuntimeError):
            fd.execute([wrong.to(device)])
