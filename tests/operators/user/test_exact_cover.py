import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.operators.user.exact_cover import not_tiled_once
from dask_tapestry.teg import IndexDim, Kind
from dask_tapestry.zspace import IndexProjection, ZRange


@pytest.mark.parametrize(
    ("writes", "text"),
    [
        (IndexProjection([[1, 0], [0, 1]], [0, 0], [1, 1]), None),
        (IndexProjection([[0, 3], [1, 0], [0, 0]], [0, 0, 0], [3, 1, 5]), None),
        (IndexProjection([[1, 1]], [0], [1]), "its axis 0 follows i and j"),
        (IndexProjection([[1, 0], [1, 0]], [0, 0], [1, 1]), "its axes 0 and 1 follow i"),
        (IndexProjection([[1, 0]], [0], [1]), "its cells [0:1] are written at every step of j"),
        (
            IndexProjection([[1, 0], [0, 2]], [0, 0], [1, 3]),
            "its cells [0:1, 2:3] are written at steps 0 and 1 of j",
        ),
        (
            IndexProjection([[1, 0], [0, 4]], [0, 0], [1, 3]),
            "no step of j writes its cells [0:1, 3:4]",
        ),
        (
            IndexProjection([[1, 0], [0, 1]], [0, -2], [1, 1]),
            "its cells [0:1, -2:0] lie before its first one",
        ),
        (IndexProjection([[-1, 0], [0, 1]], [0, 0], [1, 1]), "its axis 0 runs backwards along i"),
        (
            IndexProjection([[1, 0], [0, 4]], [0, 0], [1, 2], 2),
            "nothing writes its cells [0:1, 1:2]",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_cells(writes, text):
    index = (IndexDim("i", 3), IndexDim("j", 2))
    assert not_tiled_once(index, writes) == text


def test_a_folded_dimension_moves_nothing():
    index = (IndexDim("i", 3), IndexDim("k", 2, Kind.REDUCTION))
    both = IndexProjection.identity(2)
    assert not_tiled_once(index, both) == "it follows k, which is folded"


@given(
    extents=st.tuples(st.integers(2, 3), st.integers(2, 3)),
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(1, 2)),
        min_size=1,
        max_size=2,
    ),
)
def test_what_is_not_refused_is_written_exactly_once(extents, rows):
    index = tuple(IndexDim(name, n) for name, n in zip("ij", extents, strict=True))
    writes = IndexProjection(
        [row[:2] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    )
    box = writes.of_range(ZRange((0, 0), extents))
    counts = np.zeros(box.hi, int)
    for point in itertools.product(*map(range, extents)):
        counts[writes.of_point(point).slices()] += 1
    if all(0 in row[:2] for row in rows):  # else it may be tiled, but not by boxes
        assert (not_tiled_once(index, writes) is None) == bool((counts == 1).all())
    else:
        assert not_tiled_once(index, writes) is not None
