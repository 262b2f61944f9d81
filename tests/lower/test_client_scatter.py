import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.client_scatter import ClientScatter


class FakeClient:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = {}

    def scatter(self, blocks, hash):
        assert hash is False, "cells are never hashed"
        self.sent |= blocks
        return dict.fromkeys(blocks, "future")


def test_an_array_is_sent_once_in_blocks_that_make_it_up():
    data = np.arange(3 * 2**21, dtype="f8").reshape(3, -1)
    client = FakeClient()
    scattered = ClientScatter(client)
    node = dt.asarray(data).node
    name, cuts = scattered.send(node)
    assert len(client.sent) == np.prod([c.count for c in cuts]) > 1
    rows = [client.sent[name, i, 0] for i in range(cuts[0].count)]
    np.testing.assert_array_equal(np.vstack(rows), data)
    assert all(np.shares_memory(row, data) for row in rows), "blocks are views"
    client.sent.clear()
    assert scattered.send(node) == (name, cuts)
    assert not client.sent


def test_futures_live_as_long_as_the_sender():
    scattered = ClientScatter(FakeClient())
    scattered.send(dt.asarray(np.ones(5)).node)
    assert list(scattered.futures.values()) == ["future"]
