"""From programs of PyTorch to fusions: the backend of ``torch.compile``, exported programs."""

from __future__ import annotations
