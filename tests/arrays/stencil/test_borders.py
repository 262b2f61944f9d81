import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.stencil.borders import bordered, borders

X = np.arange(20.0).reshape(4, 5)
MODES = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge", "constant": "constant"}


def seen(x, depth, boundary):
    return bordered(dt.asarray(x), borders(x.shape, depth, boundary)).compute()


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("depth", [0, 1, 3, (1, 2), ((2, 0), (0, 1))])
def test_borders_are_those_of_pad(name, depth):
    widths = [(d, d) if isinstance(d, int) else d for d in np.broadcast_to(depth, 2).tolist()] if (
        not isinstance(depth, tuple) or isinstance(depth[0], int)
    ) else depth  # fmt: skip
    np.testing.assert_array_equal(seen(X, depth, name), np.pad(X, widths, mode=MODES[name]))


def test_each_side_has_its_own():
    found = seen(X, 1, [("periodic", "nearest"), (7, "none")])
    rows = np.concatenate([X[-1:], X, X[-1:]])
    np.testing.assert_array_equal(found, np.pad(rows, ((0, 0), (1, 0)), constant_values=7))


def test_some_axes_by_number():
    found = seen(X, {-1: 2}, {-1: "reflect"})
    np.testing.assert_array_equal(found, np.pad(X, ((0, 0), (2, 2)), mode="symmetric"))


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3), (1, 1)])
@pytest.mark.parametrize("name", MODES)
def test_axes_of_no_cells_and_of_one(shape, name):
    found = seen(np.ones(shape), 1, name)
    assert found.shape == tuple(n + 2 for n in shape)


def test_blocks_read_what_they_need():
    x = dt.zeros((1000, 1000), chunks=(100, 100))
    part = bordered(x, borders(x.shape, 1, "periodic"))[:3, 500:503]
    plan = part.plan()
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 10_000


@pytest.mark.parametrize(
    ("depth", "boundary", "text"),
    [
        (-1, "periodic", "depth"),
        (5, "periodic", "larger than the 4 cells of axis 0"),
        ((1, 2, 3), "periodic", "3 entries for 2 axes"),
        (((1, 2, 3), 1), "periodic", "two sides"),
        ({2: 1}, "periodic", "no axes"),
        (1, "wrap", "'wrap' is none of"),
        (1, ("periodic",), "1 entries for 2 axes"),
        ("1", "periodic", "depth"),
        (1, object(), "boundary"),
    ],
)
def test_wrong_arguments(depth, boundary, text):
    with pytest.raises((ValueError, TypeError), match=text) as raised:
        borders((4, 5), depth, boundary)
    assert isinstance(raised.value, dt.TapestryError)
