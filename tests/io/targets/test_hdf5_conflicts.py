import pytest

import dask_tapestry as dt
from dask_tapestry.io.targets import hdf5_conflicts
from dask_tapestry.io.targets.hdf5_conflicts import OpenWrite, OpenWrites
from dask_tapestry.io.targets.write_region import WriteRegion

STOPPED = "another write has begun to write the same cells"


def write(run, *region, dataset="x"):
    return OpenWrite(dataset, WriteRegion.of((slice(*region),), (20,), (8,)), run)


@pytest.mark.parametrize(
    ("other", "stops"),
    [
        (write("b", 5, 9), True),
        (write("a", 5, 9), False),
        (write("b", 9, 12), False),
        (write("b", 1, 9, 2), False),
        (write("b", 5, 9, dataset="y"), False),
    ],
    ids=str,
)
def test_writes_of_other_computes_to_the_same_cells_are_stopped(other, stops):
    """Of cells, not of chunks, which HDF5 reads and writes one at a time."""
    writes, first = OpenWrites(), write("a", 0, 9, 2) if other.region.along[0].step == 2 else None
    first = first or write("a", 0, 9)
    writes.begin(first)
    writes.begin(other)
    if not stops:
        writes.end(first)
        writes.end(other)
        assert not writes._open
        return
    for step in (writes.require, writes.end, writes.begin):
        with pytest.raises(dt.StoreError, match=STOPPED):
            step(first)
    writes.end(other)
    assert not writes._open


def test_what_ended_is_not_stopped_and_what_was_stopped_is_forgotten_in_the_end(monkeypatch):
    monkeypatch.setattr(hdf5_conflicts, "MOST_STOPPED_WRITES", 3)
    writes = OpenWrites()
    for run in "abcdefgh":
        writes.begin(write(run, 0, 9))
        writes.begin(write(run, 0, 9))
    assert len(writes._stopped) == 3
    writes.end(write("h", 0, 9))
    writes.begin(write("i", 0, 9))
    writes.require(write("h", 0, 9))
