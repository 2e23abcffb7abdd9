"""One sentence where PyTorch is needed and not installed.

The package works without torch, on arrays of NumPy. Modules that do not call this first.
"""

from __future__ import annotations

__all__ = ["needs_torch"]


def needs_torch(what: str) -> None:
    """Raise a ModuleNotFoundError that says so if torch is not installed.

    Parameters
    ----------
    what : str
        What is in need of it.
    """
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError(
            f"{what} needs PyTorch, which is not installed: run `pip install torch`", name="torch"
        ) from None
