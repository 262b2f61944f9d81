import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hn

import dask_tapestry as dt

CELLS = np.arange(24).reshape(2, 3, 4)


def same(ours, theirs):
    """Check a lazy array against NumPy's."""
    assert isinstance(ours, dt.Array)
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.compute(), theirs)


@given(st.data())
def test_basic_indexing_is_that_of_numpy(data):
    shape = data.draw(hn.array_shapes(max_dims=3, max_side=5))
    key = data.draw(hn.basic_indices(shape, allow_newaxis=True))
    cells = np.arange(np.prod(shape)).reshape(shape)
    same(
        dt.asarray(cells)[key],
        cells[key] if isinstance(cells[key], np.ndarray) else np.asarray(cells[key]),
    )


@pytest.mark.parametrize(
    "key",
    [
        (2,),
        (-3,),
        (0, 3),
        (0, 0, 0, 0),
        "x",
        1.0,
        (..., ...),
        (0, ..., 0, 0, 0),
        (None, 5),
    ],
)
def test_wrong_indices_are_errors_of_numpy_too(key):
    with pytest.raises(IndexError):
        CELLS[key]
    with pytest.raises(dt.IndexingError):
        dt.asarray(CELLS)[key]


def test_texts_are_near_those_of_numpy():
    x = dt.asarray(CELLS)
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 2"):
        x[9]
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 2 with size 4"):
        x[0, :, -5]
    with pytest.raises(
        IndexError, match="too many indices for array: array is 3-dimensional, but 4"
    ):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match="can only have a single ellipsis"):
        x[..., ...]
    with pytest.raises(IndexError, match="only integers, slices"):
        x["a"]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        x[::0]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        x[1.0:]


def test_integers_of_numpy_are_integers():
    same(dt.asarray(CELLS)[np.int64(1), np.array(2)], CELLS[1, 2])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda x: dt.transpose(x, (2, 0, 1)), lambda x: np.transpose(x, (2, 0, 1))),
        (lambda x: dt.permute_dims(x, (-1, 0, 1)), lambda x: np.transpose(x, (-1, 0, 1))),
        (lambda x: dt.flip(x), lambda x: np.flip(x)),
        (lambda x: dt.flip(x, (0, -1)), lambda x: np.flip(x, (0, -1))),
        (lambda x: dt.squeeze(x[:1]), lambda x: np.squeeze(x[:1])),
        (lambda x: dt.expand_dims(x, (0, 2)), lambda x: np.expand_dims(x, (0, 2))),
        (lambda x: dt.broadcast_to(x[:1], (5, 3, 4)), lambda x: np.broadcast_to(x[:1], (5, 3, 4))),
        (lambda x: dt.concatenate([x, x], 1), lambda x: np.concatenate([x, x], 1)),
        (lambda x: dt.concatenate([x, x], None), lambda x: np.concatenate([x, x], None)),
        (lambda x: dt.concat([x, x[:, :1]], axis=1), lambda x: np.concatenate([x, x[:, :1]], 1)),
        (lambda x: dt.reshape(x, (4, -1)), lambda x: np.reshape(x, (4, -1))),
        (lambda x: dt.ravel(x), lambda x: np.ravel(x)),
        (lambda x: dt.moveaxis(x, [0, 1], [-1, 0]), lambda x: np.moveaxis(x, [0, 1], [-1, 0])),
        (lambda x: dt.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, -1)),
    ],
)
def test_functions_are_those_of_numpy(ours, theirs):
    same(ours(dt.asarray(CELLS)), theirs(CELLS))


def test_arrays_are_broadcast_against_each_other():
    ours = dt.broadcast_arrays(dt.asarray(CELLS), np.ones((3, 1)))
    for a, b in zip(ours, np.broadcast_arrays(CELLS, np.ones((3, 1))), strict=True):
        same(a, b)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x.reshape(5, 5),
        lambda x: x.reshape(-1, -1),
        lambda x: dt.broadcast_to(x, (3, 3)),
        lambda x: dt.concatenate([x, x[0]]),
        lambda x: dt.concatenate([x, x[:, :1]]),
        lambda x: dt.concatenate([]),
        lambda x: x.transpose(0, 1),
        lambda x: x.transpose(0, 0, 1),
        lambda x: x.squeeze(0),
        lambda x: dt.moveaxis(x, [0, 1], [0]),
        lambda x: x.swapaxes(0, 3),
        lambda x: x.sum(axis=3),
        lambda x: dt.flip(x, 7),
        lambda x: dt.expand_dims(x, 9),
    ],
)
def test_wrong_shapes_and_axes(wrong):
    with pytest.raises(dt.ShapeError) as caught:
        wrong(dt.asarray(CELLS))
    assert isinstance(caught.value, ValueError)


def test_an_axis_out_of_bounds_is_numpys_error():
    with pytest.raises(np.exceptions.AxisError):
        dt.asarray(CELLS).sum(axis=3)
    with pytest.raises(np.exceptions.AxisError):
        dt.asarray(CELLS).swapaxes(0, -4)


@pytest.mark.parametrize("shape", [(24,), (6, 4), (2, 2, 6), (-1, 3)])
def test_cells_may_be_counted_with_the_first_index_fastest(shape):
    x = dt.asarray(CELLS).rechunk(2)
    expected = np.reshape(CELLS, shape, order="F")
    assert np.array_equal(x.reshape(shape, order="F").compute(), expected)
    assert np.array_equal(x.ravel("F").compute(), CELLS.ravel("F"))
    assert np.array_equal(x.reshape(shape, order="A").compute(), CELLS.reshape(shape))


@pytest.mark.parametrize("options", [{"order": "X"}, {"order": "K"}, {"copy": False}])
def test_what_a_reshape_cannot_promise(options):
    with pytest.raises(dt.ArgumentError):
        dt.reshape(dt.asarray(CELLS), (24,), **options)
