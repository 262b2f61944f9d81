"""The functions by which scans combine cells: ufuncs, their exact forms, and `later`."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.reproducible_ufuncs import EXACT

Block = np.ndarray[Any, Any]
Function = Callable[..., Block]


def later(x: Any, y: Any, out: Block | None = None) -> Block:
    """`y`, but `x` where `y` is NaN or NaT and `x` is not: scanned, the last cell that is there."""
    x, y = np.asarray(x), np.asarray(y)
    is_null = np.isnat if y.dtype.kind in "mM" else np.isnan
    chosen: Block = np.where(is_null(y) & ~is_null(x), x, y)
    if out is None:
        return chosen
    out[...] = chosen
    return out


OWN: Final = MappingProxyType({"later": later})  # NumPy has none of the name


def function_named(name: str, state: np.dtype[Any]) -> Function:
    """The ufunc, or its exact form where NumPy's bits depend on the place of a cell."""
    if name in OWN:
        return OWN[name]
    exact = (name == "multiply" and state.kind == "c") or name in ("fmax", "fmin")
    ufunc: Function = EXACT[name] if exact else getattr(np, name)
    return ufunc
