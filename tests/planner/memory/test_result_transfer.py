"""What bringing results to the client of a cluster takes."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.result_transfer import NOTHING, gathered
from dask_tapestry.planner.tuning import BYTES_ASKED_TOGETHER
from tests.planner.graphs import FOUR, ROOMY, stored

FAST = dt.Resources(workers=4, threads=2, memory="8 GiB", bandwidth="1 GB/s", latency="1 ms")


def of(*arrays, resources=FAST):
    return gathered(dt.plan(*arrays, resources=resources).core)


def test_results_come_through_the_network_of_one_machine():
    x = stored() + 1
    few, many = (
        of(x, resources=dt.Resources(n, 2, "8 GiB", "1 GB/s", latency="1 ms")) for n in (2, 64)
    )
    assert few.bytes == many.bytes == x.nbytes
    for found in (few, many):
        assert x.nbytes / 1e9 < found.seconds < 1.5 * x.nbytes / 1e9, "however many send them"


def test_small_results_take_little():
    found = of(stored().sum(axis=0))
    assert (found.bytes, found.seconds < 0.02) == (8000, True)


def test_blocks_are_asked_for_together():
    x = stored()
    fine, coarse = (of(x.rechunk((side, -1))) for side in (100, 5000))
    assert (fine.blocks, coarse.blocks) == (1000, 20)
    assert fine.seconds - coarse.seconds < 1000 * 1e-3 / 10, "a message for each would take long"
    assert BYTES_ASKED_TOGETHER < 20 * 5000 * 8000


def test_each_result_comes_once():
    x = stored() + 1
    assert of(x, x) == of(x)
    both = of(x, x.sum(axis=0))
    assert both.bytes == x.nbytes + 8000


def test_what_is_written_does_not_come(tmp_path):
    assert of(dt.to_zarr(stored(), tmp_path / "x", compute=False)) == NOTHING


def test_results_of_this_process_are_here():
    here = dt.Resources(workers=1, threads=2, memory="8 GiB", local=True)
    assert of(stored() + 1, resources=here) == NOTHING
    assert dt.plan(stored() + 1, resources=here).cost["result_seconds"] == 0


@pytest.mark.parametrize("resources", [FOUR, ROOMY])
def test_a_plan_says_what_its_results_take(resources):
    large, small = (dt.plan(y, resources=resources) for y in (stored() + 1, stored().sum()))
    assert large.cost["result_bytes"] == 800_000_000
    assert large.cost["result_seconds"] == gathered(large.core).seconds
    assert "results: 762.94 MiB in" in large.explain()
    assert "to this process" in large.explain().splitlines()[-1]
    assert "results:" not in small.explain()
