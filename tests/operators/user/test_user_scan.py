import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.user import user_scan
from dask_tapestry.operators.user.user_scan import PartwiseFunction, Scanned

X = np.random.default_rng(0).integers(0, 9, (3, 50)).astype(float)


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch):
    monkeypatch.setattr(user_scan, "SCANNED_STEPS", 8)


def scan(monoid, **options):
    usual = {"inputs": {"x": "row t"}, "outputs": {"z": "row t"}}
    index = {"row": "parallel", "t": dt.scan_over(monoid)}
    return dt.block_operator(index=index, **(usual | options))


@given(st.sampled_from([1, 7, 8, 9, 16, 17, 31, 50]), st.sampled_from([8, 64, 400, 10**6]))
def test_a_scan_in_parts_is_the_whole_scan(shardings, length, block_bytes):
    total = scan("sum")(lambda x: x.cumsum(axis=1))
    highest = scan("max")(lambda x: np.maximum.accumulate(x, axis=1))
    x = X[:, :length]
    sums, most = total(x), highest(x)
    with shardings.tiny(block_bytes):
        np.testing.assert_array_equal(sums.compute(), x.cumsum(axis=1))
        np.testing.assert_array_equal(most.compute(), np.maximum.accumulate(x, axis=1))
        np.testing.assert_array_equal(sums[1:, -3:].compute(), x.cumsum(axis=1)[1:, -3:])


def test_every_sharding_has_the_same_bits(shardings):
    x = np.random.default_rng(0).normal(size=(3, 50))
    total = scan("sum")(lambda x: x.cumsum(axis=1))(x)
    whole = total.compute()
    for block_bytes in (8, 64, 400, 1200):
        with shardings.tiny(block_bytes):
            np.testing.assert_array_equal(total.compute(), whole)


def test_a_linear_recurrence_is_a_monoid_on_pairs(shardings):
    """The cells ``y[t] = a[t] * y[t - 1] + b[t]``."""

    def then(first, second):
        return first[0] * second[0], first[1] * second[0] + second[1]

    def run(a, b):
        factor, y = a.copy(), b.copy()
        for t in range(1, a.shape[1]):
            factor[:, t] = factor[:, t - 1] * a[:, t]
            y[:, t] = y[:, t - 1] * a[:, t] + b[:, t]
        return factor, y

    a, b = np.random.default_rng(0).normal(size=(2, 3, 50))
    recurrence = scan(
        dt.Monoid((1.0, 0.0), then),
        inputs={"a": "row t", "b": "row t"},
        outputs={"factor": "row t", "y": "row t"},
    )(run)
    _, y = recurrence(a, b)
    with shardings.tiny(100):
        np.testing.assert_allclose(y.compute(), run(a, b)[1], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("block_bytes", [8, 200, 10**6])
def test_windows_and_other_axes(block_bytes, shardings):
    """Running totals of sums of three cells, of which each begins two cells on."""
    declared = dt.block_operator(
        index={"t": dt.scan_over("sum"), "row": "parallel"},
        inputs={"x": dt.IndexProjection([[0, 1], [2, 0]], [0, 1], [1, 3]), "w": "row"},
        outputs={"z": "t row"},
    )(lambda x, w: ((x[:, :-2:2] + x[:, 1:-1:2] + x[:, 2::2]).T * w).cumsum(axis=0))
    w = np.arange(1.0, 4)
    sums = X[:, 1:-2:2] + X[:, 2:-1:2] + X[:, 3::2]
    with shardings.tiny(block_bytes):
        np.testing.assert_array_equal(declared(X, w).compute(), (sums.T * w).cumsum(axis=0))


def test_it_is_cut_along_the_scan(monkeypatch):
    monkeypatch.setattr(user_scan, "SCANNED_STEPS", 2**16)
    total = scan("sum")(lambda x: x.cumsum(axis=1))
    plan = total(dt.placeholder((2, 10**8), "f8")).plan(resources=dt.Resources(8, 1, "1 GiB"))
    plan.verify()
    assert plan.cost["tasks"] > 8


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"outputs": {"z": "row"}}, "outputs of a scan follow t"),
        ({"outputs": {"a": "row t", "b": "row t"}}, "combines 1 values, it has 2"),
        ({"finalize": max}, "takes no finalize"),
        ({"index": {"row": dt.reduce_over("sum"), "t": dt.scan_over("sum")}}, "none is folded"),
        ({"index": {"row": "sequential", "t": dt.scan_over("sum")}}, "one dimension is scanned"),
    ],
)
def test_what_is_no_scan(options, text):
    with pytest.raises(dt.SignatureError, match=text):
        scan("sum", **options)(lambda x: x) if "index" not in options else dt.block_operator(
            **({"inputs": {"x": "row t"}, "outputs": {"z": "row t"}} | options)
        )(lambda x: x)


def test_monoids_of_scans():
    with pytest.raises(dt.SignatureError, match="neither map nor finalize"):
        scan(dt.Monoid(0, np.add, map=abs))(lambda x: x)
    with pytest.raises(TypeError, match="scan_over takes"):
        dt.scan_over(np.add)
    both = dt.block_operator(
        index={"i": "parallel", "t": dt.scan_over("sum")},
        inputs={"x": dt.IndexProjection([[1, 1]], [0], [1])},
        outputs={"z": "i t"},
        extents={"i": 3},
    )
    with pytest.raises(dt.SignatureError, match="forwards, and alone"):
        both(lambda x: x)(np.ones(50))


def test_the_functions_of_parts():
    cumulative, windows = UserFunction.of(np.cumsum), (((0, 3, 3),),)
    x = np.arange(6)
    assert PartwiseFunction(cumulative, windows, 0)(x).tolist() == [0, 1, 3, 3, 7, 12]
    assert PartwiseFunction(cumulative, windows, 0, ends=True)(x).tolist() == [3, 12]
    carried = PartwiseFunction(cumulative, windows, 0, combine=np.add)
    assert carried(x, np.array([10, 20])).tolist() == [10, 11, 13, 23, 27, 32]
    assert Scanned(np.add, 0)(np.array([1, 2, 3])).tolist() == [1, 3, 6]
