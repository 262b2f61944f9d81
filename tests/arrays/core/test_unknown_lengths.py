import dask
import dask.array as da
import numpy as np
import pytest
from dask import delayed
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.arrays.core.unknown_lengths import counted_blocks

NAN = float("nan")


@pytest.fixture
def calls():
    return []


@pytest.fixture
def made(calls):
    """Columns of two, of which nobody knows how many there are."""

    def columns(n):
        calls.append(n)
        return np.arange(2 * n).reshape(2, n)

    def make(n):
        return dt.from_delayed(delayed(columns, pure=False)(n), (2, NAN), "int64")

    return make


def test_nothing_runs_before_it_is_needed(made, calls):
    x = made(3)
    assert (x.dtype, x.ndim, "not counted yet" in repr(x), calls) == (np.int64, 2, True, [])
    assert (x.shape, calls) == ((2, 3), [3])


def test_what_was_counted_is_not_computed_again(made, calls):
    x = made(3)
    np.testing.assert_array_equal((x * 2).compute(), np.arange(6).reshape(2, 3) * 2)
    assert x.sum().compute() == 15
    assert calls == [3]


def test_they_are_joined_with_others_and_with_none(made):
    start = dt.empty((2, 0), dtype="int64")
    joined = dt.concatenate([start, made(2), made(0), made(1)], axis=1)
    np.testing.assert_array_equal(joined.compute(), [[0, 1, 0], [2, 3, 1]])


def test_it_is_unpacked_along_what_is_known(made):
    first, second = made(2)
    assert (first.compute().tolist(), second.compute().tolist()) == ([0, 1], [2, 3])


@pytest.mark.parametrize("chunks", [1, 3, 7, 10])
def test_cells_that_a_mask_of_dasks_selects(chunks):
    cells = np.arange(10.0)
    d = da.from_array(cells, chunks=chunks)
    chosen = d[d % 3 == 0]
    x = dt.from_dask_array(da.stack([chosen, -chosen], allow_unknown_chunksizes=True))
    expected = np.stack([cells[::3], -cells[::3]])
    assert x.shape == expected.shape
    np.testing.assert_array_equal(x.compute(), expected)
    np.testing.assert_array_equal((dt.asarray(cells[::3]) + chosen).compute(), 2 * x[0])


def test_none_are_selected():
    d = da.arange(10.0, chunks=3)
    x = dt.from_dask_array(d[d > 10])
    assert (x.shape, x.compute().shape, x.sum().compute()) == ((0,), (0,), 0)


def test_blocks_side_by_side_have_to_fit():
    blocks = [[delayed(np.ones)((2, 2)), delayed(np.ones)((3, 2))]]
    parts = [[da.from_delayed(b, (NAN, 2), float) for b in row] for row in blocks]
    d = da.concatenate(parts[0], axis=1, allow_unknown_chunksizes=True)
    with pytest.raises(dt.ShapeError, match="must fit"):
        _ = dt.from_dask_array(d).shape


def test_no_plan_is_made_for_what_may_have_any_length(made):
    with pytest.raises(dt.MemoryLimitError, match=r"ask for `\.shape` first"):
        dt.plan(made(3))


def test_python_objects_and_a_byte_order_that_is_not_native():
    words = np.array(["a", None, (1, 2)], object)
    x = dt.from_delayed(delayed(words), (NAN,), object)
    assert x.compute().tolist() == words.tolist()
    d = da.from_array(np.arange(6, dtype=">i4"), chunks=2)
    assert dt.from_dask_array(d[d > 2]).compute().tolist() == [3, 4, 5]


def test_computed_with_collections_of_dasks():
    d = da.arange(8, chunks=3)
    x = dt.from_dask_array(d[d > 3])
    assert dask.compute(x.sum(), d.sum()) == (22, 28)


def test_on_a_cluster_blocks_stay_where_they_are():
    d = da.arange(8, chunks=3)
    with LocalCluster(2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        x = dt.from_dask_array(d[d > 3])
        assert x.shape == (4,)
        assert (x + 1).compute().tolist() == [5, 6, 7, 8]


def test_a_known_length_is_as_it_was_said():
    lengths = counted_blocks(da.from_delayed(delayed(np.ones)((2, 3)), (2, NAN), float)).bound
    assert lengths.type.shape[0] == 2
