import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(24, 6, 7))
INDEX = RANDOM.integers(-24, 24, (6, 7))
ROWS, COLUMNS = np.ogrid[:6, :7]


def operators(array):
    return [node.operator.name for node in rewritten(array.teg, Trace(), ()).nodes]


def unknown(index):
    """An index of which a plan does not know the values."""
    return dt.asarray(index) + dt.asarray(np.zeros(index.shape, int)).sum()


@pytest.mark.parametrize(
    "taken",
    [
        lambda x, i: x[i, ROWS, COLUMNS],
        lambda x, i: x[i[2:5, 1:], ROWS[2:5], COLUMNS[:, 1:]],
        lambda x, i: x[i.T, ROWS.T, COLUMNS.T],
        lambda x, i: x[i[:, 0], np.arange(6)],
        lambda x, i: x[i[:, 0], np.arange(6), :3],
        lambda x, i: x.transpose(1, 2, 0)[ROWS, COLUMNS, i],
        lambda x, i: x.transpose(1, 0, 2)[ROWS[..., None], i[:, None, :] + 0 * ROWS[..., None]],
        lambda x, i: x[i[:, :1], ROWS],
        lambda x, i: x[i[:, :4], ROWS],
        lambda x, i: x[i[:, :1], ROWS, 3:4],
    ],
)
def test_cells_stay_in_their_rows_and_columns(taken):
    array = taken(dt.asarray(X), unknown(INDEX))
    assert same_bits(array.compute(), taken(X, INDEX))
    if "take" in [node.operator.name for node in array.teg.nodes]:
        assert ("take" in operators(array)) != ("takealongaxis" in operators(array))


def test_what_moves_along_one_axis_is_taken_along_it():
    x, i = dt.asarray(X), unknown(INDEX)
    assert "takealongaxis" in operators(x[i, ROWS, COLUMNS])
    assert "takealongaxis" in operators(x[i, dt.arange(6)[:, None], dt.arange(7)])
    assert "takealongaxis" in operators(x[(x.argmax(0), ROWS, COLUMNS)])
    expected = X[(X.argmax(0), ROWS, COLUMNS)]
    assert same_bits(x[(x.argmax(0), ROWS, COLUMNS)].compute(), expected)


def test_what_moves_along_several_axes_stays():
    x, i = dt.asarray(X), unknown(INDEX)
    assert "take" in operators(x[i, ROWS, COLUMNS[:, ::-1]])
    assert "take" in operators(x[i, i % 6, COLUMNS])
    assert "take" in operators(x[i[:, :6], ROWS, ROWS])


def test_places_out_of_bounds_are_errors():
    with pytest.raises(IndexError):
        dt.asarray(X)[unknown(INDEX + 24), ROWS, COLUMNS].compute()
