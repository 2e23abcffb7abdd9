"""Products of matrices: library calls of the fusion."""

from __future__ import annotations

from typing import Any

import torch

from nvfuser import ops
from nvfuser.frontend.operators.registry import Call, builder

# Untyped: what fits is checked where users call.
_ops: Any = ops


@builder("aten.mm.default", "aten.bmm.default", "aten.mv.default", "aten.dot.default")
def _matmul(call: Call, a: Any, b: Any) -> Any:
    if call.dtype_of(a) is not call.dtype_of(b):
        return NotImplemented
    return _ops.matmul(a, b)


@builder("aten.addmm.default")
def _addmm(call: Call, bias: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    dtypes = {call.dtype_of(x) for x in (bias, a, b)}
    if call.fake(bias).dim() != 1 or beta != 1 or alpha != 1 or len(dtypes) != 1:
        return NotImplemented
    if not call.dtype.is_floating_point:
        return NotImplemented
    size = call.fake(bias).shape[0]
    if not isinstance(size, (int, torch.SymInt)) or size != call.result.shape[1]:
        return NotImplemented
    return _ops.linear(a, _ops.permute(b, [1, 0]), bias)
