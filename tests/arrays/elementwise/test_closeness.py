import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

X = np.array([1.0, 1 + 1e-9, 1 + 1e-4, np.nan, np.inf, -np.inf, 0.0])
Y = np.array([1.0, 1.0, 1.0, np.nan, np.inf, np.inf, 1e-9])


@pytest.mark.parametrize("kinds", [("f8", "f8"), ("f4", "f8"), ("f2", "f2"), ("c8", "f4")])
@pytest.mark.parametrize("equal_nan", [True, False])
def test_close_cells(kinds, equal_nan):
    x, y = X.astype(kinds[0]), Y.astype(kinds[1])
    agreed(lambda np, a: np.isclose(a(x), a(y), equal_nan=equal_nan))
    agreed(lambda np, a: np.isclose(a(x), a(y), 1e-3, 0, equal_nan))
    agreed(lambda np, a: np.isclose(a(x), 1.00001, equal_nan=equal_nan))
    agreed(lambda np, a: np.isclose(a(x), a(y)[:, None], a(1e-6), a([1e-3])))


def test_close_integers_and_scalars():
    least = np.array([np.iinfo("i1").min, 3, 100], "i1")
    agreed(lambda np, a: np.isclose(a(least), a(least[::-1])))
    agreed(lambda np, a: np.isclose(a(least), 3))
    agreed(lambda np, a: np.isclose(3, a(least)))
    assert bool(dt.isclose(1.0, 1 + 1e-9)) is True
    assert bool(dt.isclose(np.float32(1), 1 + 1e-9)) is True


@pytest.mark.parametrize("name", ["allclose", "array_equal", "array_equiv"])
def test_one_answer(name):
    ours, theirs = getattr(dt, name), getattr(np, name)
    finite = X[:3]
    pairs = [(finite, Y[:3]), (finite, finite), (X, X), (finite, finite[:1]), (1, [1, 1]), ([], [])]
    for x, y in pairs:
        found = ours(dt.asarray(x), y)
        assert (found.shape, found.dtype) == ((), np.bool_)
        assert bool(found) == theirs(x, y)
        assert bool(getattr(np, name)(dt.asarray(x), y)) == theirs(x, y)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_unknown_cells(equal_nan):
    times = np.array(["2020", "NaT"], "M8[D]")
    for x in (X, X.astype("c8"), times, np.arange(3)):
        expected = np.array_equal(x, x.copy(), equal_nan=equal_nan)
        assert bool(dt.array_equal(dt.asarray(x), x.copy(), equal_nan=equal_nan)) == expected
    assert not dt.array_equal(dt.asarray(["a"]), [1])


def test_shapes_that_do_not_broadcast():
    refused(lambda np, a: np.isclose(a([1.0, 2]), a([1.0, 2, 3])))
    assert not dt.array_equiv([1, 2], [1, 2, 3])
    times, spans = np.zeros(3, "M8[s]"), np.zeros((2, 2), "m8[s]")
    for name in ("isclose", "allclose"):
        for x in (times, spans[:, :1].ravel(), np.zeros(3)):
            refused(lambda np, a, name=name, x=x: getattr(np, name)(a(x), a(spans)))
    assert not dt.array_equiv(times, spans)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_texts_and_objects_are_never_unknown(equal_nan):
    for x in (np.array(["a"]), np.array([1], object)):
        one = dt.asarray(x)
        assert bool(dt.array_equal(one, one, equal_nan=equal_nan))
        if equal_nan:
            refused(lambda np, a, x=x: np.array_equal(a(x), a(x.copy()), equal_nan=True))
