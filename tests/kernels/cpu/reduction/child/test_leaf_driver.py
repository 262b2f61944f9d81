import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.leaf_states import Formula, leaf_states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.formula_columns import native
from tests.kernels.cpu.reduction.leaf_cells import same_states, state_of

PRODUCT = (
    """\
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64, pointer

@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(n, table, out):
    x = carray(pointer(get_int64(table, 0)), (n,), "f8")
    y = carray(pointer(get_int64(table, 1)), (n,), "f4")
    z = carray(pointer(out), (n,), "f8")
    for i in range(n):
        z[i] = x[i] * y[i]
""".replace('"f8")', "float64)")
    .replace('"f4")', "float32)")
    .replace("import carray, njit", "import carray, float32, float64, njit")
)
RANDOM = np.random.default_rng(8)
ROWS = [
    ((3000,), 1), ((70, 100), 2), ((1500, 40), 1), ((40, 1500), 1), ((3, 900), 1), ((20, 30, 9), 2)
]  # fmt: skip


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.covering
@pytest.mark.parametrize(("shape", "rank"), ROWS)
@pytest.mark.parametrize("monoid", ["sum", "var"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_formula_is_folded_in_one_pass(monoid, shape, rank, turned):
    x = RANDOM.normal(size=shape)
    y = RANDOM.normal(size=shape[::-1]).astype("f4").T if turned else x.astype("f4")
    state, sides = state_of(monoid, "f8"), Tree(shape[:rank]).sides(0)
    row = compile_service.compiled(PRODUCT, 3, "product")
    ours = leaf_states([x, y], monoid, np.dtype("f8"), sides, state, Formula(row.address))
    expected = _leaf_states(x * y, ARITHMETIC[monoid], sides, state)
    assert same_states(ours, expected)


@pytest.mark.parametrize("kept", [1, 300])
def test_columns_that_do_not_fit_the_scratch_come_in_strips(kept, monkeypatch):
    monkeypatch.setattr("dask_tapestry_kernels.cpu.reduction.leaf_states.SCRATCH", 1)
    cells = RANDOM.normal(size=(kept, 80, 50)).transpose(2, 1, 0)
    state, sides = np.dtype("f8"), Tree((50, 80)).sides(0)
    ours = leaf_states([cells], "sum", cells.dtype, sides, state)
    assert same_states(ours, _leaf_states(cells, ARITHMETIC["sum"], sides, state))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("operands", [1, 2, 8, 9])
@pytest.mark.parametrize("order", [(2, 0, 1), (2, 1, 0), (1, 0, 2)])
def test_columns_that_lie_apart_are_folded_one_by_one(operands, order):
    """Of a formula of several axes; those of more operands than there is room for are not."""
    cell, shape = np.dtype("f8"), (40, 70, 9)
    builder = CellBuilder((cell,) * operands)
    value = 0
    for other in range(1, operands):
        value = builder.call("add", (value, other), cell)
    expression = builder.finish(builder.call("multiply", (value, value), cell))
    cells = [
        np.random.default_rng(seed).random([shape[axis] for axis in order])
        for seed in range(operands)
    ]
    blocks = [block.transpose(np.argsort(order)) for block in cells]
    sides = Tree(shape[:2]).sides(0)
    with compile_service.mode("wait"):
        ours = leaf_states(blocks, "sum", cell, sides, cell, native(expression))
    expected = evaluate(None, *blocks, expression=expression)
    assert same_states(ours, _leaf_states(expected, ARITHMETIC["sum"], sides, cell))
