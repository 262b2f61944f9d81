"""Reductions of stored data read each stored chunk once, in as many blocks as there may be."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.cells import lattice
from dask_tapestry.io.sources.zarr_source import ZarrSource

SHAPE, CHUNKS = (1450, 1000), (200, 150)

WORKS = {
    "sum": lambda x, y: [x.sum()],
    "mean of columns": lambda x, y: [x.mean(axis=0)],
    "mean of rows": lambda x, y: [x.mean(axis=1)],
    "deviation": lambda x, y: [x.std()],
    "deviation of columns": lambda x, y: [(x * 2).std(axis=0)],
    "begun within a chunk": lambda x, y: [x[7:, 3:].sum()],
    "steps that divide chunks": lambda x, y: [x[::4, ::5].mean(axis=0)],
    "reversed": lambda x, y: [x[::-1].var(axis=1)],
    "place": lambda x, y: [x.argmax()],
    "histogram": lambda x, y: [dt.histogram(x, bins=5, range=(0, 1))[0]],
    "quadratic means": lambda x, y: [(x * x).mean(axis=0), (y * y).mean(axis=0), (x * y).mean(0)],
    "over either axis": lambda x, y: [x.mean(axis=0), x.std(axis=1), x.max()],
    "formulas over either axis": lambda x, y: [(x * y).sum(1), x.mean(0), (y - x).argmax()],
    "sums of a sum with a transpose": lambda x, y: [(x + y.T.T).sum(axis=0)],
}

OF_BOTH = ("quadratic means", "formulas over either axis", "sums of a sum with a transpose")


@pytest.fixture
def stores(tmp_path, monkeypatch):
    """Two stored arrays, small cells of lattices, and how often chunks of each were read."""
    for name, cells in (
        ("FEW_LATTICE_CELLS", 20_000),
        ("MOST_LATTICE_CELLS", 40_000),
        ("FOLDED_CELLS", 4),
    ):
        monkeypatch.setattr(lattice, name, cells)
    found = []
    for name in "xy":
        cells = np.random.default_rng(len(found)).random(SHAPE)
        path = tmp_path / name
        zarr.create_array(path, shape=SHAPE, chunks=CHUNKS, dtype="f8")[...] = cells
        found.append(dt.from_zarr(path))
    reads = Counter()
    read = ZarrSource.read_some  # what `read` calls too

    def counted(self, box, *args):
        spans = zip(box.lo, box.hi, CHUNKS, strict=True)
        touched = [range(lo // side, -(-hi // side)) for lo, hi, side in spans]
        reads.update((self.written, place) for place in product(*touched))
        return read(self, box, *args)

    monkeypatch.setattr(ZarrSource, "read_some", counted)
    return found, reads


@pytest.mark.few(7)  # the works are counted in io/test_requests.py too
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("blocks", [1, 8])
def test_each_chunk_is_read_once(stores, name, blocks):
    (x, y), reads = stores
    used = 2 if name in OF_BOTH else 1
    machine = dt.Resources(workers=blocks, threads=1, memory="1 GiB", store_bandwidth="1 MB/s")
    most = 2 * x.nbytes // blocks  # of a block, of a store so slow that reading counts most
    with dt.config(resources=machine, block_bytes=most):
        plan = dt.plan(*WORKS[name](x, y))
        assert plan.cost["bytes_read"] == used * x.nbytes
        assert blocks == 1 or plan.cost["tasks"] > 2
        dt.compute(*WORKS[name](x, y), scheduler="sync")
    assert len(reads) == 56 * used
    assert set(reads.values()) == {1}


@pytest.mark.parametrize("axis", [0, 1])
def test_scans_read_each_chunk_once(stores, axis):
    (x, _), reads = stores
    machine = dt.Resources(workers=4, threads=1, memory="1 GiB", store_bandwidth="1 MB/s")
    with dt.config(resources=machine, block_bytes=x.nbytes // 2):
        total = x.cumsum(axis=axis).max()
        assert dt.plan(total).cost["bytes_read"] == x.nbytes
        found = total.compute(scheduler="sync")
    assert len(reads) == 56
    assert set(reads.values()) == {1}
    np.testing.assert_allclose(found, np.cumsum(x.compute(), axis).max())


def test_a_store_of_one_step_a_chunk_is_cut_along_its_steps():
    x = dt.placeholder((3650, 721, 1440), "f4", stored_chunks=(1, 721, 1440))
    machine = dt.Resources(workers=4, threads=1, memory="2 GiB")
    with dt.config(resources=machine):
        plan = dt.plan(x.mean(axis=0))
    plan.verify()
    assert plan.cost["bytes_read"] == x.nbytes
    assert plan.cost["peak_worker_bytes"] < 2**30
