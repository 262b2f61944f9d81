"""What blocks read of stores, against what each of them reads."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.operators.matrices.row_blocks import triangles_of_blocks
from dask_tapestry.planner.cost import stored_reads
from dask_tapestry.planner.cost.stored_reads import stored_bytes
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, TensorType, apply
from dask_tapestry.zspace import Cuts, block_box, largest_box
from tests.examples import examples


def uneven(lengths):
    """Files of some lengths in a row, each a chunk along the rows."""
    files = [dt.placeholder((n, 90), "f8", (max(1, n), 30)).node.operator for n in lengths]
    type_ = TensorType((sum(lengths), 90), np.dtype("f8"))
    return Array(apply(joined_source(files, 0, False, type_)))


X = dt.placeholder((60, 90), "f8", (8, 30))
UNEVEN = uneven((7, 11, 3, 0, 20, 9, 10))
VALUES = {
    "uneven": UNEVEN + 1,
    "a short file first": uneven((4, 20, 20, 16))[3:] + 1,
    "uneven turned": UNEVEN.T * 2,
    "uneven reversed": UNEVEN[::-1, 4:] + 1,
    "uneven shifted": UNEVEN[5:-4, 7:] + 1,
    "map": X + 1,
    "turned": X.T * 2,
    "reversed": X[::-1] + 1,
    "strided": X[3::2, ::3] + 1,
    "shifted": X[5:-4, 7:] + 1,
    "rows": X.sum(axis=1),
    "differences": X[1:] - X[:-1],
    "product": X @ dt.placeholder((90, 40), "f8", (30, 16)),
}
EXACT = {"map", "turned", "shifted", "rows", "product", "uneven", "uneven turned", "uneven shifted"}
EXACT |= {"a short file first"}


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("kept", [(), (5,)])
def test_a_source_that_no_block_reads_takes_nothing(column, kept):
    x, y = (dt.placeholder((60, *kept), "f8", (8, *kept)) for _ in range(2))
    chosen = dt.stack([x, y], axis=1)[:, column].sum(axis=0)
    program = group_of(chosen.node, set()).program
    cuts = tuple([Cuts.regular(n, 2) for n in kept])
    assert stored_bytes(program, cuts, largest_box(cuts)) == (1 + len(kept) * 2) * x.nbytes


def stack_of(count, *others):
    sources = [dt.placeholder((60, 90), "f8", (8, 30)) for _ in range(count)]
    return group_of(dt.stack([*sources, *others]).sum(axis=0).node, set()).program


def test_sources_that_are_alike_are_looked_at_once(monkeypatch):
    looked_at = []

    def counting(source, *args):
        looked_at.append(source)
        return once(source, *args)

    once = stored_reads._bytes_of
    monkeypatch.setattr(stored_reads, "_bytes_of", counting)
    grid = Cuts.regular(60, 7), Cuts.regular(90, 20)
    box = largest_box(grid)
    one = stored_bytes(stack_of(1, dt.zeros((60, 90))), grid, box)
    assert stored_bytes(stack_of(9, dt.zeros((60, 90))), grid, box) == pytest.approx(9 * one)
    assert len(looked_at) == 2
    other = dt.placeholder((60, 90), "f8", (60, 5))
    alone = stored_bytes(stack_of(0, other, dt.zeros((60, 90))), grid, box)
    assert stored_bytes(stack_of(3, other), grid, box) == pytest.approx(3 * one + alone)
    assert alone != one


def counted(program, grid):
    """Bytes that blocks read, block by block."""
    first = len(program.inputs)
    return sum(
        program.instructions[work.value - first].operator.stored_bytes(work.box)
        for index in product(*(range(c.count) for c in grid))
        for work in program.schedule(block_box(grid, index)).works
    )


@pytest.mark.parametrize("name", VALUES)
@examples(40)
@given(st.lists(st.integers(4, 40), min_size=2, max_size=2))
def test_every_stored_byte_counts(name, sides):
    node = VALUES[name].node
    program = group_of(node, {node}).program
    shape = node.type.shape
    grid = tuple(Cuts.regular(n, side) for n, side in zip(shape, sides, strict=False))
    found, truth = stored_bytes(program, grid, largest_box(grid)), counted(program, grid)
    if name in EXACT:
        assert found == pytest.approx(truth)
    else:  # boxes of two reads may be one, and strides may skip a chunk
        assert truth / 1.6 <= found <= 1.6 * truth


@pytest.mark.parametrize("sides", [(200, 200), (100, 300), (300, 100), (700, 900)])
def test_a_value_and_its_transpose_are_two_reads(sides):
    """Whether the last block, which tells of both, is as long as others or shorter."""
    x = dt.placeholder((4000, 4000), "f8", (100, 100))
    node = (x + x.T).node
    program = group_of(node, {node}).program
    grid = tuple(Cuts.regular(4000, side) for side in sides)
    found = stored_bytes(program, grid, largest_box(grid))
    assert found == pytest.approx(2 * x.nbytes, rel=0.06)  # on the diagonal they are one
    assert found == pytest.approx(counted(program, grid), rel=0.06)


def test_of_many_blocks_some_are_looked_at():
    node = (dt.placeholder((10**9,), "f4", (1000,)) + 1).node
    program = group_of(node, {node}).program
    grid = (Cuts.regular(10**9, 1500),)
    found = stored_bytes(program, grid, largest_box(grid))
    assert found == pytest.approx(4 * 10**9 * 4 / 3, rel=0.05)


def test_few_places_of_a_stored_array_are_within_it(tmp_path):
    """A cell and the one after it are looked at, also where there are two."""
    values = np.arange(24.0).reshape(8, 3)
    dt.to_zarr(dt.from_array(values, (4, 3)), tmp_path / "a")
    picked = dt.from_zarr(tmp_path / "a")[:, [0, 2]][[0, 7]]
    np.testing.assert_array_equal(picked.compute(), values[[0, 7]][:, [0, 2]])


def test_the_largest_block_may_lie_on_the_diagonal():
    x = dt.placeholder((1400, 1400), "f8", (200, 200))
    node = (x + x.T).node
    program = group_of(node, {node}).program
    grid = (Cuts.regular(1400, 800),) * 2
    found = stored_bytes(program, grid, largest_box(grid))
    assert found == pytest.approx(counted(program, grid), rel=0.35)  # there rows are columns


@pytest.mark.parametrize("rows", [2, 3, 5, 8])
@pytest.mark.parametrize("side", [6, 10, 16, 64])
def test_cells_that_are_computed_together_move_what_is_read_together(rows, side):
    """Triangles of blocks of rows: no cell of one moves the rows that are read."""
    node = triangles_of_blocks(dt.placeholder((480, 2), "f8", (side, 2)).node, rows)
    program = group_of(node, {node}).program
    for blocks in (1, 2, 7, 20):
        grid = (Cuts.regular(node.type.shape[0], 2 * blocks), Cuts.regular(2, 2))
        found = stored_bytes(program, grid, largest_box(grid))
        assert found == pytest.approx(counted(program, grid), rel=0.25)


@pytest.mark.parametrize("size", [0, 4, 8, 10])
def test_no_grid_reads_less_than_everything(size):
    """Nodes of a reduction of neighbours reach beyond its ends, where what is usual is less."""
    x = dt.placeholder((204_800, 204_800), "u2", (4096, 4096))
    y = x.astype("f4")
    dy, dx = y[2:, 1:-1] - y[:-2, 1:-1], y[1:-1, 2:] - y[1:-1, :-2]
    summed = simplified(Graph([(dt.sqrt(dx * dx + dy * dy) > 100).sum().node]), Trace()).roots[0]
    (form,) = summed.operator.forms(summed.input_types)
    nodes = form.make(summed, size).inputs[0]
    program = group_of(nodes, {nodes}).program
    for count in (1, 2, 4):
        grid = tuple(Cuts.regular(n, -(-n // count)) for n in nodes.type.shape)
        assert stored_bytes(program, grid, largest_box(grid)) >= x.node.type.nbytes
