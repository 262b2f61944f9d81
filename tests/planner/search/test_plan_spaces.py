import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search.plan_spaces import plan_spaces, smaller_may_gain
from dask_tapestry.teg import Graph


def of(seconds):
    return Rank(0, 0.0, 0, 0, seconds)


def test_smaller_tasks_are_tried_as_long_as_something_better_may_fit():
    assert not smaller_may_gain([(of(10), None)], 0)
    assert not smaller_may_gain([(of(10), of(9.95))], 0)
    assert smaller_may_gain([(of(10), of(5))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(9), of(5))], 0)  # these were better
    assert smaller_may_gain([(of(10), of(5)), (of(10), of(4))], 0)  # more may fit
    assert not smaller_may_gain([(of(10), of(5)), (of(10), of(5))], 0)
    assert not smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 2**20)  # the largest did not fit
    assert smaller_may_gain([(of(90), of(5)), (of(90), of(5))], 0)  # it takes far less


def test_a_factor_of_many_panels_is_planned():
    machines = dt.Resources(workers=16, threads=4, memory="1.5 GiB")
    x = dt.placeholder((20_000, 20_000), "f8", stored_chunks=(1000, 1000))
    dt.plan(dt.linalg.cholesky(x).sum(), resources=machines).verify()


@pytest.mark.parametrize(("chunk", "count"), [(10, 4), (100, 3), (180, 2), (400, 1)])
def test_tasks_that_cannot_decode_a_chunk_are_not_planned(tmp_path, chunk, count):
    """Whatever else they do: MB of a chunk, which is there as stored and decoded."""
    shape = 50_000, 250_000
    zarr.create_array(tmp_path / "x", shape=shape, dtype="f4", chunks=(chunk, 250_000))
    x = dt.from_zarr(tmp_path / "x")
    machine = dt.Resources(workers=2, threads=1, memory="2 GB")
    assert len(plan_spaces(Graph([x.sum(axis=0).node]), machine, "auto")) == count
