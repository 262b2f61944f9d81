"""Small computations run by their caller.

A plan whose steps are single blocks has nothing to run side by side, and handing its few tasks to a
scheduler takes longer than they do: .4 instead of 1.3 ms for a formula of 10,000 cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import dask.config
from dask.callbacks import Callback

from dask_tapestry.io.block_source import BlockSource
from dask_tapestry.lower.execute import Block, finish_array, run_block
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.plan.cache import plan_of
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import live_client
from dask_tapestry.plan.step import Step, memory_order
from dask_tapestry.teg import Node, Sink

MOST_STEPS: Final = 8
MOST_NODES: Final = 64
MOST_BYTES: Final = 2**20  # of a value; below, other threads would hardly help
LOCAL_SCHEDULERS: Final = (None, "threads", "threading", "sync", "synchronous", "single-threaded")


def compute_synchronously(roots: Sequence[Node]) -> list[Any] | None:
    """Plan and compute `roots` in this thread; None where that is better left to a scheduler.

    That is where there is much to compute, or somebody watches, or has said how it should run.
    """
    if _is_watched() or not _is_small(roots):
        return None
    plan = plan_of(roots)
    steps = plan.steps.values()
    if len(steps) > MOST_STEPS or any(step.count > 1 for step in steps):
        return None
    plan.verify()
    return _run(plan)


def _is_watched() -> bool:
    chosen = dask.config.get("scheduler", None)
    return chosen not in LOCAL_SCHEDULERS or bool(Callback.active) or live_client() is not None


def _is_small(roots: Sequence[Node]) -> bool:
    """Whether all values are small, and none is stored, written or waited for."""
    seen, stack = set(roots), list(roots)
    while stack:
        node = stack.pop()
        operator = node.operator
        if node.after or node.type.nbytes > MOST_BYTES or len(seen) > MOST_NODES:
            return False
        if isinstance(operator, Sink | BlockSource) or operator.layout is not None:
            return False
        fresh = [x for x in node.inputs if x not in seen]
        seen.update(fresh)
        stack += fresh
    return True


def _run(plan: Plan) -> list[Any]:
    """Compute the only block of each step, when what it needs is there; return the roots' values.

    Of a root that is asked for again the value is another array.
    """
    roots = plan.graph.roots
    blocks: dict[Node, Block] = {}
    outs: dict[Node, ResultBuffer] = {}
    for node in plan.graph.nodes:
        step = plan.steps.get(node)
        if step is not None:
            order = memory_order(node, step.inputs)
            outs[node] = ResultBuffer(node.type, order) if node in roots else REMOTE
            blocks[node] = _block(plan, step, blocks, outs[node])
    return [
        finish_array(plan.steps[node].cuts, outs[node], node in roots[:place], blocks[node])
        for place, node in enumerate(roots)
    ]


def _block(plan: Plan, step: Step, blocks: Mapping[Node, Block], out: ResultBuffer) -> Block:
    """Compute the only block of a step from those of others and from arrays in memory."""
    held = [plan.steps[x].cuts if x in blocks else None for x in step.inputs]
    spec, index = StepSpec.of(step, tuple(held)), (0,) * step.node.type.ndim
    given: list[Block] = []
    for x, boxes in zip(step.inputs, spec.input_boxes(index), strict=True):
        if x in blocks:
            given += [blocks[x]] * len(boxes)
        else:
            data: Block = plan.source(x).operator.data  # type: ignore[attr-defined]
            given += [data[box.index()] for box in boxes]
    made: Block = run_block(spec, index, out, *given)
    return made
