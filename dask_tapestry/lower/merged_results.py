"""Partial results that are merged as they come: those that wait lie side by side in one block."""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.lower.frame import Frame, block_frame
from dask_tapestry.lower.values_until_last_use import Block, Blocks
from dask_tapestry.steps.block_schedule import BlockSchedule
from dask_tapestry.steps.merges import Merges
from dask_tapestry.zspace import ZRange


class MergedResults:
    """The partial results of a loop that wait for their neighbours.

    Two that are merged lie side by side, and the result takes the place of the first: the kernels
    of reductions return memory of their own.

    Parameters
    ----------
    merges
        How they are merged.
    block
        Room for as many as may wait.
    """

    def __init__(self, merges: Merges, block: Block) -> None:
        self._merges, self._block = merges, block
        self._waiting: list[tuple[int, int]] = []  # level and number of each, in order

    def room(self, piece: ZRange) -> Block:
        """Where the one that comes next goes."""
        self._waiting.append((0, piece.lo[self._merges.axis]))
        return self._places(len(self._waiting) - 1, len(self._waiting))

    def frames(self) -> Iterator[Frame]:
        """The merges that are due after one has come, in order."""
        merges, waiting = self._merges, self._waiting
        while True:
            level, number = waiting[-1]
            if merges.freely and self._is_beside_its_kin():
                waiting.pop()
                yield self._merge(merges.first_pair, 0)
            elif merges.freely or level == len(merges.pairs):
                return
            elif not merges.joins(level):
                waiting[-1] = level + 1, number
            elif number % 2:
                waiting[-2:] = [(level + 1, number // 2)]
                yield self._merge(level, number // 2)
            elif merges.is_last(level, number):
                waiting[-1] = level + 1, number // 2
            else:
                return

    def roots(self) -> Blocks:
        """The last ones."""
        return {(0, self._merges.roots): self._places(0, len(self._waiting))}

    def _is_beside_its_kin(self) -> bool:
        """Whether the last two go into the same root."""
        roots = [self._merges.root_of(number) for _, number in self._waiting[-2:]]
        return len(roots) == 2 and roots[0] == roots[1]

    def _merge(self, level: int, number: int) -> Frame:
        """The last one that waits, with what follows it, becomes the one of a number above."""
        merges, at = self._merges, len(self._waiting) - 1
        block = BlockSchedule.whole(merges.pairs[level], merges.box(number))
        ((need,),) = block.schedule.boxes[:1]
        return block_frame(block, {(0, need): self._places(at, at + 2)}, self._places(at, at + 1))

    def _places(self, first: int, stop: int) -> Block:
        at = (slice(None),) * self._merges.axis
        return self._block[(*at, slice(first, stop))]
