"""Results on a cluster: their way to the client, and the memory of workers that it takes.

Results that are kept lie where they were computed. Those that are fetched go to the client block by
block: what the workers cannot hold at once, they compute in several rounds. Those that are joined
are made one value by a task of one worker, which then holds the blocks and the value.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum

from dask_tapestry.planner.cost.step import PlannedSteps
from dask_tapestry.planner.memory.ample_memory import is_ample
from dask_tapestry.planner.memory.memory import WorkerMemory, bytes_of_one_worker
from dask_tapestry.planner.tuning import RESULT_PROCESS_BYTES
from dask_tapestry.teg import Node, Sink


class ResultMemory(Enum):
    """What becomes of the blocks of a plan's results."""

    KEPT = "kept"
    FETCHED = "fetched"
    JOINED = "joined"


def rounds_that_fit(plan: PlannedSteps) -> int | None:
    """Fewest rounds in which workers can hold what is fetched of the results.

    None where they cannot, however small a round is.
    """
    enough = _doubled_until_they_fit(plan)
    if enough is None or enough == 1:
        return enough
    fewer = range(enough // 2 + 1, enough)
    return fewer.start + bisect_left(fewer, True, key=lambda n: WorkerMemory(plan, n).fits)


def may_be_fetched(plan: PlannedSteps) -> bool:
    """Whether workers can hold what is fetched of the results, in however many rounds."""
    return _doubled_until_they_fit(plan) is not None


def _doubled_until_they_fit(plan: PlannedSteps) -> int | None:
    """The first of 1, 2, 4 and so on rounds that fit, or one block each; None where none do."""
    most = max((plan.steps[x].count for x in plan.graph.roots if x in plan.steps), default=1)
    rounds = 1
    if is_ample(plan):
        return rounds
    while not WorkerMemory(plan, rounds).fits:
        if plan.resources.local or rounds >= most:
            return None
        rounds = min(2 * rounds, most)
    return rounds


def joined_bytes(plan: PlannedSteps) -> int:
    """Bytes on the worker that joins the results, if one joins them all; 0 for small ones."""
    if plan.resources.local:
        return 0
    total = sum(_joined(node, plan) for node in dict.fromkeys(plan.graph.roots))
    return total + RESULT_PROCESS_BYTES if total > RESULT_PROCESS_BYTES else 0


def copied_bytes(plan: PlannedSteps, replicas: int) -> int:
    """Bytes on a worker of the copies of results that are held by `replicas` workers each."""
    workers, total = plan.resources.workers, 0.0
    for node in dict.fromkeys(plan.graph.roots):
        step = plan.steps.get(node)
        cuts = step.cuts if step is not None else node.operator.layout
        if cuts is not None and not isinstance(node.operator, Sink):
            copies = (replicas - 1) * bytes_of_one_worker(node, cuts, node.type.nbytes, workers)
            total += min(copies, node.type.nbytes)
    return round(total)


def _joined(node: Node, plan: PlannedSteps) -> int:
    """Bytes of a result, and of its blocks if these have to be joined."""
    if node.is_sequence_point or isinstance(node.operator, Sink):
        return 0
    step = plan.steps.get(node)
    return node.type.nbytes * (1 if step is not None and step.count == 1 else 2)
