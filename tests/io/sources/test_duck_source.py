import numpy as np
import pytest
import scipy.sparse
import sparse
import zarr

import dask_tapestry as dt

CELLS = np.arange(24.0).reshape(4, 6)


class Dataset:
    """What h5py gives: shape, dtype, chunks, and slices that read."""

    def __init__(self, data, chunks=None):
        self.data, self.shape, self.dtype, self.chunks = data, data.shape, data.dtype, chunks
        self.read = []

    def __getitem__(self, key):
        assert isinstance(key, tuple)
        assert all(type(s) is slice and s.step is None for s in key)
        self.read.append(key)
        return self.data[key]


def test_only_what_is_asked_for_is_read():
    source = Dataset(CELLS)
    x = dt.from_array(source)[1:3, 2]
    assert not source.read
    np.testing.assert_array_equal(x.compute(), CELLS[1:3, 2])
    assert source.read == [(slice(1, 3), slice(2, 3))]


def test_its_own_chunks_are_heeded():
    source = Dataset(CELLS, chunks=(3, 6))
    (node,) = dt.from_array(source).teg.nodes
    assert node.operator.chunks == (3, 6)
    assert node.operator.stored_bytes(dt.ZRange((2, 0), (4, 1))) == 24 * 8


@pytest.mark.parametrize("chunks", [None, True, (3,), ((1, 3), (6,)), (0, 6), ("a", "b")])
def test_irregular_chunks_are_not(chunks):
    (node,) = dt.from_array(Dataset(CELLS, chunks)).teg.nodes
    assert node.operator.chunks is None


def test_the_layout_may_be_constrained():
    source = Dataset(CELLS)
    x = dt.from_array(source).rechunk((2, 3))
    assert x.chunks == ((2, 2), (3, 3))
    np.testing.assert_array_equal(x.compute(), CELLS)
    assert len(source.read) == 4


def test_a_zarr_array_is_opened_as_one(tmp_path):
    stored = zarr.create_array(tmp_path / "x", data=CELLS, chunks=(2, 6))
    x = dt.from_array(stored)
    assert x.node.operator.name == "zarr"
    assert x.node.operator.chunks == (2, 6)
    np.testing.assert_array_equal(x.compute(), CELLS)


@pytest.mark.parametrize("data", [[1, 2, 3], (1, 2), 7, np.float64(2)])
def test_lists_and_scalars(data):
    np.testing.assert_array_equal(dt.from_array(data).compute(), np.asarray(data))


def test_an_array_without_dimensions():
    x = dt.from_array(Dataset(np.array(5)))
    assert x.compute() == 5


def test_names_of_dimensions():
    assert dt.from_array(Dataset(CELLS), dims=("y", "x")).dims == ("y", "x")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        dt.from_array(Dataset(CELLS), dims=("y",))


def test_what_is_no_array_is_refused():
    with pytest.raises(dt.DTypeError, match="shape, dtype and __getitem__"):
        dt.from_array({"a": 1})


def test_python_objects_are_read():
    assert dt.from_array(Dataset(np.array([{}, None], object))).compute().tolist() == [{}, None]


def test_unknown_options_are_refused_and_those_of_dask_are_not():
    assert dt.from_array(Dataset(CELLS), name=False, lock=True, asarray=False).shape == (4, 6)
    with pytest.raises(TypeError, match="spelling"):
        dt.from_array(Dataset(CELLS), spelling=1)


def test_a_source_that_gives_the_wrong_shape_is_found_out():
    class Lying(Dataset):
        def __getitem__(self, key):
            return np.ones((1, 1))

    with pytest.raises(dt.ComputeError, match="Lying returned shape") as caught:
        dt.from_array(Lying(CELLS)).compute()
    assert isinstance(caught.value, ValueError)


def test_a_source_that_gives_another_dtype_is_found_out():
    class Wide(Dataset):
        def __getitem__(self, key):
            return self.data[key].astype("f8")

    with pytest.raises(
        dt.ComputeError, match="Wide returned dtype float64, but its dtype attribute is float32"
    ):
        dt.from_array(Wide(CELLS.astype("f4"))).compute()


def test_lists_are_taken_if_they_are_what_was_declared():
    class Lists(Dataset):
        def __getitem__(self, key):
            return self.data[key].tolist()

    np.testing.assert_array_equal(dt.from_array(Lists(CELLS)).compute(), CELLS)
    with pytest.raises(dt.ComputeError, match="returned dtype float64"):
        dt.from_array(Lists(CELLS.astype("f2"))).compute()


def test_the_other_byte_order_is_turned():
    x = dt.from_array(Dataset(CELLS.astype(">f8")))
    assert x.dtype == np.dtype("f8")
    np.testing.assert_array_equal(x.compute(), CELLS)


def test_masked_cells_are_not_unmasked_silently():
    class Masked(Dataset):
        def __getitem__(self, key):
            return np.ma.masked_less(self.data[key], self.least)

    source = Masked(CELLS)
    source.least = -1
    np.testing.assert_array_equal(dt.from_array(source).compute(), CELLS)
    source.least = 3
    with pytest.raises(dt.ComputeError, match="masked array"):
        dt.from_array(source).compute()


def test_an_error_of_the_source_keeps_its_type():
    class Failing(Dataset):
        def __getitem__(self, key):
            raise KeyError("no such tile")

    with pytest.raises(KeyError, match="no such tile") as caught:
        dt.from_array(Failing(CELLS)).compute()
    assert isinstance(caught.value, dt.ComputeError)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "cells",
    [
        scipy.sparse.csr_array(np.eye(4)),
        scipy.sparse.coo_array(np.eye(4)),
        sparse.COO.from_numpy(np.eye(4)),
    ],
    ids=lambda cells: str(type(cells)),
)
def test_sparse_arrays_are_read_by_parts_and_stay_sparse(cells):
    x = dt.from_array(cells, chunks=(2, 3))
    assert x.chunks == ((2, 2), (3, 1))
    assert type(x._meta) is type(cells)
    for made, expected in ((x, np.eye(4)), (x[1:, ::2] * 3, 3 * np.eye(4)[1:, ::2])):
        assert type(made.compute()) is type(cells)
        np.testing.assert_array_equal(made.compute().todense(), expected)
    np.testing.assert_array_equal(np.sort(x, 0), np.sort(np.eye(4), 0))


def test_sparse_arrays_that_no_block_can_be_are_refused():
    with pytest.raises(dt.DTypeError, match="todense"):
        dt.from_array(scipy.sparse.coo_array(np.ones(3)), chunks=1)
