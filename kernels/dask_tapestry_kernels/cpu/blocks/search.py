"""What is looked up, cell by cell, in tables that each block has whole."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def search(out: Block | None, cells: Block, table: Block, *, side: str) -> Block:  # noqa: ARG001
    """Return the places in a sorted table before which cells belong."""
    return np.asarray(np.searchsorted(table, cells, side=side))  # type: ignore[call-overload]


def digitize(out: Block | None, cells: Block, bins: Block, *, right: bool) -> Block:  # noqa: ARG001
    """Return the numbers of the bins between ascending or descending edges."""
    return np.asarray(np.digitize(cells, bins, right=right))


def is_in(out: Block | None, cells: Block, table: Block, *, invert: bool) -> Block:  # noqa: ARG001
    """Return whether cells are in a sorted table, or are not."""
    if not table.size:
        return np.full(cells.shape, invert)
    places = np.minimum(np.searchsorted(table, cells), table.size - 1)
    return np.asarray(table[places] != cells if invert else table[places] == cells)


def interp(
    out: Block | None,  # noqa: ARG001
    cells: Block,
    points: Block,
    values: Block,
    *,
    left: complex | None,
    right: complex | None,
    period: float | None,
) -> Block:
    """Interpolate linearly between points."""
    function: Any = np.interp
    with np.errstate(all="ignore"):
        return np.asarray(function(cells, points, values, left, right, period))


KERNELS: Final[dict[str, Kernel]] = {
    "search": search,
    "digitize": digitize,
    "isin": is_in,
    "interp": interp,
}
