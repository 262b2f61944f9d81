from dataclasses import replace

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.memory import fullest_workers
from dask_tapestry.planner.memory.results import ResultMemory, joined_bytes, rounds_that_fit
from dask_tapestry.planner.tuning import RESULT_PROCESS_BYTES
from tests.planner.graphs import FOUR

SMALL = dt.Resources(workers=2, threads=1, memory="800 MB")


def plan(shape, chunks, resources=SMALL):
    return dt.plan(dt.ones(shape).rechunk(chunks), resources=resources).core


def test_what_workers_hold_at_once_takes_one_round():
    assert rounds_that_fit(plan((1000, 1000), (100, 1000))) == 1


def test_what_is_too_much_at_once_is_computed_in_the_fewest_rounds():
    made = plan((400, 10**6), (1, 10**6))
    rounds = rounds_that_fit(made)
    assert rounds > 1
    assert fullest_workers(made, rounds=rounds).fits
    assert not fullest_workers(made, rounds=rounds - 1).fits
    made.verify(ResultMemory.FETCHED)
    for results in (ResultMemory.KEPT, ResultMemory.JOINED):
        with pytest.raises(dt.MemoryLimitError, match="peak_memory_is_bounded"):
            made.verify(results)


def test_blocks_that_are_too_large_fit_in_no_rounds():
    large = plan((2, 10**8), (1, 10**8), FOUR)
    made = replace(large, resources=SMALL)
    assert rounds_that_fit(made) is None
    with pytest.raises(dt.MemoryLimitError):
        made.verify(ResultMemory.FETCHED)
    with pytest.raises(dt.MemoryLimitError):
        plan((2, 10**8), (1, 10**8))


def test_a_worker_that_joins_holds_blocks_and_value():
    made = plan((448, 125_000), (8, 125_000))
    assert joined_bytes(made) == 2 * 448 * 10**6 + RESULT_PROCESS_BYTES
    made.verify()
    with pytest.raises(dt.MemoryLimitError, match=r"joining.*persist\(\).*to_zarr"):
        made.verify(ResultMemory.JOINED)
    assert joined_bytes(plan((1000, 1000), (100, 1000))) == 0
    assert (
        joined_bytes(plan((448, 125_000), (448, 125_000), FOUR))
        == 448 * 10**6 + RESULT_PROCESS_BYTES
    )


def test_writes_take_nothing(tmp_path):
    write = dt.to_zarr(dt.ones((400, 10**6)), tmp_path / "x", compute=False)
    made = dt.plan(write, resources=SMALL).core
    made.verify(ResultMemory.JOINED)
    assert joined_bytes(made) == 0
