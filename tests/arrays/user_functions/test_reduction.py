import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(240.0).reshape(10, 24)
CHUNKS = (3, 4)
pytestmark = pytest.mark.usefixtures("sync")


def total(x, axis, keepdims):
    return x.sum(axis=axis, keepdims=keepdims)


def mean_chunk(x, axis, keepdims):
    return {
        "n": np.ones_like(x).sum(axis=axis, keepdims=keepdims),
        "total": x.sum(axis=axis, keepdims=keepdims),
    }


def leaves(pairs):
    return [p for one in pairs for p in leaves(one)] if isinstance(pairs, list) else [pairs]


def mean_combine(pairs, axis, keepdims):
    return {k: sum(p[k] for p in leaves(pairs)) for k in ("n", "total")}


def mean_aggregate(pairs, axis, keepdims):
    both = mean_combine(pairs, axis, keepdims)
    value = both["total"] / both["n"]
    return value if keepdims else value.squeeze(axis)


def weighted(x, weights=None, axis=None, keepdims=False):
    return (x * (1 if weights is None else weights)).sum(axis=axis, keepdims=keepdims)


CALLS = [
    (total, total, {}),
    (total, total, {"axis": 0}),
    (total, total, {"axis": -1, "keepdims": True}),
    (total, total, {"axis": (0, 1), "split_every": 2}),
    (total, total, {"axis": (0, 1), "split_every": {0: 2, 1: 3}, "keepdims": True}),
    (total, total, {"split_every": 2, "combine": total}),
    (weighted, total, {"weights": np.arange(24.0), "axis": 0}),
]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize(("chunk", "aggregate", "options"), CALLS)
def test_it_is_dasks(chunk, aggregate, options):
    expected = da.reduction(da.from_array(X, CHUNKS), chunk, aggregate, dtype="f8", **options)
    x = dt.asarray(X).rechunk(CHUNKS)
    for kind in ({"dtype": "f8"}, {}):
        made = dt.reduction(x, chunk, aggregate, **kind, **options)
        assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
        plan = dt.plan(made)
        plan.verify()
        assert np.array_equal(plan.compute(), expected.compute())


@pytest.mark.parametrize("options", [{"axis": 1}, {"split_every": 2}, {"keepdims": True}])
def test_partial_results_may_be_dicts(options):
    x = dt.asarray(X).rechunk(CHUNKS)
    made = dt.reduction(
        x, mean_chunk, mean_aggregate, combine=mean_combine, concatenate=False, **options
    )
    kept = {k: v for k, v in options.items() if k != "split_every"}
    assert made.dtype == "f8"
    assert np.array_equal(made.compute(), X.mean(**kept))


def test_partial_results_may_be_tuples():
    made = dt.reduction(
        dt.asarray(X).rechunk(CHUNKS),
        lambda x, axis, keepdims: (x.min(axis, keepdims=True), x.max(axis, keepdims=True)),
        lambda pair, axis, keepdims: pair[1].max(axis) - pair[0].min(axis),
        combine=lambda pair, axis, keepdims: (
            pair[0].min(axis, keepdims=True),
            pair[1].max(axis, keepdims=True),
        ),
        axis=0,
        split_every=2,
    )
    assert np.array_equal(made.compute(), np.ptp(X, axis=0))


def test_functions_that_ask_are_told_the_dtype():
    def asks(x, axis, keepdims, dtype):
        return x.sum(axis=axis, keepdims=keepdims, dtype=dtype)

    made = dt.reduction(np.arange(5), asks, asks, dtype="f4")
    assert (made.dtype, float(made)) == (np.dtype("f4"), 10.0)


def test_partial_results_may_have_several_cells():
    def two(x, axis, keepdims):
        return np.sort(x, axis=axis[0])[-2:]

    def best(x, axis, keepdims):
        top = np.sort(x, axis=axis[0])[-2:]
        return top if keepdims else top[-1]

    x = dt.asarray(X[:, 0]).rechunk(5)
    made = dt.reduction(x, two, best, dtype="f8", output_size=2, keepdims=True, combine=two)
    assert made.compute().tolist() == [192.0, 216.0]


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("axis", [None, 0, (0, -1)])
def test_a_monoid_has_one_value(axis, shardings):
    x = np.random.default_rng(0).normal(size=(37, 50))
    monoid = dt.Monoid(0.0, np.add, map=np.exp, finalize=np.log)
    values = set()
    for cuts in (37, 5, 3):
        made = dt.reduction(dt.asarray(x).rechunk(cuts), monoid, axis=axis)
        values.add(np.asarray(made.compute()).tobytes())
    with shardings.tiny(64):
        plan = dt.plan(made)
        values.add(np.asarray(plan.compute()).tobytes())
    assert len(values) == 1
    np.testing.assert_allclose(made.compute(), np.log(np.exp(x).sum(axis=axis)))


def test_a_monoid_keeps_the_order_of_cells(shardings):
    x = np.arange(1, 2000) % 7
    later = dt.Monoid(0, lambda a, b: np.where(b == 0, a, b))
    made = dt.reduction(x, later)
    with shardings.tiny(64, threads=4):
        assert int(made.compute()) == [c for c in x if c][-1]


def test_nothing_is_the_identity():
    made = dt.reduction(np.ones((0, 2)), dt.Monoid(5.0, np.minimum), axis=0)
    assert made.compute().tolist() == [5, 5]


def test_out_holds_the_result():
    out = dt.zeros(())
    assert dt.reduction(X, total, total, out=out) is out
    assert float(out) == X.sum()


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="aggregate"):
        dt.reduction(X, total)
    with pytest.raises(ValueError, match="at least 2"):
        dt.reduction(X, total, total, split_every=1)
    with pytest.raises(ValueError, match="broadcast"):
        dt.reduction(X, weighted, total, weights=np.ones(3))
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        dt.reduction(X, total, total, axis=2)


def kept(x, axis, keepdims):
    return x + 0


def test_functions_that_keep_cells_keep_the_axis():
    x = dt.asarray(X).rechunk(((3, 3, 4), (5, 19)))
    whole = dt.reduction(x, kept, kept, axis=(1, 0), keepdims=True, split_every=2)
    assert whole.shape == X.shape
    np.testing.assert_array_equal(whole, X)
    for axis in (0, (0, 1)):  # only the last function reduces
        made = dt.reduction(x, kept, total, axis=axis, split_every=2)
        np.testing.assert_array_equal(made, X.sum(axis=axis))
