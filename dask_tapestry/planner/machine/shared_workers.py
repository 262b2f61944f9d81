"""Workers that a plan shares with arrays that it does not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil

from dask_tapestry.io.sources.bytes_on_workers import bytes_on_workers
from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.planner.machine.resources import Resources, current, live_client
from dask_tapestry.planner.tuning import MEMORY_PARTS, MOST_HELD_SHARE, UNCOUNTED_SHARE
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node


def resources_beside(nodes: Iterable[Node]) -> Resources:
    """Resources in force for a graph of `nodes`, less what other arrays hold on live workers."""
    resources = current()
    client = None if resources.local or setting("resources") is not None else live_client()
    if client is None:
        return resources
    own = [node.operator.key_name for node in nodes if isinstance(node.operator, BlockSource)]
    share = bytes_on_workers(client, own) / resources.total_bytes
    if share < UNCOUNTED_SHARE:
        return resources
    return replace(resources, held=min(ceil(MEMORY_PARTS * share) / MEMORY_PARTS, MOST_HELD_SHARE))
