import warnings

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.cells import UFUNCS
from dask_tapestry.errors import DTypeError, ShapeError

X = np.arange(12).reshape(3, 4)
MASK = np.array([False, True, True, False])


@pytest.mark.parametrize("where", [True, False, MASK, dt.asarray(MASK), np.ones((3, 1), bool)])
@pytest.mark.parametrize("kind", ["i8", "f4"])
def test_cells_where_it_is_false_are_those_of_out(where, kind):
    out = dt.asarray(np.full(X.shape, 7, kind))
    expected = np.full(X.shape, 7, kind)
    mask = where.compute() if isinstance(where, dt.Array) else where
    np.add(X, 3, where=mask, out=expected)
    assert dt.add(X, 3, where=where, out=out) is out
    assert out.dtype == expected.dtype
    np.testing.assert_array_equal(out.compute(), expected)


def test_without_out_they_are_zero():
    found = np.add(dt.asarray(X), 1, where=MASK)
    np.testing.assert_array_equal(found.compute(), np.where(MASK, X + 1, 0))
    found = dt.sqrt(np.float32(4), where=MASK)
    assert (found.shape, found.dtype) == ((4,), np.float32)


def test_where_takes_booleans():
    with pytest.raises(DTypeError, match="booleans"):
        dt.add(X, 1, where=np.array([0, 1, 1, 0]))
    found = dt.add(X, 1, where=[0, 1, 1, 0])  # a list is converted
    np.testing.assert_array_equal(found.compute(), np.where(MASK, X + 1, 0))


def test_out_takes_results_of_its_shape_and_dtype():
    out = dt.zeros(4, "i4")
    with pytest.raises(ShapeError):
        dt.add(X, 1, out=out)
    with pytest.raises(DTypeError):
        dt.add(np.ones(4), 0.5, out)
    with pytest.raises(DTypeError, match="computed"):
        np.sin(dt.ones(4), out=np.zeros(4))


@pytest.mark.parametrize("where", [True, MASK, [[True], [False], [True]]])
def test_results_broadcast_to_the_shape_of_out(where):
    out, expected = dt.full((3, 4), 7.0), np.full((3, 4), 7.0)
    np.add(np.arange(4), 1, out=expected, where=where)
    assert dt.add(dt.arange(4), 1, out=out, where=where) is out
    np.testing.assert_array_equal(out.compute(), expected)
    one = dt.zeros(1)
    np.testing.assert_array_equal(dt.sqrt(4.0, one).compute(), [2])


def test_casting_is_of_out_too():
    out = dt.zeros(3, int)
    dt.add(dt.arange(3), 0.9, out=out, casting="unsafe")
    np.testing.assert_array_equal(out.compute(), [0, 1, 2])
    dt.add(dt.arange(3), 1.9, out=out, casting="unsafe", where=[True, False, True])
    np.testing.assert_array_equal(out.compute(), [1, 1, 3])
    with pytest.raises(DTypeError, match="cast"):
        dt.add(dt.ones(3, "f4"), 1, out=dt.zeros(3), casting="equiv")


def test_an_array_is_what_out_as_an_ellipsis_asks_for():
    assert isinstance(dt.add(1, 2, out=...), dt.Array)


def test_each_result_has_its_own_out():
    whole, rest = dt.zeros(4, int), dt.zeros(4, int)
    assert dt.divmod(dt.arange(4), 3, out=(whole, rest))[1] is rest
    np.testing.assert_array_equal(whole.compute(), np.arange(4) // 3)
    fraction = dt.zeros(3)
    np.modf(dt.asarray([0.5, 1.25, 3]), fraction)
    np.testing.assert_array_equal(fraction.compute(), [0.5, 0.25, 0])


@pytest.mark.covering
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "unsafe"])
@pytest.mark.parametrize("other", [1, 1.5, np.float32(2), np.int64(3)])
@pytest.mark.parametrize("dtype", [None, "i4", "f8"])
def test_casting_allows_what_numpys_does(casting, other, dtype):
    x = np.arange(3, dtype="i4")
    try:
        expected = np.add(x, other, casting=casting, dtype=dtype)
    except TypeError:
        with pytest.raises(TypeError):
            dt.add(x, other, casting=casting, dtype=dtype)
        return
    found = dt.add(x, other, casting=casting, dtype=dtype)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)


SIGNATURES = [
    *("dd->d", "ff->f", "ii->i", "gg->g", "OO->O", "dd->?", "d", "dd-d", "%^->#"),
    *((None, None, "f4"), ("f8", "f8", "f8"), (None, None, None), ("i4", None, None)),
    *((None, "f8"), (None,), (np.dtypes.Float64DType, None, None), 123.0),
]


@pytest.mark.covering
@pytest.mark.parametrize("casting", ["same_kind", "unsafe", "safe"])
@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("function", ["add", "power", "equal", "logical_and"])
def test_a_signature_chooses_numpys_loop(function, signature, casting):
    x, told = np.array([0.5, 1, 3]), {"signature": signature, "casting": casting}
    try:
        expected = getattr(np, function)(x, 2, **told)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        with pytest.raises(kind):
            getattr(dt, function)(x, 2, **told)
        return
    found = getattr(dt, function)(x, 2, **told)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)


def test_a_signature_beside_other_options():
    x = np.arange(4)
    for told in ({"where": MASK}, {"out": dt.zeros(4)}, {}):
        found = dt.add(x, 1, signature="ff->f", casting="unsafe", **told)
        expected = np.where(told.get("where", True), np.add(x, 1, dtype="f4"), 0)
        assert found.dtype == (np.float64 if "out" in told else np.float32)
        np.testing.assert_array_equal(found.compute(), expected)
    parts = dt.frexp(x, signature="f->fi"), np.frexp(x, signature="f->fi")
    for ours, theirs in zip(*parts, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.compute(), theirs)
    assert np.add(dt.asarray(x), 1, sig="dd->d").dtype == float
    with pytest.raises(DTypeError, match="not both"):
        dt.add(x, 1, dtype=float, signature="dd->d")
    with pytest.raises(DTypeError, match="no options but dtype="):
        dt.add(dt.ma.masked_equal(x, 1), 1, signature="dd->d")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_facts_are_those_of_numpys(name):
    for fact in ("nin", "nout", "nargs", "types", "signature"):
        assert getattr(FUNCTIONS[name], fact) == getattr(UFUNCS[name], fact)


def test_methods():
    x = dt.asarray(X)
    np.testing.assert_array_equal(dt.add.reduce(x).compute(), X.sum(0))
    np.testing.assert_array_equal(dt.maximum.accumulate(x, 1).compute(), X)
    np.testing.assert_array_equal(
        dt.add.reduceat(x, [0, 2], 1).compute(), np.add.reduceat(X, [0, 2], 1)
    )
    y = x.copy()
    dt.add.at(y, [0, 0], 1)
    assert int(y[0, 0]) == 2
    for outer in (dt.multiply.outer, np.multiply.outer):
        np.testing.assert_array_equal(
            outer(x, dt.arange(2)).compute(), np.multiply.outer(X, np.arange(2))
        )


def test_methods_that_are_not_there_say_so():
    for call in (
        lambda: dt.sin.reduce(dt.ones(2)),
        lambda: dt.sin.outer(dt.ones(2), 1),
        lambda: dt.add.reduceat(dt.ones(2), dt.placeholder((2,), "i8")),
    ):
        with pytest.raises(DTypeError):
            call()


def _told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call()
    return made, {str(one.message) for one in caught}


@pytest.mark.parametrize("name", ["log", "sqrt", "arctanh", "arccosh", "reciprocal", "exp", "tan"])
@pytest.mark.parametrize("bound", [0, 1, -9])
def test_only_cells_that_are_chosen_are_warned_of(name, bound):
    x = np.array([-5, 1e300, np.inf, -1, 0, 0.5, 1, 1.5])
    into = [space.zeros(8) for space in (np, dt)]
    wanted, said = _told(lambda: getattr(np, name)(x, out=into[0], where=x > bound))
    found, ours = _told(lambda: getattr(np, name)(dt.asarray(x), out=into[1], where=x > bound))
    (cells, told) = _told(found.compute)
    np.testing.assert_allclose(cells, wanted, rtol=1e-13)
    assert (ours, told) == (set(), said)


def test_only_cells_that_are_chosen_are_divided():
    x = np.array([-1, 0, 2])
    found, said = _told(lambda: dt.floor_divide(4, dt.asarray(x), where=x != 0).compute())
    assert (found.tolist(), said) == ([-4, 0, 2], set())
    assert dt.power(dt.asarray(x), x, where=x > 0).compute().tolist() == [0, 0, 4]
    with pytest.raises(ValueError, match="negative"):
        dt.power(dt.asarray(x), x, where=x != 0).compute()


@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]", "?", "U2", "S1", "c8", "f2"])
def test_cells_of_every_kind_are_chosen(kind):
    x = np.array([1, 0, 1]).astype(kind)
    mask = np.array([True, False, True])
    assert dt.equal(dt.asarray(x), x, where=mask).compute().tolist() == mask.tolist()
