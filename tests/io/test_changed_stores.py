"""A store that others change between plan and run: right values, or an error that names it."""

import shutil

import numpy as np
import pytest
import zarr

import dask_tapestry as dt

CELLS = np.arange(400.0).reshape(20, 20)


def made(path, cells=CELLS, **options):
    shutil.rmtree(path, ignore_errors=True)
    options = {"shape": cells.shape, "dtype": cells.dtype, "chunks": (5, 7)} | options
    zarr.create_array(path, **options)[...] = cells


@pytest.fixture
def planned(tmp_path):
    made(tmp_path / "x")
    return tmp_path / "x", dt.plan(dt.from_zarr(tmp_path / "x") + 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"chunks": (20, 3)},
        {"compressors": None},
        {"compressors": zarr.codecs.GzipCodec()},
        {"shards": (10, 14)},
        {"zarr_format": 2},
    ],
)
def test_other_chunks_and_codecs_are_read_as_they_are_now(planned, changed):
    path, plan = planned
    made(path, -CELLS, **changed)
    np.testing.assert_array_equal(plan.compute(scheduler="sync"), 1 - CELLS)


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (np.zeros((20, 21)), "another shape now"),
        (np.zeros((40, 10)), "another shape now"),
        (np.zeros((20, 20, 1)), "another shape now"),
        (np.zeros((20, 20), "f4"), "another dtype now"),
        (np.zeros((20, 20), "i8"), "another dtype now"),
    ],
)
def test_another_shape_or_dtype_is_an_error_that_names_the_store(planned, cells, text):
    path, plan = planned
    made(path, cells, chunks=cells.shape)
    with pytest.raises(dt.StoreError, match=rf"{path}.*{text}"):
        plan.compute(scheduler="sync")


def test_a_store_that_is_gone_is_named(planned):
    path, plan = planned
    shutil.rmtree(path)
    with pytest.raises(dt.StoreError, match=f"no Zarr array at {path}"):
        plan.compute(scheduler="sync")


def test_a_target_that_became_another_is_named_and_stays(tmp_path):
    made(tmp_path / "x")
    write = dt.to_zarr(dt.asarray(CELLS), zarr.open_array(tmp_path / "x", mode="r+"), compute=False)
    made(tmp_path / "x", np.zeros((21, 20)))
    with pytest.raises(dt.StoreError, match=rf"{tmp_path}.*\(21, 20\) now"):
        write.compute(scheduler="sync")
    assert not zarr.open_array(tmp_path / "x")[...].any()


def test_a_target_that_is_gone_is_named_before_work_is_done(tmp_path):
    made(tmp_path / "x")
    computed = []
    x = dt.asarray(CELLS).map_blocks(lambda block: computed.append(1) or block, dtype="f8")
    write = dt.to_zarr(x, zarr.open_array(tmp_path / "x", mode="r+"), compute=False)
    shutil.rmtree(tmp_path / "x")
    computed.clear()
    with pytest.raises(dt.StoreError, match=f"{tmp_path}"):
        write.compute(scheduler="sync")
    assert not computed
