import numpy as np
import pytest

import dask_tapestry as dt

X = np.random.default_rng(0).normal(size=(3, 5, 4))
RANGE = dt.Monoid(
    (np.inf, -np.inf),
    lambda a, b: (np.minimum(a[0], b[0]), np.maximum(a[1], b[1])),
    map=lambda x: (x, x),
)


def both(a, b):
    return a[0] + b[0], a[1] + b[1]


MEAN = dt.Monoid((0, 0), both, lambda x: (x, np.ones(x.shape, int)), lambda p: p[0] / p[1])


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_tuples_of_values_are_combined(axis, keepdims, shardings):
    least, most = dt.reduction(X, RANGE, axis=axis, keepdims=keepdims)
    mean = dt.reduction(X, MEAN, axis=axis, keepdims=keepdims)
    with shardings.tiny(32):
        made = dt.compute(least, most, mean)
    assert np.array_equal(made[0], X.min(axis=axis, keepdims=keepdims))
    assert np.array_equal(made[1], X.max(axis=axis, keepdims=keepdims))
    np.testing.assert_allclose(made[2], X.mean(axis=axis, keepdims=keepdims), atol=1e-14)


def test_results_may_be_several_and_slices_of_them_are_read():
    monoid = dt.Monoid((0, 0), both, lambda x: (x, x * x), lambda p: (p[0] / 5, p[1] / 5))
    mean, square = dt.reduction(np.arange(15).reshape(3, 5), monoid, axis=1)
    assert mean[::2].compute().tolist() == [2, 12]
    assert (square - mean**2).compute().tolist() == [2, 2, 2]


def test_no_cells_are_the_identity():
    least, most = dt.reduction(X[:, :0], RANGE, axis=1)
    assert (least.compute() == np.inf).all()
    assert (most.compute() == -np.inf).all()


@pytest.mark.parametrize(
    ("cells", "value"), [(np.ones((2, 0), int), [0.5, 0.5]), (np.array([[0, 0], [3, 4]]), [0, 4])]
)
def test_the_dtype_holds_the_identity(cells, value):
    made = dt.reduction(cells, dt.Monoid(0.5, np.maximum), axis=1)
    assert made.dtype == "f8"
    assert made.compute().tolist() == value


@pytest.mark.parametrize("cells", [list("abcdefg"), [["ab", "c", ""]] * 5, ["abc"]])
def test_joined_strings_are_whole(cells, shardings):
    joined = dt.reduction(np.array(cells), dt.Monoid("", np.strings.add))
    with shardings.tiny(64):
        assert str(joined.compute()) == "".join(np.array(cells).ravel())


def test_structured_cells_are_tuples_without_a_map():
    cells = np.array([(1, 2.0), (3, 4.0)], [("a", "i8"), ("b", "f8")])
    total, product = dt.reduction(cells, dt.Monoid((0, 1), lambda a, b: (a[0] + b[0], a[1] * b[1])))
    assert (int(total), float(product)) == (4, 8.0)
    assert dt.reduction(cells, dt.Monoid(0, both)).compute().tolist() == (4, 6.0)


def test_values_go_where_out_says():
    places = dt.zeros(()), dt.zeros(())
    assert dt.reduction(X, RANGE, out=places)[1] is places[1]
    assert float(places[0]) == X.min()
    with pytest.raises(dt.SignatureError, match="out has 1 arrays for 2 results"):
        dt.reduction(X, RANGE, out=places[:1])


@pytest.mark.parametrize(
    ("monoid", "text"),
    [
        (dt.Monoid((0, 0), both), "give it a map"),
        (dt.Monoid((0, 0), both, map=lambda x: x), "2 values, the cells are of 1"),
        (dt.Monoid((0, 0), both, map=lambda x: (x, x.sum())), "a value for each cell"),
        (dt.Monoid((0, 0), lambda a, b: a[0], map=lambda x: (x, x)), "not a tuple of 2"),
    ],
)
def test_misfits_are_refused(monoid, text):
    with pytest.raises(dt.SignatureError, match=text):
        dt.reduction(X, monoid)


def test_finalize_is_known_by_its_name():
    def halved(pair):
        return pair[0] / 2

    made = dt.reduction(X, dt.Monoid((0, 0), both, lambda x: (x, x), halved))
    assert "halved" in str(made.teg)
    with pytest.raises(dt.SignatureError, match=r"_fails: it was called .*KeyError"):
        dt.reduction(X, dt.Monoid((0, 0), both, lambda x: (x, x), _fails))


def _fails(pair):
    raise KeyError(pair)


def test_a_dtype_is_of_one_result():
    with pytest.raises(dt.SignatureError, match="a dtype is of one result"):
        dt.reduction(X, RANGE, dtype="f4")
    assert dt.reduction(X, MEAN, dtype="f4").dtype == "f4"
