import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.repeat(a([1, 2]), -1),
        lambda np, a: np.repeat(a([1, 2]), None),
        lambda np, a: np.repeat(a([1, 2]), [1, 2, 3]),
        lambda np, a: np.repeat(a([1, 2]), [[1, 2]]),
        lambda np, a: np.repeat(a([1, 2]), 2, 1),
        lambda np, a: np.tile(a([1, 2]), 1.5),
        lambda np, a: np.tile(a([1, 2]), -1),
        lambda np, a: np.resize(a([1, 2]), (2, -1)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_a_tile_of_anything_takes_no_memory():
    x = dt.tile(dt.arange(3), 10**12)
    assert x.shape == (3 * 10**12,)
    assert x[10**12 + 1 :][:4].compute().tolist() == [2, 0, 1, 2]
    assert dt.repeat(dt.arange(10**9), 10**6)[-3:].compute().tolist() == [10**9 - 1] * 3


def test_the_method():
    assert dt.arange(2).repeat(2).compute().tolist() == [0, 0, 1, 1]
    assert isinstance(np.tile(dt.arange(2), 2), dt.Array)


def test_many_counts_make_a_small_graph():
    counts = np.arange(1000) % 5
    made = dt.repeat(dt.arange(1000), counts)
    np.testing.assert_array_equal(made.compute(), np.repeat(np.arange(1000), counts))
    assert len(made.teg) < 10
    mask = np.random.default_rng(0).random(1000) < 0.5
    gone = dt.delete(dt.arange(1000), mask)
    np.testing.assert_array_equal(gone.compute(), np.delete(np.arange(1000), mask))
    assert len(gone.teg) < 10


@pytest.mark.parametrize("kind", ["i1", "i8", "u2", "?"])
def test_counts_that_are_not_known_yet(kind):
    x = np.arange(6).reshape(2, 3)
    counts = np.array([2, 0, 1], kind)
    agreed(lambda np, a: np.repeat(a(x), a(counts), 1))
    agreed(lambda np, a: np.repeat(a(x)[0], a(counts)))
    agreed(lambda np, a: np.repeat(a(x), a(counts)[0]))
    agreed(lambda np, a: np.repeat(a(x), a(counts)[:1], 0))
    agreed(lambda np, a: np.repeat(a(x)[:0, 0], a(counts)[:0]))
    agreed(lambda np, a: np.repeat(a(x), a(counts)[1], 0))


def test_counts_that_are_not_known_yet_are_checked():
    x = dt.arange(3)
    with pytest.raises(ValueError, match="negative"):
        dt.repeat(x, dt.asarray([1, -1, 0])).compute()
    for counts in ([[1]], [1, 2], [1.5]):
        with pytest.raises((ValueError, TypeError)):
            dt.repeat(x, dt.asarray(counts))


def test_a_mask_is_not_resized():
    with pytest.raises(dt.errors.DTypeError, match="masked array was given"):
        dt.resize(dt.ma.masked_equal([1, 2], 2), 3)
