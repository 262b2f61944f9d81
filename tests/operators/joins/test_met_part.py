import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.joins.concat import met_part
from tests.examples import examples


@st.composite
def joined(draw, depth=2):
    """Cells that are joined of parts of parts, along either axis."""
    if not depth:
        shape = draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
        return dt.asarray(np.arange(np.prod(shape), dtype="f8").reshape(shape))
    axis, count = draw(st.integers(0, 1)), draw(st.integers(1, 4))
    first = draw(joined(depth=depth - 1))
    parts = [first, *[first[(slice(None),) * axis + (slice(0, n),)] * n for n in range(count)]]
    return dt.concatenate(parts, axis)


@examples(60)
@given(joined(), st.data())
def test_the_part_has_the_cells_of_the_box(x, data):
    if 0 in x.shape:
        return
    first = [data.draw(st.integers(0, n - 1)) for n in x.shape]
    lengths = [data.draw(st.integers(1, n - a)) for n, a in zip(x.shape, first, strict=True)]
    part, place = met_part(x.node, first, lengths)
    box = tuple(slice(a, a + n) for a, n in zip(first, lengths, strict=True))
    moved = tuple(slice(a, a + n) for a, n in zip(place, lengths, strict=True))
    np.testing.assert_array_equal(dt.Array(part)[moved].compute(), x.compute()[box])


def test_the_smallest_join_is_read():
    columns = [dt.placeholder((5, n), "f8") for n in (2, 3, 4)]
    rows = dt.concatenate([dt.concatenate(columns, axis=1), dt.placeholder((6, 9), "f8")])
    part, place = met_part(rows.node, (1, 3), (3, 2))
    assert (part, place) == (columns[1].node, (1, 1))
