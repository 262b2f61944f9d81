import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.exchange import positions
from dask_tapestry_kernels.cpu.blocks.order_keys import order_keys

PROBES = 16


def test_probes_are_spread_evenly_or_all_there_are():
    at, some = positions(np.array([[10, 110], [4, 7], [5, 5]]), 4)
    assert at[0].tolist() == [30, 50, 70, 90]
    assert at[1, :3].tolist() == [4, 5, 6]
    assert some.tolist() == [[True] * 4, [True] * 3 + [False], [False] * 4]


def split(runs):
    """The places before which all runs, each sorted, are split into as many equal parts."""
    count, length = runs.shape
    keys = order_keys(runs)
    order = np.argsort(keys.ravel(), kind="stable") // length  # equal cells by run and place
    ends = np.array([[0, length]]) * np.ones((count, count - 1, 1), int)
    true = [
        [(order[: (b + 1) * length] == p).sum() for b in range(count - 1)] for p in range(count)
    ]
    return ends, np.array(true).reshape(count, count - 1)


KIND = st.sampled_from(["random", "few", "equal", "sorted", "reversed", "skewed"])


@given(st.integers(1, 6), st.integers(1, 500), KIND, st.integers(0, 9))
def test_windows_narrow_to_the_exact_places(count, length, kind, seed):
    random = np.random.default_rng(seed)
    n = count * length
    runs = {
        "random": random.normal(size=n),
        "few": random.integers(0, 3, n) * 1.0,
        "equal": np.zeros(n),
        "sorted": np.arange(n) * 1.0,
        "reversed": -np.arange(n) * 1.0,
        "skewed": np.where(random.random(n) < 0.9, 5.0, random.normal(size=n)),
    }[kind].reshape(count, length)
    runs = np.sort(runs, axis=1)
    windows, true = split(runs)
    keep = (slice(None),) * 3
    for _ in range(30):
        before = windows
        if (windows[..., 0] == windows[..., 1]).all():
            break
        keys = KERNELS["probe"](None, runs, windows, count=PROBES, keep=keep)
        windows = KERNELS["narrow"](None, keys, windows, first=0, length=length, keep=keep)
        assert (windows[..., 0] <= true).all()
        assert (true <= windows[..., 1]).all()
        was, now = (np.diff(w)[..., 0].sum(0) for w in (before, windows))
        is_long = np.diff(before)[..., 0].max(0) > PROBES
        assert (now <= np.where(is_long, 8 * was / PROBES, 0)).all()
    assert np.array_equal(windows[..., 0], true)
    buckets = KERNELS["splitruns"](None, runs, windows, keep=keep[:2])
    told = {"length": length, "dtype": runs.dtype, "keep": keep[:1]}
    made = KERNELS["mergebuckets"](None, buckets, **told)
    assert np.array_equal(made, np.sort(runs.ravel()))


def test_what_does_not_fit_is_refused():
    runs = np.arange(4.0).reshape(2, 2)
    keep = (slice(None),) * 2
    with pytest.raises(ValueError, match="not known yet"):
        KERNELS["splitruns"](None, runs, np.array([[[0, 2]], [[0, 0]]]), keep=keep)
    buckets = KERNELS["splitruns"](None, runs, np.array([[[1, 1]], [[0, 0]]]), keep=keep)
    with pytest.raises(ValueError, match="was sent 1 cells, not 2"):
        KERNELS["mergebuckets"](None, buckets, length=2, dtype=runs.dtype, keep=keep[:1])


def test_runs_are_sorted_and_filled():
    told = {"length": 2, "first": 4, "count": 2, "keep": (slice(None), slice(None))}
    made = KERNELS["sortedruns"](None, np.array([3, 1, 2]), places=False, **told)
    assert made.tolist() == [[1, 3], [2, np.iinfo(int).max]]
    pairs = KERNELS["sortedruns"](None, np.array([3, 1, 2]), places=True, **told)
    assert pairs["place"].tolist() == [[5, 4], [6, 7]]
