"""Places that follow each other at equal distances, as slices.

xarray joins coordinates, selects months and aligns by arrays of places, most of which are ranges.
As slices they are pushed into what is read; as a table of places each block asks for any of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.arrays.core.index_keys import Advanced, Key
from dask_tapestry.arrays.tuning import FEWEST_PLACES
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.nominal import nominal_chunks


def in_place_of_table(key: Key) -> tuple[slice, ...] | None:
    """What indexes what the basic part of a key leaves; None where places are not regular.

    Places in bounds, that stand where the dimension stood which they index.
    """
    if len(key.advanced) != 1 or key.advanced[0].dims != (key.at,):
        return None
    places = as_slice(key.advanced[0])
    return None if places is None else (*[slice(None)] * key.at, places)


def with_chunks_of(x: Tensor, taken: Tensor) -> Tensor:
    """`x` with the nominal chunks of the same cells `taken` by a table: full ones, as Dask's."""
    chunks = nominal_chunks(taken)
    return x if nominal_chunks(x) == chunks else with_chunks_kept(x, chunks)


def as_slice(item: Advanced) -> slice | None:
    """The slice of places in memory, none of them negative; None if there is none.

    Examples
    --------
    >>> as_slice(Advanced(np.array([7, 5, 3, 1]), (0,), 0))
    slice(7, 0, -2)
    >>> as_slice(Advanced(np.array([1, 2, 4]), (0,), 0))
    """
    cells: Any = item.cells
    known = isinstance(cells, np.ndarray) and not item.is_mask and item.axis is not None
    if not known or cells.ndim != 1 or len(cells) < FEWEST_PLACES:
        return None
    first, second, last = int(cells[0]), int(cells[1]), int(cells[-1])
    step = second - first
    if not step or last - first != step * (len(cells) - 1):
        return None
    if not (cells[1:] - cells[:-1] == step).all():
        return None
    end = last + (1 if step > 0 else -1)
    return slice(first, end if end >= 0 else None, step)
