"""The kernels of each kind of device, by name: the same names, called alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dask_tapestry_kernels import cpu, cuda
from dask_tapestry_kernels.kernel_table import Kernel

TABLES: Final[Mapping[str, Mapping[str, Kernel]]] = {"cpu": cpu.KERNELS, "cuda": cuda.KERNELS}


def kernels_of(device: str) -> Mapping[str, Kernel]:
    """The table of a kind of device; looking into it imports no compiler and no CuPy.

    Parameters
    ----------
    device
        ``"cpu"`` or ``"cuda"``.

    Raises
    ------
    ValueError
        For another device. A kernel that a device lacks is not in its table: `KeyError`.

    Examples
    --------
    >>> "map" in kernels_of("cpu")
    True
    """
    if device not in TABLES:
        raise ValueError(f"device {device!r} is none of {', '.join(TABLES)}")
    return TABLES[device]
