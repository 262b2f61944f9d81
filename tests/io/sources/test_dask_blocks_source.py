import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.dask_blocks_source import cuts_of_chunks, from_blocks
from dask_tapestry.teg import TensorType

CELLS = np.arange(35.0).reshape(5, 7)


@pytest.mark.parametrize("chunks", [(5, 7), (2, 3), ((1, 4), (2, 2, 3)), ((5,), (1, 5, 1))])
def test_a_dask_array_keeps_its_blocks(chunks):
    x = dt.from_dask_array(da.from_array(CELLS, chunks=chunks))
    np.testing.assert_array_equal(x.compute(), CELLS)
    value = CELLS.T + CELLS.sum(axis=0)[:, None]
    np.testing.assert_array_equal((x.T + x.sum(axis=0)[:, None]).compute(), value)


@pytest.mark.parametrize("rows", [(2, 0, 3), (0, 0, 5), (5, 0), (1, 0, 0, 4)])
def test_empty_blocks_are_left_out(rows):
    """Masks leave such blocks behind."""
    x = dt.from_dask_array(da.from_array(CELLS, chunks=(rows, (3, 4))))
    assert 0 not in x.chunks[0]
    np.testing.assert_array_equal(x.compute(), CELLS)
    np.testing.assert_array_equal(x[1:4, 2:].compute(), CELLS[1:4, 2:])


def test_only_empty_blocks():
    x = dt.from_dask_array(da.ones((0, 3), chunks=((0, 0), (3,))))
    assert x.compute().shape == (0, 3)


def test_its_chunks_are_those_of_the_array():
    x = dt.from_dask_array(da.ones((5, 7), chunks=((1, 4), (2, 2, 3))))
    assert x.chunks == ((1, 4), (2, 2, 3))


def test_asarray_takes_dask_arrays():
    np.testing.assert_array_equal((dt.asarray(da.arange(5, chunks=2)) + 1).compute(), range(1, 6))


def test_unknown_chunks_are_refused():
    with pytest.raises(dt.ShapeError, match="compute_chunk_sizes"):
        cuts_of_chunks(((2, float("nan")),))


def test_python_objects_are_cells():
    d = da.from_array(np.array([{}, None, 1], object), chunks=1)
    assert dt.from_dask_array(d).compute().tolist() == [{}, None, 1]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1, 1)])
def test_small_shapes(shape):
    d = da.ones(shape, chunks=-1)
    result = (dt.from_dask_array(d) + 1).compute()
    np.testing.assert_array_equal(result, np.full(shape, 2.0))


def test_blocks_of_any_graph():
    graph = {("x", 0): np.arange(3), ("x", 1): np.arange(3, 5)}
    type_ = TensorType((5,), np.dtype(int))
    x = dt.Array(from_blocks("x", type_, cuts_of_chunks(((3, 2),)), graph))
    np.testing.assert_array_equal((x * 2).compute(), np.arange(5) * 2)


def test_equal_keys_in_two_clusters_are_two_values():
    type_, cuts = TensorType((5,), np.dtype(int)), cuts_of_chunks(((5,),))
    here, there = (from_blocks("x", type_, cuts, {}, identity) for identity in ("a", "b"))
    assert here is not there
