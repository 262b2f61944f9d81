import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.dry_run import StandInBlock
from dask_tapestry.lower.dry_run_state import dry_run, is_dry_run
from dask_tapestry.planner.memory.results import ResultMemory


class NeededError(BaseException):
    pass


@pytest.fixture
def told():
    found = []

    def tell(plan, results, for_dask):
        found.append((results, for_dask))
        if not plan.is_effect(plan.graph.roots[0]) and results is not ResultMemory.KEPT:
            raise NeededError

    with dry_run(tell):
        yield found


def test_a_write_is_told_and_nothing_is_written(told, tmp_path):
    assert is_dry_run()
    dt.to_zarr(dt.ones((40, 3)), tmp_path / "a")
    write = dt.to_zarr(dt.ones((40, 3)), tmp_path / "b", compute=False)
    assert dask.compute(write, write) == (None, None)
    target = np.zeros(3)
    dt.store(dt.ones(3), target)
    assert len(told) == 3
    assert not list(tmp_path.iterdir())
    assert not target.any()


def test_values_that_are_kept_are_planned_on(told):
    x = (dt.ones((40, 30)) * 2).persist()
    y, z = dt.persist(x + 1, x.sum())
    assert (y.shape, z.shape) == ((40, 30), ())
    assert [results for results, _ in told] == [ResultMemory.KEPT] * 2
    with pytest.raises(NeededError):
        y.compute()
    with pytest.raises(NeededError):
        float(z)
    assert isinstance(StandInBlock(), StandInBlock)


def test_small_values_are_values(told):
    with pytest.raises(NeededError):
        dt.arange(3).compute()
    with pytest.raises(NeededError):
        np.asarray(dt.arange(3) + 1)


def test_tasks_for_dask_are_told(told):
    dt.ones(3).to_dask_array().__dask_graph__()
    assert told[-1][1]
