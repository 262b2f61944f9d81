"""The grid of one step."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.search.grid import GridSearch
from dask_tapestry.planner.search.tuning import MOST_HOPELESS
from dask_tapestry.steps.chunk_alignment import ChunkAlignment
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR, MIB, counted, last_step, stored

ROOM = Limits(task=2**40, block=None, blocks=10_000)


def a_cost(grid, seconds, work=0):
    """Cost of a grid with given seconds."""
    count = prod(c.count for c in grid)
    return StepCost(seconds, seconds, 0, 0, 1e-9, 0, 0, 0, 0, count, 0, 0, work, work)


def search(shape, seconds, limits=ROOM, units=None, slots=8, work=lambda grid: 0):
    """The best grid where a function of the counts of blocks tells the seconds."""

    def price(grid):
        return a_cost(grid, seconds(*(c.count for c in grid)), work(grid))

    units = units or [ChunkAlignment()] * len(shape)
    return GridSearch(shape, units, price, limits, range(len(shape)), slots)


def counts(graded):
    return [c.count for c in graded.grid]


def test_it_is_cut_as_long_as_that_pays():
    assert counts(search((64, 64), lambda a, b: 1 / (a * b)).best()) == [64, 64]
    assert counts(search((64, 64), lambda a, b: 1 + a * b / 100).best()) == [1, 1]
    assert counts(search((64, 64), lambda a, b: 8 / min(a, 8) + b).best()) == [8, 1]


def test_the_first_dimension_goes_first_where_nothing_else_speaks():
    assert counts(search((64, 64), lambda a, b: 1 + abs(a * b - 4)).best()) == [4, 1]


def test_a_cheaper_grid_behind_a_dearer_one_is_found():
    hill = {1: 5.0, 2: 6.0, 4: 6.0, 8: 3.0}
    assert counts(search((64,), lambda a: hill.get(a, 9.0)).best()) == [8]


ON_THE_WAY = {(1, 1): 5.0, (1, 2): 4.0, (1, 4): 3.0, (1, 8): 2.0, (1, 16): 1.0}


@pytest.mark.parametrize(("begun", "found"), [((8, 1), [8, 1]), ((32, 1), [1, 16])])
def test_what_is_near_counts_if_it_is_no_more_blocks(begun, found):
    """Those that read many blocks pay for them."""

    def seconds(a, b):
        return 0.99 if (a, b) == begun else ON_THE_WAY.get((a, b), 9.0)

    grid = tuple(Cuts.regular(64, 64 // count) for count in begun)
    assert counts(search((64, 64), seconds).best()) == [1, 16]
    assert counts(search((64, 64), seconds).best(begun=grid)) == found


def test_where_it_is_begun_must_be_allowed():
    tight = Limits(task=100, block=None, blocks=10_000)
    found = search((64,), float, tight, work=lambda g: g[0].longest * 10)
    assert found.best(begun=(Cuts.regular(64, 64),)).cost.work <= 100


def test_memory_goes_before_seconds():
    tight = Limits(task=100, block=None, blocks=10_000)
    found = search((64,), lambda a: float(a), tight, work=lambda g: g[0].longest * 10)
    best = found.best()
    assert best.cost.work <= 100
    assert counts(best) == [8]


def test_blocks_of_the_wished_size_are_taken_while_they_are_few():
    wished = Limits(task=2**40, block=50, blocks=20)
    found = search((64,), lambda a: float(a), wished, work=lambda g: g[0].longest * 10)
    assert counts(found.best()) == [16]
    few = Limits(task=2**40, block=50, blocks=4)
    found = search((64,), lambda a: float(a), few, work=lambda g: g[0].longest * 10)
    assert counts(found.best())[0] <= 8


def test_a_last_wave_is_filled():
    found = search((1000,), lambda a: -(-a // 12) / a + a / 500, slots=12)
    assert counts(found.best())[0] % 12 == 0


def test_candidates_are_tried_unless_they_divide_what_is_whole():
    odd = (Cuts.of_lengths([3, 7, 54]),)

    def seconds(grid):
        return a_cost(grid, 0.1 if grid == odd else 1.0)

    whole = [ChunkAlignment(64, required=True)]
    assert GridSearch((64,), [ChunkAlignment()], seconds, ROOM, [0], 8).best([odd]).grid == odd
    assert GridSearch((64,), whole, seconds, ROOM, [0], 8).best([odd]).grid != odd


def test_the_next_best_is_told():
    found = search((64,), lambda a: abs(a - 4) + 1.0).best()
    assert counts(found) == [4]
    assert found.second not in (None, found.grid)
    assert abs(found.second[0].count - 4) in (2, 3, 4)


def test_small_values_stay_whole():
    assert last_step(counted(100, 100) + 1).grid_shape == (1, 1)


def test_enough_blocks_for_the_workers():
    assert last_step(counted(16384, 16384) + 1).count >= FOUR.slots


def test_large_blocks_are_cut_where_the_user_says_so():
    with dt.config(block_bytes=9 * MIB):
        step = last_step(counted(4096, 4096) + 1)
    assert step.needs.touched <= 9 * MIB


@pytest.mark.parametrize("side", [4096, 4243, 5003])
def test_pieces_lie_together_in_memory(side):
    """Rounded lengths of blocks make no difference, nor do a few cells that all of them read."""
    local = dt.Resources(workers=1, threads=8, memory="8 GiB")
    x = dt.asarray(np.ones((side, side)))
    for y in (x * 2, (x + 1) / 3):
        rows, columns = last_step(y, resources=local).grid_shape
        assert (rows > 1, columns) == (True, 1)


def test_arrays_in_fortrans_order_are_cut_at_the_last_dimension():
    local = dt.Resources(workers=1, threads=8, memory="8 GiB")
    x = np.ones((6000, 4000), order="F")

    def cut(y):
        return [n > 1 for n in last_step(y, resources=local).grid_shape]

    assert cut(dt.asarray(x) * 2) == [False, True]
    assert cut(dt.asarray(x.T) * 2) == [True, False]
    assert cut(dt.asarray(x) * dt.asarray(np.ones(x.shape))) == [True, False]


def test_a_cut_that_saves_nothing_is_not_made():
    """A block that a reader needs whole is read whole by each of its blocks."""
    x = dt.ones((10**5, 100)).rechunk((10**5, 100)) + 1
    plan = dt.plan(x, resources=FOUR)
    assert plan.cost["bytes_moved"] <= x.nbytes
    assert plan.cost["tasks"] < 200


def test_stored_chunks_are_not_read_for_every_column():
    cost = dt.plan(stored().sum(axis=0), resources=FOUR).cost
    assert cost["bytes_read"] <= 1.1 * stored().nbytes
    assert cost["tasks"] >= FOUR.workers


def test_what_handling_tasks_makes_too_dear_is_not_looked_at():
    looked: list[int] = []
    most = []

    def price(grid):
        count = grid[0].count
        looked.append(count)
        return a_cost(grid, 3 / count + count)

    for floor in (lambda *_: 0.0, lambda grid, _: float(grid[0].count)):
        looked.clear()
        found = GridSearch((64,), [ChunkAlignment()], price, ROOM, [0], 8, floor).best()
        assert counts(found) == [2]
        most.append(max(looked))
    assert most == [16, 2]


def test_what_memory_forbids_makes_nothing_too_dear():
    tight = Limits(task=100, block=None, blocks=10_000)

    def price(grid):
        return a_cost(grid, grid[0].count, work=grid[0].longest * 10)

    found = GridSearch(
        (64,), [ChunkAlignment()], price, tight, [0], 8, lambda grid, _: grid[0].count / 2
    ).best()
    assert found.cost.work <= tight.task


def test_waves_of_workers_are_tried_where_tasks_share_a_connection():
    """Four blocks for each worker cost least; halving alone does not come to that."""

    def price(grid):
        count = grid[0].count
        return a_cost(grid, 0.1 if count == 40 else 1 + abs(count - 45))

    def found(workers):
        grids = GridSearch((960,), [ChunkAlignment()], price, ROOM, [0], 64, workers=workers)
        return grids.best().grid[0].count

    assert found(10) == 40
    assert found(1) != 40


def test_equal_blocks_divide_chunks_where_all_read_the_same_again():
    def price(grid):
        waves = -(-prod(c.count for c in grid) // 64)
        carried = sum(c.count for c in grid)
        seconds = 100 * waves * prod(c.longest for c in grid) / 64 + carried / 10
        return replace(a_cost(grid, seconds), store=0.2 * seconds, read=carried)

    chunked = [
        ChunkAlignment(7),
        ChunkAlignment(7),
    ]  # 64 cells in chunks of 7: no two equal blocks of whole ones
    found = GridSearch((64, 64), chunked, price, ROOM, range(2), 64, workers=16).best()
    assert counts(found) == [8, 8]


def test_blocks_of_another_shape_are_tried_where_edges_are_read_again():
    def price(grid):
        rows, columns = (c.count for c in grid)
        edges = 6 * (rows + columns) if rows * columns >= 16 else 0  # till then rows are as good
        seconds = 100 * max(1, 16 / (rows * columns)) + edges
        return replace(a_cost(grid, seconds), store=0.2 * seconds, read=100 + rows + columns)

    assert counts(
        GridSearch((64, 64), [ChunkAlignment()] * 2, price, ROOM, range(2), 16).best()
    ) == [4, 4]


def guided(least, seconds, shape=(64, 64), limits=ROOM, work=lambda _: 1):
    """What a search finds that is led by what grids take at least, and all that it priced."""
    known, exact = search(shape, least), search(shape, seconds, limits, work=work)
    priced = list[tuple[Cuts, ...]]()

    def price(grid):
        priced.append(grid)
        return exact.price(grid)

    led = GridSearch(
        shape, known.units, known.price, limits, range(len(shape)), known.slots, confirm=price
    )
    return led.best(), priced, exact


def test_of_what_a_guide_looked_at_the_best_is_taken():
    found, priced, exact = guided(
        lambda a, b: 1 + abs(a - 8) + b, lambda a, b: 1.2 + 1.01 * abs(a - 8) + b
    )
    assert counts(found) == [8, 1]
    assert found.cost.seconds == pytest.approx(2.2)
    assert len(priced) == len(set(priced)) <= 3
    assert found.cost.seconds == min(exact.price(grid).seconds for grid in priced)


def test_nothing_is_confirmed_where_the_least_is_too_much():
    known, priced = search((64, 64), lambda a, b: 1 + abs(a - 8) + b), []
    led = GridSearch(
        *((64, 64), known.units, known.price, ROOM, range(2), known.slots), confirm=priced.append
    )
    found = led.best(is_too_much=lambda rank: rank.seconds > 1.5)
    assert found.is_least
    assert counts(found) == [8, 1]
    assert not priced
    allowed, priced, _ = guided(lambda a, b: 1 + abs(a - 8) + b, lambda a, b: 2 + abs(a - 8) + b)
    assert priced
    assert not allowed.is_least


@pytest.mark.parametrize("columns", [1, 8])
def test_what_a_guide_leads_astray_comes_to_a_grid_no_cut_of_which_is_better(columns):
    """It takes columns to cost nothing, and begins with what is far too coarse."""

    def seconds(a, b):
        return 1 + 64 / a + a / 10 + abs(b - columns)

    found, _, exact = guided(lambda a, b: 1 + 0.001 * a * b, seconds)
    rows, own = counts(found)
    assert (rows, own) == (32, columns)
    for more in ([2 * rows, own], [rows, 2 * own]):
        assert exact.price(exact._grid(more)).seconds >= found.cost.seconds


def test_a_grid_that_a_guide_takes_to_be_allowed_may_be_forbidden():
    found, priced, _ = guided(
        lambda a, b: float(a * b),
        lambda a, b: float(a * b),
        limits=replace(ROOM, task=100),
        work=lambda grid: grid[0].longest * grid[1].longest,
    )
    assert found.cost.work <= 100
    assert len(priced) < 16


def test_few_grids_are_priced_where_none_is_allowed():
    none = replace(ROOM, task=0)
    known = search((64, 64), lambda a, b: 1.0, none, work=lambda _: 1)
    priced = list[int]()

    def price(grid):
        priced.append(1)
        return known.price(grid)

    led = GridSearch((64, 64), known.units, known.price, none, range(2), known.slots, confirm=price)
    assert led.best().cost.work > none.task
    assert len(priced) <= MOST_HOPELESS


def test_what_a_guide_takes_for_the_second_best_may_be_the_best():
    def least(a, b):
        return 1 + 0.1 * abs(a.bit_length() - 4) + b / 10

    found, _, _ = guided(least, lambda a, b: least(a, b) + 0.2 * (a == 8))
    assert counts(found) in ([4, 1], [16, 1])
    assert found.second is not None
    assert found.second != found.grid
