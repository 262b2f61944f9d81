import gc

import pytest

import dask_tapestry as dt
from dask_tapestry.memory.garbage import collection_paused


@pytest.mark.parametrize("was_on", [True, False])
def test_no_garbage_is_collected_while_it_is_paused(was_on):
    (gc.enable if was_on else gc.disable)()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is was_on
    finally:
        gc.enable()


def test_planning_leaves_no_garbage():
    x = dt.placeholder((4000, 4000), "f8", (1000, 1000))
    y = ((x - x.mean(0)) / x.std(0)).sum(1)
    dt.plan(y + 1)
    gc.collect()
    gc.disable()
    try:
        plan = dt.plan(y)
        assert gc.collect() < 100
    finally:
        gc.enable()
    assert plan is not None
