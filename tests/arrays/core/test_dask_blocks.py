import dask
import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt


def graph(value):
    return {("x", 0): (np.full, 3, value), ("x", 1): (np.full, 2, value)}


def test_an_array_of_a_graph_as_dask_makes_one():
    x = dt.Array(graph(2.0), "x", ((3, 2),), "f8")
    assert (x.shape, x.dtype, x.chunks) == ((5,), np.dtype("f8"), ((3, 2),))
    np.testing.assert_array_equal((x + 1).compute(), np.full(5, 3.0))
    eye = dt.Array({("y", 0, 0): np.eye(3)}, "y", shape=(3, 3), chunks=(3, 3), meta=np.empty(0))
    np.testing.assert_array_equal(eye.compute(), np.eye(3))
    assert float(eye[0, 0]) == 1


def test_the_graph_of_another_array():
    d = da.arange(10, chunks=4) * 2
    x = dt.Array(d.dask, d.name, d.chunks, d.dtype)
    np.testing.assert_array_equal(x.compute(), np.arange(10) * 2)


def test_nothing_of_it_is_computed():
    def crash():
        raise NotImplementedError

    x = dt.Array({("x", 0): (crash,)}, name="x", chunks=((2,),), dtype=np.int64)
    y = dt.arange(5)[x]
    with pytest.raises(NotImplementedError):
        y.compute(scheduler="sync")


@pytest.mark.parametrize("given", [{}, {"chunks": ((3, 2),)}, {"dtype": "f8"}])
def test_chunks_and_dtype_must_be_given(given):
    with pytest.raises(ValueError, match=r"dask|dtype"):
        dt.Array(graph(2.0), "x", **given)


def test_unknown_chunks():
    with pytest.raises(dt.ShapeError, match="compute_chunk_sizes"):
        dt.Array(graph(2.0), "x", ((np.nan, np.nan),), "f8")


def test_a_name_that_somebody_chose_says_nothing_of_the_value():
    one, two = (dt.Array(graph(value), "x", ((3, 2),), "f8") for value in (1.0, 2.0))
    assert one.compute().tolist() == [1] * 5
    assert two.compute().tolist() == [2] * 5
    ones, twos = (
        dt.from_dask_array(da.from_array(np.full(4, value), name="t")) for value in (1.0, 2.0)
    )
    assert (ones.sum().compute(), twos.sum().compute()) == (4, 8)


def test_a_name_with_a_token_tells_the_value():
    one, two = (dt.from_dask_array(da.ones(5, chunks=2)) for _ in range(2))
    assert one.node is two.node
    assert dask.base.tokenize(one) == dask.base.tokenize(two)


def test_empty_blocks_are_left_out():
    d = da.ones(5, chunks=((2, 0, 3),))
    assert dt.from_dask_array(d).chunks == ((2, 3),)


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">M8[s]", [("a", ">i4"), ("b", "<f8")]])
def test_cells_of_the_other_byte_order_are_turned(dtype):
    cells = np.arange(5).astype("i4").astype(dtype)
    x = dt.from_dask_array(da.from_array(cells, chunks=2))
    assert x.dtype == cells.dtype.newbyteorder("=")
    assert x.compute().dtype == x.dtype
    np.testing.assert_array_equal(x[::-1].compute(), cells[::-1])
    if cells.dtype.kind != "V":
        assert x.max().compute() == cells.max()  # a reduction of compiled kernels


def test_blocks_that_are_native_where_others_are_declared():
    x = dt.Array(graph(2.0), "x", ((3, 2),), ">f8")
    assert x.dtype == np.dtype("f8")
    assert float(x.sum()) == 10


def test_a_collection_of_several_arrays_is_none():
    dataset = pytest.importorskip("xarray").Dataset({"t": ("x", np.ones(4))}).chunk(x=2)
    for given in (dataset, dask.delayed([1])):
        with pytest.raises(TypeError, match=r"another kind of Dask's collections|dt.from_delayed"):
            dt.plan(given)
    np.testing.assert_array_equal(dt.plan(dataset.t).compute(), np.ones(4))
