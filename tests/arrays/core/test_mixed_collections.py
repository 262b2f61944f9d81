"""Collections of other kinds that hold several arrays: what these share is read once."""

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.mixed_collections import planned_together

CELLS = np.arange(24_000.0).reshape(600, 40)


class Counted:
    """An array in chunks of rows that counts how often it is read."""

    shape, dtype, chunks = CELLS.shape, CELLS.dtype, (200, 40)

    def __init__(self):
        self.reads = 0

    def __getitem__(self, key):
        self.reads += CELLS[key].size
        return CELLS[key]


def test_a_masked_array_is_read_once():
    cells = Counted()
    x = dt.ma.masked_greater(dt.from_array(cells) * 2, 100)
    (made,) = dask.compute(x)
    assert cells.reads == CELLS.size
    assert np.ma.allequal(made, np.ma.masked_greater(CELLS * 2, 100))
    assert (made.mask == (CELLS * 2 > 100)).all()
    (kept,) = dask.persist(x)
    assert (kept.compute().filled(0) == made.filled(0)).all()


def test_a_dataset_is_read_once():
    xarray = pytest.importorskip("xarray")
    cells = Counted()
    x = dt.from_array(cells)
    data = xarray.Dataset(
        {
            "a": (("t", "x"), x + 1),
            "b": (("t", "x"), x * 3),
            "c": ("x", (x + 1).sum(axis=0)),
            "d": ("t", x.mean(axis=1)),
        }
    )
    with dt.xarray.use():
        (made,) = dask.compute(data)
        assert cells.reads == CELLS.size
        (kept,) = dask.persist(data)
    for found in (made, kept.compute()):
        np.testing.assert_array_equal(found.a.data, CELLS + 1)
        np.testing.assert_array_equal(found.b.data, CELLS * 3)
        np.testing.assert_allclose(found.c.data, (CELLS + 1).sum(axis=0), rtol=1e-14)
        np.testing.assert_allclose(found.d.data, CELLS.mean(axis=1), rtol=1e-14)


def test_keys_are_each_array_s_own():
    x = dt.ones((6, 4), chunks=(3, 4))
    y, z = x + 1, (x + 1).sum(axis=0)
    planned_together([y, z, y])
    assert set(y.dask.layers) == set(z.dask.layers)
    assert y.__dask_keys__() == [[(y.name, 0, 0)], [(y.name, 1, 0)]]
    assert z.__dask_keys__() == [(z.name, 0)]
    assert (y.compute() == 2).all()
    assert (z.compute() == 12).all()


def test_arrays_found_to_be_one_keep_their_own_graphs():
    x = dt.ones((6, 4), chunks=(3, 4))
    y, z = x * 1, x + 0.0
    planned_together([x, y, z])
    for one in (x, y, z):
        (made,) = dask.compute({"x": one})
        assert (made["x"] == 1).all()
        assert one.__dask_keys__()[0][0][0] == one.name


def test_dask_dataframe_is_told_the_way_out():
    x = dt.ones(3)
    with pytest.raises(dt.DTypeError, match="to_dask_dataframe"):
        x.expr.ndim  # noqa: B018


def test_masked_arrays_and_arrays_are_planned_together():
    cells = Counted()
    x = dt.from_array(cells)
    both = x * 2, dt.ma.masked_greater(x * 3, 100), dt.ma.masked_less(x, 50), x.sum(axis=0)
    found = dask.compute(*both)
    assert cells.reads == CELLS.size
    np.testing.assert_array_equal(found[0], CELLS * 2)
    assert np.ma.allequal(found[1], np.ma.masked_greater(CELLS * 3, 100))
    assert np.ma.allequal(found[2], np.ma.masked_less(CELLS, 50))
    np.testing.assert_allclose(found[3], CELLS.sum(axis=0), rtol=1e-14)
    kept = dask.persist(*both)
    assert (kept[1].compute().filled(0) == found[1].filled(0)).all()
    np.testing.assert_array_equal(kept[0], found[0])


def test_datasets_are_planned_together():
    xarray = pytest.importorskip("xarray")
    cells = Counted()
    x = dt.from_array(cells)
    first = xarray.Dataset({"a": (("t", "x"), x + 1), "b": ("x", x.sum(axis=0))})
    second = xarray.Dataset({"c": (("t", "x"), x * 3)})
    third = xarray.DataArray(x - 1, dims=("t", "x"))
    with dt.xarray.use():
        made = dask.compute(first, second, third, x + 7)
        assert cells.reads == CELLS.size
        kept = dask.persist(first, second)
    for one, other in (made[:2], kept):
        np.testing.assert_array_equal(one.a.data, CELLS + 1)
        np.testing.assert_array_equal(other.c.data, CELLS * 3)
    assert isinstance(made[2], xarray.DataArray)
    np.testing.assert_array_equal(made[2].data, CELLS - 1)
    np.testing.assert_array_equal(made[3], CELLS + 7)


def persisted(x):
    return x.persist()


def persisted_by_dask(x):
    return dask.persist(x)[0]


def of_dask(x):
    return dt.from_dask_array(x.to_dask_array())


def of_delayed(x):
    return dt.from_delayed(dask.delayed(np.asarray)(x.compute()), x.shape, x.dtype)


HELD = [lambda x: x, persisted, persisted_by_dask, of_dask, of_delayed]


@pytest.mark.parametrize("cells", HELD)
@pytest.mark.parametrize("hidden", HELD)
def test_parts_that_are_blocks_already(cells, hidden):
    x = dt.arange(24.0).reshape(4, 6).rechunk((2, 6))
    masked = dt.ma.masked_array(cells(x + 1), mask=hidden(x > 9))
    wanted = np.ma.masked_greater(np.arange(24.0).reshape(4, 6) + 1, 10)
    for made in (masked, masked.persist(), dask.persist(masked)[0]):
        for value, total in (dask.compute(made, x.sum()), dt.compute(made, made.cells.sum() - 24)):
            np.testing.assert_array_equal(value.filled(-1), wanted.filled(-1))
            np.testing.assert_array_equal(value.mask, wanted.mask)
            assert total == 276


@pytest.mark.parametrize("held", HELD)
def test_datasets_of_blocks_that_are_there_already(held):
    xr = pytest.importorskip("xarray")
    with dt.xarray.use():
        data = xr.Dataset({"a": ("x", np.arange(6.0)), "b": ("x", np.ones(6))}).chunk(x=3)
        data["c"] = "x", held(data.a.data * 2)
        for made in (data, data.persist(), dask.persist(data)[0]):
            value, c, total = dask.compute(made, made.c, (made.a + made.c).sum().data)
            np.testing.assert_array_equal(value.c, np.arange(6.0) * 2)
            np.testing.assert_array_equal(c, np.arange(6.0) * 2)
            assert (value.b == 1).all()
            assert total == 45
