import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import TraceError
from dask_tapestry.operators.cells.traced_expression import traced_expression
from dask_tapestry.operators.generators.symbol import symbol

F8 = np.dtype("f8")


def traced(function):
    cells = [symbol("a cell", "no", F8) for _ in range(2)]
    return traced_expression(function(*map(dt.Array, cells)).node, cells, "f")


def test_cells_and_constants_become_one_expression():
    made = traced(lambda a, b: dt.where(a < b, a * 2 + np.float32(1), b))
    assert made.parameters == (F8, F8)
    assert str(made) == "where(less($0, $1), add(multiply($0, 2.0), 1.0), $1)"
    assert (
        str(traced(lambda a, b: a + dt.asarray(np.array(3.0)) * b)) == "add($0, multiply(3.0, $1))"
    )


def test_a_parameter_may_be_the_result():
    assert traced(lambda a, b: a).chosen == 0
    assert traced(lambda a, b: b).chosen == 1


def test_other_cells_and_arrays_are_refused():
    other = dt.Array(symbol("a cell", "no", F8))
    with pytest.raises(TraceError, match="f cannot be traced"):
        traced(lambda a, b: a + other)
    with pytest.raises(TraceError, match="more than compute with cells"):
        traced(lambda a, b: a + dt.ones(3).sum() * b)
