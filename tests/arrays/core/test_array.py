import pickle

import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.arange(6.0).reshape(2, 3)


class Unread:
    """A source that must not be read."""

    shape, dtype = (1000, 1000), np.dtype("f4")

    def __getitem__(self, key):
        raise AssertionError("it was computed")


def test_what_an_array_is_needs_no_computing():
    x = dt.from_array(Unread()).rename("y", "x") + 1
    assert (x.shape, x.dtype, x.ndim, x.size) == ((1000, 1000), np.float32, 2, 10**6)
    assert (x.itemsize, x.nbytes, x.dims) == (4, 4 * 10**6, ("y", "x"))
    assert all(type(n) is int for n in (*x.shape, x.size, x.nbytes, x.npartitions))
    assert "add" in str(x.teg)


def test_how_it_shows_itself_needs_no_computing():
    x = dt.from_array(Unread()).rename("y", "x") + 1
    for text in (repr(x), str(x), f"{x}", x._repr_html_()):
        assert "1000" in text
        assert "float32" in text


def test_how_it_is_cut():
    x = dt.ones((4, 6)).rechunk((2, 4))
    assert x.chunks == ((2, 2), (4, 2))
    assert x.numblocks == (2, 2)
    assert x.npartitions == 4
    assert x.chunksize == (2, 4)


def test_without_dimensions():
    x = dt.full((), 3)
    assert (x.chunks, x.numblocks, x.npartitions, x.chunksize) == ((), (), 1, ())


@pytest.mark.parametrize("convert", [bool, int, float, complex])
def test_one_cell_is_a_number(convert):
    assert convert(dt.full((), 2.5)) == convert(2.5)
    assert type(convert(dt.full((), 2.5))) is convert


@pytest.mark.parametrize("convert", [int, float, complex])
def test_several_cells_are_none(convert):
    with pytest.raises(TypeError, match="without dimensions"):
        convert(dt.ones(2))


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)])
def test_the_truth_of_several_cells_is_ambiguous(shape):
    with pytest.raises(ValueError, match="truth value of an array"):
        bool(dt.ones(shape))


def test_an_integer_is_an_index():
    assert [10, 20, 30][dt.asarray(1)] == 20
    for wrong in (dt.asarray(1.0), dt.asarray([1]), dt.asarray(True)):
        with pytest.raises(TypeError, match="scalar index"):
            _ = [10, 20][wrong]


def test_length_and_rows():
    x = dt.asarray(CELLS)
    assert len(x) == 2
    rows = list(x)
    assert all(isinstance(row, dt.Array) for row in rows)
    np.testing.assert_array_equal([row.compute() for row in rows], CELLS)
    first, second = x
    assert first.shape == second.shape == (3,)


def test_without_dimensions_there_are_no_rows():
    with pytest.raises(TypeError, match=r"len\(\) of unsized object"):
        len(dt.full((), 3))
    with pytest.raises(TypeError, match="without dimensions"):
        iter(dt.full((), 3))


def test_it_is_not_hashable():
    with pytest.raises(TypeError, match="not hashable"):
        hash(dt.ones(3))


def test_numpy_takes_its_cells():
    x = dt.asarray(CELLS) + 1
    assert type(np.asarray(x)) is np.ndarray
    np.testing.assert_array_equal(np.asarray(x), CELLS + 1)
    assert np.asarray(x, dtype="f4").dtype == np.float32
    with pytest.raises(ValueError, match="no memory to share"):
        np.array(x, copy=False)


def test_it_pickles_as_a_flat_table():
    x = dt.ones(3)
    for _ in range(2000):
        x = x + x
    assert pickle.loads(pickle.dumps(x)).node is x.node


def test_dask_arrays_defer_to_it():
    da = pytest.importorskip("dask.array")
    d = da.ones((2, 3), chunks=1)
    for result in (dt.asarray(CELLS) + d, d + dt.asarray(CELLS)):
        assert isinstance(result, dt.Array)
        np.testing.assert_array_equal(result.compute(), CELLS + 1)


def test_shape_errors_and_dtype_errors_are_raised_where_they_are_made():
    with pytest.raises(dt.ShapeError, match=r"\(2, 3\)"):
        dt.asarray(CELLS) + dt.ones(2)
    with pytest.raises(dt.DTypeError, match="unknown dtype"):
        dt.ones(3, "float31")


@pytest.mark.parametrize("name", ["strides", "data", "flags", "shape", "T", "foo"])
def test_what_no_attribute_takes_is_refused(name):
    """What NumPy's would do must not pass for nothing."""
    x = dt.asarray(CELLS)
    with pytest.raises(AttributeError, match=r"no (attribute|setter)"):
        setattr(x, name, 7)
