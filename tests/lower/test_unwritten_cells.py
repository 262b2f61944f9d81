import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.lower.unwritten_cells import UnwrittenCells, merged_parameters, seen, written_out
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.cpu.cells import compiled_tiles
from tests.comparisons import same_bits, values

F8 = np.dtype("f8")
SHAPE = (400, 700)


@pytest.fixture
def operands(monkeypatch):
    """The number of arrays that each formula of the last block's tiles reads."""
    counts = []
    whole = compiled_tiles.run

    def run(operations, *args):
        counts[:] = [len(operation.arrays) - 1 for operation in operations]
        return whole(operations, *args)

    monkeypatch.setattr(compiled_tiles, "run", run)
    with compilation.mode("wait"):
        yield counts


def second(x):
    return x[2:] - 2 * x[1:-1] + x[:-2]


def first(x):
    return x[1:] - x[:-1]


def laplace(x):
    return x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]


PROGRAMS = {
    "both axes": (lambda m, x: second(second(x).T).T, [9]),
    "one axis": (lambda m, x: first(first(x)), [3]),
    "three times": (lambda m, x: first(first(first(x))), [3, 2]),
    "other rows": (lambda m, x: first(first(x) * x[:1]), [4]),
    "turned": (lambda m, x: second(second(x).T), [3, 3]),
    "costly": (lambda m, x: first(m.remainder(first(x), 3)), [2, 2]),
    "of many": (lambda m, x: laplace(laplace(x)), [5, 5]),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("chunks", [SHAPE, (200, 700), (400, 350)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_formulas_are_computed_where_they_are_read_if_that_takes_less(
    name, dtype, chunks, operands
):
    program, read = PROGRAMS[name]
    x = values(SHAPE, dtype)
    with np.errstate(all="ignore"):
        expected = program(np, x)
        made = program(dt, dt.asarray(x)).rechunk(chunks).compute(scheduler="sync")
    assert same_bits(made, expected)
    assert operands == read


def test_what_goes_wrong_in_a_formula_that_is_written_nowhere_is_told(operands):
    x = np.ones(SHAPE)
    x[200, 300] = 1e308
    x[201, 300] = -1e308
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
        first(first(dt.asarray(x)).T).T.compute(scheduler="sync")
    assert operands == [4]


def test_a_formula_of_unwritten_cells_is_one_of_arrays():
    x, y = np.arange(6.0).reshape(2, 3), np.full((2, 2), 3.0)
    builder = CellBuilder((F8, F8))
    add = builder.finish(builder.call("add", (0, 1), F8))
    inner = seen(UnwrittenCells(add, (x, x)), lambda block: block[:, 1:])
    made = written_out(add, [inner, y])
    assert str(made.expression) == "add(add($0, $1), $2)"
    assert [a.shape for a in made.arrays] == [(2, 2)] * 3
    assert str(merged_parameters(made.expression, (0, 0, 1))) == "add(add($0, $0), $1)"
