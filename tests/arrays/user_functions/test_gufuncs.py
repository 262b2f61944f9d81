import pickle

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(24.0).reshape(2, 3, 4)
Y = np.arange(12.0).reshape(3, 4) - 5
pytestmark = pytest.mark.usefixtures("sync")


def stats(x):
    return x.mean(axis=-1), x.std(axis=-1)


def dot(x, y):
    return np.einsum("...i,...i->...", x, y)


CALLS = [
    ("(i)->()", lambda x: x.mean(-1), (X,), {}),
    ("(i)->(),()", stats, (X,), {}),
    ("(i),(i)->()", dot, (X, Y), {}),
    ("(i),()->(i)", lambda x, y: x * y[..., None], (X, Y[:, 0]), {}),
    ("(i),(j)->(i,j)", np.outer, (X, Y), {"vectorize": True}),
    ("(i,j)->(j,i)", lambda x: x.swapaxes(-1, -2), (X,), {}),
    ("(i)->()", lambda x: x.sum(-1), (X,), {"axis": 1}),
    ("(i)->()", lambda x: x.sum(-1), (X,), {"axis": 1, "keepdims": True}),
    ("(i)->()", lambda x: x.sum(-1), (X,), {"axes": [0]}),
    ("(i),(i)->()", dot, (X, X), {"axes": [0, 0, ()]}),
    ("(i)->(i)", lambda x: np.cumsum(x, -1), (X,), {"axes": [(0,), (-1,)]}),
    ("(i)->(j)", lambda x: x[..., :2], (X,), {"output_sizes": {"j": 2}}),
    ("()->()", np.negative, (X,), {}),
    ("->(i)", lambda: np.arange(3), (), {"output_sizes": {"i": 3}, "output_dtypes": int}),
    ("(i)->()", lambda x, by: x.sum(-1) * by, (X,), {"by": 3, "output_dtypes": float}),
    ("(i)->(),(i)", lambda x: (x.sum(-1), x + 1), (X,), {"output_dtypes": (float, float)}),
    ("(i)->()", lambda x: x.sum(), (X,), {"vectorize": True, "output_dtypes": float}),
]


@pytest.mark.parametrize(("signature", "function", "arrays", "options"), CALLS)
def test_it_is_dasks(signature, function, arrays, options):
    expected = da.apply_gufunc(function, signature, *arrays, **options)
    for inputs in (arrays, [dt.asarray(x).rechunk(2) for x in arrays]):
        made = dt.apply_gufunc(function, signature, *inputs, **options)
        assert isinstance(made, tuple) == isinstance(expected, tuple)
        pairs = zip(made, expected, strict=True) if isinstance(made, tuple) else [(made, expected)]
        for one, other in pairs:
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            assert np.array_equal(one.compute(), other.compute())


@pytest.mark.parametrize(
    ("signature", "arrays", "options"),
    [
        ("(i)->", (X,), {}),
        ("(i)->(),", (X,), {}),
        ("(i),(i)->()", (X,), {}),
        ("(i),(i)->()", (X, np.ones(5)), {}),
        ("(i),(i)->()", (np.ones((2, 4)), np.ones((3, 4))), {}),
        ("(i)->()", (X,), {"axis": 0, "axes": [0]}),
        ("(i,j)->()", (X,), {"axis": 0}),
        ("(i)->()", (X,), {"axis": "0"}),
        ("(i)->(i)", (X,), {"keepdims": True}),
        ("(i)->()", (X,), {"axes": (0,)}),
        ("(i)->()", (X,), {"axes": [0, 0, 0]}),
        ("(i,j)->()", (X,), {"axes": [(0,)]}),
        ("(i)->(j)", (X,), {}),
        ("(i)->()", (X,), {"meta": np.empty(0), "output_dtypes": float}),
        ("(i)->(),()", (X,), {"output_dtypes": float}),
        ("(i)->()", (X,), {"output_dtypes": (float, float)}),
        ("(i,j)->()", (np.ones(3),), {}),
    ],
)
def test_what_does_not_fit_is_refused(signature, arrays, options):
    with pytest.raises(dt.TapestryError, match=r"."):
        dt.apply_gufunc(lambda *x: x[0].sum(-1), signature, *arrays, **options)


def test_loop_dimensions_are_cut_and_core_ones_are_not(shardings):
    x = dt.asarray(np.random.default_rng(0).normal(size=(40, 30)))
    ranked = dt.apply_gufunc(lambda a: np.sort(a, -1), "(i)->(i)", x)
    with shardings.tiny(8):
        plan = dt.plan(ranked * 2)
        plan.verify()
        assert [c.count for c in next(iter(plan.core.steps.values())).cuts] == [40, 1]
        assert np.array_equal(plan.compute(), 2 * np.sort(x.compute(), -1))


def test_a_gufunc_is_an_object():
    made = dt.gufunc(stats, signature="(i)->(),()")
    mean, spread = made(X)
    assert np.array_equal(mean.compute(), X.mean(-1))
    assert np.array_equal(spread.compute(), X.std(-1))
    assert made.__name__ == "stats"
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again(X)[0].compute(), X.mean(-1))
    with pytest.raises(TypeError, match="signature"):
        dt.gufunc(stats)
    with pytest.raises(TypeError, match="no argument 'wrong'"):
        dt.as_gufunc("()->()", wrong=1)
