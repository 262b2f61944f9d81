"""Resident values: how many bytes of each step's output workers hold at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

from dask_tapestry.planner.cost.footprint import met_blocks
from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.memory.lifetimes import Lifetimes
from dask_tapestry.planner.memory.phased_execution import in_the_same_rounds, largest_round
from dask_tapestry.planner.memory.scattered_reads import reads_far_apart
from dask_tapestry.planner.memory.waiting_shares import WaitingShares
from dask_tapestry.planner.tuning import MOST_PAIRED_STEPS, STREAMED_BLOCKS_A_SLOT
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node, Sink
from dask_tapestry.zspace import Cuts, block_box


def resident_bytes(plan: PlannedSteps) -> dict[Node, int]:
    """Bytes of each step's output that are held at once.

    A value that is read block by block is freed block by block, one that is read in rounds round by
    round; results, values that a block of a reader reads whole, those of which a reader waits for
    something made of all, and those of which blocks read pieces far apart, are held whole. Of those
    of which a reader waits for something made of a part, that part is held.
    """
    return all_resident(plan, lifetimes_of(plan))


def lifetimes_of(plan: PlannedSteps) -> Lifetimes | None:
    """Which values are held together; None for plans of too many steps to compare them."""
    return (
        Lifetimes(plan.steps, set(plan.graph.roots))
        if len(plan.steps) <= MOST_PAIRED_STEPS
        else None
    )


def all_resident(
    plan: PlannedSteps, lifetimes: Lifetimes | None, rounds: int = 1
) -> dict[Node, int]:
    """The bytes that workers hold of each value, as far as it is known which steps end before.

    Of results that are fetched in `rounds` the blocks of one are held.
    """
    readers = _readers(plan)
    waiting, soon = WaitingShares(plan.steps), passed_on(plan)
    found = dict[Node, int]()
    for node, step in plan.steps.items():
        if node in soon:
            found[node] = min(node.type.nbytes, _bytes_passed_on(step, *readers[node]))
            continue
        held = _resident(step, plan, readers[node], lifetimes, rounds)
        if 0 < held < node.type.nbytes and len(readers[node]) > 1:
            share = max(waiting.share(node, reader) for reader in readers[node])
            held = max(held, _bytes_of_round(step, share))
        found[node] = held
    return found


def _readers(plan: PlannedSteps) -> dict[Node, list[Step]]:
    """The steps that read each value."""
    readers: dict[Node, list[Step]] = {node: [] for node in plan.steps}
    for reader in plan.steps.values():
        for node in dict.fromkeys(reader.inputs):
            if node in readers and node is not reader.node:
                readers[node].append(reader)
    return readers


def passed_on(plan: PlannedSteps) -> frozenset[Node]:
    """Values made of stored cells alone, each block of which one block of the one reader reads.

    Each is let go of by the task that follows its own, before others are begun.
    """
    readers = _readers(plan)
    return frozenset(
        node
        for node, step in plan.steps.items()
        if len(readers[node]) == 1
        and node not in plan.graph.roots
        and _follows_alone(readers[node][0], step, plan)
    )


def _bytes_passed_on(step: Step, reader: Step) -> int:
    """Bytes of blocks of which one for each slot waits while the next one is made.

    Two wait while the first is read: that takes no more, if reading takes so much less than making.
    """
    waiting = 1 if reader.needs.work + step.block_bytes <= step.needs.work else 2
    return step.machine.slots * waiting * step.block_bytes


def _follows_alone(reader: Step, step: Step, plan: PlannedSteps) -> bool:
    """Whether each block of a step is followed by one of its reader, which waits for no other."""
    at_once = not any(x in plan.steps for x in step.inputs)
    alone = all(x is step.node or x not in plan.steps for x in reader.inputs)
    return at_once and alone and reader.count == step.count and _blocks_read(reader, step) == 1


def _resident(
    step: Step,
    plan: PlannedSteps,
    readers: Sequence[Step],
    lifetimes: Lifetimes | None,
    rounds: int,
) -> int:
    node = step.node
    if isinstance(node.operator, Sink):
        return 0
    block = step.block_bytes
    is_result = node in plan.graph.roots and not node.operator.hands_on
    if is_result and (rounds == 1 or readers):
        return node.type.nbytes
    if is_result:
        return min(node.type.nbytes, ceil(step.count / rounds) * block)
    if lifetimes and any(lifetimes.ends_before(node, r.node) for r in readers):
        return node.type.nbytes
    if any(reads_far_apart(r, step) for r in readers):
        return node.type.nbytes
    most = max([_blocks_read(r, step) for r in readers], default=0)
    if most <= _neighbourhood(step.cuts):
        a_slot = max(STREAMED_BLOCKS_A_SLOT, most)
        return min(node.type.nbytes, step.machine.slots * a_slot * block)
    share = largest_round(readers[0], step) if len(readers) == 1 else 1.0
    if share < 1 and _waits_for_other_rounds(step, readers[0], plan, lifetimes):
        return node.type.nbytes
    return _bytes_of_round(step, share)


def _bytes_of_round(step: Step, share: float) -> int:
    """Bytes of a part of a step's value, and of blocks of the next part."""
    nbytes = step.node.type.nbytes
    return min(nbytes, int(share * nbytes) + step.machine.slots * step.block_bytes)


def _waits_for_other_rounds(
    step: Step, reader: Step, plan: PlannedSteps, lifetimes: Lifetimes | None
) -> bool:
    """Whether what a reader takes together of a step's value is made of all rounds before it.

    Not of what is held whole until the step ends.
    """
    for node in step.inputs:
        before = plan.steps.get(node)
        if before is None or before is step or node in plan.graph.roots:
            continue
        if lifetimes and lifetimes.ends_before(node, step.node):
            continue
        many = _blocks_read(step, before) > _neighbourhood(before.cuts)
        if many and not in_the_same_rounds(reader, step, before):
            return True
    return False


def takes_few_blocks(reader: Step, step: Step) -> bool:
    """Whether a block of `reader` reads no more blocks of `step` than meet in a corner."""
    return _blocks_read(reader, step) <= _neighbourhood(step.cuts)


def _blocks_read(reader: Step, step: Step) -> int:
    """Blocks of `step` that one block of `reader` reads at a time."""
    at = reader.inputs.index(step.node)
    return _blocks_met(reader.program, reader.cuts, at, step.cuts)


@lru_cache(maxsize=2**15)  # the plans that a search compares have most steps in common
def _blocks_met(
    program: Program, cuts: tuple[Cuts, ...], number: int, held: tuple[Cuts, ...]
) -> int:
    boxes = program.input_boxes(block_box(cuts, (0,) * len(cuts)))[number]
    return max((met_blocks(b, held) for b in boxes), default=0)


def _neighbourhood(held: tuple[Cuts, ...]) -> int:
    """Blocks that meet in a corner: a value of which no more are read at a time is streamed."""
    return 1 << max(len(held), 1)
