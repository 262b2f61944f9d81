"""Formulas that one loop evaluates and folds have the bits of their cells folded in memory."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import formula_states, reduce
from dask_tapestry_kernels.cpu.reduction.joint_folds import MOST_STEPS, STEPS, joint_source
from tests.comparisons import same_bits
from tests.kernels.cpu.reduction.formula_columns import check, formula
from tests.kernels.cpu.reduction.leaf_cells import cells_of, state_of

F8 = np.dtype("f8")


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.fixture
def asked(monkeypatch):
    """The texts of loops that were asked for."""
    found = []

    def source(*told):
        found.append(joint_source(*told))
        return found[-1]

    monkeypatch.setattr(formula_states, "joint_source", source)
    return found


QUICK = [("sum", "f8"), ("max", "f8"), ("fmin", "f4"), ("sum", "i4"), ("prod", "i8")]
EVERY = [(monoid, dtype) for monoid in STEPS for dtype in ("f8", "f4", "i8", "i4", "u4", "u8")]


@pytest.mark.few(3)  # each length is of other strips, not of another loop
@pytest.mark.parametrize(
    ("monoid", "dtype"),
    [*QUICK, *[pytest.param(*c, marks=pytest.mark.exhaustive) for c in EVERY if c not in QUICK]],
)
@pytest.mark.parametrize("length", [1, 33, 97, 131, 513, 1500])
def test_any_number_of_rows(monoid, dtype, length, asked):
    """Rows that begin accumulators and those that go on, four at a time and one by one."""
    random = np.random.default_rng(length)
    blocks = [cells_of(random, dtype, (length, 70)) for _ in range(2)]
    pairs = ("multiply", 0, 1), ("add", 0, 0), ("subtract", 1, 0)
    expressions = [formula(*pair, dtypes=(dtype, dtype)) for pair in pairs]
    if length > 1:
        check(monoid, blocks, expressions)
        assert asked
        assert None not in asked
    else:  # a leaf of one row is no column
        assert joint_source(monoid, np.dtype(state_of(monoid, dtype)), tuple(expressions))


def test_blocks_of_several_dtypes_and_one_that_nothing_reads(asked):
    random = np.random.default_rng(2)
    dtypes = ("?", "f8", "f4", "i8")
    blocks = [cells_of(random, dtype, (300, 40)) for dtype in dtypes]
    builder = CellBuilder(tuple(map(np.dtype, dtypes)))
    first = builder.finish(builder.call("where", (0, 1, builder.constant(np.float64(7))), F8))
    builder = CellBuilder(tuple(map(np.dtype, dtypes)))
    wide = builder.call("cast", (2,), F8)
    second = builder.finish(builder.call("maximum", (wide, 1), F8))
    check("sum", blocks, [first, second])
    assert None not in asked


@pytest.mark.few(3)  # few, some and many
@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
def test_blocks_that_are_too_many_to_be_read_some_rows_at_a_time(count, asked):
    blocks = [cells_of(np.random.default_rng(i), "f8", (400, 50)) for i in range(count)]
    dtypes = ("f8",) * count
    check("sum", blocks, [formula("multiply", i, 0, dtypes=dtypes) for i in range(count)])
    assert None not in asked


def test_a_value_of_several_formulas_is_computed_once():
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 1), F8)
    both = builder.finish(builder.call("add", (product, 0), F8))
    alone = formula("multiply", 0, 1, dtypes=("f8", "f8"))
    text = joint_source("sum", F8, (both, alone))
    assert text.count("v0 * v1") == text.count("v2 + v0")


def test_what_takes_longer_than_a_store_has_loops_of_its_own():
    square = formula("multiply", 0, 0, dtypes=("f8",))
    assert joint_source("sum", F8, (square,))
    assert joint_source("sum", F8, (square, formula("exp", 0, dtypes=("f8",)))) is None
    assert joint_source("nanmean", state_of("nanmean", "f8"), (square,)) is None
    assert joint_source("any", np.dtype(bool), (square,)) is None
    complex_ = formula("multiply", 0, 0, dtypes=("c16",))
    assert joint_source("sum", np.dtype("c16"), (complex_,)) is None
    narrow = formula("add", 0, 0, dtypes=("i1",))
    assert joint_source("sum", np.dtype("i8"), (narrow,)) is None
    builder = CellBuilder((F8,))
    value = 0
    for _ in range(MOST_STEPS + 1):
        value = builder.call("add", (value, 0), F8)
    assert joint_source("sum", F8, (builder.finish(value),)) is None


def formulas_of(u, v):
    return [
        *[one.mean(axis=0) for one in (u * u, u * v, v * v + 2.5)],
        abs(u - v).max(axis=0),
        (u * v).min(axis=0),
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_programs_of_several_strips_have_the_bits_of_the_interpreter(workers, monkeypatch):
    in_turn, real = [], reduce.states_in_turn

    def states_in_turn(*told):
        in_turn.append(real(*told))
        return in_turn[-1]

    monkeypatch.setattr(reduce, "states_in_turn", states_in_turn)
    random = np.random.default_rng(4)
    u, v = random.normal(size=(2, 2100, 1500))
    machine = dt.Resources(workers=workers, threads=2, memory="300 MiB")
    with dt.config(resources=machine):
        found = dt.compute(*formulas_of(dt.asarray(u), dt.asarray(v)), scheduler="threads")
        assert in_turn
        assert all(states is not None for states in in_turn)
        with compile_service.mode("off"):
            expected = dt.compute(*formulas_of(dt.asarray(u), dt.asarray(v)), scheduler="threads")
    assert all(map(same_bits, found, expected))


def test_what_overflows_is_told(asked):
    cells = np.ones((1100, 200))
    cells[1000, 150] = 1e200
    x = dt.asarray(cells)
    with np.errstate(over="warn"), pytest.warns(RuntimeWarning, match="overflow .* square"):
        assert np.isinf((x**2).sum(axis=0).compute()[150])
    assert asked
