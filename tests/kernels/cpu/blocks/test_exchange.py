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
    ends = np.array([[0, length]]) * np.ones((count, count + 1, 1), int)
    ends[:, 0], ends[:, -1] = 0, length
    true = [[(order[: b * length] == p).sum() for b in range(count + 1)] for p in range(count)]
    return ends, np.array(true)


def made(count, length, kind, seed):
    """Sorted runs of cells of a kind."""
    random = np.random.default_rng(seed)
    n = count * length
    cells = {
        "random": random.normal(size=n),
        "few": random.integers(0, 3, n) * 1.0,
        "equal": np.zeros(n),
        "sorted": np.arange(n) * 1.0,
        "reversed": -np.arange(n) * 1.0,
        "skewed": np.where(random.random(n) < 0.9, 5.0, random.normal(size=n)),
    }[kind].reshape(count, length)
    return np.sort(cells, axis=1)


KIND = st.sampled_from(["random", "few", "equal", "sorted", "reversed", "skewed"])


@given(st.integers(1, 6), st.integers(1, 500), st.integers(1, 64), KIND, st.integers(0, 9))
def test_evenly_spread_cells_tell_in_which_windows_runs_are_split(
    count, length, sampled, kind, seed
):
    runs = made(count, length, kind, seed)
    ends, true = split(runs)
    sampled, told = min(sampled, length), {"keep": (slice(None),) * 3}
    keys = KERNELS["probe"](None, runs, ends[:, :1] * 0 + [0, length], count=sampled, **told)
    windows = KERNELS["firstwindows"](None, keys, length=length, groups=(runs.size,), **told)
    assert (windows[..., 0] <= true).all()
    assert (true <= windows[..., 1]).all()
    left = np.diff(windows)[..., 0].sum(0).max()
    assert left <= (0 if sampled == length else 2 * count * (length // (sampled + 1) + 1) + 1)


@given(st.integers(1, 6), st.integers(1, 500), KIND, st.integers(0, 9))
def test_windows_narrow_to_the_exact_places(count, length, kind, seed):
    runs = made(count, length, kind, seed)
    windows, true = split(runs)
    keep = (slice(None),) * 3
    told = {"length": length, "first": 0, "dtype": runs.dtype, "keep": keep[:1]}
    sizes = {"length": length, "first": 0, "cells": runs.size, "keep": keep}
    for _ in range(30):
        buckets = KERNELS["splitruns"](None, runs, windows, ahead=0, behind=0, keep=keep[:2])
        merged = KERNELS["mergebuckets"](None, buckets, windows, **told)
        assert np.array_equal(merged, np.sort(runs.ravel()))  # whatever windows leave open
        before = windows
        if (windows[..., 0] == windows[..., 1]).all():
            break
        keys = KERNELS["probe"](None, runs, windows, count=PROBES, keep=keep)
        windows = KERNELS["narrow"](None, keys, windows, **sizes)
        assert (windows[..., 0] <= true).all()
        assert (true <= windows[..., 1]).all()
        was, now = (np.diff(w)[..., 0].sum(0) for w in (before, windows))
        is_long = np.diff(before)[..., 0].max(0) > PROBES
        assert (now <= np.where(is_long, 8 * was / PROBES, 0)).all()
    assert np.array_equal(windows[..., 0], true)
    told = {"ahead": 0, "behind": 0, "keep": keep[:2]}
    assert sum(map(len, KERNELS["splitruns"](None, runs, windows, **told).held)) == runs.size


def test_cells_in_windows_go_to_both_sides():
    runs = np.array([[1, 3, 5, 7], [2, 4, 6, 8]])
    windows = np.array([[[0, 0], [1, 3], [4, 4]], [[0, 0], [1, 2], [4, 4]]])
    buckets = KERNELS["splitruns"](None, runs, windows, ahead=0, behind=0, keep=(slice(None),) * 2)
    assert [b.tolist() for b in buckets.held] == [[1, 3, 5], [3, 5, 7], [2, 4], [4, 6, 8]]
    told = {"length": 4, "dtype": runs.dtype, "keep": (slice(None),)}
    second = KERNELS["mergebuckets"](None, buckets[:, 1:], windows[:, 1:], first=1, **told)
    assert second.tolist() == [5, 6, 7, 8]


def test_what_does_not_fit_is_refused():
    windows = np.array([[[0, 0], [1, 1], [2, 2]], [[0, 0], [0, 0], [2, 2]]])
    buckets = KERNELS["splitruns"](
        None, np.arange(4).reshape(2, 2), windows, ahead=0, behind=0, keep=(slice(None),) * 2
    )
    told = {"length": 2, "first": 0, "dtype": np.dtype(int), "keep": (slice(None),)}
    with pytest.raises(ValueError, match="was sent 1 cells, not 2"):
        KERNELS["mergebuckets"](None, buckets, windows, **told)


def test_runs_are_sorted_and_filled():
    told = {"length": 2, "first": 4, "count": 2, "keep": (slice(None), slice(None))}
    made = KERNELS["sortedruns"](None, np.array([3, 1, 2]), places=False, **told)
    assert made.tolist() == [[1, 3], [2, np.iinfo(int).max]]
    pairs = KERNELS["sortedruns"](None, np.array([3, 1, 2]), places=True, **told)
    assert pairs["place"].tolist() == [[5, 4], [6, 7]]
