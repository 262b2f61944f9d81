import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.lower.client_scatter import PIECE_BYTES, ClientScatter, piece_cuts

SHAPES = st.lists(st.integers(0, 40_000), max_size=3).map(tuple)


class FakeClient:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = {}

    def scatter(self, pieces, hash):
        assert hash is False, "cells are never hashed"
        self.sent |= pieces
        return dict.fromkeys(pieces, "future")


@given(SHAPES, st.sampled_from([1, 8, 16]))
def test_pieces_are_about_as_large_as_wanted(shape, itemsize):
    cuts = piece_cuts(shape, itemsize)
    assert tuple(c.extent for c in cuts) == shape
    piece = itemsize * int(np.prod([c.longest for c in cuts], dtype=object))
    assert piece <= 2 * PIECE_BYTES


def test_small_arrays_stay_whole():
    assert [c.count for c in piece_cuts((100, 100), 8)] == [1, 1]


def test_an_array_is_sent_once_in_pieces_that_make_it_up():
    data = np.arange(3 * 2**21, dtype="f8").reshape(3, -1)
    client = FakeClient()
    scattered = ClientScatter(client)
    node = dt.asarray(data).node
    name, cuts = scattered.send(node)
    assert len(client.sent) == np.prod([c.count for c in cuts]) > 1
    rows = [client.sent[name, i, 0] for i in range(cuts[0].count)]
    np.testing.assert_array_equal(np.vstack(rows), data)
    assert all(np.shares_memory(row, data) for row in rows), "pieces are views"
    client.sent.clear()
    assert scattered.send(node) == (name, cuts)
    assert not client.sent


def test_futures_live_as_long_as_the_sender():
    scattered = ClientScatter(FakeClient())
    scattered.send(dt.asarray(np.ones(5)).node)
    assert list(scattered.futures.values()) == ["future"]
