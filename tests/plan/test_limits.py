import dask_tapestry as dt
from dask_tapestry.plan.limits import TASK_SHARES, Limits
from dask_tapestry.plan.resources import USABLE

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def test_tasks_share_half_of_what_a_plan_may_fill():
    assert Limits.of(FOUR).task == int(USABLE * 2**33) // 4


def test_or_another_share():
    tasks = [Limits.of(FOUR, share).task for share in TASK_SHARES]
    assert tasks[1] < tasks[0] < tasks[-1] <= USABLE * 2**32


def test_the_user_may_wish_for_smaller_blocks():
    assert Limits.of(FOUR).block is None
    with dt.config(block_bytes="1 MiB"):
        assert Limits.of(FOUR).block == 2**20
        assert Limits.of(FOUR).uncut.block is None


def test_many_slots_may_have_two_blocks_each():
    many = dt.Resources(workers=10_000, threads=4, memory="8 GiB")
    assert Limits.of(many).blocks == 80_000
