import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import random as kernel
from dask_tapestry_kernels.cpu.jit import compile_service

KEY, DRAW = (11, 2**64 - 5), (3, 1)


def numbers(frame):
    counter = np.array([0, DRAW[1], DRAW[0], 0], np.uint64)
    philox = np.random.Philox(key=np.array(KEY, np.uint64), counter=counter)
    return philox.random_raw(int(np.prod(frame, dtype=int))).reshape(frame)


@st.composite
def boxes(draw):
    frame = tuple(draw(st.lists(st.integers(1, 9), max_size=3)))
    places = []
    for n in frame:
        start, stop = sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n))))
        places.append(
            draw(st.sampled_from([range(n), range(start, stop, draw(st.integers(1, 4)))]))
        )
    return frame, tuple(places)


@given(boxes())
def test_any_box_has_the_numbers_of_the_whole(box):
    frame, places = box
    expected = numbers(frame)[(*(slice(p.start, p.stop, p.step) for p in places), ...)]
    told = {"key": KEY, "draw": DRAW, "frame": frame, "places": places}
    np.testing.assert_array_equal(KERNELS["randombits"](None, **told), expected)
    out = np.empty(expected.shape, np.uint64)
    assert KERNELS["randombits"](out, **told) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("frame", "places"),
    [
        ((3, 100_000), (range(3), range(1, 99_999))),
        ((90, 1000), (range(0, 90, 7), range(3, 19))),
        ((10**6,), (range(5, 10**6, 3),)),
        ((10**6,), (range(1, 10**6, 5000),)),
        ((500, 40, 5), (range(1, 500, 2), range(7, 33, 3), range(5))),
    ],
)
def test_both_engines_make_the_same_numbers(frame, places, monkeypatch):
    monkeypatch.setattr(kernel, "SMALL", 0)
    starts, _, length, step = kernel.runs(frame, places)
    made = [np.empty((len(starts), length), np.uint64) for _ in range(2)]
    kernel.fill_by_numpy(made[0], starts, step, KEY, DRAW)
    with compile_service.mode("wait"):
        assert kernel.fill_compiled(made[1], starts, step, KEY, DRAW)
    expected = numbers(frame)[tuple(slice(p.start, p.stop, p.step) for p in places)]
    for found in made:
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_numbers_at_the_far_end_of_what_can_be_counted(monkeypatch):
    monkeypatch.setattr(kernel, "SMALL", 0)
    frame, places = (2**32, 2**32), (range(2**32 - 2, 2**32), range(2**32 - 3, 2**32))
    told = {"key": KEY, "draw": DRAW, "frame": frame, "places": places}
    found = kernel.random_bits(None, **told)
    philox = np.random.Philox(key=np.array(KEY, np.uint64))
    state = philox.state
    state["state"]["counter"][:] = [2**62 - 1, DRAW[1], DRAW[0], 0]
    philox.state = state
    np.testing.assert_array_equal(found[1], philox.random_raw(4)[1:])
    starts, _, length, step = kernel.runs(frame, places)
    found_compiled = np.empty((len(starts), length), np.uint64)
    assert kernel.fill_compiled(found_compiled, starts, step, KEY, DRAW)
    np.testing.assert_array_equal(found_compiled, found)


def number(cell):
    """The number of one cell, by NumPy's generator placed there."""
    page, place = divmod(cell, 2**64)
    philox = np.random.Philox(key=np.array(KEY, np.uint64))
    state = philox.state
    state["state"]["counter"][:] = [place >> 2, DRAW[1], DRAW[0], page]
    philox.state = state
    return philox.random_raw(4)[place & 3]


FAR = (2**40, 2**30)  # 64 pages


@pytest.mark.parametrize(
    ("frame", "places"),
    [
        (FAR, (range(5, 6), range(2**30 - 2, 2**30))),
        (FAR, (range(2**34 - 2, 2**34 + 2), range(2**30 - 3, 2**30))),
        (FAR, (range(2**40 - 1, 2**40), range(0, 2**30, 2**28))),
        (FAR, (range(0, 2**40, 2**37), range(3, 9, 2))),
        ((2**70,), (range(2**64 - 7, 2**64 + 9, 3),)),
        ((2**70,), (range(2**64 - 7, 2**64 + 9),)),
        ((2**70,), (range(2**66 - 1500, 2**66 + 1000, 300),)),
        ((2**60, 9, 5), (range(2**64 // 45 - 1, 2**64 // 45 + 2), range(9), range(5))),
        ((2**64, 2**64), (range(2**64 - 2, 2**64), range(2**64 - 2, 2**64))),
    ],
)
@pytest.mark.parametrize("mode", ["off", "wait"])
def test_numbers_of_further_pages(frame, places, mode, monkeypatch):
    monkeypatch.setattr(kernel, "SMALL", 0)
    told = {"key": KEY, "draw": DRAW, "frame": frame, "places": places}
    with compile_service.mode(mode):
        found = kernel.random_bits(None, **told)
    strides = [math.prod(frame[dim + 1 :]) for dim in range(len(frame))]
    cells = [sum(map(operator.mul, at, strides)) for at in itertools.product(*places)]
    assert found.ravel().tolist() == [number(cell) for cell in cells]


def test_runs_are_as_long_as_they_get():
    assert [
        kernel.runs((4, 5, 6), places)[2:]
        for places in (
            (range(4), range(5), range(6)),
            (range(1, 3), range(5), range(6)),
            (range(0, 4, 2), range(5), range(6)),
            (range(4), range(1, 4), range(6)),
            (range(4), range(5), range(0, 6, 2)),
            (range(4), range(2, 3), range(6)),
        )
    ] == [(120, 1), (60, 1), (30, 1), (18, 1), (3, 2), (6, 1)]


@pytest.mark.parametrize(
    ("drop", "least", "dtype"), [(11, 0, "f8"), (11, 1, "f8"), (12, 0.5, "f8"), (40, 0, "f4")]
)
def test_fractions_are_those_of_the_bits(drop, least, dtype, monkeypatch):
    told = {"key": KEY, "draw": DRAW, "frame": (40, 500), "places": (range(3, 40), range(1, 499))}
    bits = kernel.random_bits(None, **told)
    told |= {"drop": drop, "least": least, "dtype": np.dtype(dtype)}
    expected = ((bits >> np.uint64(drop)).astype("f8") + least) * 2.0 ** (drop - 64)
    for small in (0, 10**9):
        monkeypatch.setattr(kernel, "SMALL", small)
        found = KERNELS["randomfraction"](None, **told)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected.astype(dtype))
        out = np.empty(found.shape, dtype)
        assert KERNELS["randomfraction"](out, **told) is out
        np.testing.assert_array_equal(out, found)


def test_short_runs_are_compiled():
    starts = np.arange(64, dtype=np.uint64)
    out = np.empty((64, 2), np.uint64)
    assert kernel.fill_compiled(out, starts, 1, KEY, DRAW)
    assert not kernel.fill_compiled(out[:2], starts[:2], 1, KEY, DRAW)


def orders(extent, count, as_table):
    """Permutations of many draws."""
    told = {"key": KEY, "extent": extent, "as_table": as_table, "places": range(extent)}
    return np.array([kernel.permutation(None, draw=(i, 0), **told) for i in range(count)])


def chi_square(counts, expected):
    """Deviations from the expected mean and width of the statistic, in standard deviations."""
    freedom = counts.size - 1
    return abs(((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("as_table", [True, False])
@pytest.mark.parametrize("extent", [1, 2, 3, 17, 64, 1000])
def test_a_permutation_has_every_number_once(as_table, extent):
    found = orders(extent, 20, as_table)
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(extent), (20, 1)))


@pytest.mark.few(2)  # few and many
@pytest.mark.parametrize(("as_table", "extent"), [(True, 12), (False, 64), (False, 100)])
def test_every_number_comes_to_every_place_as_often(as_table, extent):
    count = 6000
    found = orders(extent, count, as_table)
    table = np.zeros((extent, extent))
    np.add.at(table, (np.broadcast_to(np.arange(extent), found.shape), found), 1)
    rows = extent - 1  # rows and columns have fixed sums
    statistic = ((table - count / extent) ** 2 / (count / extent)).sum()
    assert abs(statistic - rows**2) < 5 * (2 * rows**2) ** 0.5
    steps = np.bincount(((found[:, 1:] - found[:, :-1]) % extent).ravel(), minlength=extent)[1:]
    assert chi_square(steps, steps.sum() / len(steps)) < 5


def test_every_order_of_a_few_is_as_likely():
    found = orders(4, 6000, True) @ 4 ** np.arange(4)
    _, counts = np.unique(found, return_counts=True)
    assert len(counts) == 24
    assert chi_square(counts, 250) < 5


def test_a_long_permutation_looks_random():
    extent = 2**21 + 77
    told = {"key": KEY, "draw": DRAW, "extent": extent, "as_table": False}
    found = kernel.permutation(None, **told, places=range(extent))
    np.testing.assert_array_equal(np.sort(found), np.arange(extent))
    share = found / extent
    assert abs(np.corrcoef(share, np.arange(extent))[0, 1]) < 5 / extent**0.5
    assert abs(np.corrcoef(share[1:], share[:-1])[0, 1]) < 5 / extent**0.5
    pairs = (share[1:] * 64).astype(int) * 64 + (share[:-1] * 64).astype(int)
    assert chi_square(np.bincount(pairs, minlength=4096), (extent - 1) / 4096) < 5
    fixed = (found == np.arange(extent)).sum()
    assert fixed < 8  # one is expected
    part = kernel.permutation(None, **told, places=range(5, extent, 1000))
    np.testing.assert_array_equal(part, found[5::1000])
