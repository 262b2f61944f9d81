import array

import numpy as np
import pytest
import xarray
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources.coerce import as_tensor, is_zarr_array, unwrap_xarray

CELLS = np.arange(24.0).reshape(4, 6)


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return CELLS


class WithDLPack:
    """Only DLPack, as some libraries for accelerators have."""

    def __dlpack__(self, **options):
        return CELLS.__dlpack__(**options)

    def __dlpack_device__(self):
        return CELLS.__dlpack_device__()


class WithInterface:
    __array_interface__ = CELLS.__array_interface__


@pytest.mark.parametrize(
    "data",
    [
        CELLS,
        CELLS.astype(">f8"),
        np.asfortranarray(CELLS),
        np.broadcast_to(CELLS[:1], (3, 6)),
        CELLS[::-2, ::3],
        CELLS.view(np.matrix),
        np.rec.array(CELLS),
        CELLS.tolist(),
        WithArray(),
        WithInterface(),
        memoryview(CELLS),
        array.array("i", [1, 2, 3]),
        bytearray(b"abc"),
        range(5),
        "text",
        ["a", "bcd"],
        np.str_("x"),
        True,
        None.__class__.__name__,
        2**40,
        1.5,
        2j,
        np.datetime64("2020-01-01"),
        np.array([1, 2], "m8[s]"),
    ],
    ids=lambda data: type(data).__name__,
)
def test_what_numpy_takes_is_taken(data):
    expected = np.asarray(data)
    x = dt.asarray(data)
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype.newbyteorder("="))
    np.testing.assert_array_equal(x.compute(), expected)


def test_read_only_cells_stay_so():
    data = CELLS.copy()
    data.flags.writeable = False
    result = (dt.asarray(data)).compute()
    result[0, 0] = 5
    assert data[0, 0] == 0


@pytest.mark.parametrize(
    "data",
    [
        np.ma.masked_less(CELLS, 3),
        np.ma.array(CELLS),
        {"a": 1},
        {1, 2},
        None,
        object(),
        (n for n in range(3)),
    ],
    ids=lambda data: type(data).__name__,
)
def test_what_has_no_typed_cells_is_refused(data):
    with pytest.raises(dt.DTypeError):
        dt.asarray(data)


def test_cells_by_dlpack_are_not_copied():
    x = dt.asarray(WithDLPack())
    assert np.shares_memory(x.node.operator.data, CELLS)
    np.testing.assert_array_equal(x.compute(), CELLS)


def test_what_cannot_give_its_cells_by_dlpack_is_refused():
    class Elsewhere(WithDLPack):
        def __dlpack__(self, **options):
            raise BufferError("the cells are on a device")

    with pytest.raises(dt.DTypeError, match="on a device"):
        dt.asarray(Elsewhere())


def test_structured_cells():
    data = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])
    x = dt.asarray(data)
    assert x.dtype == data.dtype
    np.testing.assert_array_equal(x[::-1].compute(), data[::-1])


def test_what_is_read_by_slices_is_not_read_now(tmp_path):
    class Lazy:
        shape, dtype, reads = (4, 6), np.dtype("f8"), 0

        def __getitem__(self, key):
            type(self).reads += 1
            return CELLS[key]

        def __array__(self, dtype=None, copy=None):
            raise AssertionError("all of it was read")

    x = dt.asarray(Lazy())
    assert (x.shape, Lazy.reads) == ((4, 6), 0)
    np.testing.assert_array_equal(x[1].compute(), CELLS[1])
    assert Lazy.reads == 1
    stored = zarr.create_array(tmp_path / "x", data=CELLS, chunks=(2, 6))
    assert is_zarr_array(stored)
    assert not is_zarr_array(CELLS)
    assert as_tensor(stored).operator.chunks == (2, 6)


def test_xarray_gives_names_and_stays_unread(tmp_path):
    x = dt.asarray(xarray.DataArray(CELLS, dims=("y", "x")))
    assert (x.dims, x.node.inputs) == (("y", "x"), ())
    assert x.node.operator.data is CELLS
    np.testing.assert_array_equal((x + 1).compute(), CELLS + 1)
    zarr.create_array(tmp_path / "g" / "v", data=CELLS, dimension_names=["y", "x"], chunks=(2, 6))
    zarr.open_group(tmp_path / "g", mode="a")
    lazy = xarray.open_zarr(tmp_path / "g", chunks=None, consolidated=False)["v"]
    y = dt.from_array(lazy)
    (zarr_file,) = (tmp_path / "g" / "v" / "c").glob("1/0")
    zarr_file.write_bytes(b"nonsense")
    np.testing.assert_array_equal(y[:2].compute(), CELLS[:2])
    assert y.dims == ("y", "x")
    assert unwrap_xarray(CELLS) is None


def test_xarray_over_dask():
    chunked = xarray.Variable(("y", "x"), CELLS).chunk({"y": 2})
    x = dt.from_array(chunked)
    assert (x.dims, x.numblocks) == (("y", "x"), (2, 1))
    np.testing.assert_array_equal(x.compute(), CELLS)
    assert dt.asarray(chunked, dims=("a", "b")).dims == ("a", "b")
