import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from tests.io.resumed_jobs import Tripping, Written

CELLS = np.arange(40.0 * 30).reshape(40, 30)
SIDES = (5, 10)
REGION = (slice(3, 33), slice(10, 30))
INNER = CELLS[REGION]


@pytest.fixture
def counted(monkeypatch):
    return Written(monkeypatch, SIDES)


def target(path):
    return zarr.create_array(path, shape=(40, 30), dtype="f8", chunks=SIDES, fill_value=-1)


def doubled(double, cells=INNER):
    return dt.map_blocks(double, dt.asarray(cells.copy()).rechunk(SIDES), dtype=float)


def job(double, path, cells=INNER, region=REGION, scheduler="sync", **options):
    with dt.config(block_bytes="1 kB"):
        x = doubled(double, cells)
        dt.to_zarr(x, path, region=region, resume=True, scheduler=scheduler, **options)


def expected():
    whole = np.full((40, 30), -1.0)
    whole[REGION] = 2 * INNER
    return whole


def test_a_region_goes_on_where_it_failed(tmp_path, counted, caplog):
    target(tmp_path / "x")
    with pytest.raises(OSError, match="on fire"):
        job(Tripping(6), tmp_path / "x")
    first = set(counted.chunks)
    counted.chunks.clear()
    job(Tripping(np.inf), tmp_path / "x")
    assert first
    assert set(counted.chunks).isdisjoint(first)
    assert set(counted.chunks) | first == {(i, j) for i in range(7) for j in (1, 2)}
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], expected())
    assert "goes on: " in caplog.text
    counted.chunks.clear()
    job(Tripping(0), tmp_path / "x")
    assert not counted.chunks
    assert "is complete: nothing is written" in caplog.text


def test_a_region_with_steps(tmp_path, counted):
    target(tmp_path / "x")
    region = (slice(1, 40, 3), slice(0, 30, 2))
    cells = CELLS[region]
    with pytest.raises(OSError, match="on fire"):
        job(Tripping(4), tmp_path / "x", cells, region)
    job(Tripping(np.inf), tmp_path / "x", cells, region)
    whole = np.full((40, 30), -1.0)
    whole[region] = 2 * cells
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], whole)
    job(Tripping(0), tmp_path / "x", cells, region)


def test_cells_that_others_wrote_since_are_written_again(tmp_path, counted):
    """A region is to hold its cells when the write has ended, whoever wrote there before."""
    target(tmp_path / "x")
    job(Tripping(np.inf), tmp_path / "x")
    dt.to_zarr(np.zeros((10, 30)), tmp_path / "x", region=(slice(10), slice(None)))
    job(Tripping(np.inf), tmp_path / "x")
    found = zarr.open_array(tmp_path / "x")[...]
    np.testing.assert_array_equal(found[REGION], 2 * INNER)
    np.testing.assert_array_equal(found[:10, :10], 0)


def test_leftovers_of_another_write_are_refused(tmp_path):
    target(tmp_path / "x")
    with pytest.raises(OSError, match="on fire"):
        job(Tripping(4), tmp_path / "x")
    with pytest.raises(dt.StoreError, match=r"has not ended: the data 0 .* differs; leave resume"):
        job(Tripping(np.inf), tmp_path / "x", INNER + 1)
    job(Tripping(np.inf), tmp_path / "x", CELLS[35:], (slice(35, 40), slice(None)))
    with dt.config(block_bytes="1 kB"):
        dt.to_zarr(INNER * 2, tmp_path / "x", region=REGION)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x")[REGION].compute(), 2 * INNER)


def stored(arrays, double, **options):
    with dt.config(block_bytes="1 kB"):
        x = doubled(double, CELLS)
        regions = [None, (slice(0, 20), slice(None)), (slice(20, 40), slice(None))]
        one, other = arrays
        sources = [x, x[:20] + 1, x[20:] + 2]
        targets = [one, other, other]
        dt.store(sources, targets, regions=regions, resume=True, scheduler="sync", **options)


def test_several_arrays_are_stored_and_go_on(tmp_path, counted):
    arrays = [target(tmp_path / name) for name in "xy"]
    with pytest.raises(OSError, match="on fire"):
        stored(arrays, Tripping(9))
    first = sum(counted.chunks.values())
    counted.chunks.clear()
    stored(arrays, Tripping(np.inf))
    assert 0 < first < 48
    assert sum(counted.chunks.values()) == 48 - first
    one, other = [dt.from_zarr(tmp_path / name).compute() for name in "xy"]
    np.testing.assert_array_equal(one, 2 * CELLS)
    np.testing.assert_array_equal(other, 2 * CELLS + 1 + (np.arange(40) >= 20)[:, None])
    stored(arrays, Tripping(0))


def test_what_cannot_be_resumed_is_refused_before_anything_is_written(tmp_path):
    array, x = target(tmp_path / "x"), dt.asarray(CELLS)
    with pytest.raises(TypeError, match=r"resume=True takes Zarr arrays"):
        dt.store(x, np.zeros((40, 30)), resume=True)
    halves = [(slice(22), slice(None)), (slice(22, 40), slice(None))]
    with pytest.raises(dt.ArgumentError, match="give regions of whole chunks"):
        dt.store([x[:22], x[22:]], [array, array], regions=halves, resume=True)
    before = dt.store(x, array, compute=False)
    with pytest.raises(dt.ArgumentError, match="give regions of whole chunks"):
        dt.store(x, array, after=[before], resume=True)
    with pytest.raises(dt.ArgumentError, match="which it replaces"):
        dt.store(dt.from_zarr(array) * 2, array, resume=True)
    with pytest.raises(dt.ArgumentError, match="seed"):
        dt.store(dt.random.default_rng().normal(size=(40, 30)), array, resume=True)
    np.testing.assert_array_equal(array[...], -1)
