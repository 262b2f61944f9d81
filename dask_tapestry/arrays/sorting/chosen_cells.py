"""Chosen cells: those of one vector or two that a set operation asks for, by one exchange of both.

The count run makes the cells themselves, in buckets, and keeps these where workers have room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.operators.sorting.picked_spans import all_spans
from dask_tapestry.operators.sorting.set_cells import Choice, bucket_sizes, most_cells, set_cells
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.nominal import nominal_chunks

KINDS: Final = "biufcmMSU"  # of cells that have keys


def are_choosable(*vectors: Tensor) -> bool:
    """Whether cells may be chosen of vectors: of this machine's memory, with keys, and some."""
    return all(x.type.size and x.type.dtype.kind in KINDS and x.format is None for x in vectors)


def chosen_cells(choice: Choice, *vectors: Tensor, one_nan: bool = True) -> Array:
    """The distinct cells, sorted, that are chosen of vectors of one dtype, which are choosable."""
    found = set_cells(choice, *vectors, one_nan=one_nan)
    chunks = nominal_chunks(vectors[0])

    def joined(buckets: Tensor, counts: Counts) -> Tensor:
        cells = all_spans(buckets, counts)
        return with_chunks_kept(cells, tuple([x.refilled(cells.type.size) for x in chunks]))

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        return joined(kept[0] if kept else found, counts)

    most, spans = most_cells(choice, [x.type.size for x in vectors]), found.type.size
    bound = joined(found, np.diff(np.arange(spans + 1) * most // spans))
    return Array(Deferred(bucket_sizes(found), (found,), build, bound, found))
