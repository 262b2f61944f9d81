from itertools import product

import hypothesis.strategies as st
import pytest
from hypothesis import given

from dask_tapestry.operators.threads import thread_write_conflicts
from dask_tapestry.operators.threads.affine_cells import Affine
from dask_tapestry.operators.threads.thread_tiles import Tiles, TooManyThreadsError
from dask_tapestry.operators.threads.thread_write_conflicts import may_overlap


def written(tiles, shared=None):
    """The cells that each thread writes, by the thread's first number where it is shared."""
    found = set()
    for thread in product(*map(range, tiles.extents)):
        for at in product(*map(range, tiles.sizes)):
            axes = zip(tiles.starts, tiles.strides, at, strict=True)
            cell = tuple(start.of(thread) + stride * n for start, stride, n in axes)
            found.add((thread[:1] if shared else (), cell))
    return found


@st.composite
def tiles(draw, extents=(3, 2), first=None):
    starts = []
    for axis in range(2):
        lead = draw(st.integers(-3, 3)) if first is None else first[axis]
        starts.append(Affine((lead, draw(st.integers(-4, 4))), draw(st.integers(0, 12))))
    sizes = draw(st.tuples(st.integers(0, 3), st.integers(1, 3)))
    return Tiles(
        tuple(starts), sizes, draw(st.tuples(st.integers(1, 3), st.integers(1, 2))), extents
    )


@given(tiles(), tiles((1, 4)))
def test_cells_tell(a, b):
    assert may_overlap(a, b) == bool(written(a) & written(b))


@given(st.data(), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_threads_within_one_thread(data, first):
    a, b = data.draw(tiles(first=first)), data.draw(tiles(first=first))
    assert may_overlap(a, b, 1) == bool(written(a, True) & written(b, True))


def test_too_many(monkeypatch):
    monkeypatch.setattr(thread_write_conflicts, "MOST_MEETING_CELLS", 8)
    line = Tiles((Affine((1,), 0),), (1,), (1,), (20,))
    with pytest.raises(TooManyThreadsError):
        may_overlap(line, line)
    far = Tiles((Affine((1,), 20),), (1,), (1,), (20,))
    assert not may_overlap(line, far)
    diagonal = Tiles((Affine((1,), 0),) * 2, (1, 1), (1, 1), (9,))
    monkeypatch.setattr(thread_write_conflicts, "MOST_MEETING_CELLS", 80)
    assert may_overlap(diagonal, diagonal)
    monkeypatch.setattr(thread_write_conflicts, "MOST_MEETING_CELLS", 10)
    with pytest.raises(TooManyThreadsError):
        may_overlap(diagonal, diagonal._replace(sizes=(2, 2)))
