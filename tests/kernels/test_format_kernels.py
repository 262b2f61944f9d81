import numpy as np
import pytest
import scipy.sparse
import sparse
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.block_format import BlockFormat, is_foreign, with_all_cells
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.format_kernels import computed

F8 = np.dtype("f8")
CELLS = np.array([[0, 1.5, 0, -0.25], [0, 0, -2, np.inf], [np.nan, 0, 0, 7]])
SCIPYS = scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array
FORMATS = [
    BlockFormat.of(sparse.COO.from_numpy(CELLS)),
    BlockFormat(sparse.GCXS.__module__, "GCXS", 0.0),  # one that is made compiles for seconds
    *map(BlockFormat.of, [kind(CELLS) for kind in SCIPYS]),
]
NATIVE = FORMATS[:1] + FORMATS[2:4]
each_format = pytest.mark.parametrize("known", FORMATS, ids=str)


def formula(*functions, inputs=1):
    builder = CellBuilder([F8] * inputs)
    value = 0
    for name in functions:
        value = builder.call(name, list(range(inputs)) if value == 0 else [value], F8)
    return builder.finish(value)


def check(name, blocks, cells, **arguments):
    """The kernel's own value, bit for bit; whether sparse blocks were enough for it."""
    made = computed(name, blocks, arguments)
    if made is None:
        return False
    expected = KERNELS[name](None, *cells, **arguments)
    assert is_foreign(made)
    assert BlockFormat.of(made).name == BlockFormat.of(blocks[0]).name
    found = with_all_cells(made)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    return True


@each_format
@pytest.mark.parametrize("function", ["sin", "negative", "exp", "sqrt", "isnan"])
def test_a_formula_of_one_block(known, function):
    expression = formula(function) if function != "isnan" else None
    if expression is None:
        builder = CellBuilder([F8])
        expression = builder.finish(builder.call("isnan", [0], np.dtype(bool)))
    with np.errstate(all="ignore"):
        done = check("map", [known.holding(CELLS)], [CELLS], expression=expression)
    assert done == (known == FORMATS[0] or (known in NATIVE and function != "exp"))


@pytest.mark.few(3)  # as unlike as so many can be
@each_format
def test_a_formula_of_two_blocks(known):
    other = np.roll(CELLS, 1)
    blocks = [known.holding(CELLS), known.holding(other)]
    for function in ("add", "multiply", "maximum", "divide"):
        with np.errstate(all="ignore"):
            expression = formula(function, inputs=2)
            done = check("map", blocks, [CELLS, other], expression=expression)
        assert done == (known == FORMATS[0])


def test_a_cell_held_as_several_terms_is_one_cell():
    block = scipy.sparse.csr_array(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 3))
    made = computed("map", [block], {"expression": formula("square")})
    assert made.toarray().tolist() == [[0, 9, 0]]
    assert block.nnz == 2


@each_format
@given(st.data())
def test_views(known, data):
    index = [
        data.draw(st.sampled_from([slice(None), slice(1, 3), slice(None, None, -1), slice(0, 1)]))
        for _ in range(data.draw(st.integers(0, 2)))
    ]
    order = data.draw(st.permutations([0, 1]))
    shape = CELLS[(*index, ...)].transpose(order).shape
    arguments = {"index": tuple(index), "order": tuple(order), "broadcast": (), "shape": shape}
    done = check("view", [known.holding(CELLS)], [CELLS], **arguments)
    assert done == (known in NATIVE)


def test_views_of_other_ranks_and_diagonals():
    block = FORMATS[0].holding(CELLS)
    rows = {"index": (1,), "order": (0,), "broadcast": (0, 2), "shape": (2, 4, 3)}
    assert check("view", [block], [CELLS], **rows)
    diagonal = {"index": (slice(3), slice(3)), "order": (0, 1), "broadcast": (), "shape": (3,)}
    assert not check("view", [block], [CELLS], **diagonal, runs=(2,))
    assert computed("view", [FORMATS[2].holding(CELLS)], rows) is None


@pytest.mark.few(3)  # as unlike as so many can be
@each_format
def test_blocks_side_by_side(known):
    block = known.holding(CELLS)
    for axis in (0, 1):
        assert check("concat", [block, block], [CELLS, CELLS], axis=axis)
    filled = FORMATS[0].filled(7).holding(CELLS)
    assert computed("concat", [FORMATS[0].holding(CELLS), filled], {"axis": 0}) is None
    assert computed("identity", [block], {}) is block


def test_what_needs_all_cells_is_left_to_other_kernels():
    block = FORMATS[0].holding(CELLS)
    assert computed("sort", [block], {}) is None
    assert computed("map", [block, CELLS], {"expression": formula("add", inputs=2)}) is None
