from itertools import product
from math import prod

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from dask_tapestry.operators.threads.affine_cells import Affine
from dask_tapestry.operators.threads.thread_tiles import (
    Digit,
    Tiles,
    TooManyThreadsError,
    pieces,
    runs,
)


@st.composite
def tilings(draw):
    extents = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    axes = draw(st.integers(1, 2))
    factor = st.sampled_from([0, 0, 1, 2, 3, 4, 8, -2])
    starts = tuple(Affine(tuple(draw(factor) for _ in extents), 20) for _ in range(axes))
    side = st.integers(1, 3)
    return Tiles(
        starts, tuple(draw(side) for _ in starts), tuple(draw(side) for _ in starts), extents
    )


def cells(tiles, thread):
    """The cells that a thread writes."""
    lo = tiles.box(thread).lo
    spans = zip(lo, tiles.sizes, tiles.strides, strict=True)
    return set(product(*[range(a, a + n * k, k) for a, n, k in spans]))


@given(tilings())
def test_two_threads_are_found_exactly_where_two_write_one_cell(tiles):
    threads = list(np.ndindex(tiles.extents))
    written = {thread: cells(tiles, thread) for thread in threads}
    count = sum(map(len, written.values()))
    every = set().union(*written.values())
    found = tiles.overlap()
    assert (found is None) == (len(every) == count)
    if found is not None:
        assert written[found[0]] & written[found[1]]
    assert not (tiles.write_separate_cells() and found)


@given(tilings())
def test_pieces_are_what_is_written(tiles):
    if not tiles.is_product or not tiles.write_separate_cells():
        return
    found = pieces(tiles, 10**6)
    made = [
        set(
            product(
                *[
                    range(a, a + k * n, k)
                    for a, k, n in zip(p.starts, p.steps, p.counts, strict=True)
                ]
            )
        )
        for p in found
    ]
    every = set().union(*[cells(tiles, t) for t in np.ndindex(tiles.extents)])
    assert set().union(*made) == every
    assert sum(map(len, made)) == len(every)
    assert (pieces(tiles, 0) is None) == bool(found)


@given(tilings(), st.integers(20, 60))
def test_a_thread_outside_is_found(tiles, side):
    shape = (side,) * len(tiles.starts)
    found = tiles.outside(shape)
    beyond = [
        t
        for t in np.ndindex(tiles.extents)
        if any(n < 0 or n >= side for cell in cells(tiles, t) for n in cell)
    ]
    assert (found is None) == (not beyond)
    assert found is None or found in beyond


def test_digits_that_go_on_are_one_run():
    three = [Digit(12, 2, 0), Digit(4, 3, 1), Digit(1, 4, None)]
    assert [run[:2] for run in runs(three)] == [(1, 24)]
    assert [run[:2] for run in runs([Digit(2, 5, None), Digit(1, 2, 0)])] == [(1, 10)]


def test_too_many_threads_to_tell():
    tiles = Tiles((Affine((1, 1), 0),), (1,), (1,), (3000, 3000))
    with pytest.raises(TooManyThreadsError):
        tiles.overlap()
    far = Tiles((Affine((3000, 1), 0),), (1,), (1,), (3000, 3000))
    assert far.overlap() is None
    assert prod(far.extents) == 9_000_000
