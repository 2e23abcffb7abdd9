"""Saved definitions: other processes, other versions, damaged and malicious data.

That every fusion of every test comes back equal is checked where they are defined, see
round_trip.py.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
import subprocess
import sys
from typing import Any

import pytest
import torch
from fusion_testing import define, make_tensor
from hypothesis import given, settings
from hypothesis import strategies as st

from nvfuser import DataType, FusionDefinition
from nvfuser.serialization import FORMAT


def example() -> FusionDefinition:
    """Return a fusion with a bit of everything."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, 8], contiguity=[True, True], stride_order=[0, 1])
        n = fd.define_scalar(DataType.Int)
        s = fd.define_scalar(DataType.ComplexDouble)
        y = fd.ops.mul(fd.ops.softmax(x, 1), 1.0 / 3.0)
        fd.add_output(fd.ops.reshape(y, [n, -1]))
        fd.add_output(fd.ops.slice(y, [1, 0], [fd.ops.size(x, 0), 3]))
        fd.add_output(fd.ops.mul(fd.ops.cast(y, DataType.ComplexFloat), s))
        fd.add_output(fd.ops.clamp(y, None, float("inf")))
        fd.add_output(fd.ops.add(x, complex(1.0, float("nan")).real), x)
        fd.add_output(fd.ops.stride_order(fd.ops.cast(y, DataType.BFloat16), [0, 1]))
    return fd


def with_header(body: bytes, version: int = FORMAT) -> bytes:
    digest = hashlib.sha256(body).hexdigest()
    return f"nvfuser fusion definition, format {version}, sha256 {digest}\n".encode() + body


def of_calls(calls: Any) -> bytes:
    return with_header(json.dumps(calls).encode())


def calls_of(data: bytes) -> Any:
    return json.loads(data.partition(b"\n")[2])


# --------------------------------------------------------------------------- round trips


def test_results_of_the_copy(device: str) -> None:
    fd = example()
    data = fd.serialize()
    loaded = FusionDefinition.deserialize(data)
    assert loaded.fusion == fd.fusion
    assert loaded.serialize() == data
    x = make_tensor((8, 6), torch.float32, device).t()
    references = fd.execute([x.clone(), 4, 1 + 2j])
    for output, reference in zip(loaded.execute([x.clone(), 4, 1 + 2j]), references, strict=True):
        assert torch.equal(output, reference)
        assert output.stride() == reference.stride()
    # Also after it was run.
    assert fd.serialize() == data


def test_another_process(device: str, tmp_path: Any) -> None:
    x = make_tensor((16, 8), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.softmax(t, -1), fd.ops.permute(t, [1, 0])], [x])
    saved = tmp_path / "definition"
    saved.write_bytes(fd.serialize())
    torch.save(x, tmp_path / "input")
    script = f"""
import torch
from nvfuser import FusionDefinition
fd = FusionDefinition.deserialize(open({str(saved)!r}, "rb").read())
torch.save(fd.execute([torch.load({str(tmp_path / "input")!r})]), {str(tmp_path / "outputs")!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    outputs = torch.load(tmp_path / "outputs")
    for output, reference in zip(outputs, fd.execute([x]), strict=True):
        assert torch.equal(output, reference)
        assert output.stride() == reference.stride()


def test_equal_definitions_give_equal_bytes() -> None:
    assert example().serialize() == example().serialize()


def test_format_1_stays_readable() -> None:
    """What version 0.3.0 wrote."""
    body = (
        b'[{"call":"define_tensor","results":[0],"args":[],"kwargs":{"shape":[-1,4],"contiguity":'
        b'[true,true],"dtype":{"dtype":"Float"},"is_cpu":false}},{"call":"define_scalar","results"'
        b':[1],"args":[null],"kwargs":{"dtype":{"dtype":"Double"}}},{"call":"ops.mul","results":'
        b'[2],"args":[{"value":0},{"value":1}],"kwargs":{}},{"call":"ops.maximum","results":[3],'
        b'"args":[{"value":2},{"float":"-inf"}],"kwargs":{}},{"call":"ops.sum","results":[4],'
        b'"args":[{"value":3}],"kwargs":{"dims":[1],"dtype":{"dtype":"Float"}}},{"call":'
        b'"add_output","results":[],"args":[{"value":4}],"kwargs":{}}]'
    )
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, 4], contiguity=True)
        y = fd.ops.maximum(fd.ops.mul(x, fd.define_scalar()), float("-inf"))
        fd.add_output(fd.ops.sum(y, 1))
    assert fd.serialize() == with_header(body, 1)
    assert FusionDefinition.deserialize(with_header(body, 1)).fusion == fd.fusion


def test_kinds_of_bytes() -> None:
    fd = example()
    data = fd.serialize()
    for same in (bytearray(data), memoryview(data)):
        assert FusionDefinition.deserialize(same).fusion == fd.fusion


def test_subclasses_and_nesting() -> None:
    class Own(FusionDefinition):
        pass

    fd = example()
    with FusionDefinition() as outer:
        x = outer.define_tensor(shape=[4], contiguity=True)
        own = Own.deserialize(fd.serialize())
        outer.add_output(outer.ops.exp(x))
    assert type(own) is Own
    assert own.fusion == fd.fusion
    assert "tv1 = fd.ops.exp(tv0)" in repr(outer)


def test_what_cannot_be_saved() -> None:
    with pytest.raises(NotImplementedError, match="Fusion does not exist!"):
        FusionDefinition().serialize()
    with FusionDefinition() as fd:
        fd.define_tensor(shape=[4], contiguity=True)
    with pytest.raises(NotImplementedError, match="Fusion is empty!"):
        fd.serialize()


# --------------------------------------------------------------------------- wrong data


@pytest.mark.parametrize("data", ["text", None, 3, [1, 2]])
def test_other_objects(data: Any) -> None:
    with pytest.raises(TypeError, match="Expected a serialized FusionDefinition as bytes"):
        FusionDefinition.deserialize(data)


@pytest.mark.parametrize("data", [b"", b"\n", b"nvfuser", b"\x80\x04pickle", b"{}"])
def test_other_data(data: bytes) -> None:
    with pytest.raises(RuntimeError, match="does not begin like one"):
        FusionDefinition.deserialize(data)


@pytest.mark.parametrize(
    "data",
    [
        with_header(b"[]", FORMAT + 1),
        f"nvfuser fusion definition, format {FORMAT + 1} and otherwise all new".encode(),
    ],
)
def test_a_later_format(data: bytes) -> None:
    expected = f"has format {FORMAT + 1}, made by a later version"
    with pytest.raises(RuntimeError, match=expected):
        FusionDefinition.deserialize(data)


def test_truncated_everywhere() -> None:
    data = example().serialize()
    for length in range(len(data)):
        with pytest.raises(RuntimeError, match=r"damaged or incomplete|does not begin like one"):
            FusionDefinition.deserialize(data[:length])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_damaged(data: Any) -> None:
    """Whatever bytes change, or come or go: an error."""
    saved = bytearray(DATA)
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(saved) - 1))
        change = data.draw(st.sampled_from(["replace", "insert", "remove"]))
        byte = data.draw(st.integers(0, 255))
        if change == "insert":
            saved.insert(position, byte)
        elif change == "remove":
            del saved[position]
        else:
            saved[position] = byte
    if bytes(saved) != DATA:
        with pytest.raises(RuntimeError, match="serialized FusionDefinition"):
            FusionDefinition.deserialize(saved)


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ({}, "it is no list of calls"),
        ([1], "call 0, 1:"),
        ([{}], "call 0, "),
        (
            [{"call": "ops.nothing", "args": [], "kwargs": {}, "results": []}],
            "no operation of this",
        ),
        ([{"call": "__init__", "args": [], "kwargs": {}, "results": []}], "no operation of this"),
        ([{"call": "execute", "args": [[]], "kwargs": {}, "results": []}], "no operation of this"),
        ([{"call": "ops.__name__", "args": [], "kwargs": {}, "results": []}], "no operation of"),
        ([{"call": "ops.exp", "args": [{"value": 0}], "kwargs": {}, "results": [0]}], "argument"),
        ([{"call": "ops.exp", "args": [{"value": -1}], "kwargs": {}, "results": [0]}], "argument"),
        ([{"call": "ops.exp", "args": ["x"], "kwargs": {}, "results": [0]}], "incompatible"),
        ([{"call": "ops.exp", "args": [{"dtype": "No"}], "kwargs": {}, "results": []}], "No"),
        ([{"call": "ops.exp", "args": [1.0], "kwargs": {}, "results": [1]}], "value 1 follows"),
        ([{"call": "ops.exp", "args": [1.0], "kwargs": {}, "results": [0, 1]}], "call 0"),
        ([{"call": "define_tensor", "args": [[-2]], "kwargs": {}, "results": [0]}], "-2"),
    ],
)
def test_invalid_calls(calls: Any, error: str) -> None:
    with pytest.raises(RuntimeError, match=f"is invalid: .*{re.escape(error)}"):
        FusionDefinition.deserialize(of_calls(calls))


@pytest.mark.parametrize(
    "body", [b"", b"[", b"NaN", b"\xff", b"[" * 100_000, b"9" * 10_000, b'["\\ud800"]']
)
def test_invalid_json(body: bytes) -> None:
    with pytest.raises(RuntimeError, match="The serialized FusionDefinition is invalid"):
        FusionDefinition.deserialize(with_header(body))


DATA = example().serialize()


def places(node: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) in nested lists and dictionaries."""
    keys = node.keys() if isinstance(node, dict) else range(len(node))
    found = []
    for key in keys:
        found.append((node, key))
        if isinstance(node[key], (list, dict)):
            found += places(node[key])
    return found


LEAVES = [
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, -(2**63), 2**63 - 1, 2**64, 0.5, -1e300, "", "x"),
    *([], [0], {}, {"value": 0}, {"value": 3}, {"dtype": "Half"}, {"dtype": "Null"}),
    *({"float": "nan"}, {"complex": [1, 2]}, "ops.exp", "ops.sum", "ops.reshape", "define_scalar"),
]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(data=st.data())
def test_changed_on_purpose(data: Any) -> None:
    """With a right checksum: another definition, or an error that says which call is wrong."""
    calls = calls_of(DATA)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(calls)))
        if data.draw(st.booleans()):
            container[key] = copy.deepcopy(data.draw(st.sampled_from(LEAVES)))
        elif isinstance(container, list) and data.draw(st.booleans()):
            container.insert(key, copy.deepcopy(container[key]))
        else:
            del container[key]
    message = ""
    try:
        FusionDefinition.deserialize(of_calls(calls))
    except RuntimeError as error:
        message = str(error)
    assert not message or "The serialized FusionDefinition is invalid" in message
