from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import partial

import dask.array as da
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.first import first_of
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.teg.node import topological

CELLS = np.arange(6.0).reshape(2, 3)


def test_asarray_of_an_array_is_the_array():
    x = dt.ones(3)
    assert dt.asarray(x) is x
    assert dt.from_dask_array(x) is x
    assert dt.asarray(x, "f4").dtype == np.float32


@pytest.mark.parametrize("data", [CELLS, [[1, 2], [3, 4]], 3, 2.5, True, 1j, np.float16(2), ()])
def test_asarray_is_that_of_numpy(data):
    x = dt.asarray(data)
    expected = np.asarray(data)
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(x.compute(), expected)


def test_names_of_dimensions():
    assert dt.asarray(CELLS, dims=("y", "x")).dims == ("y", "x")
    assert dt.asarray(CELLS).dims is None


def test_zarr_there_and_back(tmp_path):
    (dt.asarray(CELLS) + 1).to_zarr(tmp_path / "x", chunks=(1, 3))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS + 1)
    assert zarr.open_array(tmp_path / "x").chunks == (1, 3)


def test_what_is_written_may_be_anything_like_an_array(tmp_path):
    dt.to_zarr([1, 2, 3], tmp_path / "x")
    dt.to_zarr(da.arange(5, chunks=2), tmp_path / "y")
    assert dt.from_zarr(tmp_path / "x").compute().tolist() == [1, 2, 3]
    assert dt.from_zarr(tmp_path / "y").compute().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("chunks", [(1, 3), 2, -1, ((1, 1), (1, 2)), "auto"])
def test_rechunk_keeps_the_value(chunks):
    x = dt.asarray(CELLS).rechunk(chunks)
    np.testing.assert_array_equal(x.compute(), CELLS)
    np.testing.assert_array_equal(x.rechunk((2, 1)).compute(), CELLS)


def test_rename():
    x = dt.asarray(CELLS).rename("y", "x")
    assert x.dims == ("y", "x")
    assert x.rename(None, "z").dims == (None, "z")
    np.testing.assert_array_equal(x.compute(), CELLS)


@pytest.mark.parametrize("names", [(), ("a",), ("a", "b", "c"), ("a", "a")])
def test_names_must_be_distinct_and_as_many_as_dimensions(names):
    with pytest.raises(dt.ShapeError, match="distinct names"):
        dt.asarray(CELLS).rename(*names)


def test_names_carry_through():
    x = dt.asarray(CELLS).rename("y", "x")
    assert (x + 1).dims == ("y", "x")
    assert x.T.dims == ("x", "y")
    assert x.sum(axis=0).dims == ("x",)
    assert x[0].dims == ("x",)
    assert x[:, None].dims == ("y", None, "x")
    assert x.sum(axis=0, keepdims=True).ndim == 2
    assert x.rechunk(1).dims == ("y", "x")


def test_what_is_no_array():
    with pytest.raises(dt.DTypeError):
        dt.asarray({})
    with pytest.raises(dt.ArgumentError):
        dt.asarray([[1], [1, 2]])


def test_lists_of_arrays_are_joined_and_not_computed():
    class Unread:
        shape, dtype = (3,), np.dtype("f8")

        def __getitem__(self, key):
            raise AssertionError("it was computed")

    x = dt.asarray([dt.from_array(Unread()), [1, 2, 3]])
    assert (x.shape, x.dtype) == ((2, 3), np.float64)
    y = dt.asarray([[dt.arange(2), da.arange(2)], [np.ones(2), (5, 6)]])
    np.testing.assert_array_equal(y.compute(), [[[0, 1], [0, 1]], [[1, 1], [5, 6]]])
    assert dt.asarray((dt.ones(2), dt.ones(2)), dims=("a", "b")).dims == ("a", "b")
    with pytest.raises(dt.ArgumentError, match="shapes"):
        dt.asarray([dt.ones(2), dt.ones(3)])


def test_copy_is_that_of_numpy():
    data = CELLS.copy()
    kept, shared = dt.asarray(data, copy=True), dt.asarray(data, copy=False)
    data[0, 0] = 9
    assert (kept[0, 0].compute(), shared[0, 0].compute()) == (0, 9)
    for args in (([1, 2], None), (CELLS, "f4")):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            dt.asarray(*args, copy=False)


def test_arguments_that_numpy_has():
    assert dt.asarray(CELLS, "f4", "F", device="cpu", like=CELLS).dtype == np.float32
    assert isinstance(np.asarray([1, 2], like=dt.ones(1)), dt.Array)
    with pytest.raises(ValueError, match="order"):
        dt.asarray(CELLS, order="X")
    with pytest.raises(ValueError, match="Device"):
        dt.asarray(CELLS, device="gpu")


def test_names_for_what_has_others():
    assert dt.asarray(dt.ones((2, 3)), dims=("y", "x")).dims == ("y", "x")
    assert dt.from_array(dt.ones((2, 3)), dims=("y", "x")).dims == ("y", "x")
    with pytest.raises(dt.ShapeError, match="names"):
        dt.asarray(dt.ones((2, 3)), dims=("y",))


def test_readers_may_be_placed():
    x = dt.from_array(CELLS, workers=["a", "b"])
    assert x.node.operator.text() == "a, b"
    assert dt.from_array(CELLS, workers="a").node.operator.text() == "a"


@pytest.mark.parametrize("operands", [("f4", 2.0, "i1"), ("i2", True), ("u1", "i1", 3), ("M8[s]",)])
def test_the_dtype_of_several_is_numpys(operands):
    arrays = [np.ones(2, o) if isinstance(o, str) else o for o in operands]
    ours = [dt.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
    assert dt.result_type(*ours) == np.result_type(*ours) == np.result_type(*arrays)


def test_what_has_no_common_dtype_is_refused():
    with pytest.raises(dt.DTypeError):
        dt.result_type(dt.ones(2), "M8[s]")


def test_a_copy_does_not_follow_what_it_was_made_of():
    x = dt.arange(3)
    copies = [dt.asarray(x, copy=True), dt.asanyarray(x, copy=True), dt.array(x), dt.copy(x)]
    x += 1
    assert [c.compute().tolist() for c in copies] == [[0, 1, 2]] * 4
    same = dt.asarray(x)
    same += 1
    assert x.compute().tolist() == [2, 3, 4]


def test_arrays_in_memory_are_copied_when_asked():
    x = np.zeros(3)
    seen, apart, too = dt.from_array(x), dt.array(x), dt.asarray(x, copy=True)
    x[:] = 1
    assert seen.compute().tolist() == [1, 1, 1]
    assert apart.compute().tolist() == too.compute().tolist() == [0, 0, 0]


def test_without_a_copy_later_assignments_are_shared():
    x = dt.arange(3)
    y = dt.asarray(x, x.dtype, copy=False)
    x[0] = 7
    assert y is x
    assert y.compute()[0] == 7


@pytest.mark.parametrize("cells", [300, [300, 1], [[-129]], (2**70,)])
def test_python_integers_fit_the_dtype_or_are_refused(cells):
    with pytest.raises(OverflowError):
        np.asarray(cells, "i1")
    with pytest.raises(dt.ValueRangeError):
        dt.asarray(cells, "i1")


def test_python_numbers_become_integers_as_numpys():
    assert dt.asarray([1.9, -1.9, True], "i1").compute().tolist() == [1, -1, 1]
    with pytest.raises(ValueError, match="NaN"):
        dt.asarray([float("nan")], "i4")
    with pytest.raises(dt.ArgumentError):
        dt.asarray([[1], [2, 3]], "i4")


RECORD = np.dtype([("a", "i4"), ("b", "f8")])
NESTED = np.dtype([("p", "f4", 2), ("n", [("x", "i1"), ("s", "U2")])])
PYTHONS = [
    1, -1, 300, 2**40, 2**63, 2**70, 1.5, float("nan"), float("inf"), 1e300, 1j, True, "1", "abc",
    "2020-01-01", "", b"1", None, date(2020, 1, 1), datetime(2020, 1, 1, 5), timedelta(1), (1, 2),
    [(1, 2), (3, 4)], [[1, 2], [3, 4]], [1.5, 2.5], ["1", "2.5"], [1, "a"], [True, 2], [1, 2.5, 1j],
    [None, 1], [b"a", "b"], [2**63, 1], [2**63, -1], [2**64], [[1], [2, 3]], [], (), [[]], ["NaT"],
    [date(2020, 1, 1)], [np.float32(1.5), 2], [np.int8(1), 300], [np.array([1, 2]), [3, 4]],
    [(1, 2, 3)], ((1, 2), (3, "ab")), [((1, 2), (3, "ab"))], [[(1, 2)], [(3, 4)]], Fraction(1, 2),
]  # fmt: skip
KINDS = (*"? i1 u1 i8 u8 f2 f4 f8 c8 c16 M8[D] M8[s] m8[s] U U2 S S2 V4".split(), RECORD, NESTED)


def outcome(call):
    """The cells that a call makes, with their dtype and shape; or a builtin error."""
    try:
        with np.errstate(all="ignore"):
            made = call()
        cells = made.compute() if isinstance(made, dt.Array) else made
        return made.dtype, made.shape, repr(np.asarray(cells).tolist())
    except (ValueError, TypeError, OverflowError) as error:
        kinds = (OverflowError, ValueError, TypeError)
        return first_of((kind for kind in kinds if isinstance(error, kind)), "kind")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", KINDS, ids=str)
@pytest.mark.parametrize("name", ["asarray", "array"])
def test_pythons_data_are_cells_of_a_dtype_as_numpy_makes_them(name, dtype):
    """Tuples are records, integers lose no digits, floats are no dates."""
    for data in PYTHONS:
        ours = outcome(partial(getattr(dt, name), data, dtype=dtype))
        assert ours == outcome(partial(getattr(np, name), data, dtype=dtype)), data


@pytest.mark.parametrize("fill", [(1, 2), [1, 2], [[3], [4]], 5])
@pytest.mark.parametrize("dtype", [RECORD, "f4", "u1", None], ids=str)
def test_full_of_pythons_data_is_numpys(fill, dtype):
    assert outcome(lambda: dt.full((2, 2), fill, dtype)) == outcome(
        lambda: np.full((2, 2), fill, dtype)
    )


def assigned(x, key, value):
    x[key] = value
    return x


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "dtype", ["f8", "i4", "M8[s]", "m8[s]", "?", "U3", RECORD, NESTED], ids=str
)
def test_pythons_data_are_assigned_as_numpy_does(dtype):
    for value in [v for v in PYTHONS if isinstance(v, list | tuple | date)]:
        ours = outcome(partial(assigned, dt.zeros(2, dtype), slice(None), value))
        assert ours == outcome(partial(assigned, np.zeros(2, dtype), slice(None), value)), value


def test_a_field_takes_a_record_of_its_own():
    for value in [(1, "b"), [(1, "b"), (2, "c")]]:
        ours, theirs = dt.zeros(2, NESTED), np.zeros(2, NESTED)
        ours["n"], theirs["n"] = value, value
        assert repr(ours.compute()) == repr(theirs)


def test_what_has_to_be_copied_is_not_shared():
    with pytest.raises(ValueError, match="avoid copy"):
        dt.asarray([1, 2], "i8", copy=False)


REPEATED = {
    "a row": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    "a column": lambda: np.broadcast_to(np.arange(3)[:, None], (3, 4)),
    "a value": lambda: np.broadcast_to(np.float32(2), (3, 4)),
    "between": lambda: np.broadcast_to(np.arange(6).reshape(2, 1, 3), (2, 5, 3)).transpose(1, 0, 2),
    "none": lambda: np.broadcast_to(np.arange(3), (0, 3)),
    "one of it": lambda: np.broadcast_to(np.arange(3), (1, 3)),
    "turned": lambda: np.broadcast_to(np.arange(4), (3, 4))[:, ::-1],
}


@pytest.mark.parametrize("made", REPEATED)
@pytest.mark.parametrize("take", [dt.asarray, dt.from_array, lambda x: dt.zeros(x.shape) + x])
def test_of_cells_that_numpy_repeats_those_it_has_are_taken(made, take):
    cells = REPEATED[made]()
    x = take(cells)
    np.testing.assert_array_equal(x.compute(), cells)
    sources = [one for one in topological([x.node]) if isinstance(one.operator, NumpySource)]
    assert sum(one.type.size for one in sources) <= max(np.unique(cells).size, cells.ndim)
    named = dt.asarray(cells, dims=("t", "y", "x")[: cells.ndim])
    assert named.dims == ("t", "y", "x")[: cells.ndim]


def test_what_is_written_to_cells_that_are_repeated_is_seen():
    cells = np.zeros(3)
    x = dt.from_array(np.broadcast_to(cells, (2, 3)), chunks=(1, 2))
    cells[:] = 5
    assert x.chunks == ((1, 1), (2, 1))
    assert (x.compute() == 5).all()


def test_cells_that_are_repeated_need_no_memory_of_workers():
    weights = np.broadcast_to(np.arange(300.0)[:, None], (1000, 300, 1000))
    x = dt.ones(weights.shape, chunks=100) * weights
    resources = dt.Resources(workers=2, threads=1, memory="300 MB")
    assert dt.plan(x.sum(), resources=resources)


@pytest.mark.parametrize(
    ("shape", "chunks"), [(6, 4), ((6,), (4,)), (np.int64(6), np.array([4])), ([6], [4])]
)
def test_placeholders_take_shapes_as_numpy_does(shape, chunks):
    x = dt.placeholder(shape, "f8", chunks)
    assert (x.shape, x.node.operator.chunks) == ((6,), (4,))


@pytest.mark.parametrize(
    ("shape", "chunks", "error"),
    [
        (-1, None, "negative dimensions"),
        ("ab", None, "a shape is an integer"),
        (True, None, "not True"),
        (6, 0, "does not fit"),
        (6, (2, 2), "does not fit"),
    ],
)
def test_placeholders_refuse_other_shapes(shape, chunks, error):
    with pytest.raises((dt.ShapeError, dt.DTypeError), match=error):
        dt.placeholder(shape, "f8", chunks)
