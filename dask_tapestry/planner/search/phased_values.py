"""Phased values: one that workers cannot hold whole is made and read part by part.

Each part is what some blocks of its reader need. So stored chunks are read once a round, where each
block of the reader would read all of them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, prod

from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import ROUNDS_TRIED
from dask_tapestry.steps.access_strides import AxisStride, movement
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts


def in_rounds(state: State) -> Iterator[Choices]:
    """Held values with one reader are made in more and more rounds."""
    must = required(state.graph)
    for rounds in ROUNDS_TRIED:
        for node, readers in state.readers.items():
            if node not in must and len(readers) == 1 and readers[0] is not node:
                reader = state.placed[readers[0]]
                grid = _cut(node, state.placed[node].grid, reader, rounds)
                if grid is not None:
                    grids = {**state.choices.grids, node: grid, readers[0]: reader.grid}
                    yield replace(state.choices, grids=grids)


def _cut(node: Node, grid: Grid, reader: PricedGroup, rounds: int) -> Grid | None:
    """A value's grid for so many rounds of its reader's blocks; None where these have fewer.

    Its blocks stay as large as they were: what a round has less of it, they have more along others.
    """
    paces = movement(reader.group.program)[reader.group.inputs.index(node)].paces
    rounds_along = _rounds_along(grid, reader, paces, rounds)
    if not rounds_along:
        return None
    longer = prod(rounds_along.values()) / prod(grid[axis].count for axis in rounds_along)
    round_cuts = []
    for axis, cuts in enumerate(grid):
        if axis in rounds_along:
            along = reader.grid[paces[axis].dim]
            round_cuts.append(cuts_in_rounds(along, paces[axis], cuts.extent, rounds_along[axis]))
        elif cuts.count > 1 and not cuts.edges:
            step = cuts.step * max(1, min(int(longer), cuts.count))
            round_cuts.append(Cuts.regular(cuts.extent, min(step, cuts.extent)))
            longer /= step / cuts.step
        else:
            round_cuts.append(cuts)
    return tuple(round_cuts)


def _rounds_along(
    grid: Grid, reader: PricedGroup, paces: Mapping[int, AxisStride], rounds: int
) -> dict[int, int]:
    """The axes of a value along which rounds follow each other, and how many along each.

    It is the axis along which the reader has most blocks; where it has fewer than rounds, each
    makes one, and rounds follow each other along the next axis too. None where there are no more.
    """
    blocks = {a: reader.grid[pace.dim] for a, pace in paces.items() if pace.cells > 0}
    order = sorted(blocks, key=lambda axis: -blocks[axis].count)
    rounds_of_axis, rounds_left = dict[int, int](), rounds
    for axis in order:
        along = blocks[axis]
        if rounds_left < 2 or along.count < 2 or along.edges:
            break
        rounds_of_axis[axis] = min(rounds_left, along.count)
        rounds_left = ceil(rounds_left / rounds_of_axis[axis])
    is_new = prod(rounds_of_axis.values()) > prod(grid[axis].count for axis in rounds_of_axis)
    return rounds_of_axis if rounds_left < 2 and is_new else {}


def cuts_in_rounds(reader: Cuts, pace: AxisStride, extent: int, rounds: int) -> Cuts:
    """Cuts of an axis between so many rounds of its reader's blocks.

    Examples
    --------
    >>> cuts_in_rounds(Cuts.regular(14_000, 500), AxisStride(0, 1, 0), 14_000, 2).step
    7000
    """
    blocks = ceil(reader.count / rounds)
    lead = pace.start + (reader.lead + (blocks - 1) * reader.step) * pace.cells
    return Cuts.regular(extent, blocks * reader.step * pace.cells, min(lead, extent))
