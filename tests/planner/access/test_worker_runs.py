"""What blocks find on their workers, against cells that are counted one by one."""

from itertools import product
from math import ceil

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.input_prefetch import blocks_by_worker
from dask_tapestry.planner.access import worker_runs as module
from dask_tapestry.planner.access.worker_runs import keeps_runs, run_cuts, shares_at_home
from dask_tapestry.planner.fusion.external_inputs import scatter_cuts
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import Cuts, block_box

SHAPE = (48, 24)


def of(*values):
    """A grid of so many blocks along each dimension of an array of `SHAPE`."""
    return tuple(Cuts.regular(n, -(-n // count)) for n, count in zip(SHAPE, values, strict=True))


def program_of(make, inputs=1):
    arrays = [dt.asarray(np.ones(SHAPE)) for _ in range(inputs)]
    return group_of(make(*arrays).node, set()).program


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("rows", [7, 12, 48])
def test_runs_are_what_a_client_sends_to_each_worker(workers, rows):
    cuts = of(rows, 1)
    blocks = [((n,), np.ones(1)) for n in range(cuts[0].count)]
    running = {str(n): {"status": "running", "nthreads": 1} for n in range(workers)}
    sent = blocks_by_worker([blocks], running)
    runs = run_cuts(cuts, workers)[0]
    ends = [cuts[0].block(own[-1][0][0])[1] for own in sent.values()]
    assert [runs.block(n)[1] for n in range(runs.count)] == ends


def test_arrays_that_are_sent_lie_in_runs_of_equal_length():
    cuts = scatter_cuts((40_000, 1000), 8)
    runs = run_cuts(cuts, 5)
    assert [c.count for c in runs] == [5, 1]
    assert max(runs[0].lengths()) - min(runs[0].lengths()) <= cuts[0].longest


def counted(program, grid, held, workers):
    """The share of cells at home, where a block runs on the worker that has most, by turns."""
    owner = np.empty(SHAPE, int)
    shape = [c.count for c in held]
    blocks = list(product(*map(range, shape)))
    for number, index in enumerate(blocks):
        owner[block_box(held, index).index()] = ceil(workers * (number + 0.5) / len(blocks)) - 1
    at_home = cells = 0
    for index in product(*[range(c.count) for c in grid]):
        total = np.zeros(workers, int)
        for boxes in program.input_boxes(block_box(grid, index)):
            for box in boxes:
                total += np.bincount(owner[box.index()].ravel(), minlength=workers)
        at_home, cells = at_home + total.max(), cells + total.sum()
    return at_home / cells


@pytest.mark.parametrize("workers", [2, 3, 4])
@pytest.mark.parametrize("grid", [of(2, 1), of(3, 1), of(4, 2), of(8, 1)])
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x * 2,
        lambda x: x[::-1] + 1,
        lambda x: dt.roll(x, 5, axis=0) + 1,
    ],
    ids=["alike", "turned", "rolled"],
)
def test_shares_are_those_of_cells(make, grid, workers):
    program, held = program_of(make), of(12, 1)
    (share,) = shares_at_home(program, grid, (held,), workers)
    assert share == pytest.approx(counted(program, grid, held, workers), abs=0.05)


def test_inputs_that_lie_alike_are_at_home_together():
    program, held = program_of(lambda x, y: x + y, 2), of(12, 1)
    assert shares_at_home(program, of(4, 1), (held, held), 2) == (1.0, 1.0)
    assert shares_at_home(program, of(1, 4), (held, held), 2) == (0.5, 0.5)


def test_a_block_and_its_mirror_image_are_at_home_in_parts():
    x = dt.asarray(np.ones((48, 48)))
    program = group_of((x + x.T).node, set()).program
    rows = (Cuts.regular(48, 4), Cuts.regular(48, 48))
    (share,) = shares_at_home(program, (Cuts.regular(48, 6), Cuts.regular(48, 6)), (rows,), 2)
    assert 0.6 < share < 0.8  # all of one, half of the other


def test_no_worker_has_more_of_the_blocks_than_others():
    held = of(1, 1)  # one block, on one worker
    assert shares_at_home(program_of(lambda x: x * 2), of(4, 1), (held,), 2) == (0.5,)


def test_of_many_blocks_some_tell():
    program, held = program_of(lambda x: x * 2), of(48, 24)
    assert len(list(module._blocks(held))) == module.BLOCKS_PLACED
    assert shares_at_home(program, of(24, 12), (held,), 4) == (1.0,)


def test_nothing_is_told_of_one_worker_and_of_blocks_that_lie_anyhow():
    held = of(12, 1)
    placeholder = dt.placeholder(SHAPE, "f8", (4, 24))
    program = group_of((placeholder * 2).node, set()).program
    assert shares_at_home(program, of(4, 1), (held,), 2) == (0.0,)
    assert shares_at_home(program_of(lambda x: x * 2), of(4, 1), (held,), 1) == (0.0,)


@pytest.mark.parametrize(
    ("make", "grid", "kept"),
    [
        (lambda x: x * 2, of(4, 1), True),
        (lambda x: x * 2, of(24, 2), True),
        (lambda x: x * 2, of(1, 4), False),
        (lambda x: x[::-1] + 1, of(4, 1), False),
    ],
)
def test_what_is_computed_block_by_block_lies_in_runs(make, grid, kept):
    assert keeps_runs(program_of(make), grid, (of(12, 1),), (True,), 2) is kept


def test_values_of_blocks_that_lie_anyhow_are_not_in_runs():
    assert not keeps_runs(program_of(lambda x: x * 2), of(4, 1), (of(12, 1),), (False,), 2)
