import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import thread_wavefronts
from dask_tapestry.operators.threads.thread_wavefronts import Event, ordered, pieces_of, turns_of
from dask_tapestry.operators.threads.threads import Threads

P, Q = (dt.Array(symbol("a number", "", np.dtype("i8"))) for _ in range(2))
TRUE = full((), np.bool_(True))


def threads_of(*extents):
    return Threads("f", (P.node, Q.node)[: len(extents)], extents)


def event(threads, number, when=TRUE, *, waits=False):
    condition = when.node if isinstance(when, dt.Array) else when
    return Event(threads, tuple(n.node for n in number), condition, waits)


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1))
def test_pieces_are_all_threads_in_order_and_once(chosen):
    ids = np.array(sorted(chosen))
    found = [
        np.array(piece.starts) + (np.array(piece.steps) @ place)
        for piece in pieces_of(ids)
        for place in np.ndindex(piece.counts)
    ]
    np.testing.assert_array_equal(found, ids)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_threads_come_after_those_that_they_wait_for(edges):
    """Random graphs: each edge (a, b) is an event of its own, signalled by a, waited for by b."""
    threads = threads_of(6)
    events = []
    for number, (a, b) in enumerate(edges):
        name = (P * 0 + number,)
        events += [event(threads, name, a == P), event(threads, name, b == P, waits=True)]
    if _has_circle(edges):
        with pytest.raises(dt.ConstraintError, match="wait"):
            ordered(threads, events)
        return
    turns = ordered(threads, events) if events else [np.arange(6)]
    turn = {int(thread): n for n, some in enumerate(turns) for thread in some}
    assert sorted(turn) == list(range(6))
    for a, b in edges:
        assert turn[a] < turn[b]
    for thread, n in turn.items():  # none waits longer than it has to
        assert n == max((turn[a] + 1 for a, b in edges if b == thread), default=0)


def _has_circle(edges):
    left = set(range(6))
    while free := {n for n in left if not any(b == n and a in left for a, b in edges)}:
        left -= free
    return bool(left)


def test_diagonals_are_lines():
    threads = threads_of(3, 4)
    events = [
        event(threads, (P, Q)),
        event(threads, (P - 1, Q), P > 0, waits=True),
        event(threads, (P, Q - 1), Q > 0, waits=True),
    ]
    turns = turns_of(threads, events)
    assert [sum(np.prod(p.counts) for p in turn) for turn in turns] == [1, 2, 3, 3, 2, 1]
    assert all(len(turn) == 1 for turn in turns)


def test_too_many_turns_or_pieces(monkeypatch):
    monkeypatch.setattr(thread_wavefronts, "MOST_TURNS", 3)
    monkeypatch.setattr(thread_wavefronts, "MOST_TURN_PIECES", 2)
    threads = threads_of(9)
    chain = [event(threads, (P,)), event(threads, (P - 1,), P > 0, waits=True)]
    with pytest.raises(dt.PlanError, match="more than 3 turns"):
        turns_of(threads, chain)
    uneven = (P == 0) | (P == 1) | (P == 4) | (P == 6) | (P == 7)
    scattered = [event(threads, (P * 0,), P == 2), event(threads, (P * 0,), uneven, waits=True)]
    with pytest.raises(dt.PlanError, match="lie in 3 pieces"):
        turns_of(threads, scattered)
