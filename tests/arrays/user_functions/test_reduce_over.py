import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(24.0).reshape(4, 6)


def operator(function=lambda x: x, **options):
    usual = {"index": {"i": "parallel"}, "inputs": {"x": "i"}, "outputs": {"z": "i"}}
    return dt.block_operator(**(usual | options))(function)


def softmax_sum(fold):
    """The logarithm of a sum of exponentials, as pairs of maximum and scaled sum."""
    return dt.block_operator(
        index={"i": "parallel", "k": dt.reduce_over(fold)},
        inputs={"x": "i k"},
        outputs={"top": "i", "rest": "i"},
    )(lambda x: (x.max(axis=1), np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1)))


def combine(a, b):
    top = np.maximum(a[0], b[0])
    return top, a[1] * np.exp(a[0] - top) + b[1] * np.exp(b[0] - top)


def test_a_monoid_of_pairs_folds_parts():
    x = np.random.default_rng(0).normal(size=(2, 30_000))
    top, rest = softmax_sum(dt.Monoid(0, combine))(x)
    with dt.config(block_bytes=20_000, resources=dt.Resources(1, 8, "1 GiB")):
        plan = dt.plan(top, rest)
        plan.verify()
    assert "fold" in [n.operator.name for n in plan.core.graph.nodes]
    made = plan.compute()
    np.testing.assert_allclose(made[0] + np.log(made[1]), np.log(np.exp(x).sum(axis=1)))


def earliest(a, b):
    later = b[0] < a[0]
    return np.where(later, b[0], a[0]), np.where(later, b[1], a[1])


def least(x, n):
    at = x.argmin(axis=1)
    return x[np.arange(len(x)), at], n[at]


def least_over(finalize, outputs):
    monoid = dt.Monoid((np.inf, -1), earliest, finalize=finalize)
    index = {"i": "parallel", "k": dt.reduce_over(monoid)}
    inputs = {"x": "i k", "n": "k"}
    return dt.block_operator(index=index, inputs=inputs, outputs=outputs)(least)


def test_tuples_are_combined_and_make_what_the_operator_returns():
    x = np.random.default_rng(0).integers(0, 1000, (2, 30_000)).astype(float)
    n = np.arange(30_000)
    place = least_over(lambda pair: pair[1], {"at": "i"})
    value, at = least_over(None, {"value": "i", "at": "i"})(x, n)
    with dt.config(block_bytes=20_000, resources=dt.Resources(1, 8, "1 GiB")):
        plan = dt.plan(place(x, n), value, at)
        assert "parts of" in str(plan.teg)
        made = plan.compute()
    assert [v.tolist() for v in made] == [v.tolist() for v in (x.argmin(1), x.min(1), x.argmin(1))]
    assert place(x, n)[1].compute() == x[1].argmin()
    assert place(x[:, :0], n[:0]).compute().tolist() == [-1, -1]


def test_a_mean_is_a_sum_and_a_count():
    monoid = dt.Monoid(
        (0.0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), finalize=lambda p: p[0] / p[1]
    )
    mean = operator(
        lambda x: (x.sum(axis=1), np.full(len(x), x.shape[1])),
        index={"i": "parallel", "k": dt.reduce_over(monoid)},
        inputs={"x": "i k"},
        dtype="f4",
        finalize=lambda z: -z,
    )
    made = mean(X)
    assert made.dtype == "f4"
    assert np.array_equal(made.compute(), -X.mean(axis=1))


def test_tuples_that_do_not_fit_the_outputs_are_refused():
    with pytest.raises(dt.SignatureError, match="combines 2 values, it has 1 outputs"):
        least_over(None, {"at": "i"})
    with pytest.raises(dt.SignatureError, match="same dimensions by name"):
        least_over(max, {"at": dt.IndexProjection([[1, 0]], [0], [1])})
    with pytest.raises(TypeError, match="of one value is not a tuple"):
        dt.Monoid((0,), np.add)


def test_the_dtype_of_partial_results_holds_the_identity():
    index = {"i": "parallel", "k": dt.reduce_over(dt.Monoid(0.5, np.maximum))}
    highest = {"index": index, "inputs": {"x": "i k"}}
    whole = np.arange(6).reshape(2, 3)
    made = operator(lambda x: x.max(axis=1), **highest)(whole)
    assert made.dtype == "f8"
    assert made.compute().tolist() == [2, 5]
    with pytest.raises(dt.DTypeError, match=r"identity 0.5 is no int64"):
        operator(lambda x: x.max(axis=1), dtype="i8", **highest)(whole)


def test_a_monoid_maps_and_finalizes():
    monoid = dt.Monoid(0.0, np.add, map=lambda x: 2 * x, finalize=np.sqrt)
    norm = dt.block_operator(
        index={"k": dt.reduce_over(monoid)}, inputs={"x": "k"}, outputs={"z": ""}
    )(lambda x: (x * x).sum())
    x = np.random.default_rng(0).normal(size=50_000)
    with dt.config(block_bytes=20_000, resources=dt.Resources(1, 8, "1 GiB")):
        plan = dt.plan(norm(x))
    assert plan.cost["tasks"] > 8
    np.testing.assert_allclose(plan.compute(), np.sqrt(2 * (x * x).sum()))


@pytest.mark.parametrize(
    ("fold", "value"),
    [
        ("sum", 0),
        ("prod", 1),
        ("any", False),
        ("all", True),
        (dt.Monoid(-np.inf, np.maximum), -np.inf),
    ],
)
def test_no_steps_of_a_folded_dimension_are_the_identity(fold, value):
    calls = []

    def of_block(x):
        calls.append(x.shape)
        return x.max(axis=1)

    index = {"i": "parallel", "k": dt.reduce_over(fold)}
    made = operator(of_block, index=index, inputs={"x": "i k"})
    calls.clear()
    assert made(X[:, :0]).compute().tolist() == [value] * 4
    assert made(X[:, :0])[1::2].compute().tolist() == [value] * 2
    assert made(X[:0, :0]).shape == (0,)
    assert 0 not in [n for shape in calls for n in shape]


@pytest.mark.parametrize("fold", ["min", "max"])
def test_no_steps_without_an_identity_are_refused(fold):
    made = operator(
        lambda x: x.max(axis=1),
        index={"i": "parallel", "k": dt.reduce_over(fold)},
        inputs={"x": "i k"},
    )
    with pytest.raises(ValueError, match=f"reduction operation {fold}imum which has no identity"):
        made(X[:, :0])
    assert made(X[:0, :0]).compute().shape == (0,)


def test_monoids_are_checked():
    with pytest.raises(TypeError, match="combine must be a function"):
        dt.Monoid(0, None)
    with pytest.raises(TypeError, match="reduce_over takes"):
        dt.reduce_over(np.add)
