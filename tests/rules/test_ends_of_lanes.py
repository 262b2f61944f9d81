"""Ends of sorted lanes, beside the whole lanes sorted."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting import topk
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from tests.comparisons import same_bits

KINDS = ("f8", "f4", "f2", "i8", "i2", "u1", "?", "c16", "M8[D]", "m8[s]", "S3", "U2")
READS = {
    "first": np.s_[:, :3],
    "first ones in steps": np.s_[::2, 1:6:2],
    "turned": np.s_[:, 4::-1],
    "one": np.s_[1:, 0],
    "last": np.s_[:, -4:],
    "the last one": np.s_[:, -1],
    "last ones turned": np.s_[:, :-5:-2],
}


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    monkeypatch.setattr(topk, "SHORTEST_TOPK_RUN", 50)


def operators(y):
    return [node.operator.name for node in rewritten(y.teg, Trace(), ()).nodes]


def cells(kind, shape=(6, 900), seed=0):
    random = np.random.default_rng(seed)
    numbers = random.integers(-40, 40, shape)
    if kind[0] in "SU":
        return numbers.astype(kind)
    with np.errstate(invalid="ignore"):
        x = numbers.astype(kind)
    if x.dtype.kind in "fc":
        x[random.random(shape) < 0.01] = np.nan
        x[random.random(shape) < 0.05] = -0.0
    if x.dtype.kind in "mM":
        x[random.random(shape) < 0.01] = "NaT"
    return x


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sort", ["sort", "argsort"])
def test_ends_have_the_bits_of_all_that_is_sorted(sort, kind, read, shardings):
    x = cells(kind)
    whole = getattr(dt, sort)(dt.asarray(x), axis=1)
    expected = whole.compute()[read]
    assert "topk" in operators(whole[read])
    for block_bytes in (10**9, 600):
        with shardings.tiny(block_bytes):
            assert same_bits(whole[read].compute(), expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_axis_is_cut(axis):
    shape = [3, 4, 5]
    shape[axis] = 1000
    x = cells("f8", tuple(shape))
    for read in (slice(0, 7), slice(-7, None)):
        at = (*(slice(None),) * axis, read)
        y = dt.sort(dt.asarray(x), axis=axis)[at]
        assert "topk" in operators(y)
        np.testing.assert_array_equal(y.compute(), np.sort(x, axis=axis)[at])


def test_several_readers_of_one_end_share_it():
    x = dt.asarray(cells("f8"))
    whole = dt.sort(x, axis=1)
    y = whole[:, :3] + whole[:, 3:6]
    assert operators(y).count("topk") == 1
    expected = np.sort(cells("f8"), axis=1)
    np.testing.assert_array_equal(y.compute(), expected[:, :3] + expected[:, 3:6])


@pytest.mark.parametrize(
    "y",
    [
        lambda x: dt.sort(x, axis=1),
        lambda x: dt.sort(x, axis=1)[:, ::100],
        lambda x: dt.sort(x, axis=1)[:, :300],
        lambda x: dt.sort(x, axis=1)[:, 400:410],
        lambda x: dt.sort(x, axis=1)[:, :3].sum() + dt.sort(x, axis=1).mean(),
        lambda x: dt.sort(x[:, :60], axis=1)[:, :3],
    ],
)
def test_what_reads_more_is_sorted(y):
    made = y(dt.asarray(cells("f8")))
    assert "topk" not in operators(made)
    made.compute()


def test_nearest_neighbours_read_points_once_or_twice():
    points = dt.placeholder((10_000_000, 64), "f4", (100_000, 64))
    asked = dt.placeholder((10_000, 64), "f4", (10_000, 64))
    far = (points**2).sum(1)[None] - 2 * asked @ points.T
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    for y in (dt.sort(far, axis=1)[:, :3], dt.argsort(far, axis=1)[:, :3]):
        plan = dt.plan(y, resources=machines)
        assert plan.cost["bytes_read"] < 3 * points.nbytes
