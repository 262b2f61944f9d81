"""What one step takes under a grid, against what its blocks do one by one."""

from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.tree_reduction import in_nodes
from dask_tapestry.planner.cost.block_seconds import block_seconds
from dask_tapestry.planner.cost.cost import step_cost
from dask_tapestry.planner.cost.resource_seconds import overhead_seconds
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.zspace import Cuts, block_box
from tests.planner.graphs import FOUR, stored

MACHINE = Machine.of(FOUR)
HANDY = 2**25


def cost(program, *cuts, held=(), machine=MACHINE):
    return step_cost(program, cuts, held, machine, HANDY)


def program(y, *held):
    return group_of(y.node, {y.node, *(x.node for x in held)}).program


def regular(shape, sides):
    return tuple(Cuts.regular(n, side) for n, side in zip(shape, sides, strict=True))


@pytest.mark.parametrize("sides", [(1000, 1000), (700, 300), (100, 1000), (3000, 90), (5000, 1000)])
def test_every_stored_byte_that_blocks_read_counts(sides):
    x = stored((5000, 1000), "f8", (1000, 500))
    one = program(x + 1)
    grid = regular((5000, 1000), sides)
    read = 0
    for index in product(*(range(c.count) for c in grid)):
        for work in one.schedule(block_box(grid, index)).works:
            read += one.instructions[work.value].operator.stored_bytes(work.box)
    found = cost(one, *grid).read
    assert found == pytest.approx(read)
    if all(side % chunk == 0 for side, chunk in zip(sides, (1000, 500), strict=True)):
        assert found == read == x.nbytes


def test_aligned_blocks_are_not_moved():
    x = stored().rechunk((5000, -1))
    one, own = program(x * 2, x), regular((100_000, 1000), (5000, 1000))
    assert cost(one, *own, held=(own,)).moved == 0
    other = regular((100_000, 1000), (100_000, 50))
    moved = cost(one, *other, held=(own,))
    assert x.nbytes * 0.7 / 2 < moved.moved < x.nbytes
    assert (moved.parts, moved.slices) == (400, 20 + 1 + 20)
    assert moved.tasks == moved.blocks + 41
    fewer = cost(one, *regular((100_000, 1000), (100_000, 250)), held=(own,))
    assert (fewer.parts, fewer.slices) == (0, 20 * 4)


def test_slices_are_copies_in_fresh_memory():
    bare, cutting = (overhead_seconds(8, 16, 16, sliced, MACHINE) for sliced in (0, 2**30))
    copied = 2 * 2**30 / MACHINE.memory + 16 * MACHINE.fresh_seconds(2**26)
    assert cutting - bare == pytest.approx(copied / MACHINE.slots)


def test_what_all_blocks_read_is_fetched_once_a_worker():
    x, w = stored((10_000, 1000)).rechunk((1000, -1)), dt.ones((1000, 1000)).rechunk(-1)
    one = program(x @ w, x, w)
    own = regular((10_000, 1000), (1000, 1000))
    whole = regular((1000, 1000), (1000, 1000))
    found = cost(one, *own, held=(own, whole))
    assert w.nbytes * 3 * 0.75 <= found.moved <= w.nbytes * 4


def test_one_memory_moves_nothing():
    x = stored().rechunk((5000, -1))
    local = Machine.of(dt.Resources(workers=1, threads=8, memory="8 GiB"))
    own, other = (regular((100_000, 1000), s) for s in ((5000, 1000), (100_000, 50)))
    found = cost(program(x * 2, x), *other, held=(own,), machine=local)
    assert (found.moved, found.slices, found.network) == (0, 0, 0)
    assert found.edges == 400


def test_idle_slots_cost():
    one = program(dt.sort(stored((4096, 4096)), axis=1))
    few, many = (cost(one, *regular((4096, 4096), (side, 4096))) for side in (4096, 512))
    assert few.compute > 4 * many.compute


def test_a_last_wave_counts_whole():
    one = program(stored((9000, 1000), "f8", (10, 1000)) + 1)
    nine, eight = (cost(one, *regular((9000, 1000), (side, 1000))).compute for side in (1000, 1125))
    assert nine > 1.5 * eight


def test_symmetric_products_cost_half():
    x = stored((4000, 4000)).rechunk(-1)
    own = regular((4000, 4000), (4000, 4000))
    square, strips = (regular((4000, 4000), s) for s in ((1000, 1000), (250, 4000)))
    one = program(x @ x.T, x)
    half = cost(one, *square, held=(own,))
    assert half.blocks == 16
    assert half.compute < 0.75 * cost(one, *strips, held=(own,)).compute


def test_the_busiest_resource_is_named():
    assert cost(program(stored() + 1), *regular((100_000, 1000), (5000, 1000))).bound == "store"
    assert cost(program(dt.arange(10.0) + 1), Cuts.regular(10, 10)).bound == "overhead"


def test_own_resources_are_summed():
    @dt.block_operator(
        index={"i": "parallel"}, inputs={"x": "i"}, outputs={"y": "i"}, costs={"license": {"i": 2}}
    )
    def licensed(x):
        return x

    one = program(licensed(dt.arange(100.0)))
    assert cost(one, Cuts.regular(100, 10)).own["license"] == 200


def test_blocks_take_time_for_each_operator_they_call():
    x = dt.asarray(np.ones((1000, 1000)))
    few, many = program(x + 1), program(dt.roll(x, 3, axis=0) + x.T)
    grid = regular((1000, 1000), (10, 1000))
    one, other = (cost(p, *grid, held=(None,)).overhead for p in (few, many))
    calls = len(many.schedule(block_box(grid, (1, 0))).works) - 1
    assert other - one == pytest.approx(100 * calls * MACHINE.call / MACHINE.slots)
    local = Machine.of(dt.Resources(workers=1, threads=4, local=True))
    one, other = (cost(p, *grid, held=(None,), machine=local).overhead for p in (few, many))
    assert other - one == pytest.approx(100 * calls * local.call)


def test_a_block_in_this_process_takes_no_fresh_memory_for_its_value():
    x = dt.asarray(np.ones((4000, 4000)))
    one, whole = program(x + 1), regular((4000, 4000), (4000, 4000))
    local = Machine.of(dt.Resources(workers=1, threads=4, local=True))
    alone = Machine.of(dt.Resources(workers=1, threads=4))
    here, there = (cost(one, *whole, held=(None,), machine=m).compute for m in (local, alone))
    assert there - here == pytest.approx(alone.fresh_seconds(x.nbytes))


@pytest.mark.parametrize("extent", [4500, 6000, 10_000])
def test_blocks_end_no_sooner_than_the_slowest_of_them(extent):
    """The last node of a sum has fewer cells than the first ones, and waits for these."""
    x = dt.asarray(np.broadcast_to(1.0, (extent, 4000)).copy())
    local = Machine.of(dt.Resources(workers=1, threads=2, local=True))
    nodes = in_nodes(x.sum().node, 14).inputs[0]  # of 4096 rows
    one, grid = group_of(nodes, {nodes}).program, regular(nodes.type.shape, (1, 1))
    blocks = [block_box(grid, (at, 0)) for at in range(grid[0].count)]
    slowest = max(block_seconds(one, box, local) for box in blocks)
    assert cost(one, *grid, held=(None,), machine=local).compute >= slowest
