"""The kernels of each kind of device, by name: the same names, called alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels import cpu, cuda
from dask_tapestry_kernels.block_format import on_cuda
from dask_tapestry_kernels.kernel_table import Kernel

TABLES: Final[Mapping[str, Mapping[str, Kernel]]] = {"cpu": cpu.KERNELS, "cuda": cuda.KERNELS}
STATES_ON_HOST: Final = {"cpu": frozenset[str](), "cuda": cuda.STATES_ON_HOST}
HANDED_ON: Final = "identity"  # the kernel that returns its block, of any device


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


def lacking(
    device: str, kernel: str, dtypes: Iterable[np.dtype[Any]], made: np.dtype[Any] | None = None
) -> str | None:
    """What a kind of device lacks to run a kernel on cells of these dtypes; None if nothing.

    `made` is the dtype of the result, where that is known: structured states of folds, which no
    array on a device holds, some kernels hand to the host. It is told without looking at blocks:
    a kernel may still refuse some by a `DeviceError`.

    Examples
    --------
    >>> lacking("cuda", "no such kernel", [])
    'no kernel'
    >>> lacking("cpu", "map", [np.dtype("M8[s]")]) is None
    True
    """
    if kernel == HANDED_ON:
        return None
    if kernel not in kernels_of(device):
        return "no kernel"
    states = kernel in STATES_ON_HOST[device] and made is not None and made.names
    needed = [*dtypes] if made is None or states else [*dtypes, made]
    wrong = [dtype for dtype in needed if not has_cells(device, dtype)]
    return f"no {wrong[0]}" if wrong else None


def has_cells(device: str, dtype: np.dtype[Any]) -> bool:
    """Whether arrays on a kind of device can have cells of a dtype."""
    return device == "cpu" or (isinstance(dtype, np.dtype) and on_cuda().takes(1, dtype))
