import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons.layers import attention

RANDOM = np.random.default_rng(11)
Q, K, V = [RANDOM.normal(size=(2, 3, *shape)) for shape in ((19, 8), (23, 8), (23, 5))]
SEEN = RANDOM.random((19, 23)) < 0.7
SEEN[:, 0] = True


@pytest.mark.few(2)  # dtypes are met by comparisons
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("mask", [None, SEEN, RANDOM.normal(size=(2, 1, 19, 23)), SEEN[:1]])
@pytest.mark.parametrize("causal", [False, True])
def test_rows_are_weighted_means_for_every_sharding(mask, causal, shardings):
    expected = attention(Q, K, V, mask, causal)
    np.testing.assert_allclose(
        dt.nn.attention(Q, K, V, mask, causal).compute(), expected, rtol=1e-9
    )
    cut = [dt.asarray(one).rechunk((1, 2, 7, 4)) for one in (Q, K, V)]
    with shardings.tiny(1000):
        made = dt.nn.attention(*cut, mask, causal)
        np.testing.assert_allclose(made.compute(), expected, rtol=1e-9)
    np.testing.assert_allclose(made[:, 1, 3:5].compute(), expected[:, 1, 3:5], rtol=1e-9)


@pytest.mark.parametrize("dtype", ["f2", "f4", "i4"])
def test_dtypes(dtype):
    q, k, v = [(one * 2).astype(dtype) for one in (Q, K, V)]
    made = dt.nn.attention(q, k, v)
    assert made.dtype == ("f8" if dtype == "i4" else dtype)
    expected = attention(*[one.astype("f8") for one in (q, k, v)])
    np.testing.assert_allclose(made.compute(), expected, rtol=1e-2, atol=1e-2)


def test_scale_and_leading_dimensions():
    made = dt.nn.attention(Q[0, 0], K, V, scale=0.25).compute()
    np.testing.assert_allclose(made, attention(Q[:1, :1] * 0.25 * 8**0.5, K, V), rtol=1e-9)


def test_queries_that_see_nothing_are_nan():
    made = dt.nn.attention(Q, K, V, mask=SEEN & (np.arange(19) != 4)[:, None]).compute()
    assert np.isnan(made[..., 4, :]).all()
    assert not np.isnan(np.delete(made, 4, axis=-2)).any()


def test_scores_of_all_queries_are_never_on_one_worker():
    x = dt.placeholder((65_536, 64), "f4")
    made = dt.nn.attention(x, x, x, causal=True)
    for memory in ("1 GiB", "4 GiB"):
        machines = dt.Resources(workers=4, threads=2, memory=memory)
        plan = dt.plan(made, resources=machines)
        plan.verify()
        assert plan.cost["peak_worker_bytes"] < machines.memory  # of 16 GiB of scores


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: dt.nn.attention(Q[0, 0, 0], K, V), dt.ShapeError, "attention takes"),
        (lambda: dt.nn.attention(Q[..., :4], K, V), dt.ShapeError, "E of q and k"),
        (lambda: dt.nn.attention(Q, K[..., 1:, :], V), dt.ShapeError, "S of k and v"),
        (lambda: dt.nn.attention(Q, K[:, :2], V), dt.ShapeError, "broadcast"),
        (lambda: dt.nn.attention(Q, K[..., :0, :], V[..., :0, :]), dt.ShapeError, "no keys"),
        (lambda: dt.nn.attention(Q, K, V, mask=SEEN[:, :4]), dt.ShapeError, "mask"),
        (lambda: dt.nn.attention(Q, K, V, mask=SEEN * 1j), dt.DTypeError, "mask"),
        (lambda: dt.nn.attention(Q * 1j, K, V), dt.DTypeError, "real numbers"),
        (lambda: dt.nn.attention(Q, K, V, causal="yes"), dt.ArgumentTypeError, "causal"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
