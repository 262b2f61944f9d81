"""Lines that a mask in memory selects are all that a reduction reads."""

import warnings

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.arrays.core.known_masks import lines_where

ROWS = np.arange(24) % 3 == 1


@pytest.fixture
def stored(tmp_path):
    cells = np.random.default_rng(0).normal(size=(24, 6, 8))
    zarr.create_array(tmp_path / "x", data=cells, chunks=(2, 6, 8))
    return cells, dt.from_zarr(tmp_path / "x")


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "prod", "any", "all"])
@pytest.mark.parametrize("axis", [None, 0, (0, 2), -3])
@pytest.mark.parametrize("months", [False, True])
def test_chunks_without_a_line_are_not_read(stored, name, axis, months):
    cells, x = stored
    rows = np.arange(24) // 6 == 1 if months else ROWS
    mask = rows[:, None, None]
    made = getattr(dt, name)(x, axis=axis, where=mask)
    expected = getattr(np, name)(cells, axis=axis, where=mask)
    assert dt.plan(made).cost["bytes_read"] <= 3 / 12 * x.nbytes or not months
    np.testing.assert_allclose(made, expected)
    np.testing.assert_allclose(getattr(dt, name)(x, axis=axis, where=dt.asarray(mask)), expected)


@pytest.mark.parametrize("axis", [1, 2, (1, 2)])
def test_an_axis_that_stays_keeps_its_lines(stored, axis):
    cells, x = stored
    mask = ROWS[:, None, None]
    np.testing.assert_allclose(x.sum(axis=axis, where=mask), cells.sum(axis=axis, where=mask))


def test_masks_of_cells_and_of_short_lines_stay_masks(stored):
    _, x = stored
    assert lines_where(x, (0, 1, 2), ROWS[:, None, None]) is not None
    assert lines_where(x, (0, 1, 2), x > 0) is None
    assert lines_where(x, (0, 1, 2), np.ones((24, 6, 1), bool)) is None
    assert lines_where(x, (0, 1, 2), np.ones(8, bool)) is None
    assert lines_where(x, (1, 2), ROWS[:, None, None]) is None
    assert lines_where(x, (0,), np.ones((1, 24, 6, 8), bool)) is None


def test_no_line_at_all(stored):
    cells, x = stored
    nothing = np.zeros((24, 1, 1), bool)
    np.testing.assert_array_equal(x.sum(axis=0, where=nothing), np.zeros((6, 8)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cells.mean(axis=0, where=nothing)
        np.testing.assert_array_equal(x.mean(axis=0, where=nothing), expected)
    with pytest.raises(dt.ShapeError, match="initial"):
        x.min(axis=0, where=nothing)
    assert float(x.min(initial=3, where=nothing)) == 3
