"""Scatters in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.cell_updates import cell_update, ufunc_update
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.picked_cells_simulated import WAYS
from tests.kernels.cuda.simulated.run_kernel import run

DTYPES = "?bBhilLQefdFD"
NAMES = "update add mul min max less greater".split()
F8 = np.dtype("f8")
GENERATOR = np.random.default_rng(12)


def cells(shape, kind="d"):
    """Cells whose sums depend on their order, and zeros of both signs."""
    dtype = np.dtype(kind)
    if kind == "?":
        return GENERATOR.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        top = np.iinfo(dtype)
        return GENERATOR.integers(top.min, top.max, shape, dtype, endpoint=True)
    made = GENERATOR.normal(size=shape) * np.exp(GENERATOR.normal(size=shape))
    made = np.where(GENERATOR.random(shape) < 0.1, GENERATOR.choice([0.0, -0.0], shape), made)
    if dtype.kind == "c":
        made = made + 1j * np.flip(made)
    return np.asarray(made).astype(dtype)


def told(names, kind, **more):
    dtype = np.dtype(kind)
    return {"expressions": tuple(cell_update(name, dtype) for name in names.split()), **more}


def check(*blocks, out=None, **way):
    with np.errstate(all="ignore"):
        expected = CPU["scatter"](None, *[b.copy() for b in blocks], **way)
    before = blocks[0].copy()
    got = run(CUDA["scatter"], out, *blocks, **way)
    assert same_bits(blocks[0], before)
    assert same_bits(got, expected)
    return got


def line(extent, origin=0, **more):
    """The way of a line of cells, of which the block begins at `origin`."""
    steps = ((None, 0, extent, extent, 0, origin),)
    return {"steps": steps, "vector": 1, "window": ()} | more


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_updates_of_a_cell_follow_each_other(gpu, name, kind):
    if name in ("less", "greater") and kind in "FD":
        return  # which are refused of them
    for count in (0, 1, 70):
        places = GENERATOR.integers(-2, 7, count)
        check(cells(5, kind), places, cells(count, kind), **told(name, kind), **line(5))


@pytest.mark.parametrize("of", "bBhHiIlL")
def test_places_of_any_integers(gpu, of):
    top = np.iinfo(of)
    places = GENERATOR.choice(np.array([top.min, 0, 3, 4, 11, top.max], of), 40)
    check(cells(5), places, cells(40), **told("add", "d"), **line(20, 3))


def scattered(shape, vectors, numbers, sizes, kind="d", lo=None, hi=None):
    """A scatter of windows into the box of an operand that begins at `lo`."""
    numbers = DimensionNumbers(*numbers)
    window = tuple(sizes[dim] for dim in numbers.in_window(len(shape)))
    updates = cells(numbers.cells_shape(vectors, window), kind)
    box = ZRange(lo or (0,) * len(shape), hi or shape)
    given = ZRange((0,) * updates.ndim, updates.shape)
    steps = numbers.steps(shape, (0,) * len(shape), given, box)
    way = {"steps": steps, "vector": numbers.vector_dim, "window": numbers.window_dims}
    operand = cells(shape, kind)[tuple(map(slice, box.lo, box.hi))]
    return operand, GENERATOR.integers(-1, 5, vectors), updates, way


@pytest.mark.parametrize("kind", "de?F")
@pytest.mark.parametrize("way", WAYS)
def test_scatters_of_all_dimension_numbers(gpu, way, kind):
    *blocks, where = scattered(*WAYS[way], kind)
    check(*blocks, **told("add", kind), **where)
    turned = [np.array(block, order="F") for block in blocks]
    check(*turned, **told("update", kind), **where)


def test_rows_are_folded_together(gpu):
    *blocks, where = scattered(*WAYS["rows"])
    check(*blocks, **told("add", "d"), **where)
    rows = gpu.launches[0]
    assert rows[0].what == "scatter: rows of updates"
    assert "at0[np.int64(c0) * p0_0]" in rows[0].source


@pytest.mark.parametrize("way", ["windows", "batches", "rows"])
def test_blocks_that_begin_within_the_operand(gpu, way):
    shape = WAYS[way][0]
    lo = tuple(0 if way == "batches" and d == 0 else 1 for d in range(len(shape)))
    if way == "rows":
        lo = (2, 0)
    *blocks, where = scattered(*WAYS[way], lo=lo, hi=shape)
    check(*blocks, **told("add", "d"), **where)


def test_strict_places_are_counted_from_the_end_and_have_bounds(gpu):
    x, updates = cells(4), cells(9)
    way = told("add", "d", strict=True) | line(10, 3)
    check(x, GENERATOR.integers(-10, 10, 9), updates, **way)
    for block in (x, x[:0]):
        wrong = np.array([0, 3, -11, 2, 1, 12, 5, 5, 5])
        with pytest.raises(IndexError, match="index 12 is out of bounds for axis 0 with size 10"):
            run(CUDA["scatter"], None, block, wrong, updates, **way)


@pytest.mark.parametrize("name", ["add", "update"])
def test_cells_updated_once_are_not_sorted(gpu, name):
    way = told(name, "f", once=True) | line(40)
    gpu.order_of = None
    check(cells(40, "f"), GENERATOR.permutation(45)[:30], cells(30, "f"), **way)
    with pytest.raises(ValueError, match="indices are said to be unique, and a cell is updated"):
        run(CUDA["scatter"], None, cells(40, "f"), np.array([3, 9, 3]), cells(3, "f"), **way)
    check(cells(40, "f"), np.array([60, 9, 60]), cells(3, "f"), **way)  # no cell of the block


def test_memory_that_is_given_is_filled(gpu):
    out, x = np.empty(5), cells(5)
    made = check(x, np.array([1, 1]), cells(2), out=out, **told("add", "d"), **line(5))
    assert same_bits(out, made)


def test_updates_of_another_dtype(gpu):
    expression = ufunc_update("add", np.dtype("f4"), F8)
    x, updates = cells(5, "f"), cells(50)
    check(x, GENERATOR.integers(0, 5, 50), updates, expressions=(expression,), **line(5))


def test_several_operands_are_updated_together(gpu):
    builder = CellBuilder((F8, np.dtype("i8")) * 2)
    better = builder.call("less", (2, 0), np.dtype(bool))
    value = builder.finish(builder.call("where", (better, 2, 0), F8))
    builder = CellBuilder((F8, np.dtype("i8")) * 2)
    better = builder.call("less", (2, 0), np.dtype(bool))
    place = builder.finish(builder.call("where", (better, 3, 1), np.dtype("i8")))
    blocks = [np.full(4, np.inf), np.full(4, -1), GENERATOR.integers(-1, 5, 40)]
    blocks += [GENERATOR.integers(0, 9, 40).astype(F8), np.arange(40)]
    axes = (OutputAxis(0, 1),)
    outputs = (OutputShape("result1", np.dtype("i8"), axes), OutputShape("result0", F8, axes))
    way = {"expressions": (value, place), "outputs": outputs, "kept": (1, 0)} | line(4)
    expected = CPU["scatter"](None, *blocks, **way)
    found = CUDA["scatter"](None, *blocks, **way)
    for name in ("result0", "result1"):
        assert same_bits(np.asarray(found[name]), expected[name])


def test_formulas_without_a_meaning_are_refused(gpu):
    builder = CellBuilder((F8, F8))
    expression = builder.finish(builder.call("spacing", (1,), F8))
    given = cells(4), np.array([1]), cells(1)
    with pytest.raises(KernelDeviceError, match=r"kernel scatter: spacing\(\$1\)"):
        CUDA["scatter"](None, *given, expressions=(expression,), **line(4))
