"""Blocks brought here: those that workers keep, where a scheduler of this process computes.

Sizes that only data tell, as of a mask, are counted where a client is, and `persist` keeps blocks
there. Dask's own schedulers know nothing of a client's futures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dask_tapestry.io.sources.bytes_on_workers import blocks_there
from dask_tapestry.lower.dask_private import Task
from dask_tapestry.planner.machine.resources import runs_in_processes


def brought_here(key_name: str, graph: Mapping[Any, Any]) -> dict[Any, Any]:
    """A graph of the same keys whose tasks ask workers for the blocks that are futures in `graph`.

    Only what is needed comes. Other processes have no client: for them all blocks come at once.
    """
    futures = blocks_there(key_name, graph)
    if runs_in_processes():
        client = next(iter(futures.values())).client
        return dict(zip(futures, client.gather(list(futures.values())), strict=True))
    return {key: Task(key, future.result) for key, future in futures.items()}
