import pytest

import dask_tapestry as dt
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.tuning import TASK_SHARES, USABLE_MEMORY

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def test_tasks_take_a_share_of_what_a_plan_may_fill():
    for share in TASK_SHARES:
        allowed = share * USABLE_MEMORY * 2**33 / 2
        assert allowed * 0.999 <= Limits.of(FOUR, share).task <= allowed


def test_large_shares_are_tried_first():
    assert list(TASK_SHARES) == sorted(TASK_SHARES, reverse=True)
    assert Limits.of(FOUR) == Limits.of(FOUR, TASK_SHARES[0])


def test_the_user_may_wish_for_smaller_blocks():
    assert Limits.of(FOUR).block is None
    with dt.config(block_bytes="1 MiB"):
        assert Limits.of(FOUR).block == 2**20
        assert Limits.of(FOUR).uncut.block is None


def test_blocks_cannot_be_smaller_than_what_they_read():
    with dt.config(block_bytes="1 MiB"):
        limits = Limits.of(FOUR)
    assert limits.with_least(2**18) is limits
    assert limits.with_least(2**20).block == 2**21
    assert Limits.of(FOUR).with_least(2**20).block is None


def test_many_slots_may_have_two_blocks_each():
    many = dt.Resources(workers=10_000, threads=4, memory="8 GiB")
    assert Limits.of(many).blocks == 80_000


def test_few_blocks_for_each_worker_may_be_larger():
    limits = Limits.of(dt.Resources(workers=4, threads=8, memory="8 GiB"))
    assert limits.few == pytest.approx(4 * limits.task, rel=1e-6)
    assert limits.of_block(4, 0) == limits.few
    assert limits.of_block(5, 0) == limits.of_block(8, 0) == limits.few * 2 // 3
    assert limits.of_block(32, 0) == limits.of_block(4, 1) == limits.task
    assert limits.scaled(0.5, 2**30).few == limits.few // 2
    assert Limits.of(FOUR).few == pytest.approx(Limits.of(FOUR).task, abs=1)


def test_larger_blocks_may_be_computed_one_by_one():
    machines = dt.Resources(groups=[(4, 8, "8 GiB"), (2, 2, "4 GiB")])
    few = Limits.of(machines)
    limits = few.with_alone(machines)
    assert limits.alone == int(0.7 * 4 * 2**30)
    assert limits.excess(99, 0, limits.task) == limits.excess(99, 0, limits.alone) == 0
    assert limits.excess(99, 0, limits.alone + 1) == 1
    assert not limits.is_alone(99, 0, limits.task)
    assert limits.is_alone(99, 0, limits.task + 1)
    assert few.excess(99, 0, few.task + 1) == 1
    assert not few.is_alone(99, 0, few.task + 1)
    assert limits.scaled(0.5, 2**30).alone == 2**30
    assert few.scaled(0.5, 2**30).alone == 0


def test_a_block_of_few_may_take_more_than_one_of_many():
    limits = Limits(task=100, block=None, blocks=10, workers=4, few=150)
    asked = [(4, 150), (4, 151), (9, 100), (9, 101)]
    assert [limits.excess(count, 0, work) > 0 for count, work in asked] == [
        False,
        True,
        False,
        True,
    ]


def test_an_only_block_may_take_as_much_whatever_the_share_of_others():
    resources = dt.Resources(workers=2, threads=2, memory="500 MiB")
    large, small = (Limits.of(resources, share) for share in TASK_SHARES[:2])
    assert small.task < large.task
    assert small.of_block(1, 9) == large.of_block(1, 9) >= large.task
    assert small.of_block(2, 9) < large.of_block(2, 9)
