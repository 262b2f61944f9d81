import dask.array as da
import numpy as np
import pytest
import scipy.sparse
import sparse
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.lower.assemble import assemble, assemble_foreign, part_of
from dask_tapestry.lower.result_buffer import REMOTE
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat, with_all_cells
from dask_tapestry_kernels.unread_cells import UnreadCells, in_memory

FORMATS = [None, sparse.COO.from_numpy(np.eye(2)), scipy.sparse.csr_array(np.eye(2))]


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.sampled_from(FORMATS),
    st.data(),
)
def test_a_box_is_assembled_from_the_blocks_that_meet_it(rows, columns, like, data):
    known = BlockFormat.of(like)
    whole = np.arange(sum(rows) * sum(columns)).reshape(sum(rows), sum(columns))
    cuts = Cuts.of_lengths(rows), Cuts.of_lengths(columns)
    lo = [data.draw(st.integers(0, n - 1)) for n in whole.shape]
    hi = [data.draw(st.integers(a + 1, n)) for a, n in zip(lo, whole.shape, strict=True)]
    box = ZRange(tuple(lo), tuple(hi))
    blocks = [
        whole[slice(*cuts[0].block(i)), slice(*cuts[1].block(j))]
        for i in range(*cuts[0].overlapping(lo[0], hi[0]))
        for j in range(*cuts[1].overlapping(lo[1], hi[1]))
    ]
    if known is not None:
        blocks = [known.holding(block) for block in blocks]
        joined = assemble_foreign(box, cuts, blocks)
        assert type(joined) is type(like)
        np.testing.assert_array_equal(joined.todense(), whole[box.slices()])
    np.testing.assert_array_equal(assemble(box, cuts, blocks), whole[box.slices()])


def test_boxes_without_cells_have_none():
    cuts = (Cuts.regular(4, 2),)
    box = ZRange((2,), (2,))
    assert assemble(box, cuts, [np.arange(2)]).shape == (0,)
    with pytest.raises(RuntimeError, match="remote"):
        _ = REMOTE.array


@pytest.mark.parametrize("like", FORMATS)
@pytest.mark.parametrize("count", [1, 2])
def test_blocks_of_other_shapes_than_the_chunks_tell_are_refused(like, count):
    known = BlockFormat.of(like)
    cuts = (Cuts.regular(2 * count, 2), Cuts.regular(3, 3))
    box = ZRange((0, 0), (2 * count, 2))
    put = assemble if known is None else assemble_foreign
    for shape in [(2, 4), (3, 3), (1, 3)]:
        blocks = [np.ones(shape) if known is None else known.holding(np.ones(shape))] * count
        with pytest.raises(dt.ShapeError, match="the chunks of its array tell"):
            put(box, cuts, blocks)
    part = np.arange(4).reshape(2, 2)  # a slice, which has those cells alone
    slices = [part if known is None else known.holding(part)] * count
    found = with_all_cells(put(box, cuts, slices))
    np.testing.assert_array_equal(found, np.concatenate([part] * count))


def test_a_dask_block_longer_than_its_chunk_is_refused():
    d = da.ones(8, chunks=4)
    for longer in (lambda b: np.concatenate([b, b]), lambda b: b[:2], lambda b: b[None]):
        x = dt.from_dask_array(d.map_blocks(longer, dtype=d.dtype, chunks=d.chunks))
        for y in (x, x * 2, x.sum(), x[1:6], dt.sort(x)):
            with pytest.raises(ValueError, match="where the chunks of its array tell"):
                y.compute()


@pytest.mark.parametrize("part", [((4, 2), (6, 5)), ((3, 2), (7, 6)), ((4, 3), (4, 6))])
def test_parts_are_cut_of_blocks_that_are_not_read_yet(part):
    """As pieces are, of stored cells that what they are folded by reads part by part."""
    cells, box = np.arange(16.0).reshape(4, 4), ZRange((3, 2), (7, 6))
    unread = UnreadCells.of(
        cells.shape, cells.dtype, lambda spans: cells[tuple([slice(*s) for s in spans])]
    )
    wanted = ZRange(*part)
    found = in_memory(part_of(unread, box, wanted))
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, cells[wanted.index(box)])
