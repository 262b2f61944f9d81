import gc
import weakref

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.loops import loop_runs
from dask_tapestry.arrays.loops.loop_runs import Ends


@pytest.mark.parametrize(
    ("ends", "stops"),
    [
        (Ends(7, None, 3, None), [7, 7]),
        (Ends(7, "test", 3, None), [3, 7]),
        (Ends(None, "test", 3, None), [3, 9]),
        (Ends(None, None, 1, None), [None, None]),
    ],
)
def test_where_a_loop_stops_to_look(ends, stops):
    assert [ends.next_stop(step) for step in (2, 6)] == stops


def test_a_state_that_is_no_data_is_computed_once():
    reads = []

    def noted(block):
        reads.append(block.shape)
        return block

    state = dt.map_blocks(noted, dt.arange(6), dtype="i8", meta=np.empty(0, "i8"))
    dt.iterate(lambda x: x + x.sum(), state, 3)
    assert reads.count((6,)) == 1


def test_states_before_the_last_are_let_go(monkeypatch):
    known, most = [], []
    persist = loop_runs.persist

    def noted(*arrays):
        made = persist(*arrays)
        known.extend(map(weakref.ref, made))
        gc.collect()
        most.append(sum(one() is not None for one in known))
        return made

    monkeypatch.setattr(loop_runs, "persist", noted)
    dt.iterate(lambda x: x + 1, np.zeros(10), 6)
    assert max(most) <= 3


def test_an_interrupt_comes_through_between_steps(monkeypatch):
    taken = []
    persist = loop_runs.persist

    def stopped(*arrays):
        taken.append(1)
        if len(taken) == 3:
            raise KeyboardInterrupt
        return persist(*arrays)

    monkeypatch.setattr(loop_runs, "persist", stopped)
    with pytest.raises(KeyboardInterrupt):
        dt.iterate(lambda x: x + 1, np.zeros(10), 6)
    assert len(taken) == 3
