import dask
import dask.array as da
import numpy as np
import pytest
from dask import delayed

import dask_tapestry as dt

CELLS = np.arange(6.0).reshape(2, 3)


def test_there_and_back():
    d = dt.asarray(CELLS).rechunk((1, 2)).to_dask_array()
    assert isinstance(d, da.Array)
    assert d.chunks == ((1, 1), (2, 1))
    assert d.dtype == CELLS.dtype
    np.testing.assert_array_equal((d * 2).compute(), CELLS * 2)
    np.testing.assert_array_equal(dt.from_dask_array(d * 2).compute(), CELLS * 2)


def test_nothing_is_computed_on_the_way():
    class Unread:
        shape, dtype = (3,), np.dtype("f8")

        def __getitem__(self, key):
            raise AssertionError("it was computed")

    d = dt.from_array(Unread()).to_dask_array()
    assert dt.from_dask_array(d + 1).shape == (3,)


def test_a_delayed_value():
    calls = []

    def make(n):
        calls.append(n)
        return np.arange(n)

    x = dt.from_delayed(delayed(make, pure=False)(5), (5,), "int64")
    assert (x.shape, x.dtype, calls) == ((5,), np.dtype("int64"), [])
    np.testing.assert_array_equal((x * 2).compute(scheduler="sync"), np.arange(5) * 2)
    assert calls == [5]


def test_its_dtype_may_come_from_meta():
    x = dt.from_delayed(delayed(np.ones)(3), (3,), meta=np.empty(0, "f8"))
    assert x.dtype == np.float64
    with pytest.raises(dt.DTypeError, match="needs the dtype"):
        dt.from_delayed(delayed(np.ones)(3), (3,))


def test_a_value_without_dimensions_and_an_empty_one():
    assert dt.from_delayed(delayed(sum)([1.0, 2.0]), (), float).compute() == 3
    assert dt.from_delayed(delayed(np.ones)((0, 3)), (0, 3), float).compute().shape == (0, 3)


def test_several_are_joined():
    parts = [dt.from_delayed(delayed(np.full)(2, n), (2,), "int64") for n in range(4)]
    assert dt.concatenate(parts).compute().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("value", "shape", "dtype", "kind"),
    [
        (np.ones(3), (4,), float, ValueError),
        (np.ones((3, 1)), (3,), float, ValueError),
        (np.ones(3), (3,), int, TypeError),
        ("text", (3,), float, ValueError),
        (None, (), float, TypeError),
    ],
)
def test_what_is_not_as_declared_is_found_out(value, shape, dtype, kind):
    x = dt.from_delayed(delayed(lambda: value)(), shape, dtype)
    with pytest.raises(kind, match="given to from_delayed") as caught:
        x.compute(scheduler="sync")
    assert isinstance(caught.value, dt.ComputeError)


def test_an_unknown_length():
    x = dt.from_delayed(delayed(np.ones)((2, 3)), (2, np.nan), float)
    assert (x.dtype, x.ndim, x.deferred is None) == (np.float64, 2, False)
    assert x.shape == (2, 3)
    for wrong in [(3, np.nan), (np.nan,)]:
        with pytest.raises(dt.ComputeError, match="given to from_delayed"):
            _ = dt.from_delayed(delayed(np.ones)((2, 3)), wrong, float).shape


def test_computed_beside_what_it_stands_on():
    value = delayed(np.ones)(3)
    x = dt.from_delayed(value, (3,), float)
    ones, total = dask.compute(value, x.sum(), scheduler="sync")
    assert ones.sum() == total == 3


def test_dasks_functions_of_ours_come_back():
    """Their tasks are of the older form, in which a key is a tuple like any other."""
    x = dt.asarray(np.arange(10.0)).rechunk(5)
    d = da.map_overlap(
        lambda b: b[1:-1] - b[:-2], x.to_dask_array(), depth=1, boundary=0, trim=False
    )
    y = dt.from_dask_array(d)
    expected = np.diff(np.arange(10.0), prepend=0)
    np.testing.assert_array_equal(y.compute(), expected)
    np.testing.assert_array_equal((y + x).sum().compute(), (expected + np.arange(10.0)).sum())


def test_what_is_persisted_goes_there_and_back():
    x = (dt.asarray(CELLS).rechunk((1, 2)) * 2).persist()
    assert x.chunks == ((1, 1), (2, 1))
    assert x.to_dask_array().chunks == x.chunks
    np.testing.assert_array_equal((x.to_dask_array() + 1).compute(), CELLS * 2 + 1)
    parts = [[part.compute() for part in row] for row in x.to_delayed()]
    np.testing.assert_array_equal(np.block(parts), CELLS * 2)


def test_a_plans_own_cuts_do_not_show():
    x = dt.arange(10.0, chunks=3)
    assert x.to_dask_array().chunks == x.chunks == ((3, 3, 3, 1),)
    assert [len(part.compute()) for part in x.persist().to_delayed()] == [3, 3, 3, 1]


def test_dask_takes_ours_as_one_of_its_own():
    d = da.asarray(dt.asarray(CELLS).rechunk((1, 2)))
    assert isinstance(d, da.Array)
    assert d.chunks == ((1, 1), (2, 1))
    assert isinstance(d[:1].compute(), np.ndarray)
    np.testing.assert_array_equal(da.concatenate([d, d])[1:].compute(), [*CELLS, *CELLS][1:])


class TestDataframes:
    """Dask's dataframes, where pandas and pyarrow are installed."""

    @pytest.fixture(autouse=True)
    def frame(self):
        pytest.importorskip("pyarrow")
        self.pandas = pytest.importorskip("pandas")
        self.dataframes = pytest.importorskip("dask.dataframe")

    def test_an_array_becomes_one(self):
        x = dt.from_array(np.arange(12.0).reshape(6, 2), (4, 1))
        frame = x.to_dask_dataframe(columns=["a", "b"])
        assert frame.npartitions == 2
        np.testing.assert_array_equal(frame.compute().to_numpy(), x.compute())
        np.testing.assert_array_equal(x[:, 0].to_dask_dataframe("c").compute(), np.arange(0, 12, 2))
        columns = self.dataframes.from_array(x.to_dask_array(), columns=["a", "b"])
        assert list(columns.compute().b) == [1, 3, 5, 7, 9, 11]

    def test_one_becomes_an_array_of_which_rows_are_counted(self):
        whole = self.pandas.DataFrame({"a": np.arange(5.0), "b": np.arange(5.0) * 2})
        frame = self.dataframes.from_pandas(whole, npartitions=2)
        for x in (
            dt.asarray(frame),
            dt.from_array(frame),
            dt.from_dask_array(frame.to_dask_array(lengths=True)),
        ):
            assert x.chunks == ((3, 2), (2,))
            np.testing.assert_array_equal(x.compute(), whole.to_numpy())
        np.testing.assert_array_equal(dt.asarray(frame[frame.a > 1].b), [4, 6, 8])
        total, mean = dask.compute(x.sum(), frame.a.mean())
        assert (total, mean) == (30, 2)


def test_a_delayed_value_is_no_array_before_it_is_told_what_it_is():
    value = dask.delayed(np.ones)(3)
    for call in (dt.asarray, dt.sum, lambda x: dt.arange(3) + x):
        with pytest.raises(dt.DTypeError, match="from_delayed"):
            call(value)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)], ids=str)
def test_chunks_without_cells_come_and_go(shape):
    given = da.from_array(np.zeros(shape), chunks=(1, 1))
    x = dt.from_dask_array(given)
    for made in (x, x + 1, x.persist()):
        d = made.to_dask_array()
        assert d.chunks == given.chunks
        assert d.compute().shape == shape
        for key in np.ndindex(made.numblocks):
            chunk = tuple(sides[at] for sides, at in zip(d.chunks, key, strict=True))
            assert made.to_delayed()[key].compute().shape == chunk
