import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.parity import refused

CELLS = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.pad(a(CELLS), -1),
        lambda np, a: np.pad(a(CELLS), 1.5),
        lambda np, a: np.pad(a(CELLS), None),
        lambda np, a: np.pad(a(CELLS), ((1, 2), (3, 4), (5, 6))),
        lambda np, a: np.pad(a(CELLS), ((1, 2, 3),)),
        lambda np, a: np.pad(a(CELLS), 1, "sideways"),
        lambda np, a: np.pad(a(CELLS), 1, "edge", constant_values=3),
        lambda np, a: np.pad(a(CELLS), 1, "maximum", stat_length=0),
        lambda np, a: np.pad(a(CELLS), 1, "maximum", stat_length=-1),
        lambda np, a: np.pad(a(CELLS[:0]), 1, "edge"),
        lambda np, a: np.pad(a(CELLS[:0]), 1, "mean"),
        lambda np, a: np.pad(a(CELLS[:0]), ((1, 0), (0, 0)), "linear_ramp"),
        lambda np, a: np.pad(a(CELLS), {5: 1}),
    ],
)
def test_what_numpy_refuses(call):
    try:
        refused(call)
    except IndexError:  # NumPy says so of an axis that an array has not
        with pytest.raises(dt.AxisError):
            call(dt, dt.asarray)


@pytest.mark.parametrize("value", [300, -1, np.int64(300), 2.9, ((1, 2), (3, 300))])
def test_constants_are_stored_as_numpy_stores_them(value):
    x = CELLS.astype("u1")
    try:
        expected = np.pad(x, 1, constant_values=value)
    except OverflowError:
        with pytest.raises(dt.ValueRangeError):
            dt.pad(x, 1, constant_values=value)
        return
    np.testing.assert_array_equal(dt.pad(x, 1, constant_values=value).compute(), expected)


WIDTHS = st.tuples(*[st.tuples(*[st.integers(0, 11)] * 2)] * 2)
MODES = st.sampled_from(["edge", "wrap", "reflect", "symmetric", "constant"])


@given(st.tuples(*[st.integers(1, 4)] * 2), WIDTHS, MODES, st.data())
def test_any_widths(shape, widths, mode, data):
    x = np.arange(np.prod(shape)).reshape(shape)
    options = {}
    if mode in ("reflect", "symmetric"):
        options["reflect_type"] = data.draw(st.sampled_from(["even", "odd"]))
    expected = np.pad(x, widths, mode, **options)
    made = dt.pad(x, widths, mode, **options)
    np.testing.assert_array_equal(made.compute(), expected)
    np.testing.assert_array_equal(made[1:-1, ::2].compute(), expected[1:-1, ::2])


def test_a_value_that_is_not_known_yet():
    value = dt.asarray([1, 5]).max()
    assert dt.pad(dt.ones(2, int), 1, constant_values=value).compute().tolist() == [5, 1, 1, 5]


def test_a_wide_pad_takes_no_memory():
    x = dt.pad(dt.arange(3), 10**12, mode="wrap")
    assert x[:4].compute().tolist() == [2, 0, 1, 2]
    assert dt.pad(dt.ones((2, 2)), 10**9)[10**9, 10**9 - 1 :][:3].compute().tolist() == [0, 1, 1]


def test_names_stay():
    assert dt.pad(dt.ones((2, 2), dims=("a", "b")), 1, mode="edge").dims == ("a", "b")
    assert dt.pad(dt.ones((2, 2), dims=("a", "b")), 1).dims == ("a", "b")


def test_an_empty_pad_has_a_shape():
    assert dt.pad(CELLS, ((1, 0), (2, 3)), "empty").shape == (4, 9)


def test_numpys_function_is_ours():
    assert isinstance(np.pad(dt.ones(2), 1), dt.Array)
