"""Folds of long windows: by doubling, not cell by cell of each window."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from types import MappingProxyType
from typing import Final

import numpy as np

from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.layouts.nominal_chunks import NominalChunks, with_nominal_chunks
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.operators.tuning import LONG_WINDOW_CELLS
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.operators.views.windows import Windows
from dask_tapestry.operators.windows.window_fold import Fold, window_fold
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.nominal import nominal_cuts

FOLDS: Final[Mapping[str, Fold]] = MappingProxyType(
    {"sum": "sum", "mean": "mean", "min": "minimum", "max": "maximum"}
)


def fold_of_long_windows(
    x: Tensor, monoid: str, axes: Axes, dtype: np.dtype[np.generic] | None, keepdims: bool
) -> Tensor | None:
    """All cells of each window folded, where `x` is a view of long windows; else None.

    A fold of each window alone would read each cell as often as windows are long. It has the same
    bits however the result is cut, and a sum's last digits are those of doubles.

    Parameters
    ----------
    monoid
        A key of `reductions.monoids.MONOIDS`.
    dtype
        Of the result; by default NumPy's choice.
    """
    fold, seen = FOLDS.get(monoid), _windows_of(x)
    if fold is None or seen is None:
        return None
    cells, window = seen
    rank = cells.type.ndim
    if normalize_axes(axes, x.type.ndim) != tuple(range(rank, x.type.ndim)):
        return None
    result = MONOIDS[monoid].dtypes(cells.type.dtype, dtype)[0]
    if prod(window) < LONG_WINDOW_CELLS or not _is_folded(fold, cells.type.dtype, result):
        return None
    value = window_fold(cells, window, fold, result)
    cuts = nominal_cuts(x)[:rank]
    value = value if cuts == nominal_cuts(value) else with_nominal_chunks(value, cuts)
    return unsqueeze(value, tuple(range(rank, x.type.ndim))) if keepdims else value


def _windows_of(x: Tensor) -> tuple[Tensor, tuple[int, ...]] | None:
    """The cells and the lengths of windows, one of each axis, that a tensor is a view of."""
    lengths = dict[int, int]()
    while True:
        own = x.operator
        if isinstance(own, NominalChunks):
            (x,) = x.inputs
        elif isinstance(own, Windows) and own.step == own.pace == 1 and own.axis not in lengths:
            lengths[own.axis] = own.length
            (x,) = x.inputs
        else:
            break
    if not lengths or max(lengths) >= x.type.ndim or not x.type.size:
        return None  # windows of windows are others
    return x, tuple([lengths.get(axis, 1) for axis in range(x.type.ndim)])


def _is_folded(fold: Fold, cell: np.dtype[np.generic], result: np.dtype[np.generic]) -> bool:
    """Whether doubling tells a fold of such cells: floats of 64 bits and less, and integers."""
    if not {cell.char, result.char} <= set("?bBhHiIlLqQefd"):
        return False
    if fold in ("minimum", "maximum"):
        return cell == result
    return result.kind == "f" or (fold == "sum" and result.kind in "iu" and cell.kind in "biu")
