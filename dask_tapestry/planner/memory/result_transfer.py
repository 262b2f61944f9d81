"""The transfer of results: what their way from a cluster to its client takes.

``compute()`` brings the blocks of results to one process, some of them at a time. They come through
the network of that one machine, however many workers send them; what stays with the workers, as of
``persist()``, or is written to a store, takes nothing of it.
"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from dask_tapestry.planner.cost.step import PlannedSteps
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import BYTES_ASKED_TOGETHER, FETCH_SECONDS
from dask_tapestry.teg import Node, Sink


class ResultTransfer(NamedTuple):
    """What all results take on their way to the client.

    Attributes
    ----------
    bytes, blocks
        That come, each result once.
    seconds
        Until all are there, after the last one is computed.
    """

    bytes: int = 0
    blocks: int = 0
    seconds: float = 0.0


NOTHING: Final = ResultTransfer()


def gathered(plan: PlannedSteps) -> ResultTransfer:
    """What the results of a plan take if they are computed; nothing where they are at home.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((10_000, 10_000), "f8", stored_chunks=(1000, 10_000))
    >>> far = dt.Resources(workers=4, threads=1, memory="4 GiB", bandwidth="1 GB/s")
    >>> found = gathered(dt.plan(x + 1, resources=far).core)
    >>> found.bytes, f"{found.seconds:.2f}"
    (800000000, '0.81')
    >>> gathered(dt.plan(x.sum(), resources=far).core).bytes
    8
    """
    if plan.resources.local:
        return NOTHING
    machine = Machine.of(plan.resources)
    bytes = blocks = 0
    messages = 0.0
    for node in dict.fromkeys(plan.graph.roots):
        if node.is_sequence_point or isinstance(node.operator, Sink):
            continue
        own, count, block = node.type.nbytes, *_blocks(node, plan)
        at_once = max(1, min(count, BYTES_ASKED_TOGETHER // max(1, block)))
        bytes, blocks = bytes + own, blocks + count
        messages += count / at_once
    if not blocks:
        return NOTHING
    seconds = FETCH_SECONDS + bytes / machine.network + messages * machine.latency
    return ResultTransfer(bytes, blocks, seconds)


def _blocks(node: Node, plan: PlannedSteps) -> tuple[int, int]:
    """How many blocks a result has, and bytes of the largest."""
    step = plan.steps.get(node)
    cuts = (node.operator.layout or ()) if step is None else step.cuts
    size = prod([c.longest for c in cuts]) if cuts else node.type.size
    return prod([c.count for c in cuts]), size * node.type.dtype.itemsize
