import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core import dynamic_shape
from tests.arrays.indexing.keys import SHAPES, agree, keys, numbers, ours, outcome
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")


@given(
    SHAPES.flatmap(lambda s: st.tuples(st.just(s), keys(s))),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_every_key_writes_what_numpy_writes(given_key, lazily, side, data):
    shape, key = given_key
    cells = numbers(shape, "f8")
    x = dt.asarray(cells.copy()).rechunk(side)
    before = x + 0
    try:
        room = cells[key].shape
    except IndexError:
        room = ()
    sides = tuple(n if data.draw(st.integers(0, 3)) else 1 for n in room)
    drop = data.draw(st.integers(0, len(sides)))
    value = -1 - numbers(sides[drop:] if data.draw(st.booleans()) else (*(1,), *sides))
    mine = tuple(ours(item, lazily) for item in key)

    def assign(target, key):
        target[key] = value
        return target

    made = outcome(lambda: assign(x, mine).compute())
    expected = outcome(lambda: assign(cells.copy(), key))
    if lazily and expected is IndexError and not isinstance(made, type):
        expected = cells  # nothing is put anywhere, so no lazy place is looked at
    assert agree(made, expected), (shape, key, value)
    assert same_bits(before.compute(), cells)


@pytest.mark.covering
@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize("item", [np.array(0), np.array(True), np.array([0]), np.intp(0)])
@pytest.mark.parametrize("value", [np.array(2.0), np.array([2.0]), np.array([[2.0]])])
def test_one_cell_takes_one_value(item, value, lazily):
    """A value with dimensions is none, though it has one cell."""

    def assign(target, key):
        target[key] = value
        return target

    expected = outcome(lambda: assign(np.zeros(1), item))
    made = outcome(lambda: assign(dt.zeros(1), ours(item, lazily)).compute())
    assert agree(made, expected)


def test_the_last_of_several_values_for_a_cell_wins():
    x = dt.zeros(6).rechunk(2)
    x[dt.asarray([3, 1, 3, 3])] = [1, 2, 3, 4]
    assert x.compute().tolist() == [0, 2, 0, 4, 0, 0]


def test_what_was_made_before_keeps_its_value():
    x = dt.arange(4)
    double = x * 2
    x[1:3] = 0
    assert double.compute().tolist() == [0, 2, 4, 6]
    assert x.compute().tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (300, OverflowError),
        (1j, TypeError),
        (np.zeros(7), ValueError),
        (float("nan"), ValueError),
        (float("inf"), OverflowError),
        ([1.5, float("nan"), 0], ValueError),
        ([1, 2, 300], OverflowError),
    ],
)
def test_values_that_do_not_fit(value, error):
    x = dt.zeros((2, 3), "i1")
    with pytest.raises(error):
        x[0] = value
    with pytest.raises(error):
        x[[0, 1]] = value


@pytest.mark.parametrize(
    "value",
    [np.ma.masked, np.ma.masked_array([1.0, 2.0], [0, 1]), dt.ma.masked_array([1.0, 2.0], [0, 1])],
    ids=["masked", "numpy", "ours"],
)
def test_masked_values_are_refused_where_there_is_no_mask(value):
    x = dt.asarray(np.zeros(4))
    with pytest.raises(dt.DTypeError, match=r"assign them to dt\.ma\.masked_array\(x\)"):
        x[:2] = value
    kept = dt.ma.masked_array(x)
    kept[:2] = value
    assert np.ma.getmaskarray(kept.compute()).any()


RECORDS = np.array([(1, 2.5, "x"), (3, 4.5, "y"), (5, 6.0, "z")], "i4, f8, U2")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (0, (9, 9.5, "q")),
        (slice(None), (7, 1.0, "k")),
        (slice(1, None), [(9, 8.0, "a"), (7, 6.0, "b")]),
        ([0, 2], [(9, 8.0, "a"), (7, 6.0, "b")]),
        (np.array([True, False, True]), (0, 0.0, "m")),
        (1, RECORDS[2]),
        (slice(None), 7),
    ],
)
def test_tuples_are_records(key, value):
    expected, found = RECORDS.copy(), dt.asarray(RECORDS)
    expected[key] = value
    found[key] = value
    assert same_bits(found.compute(), expected)


@pytest.mark.parametrize(
    ("x", "value", "error"),
    [
        (RECORDS, (1, 2), ValueError),
        (RECORDS, [("a", 1, "b")] * 3, ValueError),
        (np.zeros(2, "i4"), ["a", "b"], ValueError),
        (np.zeros(2, "i4"), [1e30, 2], OverflowError),
        (np.zeros(2, "i4"), [1j, 2], TypeError),
    ],
)
def test_sequences_that_do_not_fit(x, value, error):
    with pytest.raises(error):
        x.copy()[:] = value
    with pytest.raises(error) as found:
        dt.asarray(x)[:] = value
    assert isinstance(found.value, dt.TapestryError)


FROM_THE_SAME_MASK = {
    "formula": lambda x, y, m: x.__setitem__(m, 2 * x[m] + y[m] ** 2),
    "copied": lambda x, y, m: x.__setitem__(m, y[m]),
    "numbers": lambda x, y, m: x.__setitem__(m, x[m] * 3 + 1),
    "other mask": lambda x, y, m: x.__setitem__(m, y[::-1][m[::-1]][::-1]),
}


@pytest.mark.parametrize("name", FROM_THE_SAME_MASK)
@pytest.mark.parametrize("shape", [(12,), (4, 5), (3, 2, 4)], ids=str)
@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("i4", "f4"), ("c8", "f8")], ids=str)
def test_cells_of_the_same_mask_are_written(name, shape, dtypes):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape).astype(dtype) for dtype in dtypes)
    mask = rng.random(shape) > 0.4
    if dtypes[1][0] == "f":
        y[~mask] = np.nan  # which no integer is made of
    mine, others, lazy = dt.asarray(x.copy()), dt.asarray(y), dt.asarray(mask.astype(int)) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        FROM_THE_SAME_MASK[name](x, y, mask)
    FROM_THE_SAME_MASK[name](mine, others, lazy)
    np.testing.assert_allclose(mine.compute(), x, rtol=1e-6)


def test_nobody_counts_a_mask_that_writes_what_it_selects(monkeypatch):
    def refuse(self, run):
        raise AssertionError("counted")

    monkeypatch.setattr(dynamic_shape.Deferred, "resolve", refuse)
    x = dt.arange(10.0)
    mask = x % 3 < 1
    x[mask] = 2 * x[mask] - 1
    x[mask] += 0.5
    x[mask] *= 2
    y = z = x[mask]
    z -= 1
    x[mask] = y
    assert x.compute().tolist() == [-2, 1, 2, 10, 4, 5, 22, 7, 8, 34]


def test_writes_in_place_to_what_a_mask_selects():
    x = dt.arange(6)
    y = x[x > 2]
    before = y.copy()
    y += 1
    assert (y.compute().tolist(), before.compute().tolist()) == ([4, 5, 6], [3, 4, 5])
    with pytest.raises(TypeError, match="same_kind"):
        y += 0.5
    y += dt.arange(3)
    assert y.shape == (3,)
    assert y.compute().tolist() == [4, 6, 8]
