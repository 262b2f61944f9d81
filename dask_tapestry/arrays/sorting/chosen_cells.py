"""Chosen cells: those of two vectors that a set operation asks for, by one exchange of both.

The count run makes the cells themselves, in buckets, and keeps these where workers have room.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.arrays.tuning import CHOSEN_TOGETHER
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.operators.sorting.joint_runs import joint_run_counts
from dask_tapestry.operators.sorting.picked_spans import all_spans
from dask_tapestry.operators.sorting.set_cells import Choice, bucket_sizes, most_cells, set_cells
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.nominal import nominal_chunks


def are_choosable(x: Tensor, y: Tensor) -> bool:
    """Whether cells are chosen of vectors: many cells, with keys, and in the memory of hosts."""
    is_host = x.format is None and y.format is None
    has_keys = bool(joint_run_counts(x.type, y.type))
    return is_host and has_keys and x.type.size + y.type.size >= CHOSEN_TOGETHER


def chosen_cells(choice: Choice, x: Tensor, y: Tensor) -> Array:
    """The distinct cells, sorted, that are chosen of vectors of one dtype, which are choosable."""
    found, chunks = set_cells(choice, x, y), nominal_chunks(x)

    def joined(buckets: Tensor, counts: Counts) -> Tensor:
        cells = all_spans(buckets, counts)
        return with_chunks_kept(cells, tuple([one.refilled(cells.type.size) for one in chunks]))

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        return joined(kept[0] if kept else found, counts)

    most, spans = most_cells(choice, (x.type.size, y.type.size)), found.type.size
    bound = joined(found, np.diff(np.arange(spans + 1) * most // spans))
    return Array(Deferred(bucket_sizes(found), (found,), build, bound, found))
