"""Joint counts: what shapes of several arrays depend on is counted in one run.

Parts of one array that several masks select are counted in one pass over what the masks are made
of, where each alone would read it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from dask.base import persist

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import CountRun, Deferred
from dask_tapestry.arrays.core.floating_errors import ErrorReporting
from dask_tapestry.arrays.core.late_modules import scheduler_blocks
from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.lower.scheduler_choice import local_options
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.teg import Node
from dask_tapestry_kernels.block_format import with_all_cells


def count_together(values: Iterable[Any]) -> None:
    """Count what several arrays wait for, so that none of their nodes is waited for.

    Where workers cannot hold what all of them keep, and where a client may not be waited for,
    nothing is counted: each is when it is needed.

    Parameters
    ----------
    values
        Arrays, of which some may be counted, and anything else.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(9)
    >>> parts = [x[x > 6], x[x < 2]]
    >>> count_together(parts)
    >>> [part.deferred.remembered_node().type.shape for part in parts]
    [(2,), (2,)]
    """
    arrays = [x for x in values if type(x) is Array and x.deferred is not None]
    client = live_client() if len(arrays) > 1 else None
    if len(arrays) < 2 or (client is not None and client.asynchronous):
        return
    while waiting := _waiting(arrays):
        for one in waiting:
            one.check_machines(None if client is None else client.scheduler_info(n_workers=-1))
        try:
            runs = _counted(waiting)
        except MemoryLimitError:
            return
        for one, run in zip(waiting, runs, strict=True):
            one.remember(run)


def _waiting(arrays: Sequence[Array]) -> list[Deferred]:
    """What is to be counted next for each array, once for all that have the same counts."""
    found: dict[str, list[Deferred]] = {}
    for x in arrays:
        one = None if x.deferred is None else x.deferred.next_count()
        if one is not None:
            found.setdefault(one.name, []).append(one)
    return [alike[0].joined_with(alike) for alike in found.values()]


def _counted(waiting: Sequence[Deferred]) -> list[CountRun]:
    """Run count graphs together; what they keep stays where it is computed."""
    with ErrorReporting():
        kept = iter(_held([node for one in waiting for node in (one.counts, *one.wanted)]))
        runs = []
        for one in waiting:
            counts = np.asarray(with_all_cells(Array(next(kept)).compute()))
            runs.append(CountRun(counts, tuple(next(kept) for _ in one.wanted)))
        return runs


def _held(nodes: Sequence[Node]) -> Sequence[Node]:
    """The values of nodes, kept in this process or by workers."""
    here = scheduler_blocks.kept_here(nodes)
    if here is not None:
        return here
    return [x.node for x in persist(*map(Array, nodes), **local_options({}))]
