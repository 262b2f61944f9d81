import dask_tapestry as dt
from dask_tapestry.arrays.core.planned_collections import PlannedCollection


def test_arrays_and_writes_are_planned(tmp_path):
    x = dt.ones(3)
    assert isinstance(x, PlannedCollection)
    assert isinstance(dt.to_zarr(x, tmp_path / "x", compute=False), PlannedCollection)
    assert not isinstance(x.plan(), PlannedCollection)
