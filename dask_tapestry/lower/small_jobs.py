"""Small jobs run by their caller, without a scheduler.

Of a plan of few blocks a scheduler has nothing to decide, and handing the tasks over takes longer
than many of them do: .4 instead of 1.3 ms for a formula of 10,000 cells, 2 instead of 3.5 ms for a
sum over 50 MB in two blocks. Steps follow each other; the blocks of one run side by side. So are
the steps of a loop over blocks that are kept in this process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple
from uuid import uuid4

import dask.config
import numpy as np

from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.io.sources.duck_source import DuckSource
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.lower.cancellation import Cancellation, is_watched
from dask_tapestry.lower.dry_run_state import is_dry_run
from dask_tapestry.lower.execute import run_block
from dask_tapestry.lower.job_announcements import recorded
from dask_tapestry.lower.joined_blocks import buffers_between
from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.scheduler_choice import LOCAL_SCHEDULERS
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.temporary_values import exchanged_through
from dask_tapestry.lower.thread_map import side_by_side
from dask_tapestry.lower.tuning import (
    BRIEF_SECONDS,
    FEW_KEPT_BYTES,
    MOST_BRIEF_BLOCKS,
    MOST_BRIEF_BYTES,
    MOST_BRIEF_NODES,
    MOST_BRIEF_STEPS,
    MOST_HELD_BYTES,
)
from dask_tapestry.lower.values_until_last_use import Block
from dask_tapestry.planner.cache import verified_plan_of
from dask_tapestry.planner.cost.step import Step, memory_order
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.search.evaluate import is_given
from dask_tapestry.steps.symmetric_blocks import is_symmetric
from dask_tapestry.teg import Node, Operator, Sink
from dask_tapestry.zspace import Cuts, block_range
from dask_tapestry_kernels.block_format import is_on_device

THREADED: Final = (None, "threads", "threading")

Blocks = dict[tuple[int, ...], Block]


class KeptBlocks(NamedTuple):
    """The blocks of a value: under the key ``(name, i, j, ...)`` one that `cuts` cuts."""

    blocks: dict[tuple[Any, ...], Block]
    name: str
    cuts: tuple[Cuts, ...]


def compute_synchronously(roots: Sequence[Node]) -> list[Any] | None:
    """Plan and compute `roots` by this thread and some helpers; None where a scheduler should.

    That is where there is much to compute, or somebody watches, or has said how it should run.
    """
    if is_dry_run():
        return None
    if all(map(_is_kept, roots)) and not _is_watched():
        blocks = [np.array(_only_block(node)) for node in roots]
        return [block if block.ndim else block[()] for block in blocks]
    plan = _small_plan(roots)
    if plan is None:
        return None
    outs = buffers_between(plan.steps)
    roots = plan.graph.roots
    for node in roots:
        if node.format is None:
            outs[node] = ResultBuffer(node.type, memory_order(node, plan.steps[node].inputs))
    held = _run(plan, outs)
    results = []
    for place, node in enumerate(roots):
        out, again = outs.get(node, REMOTE), node in roots[:place]
        results.append(
            finish_array(plan.steps[node].cuts, out, again, node.format, *held[node].values())
        )
    return results


def persist_synchronously(roots: Sequence[Node]) -> list[KeptBlocks] | None:
    """The blocks of `roots`, computed as by `compute_synchronously`; None where a scheduler should.

    Blocks are cut as the plan cuts them.
    """
    plan = _small_plan(roots)
    if plan is None:
        return None
    held = _run(plan, {})
    return [_kept_blocks(plan.steps[node], held[node]) for node in plan.graph.roots]


def _kept_blocks(step: Step, blocks: Blocks) -> KeptBlocks:
    name = f"{step.name.rpartition('-')[0]}-{uuid4().hex}"  # a kept plan computes other data too
    keyed = {(name, *index): block for index, block in blocks.items()}
    return KeptBlocks(keyed, name, step.cuts)


def _small_plan(roots: Sequence[Node]) -> PlannedGraph | None:
    """The plan of `roots` if there is so little to compute that a scheduler is not worth it."""
    if is_dry_run() or _is_watched() or not _is_small(roots):
        return None
    plan = verified_plan_of(roots)
    steps = plan.steps.values()
    if (
        sum(step.count for step in steps) > MOST_BRIEF_BLOCKS
        or set(plan.graph.roots) - plan.steps.keys()
    ):
        return None
    if (
        len(steps) > MOST_BRIEF_STEPS
        and sum(step.estimate.compute for step in steps) > BRIEF_SECONDS
    ):
        return None
    if plan.resources.workers > 1 or any(is_symmetric(step.program, step.cuts) for step in steps):
        return None
    if exchanged_through(plan) is not None or _bytes_between(plan) > MOST_HELD_BYTES:
        return None
    return plan


def _bytes_between(plan: PlannedGraph) -> int:
    """Bytes of what steps hand on, which is held whole here; a scheduler drops block by block."""
    return sum(node.type.nbytes for node in plan.steps.keys() - set(plan.graph.roots))


def _is_watched() -> bool:
    chosen = dask.config.get("scheduler", None)
    told = any(dask.config.get(name, None) is not None for name in ("pool", "num_workers"))
    unusual = told or chosen not in LOCAL_SCHEDULERS
    return unusual or recorded() or is_watched() or live_client() is not None


def _is_small(roots: Sequence[Node]) -> bool:
    """Whether all values are small, and none is stored, written or waited for.

    Arrays that are in memory take none: of a large one some cells may be asked for. Of other
    libraries only those on devices are taken, which a thread hands its work.
    """
    visited, stack = set(roots), list(roots)
    while stack:
        node = stack.pop()
        operator = node.operator
        in_memory = _is_array(operator) or (_is_here(node) and node not in roots)
        if (
            node.after
            or len(visited) > MOST_BRIEF_NODES
            or (node.type.nbytes > MOST_BRIEF_BYTES and not in_memory)
        ):
            return False
        held_apart = node.format is not None and not node.format.on_device
        if isinstance(operator, Sink) or held_apart or (is_given(node) and not in_memory):
            return False
        fresh = [x for x in node.inputs if x not in visited]
        visited.update(fresh)
        stack += fresh
    return True


def _is_array(operator: Operator) -> bool:
    """Whether an operator gives an array in this process, of NumPy's or on a device."""
    return isinstance(operator, NumpySource) or (
        isinstance(operator, DuckSource) and is_on_device(operator.data)
    )


def _is_kept(node: Node) -> bool:
    """Whether a value of a few cells was computed before, as one block in this process."""
    small = node.type.nbytes <= FEW_KEPT_BYTES and node.format is None and not node.after
    return small and _is_here(node) and isinstance(_only_block(node), np.ndarray)


def _only_block(node: Node) -> object:
    operator = node.operator
    if not isinstance(operator, BlockSource) or prod(c.count for c in operator.cuts) > 1:
        return None
    return operator.graph.get((operator.key_name, *[0] * len(operator.cuts)))


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


def _run(plan: PlannedGraph, outs: Mapping[Node, ResultBuffer]) -> dict[Node, Blocks]:
    """Compute the blocks of each step, when what they need is there; return those of the roots.

    Of a root that is asked for again the value is another array.
    """
    threaded = dask.config.get("scheduler", None) in THREADED
    threads = plan.resources.threads if threaded else 1
    plan = plan.for_run(uuid4().hex)
    roots = plan.graph.roots
    readers = Counter(x for step in plan.steps.values() for x in dict.fromkeys(step.inputs))
    computed: dict[Node, Blocks] = {}
    for node in plan.graph.nodes:
        step = plan.steps.get(node)
        if step is None:
            continue
        computed[node] = _blocks(plan, step, computed, outs.get(node, REMOTE), threads)
        for x in dict.fromkeys(step.inputs):
            readers[x] -= 1
            if not readers[x] and x not in roots:
                computed.pop(x, None)
    return computed


def _blocks(
    plan: PlannedGraph, step: Step, computed: Mapping[Node, Blocks], out: ResultBuffer, threads: int
) -> Blocks:
    """Compute a step's blocks, in C order."""
    cuts = [_cuts(plan, x, computed) for x in step.inputs]
    stop = Cancellation()
    spec = StepSpec.of(step, tuple(cuts), stop)
    indices = list(product(*map(range, step.grid_shape)))
    calls = [
        partial(run_block, spec, index, out, *_block_inputs(plan, step, spec, index, computed))
        for index in indices
    ]
    together = 1 if step.machine.alone else threads
    return dict(zip(indices, side_by_side(calls, together, stop.ask), strict=True))


def _cuts(plan: PlannedGraph, x: Node, held: Mapping[Node, Blocks]) -> tuple[Cuts, ...] | None:
    """How an input is cut; None for an array in memory."""
    if x in held:
        return plan.steps[x].cuts
    operator = plan.source(x).operator
    return operator.cuts if isinstance(operator, BlockSource) else None


def _block_inputs(
    plan: PlannedGraph,
    step: Step,
    spec: StepSpec,
    index: tuple[int, ...],
    computed: Mapping[Node, Blocks],
) -> list[Block]:
    """What a block reads: blocks of other steps, or given ones, and cells of arrays in memory."""
    inputs: list[Block] = []
    for x, boxes in zip(step.inputs, spec.input_boxes(index), strict=True):
        operator = plan.source(x).operator
        if x in computed:
            cuts = plan.steps[x].cuts
            inputs += [computed[x][i] for box in boxes for i in product(*block_range(cuts, box))]
        elif isinstance(operator, BlockSource):
            graph, name = operator.graph, operator.key_name
            ranges = [block_range(operator.cuts, box) for box in boxes]
            inputs += [graph[(name, *i)] for each in ranges for i in product(*each)]
        else:
            data: Block = operator.data  # type: ignore[attr-defined]
            inputs += [data[box.index()] for box in boxes]
    return inputs
