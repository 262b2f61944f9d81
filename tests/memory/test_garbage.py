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
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        plan = dt.plan(y)
        gc.collect()
        ours = [x for x in gc.garbage if type(x).__module__.startswith("dask_tapestry.")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not ours  # other threads of a test process may leave some of their own
    assert plan is not None
