"""The version of the package, as a string that compares like a package version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nvfuser import _C

if TYPE_CHECKING:
    import packaging.version

__all__ = ["NvfuserVersion", "Version", "__version__", "version"]


def Version(text: str) -> packaging.version.Version:  # noqa: N802 - stands for the class
    """Return `text` as a ``packaging.version.Version``.

    ``packaging`` is imported by the first call, not with the package.
    """
    from packaging.version import Version as PackagingVersion

    return PackagingVersion(text)


class NvfuserVersion(str):
    """A version string whose comparisons follow the order of package versions.

    The other operand is a string or a ``packaging.version.Version``; what follows a ``+`` (the
    commit of a build) is ignored on both sides. Any other operand is a ValueError. In every other
    respect, hashing included, it is the plain string.

    Examples
    --------
    >>> NvfuserVersion("0.3.0+git0123abc") >= "0.2.34"
    True
    >>> NvfuserVersion("0.10.0") > "0.9"
    True
    """

    __slots__ = ()

    @staticmethod
    def _release(version: object) -> packaging.version.Version:
        from packaging.version import Version as PackagingVersion

        if isinstance(version, (str, PackagingVersion)):
            return PackagingVersion(str(version).partition("+")[0])
        raise ValueError(
            "an nvfuser version compares with a str or a packaging.version.Version, "
            f"not with {type(version).__name__}"
        )

    def __lt__(self, other: object) -> bool:
        return self._release(self) < self._release(other)

    def __le__(self, other: object) -> bool:
        return self._release(self) <= self._release(other)

    def __gt__(self, other: object) -> bool:
        return self._release(self) > self._release(other)

    def __ge__(self, other: object) -> bool:
        return self._release(self) >= self._release(other)

    def __eq__(self, other: object) -> bool:
        return self._release(self) == self._release(other)

    def __ne__(self, other: object) -> bool:
        return self._release(self) != self._release(other)

    __hash__ = str.__hash__


__version__ = NvfuserVersion(_C.build_info()["version"])


def version() -> NvfuserVersion:
    """Return the version of the package, ``m.n.p`` or ``m.n.p+git<commit>``."""
    return __version__
