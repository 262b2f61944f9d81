"""Rows of files that a step skips, which are left out where reading the others is quicker."""

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.files import file_cells
from dask_tapestry.io.sources.zarr_source import ZarrSource
from tests.pieces import pieces_of

KEYS = [np.s_[::3], np.s_[2::5, ::2], np.s_[30:1:-4], np.s_[1::7, 3:9], np.s_[::-3, ::-1]]


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("chunks", [(10, 7), (10, 23)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("piece", [2**25, 256], ids=["whole", "in pieces"])
def test_steps_pick_the_same_cells(chunks, order, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(file_cells, "SKIPPED_ROW_BYTES", 16)
    cells = np.arange(37.0 * 23).reshape(37, 23)
    told = {"shape": cells.shape, "chunks": chunks, "dtype": "f8", "compressors": None}
    zarr.create_array(tmp_path, zarr_format=2, order=order, **told)[...] = cells
    x = dt.from_zarr(tmp_path)
    with pieces_of(piece):
        for key in KEYS:
            picked = x[key]
            expected = cells[key]
            for made, right in (
                (picked * 2, expected * 2),
                (picked.sum(axis=0), expected.sum(axis=0)),
                (picked + picked[::-1], expected + expected[::-1]),
                (picked + x[: len(expected)].sum(), expected + cells[: len(expected)].sum()),
            ):
                np.testing.assert_array_equal(made.compute(), right)


def test_rows_that_a_step_skips_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(file_cells, "SKIPPED_ROW_BYTES", 64)
    stored = zarr.create_array(
        tmp_path, shape=(40, 50), chunks=(10, 50), dtype="f8", compressors=None
    )
    cells = np.arange(2000.0).reshape(40, 50)
    stored[...] = cells
    source = dt.from_zarr(tmp_path).node.operator
    assert isinstance(source, ZarrSource)
    box = dt.from_zarr(tmp_path).node.type.box
    some = source.read_some(box, np.full((40, 50), -1.0), 7)
    np.testing.assert_array_equal(some[::7], cells[::7])
    assert (np.delete(some, np.s_[::7], axis=0) == -1).all()
