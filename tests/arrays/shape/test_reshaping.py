import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused

CELLS = np.arange(24).reshape(2, 3, 4)


def same(ours, theirs):
    """Check a lazy array against NumPy's."""
    assert isinstance(ours, dt.Array)
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.compute(), theirs)


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


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.expand_dims(a(CELLS), 4),
        lambda np, a: np.expand_dims(a(CELLS), (0, 0)),
        lambda np, a: np.squeeze(a(CELLS), 0),
        lambda np, a: np.squeeze(a(CELLS), 5),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)
