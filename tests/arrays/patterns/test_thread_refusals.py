"""What `foreach_thread` refuses, and how it says so."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.foreach_thread import foreach_thread

X = np.random.default_rng(0).normal(size=(12, 10))


def one(value=1.0, at=0):
    return dt.perform_concurrently(dt.parallel_insert_slice(np.full(1, value), np.zeros(4), [at]))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (lambda i: one() if dt.asarray(X)[0, 0] + i else one(2.0), "no value yet"),
        (lambda i: one(at=int(i + dt.asarray(X)[0, 0])), "no value yet"),
        (lambda i: None, "neither writes"),
        (lambda i: i, "must return"),
        (lambda i: dt.parallel_insert_slice(np.ones(1), np.zeros(4), [i]), "must return"),
        (lambda i: dt.extract_slice(dt.ones(4), [0], [dt.asarray(X)[0].argmax() + i]), "no value"),
    ],
)
def test_bodies_that_cannot_be_traced(body, why):
    with pytest.raises(dt.TraceError, match=why):
        foreach_thread(body, 3)


@pytest.mark.parametrize(
    ("body", "error", "why"),
    [
        (lambda i: one(at=i + 2), dt.ShapeError, r"thread \(2,\) writes \[4:5\]"),
        (lambda i: dt.extract_slice(dt.ones(4), [i], [5]), dt.ShapeError, "no part of"),
        (lambda i: dt.extract_slice(dt.ones(4), [i, i], [1]), dt.ShapeError, "1 axes"),
        (lambda i: dt.extract_slice(dt.ones(4), [i], [1], 0), dt.ShapeError, "at least 1"),
        (lambda i: dt.extract_slice(dt.ones(4), [i * 1.0], [1]), dt.DTypeError, "one integer"),
        (
            lambda i: dt.parallel_insert_slice(np.ones(2), np.zeros(4), [i], [3]),
            dt.ShapeError,
            "no part of shape",
        ),
        (
            lambda i: dt.parallel_insert_slice(np.ones(2), np.zeros(4, int), [i]),
            dt.DTypeError,
            "astype",
        ),
    ],
)
def test_bad_parts(body, error, why):
    with pytest.raises(error, match=why):
        foreach_thread(body, 3)


def test_reads_beyond_the_array_name_the_thread():
    def body(i):
        cells = dt.extract_slice(dt.asarray(X), [4 * i, 0], [4, 1])
        return dt.perform_concurrently(
            dt.parallel_insert_slice(cells, np.ones((20, 1)), [4 * i, 0])
        )

    with pytest.raises(dt.ShapeError, match=r"thread \(3,\) reads \[12:16, 0:1\]"):
        foreach_thread(body, 4)


@pytest.mark.parametrize("threads", [-1, (), (2, -1), "3", 2.5])
def test_bad_numbers_of_threads(threads):
    with pytest.raises(dt.ArgumentError, match="num_threads"):
        foreach_thread(lambda *i: one(), threads)


def test_other_bad_arguments():
    with pytest.raises(dt.ArgumentError, match="on_overlap"):
        foreach_thread(lambda i: one(), 1, on_overlap="first")
    with pytest.raises(dt.TraceError, match="same for all threads"):
        foreach_thread(
            lambda i: dt.perform_concurrently(
                dt.parallel_insert_slice(np.ones(1), dt.zeros(4) + i, [i])
            ),
            2,
        )
