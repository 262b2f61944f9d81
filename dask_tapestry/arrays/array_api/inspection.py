"""Inspection of the namespace: `__array_namespace_info__`, and which one an array is of."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.memory_arguments import check_device
from dask_tapestry.arrays.tuning import MOST_DIMENSIONS
from dask_tapestry.errors import ArgumentError
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.settings import setting

__all__ = ["__array_namespace_info__"]

VERSIONS: Final = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")  # of the standard


class NamespaceInfo:
    """What there is: devices, dtypes, and shapes that depend on data.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> sorted(dt.__array_namespace_info__().dtypes(kind="complex floating"))
    ['complex128', 'complex64']
    """

    __module__ = "dask_tapestry"

    def capabilities(self) -> dict[str, Any]:
        """Return what the standard leaves open.

        Returns
        -------
        dict
            Boolean indexing and data-dependent shapes are there; arrays have 64 dimensions at most.
        """
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MOST_DIMENSIONS,
        }

    def default_device(self) -> str:
        """Return the device of new arrays.

        Returns
        -------
        str
            ``"cpu"``, or that of `config`.
        """
        return str(setting("device") or "cpu")

    def devices(self) -> tuple[str, ...]:
        """Return all devices.

        Returns
        -------
        tuple of str
            ``"cpu"``, and ``"cuda"`` where workers have GPUs or new arrays are there.
        """
        found = ("cuda",) if current().gpus else ()
        return tuple(dict.fromkeys(("cpu", *found, self.default_device())))

    def default_dtypes(self, *, device: str | None = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes of arrays for which none is given.

        Parameters
        ----------
        device
            Any that there is.

        Returns
        -------
        dict
            A dtype for each kind of number, and for indices.
        """
        check_device(device)
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the standard's dtypes by their names.

        Parameters
        ----------
        device
            Any that there is.
        kind
            Only those of a kind, or of several, as of `isdtype`.

        Returns
        -------
        dict
            Dtypes by name.
        """
        check_device(device)
        widths = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (32, 64)}
        widths["complex"] = (64, 128)
        names = ["bool", *(f"{base}{bits}" for base, found in widths.items() for bits in found)]
        known = {name: np.dtype(name) for name in names}
        return {
            name: dtype for name, dtype in known.items() if kind is None or np.isdtype(dtype, kind)
        }


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  (the standard's name)
    """Return what the namespace says of itself, as the array API standard asks.

    {Returns} NamespaceInfo: With ``capabilities``, ``default_device``, ``default_dtypes``,
        ``devices`` and ``dtypes``.
    {Examples}
    >>> dt.__array_namespace_info__().default_device()
    'cpu'
    """
    return NamespaceInfo()


def array_namespace(self: Array, /, *, api_version: str | None = None) -> ModuleType:
    """Return the namespace of the array's functions; nothing is computed.

    {Parameters} api_version: Of the array API standard; by default the newest.
    {Returns} module: `dask_tapestry`.
    {Raises} ArgumentError: For a version that is not served.
    """
    del self
    if api_version not in (None, *VERSIONS):
        raise ArgumentError(f"version {api_version!r} of the array API is not one of {VERSIONS}")
    return sys.modules[__name__.partition(".")[0]]
