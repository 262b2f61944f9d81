import gc
import subprocess
import sys
import weakref

import pytest

from dask_tapestry.memory.garbage_collection import collection_paused


@pytest.mark.parametrize("was_on", [True, False])
def test_no_garbage_is_collected_while_it_is_paused(was_on):
    (gc.enable if was_on else gc.disable)()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is was_on
    finally:
        gc.enable()


PLANNED_TWICE = """
import gc
import dask_tapestry as dt

x = dt.placeholder((4000, 4000), "f8", (1000, 1000))
y = ((x - x.mean(0)) / x.std(0)).sum(1)
dt.plan(y + 1)
gc.collect()
gc.disable()
gc.set_debug(gc.DEBUG_SAVEALL)
plan = dt.plan(y)
gc.collect()
print(sum(type(x).__module__.startswith("dask_tapestry.") for x in gc.garbage))
"""


def test_planning_leaves_no_garbage():
    # its own process: threads of other tests may drop theirs meanwhile
    ran = subprocess.run([sys.executable, "-c", PLANNED_TWICE], capture_output=True, text=True)
    assert ran.stdout == "0\n", ran.stderr


def test_what_is_left_counts_as_old():
    with collection_paused():
        kept = [[number] for number in range(100_000)]
    numbers = {id(one) for one in kept}
    assert not [one for one in gc.get_objects(generation=0) if id(one) in numbers]


def test_garbage_among_it_is_collected_later():
    class Loop:
        pass

    gone = []
    with collection_paused():
        loop = Loop()
        loop.itself = loop
        weakref.finalize(loop, gone.append, True)
        del loop
    gc.collect()
    assert gone == [True]


def test_what_others_have_frozen_stays_so():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collection_paused():
            pass
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()
