import numpy as np
import pytest
from dask_tapestry.plan.sorts import sort_columns

import dask_tapestry as dt
from dask_tapestry.operators.order_statistics import ranks

from .graphs import MIB, aim_of, stored

AIM = aim_of()  # 8 slots of 4 GiB


def columns(x, aim=AIM):
    return sort_columns(x.node, aim)


def test_many_lanes_that_fit_stay_whole():
    assert columns(dt.sort(stored())) == 0
    assert columns(dt.sort(stored(), axis=0)) == 0


def test_a_lone_lane_is_cut_for_the_slots():
    assert columns(dt.sort(dt.placeholder((10**8,), "f8"))) == 8
    assert columns(dt.sort(dt.placeholder((4, 10**8), "f8"))) == 2
    assert columns(dt.argsort(dt.placeholder((10**8,), "f8"))) == 8
    assert columns(dt.argsort(dt.placeholder((5 * 10**7,), "f8")), aim_of(count=8)) == 0
    assert columns(dt.sort(dt.placeholder((10**8,), "f8")), aim_of(count=8)) == 2


def ranked(cells):
    return dt.Array(ranks(dt.placeholder((cells,), "f8").node, (0, 5), 0))


def test_cells_are_chosen_of_whole_lanes_if_they_fit():
    assert columns(ranked(10**8)) == 0
    assert columns(ranked(10**10)) == 75


def test_a_short_lane_stays_whole():
    assert columns(dt.sort(dt.placeholder((10**6,), "f8"))) == 0
    assert columns(dt.sort(dt.placeholder((0, 5), "f8"), axis=0)) == 0


def test_a_long_lane_is_cut_for_the_memory():
    alone = aim_of(count=1)
    assert columns(dt.sort(dt.placeholder((10**8,), "f8")), alone) == 0
    assert columns(dt.sort(dt.placeholder((10**10,), "f8")), alone) == -(-320 * 10**9 // 2**32)
    assert columns(dt.argsort(dt.placeholder((10**10,), "f8")), alone) == -(-640 * 10**9 // 2**32)


def test_others_are_left_alone():
    assert columns(stored() + 1) == 0


def test_the_plan_of_a_terabyte_is_small_and_moves_it_four_times():
    x = dt.placeholder((125 * 10**9,), "f8", (2**24,))
    machines = dt.Resources(workers=100, threads=8, memory="128 GiB")
    plan = dt.plan(dt.sort(x), resources=machines)
    plan.verify()
    assert len(plan.core.steps) == 5
    assert plan.cost["bytes_moved"] < 4.1 * x.nbytes
    assert plan.cost["bytes_read"] < 1.2 * x.nbytes


@pytest.mark.parametrize("kind", ["f8", "i2"])
def test_cut_and_whole_agree_to_the_bit(kind):
    x = np.random.default_rng(0).integers(0, 1000, 100_000).astype(kind)
    with dt.config(block_bytes=20_000, resources=dt.Resources(1, 32, "1 GiB")):
        value, places, middle = dt.sort(x), dt.argsort(x), dt.median(x)
        plan = dt.plan(value)
        assert len(plan.core.steps) == 5
        assert value.compute().tobytes() == np.sort(x).tobytes()
        assert np.array_equal(places.compute(), np.argsort(x, kind="stable"))
        assert middle.compute() == np.median(x)


def test_a_block_of_a_column_is_never_less():
    plan = dt.plan(dt.sort(dt.placeholder((10**8,), "f8")), resources=dt.Resources(1, 8, "64 GiB"))
    counts = [step.count for step in plan.core.steps.values()]
    assert counts[:4] == [32, 32, 32, 31]
    assert plan.cost["bytes_moved"] > MIB
