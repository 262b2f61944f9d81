"""Plans whose worst blocks are cut finer, or read less."""

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.worst_blocks import with_worst_cut
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import stored
from tests.planner.spaces import space_of

FEW = dt.Resources(workers=4, threads=2, memory="400 MB")


def dear_at_its_end():
    """The last twentieth of its rows is stored, and seen as a whole; the rest is a constant."""
    data = dt.map_blocks(lambda block: block, stored((20_000, 1000)), dtype="f8")
    return dt.pad(data, ((400_000, 0), (0, 0))).sum(axis=1)


def cut(space, count):
    """The plan of one step in so many blocks."""
    *sums, last = space.state(Choices()).placed
    grid = (Cuts.regular(420_000, -(-420_000 // count)),)
    return space.state(Choices(fused=frozenset(sums), grids={last: grid}))


def test_blocks_are_halved_until_workers_can_hold_those_that_take_most():
    y = dear_at_its_end()
    space = space_of(y, resources=FEW)
    coarse = cut(space, 53)
    assert space.fits(coarse)
    assert not space.fits_at_worst(coarse)
    finer = with_worst_cut(space, coarse)
    assert space.fits_at_worst(finer)
    *_, last = finer.placed.values()
    assert 53 < last.cost.blocks <= 4 * 53
    assert with_worst_cut(space, finer) is finer


def test_what_takes_far_too_much_stays_as_it_is():
    space = space_of(dear_at_its_end(), resources=FEW)
    one = cut(space, 1)
    assert with_worst_cut(space, one) is one


def test_what_the_worst_blocks_read_besides_is_held_where_that_is_faster():
    """The last row lies in a chunk that one block of a few reads anyhow, and all others again."""
    x = stored((20_000_000, 4), "f8", (1_000_000, 4))
    plan = dt.plan(((x - x[-1]) ** 2).sum(), resources=dt.Resources(2, 2, "500 MiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 1.06 * x.nbytes
    assert "view" in [node.operator.name for node in plan.core.steps]
