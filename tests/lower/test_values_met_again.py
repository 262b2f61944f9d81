import gc
import warnings

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.lower import values_met_again
from dask_tapestry.lower.tuning import MOST_MET_BYTES
from dask_tapestry.lower.values_met_again import Meeting
from tests.comparisons import same_bits
from tests.examples import examples

CELLS = np.random.default_rng(0).random((12, 15))


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    values_met_again._kept.clear()
    values_met_again._copies.clear()


@pytest.fixture
def computed(monkeypatch):
    """How many nodes each compute has computed."""
    counts = []
    end = Meeting.end

    def counted(self, *args):
        counts.append(len(self.order))
        end(self, *args)

    monkeypatch.setattr(Meeting, "end", counted)
    return counts


def jacobi(xp, steps, asked):
    u = xp.asarray(CELLS)
    for step in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        asked.append(float(abs(v - u).max()))
        u = v if step % 2 else v * 1.5
    return u


def test_each_step_of_a_loop_that_asks_computes_as_much_as_the_others(computed):
    expected, asked = [], []
    u, last = jacobi(np, 30, expected), jacobi(dt, 30, asked)
    assert asked == expected
    assert same_bits(last.compute(), u)
    assert max(computed) <= 2 * computed[0] + 5
    assert len(set(computed[10:20])) <= 2


STEPS = {
    "cells": lambda u, xp: u * 1.25 + 0.5,
    "slices": lambda u, xp: u[1:] + u[:-1] if len(u) > 3 else u + 1,
    "turned": lambda u, xp: u.T[::-1] - 0.5,
    "rolled": lambda u, xp: xp.roll(u, 1, 0) - u,
    "sums": lambda u, xp: u - u.sum(axis=0),
    "mean": lambda u, xp: (u - u.mean()) / (1 + u.std()),
    "sorted": lambda u, xp: xp.sort(u, axis=0),
    "totals": lambda u, xp: xp.cumsum(u, axis=1) * 0.1,
    "product": lambda u, xp: (u @ u.T) * 0.05,
    "chosen": lambda u, xp: xp.where(u > u.mean(), u, -u),
}
ASKED = {
    "largest": lambda u: [abs(u).max()],
    "sums": lambda u: [u.sum(axis=0), u.sum(axis=1)],
    "whole": lambda u: [u],
    "part": lambda u: [u[1:3] * 2],
    "twice": lambda u: [u, u, u + 1],
}


@examples(40)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from([*STEPS]), st.sampled_from(["", *ASKED])), min_size=2, max_size=8
    ),
    write=st.integers(0, 7),
    kept=st.booleans(),
)
def test_values_are_those_of_a_compute_that_knows_nothing(steps, write, kept):
    """Whatever was asked for before, kept, or written to the user's array in between."""
    cells = CELLS.copy()
    u = x = dt.asarray(cells)
    for at, (step, asked) in enumerate(steps):
        if at == write:
            cells[at % 5] += 1
        before, u = u, STEPS[step](u, dt)
        u = u + before.sum() * 0.125
        arrays = ASKED[asked](u) if asked else []
        for value, array in zip(dt.compute(*arrays), arrays, strict=True):
            values_met_again._kept.clear() if kept else None
            assert same_bits(value, array.compute(scheduler="sync", num_workers=1))
    assert same_bits((x + 0).compute(), cells)


def test_what_is_written_to_an_array_is_computed_with():
    cells = CELLS.copy()
    x = dt.asarray(cells)
    y = dt.exp(x * 2)
    for number in range(6):
        cells[3] = number
        assert float((y + number).max()) == pytest.approx((np.exp(cells * 2) + number).max(), 1e-15)
    assert len(values_met_again._kept) == 1


def test_arrays_that_nobody_else_has_are_not_copied():
    cells = CELLS.copy()
    shared, whole, part = dt.asarray(cells), dt.asarray(CELLS.copy()), dt.asarray(CELLS.copy()[1:])
    beside = CELLS.copy()
    other, turned = dt.asarray(beside.T), dt.asarray(np.arange(12.0).reshape(3, 4).T)
    foreign = dt.asarray(np.frombuffer(bytearray(80)))
    told = [(shared, True), (whole, False), (part, False), (other, True), (turned, False)]
    for x, copied in [*told, (foreign, True)]:
        y = x * 2 + 1
        for number in range(3):
            (y + number).sum().compute()
        ((_, made_of),) = [(n, k.made_of) for n, k in values_met_again._kept.items() if n is y.node]
        assert bool(made_of[x.node]) is copied
        assert same_bits((y + 5).compute(), x.compute() * 2 + 1 + 5)


def test_a_view_is_looked_at_as_long_as_somebody_has_its_array():
    cells = CELLS.copy()
    x = dt.asarray(cells.reshape(-1))
    y = dt.exp(x * 2)
    for number in range(4):
        cells[2] = number
        assert float((y + number).max()) == pytest.approx((np.exp(cells * 2) + number).max(), 1e-15)
    last = cells.copy()
    del cells
    for number in range(4):
        assert float((y + number).sum()) == float(
            (dt.exp(dt.asarray(last.ravel()) * 2) + number).sum()
        )


def test_an_array_that_was_written_to_before_it_was_given_away():
    cells = CELLS.copy()
    x = dt.asarray(cells)
    y = x * 2 + 1
    for number in range(3):
        (y + number).sum().compute()
    cells[0] = 9
    expected = (cells * 2 + 1 + 4).max(axis=1)
    del cells
    for _ in range(3):
        assert same_bits((y + 4).max(axis=1).compute(), expected)


def test_a_value_that_is_kept_is_nobody_elses():
    x = dt.asarray(CELLS)
    y = x * 2 + 1
    first = (y + 0.5).compute()
    again = (y[:] - 0.5).compute()
    one, other = dt.compute(y * 3, y)
    first[:] = again[:] = one[:] = other[:] = 0
    assert same_bits((y + 2).compute(), CELLS * 2 + 1 + 2)


def test_users_functions_are_called_each_time():
    calls = []

    def counted(block):
        calls.append(None)
        return block + 1

    y = dt.asarray(CELLS).map_blocks(counted, dtype=float)
    calls.clear()
    for number in range(5):
        (y * number).sum().compute()
    assert len(calls) == 5
    assert not values_met_again._kept


def test_errors_are_told_each_time():
    y = dt.asarray(np.array([0.0, 1.0])) / 0.0
    for number in range(4):
        with pytest.warns(RuntimeWarning):
            (y + number).compute()
    with np.errstate(all="ignore"):
        for number in range(4, 8):
            (y + number).compute()
    with np.errstate(invalid="raise"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(FloatingPointError):
            (y + 9).compute()


def test_values_live_as_long_as_their_nodes():
    x = dt.asarray(CELLS)
    y = x * 2 + 1
    for number in range(3):
        (y + number).sum().compute()
    assert len(values_met_again._kept) == 1
    del y
    gc.collect()
    assert not values_met_again._kept


def test_the_last_ones_are_kept_and_no_more_bytes_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(values_met_again, "MOST_MET_BYTES", 3 * CELLS.nbytes)
    u = jacobi(dt, 12, [])
    assert u.shape == CELLS.shape
    assert 0 < len(values_met_again._kept) <= 3
    assert sum(node.type.nbytes for node in values_met_again._kept) <= 3 * CELLS.nbytes
    assert MOST_MET_BYTES > values_met_again.MOST_MET_BYTES


@pytest.mark.parametrize("is_users", [False, True])
def test_arrays_that_nobody_else_has_are_not_copied_however_large(is_users, monkeypatch):
    monkeypatch.setattr(values_met_again, "MOST_ARRAY_BYTES", CELLS.nbytes - 1)
    users = CELLS.copy()
    x = dt.asarray(users if is_users else CELLS.copy())
    y = x * 2 + 1
    for number in range(3):
        assert float((y + number).max()) == (users * 2 + 1 + number).max()
    assert len(values_met_again._kept) == (not is_users)
    if is_users:  # what they write is met by the next compute
        users[:] = 3
        assert float((y + 4).max()) == 11


def test_other_settings_compute_anew():
    x = dt.asarray(CELLS)
    y = x * 2 + 1
    for number in range(3):
        (y + number).sum().compute()
    node = (y + 5).node
    assert y.node in Meeting([node])
    with dask.config.set({"tapestry.block-bytes": "1 MiB"}):
        assert y.node not in Meeting([node])
