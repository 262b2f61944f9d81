import gc
import subprocess
import sys
import weakref
from threading import Lock

import pytest

from dask_tapestry.memory import garbage_collection
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


LEFT = """
import gc
from dask_tapestry.memory import garbage_collection
from dask_tapestry.memory.garbage_collection import collection_paused

with collection_paused():
    kept = [[number] for number in range(100_000)]
numbers = {id(one) for one in kept}
print(sum(id(one) in numbers for one in gc.get_objects(generation=0)))
"""


def test_what_is_left_counts_as_old():
    # its own process: this one's objects may be frozen
    ran = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True)
    assert ran.stdout == "0\n", ran.stderr


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


@pytest.fixture
def frozen():
    """What tests before this one have frozen stays so: to look at it again takes 20 s."""
    others_froze = gc.get_freeze_count()
    gc.freeze()
    yield
    if not others_froze:
        gc.unfreeze()


@pytest.mark.usefixtures("frozen")
def test_what_others_have_frozen_stays_so():
    with collection_paused():
        pass
    assert gc.get_freeze_count()


@pytest.mark.usefixtures("frozen")
def test_frozen_objects_are_counted_once(monkeypatch):
    with collection_paused():
        pass
    asked = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(True))
    for _ in range(3):
        with collection_paused():
            pass
    assert not asked


def test_nobody_waits_for_another_thread_that_counts(monkeypatch):
    # a process that was forked meanwhile would wait for ever
    lock = Lock()
    lock.acquire()
    monkeypatch.setattr(garbage_collection, "_turn", lock)
    with collection_paused():
        pass
    assert lock.locked()


GARBAGE = """
import gc
import weakref
from dask_tapestry.memory.garbage_collection import collection_paused
from dask_tapestry.memory.tuning import FEW_OLD_OBJECTS

class Loop:
    pass

gone = []
for number in range(8):
    with collection_paused():
        loop = Loop()
        loop.itself = loop, [[] for _ in range(FEW_OLD_OBJECTS // 3)]
        weakref.finalize(loop, gone.append, number)
        del loop
print(len(gone))
"""


def test_garbage_that_counts_as_old_is_collected_when_it_is_much():
    # its own process: this one's objects may be frozen
    ran = subprocess.run([sys.executable, "-c", GARBAGE], capture_output=True, text=True)
    assert int(ran.stdout) >= 4, ran.stderr


REMEMBERED = """
from dask_tapestry.cells.reduction_tree import leaf_sides
from dask_tapestry.memory.garbage_collection import collection_paused
from dask_tapestry.memory.tuning import FEW_OLD_OBJECTS

kept = []
for few in (FEW_OLD_OBJECTS // 4, 2 * FEW_OLD_OBJECTS):
    with collection_paused():
        leaf_sides((10, 10))
        kept += [[] for _ in range(few)]
    print(leaf_sides.cache_info().currsize)
"""


def test_what_functions_remember_is_forgotten_when_much_is_left():
    # its own process: this one's objects may be frozen
    ran = subprocess.run([sys.executable, "-c", REMEMBERED], capture_output=True, text=True)
    assert ran.stdout == "1\n0\n", ran.stderr


COUNTED_BESIDE_A_TUPLE = """
import sys
from threading import Event, Thread
from dask_tapestry.memory import garbage_collection
from dask_tapestry.memory.garbage_collection import collection_paused

done = Event()

def fill():
    while not done.is_set():
        tuple(map(lambda number: number, range(300)))

sys.setswitchinterval(1e-6)
thread = Thread(target=fill)
thread.start()
for _ in range(300):
    garbage_collection._Old.stayed = None
    with collection_paused():
        pass
done.set()
thread.join()
"""


def test_tuples_that_other_threads_fill_are_let_alone():
    code = COUNTED_BESIDE_A_TUPLE
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not ran.stderr
