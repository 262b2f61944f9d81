"""The order of grids and plans."""

from dataclasses import replace

from dask_tapestry.planner.cost.rank import Rank, preferred, rank, total
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.tuning import ALIKE_SECONDS
from tests.planner.graphs import last_step, stored

COST = last_step(stored() + 1).cost
ROOM = Limits(task=2**40, block=None, blocks=10_000)


def test_what_is_allowed_comes_before_what_is_fast():
    fast = replace(COST, seconds=0.1)
    tight = replace(ROOM, task=COST.work - 1)
    assert rank(COST, ROOM).is_allowed
    assert rank(COST, ROOM) < rank(fast, tight)
    assert rank(fast, tight).excess == 1
    assert rank(fast, ROOM) < rank(COST, ROOM)


def test_blocks_above_the_scheduler_s_and_the_user_s_wishes_count():
    assert rank(COST, replace(ROOM, blocks=1)).many == COST.blocks - 1
    assert rank(replace(COST, edges=7), replace(ROOM, edges=5)).many == 2
    assert rank(COST, replace(ROOM, block=COST.touched - 3)).large == 3
    crowded = replace(ROOM, block=COST.touched - 3, blocks=COST.blocks)
    assert rank(COST, crowded).large == 0  # more blocks would be too many
    assert rank(replace(COST, beyond=2.5), ROOM).beyond == 2.5


def test_ranks_of_steps_add_up():
    both = total([(COST, ROOM)] * 2)
    assert both == rank(COST, ROOM).with_seconds(2)
    assert total([]) == Rank(0, 0, 0, 0, 0)
    assert total([(COST, replace(ROOM, blocks=1))]).is_allowed


def test_of_plans_that_take_about_as_long_the_one_that_does_least_is_taken():
    fastest = Rank(0, 0.0, 0, 0, 1.0, 2.0)
    frugal = Rank(0, 0.0, 0, 0, 0.99 * ALIKE_SECONDS, 1.5)
    slower = Rank(0, 0.0, 0, 0, 1.01 * ALIKE_SECONDS, 1.0)
    refused = Rank(1, 0.0, 0, 0, 1.0, 0.1)
    named = {"fastest": fastest, "frugal": frugal, "slower": slower, "refused": refused}
    assert preferred(named, named.__getitem__) == "frugal"
    assert preferred(reversed(named), named.__getitem__) == "frugal"
    assert preferred([slower, refused], lambda r: r) is slower


def test_a_block_of_few_may_take_more():
    few = replace(COST, blocks=4, edges=0, work=90)
    limits = Limits(task=50, block=None, blocks=100, workers=4, few=100)
    assert rank(few, limits).excess == 0
    assert rank(replace(few, blocks=9), limits).excess == 40
    assert rank(replace(few, edges=1), limits).excess == 40  # it may wait where others are
