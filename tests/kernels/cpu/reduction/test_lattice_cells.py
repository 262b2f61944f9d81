from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry_kernels.cpu.reduction.lattice_cells import (
    lattice_cells,
    node_counts,
    node_numbers,
)


@given(st.data())
def test_cells_of_a_block_partition_it(data):
    extent, side = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 20))
    tree = Tree((extent, 7), 4, Lattice((side, 3), (-data.draw(st.integers(0, side - 1)), -1)))
    count = tree.counts(0)[0]
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first + 1, count))
    low, high = tree.span(0, 0, first)[0], tree.span(0, 0, last - 1)[1]
    origin, shape = (low, 0), (high - low, 7)
    assert node_numbers(tree, origin) == [first, 0]
    assert node_counts(shape, tree, origin) == (last - first, 3)
    seen = set()
    for cell in lattice_cells(shape, tree, origin):
        rows, columns = (range(cut.start, cut.stop) for cut in cell.cut)
        assert (low + rows.start, low + rows.stop) == tree.span(0, 0, first + cell.place[0])
        assert cell.tree == Tree((len(rows), len(columns)), 4)
        here = {(i, j) for i in rows for j in columns}
        assert here
        assert not here & seen
        seen |= here
    assert len(seen) == (high - low) * 7
