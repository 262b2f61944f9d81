"""Limits: what the blocks of a step may take, whatever they cost.

Which share of a worker's memory a whole plan may take is `Resources.usable_bytes`.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from dask.utils import parse_bytes

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.tuning import (
    MOST_EDGES,
    MOST_STEP_BLOCKS,
    ROOMY_BLOCKS,
    TASK_SHARES,
    UNEVEN_BLOCKS,
)
from dask_tapestry.settings import BLOCK_BYTES, setting


def blocks_together(count: int, workers: int) -> int:
    """Blocks of a step of `count`, which wait for nothing, that meet on a worker at most.

    Dask gives each to a worker that has least to do: some have one more than their share.

    Examples
    --------
    >>> [blocks_together(count, 64) for count in (1, 64, 100, 256)]
    [2, 2, 3, 5]
    """
    return ceil(count / workers) + UNEVEN_BLOCKS


@dataclass(frozen=True)
class Limits:
    """What the blocks of a step may take.

    Attributes
    ----------
    task
        Peak bytes of a block; a larger one is refused.
    block
        Bytes that a block should not touch more of, where that leaves few enough blocks; None
        where cost alone decides.
    handy
        Bytes of a block up to which memory is used again.
    blocks, edges
        Blocks of a step, and blocks that these read of other steps, above which cutting goes on
        for `task` alone.
    workers
        Processes that blocks run in.
    few
        Peak bytes of a block of a step that has no more blocks than there are workers, and that
        reads no other step. Those of more blocks take less, as `blocks_together` of them meet.
    only
        Peak bytes of the block of a step that has no other one and reads other steps, as what
        cannot be cut: no share of a task's memory is too little for it, as those steps have ended.
    alone
        Peak bytes of a larger block, which a worker computes with no other such block beside it; 0
        where blocks of all sizes are computed side by side.
    """

    task: int
    block: int | None
    blocks: int
    handy: int = BLOCK_BYTES
    edges: int = MOST_EDGES
    workers: int = 1
    few: int = 0
    only: int = 0
    alone: int = 0

    @classmethod
    def of(cls, resources: Resources, share: float = TASK_SHARES[0]) -> Limits:
        """Limits for `resources`, whose tasks together may take a `share` of the memory."""
        task = max(1, int(2 * share * resources.task_bytes))  # which is half of a thread's memory
        wished = setting("block-bytes")
        block = None if wished is None else min(int(parse_bytes(wished)), task)
        few = min(
            resources.usable_by(k) // min(k.threads, blocks_together(1, 1)) for k in resources.kinds
        )
        blocks = max(MOST_STEP_BLOCKS, 2 * resources.slots)
        some = max(task, int(share * few))
        return cls(task, block, blocks, workers=resources.workers, few=some, only=max(task, few))

    def of_block(self, count: int, edges: int) -> int:
        """Peak bytes of a block of a step of `count` blocks, which have so many edges."""
        if count == 1 and edges:
            return max(self.task, self.only)
        if edges or self.few <= self.task:
            return self.task
        first, together = blocks_together(1, 1), blocks_together(count, self.workers)
        return max(self.task, self.few * first // together)

    @property
    def most(self) -> int:
        """Peak bytes of any block of a step of many blocks."""
        return max(self.task, self.alone)

    def is_alone(self, count: int, edges: int, work: int) -> bool:
        """Whether a block of so many peak bytes has no other such block of its worker beside it."""
        return self.alone > 0 and work > self.of_block(count, edges)

    def excess(self, count: int, edges: int, work: int) -> int:
        """The bytes by which a block of so many peak bytes exceeds its limit."""
        return max(0, work - max(self.alone, self.of_block(count, edges)))

    def with_alone(self, resources: Resources) -> Limits:
        """These limits, but blocks that exceed them are computed one at a time."""
        return replace(self, alone=min(map(resources.usable_by, resources.kinds)))

    def with_least(self, touched: int) -> Limits:
        """The limits of a step whose smallest block touches so much: twice as much is allowed.

        Smaller ones would read the same chunks again, and not be smaller.
        """
        if self.block is None or self.block >= ROOMY_BLOCKS * touched:
            return self
        return replace(self, block=ROOMY_BLOCKS * touched)

    def scaled(self, share: float, usable: int) -> Limits:
        """The limits of workers with a share of a task's memory, and `usable` bytes for a plan."""
        alone = usable if self.alone else 0
        return replace(self, task=int(self.task * share), few=int(self.few * share), alone=alone)

    @property
    def uncut(self) -> Limits:
        """Limits under which nothing is cut unless memory demands it."""
        return replace(self, block=None, blocks=1)
