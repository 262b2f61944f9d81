import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.layouts.nominal_chunks import without_nominal_chunks
from dask_tapestry.rules.extensions import extension_of

X = dt.asarray(np.arange(12.0).reshape(3, 4))


def along(x, mode, widths):
    return dt.pad(x, [(0, 0), widths], mode=mode)


def test_a_rolled_array_is_itself_beyond_an_end():
    made = extension_of(without_nominal_chunks(dt.roll(X, 1, 1).node))
    assert (made.base, made.axis, made.shift) == (X.node, 1, 1)
    assert made.before.modes == {"wrap"}
    assert made.after is None
    back = extension_of(without_nominal_chunks(dt.roll(X, -1, 1).node))
    assert (back.shift, back.before, back.after.modes) == (-1, None, {"wrap"})


@pytest.mark.parametrize("mode", ["wrap", "edge", "symmetric"])
def test_a_padded_array(mode):
    made = extension_of(along(X, mode, (2, 3)).node)
    assert (made.base, made.axis, made.shift) == (X.node, 1, 2)
    assert made.before.modes == made.after.modes == {mode}


def test_of_few_cells_several_modes_are_right():
    assert extension_of(along(X, "edge", (1, 0)).node).before.modes == {"edge", "symmetric"}
    one = extension_of(along(X[:, :1], "edge", (0, 1)).node)
    assert one.after.modes == {"wrap", "edge", "symmetric"}


def test_constants_have_their_value():
    made = extension_of(dt.pad(X, [(0, 0), (1, 2)], constant_values=(5, np.nan)).node)
    assert made.before == (frozenset({"constant"}), 5.0)
    assert np.isnan(made.after.value)


@pytest.mark.parametrize(
    "x",
    [
        X,
        along(X, "reflect", (2, 2)),
        dt.concatenate([X, X[:, 1:2]], axis=1),
        dt.concatenate([X, dt.asarray(np.ones((3, 2)))], axis=1),
        dt.concatenate([X[:, ::2], X[:, 1::2]], axis=1),
        dt.concatenate([X[:2], X[:2, ::-1]]),
        dt.concatenate([dt.zeros(2), dt.ones(2)]),
    ],
)
def test_other_joins(x):
    assert extension_of(x.node) is None


def test_an_array_twice_in_a_row_wraps():
    made = extension_of(dt.concatenate([X, X], axis=1).node)
    assert (made.shift, made.before, made.after.modes) == (0, None, {"wrap"})
