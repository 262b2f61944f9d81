"""Small jobs run by their caller, without a scheduler.

Of a plan of few blocks a scheduler has nothing to decide, and handing the tasks over takes longer
than many of them do: .4 instead of 1.3 ms for a formula of 10,000 cells, 2 instead of 3.5 ms for a
sum over 50 MB in two blocks. Steps follow each other; the blocks of one run side by side. So are
the steps of a loop over blocks that are kept in this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple
from uuid import uuid4

import numpy as np

from dask_tapestry.io.sources.dask_blocks_source import BlockSource, from_blocks
from dask_tapestry.io.sources.duck_source import DuckSource
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.lower.cancellation import Cancellation, is_watched
from dask_tapestry.lower.dry_run_state import is_dry_run
from dask_tapestry.lower.execute import run_block
from dask_tapestry.lower.fp_error_events import current_log
from dask_tapestry.lower.job_announcements import recorded
from dask_tapestry.lower.joined_blocks import lie_in_a_row
from dask_tapestry.lower.prepared_plan import (
    Blocks,
    Computed,
    PreparedPlan,
    PreparedStep,
    Reads,
    prepared,
)
from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.scheduler_choice import LOCAL_SCHEDULERS
from dask_tapestry.lower.tuning import (
    BRIEF_SECONDS,
    FEW_KEPT_BYTES,
    MOST_BRIEF_BLOCKS,
    MOST_BRIEF_BYTES,
    MOST_BRIEF_NODES,
    MOST_BRIEF_STEPS,
    MOST_HELD_BYTES,
)
from dask_tapestry.lower.values_met_again import Meeting
from dask_tapestry.lower.values_until_last_use import Block
from dask_tapestry.planner.cache import verified_plan_of
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.search.evaluate import is_given
from dask_tapestry.rules.open_views import part_in_memory
from dask_tapestry.settings import of_dask
from dask_tapestry.teg import Node, Operator, Sink
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.thread_map import side_by_side
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import is_on_device

THREADED: Final = (None, "threads", "threading")


class KeptBlocks(NamedTuple):
    """The blocks of a value: under the key ``(name, i, j, ...)`` one that `cuts` cuts."""

    blocks: dict[tuple[Any, ...], Block]
    name: str
    cuts: tuple[Cuts, ...]


def compute_synchronously(roots: Sequence[Node]) -> list[Any] | None:
    """Plan and compute `roots` by this thread and some helpers; None where a scheduler should.

    That is where there is much to compute, or somebody watches, or has said how it should run.
    """
    if is_dry_run() or _is_watched():
        return None
    meeting = Meeting(roots)
    here = _cells_here(roots, meeting.given)
    if here is not None:
        return here
    found = _small_plan(roots, meeting)
    if found is None:
        return None
    plan, ready = found.plan, found.ready
    outs: dict[Node, ResultBuffer] = {}
    roots = plan.graph.roots[: len(roots)]
    for node in roots:
        if node.format is None:
            outs[node] = ResultBuffer(node.type, ready.by_node[node].order)
    held = found.run(outs)
    results = []
    for place, node in enumerate(roots):
        out, again = outs.get(node, REMOTE), node in roots[:place]
        cuts = ready.by_node[node].step.cuts
        results.append(finish_array(cuts, out, again, node.format, *held[node].values()))
    return results


def persist_synchronously(roots: Sequence[Node]) -> list[KeptBlocks] | None:
    """The blocks of `roots`, computed as by `compute_synchronously`; None where a scheduler should.

    Blocks are cut as the plan cuts them.
    """
    if is_dry_run() or _is_watched():
        return None
    found = _small_plan(roots, Meeting(roots))
    if found is None:
        return None
    steps, roots = found.plan.steps, found.plan.graph.roots[: len(roots)]
    rows = [x for x in roots if lie_in_a_row(steps[x])]
    held = found.run({x: ResultBuffer(x.type, kept=False) for x in rows})
    return [_kept_blocks(steps[x], held[x]) for x in roots]


def _kept_blocks(step: Step, blocks: Blocks) -> KeptBlocks:
    name = f"{step.name.rpartition('-')[0]}-{uuid4().hex}"  # a kept plan computes other data too
    keyed = {(name, *index): block for index, block in blocks.items()}
    return KeptBlocks(keyed, name, step.cuts)


class _SmallJob(NamedTuple):
    """A plan that is run without a scheduler.

    Attributes
    ----------
    plan, ready
        It, and what is the same each time.
    meeting
        What earlier computes met of its graph.
    beside
        Values that are computed beside what is asked for: they are met again.
    """

    plan: PlannedGraph
    ready: PreparedPlan
    meeting: Meeting
    beside: tuple[Node, ...]

    def run(self, outs: Mapping[Node, ResultBuffer]) -> dict[Node, Blocks]:
        """Compute the blocks of each step; return those of the roots."""
        made_of = self.meeting.arrays() if self.beside else {}
        held = _run(self.plan, self.ready, outs)
        count = len(self.plan.graph.roots) - len(self.beside)
        kept = {
            node: self._as_source(node, root, held[root], outs)
            for node, root in zip(self.beside, self.plan.graph.roots[count:], strict=True)
        }
        self.meeting.end(kept, made_of)
        return held

    def _as_source(
        self, node: Node, root: Node, blocks: Blocks, outs: Mapping[Node, ResultBuffer]
    ) -> Node:
        """A value that is kept: where it is a result too, that is the user's own."""
        if root in outs and outs[root].kept:
            blocks = {index: np.array(block) for index, block in blocks.items()}
        one = _kept_blocks(self.plan.steps[root], blocks)
        stored = stored_cuts(node)  # no sum depends on whether a value is kept
        return from_blocks(one.name, node.type, one.cuts, one.blocks, one.name, None, stored)


def _small_plan(roots: Sequence[Node], meeting: Meeting) -> _SmallJob | None:
    """The plan of `roots` if there is so little to compute that a scheduler is not worth it.

    Values that are met again are computed beside them, unless that is too much.
    """
    if not _is_small(roots, meeting.order):
        return None
    again = meeting.read_again()
    for beside in (again, ()) if again else ((),):
        plan = verified_plan_of((*roots, *beside), meeting.given, meeting.order)
        ready = prepared(plan)
        if _is_brief(ready):
            return _SmallJob(plan, ready, meeting, beside)
    return None


def _is_brief(ready: PreparedPlan) -> bool:
    """Whether a scheduler has little to decide: steps of one block follow each other anyway."""
    if ready.needs_scheduler or ready.blocks - len(ready.steps) > MOST_BRIEF_BLOCKS:
        return False
    if len(ready.steps) > MOST_BRIEF_STEPS and ready.seconds_saved > BRIEF_SECONDS:
        return False
    return ready.between <= MOST_HELD_BYTES


def _is_watched() -> bool:
    chosen = of_dask("scheduler")
    told = of_dask("pool") is not None or of_dask("num_workers") is not None
    unusual = told or chosen not in LOCAL_SCHEDULERS
    return unusual or recorded() or is_watched() or live_client() is not None


def _is_small(roots: Sequence[Node], order: Sequence[Node]) -> bool:
    """Whether all values are small, and none is stored, written or waited for.

    Arrays that are in memory take none: of a large one some cells may be asked for. Of other
    libraries only those on devices are taken, which a thread hands its work. `order` is all nodes
    that are computed.
    """
    if len(order) > MOST_BRIEF_NODES:
        return False
    for node in order:
        operator = node.operator
        if node.after or isinstance(operator, Sink):
            return False
        if node.format is not None and not node.format.on_device:
            return False
        is_large = node.type.nbytes > MOST_BRIEF_BYTES
        if (is_large or is_given(node)) and not (
            _is_array(operator) or (_is_here(node) and node not in roots)
        ):
            return False
    return True


def _is_array(operator: Operator) -> bool:
    """Whether an operator gives an array in this process, of NumPy's or on a device."""
    return isinstance(operator, NumpySource) or (
        isinstance(operator, DuckSource) and is_on_device(operator.data)
    )


def _cells_here(roots: Sequence[Node], given: Mapping[Node, Node]) -> list[Any] | None:
    """Copies of values of few cells that lie in this process, as parts of arrays; None of others.

    They are not planned: it takes longer than to copy them. `given` are sources of values that are
    kept.
    """
    found: list[Any] = []
    for node in roots:
        few = node.type.nbytes <= FEW_KEPT_BYTES and node.format is None and not node.after
        cells = part_in_memory(node, given) if few else None
        if cells is None or cells.dtype != node.type.dtype:
            return None
        copied = np.array(cells, order="C" if node.inputs else "K")
        found.append(copied if copied.ndim else copied[()])
    return found


def _is_here(node: Node) -> bool:
    """Whether blocks are given that are arrays in this process: no tasks, and no futures."""
    operator = node.operator
    if (
        not isinstance(operator, BlockSource)
        or prod(c.count for c in operator.cuts) > MOST_BRIEF_BLOCKS
    ):
        return False
    indices = product(*[range(c.count) for c in operator.cuts])
    blocks = (operator.graph.get((operator.key_name, *index)) for index in indices)
    return all(isinstance(block, np.ndarray) or is_on_device(block) for block in blocks)


def _run(
    plan: PlannedGraph, ready: PreparedPlan, outs: Mapping[Node, ResultBuffer]
) -> dict[Node, Blocks]:
    """Compute the blocks of each step, when what they need is there; return those of the roots.

    Of a root that is asked for again the value is another array.
    """
    threaded = of_dask("scheduler") in THREADED
    threads = plan.resources.threads if threaded else 1
    if ready.knows_its_compute:
        plan = plan.for_run(uuid4().hex)
        ready = prepared(plan)
    computed: dict[Node, Blocks] = {}
    for one in ready.steps:
        node = one.step.node
        out = outs.get(node)
        if out is None:
            out = ResultBuffer(node.type, kept=False) if one.is_joined else REMOTE
        computed[node] = _blocks(plan, one, computed, out, threads)
        for x in one.last_read:
            computed.pop(x, None)
    return computed


def _blocks(
    plan: PlannedGraph, one: PreparedStep, computed: Computed, out: ResultBuffer, threads: int
) -> Blocks:
    """Compute a step's blocks, in C order."""
    stop = Cancellation()
    spec = one.spec.of_compute(current_log(), stop)

    def block(index: tuple[int, ...], reads: Reads) -> Block:
        inputs = [block for read in reads for block in read.blocks(plan, computed)]
        return run_block(spec, index, out, *inputs)

    calls = [partial(block, *each) for each in one.blocks]
    together = 1 if one.step.machine.alone else threads
    results = side_by_side(calls, together, stop.ask)
    return {index: result for (index, _), result in zip(one.blocks, results, strict=True)}
