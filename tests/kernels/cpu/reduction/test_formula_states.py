"""Columns of formulas folded as they are evaluated have the bits of cells folded in memory."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import formula_states
from dask_tapestry_kernels.cpu.reduction.column_widths import columns_read_again
from dask_tapestry_kernels.cpu.reduction.formula_states import (
    COLUMNS_OF_PLANES,
    FEW_COLUMNS,
    cell_states,
    column_states,
    still_in_rows,
)
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from tests.kernels.cpu.reduction.formula_columns import check, formula, native
from tests.kernels.cpu.reduction.leaf_cells import cells_of, same_states, state_of

MONOIDS = ["sum", "mean", "max", "argmin", "nanargmax", "ptp", "nanmean", "any", "var", "nanstd"]

DTYPES = ["f8", "f4", "i1", "u4", "c16"]
QUICK = [*[(monoid, "f8") for monoid in MONOIDS], *[("sum", dtype) for dtype in DTYPES[1:]]]
QUICK += [("argmin", "i1"), ("nanmean", "c16"), ("nanargmax", "f4")]
SLOW = [
    pytest.param(monoid, dtype, marks=pytest.mark.exhaustive)
    for monoid in MONOIDS
    for dtype in DTYPES
    if (monoid, dtype) not in QUICK and not (monoid.startswith("nan") and dtype[0] in "iu")
]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.few(6)  # one text holds any monoid
@pytest.mark.parametrize(("monoid", "dtype"), [*QUICK, *SLOW])
def test_monoids_and_dtypes(monoid, dtype):
    blocks = [cells_of(np.random.default_rng(5), dtype, (1500, 70))]
    check(monoid, blocks, [formula("add", 0, 0, dtypes=(dtype,))])


def test_rows_that_lie_apart_or_backwards_and_axes_that_are_one():
    random = np.random.default_rng(8)
    whole = cells_of(random, "f8", (2000, 5, 60))
    square = formula("multiply", 0, 0, dtypes=("f8",))
    check("sum", [whole[::-2]], [square])
    check("sum", [whole[:, :3]], [square])
    check("max", [np.broadcast_to(whole[:1], whole.shape)], [square])


def of_weight(function, dtype):
    """``function`` of a cell of float64 and a weight of a dtype."""
    builder, f8 = CellBuilder((np.dtype("f8"), np.dtype(dtype))), np.dtype("f8")
    return builder.finish(builder.call(function, (builder.cast(1, f8), 0), f8))


@pytest.mark.few(4)  # each monoid
@pytest.mark.parametrize("weights", ["f8", "f4", "i2", "?"])
@pytest.mark.parametrize("monoid", ["sum", "mean", "max", "argmin", "nanmean", "var"])
def test_cells_of_rows_that_all_columns_take(monoid, weights):
    """Weights of rows, deviations from means of rows: one formula of them, and several."""
    random = np.random.default_rng(6)
    cells = cells_of(random, "f8", (1500, 5, 14))
    weight = np.broadcast_to(cells_of(random, weights, (1500, 1, 1)), cells.shape)
    formulas = [of_weight(name, weights) for name in ("multiply", "add")]
    assert still_in_rows([cells, weight], (1024,)) == (1,)
    check(monoid, [cells, weight], formulas[:1])
    if monoid != "argmin":  # whose places each formula tells by itself
        check(monoid, [cells, weight], formulas)
    check(monoid, [cells[::-2], weight[::-2]], formulas[:1])


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("moving", ["tsc", "ts", "tc", "sc", "t", "s", "c"])
@pytest.mark.parametrize("monoid", ["sum", "argmax", "nanmean", "std"])
def test_planes_of_operands_that_lie_otherwise(monoid, moving):
    """Operands of times, stations and cells, or of some of these, folded over time."""
    random = np.random.default_rng(7)
    cells = cells_of(random, "f8", (2100, 3, 2, 70))
    shape = [n if axis in moving else 1 for n, axis in zip(cells.shape, "tsuc", strict=True)]
    weight = np.broadcast_to(cells_of(random, "f8", shape), cells.shape)
    formulas = [of_weight(name, "f8") for name in ("multiply", "subtract")]
    check(monoid, [cells, weight], formulas[:1])
    check(monoid, [cells[:, ::-1], weight[:, ::-1]], formulas[:1])
    if monoid != "argmax":
        check(monoid, [cells, weight], formulas)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("moving", ["tsuc", "tc", "sc", "uc", "ts", "t", "s", "c"])
@pytest.mark.parametrize("monoid", ["sum", "argmax", "nanmean", "std"])
def test_leaves_of_two_axes(monoid, moving):
    """Folded over times and stations, of which the last leaves have fewer."""
    random = np.random.default_rng(9)
    for axes in ((67, 75, 1, 70), (40, 3, 2, 65), (5, 90, 2, 64)):
        cells = cells_of(random, "f8", axes)
        shape = [n if axis in moving else 1 for n, axis in zip(axes, "tsuc", strict=True)]
        weight = np.broadcast_to(cells_of(random, "f8", shape), axes)
        formulas = [of_weight(name, "f8") for name in ("multiply", "subtract")]
        check(monoid, [cells, weight], formulas[:1], rank=2)
        check(monoid, [cells[::-1, :, :, :64], weight[::-1, :, :, :64]], formulas[:1], rank=2)
        if monoid != "argmax":
            check(monoid, [cells, weight], formulas, rank=2)


def test_columns_of_cells_of_rows_alone_are_left_to_others():
    weight = np.broadcast_to(np.ones((64, 1)), (64, 64))
    assert still_in_rows([weight, weight], (1024,)) is None
    assert still_in_rows([weight, np.ones((64, 128))[:, ::2]], (1024,)) is None
    assert still_in_rows([np.ones((64, 64)), np.ones((64, 64))], (1024,)) == ()
    square = native(formula("multiply", 0, 1, dtypes=("f8", "f8")))  # reads a row of both
    blocks, f8 = [np.ones((64, 64)), weight], np.dtype("f8")
    assert column_states(blocks, "sum", f8, (1024,), f8, [square]) is None


@pytest.mark.parametrize("more", [-1, 0, 1, 40])
def test_variances_of_more_columns_than_are_read_again_at_a_time(more):
    some = columns_read_again(1024, 8, 10**6)
    blocks = [cells_of(np.random.default_rng(4), "f8", (1100, 2 * some + more)) for _ in range(2)]
    formulas = [formula(name, 0, 1, dtypes=("f8", "f8")) for name in ("subtract", "multiply")]
    check("var", blocks, formulas)
    check("var", [blocks[0], np.broadcast_to(blocks[1][:1], blocks[0].shape)], formulas[:1])


def test_what_does_not_lie_in_columns_is_left_to_others():
    square = native(formula("multiply", 0, 0, dtypes=("f8",)))
    f8 = np.dtype("f8")

    def states(cells, monoid="sum", sides=(1024,), formulas=(square,)):
        return column_states([cells], monoid, f8, sides, state_of(monoid, "f8"), formulas)

    assert states(np.ones((64, 64)).T) is None
    assert states(np.ones((64, 128))[:, ::2]) is None
    assert states(np.ones((64, FEW_COLUMNS - 1))) is None
    assert states(np.ones((0, 64))) is None
    assert states(np.ones((1, 64))) is None
    assert states(np.ones((64, 64)), sides=(8192,)) is None
    assert states(np.ones((64, 64, 2)), sides=(32, 32)) is None


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("step", [2, 3, 5])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "u1", "c16"])
@pytest.mark.parametrize("monoid", ["sum", "std", "nanmean", "max", "argmin", "any"])
def test_columns_that_lie_apart(monoid, dtype, step):
    """Every other column, one field of several: over one axis and two, in planes and alone."""
    if (monoid == "argmin" or monoid == "max") and dtype == "c16":
        dtype = "f8"
    if monoid == "nanmean" and dtype[0] in "iu":
        dtype = "f4"
    random, state = np.random.default_rng(4), state_of(monoid, dtype)
    for shape, sides in (((1500, 90), (1024,)), ((300, 3, 80), (256,)), ((70, 40, 66), (32, 32))):
        cells = cells_of(random, dtype, (*shape[:-1], step * shape[-1]))[..., ::step]
        found = cell_states(cells, monoid, sides, state)
        expected = leaf_states([cells.copy()], monoid, cells.dtype, sides, state)
        assert found is not None
        assert same_states(found, expected)


@pytest.mark.parametrize(
    ("cells", "is_row_by_row"),
    [
        (np.zeros((200, 400))[:, ::2], True),
        (np.zeros((200, 400, 2))[..., 1], True),
        (np.zeros((200, 400)), False),
        (np.zeros((200, 400)).T, False),  # the cells of a column lie closer
        (np.zeros((200, 2 * COLUMNS_OF_PLANES - 2))[:, ::2], False),
        (np.broadcast_to(np.zeros((200, 1)), (200, 400)), False),
    ],
)
def test_which_columns_are_copied_as_they_are_folded(cells, is_row_by_row, monkeypatch):
    packed = []
    monkeypatch.setattr(formula_states, "leaf_states", lambda *given: packed.append(given))
    found = cell_states(cells, "sum", (128,), np.dtype("f8"))
    assert (found is not None) == is_row_by_row == (not packed)
