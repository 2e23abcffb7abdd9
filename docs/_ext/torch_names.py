"""What PyTorch calls the operations, and the directive ``torch-names`` that shows it as a table.

Most have the name of a function of ``torch``: what is here are the others. A test looks every name
up in torch, and in ``nvfuser.ops``. Needs no Sphinx but for the directive, and no torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_FUNCTIONAL = "torch.nn.functional."

# Of torch.nn.functional, under the same name.
FUNCTIONAL = frozenset(
    [
        "batch_norm",
        "binary_cross_entropy",
        "cross_entropy",
        "dropout",
        "elu",
        "gelu",
        "glu",
        "group_norm",
        "grouped_mm",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "huber_loss",
        "instance_norm",
        "interpolate",
        "l1_loss",
        "leaky_relu",
        "linear",
        "logsigmoid",
        "mish",
        "mse_loss",
        "nll_loss",
        "normalize",
        "one_hot",
        "pad",
        "pixel_shuffle",
        "pixel_unshuffle",
        "relu6",
        "scaled_mm",
        "silu",
        "smooth_l1_loss",
        "softmin",
        "softplus",
        "softshrink",
        "softsign",
        "tanhshrink",
    ]
)

OTHER_NAMES = {
    "expand_as": "torch.Tensor.expand_as",
    "repeat": "torch.Tensor.repeat",
    "view": "torch.Tensor.view",
    "view_as": "torch.Tensor.view_as",
    "unfold": "torch.Tensor.unfold",
    "cast": "torch.Tensor.to",
    "embedding_fwd": "torch.nn.functional.embedding",
    "expand": "torch.Tensor.expand",
    "floor_div": "torch.floor_divide",
    "iota": "torch.arange",
    "max": "torch.amax",
    "min": "torch.amin",
    "sdpfa_fwd": "torch.nn.functional.scaled_dot_product_attention",
    "set": "torch.clone",
    "shape": "torch.Tensor.shape",
    "size": "torch.Tensor.size",
    "take_along_axis": "torch.take_along_dim",
    "truediv": "torch.true_divide",
    "uniform": "torch.rand",
}

# What has no counterpart, and why one needs it.
OWN = {
    "broadcast": "inserts dimensions of size 1; `unsqueeze` does so for one",
    "broadcast_in_dim": "`expand` with the places of the dimensions",
    "cutlass_nvfp4_grouped_mm": "matrix products of nvfp4 operands",
    "erfcinv": "the inverse of `erfc`",
    "logical_right_shift": "`bitwise_right_shift` that fills with zeros",
    "mod": "the remainder with the sign of the dividend, as `%` in C",
    "nv_block_quantize": "quantization to nvfp4 and mxfp8",
    "nv_grouped_block_quantize": "the same for groups of rows",
    "preprocess_grouped_matmul_input_sf": "scales where grouped matrix products read them",
    "sdpfa_bwd": "the gradient of `sdpfa_fwd`",
    "torch_call": "any operator under `torch.ops`",
    "segment_set": "a copy at which a kernel ends",
    "slice": "`x[start:stop]`",
    "stride_order": "the order in memory of an output",
    "welford": "mean, squared deviations and count at once",
}

# Where a call is written in another way than in torch.
NOTES = {
    "div": "rounds to zero for integers; `truediv` does not",
    "full": "`fill_value` may be a scalar input",
    "gather": "`index` comes before `dim`",
    "index_select": "`index` comes before `dim`",
    "iota": "length, start and step",
    "max": "without indices",
    "min": "without indices",
    "pad": "with a constant; `value` comes third",
    "scatter": "`index` and `src` come before `dim`",
    "select": "`index` comes before `dim`",
    "take_along_axis": "`index` comes before `dim`",
    "uniform": "minimum and maximum come first",
}


def torch_name(operation: str) -> str | None:
    """Return the name in PyTorch of an operation, None if it has no counterpart."""
    if operation in OWN:
        return None
    if operation in FUNCTIONAL:
        return _FUNCTIONAL + operation
    return OTHER_NAMES.get(operation, f"torch.{operation}")


def table() -> Iterator[list[str]]:
    """Yield the rows: what PyTorch calls it, what it is here, a note."""
    import nvfuser

    names = [name for name in dir(nvfuser.ops) if not name.startswith("_")]
    rows = [(torch_name(name) or "–", name) for name in names]
    for theirs, ours in sorted(rows, key=lambda row: (row[0] == "–", row[0].rpartition(".")[2])):
        note = NOTES.get(ours, OWN.get(ours, "")).replace("`", "``")
        theirs = theirs.replace(_FUNCTIONAL, "F.")
        yield [
            "–" if theirs == "–" else f"``{theirs}``",
            f":py:func:`fd.ops.{ours} <nvfuser.ops.{ours}>`",
            note,
        ]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    from docutils import nodes
    from docutils.statemachine import StringList
    from sphinx.util.docutils import SphinxDirective

    class TorchNames(SphinxDirective):
        def run(self) -> list[nodes.Node]:
            lines = [".. list-table::", "   :header-rows: 1", ""]
            for row in [["PyTorch", "nvfuser", "Note"], *table()]:
                lines += [
                    f"   {'* -' if column == 0 else '  -'} {cell}".rstrip()
                    for column, cell in enumerate(row)
                ]
            node = nodes.container()
            self.state.nested_parse(StringList(lines, "torch-names"), self.content_offset, node)
            return node.children

    app.add_directive("torch-names", TorchNames)
    return {"parallel_read_safe": True, "env_version": 1}
