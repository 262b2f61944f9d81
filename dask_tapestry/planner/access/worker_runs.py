"""Runs of blocks on workers: what of its inputs a block finds where it runs.

An array that the client sends, and what is computed of it block by block, lies in runs: of its
blocks in order, each worker has as many, one after the other. A block that reads several in a row
runs on the worker that has most of them, and the others alone are moved. A few blocks of a grid
tell how much that is: which worker has most of what they read, as long as no worker has more of
these blocks than others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import Final, NamedTuple

from dask_tapestry.planner.tuning import BLOCKS_PLACED
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts, ZRange, block_box

Held = tuple[Sequence[Cuts] | None, ...]
BASES: Final = (2, 3, 5, 7, 11, 13)


class _Placed(NamedTuple):
    """A block, the worker that it runs on, cells of each input in all and on that worker."""

    box: ZRange
    worker: int | None
    cells: tuple[int, ...]
    there: tuple[int, ...]


def run_cuts(cuts: Sequence[Cuts], workers: int) -> tuple[Cuts, ...]:
    """The runs in which the blocks of a grid lie, one a worker, as a grid.

    Examples
    --------
    >>> rows, columns = Cuts.regular(60, 10), Cuts.regular(40, 20)
    >>> list(run_cuts((rows, columns), 2)[0].lengths()), run_cuts((rows, columns), 2)[1].count
    ([30, 30], 1)
    >>> [c.count for c in run_cuts((rows, columns), 12)]
    [6, 2]
    """
    return _run_cuts(tuple(cuts), workers)


@lru_cache(maxsize=1024)
def _run_cuts(cuts: tuple[Cuts, ...], workers: int) -> tuple[Cuts, ...]:
    runs, left = [], workers
    for own in cuts:
        count = min(own.count, left)
        first = [(2 * n * own.count - count) // (2 * count) + 1 for n in range(count)]
        starts = [*[own.block(n)[0] for n in first], own.extent]
        runs.append(Cuts.of_lengths([b - a for a, b in pairwise(starts)]))
        left = -(-left // count)
    return tuple(runs)


def shares_at_home(
    program: Program, cuts: tuple[Cuts, ...], held: Held, workers: int
) -> tuple[float, ...]:
    """Of each input, the share of what blocks read that lies on the worker on which they run.

    None is told of inputs that do not lie in runs.

    Parameters
    ----------
    held
        How the inputs are held in blocks.
    workers
        How many there are.

    Examples
    --------
    >>> import numpy as np
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.asarray(np.ones((60, 40)))
    >>> program = group_of((x * 2).node, set()).program
    >>> rows, all_columns = Cuts.regular(60, 10), Cuts.regular(40, 40)
    >>> grids = (Cuts.regular(60, 30), all_columns), (Cuts.regular(60, 60), Cuts.regular(40, 20))
    >>> [shares_at_home(program, grid, ((rows, all_columns),), 2) for grid in grids]
    [(1.0,), (0.5,)]
    """
    if workers == 1 or not program.in_runs:
        return (0.0,) * len(held)
    return _shares_at_home(program, cuts, held, workers)


@lru_cache(maxsize=4096)  # for the least that a grid takes, when it is priced, and for each part
def _shares_at_home(
    program: Program, cuts: tuple[Cuts, ...], held: Held, workers: int
) -> tuple[float, ...]:
    read, there = [0] * len(held), [0] * len(held)
    for block in _placed(program, cuts, held, program.in_runs, workers):
        read = [a + b for a, b in zip(read, block.cells, strict=True)]
        there = [a + b for a, b in zip(there, block.there, strict=True)]
    return tuple([own / cells if cells else 0.0 for own, cells in zip(there, read, strict=True)])


def keeps_runs(
    program: Program, cuts: tuple[Cuts, ...], held: Held, in_runs: tuple[bool, ...], workers: int
) -> bool:
    """Whether blocks lie in runs as well, as each runs where most of what it reads lies."""
    own = run_cuts(cuts, workers)
    blocks = list(_placed(program, cuts, held, in_runs, workers))
    alike = [
        2 * sum(block.there) > sum(block.cells)
        and block.worker == _worker_of(_cells_by_run((block.box,), own), own, workers)
        for block in blocks
    ]
    return 4 * sum(alike) >= 3 * len(blocks)


def _placed(
    program: Program, cuts: tuple[Cuts, ...], held: Held, in_runs: Sequence[bool], workers: int
) -> Iterator[_Placed]:
    """Blocks of a grid, each on the worker that has most of what it reads, if that has room."""
    runs = [
        run_cuts(own, workers) if lies and own is not None else None
        for own, lies in zip(held, in_runs, strict=True)
    ]
    sizes = [type_.dtype.itemsize for type_ in program.inputs]
    blocks = list(_blocks(cuts))
    each = -(-len(blocks) // min(workers, len(blocks)))
    taken: Counter[int] = Counter()
    for box in blocks:
        read = program.schedule(box).boxes[: len(held)]
        cells = [
            {} if run is None else _on_workers(_cells_by_run(own, run), run, workers)
            for own, run in zip(read, runs, strict=True)
        ]
        on_worker: Counter[int] = Counter()
        for one, size in zip(cells, sizes, strict=True):
            on_worker.update({worker: count * size for worker, count in one.items()})
        free = [worker for worker in on_worker if taken[worker] < each]
        home = max(free, key=lambda worker: on_worker[worker], default=None)
        if home is not None:
            taken[home] += 1
        there = tuple([0 if home is None else one.get(home, 0) for one in cells])
        yield _Placed(box, home, tuple([sum(one.values()) for one in cells]), there)


def _blocks(cuts: Sequence[Cuts]) -> Iterator[ZRange]:
    """Blocks of a grid: all of few, else some that lie everywhere along each dimension."""
    count = prod([c.count for c in cuts])
    if count <= BLOCKS_PLACED:
        for index in product(*[range(c.count) for c in cuts]):
            yield block_box(cuts, index)
        return
    axes = [d for d, c in enumerate(cuts) if c.count > 1]
    for number in range(BLOCKS_PLACED):
        places = [0] * len(cuts)
        for at, d in enumerate(axes):
            part = (number + 0.5) / BLOCKS_PLACED if not at else _reflected(number, at - 1)
            places[d] = min(cuts[d].count - 1, int(part * cuts[d].count))
        yield block_box(cuts, places)


def _reflected(number: int, axis: int) -> float:
    """Digits of a number behind the point in reverse order: numbers in a row lie far apart."""
    base = BASES[axis % len(BASES)]
    part, unit = 0.5 / BLOCKS_PLACED, 1.0
    while number:
        unit /= base
        number, digit = divmod(number, base)
        part += digit * unit
    return part


@lru_cache(maxsize=8192)
def _cells_by_run(boxes: tuple[ZRange, ...], runs: tuple[Cuts, ...]) -> dict[int, int]:
    """Cells of boxes in each run, by its number."""
    found: Counter[int] = Counter()
    for box in boxes:
        if box.is_empty:
            continue
        along = []
        for lo, hi, cut in zip(box.lo, box.hi, runs, strict=True):
            first, end = cut.overlapping(lo, hi)
            spans = [(n, cut.block(n)) for n in range(first, end)]
            along.append([(n, min(hi, b) - max(lo, a)) for n, (a, b) in spans])
        for parts in product(*along):
            number = 0
            for (n, _), cut in zip(parts, runs, strict=True):
                number = number * cut.count + n
            found[number] += prod([cells for _, cells in parts])
    return dict(found)


def _on_workers(cells: dict[int, int], runs: Sequence[Cuts], workers: int) -> dict[int, int]:
    """Cells on each worker: there may be a few more runs than workers, or fewer."""
    count = prod([c.count for c in runs])
    if count == workers:
        return cells
    found: Counter[int] = Counter()
    for number, own in cells.items():
        found[workers * number // count] += own
    return found


def _worker_of(cells: dict[int, int], runs: Sequence[Cuts], workers: int) -> int | None:
    """The worker that has most of some cells."""
    on_worker = _on_workers(cells, runs, workers)
    return max(on_worker, key=lambda worker: on_worker[worker], default=None)
