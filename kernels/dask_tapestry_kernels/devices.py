"""The kernels of each kind of device, by name: the same names, called alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels import cpu, cuda
from dask_tapestry_kernels.block_format import on_cuda
from dask_tapestry_kernels.kernel_table import Kernel

TABLES: Final[Mapping[str, Mapping[str, Kernel]]] = {"cpu": cpu.KERNELS, "cuda": cuda.KERNELS}
SEVERAL: Final = {"cuda": cuda.SEVERAL}  # kernels that take or make blocks of several arrays
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

    `made` is the dtype of the result, where that is known. It is told without looking at blocks: a
    kernel may still refuse some by a `DeviceError`.

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
    if device == "cpu":
        return None
    for dtype in (*dtypes, *(() if made is None else (made,))):
        if not has_cells(device, dtype) or (_is_several(dtype) and kernel not in SEVERAL[device]):
            return f"no {dtype if isinstance(dtype, np.dtype) else dtype.name}"
    return None


def has_cells(device: str, dtype: Any) -> bool:
    """Whether blocks on a kind of device can have cells of a dtype, or of what stands for one."""
    return device == "cpu" or on_cuda().holds(dtype)


def _is_several(dtype: Any) -> bool:
    """Whether a block on a device is made of several arrays."""
    return not isinstance(dtype, np.dtype) or bool(dtype.names)
